"""Pools: the documents that judges would have seen if runs had been pooled to a depth (Webber 2010)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

import numpy as np

from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.table import Ints
from stdeval.trec.exclusion import Exclusion
from stdeval.trec.order import Precision, at_precision, top_documents
from stdeval.trec.reading import Run, RunReader, sorted_topics

SEVERAL = -1  # in a pool: more than one run contributed the document
Pool = dict[str, dict[str, int]]  # topic to docno to the index of the only run that contributed it, or `SEVERAL`


def first_documents(
    path: str,
    depth: int,
    topics: Container[str],
    precision: Precision = "single",
    left_out: Exclusion | None = None,
) -> tuple[Run, bool]:
    """Read no more than the first documents of each topic of a run, and whether its scores rise with its ranks."""
    reader = RunReader(Input(path))
    judged = ((topic, docs) for topic, docs in reader if topic in topics)
    left = judged if left_out is None else ((topic, left_out.left(topic, docs)) for topic, docs in judged)
    documents = {topic: top_documents(at_precision(docs, precision), depth) for topic, docs in left}
    if not documents:
        raise InputError("no topic in common with the qrels", reader.source.name)
    return Run(reader.tag, documents), reader.rising > 0


def pool_runs(
    runs: Iterable[Iterable[tuple[str, Mapping[str, float]]]], depth: int, topics: Container[str] | None = None
) -> Pool:
    """Pool the first documents of each topic of several runs."""
    pool: Pool = {}
    for place, run in enumerate(runs):
        # A run that is not grouped by topic yields a topic twice; the dict keeps the later, complete entry.
        tops = {topic: top_documents(docs, depth) for topic, docs in run if topics is None or topic in topics}
        for topic, docs in tops.items():
            contributor = pool.setdefault(topic, {})
            for docno in docs:
                contributor[docno] = SEVERAL if docno in contributor else place
    return pool


def pooled_qrels(qrels: Mapping[str, Mapping[str, int]], pool: Pool) -> dict[str, dict[str, int]]:
    """Return the judgments of the documents in the pool, in the order of the qrels."""
    pools = ((judged, topic, pool.get(topic, {})) for topic, judged in qrels.items())
    kept = {topic: {doc: judged[doc] for doc in judged if doc in pooled} for judged, topic, pooled in pools}
    return {topic: judged for topic, judged in kept.items() if judged}


def pool_report(
    qrels: Mapping[str, Mapping[str, int]], pool: Pool, level: int = 1
) -> list[tuple[str, int, int, int, int, int]]:
    """Return a row per topic: the pool's size, and judged and relevant documents, in all and outside the pool."""
    rows = []
    for topic in sorted_topics(qrels):
        pooled = pool.get(topic, {})
        inside = [rel for docno, rel in qrels[topic].items() if docno in pooled]
        outside = [rel for docno, rel in qrels[topic].items() if docno not in pooled]
        counts = (sum(rel >= least for rel in part) for least in (0, level) for part in (inside, outside))
        judged, judged_lost, relevant, relevant_lost = counts
        rows.append((topic, len(pooled), judged, judged_lost, relevant, relevant_lost))
    return rows


def unique_contributions(pool: Pool, n_runs: int) -> Ints:
    """Number of documents, over all topics, that each run contributed and no other run, shape (n_runs,)."""
    alone = [place for contributor in pool.values() for place in contributor.values() if place != SEVERAL]
    return np.bincount(np.array(alone, dtype=np.int64), minlength=n_runs)
