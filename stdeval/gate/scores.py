"""Refuse scores that could let a gate pass by mistake: missing ones, a baseline of zeros, and other topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from stdeval.display import counted, shown_name
from stdeval.errors import InputError
from stdeval.measures.names import split_scheme
from stdeval.table import Floats, ScoreTable


def require_scores(scores: Floats, topics: Sequence[str], system: str, measure: str, otherwise: str = "") -> None:
    """Refuse a system that does not have a score for every topic.

    Parameters
    ----------
    scores : ndarray, shape (n_topics,)
    topics : sequence of str
    system, measure : str
        Their names, for the message.
    otherwise : str
        The end of the message, if there is another way out.

    Raises
    ------
    InputError
        If a score is missing; the message has the number of topics without a score, and one of them.
    """
    missing = np.flatnonzero(np.isnan(scores))
    if len(missing):
        raise InputError(
            f"'{system}' has no {measure} for {len(missing)} of {len(topics)} topics "
            f"(e.g. '{topics[missing[0]]}'), expected it for all{otherwise}"
        )


def require_hits(baseline: ScoreTable, measures: Iterable[str]) -> None:
    """Refuse a baseline that finds no relevant document: no run can lose against it, so every run would pass.

    Parameters
    ----------
    baseline : ScoreTable
        The scores of one system.
    measures : iterable of str
        The measures to look at, as far as the baseline has them. Z scores are not checked: 0 is that of an average
        system. If a measure is standardized, its raw scores are looked at, too.

    Raises
    ------
    InputError
        If all scores by a measure are 0.
    """
    for measure in dict.fromkeys(name for each in measures for name in (each, split_scheme(each)[1])):
        if split_scheme(measure)[0] == "Z" or measure not in baseline.measures:
            continue
        scores = baseline.measure(measure)[0]
        if len(scores) and (scores == 0).all():
            found = f"every {measure} score of the baseline '{baseline.systems[0]}' is 0"
            raise InputError(f"{found}, expected a baseline that finds relevant documents, from the same judgments")


def about_unretrieved(baseline: ScoreTable, table: ScoreTable) -> str | None:
    """Return a warning about topics without documents of the baseline, on which no run can lose, or None.

    Parameters
    ----------
    baseline : ScoreTable
        The scores of one system.
    table : ScoreTable
        The scores of the systems that are checked.
    """
    lost = baseline.unretrieved.get(baseline.systems[0], frozenset()) & set(table.topics)
    if not lost:
        return None
    number = f"{len(lost)} of {counted(len(table.topics), 'topic')}"
    example = next(topic for topic in table.topics if topic in lost)
    name = shown_name(baseline.systems[0])
    found = f"the baseline '{name}' has no documents for {number} (e.g. '{shown_name(example)}')"
    return f"{found}; they count as 0, and no run can lose on them"


def require_same_topics(
    baseline: ScoreTable, topics: Sequence[str], without: str, where: str | None = None
) -> None:
    """Refuse a baseline with other topics than the runs: means over different topics cannot be compared.

    Parameters
    ----------
    baseline : ScoreTable
        The scores of one system.
    topics : sequence of str
        The topics of the runs.
    without : str
        The end of the message about topics that the runs do not have, such as ``the runs do``.
    where : str, optional
        The file of the baseline.

    Raises
    ------
    InputError
        If the baseline is without a score on some of the topics, or has scores on others.
    """
    rows = zip(baseline.topics, baseline.values[0], strict=True)
    scored = [topic for topic, row in rows if not np.isnan(row).any()]
    lacking = [topic for topic in topics if topic not in set(scored)]
    strange = [topic for topic in scored if topic not in set(topics)]
    for what, found in (("has no scores for", lacking), ("has scores for", strange)):
        if found:
            other = "" if found is lacking else f" that {without} not have"
            number = f"{counted(len(found), 'topic')}{other} (e.g. '{found[0]}')"
            raise InputError(f"the baseline {what} {number}, expected the topics of the runs", where)
