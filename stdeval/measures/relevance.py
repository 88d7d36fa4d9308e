"""Relevance vectors: the judgments of one topic's documents in the order in which trec_eval ranks them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import repeat

import numpy as np

from stdeval.errors import InputError
from stdeval.measures.catalogue import NOT_POOLED, UNJUDGED, Measure
from stdeval.table import Floats, Ints
from stdeval.trec.order import trec_order
from stdeval.trec.reading import Documents, JudgmentError, Judgments, Qrels

# --- the weights of ranks ---


def rank_weights(discount: str, depth: int, p: float = 0.0) -> Floats:
    """Weights of the ranks 1 to `depth`, shape (depth,), read-only.

    The discount is ``log2`` (Burges: 1 / log2(rank + 1), which trec_eval's ndcg has too), ``jk`` (Jarvelin &
    Kekalainen with b = 2: 1 / max(1, log2(rank))) or ``rbp`` (equation 6 of Webber et al.: (1 - p) p^(rank - 1)).
    """
    # to the next power of two, so that a few cached vectors serve runs of any length
    return _cached_weights(discount, 1 << max(depth - 1, 0).bit_length(), p)[:depth]


@lru_cache(maxsize=48)
def _cached_weights(discount: str, depth: int, p: float) -> Floats:
    ranks = np.arange(1, depth + 1, dtype=np.float64)
    logs = np.log2(ranks + 1 if discount == "log2" else np.maximum(2, ranks))
    weights: Floats = (1 - p) * p ** (ranks - 1) if discount == "rbp" else 1.0 / logs
    weights.flags.writeable = False
    return weights


def weights_of(measure: Measure, depth: int) -> Floats:
    """Weight of a relevant document at each rank by a measure, before normalization, shape (depth,)."""
    discount = measure.family.discount
    if not discount:
        found = f"measure '{measure.name}' has no weights by rank alone"
        raise InputError(f"{found}, expected one of the DCG family, rbp or nrbp")
    weights = rank_weights(discount, depth, measure.persistence or 0.0)
    return np.asarray(np.where(np.arange(depth) < (measure.cutoff or depth), weights, 0.0))


def weight_shares(weights: Floats, ranges: Sequence[tuple[int, int]]) -> Floats:
    """Share of the weight that lies in each range of ranks."""
    for first, last in ranges:
        if not 1 <= first <= last <= len(weights):
            raise InputError(f"ranks {first}-{last}, expected a range within 1-{len(weights)}")
    return np.asarray(np.array([weights[first - 1 : last].sum() for first, last in ranges]) / weights.sum())


# --- the relevance of documents ---


def relevance_vector(
    docs: Mapping[str, float], judged: Mapping[str, int], *, judged_only: bool = False, ordered: bool = False
) -> Ints:
    """Return the judgments of one topic's documents, in trec_eval's order."""
    levels = np.fromiter(map(judged.get, docs, repeat(NOT_POOLED)), dtype=np.int64, count=len(docs))
    # A document without a judgment and one judged -1 look alike so far. Few qrels have negative judgments, so the
    # documents are looked up a second time only in those.
    if (levels < 0).any() and min(judged.values(), default=0) < 0:
        pooled = np.fromiter(map(judged.__contains__, docs), dtype=np.bool_, count=len(docs))
        levels[(levels < 0) & pooled] = UNJUDGED
    ranked = levels if ordered else levels[trec_order(docs)]
    return ranked[ranked >= 0] if judged_only else ranked


def relstring(vector: Ints, length: int) -> str:
    """Return the judgments of the first documents, one character each, as trec_eval prints them."""
    characters = {NOT_POOLED: "-", UNJUDGED: "."}
    return "".join(characters.get(rel, str(rel) if rel <= 9 else ">") for rel in vector[:length].tolist())


Sums = dict[tuple[str, int | None], float]  # by discount and cutoff


@dataclass(frozen=True, eq=False)
class TopicRelevance:
    """The relevance of the documents retrieved for a topic; made once, and used by all measures."""

    vector: Ints
    judged: Ints
    level: int = 1
    binary: bool = False
    ideal_sums: Sums = field(default_factory=dict)

    weights = staticmethod(rank_weights)

    def relevant_ranks(self, k: int | None = None) -> Ints:
        """Return the ranks of the relevant documents to rank k."""
        return np.flatnonzero(self.vector[:k] >= self.level) + 1

    def precisions(self, k: int | None = None) -> Floats:
        """Return the precision at the rank of each relevant document to rank k."""
        ranks = self.relevant_ranks(k)
        return np.asarray(np.arange(1, len(ranks) + 1) / ranks)

    @cached_property
    def num_rel(self) -> int:
        """R, the number of documents that are known to be relevant."""
        return int(np.count_nonzero(self.judged >= self.level))

    @cached_property
    def ideal(self) -> Ints:
        """The judgments of all documents of the topic, highest first."""
        return np.sort(self.judged)[::-1]

    @cached_property
    def gains(self) -> Floats:
        """Gains by rank, shape (n_retrieved,)."""
        return self._gains_of(self.vector)

    @cached_property
    def ideal_gains(self) -> Floats:
        """The gains above 0 of all documents of the topic, highest first, shape (n_gains,)."""
        gains = self._gains_of(self.ideal)
        return gains[gains > 0]

    def _gains_of(self, judgments: Ints) -> Floats:
        if self.binary:
            return (judgments >= self.level).astype(np.float64)
        return np.maximum(judgments, 0).astype(np.float64)

    @staticmethod
    def discounted(gains: Floats, discount: str) -> float:
        """Return the sum of gains by rank, each times the discount of its rank."""
        # Only gains above 0 are added: a perfect run then adds exactly the terms of its ideal, in the same order,
        # and no normalized score exceeds 1 by rounding.
        positions = np.flatnonzero(gains)
        return float((gains[positions] * rank_weights(discount, len(gains))[positions]).sum())

    def ideal_sum(self, discount: str, k: int | None = None) -> float:
        """Return the discounted sum of the ideal ranking to rank k; computed once for all runs."""
        if (discount, k) not in self.ideal_sums:
            self.ideal_sums[discount, k] = self.discounted(self.ideal_gains[:k], discount)
        return self.ideal_sums[discount, k]


# --- scores ---


def check_grades(qrels: Qrels, measures: Iterable[Measure]) -> None:
    """Refuse judgments above the highest grade of a measure, whose gain would be above 1."""
    highest, name = min(((each.max_grade, each.name) for each in measures if each.max_grade), default=(0, ""))
    for topic, judgments in qrels.items() if highest else ():
        for docno, rel in judgments.items():
            if rel > highest:
                raise JudgmentError(topic, docno, rel, f"expected at most {highest} for {name}; max={rel} takes it")


class VectorScorer:
    """Scores topics by the measures that pytrec_eval does not compute."""

    def __init__(
        self, qrels: Qrels, measures: Sequence[Measure], *, level: int, binary: bool, judged_only: bool
    ) -> None:
        check_grades(qrels, measures)
        self._qrels, self._binary, self._judged_only = qrels, binary, judged_only
        self._functions = []
        for place, measure in enumerate(measures):
            if measure.family.function is not None:
                given = {"p": measure.persistence, "k": measure.cutoff, "max_grade": measure.max_grade}
                known = {name: value for name, value in given.items() if value is not None}
                self._functions.append((place, measure.level or level, partial(measure.family.function, **known)))
        self._relstrings = [measure for measure in measures if measure.family.name == "relstring"]
        own = (measure.family for measure in measures if measure.family.needs_vector)
        self._needs_nonrelevant = judged_only or any(family.needs_nonrelevant for family in own)
        self._positive: dict[str, Judgments] = {}
        self._ideal_sums: dict[tuple[str, int], Sums] = {}

    def score(
        self, topic: str, documents: Documents, ordered: bool = False
    ) -> tuple[list[tuple[int, float]], list[tuple[str, str]]]:
        """Return the scores of the documents that a run retrieved for a topic by place, and texts by measure."""
        if topic not in self._positive:
            # They are few, so looking up documents in them is fast.
            self._positive[topic] = {docno: rel for docno, rel in self._qrels[topic].items() if rel > 0}
        positive = self._positive[topic]
        judged = self._qrels[topic] if self._needs_nonrelevant else positive
        vector = relevance_vector(documents, judged, judged_only=self._judged_only, ordered=ordered)
        judgments = np.array(list(positive.values()), dtype=np.int64)
        # One object per level, because it caches the values that all measures with this level use.
        relevances: dict[int, TopicRelevance] = {}
        scores = []
        for place, level, function in self._functions:
            if level not in relevances:
                sums = self._ideal_sums.setdefault((topic, level), {})
                relevances[level] = TopicRelevance(vector, judgments, level, self._binary, sums)
            scores.append((place, float(function(relevances[level]))))
        return scores, [(each.name, relstring(vector, each.cutoff or 10)) for each in self._relstrings]


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
