"""The difficulty of topics, as `stdeval topics` prints it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stdeval import notices
from stdeval.errors import InputError, warn
from stdeval.evaluation.python_inputs import QrelsLike, qrels_of
from stdeval.measures.facts import is_better_higher, level_of
from stdeval.results import Results
from stdeval.stats.coverage import coverage
from stdeval.stats.difficulty import STATISTICS, check_grouping, topic_groups, topic_statistics
from stdeval.table import Floats, ScoreTable, check_scores_table
from stdeval.trec.reading import Judgments, Qrels

RELEVANT = "rel"
"""The column of the number of relevant documents of a topic."""


class TopicDifficulty(NamedTuple):
    """The scores of all systems on a topic, and its difficulty; see `stdeval.stats.difficulty`.

    Parameters
    ----------
    measure, topic : str
    n : int
        Number of systems that have a score.
    mean, sd, min, p25, median, p75, max : float
        Statistics of their scores.
    one_minus_mean, one_minus_max, surprise : float
        Difficulties: 1 minus the mean and the maximum, and (max - mean) / sd, or (mean - min) / sd if lower is
        better by the measure.
    zero, low : float
        The shares of scores that are 0, and at most 0.1.
    item_total : float
        The correlation of the scores with the systems' means over the other topics.
    rel : int or float
        Number of relevant documents; NaN if it is not known.
    group : str
        The group of the topic by falling surprise; empty if topics are not grouped.
    """

    measure: str
    topic: str
    n: int
    mean: float
    sd: float
    min: float
    p25: float
    median: float
    p75: float
    max: float
    one_minus_mean: float
    one_minus_max: float
    surprise: float
    zero: float
    low: float
    item_total: float
    rel: int | float
    group: str


def topics(
    table: ScoreTable, qrels: QrelsLike | None = None, *, groups: str | None = None, level: int = 1
) -> Results[TopicDifficulty]:
    """Return the scores that systems achieve on each topic, and its difficulty, as `stdeval topics` does.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    qrels : dict or data frame, optional
        Judgments, as for `stdeval.evaluate`; they are needed for ``rel`` only.
    groups : str, optional
        Group the topics by their surprise: ``hard-easy`` (halves), ``middle-rest`` (the middle half, and the rest),
        or a number of groups, as text, of which ``1`` is the hardest.
    level : int
        A document is relevant if its judgment is at least this level.

    Returns
    -------
    Results of TopicDifficulty
        A row per measure and topic. Its fields are ``measure`` and ``topic``; ``n``, the number of systems that
        have a score; ``mean``, ``sd``, ``min``, ``p25``, ``median``, ``p75`` and ``max`` of the scores; the
        difficulties ``one_minus_mean``, ``one_minus_max`` and ``surprise``, which is (max - mean) / sd; ``zero``
        and ``low``, the shares of scores that are 0 and at most 0.1; ``item_total``, the correlation of the scores
        with the systems' means over the other topics; ``rel``, the number of relevant documents, or NaN without
        qrels; and ``group``, which is empty without groups.

    Warns
    -----
    InputWarning
        See the section WARNINGS of stdeval(1).

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.array([[[0.2], [0.4]], [[0.4], [0.4]]]))
    >>> rows = topics(table, {"1": {"d": 1}, "2": {"d": 0}})
    >>> [(row.topic, round(row.one_minus_mean, 2), row.rel) for row in rows]
    [('1', 0.7, 1), ('2', 0.6, 0)]
    """
    check_scores_table(table)
    judged = None if qrels is None else qrels_of(qrels)
    rows: list[TopicDifficulty] = []
    for measure, relevant in relevant_documents(judged, table.topics, table.measures, level).items():
        rows += topic_difficulties(measure, table.topics, table.measure(measure), relevant, groups)
    aside = coverage(table.values).set_aside(table.systems)
    warn(notices.incomplete_runs(aside, len(table.systems), "left out of item_total"))
    return Results(TopicDifficulty, rows)


def relevant_documents(
    qrels: Qrels | None, topic_names: Sequence[str], measures: Sequence[str], level: int
) -> dict[str, Floats]:
    """Return the number of documents of each topic that are relevant for each measure; NaN if it is not known.

    Parameters
    ----------
    qrels : dict, optional
        Topic to docno to judgment.
    topic_names, measures : sequence of str
    level : int
        The relevance level of measures that have none of their own.
    """
    if qrels is None:
        return dict.fromkeys(measures, np.full(len(topic_names), np.nan))
    levels = {measure: level_of(measure, level) for measure in measures}
    counts = {
        each: np.array([_n_relevant(qrels.get(topic), each) for topic in topic_names], dtype=np.float64)
        for each in set(levels.values())
    }
    return {measure: counts[each] for measure, each in levels.items()}


def _n_relevant(judgments: Judgments | None, level: int) -> float:
    """Return the number of relevant documents of a topic; NaN if it has no judgments."""
    return math.nan if judgments is None else float(sum(rel >= level for rel in judgments.values()))


def topic_difficulties(
    measure: str, topic_names: Sequence[str], values: Floats, relevant: Floats, groups: str | None = None
) -> list[TopicDifficulty]:
    """Return a row for each topic, by one measure.

    Parameters
    ----------
    measure : str
    topic_names : sequence of str
    values : ndarray, shape (n_systems, n_topics)
        Scores; NaN is missing.
    relevant : ndarray, shape (n_topics,)
        Numbers of relevant documents; NaN where they are not known.
    groups : str, optional
        How topics are grouped by their surprise, see `stdeval.stats.difficulty.topic_groups`.
    """
    statistics = topic_statistics(values, better_higher=is_better_higher(measure))
    labels = _groups(measure, statistics["surprise"], groups) if groups else [""] * len(topic_names)
    known = [rel if math.isnan(rel) else int(rel) for rel in relevant.tolist()]
    n, *columns = (statistics[name].tolist() for name in STATISTICS)
    rows = zip(topic_names, map(int, n), *columns, known, labels, strict=True)
    return [TopicDifficulty(measure, *row) for row in rows]


def _groups(measure: str, difficulty: Floats, groups: str) -> list[str]:
    """Return the group of each topic; an `InputError` about the topics names the measure."""
    check_grouping(groups)
    try:
        return topic_groups(difficulty, groups)
    except InputError as error:
        raise InputError(f"{measure}: {error.message}") from None
