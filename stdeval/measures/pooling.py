"""Pools of runs to a depth (Webber 2010), and documents of runs without a judgment (Moffat & Zobel 2008)."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping

import numpy as np

from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.measures.catalogue import Measure
from stdeval.measures.papers import Precision, at_precision, rank_weights, top_documents
from stdeval.noise import decimals, rounded
from stdeval.table import Bools, Floats, Ints
from stdeval.trec.exclusion import Exclusion
from stdeval.trec.reading import Qrels, Run, RunReader, sorted_topics

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


# --- the weight that two runs both give to unjudged documents by rank-biased precision ---


def residual_measure(measure: Measure) -> str:
    """Return the name of the residual of a measure of rank-biased precision."""
    return measure.name.replace("rbp", "rbp_resid", 1)


def needed_depth(measure: Measure) -> int:
    """Return the number of ranks of a run that matter for a measure of rank-biased precision."""
    p = measure.persistence or 0.0
    # All deeper ranks together have too little weight to change a score in [0, 1].
    depth = math.ceil(math.log(1e-16) / math.log(p)) if p else 1
    return depth if measure.cutoff is None else min(depth, measure.cutoff)


class UnjudgedDocuments:
    """The unjudged documents of many runs, with their ranks (Moffat & Zobel, TOIS 2008).

    A document without a judgment, or with a negative one, may be relevant or not. If both runs retrieve it, it is
    relevant for both or for neither, and so can change their difference only by the difference of its weights.
    """

    def __init__(self, qrels: Qrels) -> None:
        self._qrels = qrels
        self._numbers: dict[str, dict[str, int]] = {topic: {} for topic in qrels}
        self._runs: list[dict[str, Ints]] = []

    def add(self, documents: Mapping[str, Iterable[str]]) -> None:
        """Add a run: for each topic, the numbers of its unjudged documents, and their ranks from 0 on."""
        run = {}
        for topic, docnos in documents.items():
            judgments, numbers = self._qrels[topic], self._numbers[topic]
            unjudged = ((rank, docno) for rank, docno in enumerate(docnos) if judgments.get(docno, -1) < 0)
            found = [(numbers.setdefault(docno, len(numbers)), rank) for rank, docno in unjudged]
            run[topic] = np.array(found, dtype=np.int64).reshape(-1, 2).T
        self._runs.append(run)

    def shared_weights(self, measure: Measure) -> Floats:
        """Return the weight that two runs both give to unjudged documents, added over topics."""
        shared = np.zeros((len(self._runs), len(self._runs)))
        for topic, numbers in self._numbers.items():
            having = [i for i, run in enumerate(self._runs) if topic in run]
            if not having or not numbers:
                continue
            runs = np.repeat(having, [self._runs[i][topic].shape[1] for i in having])
            documents, ranks = np.concatenate([self._runs[i][topic] for i in having], axis=1)
            depth = int(ranks.max()) + 1
            weights = rank_weights("rbp", depth, measure.persistence or 0.0)[ranks]
            weights[ranks >= (measure.cutoff or depth)] = 0
            for i in having:
                own = np.zeros(len(numbers))
                own[documents[runs == i]] = weights[runs == i]
                shared[i] += np.bincount(runs, np.minimum(own[documents], weights), minlength=len(shared))
        return shared


def residual_bounds(
    scores: Floats, residuals: Floats, shared: Floats, first: Ints, second: Ints
) -> tuple[Floats, Floats]:
    """Return the least and the greatest mean difference that two runs can have, whatever unjudged documents are.

    The difference is greatest if the unjudged documents to which the first run gives more weight than the second
    are relevant, all documents beyond the end of the first run too, and no others. The first run then gains its
    residual, without the weight that both runs give to the same documents, ``shared``. Documents beyond the end of
    a run are taken as unknown to the other run. The bounds, shape (n_pairs,), are over the topics that both systems
    of a pair have; NaN where there are none.
    """
    present = (~np.isnan(scores)).astype(np.float64)
    n = (present @ present.T)[first, second]
    # Entry i, j of a product is the sum of i's values over the topics that j has as well.
    known, unknown = (np.nan_to_num(values) @ present.T for values in (scores, residuals))
    difference = (known - known.T)[first, second]
    gain = np.maximum(unknown - shared, 0.0)
    with np.errstate(invalid="ignore"):
        low, high = (difference - gain[second, first]) / n, (difference + gain[first, second]) / n
    return low, high


def is_decided(low: Floats, high: Floats) -> Bools:
    """Return True where bounds from `residual_bounds` have the same sign, or are both 0; NaN is not decided."""
    # Bounds are sums of scores in [0, 1], and noise is relative to these, not to the bounds.
    places = decimals(1.0)
    return np.asarray(np.sign(rounded(low, places)) == np.sign(rounded(high, places)))
