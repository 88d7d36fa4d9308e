"""Relevance levels that no measure can use, or that leave topics without relevant documents."""

from __future__ import annotations

from collections.abc import Sequence

from stdeval.measures.parameters import Measure
from stdeval.trec.reading import JudgmentError, Judgments, Qrels

_COMPARES_LEVELS = ("ndcg", "ndcg_rel", "Rndcg", "G")
"""Measures for which trec_eval compares each level from 0 to the highest judgment of a topic with all others."""

_MOST_LEVELS = 100_000
"""The highest judgment that these measures accept. A topic with it takes seconds; time grows with its square."""


def levels_without_relevant(qrels: Qrels, measures: Sequence[Measure], level: int) -> tuple[int, list[int]]:
    """Return the highest judgment, and the relevance levels at which no document is relevant.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    measures : sequence of Measure
    level : int
        The level of measures that have none of their own.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> levels_without_relevant({"1": {"a": 1, "b": 0}}, resolve(["AP", "AP(rel=2)"]), 1)
    (1, [2])
    """
    highest = max(map(_highest, qrels.values()), default=0)
    levels = {measure.level or level for measure in measures}
    return highest, sorted(each for each in levels if each > highest)


def topics_without_relevant(
    qrels: Qrels, measures: Sequence[Measure], level: int, *, binary: bool = False
) -> list[str]:
    """Return the topics that a level above 1 leaves without a relevant document; none if it changes no measure.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> topics_without_relevant({"1": {"a": 1, "b": 0}, "2": {"c": 2}}, resolve(["AP"]), 2)
    ['1']
    """
    if level == 1 or not any(measure.depends_on_level(binary) for measure in measures):
        return []
    topics = [topic for topic, judgments in qrels.items() if _highest(judgments) < level]
    return topics if len(topics) < len(qrels) else []


def _highest(judgments: Judgments) -> int:
    return max(judgments.values(), default=0)


def check_levels(measures: Sequence[Measure], qrels: Qrels) -> None:
    """Refuse judgments so high that trec_eval would practically never end: its time grows with their square."""
    slow = next((measure.name for measure in measures if measure.family.name in _COMPARES_LEVELS), None)
    if slow is None:
        return
    for topic, judgments in qrels.items():
        if _highest(judgments) > _MOST_LEVELS:
            docno = max(judgments, key=judgments.__getitem__)
            expected = f"expected at most {_MOST_LEVELS} for {slow}, or --binary"
            raise JudgmentError(topic, docno, judgments[docno], expected)
