"""The judgments of topics, with facts about them that are the same for all runs."""

from __future__ import annotations

from typing import NamedTuple

from stdeval.trec.reading import Judgments, Qrels


class JudgedTopic(NamedTuple):
    """The judgments of a topic, with facts about them that are the same for all runs.

    Parameters
    ----------
    judgments : mapping of str to int
        Docno to judgment.
    relevant : frozenset of str
        The docnos with a positive judgment.
    total : int or None
        The sum of all judgments; None if they are not those of a pool, because there are few, or none is 0.
    relevant_total : int
        The sum of the positive judgments.
    last : (int, str)
        The place of the last docno among all that are sorted, see `docno_order`.
    """

    judgments: Judgments
    relevant: frozenset[str]
    total: int | None
    relevant_total: int
    last: tuple[int, str] = (0, "")


_FEWEST_IN_POOL = 20
"""With fewer judged documents for a topic, their grades are not those of a pool that runs should separate."""


def judged_topic(judgments: Judgments) -> JudgedTopic:
    """Return the judgments of a topic with facts about them.

    Examples
    --------
    >>> judged_topic({"a": 0, "b": 1})[1:]
    (frozenset({'b'}), None, 1, (0, 'b'))
    """
    relevant = frozenset(docno for docno, judgment in judgments.items() if judgment > 0)
    is_pool = len(judgments) >= _FEWEST_IN_POOL and 0 in judgments.values()
    relevant_total = sum(judgments[docno] for docno in relevant)
    last = max(map(docno_order, judgments), default=(0, ""))
    return JudgedTopic(judgments, relevant, sum(judgments.values()) if is_pool else None, relevant_total, last)


def docno_order(docno: str) -> tuple[int, str]:
    """Return a key that sorts docnos as tools sort a file: numbers by value, everything else as text.

    Examples
    --------
    >>> sorted(["10", "9", "b", "a1"], key=docno_order)
    ['a1', 'b', '9', '10']
    """
    return (len(docno) if docno.isdecimal() else 0, docno)


class JudgedTopics(NamedTuple):
    """Judgments, with facts about them that are the same for all runs.

    Parameters
    ----------
    topics : dict of str to JudgedTopic
    known : frozenset of str
        The documents that are judged for any topic.
    are_of_pool : bool, optional
        See `are_of_a_pool`.
    """

    topics: dict[str, JudgedTopic]
    known: frozenset[str]
    are_of_pool: bool | None


def judged_topics(qrels: Qrels) -> JudgedTopics:
    """Return judgments with facts about them."""
    topics = {topic: judged_topic(judgments) for topic, judgments in qrels.items()}
    return JudgedTopics(topics, frozenset[str]().union(*qrels.values()), are_of_a_pool(qrels))


def are_of_a_pool(qrels: Qrels) -> bool | None:
    """Return True if at least a fifth of the judged documents are not relevant, as in the judgments of a pool.

    Other qrels list relevant documents only (False), or few others (None: it is not known).

    Examples
    --------
    >>> are_of_a_pool({"1": {"a": 1, "b": 0}, "2": {"c": 1}}), are_of_a_pool({"1": {"a": 2, "b": 1}})
    (True, False)
    >>> are_of_a_pool({"1": {"a": 2, "b": -1}})
    """
    grades = [grade for judgments in qrels.values() for grade in judgments.values()]
    n_pooled, n_other = sum(grade >= 0 for grade in grades), grades.count(0)
    if n_pooled and 5 * n_other >= n_pooled:
        return True
    return None if min(grades, default=0) <= 0 else False
