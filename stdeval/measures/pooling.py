"""Pools: the documents that judges would have seen if runs had been pooled to a depth.

References
----------
W. Webber, A. Moffat, J. Zobel. The effect of pooling and evaluation depth on metric stability. EVIA 2010,
sections 3.1 and 4.2.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stdeval.arrays import Ints
from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.measures.precision import Precision, at_precision
from stdeval.measures.relevance import top_documents
from stdeval.trec.reading import Run, RunReader, sorted_topics

SEVERAL = -1
"""In a pool: more than one run contributed the document."""

Pool = dict[str, dict[str, int]]
"""Topic to docno to the index of the run if only one contributed the document, otherwise `SEVERAL`."""


class FirstDocuments(NamedTuple):
    """A run that was read only to some depth.

    Parameters
    ----------
    run : Run
        With the first documents only.
    rises : bool
        True if the scores of all of its documents rise with their ranks.
    """

    run: Run
    rises: bool


def first_documents(
    path: str, depth: int, topics: Container[str], precision: Precision = "single"
) -> FirstDocuments:
    """Read the first documents of each topic of a run; deeper documents are not kept in memory.

    Parameters
    ----------
    path : str
    depth : int
        Number of documents per topic, in trec_eval's order.
    topics : container of str
        The topics to read; all others are skipped.
    precision : {"single", "double"}
        How scores are compared; with double, the documents may have other scores in the same order, see
        `stdeval.measures.precision.at_precision`.

    Raises
    ------
    InputError
        If the file is not a run, or has none of the topics.
    """
    reader = RunReader(Input(path))
    documents = {
        topic: top_documents(at_precision(docs, precision), depth) for topic, docs in reader if topic in topics
    }
    if not documents:
        raise InputError("no topic in common with the qrels", reader.source.name)
    return FirstDocuments(Run(reader.tag, documents), reader.order.rises)


def pool_runs(
    runs: Iterable[Iterable[tuple[str, Mapping[str, float]]]], depth: int, topics: Container[str] | None = None
) -> Pool:
    """Pool the first documents of each topic of several runs.

    Parameters
    ----------
    runs : iterable of iterables of (topic, docs)
        For each run its topics with the scores by docno; read once, one run after the other.
    depth : int
        Number of documents per topic that a run contributes, in trec_eval's order; at least 1.
    topics : container of str, optional
        The topics to pool; None: all topics of the runs.

    Returns
    -------
    dict
        See `Pool`.

    Raises
    ------
    InputError
        If the depth is less than 1.

    Examples
    --------
    >>> first = [("1", {"a": 3.0, "b": 2.0, "c": 1.0})]
    >>> second = [("1", {"b": 9.0, "d": 8.0, "a": 7.0})]
    >>> pool_runs([first, second], 2)
    {'1': {'a': 0, 'b': -1, 'd': 1}}
    """
    if depth < 1:
        raise InputError(f"pool depth {depth}, expected at least 1")
    pool: Pool = {}
    for place, run in enumerate(runs):
        # A run that is not grouped by topic yields a topic twice; the dict keeps the later, complete entry.
        tops = {topic: top_documents(docs, depth) for topic, docs in run if topics is None or topic in topics}
        for topic, docs in tops.items():
            contributor = pool.setdefault(topic, {})
            for docno in docs:
                contributor[docno] = SEVERAL if docno in contributor else place
    return pool


def pooled_qrels(
    qrels: Mapping[str, Mapping[str, int]], pool: Mapping[str, Container[str]]
) -> dict[str, dict[str, int]]:
    """Return the judgments of the documents in the pool, in the order of the qrels.

    A topic without such judgments is left out.

    Examples
    --------
    >>> pooled_qrels({"1": {"c": 1, "a": 0, "x": 1}, "2": {"y": 1}}, {"1": {"a": 0, "c": 1}})
    {'1': {'c': 1, 'a': 0}}
    """
    kept = (
        (topic, {docno: level for docno, level in judged.items() if docno in pool.get(topic, ())})
        for topic, judged in qrels.items()
    )
    return {topic: judged for topic, judged in kept if judged}


@dataclass(frozen=True)
class TopicPool:
    """Numbers of documents of a topic inside and outside a pool.

    Parameters
    ----------
    topic : str
    size : int
        Documents in the pool.
    judged, judged_lost : int
        Judged documents (judgment 0 or more) inside and outside the pool.
    relevant, relevant_lost : int
        Relevant documents inside and outside the pool.
    """

    topic: str
    size: int
    judged: int
    judged_lost: int
    relevant: int
    relevant_lost: int


def pool_report(
    qrels: Mapping[str, Mapping[str, int]], pool: Mapping[str, Mapping[str, int]], level: int = 1
) -> list[TopicPool]:
    """Count the judged and relevant documents inside and outside a pool, topic by topic.

    Parameters
    ----------
    qrels : mapping of topic to docno to judgment
    pool : mapping of topic to pooled docnos
        As from `pool_runs`.
    level : int
        A document is relevant if its judgment is at least this level.

    Returns
    -------
    list of TopicPool
        One per topic of the qrels, in trec_eval's order.

    Examples
    --------
    >>> pool_report({"1": {"a": 1, "b": 0, "x": 2, "y": -1}}, {"1": {"a": 0, "b": -1, "d": 1}})
    [TopicPool(topic='1', size=3, judged=2, judged_lost=1, relevant=1, relevant_lost=1)]
    """
    return [_topic_pool(topic, qrels[topic], pool.get(topic, {}), level) for topic in sorted_topics(qrels)]


def _topic_pool(topic: str, judged: Mapping[str, int], pooled: Mapping[str, int], level: int) -> TopicPool:
    """Count the documents of one topic."""
    inside = np.array([rel for docno, rel in judged.items() if docno in pooled], dtype=np.int64)
    outside = np.array([rel for docno, rel in judged.items() if docno not in pooled], dtype=np.int64)
    counts = [int(np.count_nonzero(part >= least)) for least in (0, level) for part in (inside, outside)]
    return TopicPool(topic, len(pooled), *counts)


def unique_contributions(pool: Mapping[str, Mapping[str, int]], n_runs: int) -> Ints:
    """Number of documents, over all topics, that each run contributed and no other run, shape (n_runs,).

    Parameters
    ----------
    pool : mapping
        As from `pool_runs`.
    n_runs : int
        Number of runs that were pooled.

    Returns
    -------
    ndarray of int, shape (n_runs,)
        In the order of the runs.

    Examples
    --------
    >>> unique_contributions({"1": {"a": 0, "b": -1, "d": 1}, "2": {"e": 1}}, 3)
    array([1, 2, 0])
    """
    alone = [place for contributor in pool.values() for place in contributor.values() if place != SEVERAL]
    return np.bincount(np.array(alone, dtype=np.int64), minlength=n_runs)
