"""Refuse scores that could let a gate pass by mistake: missing ones, a baseline of zeros, and other topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from stdeval.display import counted
from stdeval.errors import InputError
from stdeval.measures.names import split_scheme
from stdeval.provenance import OTHER_FACTORS
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


def require_judged_topics(table: ScoreTable, where: str | None = None, otherwise: str = "") -> None:
    """Refuse scores without some of the judged topics, if it is known how many these are.

    Parameters
    ----------
    table : ScoreTable
    where : str, optional
        The file of the scores.
    otherwise : str
        The end of the message, if there is another way out.

    Raises
    ------
    InputError
        If no system has a score on some of the topics.
    """
    if len(table.topics) < table.origin.n_judged:
        found = f"scores of {len(table.topics)} of {table.origin.n_judged} judged topics"
        raise InputError(f"{found}, expected scores of all of them{otherwise}", where)


def refuse_other_factors(table: ScoreTable, where: str | None = None) -> None:
    """Refuse stored scores that factors from other judgments or options standardized."""
    if has_other_factors(table):
        found = "the scores were standardized with factors from other judgments or options than theirs"
        raise InputError(f"{found}, expected factors from the same judgments and options", where)


def has_other_factors(table: ScoreTable) -> bool:
    """Return whether standardized scores say that their factors are from other judgments or options."""
    made = table.origin.standardization
    # Files that are joined may have several fields of this name.
    is_other = made is not None and OTHER_FACTORS in made.adjustments
    return is_other and any(split_scheme(name)[0] for name in table.measures)


def require_hits(baseline: ScoreTable, measures: Iterable[str]) -> None:
    """Refuse a baseline that finds no relevant document: no run can lose against it, so every run would pass.

    Parameters
    ----------
    baseline : ScoreTable
        The scores of one system.
    measures : iterable of str
        The measures to look at, as far as the baseline has them. Z scores are not checked: 0 is that of an average
        system.

    Raises
    ------
    InputError
        If all scores by a measure are 0.
    """
    for measure in measures:
        if split_scheme(measure)[0] == "Z" or measure not in baseline.measures:
            continue
        if (baseline.measure(measure)[0] == 0).all():
            found = f"every {measure} score of the baseline '{baseline.systems[0]}' is 0"
            raise InputError(f"{found}, expected a baseline that finds relevant documents, from the same judgments")


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
