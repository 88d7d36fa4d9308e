"""Pools: which documents the judges would have seen, had these runs been pooled to a depth.

References
----------
W. Webber, A. Moffat, J. Zobel. The effect of pooling and evaluation depth on metric stability. EVIA 2010,
sections 3.1 and 4.2.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.measures.relevance import top_documents
from stdeval.table import Ints
from stdeval.trec import Run, RunReader, sorted_topics

SEVERAL = -1
"""In a pool: the document was contributed by more than one run."""

Pool = dict[str, dict[str, int]]
"""Topic to docno to the place of the one run that contributed it, or `SEVERAL`."""


def first_documents(path: str, depth: int, topics: Container[str]) -> Run:
    """The run in a file, cut: it is read topic by topic, and what lies deeper is not held.

    Parameters
    ----------
    path : str
    depth : int
        How many documents of a topic are kept, in trec_eval's order.
    topics : container of str
        Other topics are passed over.

    Raises
    ------
    InputError
        If the file is no run, or has none of the topics.
    """
    reader = RunReader(Input(path))
    documents = {topic: top_documents(docs, depth) for topic, docs in reader if topic in topics}
    if not documents:
        raise InputError("no topic in common with the qrels", reader.source.name)
    return Run(reader.tag, documents, reader.other_tag)


def pool_runs(
    runs: Iterable[Iterable[tuple[str, Mapping[str, float]]]], depth: int, topics: Container[str] | None = None
) -> Pool:
    """The first documents of each topic of some runs, together.

    Parameters
    ----------
    runs : iterable of iterables of (topic, docs)
        Each run, topic by topic, with its scores by docno; read once, one run after the other.
    depth : int
        How many documents of each topic a run contributes, in trec_eval's order; from 1 on.
    topics : container of str, optional
        Other topics are passed over; None: all topics of the runs.

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
        brought = {topic: top_documents(docs, depth) for topic, docs in run if topics is None or topic in topics}
        for topic, docs in brought.items():
            contributor = pool.setdefault(topic, {})
            for docno in docs:
                contributor[docno] = SEVERAL if docno in contributor else place
    return pool


def pooled_qrels(
    qrels: Mapping[str, Mapping[str, int]], pool: Mapping[str, Container[str]]
) -> dict[str, dict[str, int]]:
    """The judgments that remain when only documents of the pool are judged, in their order.

    A topic that keeps none is left out.

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
    """What a pool holds of a topic: numbers of documents.

    Parameters
    ----------
    topic : str
    size : int
        Documents of the pool.
    judged, judged_lost : int
        Documents judged (0 or more) that are in the pool, and that are not.
    relevant, relevant_lost : int
        The relevant ones of them.
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
    """What the pool holds of each topic of the qrels, topics in trec_eval's order.

    Parameters
    ----------
    qrels : mapping of topic to docno to judgment
    pool : mapping of topic to pooled docnos
        As from `pool_runs`.
    level : int
        From which judgment on a document is relevant.

    Examples
    --------
    >>> pool_report({"1": {"a": 1, "b": 0, "x": 2, "y": -1}}, {"1": {"a": 0, "b": -1, "d": 1}})
    [TopicPool(topic='1', size=3, judged=2, judged_lost=1, relevant=1, relevant_lost=1)]
    """
    return [_topic_pool(topic, qrels[topic], pool.get(topic, {}), level) for topic in sorted_topics(qrels)]


def _topic_pool(topic: str, judged: Mapping[str, int], pooled: Mapping[str, int], level: int) -> TopicPool:
    found = np.array([judged[docno] for docno in judged if docno in pooled], dtype=np.int64)
    lost = np.array([judged[docno] for docno in judged if docno not in pooled], dtype=np.int64)
    counts = [int(np.count_nonzero(part >= least)) for least in (0, level) for part in (found, lost)]
    return TopicPool(topic, len(pooled), *counts)


def unique_contributions(pool: Mapping[str, Mapping[str, int]], n_runs: int) -> Ints:
    """By run, the number of documents, over all topics, that no other run contributed.

    Parameters
    ----------
    pool : mapping
        As from `pool_runs`.
    n_runs : int
        How many runs were pooled.

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
