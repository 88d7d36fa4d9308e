"""The measures that trec_eval does not have: relevance vectors in its order, and each row beside its function.

To add a measure, write a function here. It takes ``k`` if the measure can have a cutoff, ``p`` if it has a
persistence. A topic without relevant documents scores 0 by all measures but `rbp_resid` and `unj`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from stdeval.errors import InputError
from stdeval.measures.catalogue import DEFAULT_GRADE, JARVELIN, NOT_POOLED, UNJUDGED, Family, Measure
from stdeval.trec import reading

if TYPE_CHECKING:
    from stdeval.table import Floats, Ints
    from stdeval.trec.reading import Documents, Judgments, Qrels

# --- the order of documents: by score, and ties by docno, both descending, as in trec_eval ---

# the floats as which scores are compared: of 32 bits, as in trec_eval 9, or of 64 bits, as in trec_eval 10
Precision = Literal["single", "double"]


def at_precision(documents: dict[str, float], precision: Precision) -> dict[str, float]:
    """Return the documents of a topic with scores that order them, as 32-bit floats, as `precision` demands."""
    if precision == "single":
        return documents
    ascending = sorted(set(documents.values()))
    if len(set(array("f", ascending))) == len(ascending):
        return documents
    # Patterns of bits in increasing order are floats in increasing order; whole numbers are exact only up to 2^24.
    # The first is the smallest that is not subnormal: processors may treat subnormal numbers as 0.
    first = 0x00800000
    consecutive = array("f", array("I", range(first, first + len(ascending))).tobytes())
    replaced = dict(zip(ascending, consecutive, strict=True))
    return {docno: replaced[score] for docno, score in documents.items()}


def trec_order(docs: Mapping[str, float]) -> Ints:
    """Return the positions of documents in trec_eval's order."""
    docnos = list(docs)
    with np.errstate(over="ignore"):
        descending = -np.fromiter(docs.values(), dtype=np.float64, count=len(docs)).astype(np.float32)
    order = np.argsort(descending, kind="stable")
    same = descending[order[1:]] == descending[order[:-1]]
    if same.any():
        tied = np.zeros(len(order), dtype=np.bool_)
        tied[:-1] = same
        tied[1:] |= same
        # Comparing docnos is slow, so only tied documents are sorted by them. They are then sorted by score again;
        # this sort is stable, and so keeps the order of docnos among equal scores.
        by_docno = np.array(sorted(order[tied].tolist(), key=docnos.__getitem__, reverse=True))
        order[tied] = by_docno[np.argsort(descending[by_docno], kind="stable")]
    return order


def top_documents(docs: Mapping[str, float], depth: int) -> dict[str, float]:
    """Return the first documents of a topic in trec_eval's order with their scores, as trec_eval's ``-M`` does."""
    items = list(docs.items())
    return dict(items[i] for i in trec_order(docs)[:depth].tolist())


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
                raise reading.JudgmentError(
                    topic, docno, rel, f"expected at most {highest} for {name}; max={rel} takes it"
                )


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


# --- the measures ---

BURGES = "Burges et al. 2005, ICML"
MOFFAT = "Moffat & Zobel 2008, TOIS 27(1)"
WEBBER = "Webber, Moffat & Zobel 2010, EVIA"

Function = TypeVar("Function", bound=Callable[..., float])
PAPERS: list[Family] = []  # the rows, in their order of output


def _measure(
    source: str, name: str, aliases: str, definition: str, cut: str = "", **fields: Any
) -> Callable[[Function], Function]:
    """Return a decorator that adds a row for a function, and another for NAME_cut_K if that is defined, too."""

    def add(function: Function) -> Function:
        given = {"aliases": aliases, "source": source, "function": function, **fields}
        PAPERS.append(Family(name, definition, **given))
        if cut:
            PAPERS.append(Family(f"{name}_cut", cut, parameter="cutoff", **given))
        return function

    return add


_cut = partial(_measure, parameter="cutoff")
_log2 = partial(_measure, discount="log2")
_jk = partial(_measure, JARVELIN, discount="jk")
_moffat = partial(_measure, MOFFAT, parameter="persistence")
_webber = partial(_measure, WEBBER)
_sums = partial(_webber, range="0..R")
_UNJUDGED: dict[str, Any] = {"needs_nonrelevant": True, "better_higher": False}


@_sums("sp", "SP", "sum of precisions at relevant documents: map x num_rel", "sum of precisions in the first K")
def sp(topic: TopicRelevance, k: int | None = None) -> float:
    """Sum of precisions at the ranks of relevant documents."""
    return float(topic.precisions(k).sum())


@_cut(WEBBER, "amap_cut", "aAP", "sum of precisions in the first K / min(K, R)")
def amap(topic: TopicRelevance, k: int) -> float:
    """Abbreviated average precision."""
    return _ratio(sp(topic, k), min(k, topic.num_rel))


@_jk("jkdcg", "DCG(dis=jk)", "sum of gain / max(1, log2(rank))", "jkdcg of the first K", range="0..")
def jkdcg(topic: TopicRelevance, k: int | None = None) -> float:
    """DCG of Jarvelin & Kekalainen with b = 2, called DCG in the published factor files."""
    return topic.discounted(topic.gains[:k], "jk")


@_jk("njkdcg", "nDCG(dis=jk) NDCG(dis=jk)", "jkdcg / its ideal", "jkdcg / its ideal, both of the first K")
def njkdcg(topic: TopicRelevance, k: int | None = None) -> float:
    """Normalized `jkdcg`."""
    return _ratio(jkdcg(topic, k), topic.ideal_sum("jk", k))


@_cut(WEBBER, "enjkdcg_cut", "enDCG", "jkdcg of the first K / its ideal, not cut", discount="jk")
def enjkdcg(topic: TopicRelevance, k: int) -> float:
    """Expanded nDCG."""
    return _ratio(jkdcg(topic, k), topic.ideal_sum("jk"))


@_log2(BURGES, "dcg", "DCG VDCG", "sum of gain / log2(rank + 1)", "dcg of the first K", range="0..")
def dcg(topic: TopicRelevance, k: int | None = None) -> float:
    """DCG with Burges' discount, called VDCG in the published factor files."""
    return topic.discounted(topic.gains[:k], "log2")


@_moffat("rbp", "RBP", "(1 - p) x sum of p^(rank - 1) of relevant documents, or x judgment / G", discount="rbp")
def rbp(topic: TopicRelevance, p: float, k: int | None = None, max_grade: int | None = None) -> float:
    """Base of rank-biased precision."""
    return _rank_biased(topic, topic.vector[:k], p, max_grade)


def _rank_biased(topic: TopicRelevance, judgments: Ints, p: float, max_grade: int | None) -> float:
    gains = judgments >= topic.level if max_grade is None else judgments.clip(0) / max_grade
    (positions,) = gains.nonzero()
    weights = rank_weights("rbp", len(gains), p)[positions] * gains[positions]
    # By rounding alone, the weights of very many ranks could add up to more than 1.
    return min(1.0, float(weights.sum()))


@_moffat("rbp_resid", "", "weight that rbp gives to unjudged ranks, and beyond the run or the cutoff", **_UNJUDGED)
def rbp_resid(topic: TopicRelevance, p: float, k: int | None = None, max_grade: int | None = None) -> float:
    """Residual of rank-biased precision: the score that it would gain if all unknown documents were relevant."""
    seen = topic.vector[:k]
    unknown = float(rank_weights("rbp", len(seen), p)[seen < 0].sum()) + p ** len(seen)
    # By rounding alone, base and residual could add up to more than 1.
    return min(unknown, 1.0 - rbp(topic, p, k, max_grade))


@_webber("nrbp", "nRBP", "rbp / its ideal", parameter="persistence", discount="rbp")
def nrbp(topic: TopicRelevance, p: float, k: int | None = None, max_grade: int | None = None) -> float:
    """Rank-biased precision over that of the best possible ranking, cut at the same k."""
    return _ratio(rbp(topic, p, k, max_grade), _rank_biased(topic, topic.ideal[:k], p, max_grade))


@_cut("trec_eval 10", "unj", "Unj", "share of unjudged documents in the first K", has_level=False, **_UNJUDGED)
def unj(topic: TopicRelevance, k: int) -> float:
    """Share of unjudged documents, as in trec_eval 10."""
    first = topic.vector[:k]
    return int((first < 0).sum()) / k if len(first) else 1.0


@_measure(
    "ir_measures",
    "judged",
    "Judged",
    "share of judged documents in the first K, or in the whole run",
    parameter="optional cutoff",
    needs_nonrelevant=True,
    has_level=False,
)
def judged(topic: TopicRelevance, k: int | None = None) -> float:
    """Share of judged documents among those retrieved, as in ir_measures."""
    seen = topic.vector[:k]
    return int((seen != NOT_POOLED).sum()) / max(len(seen), 1)


@_cut("MS MARCO", "recip_rank_cut", "RR MRR", "recip_rank of the first K: 0 if none of them is relevant")
def recip_rank_cut(topic: TopicRelevance, k: int) -> float:
    """Reciprocal rank, cut at k."""
    ranks = topic.relevant_ranks(k)
    return 1 / int(ranks[0]) if len(ranks) else 0.0


@_measure(
    "Chapelle et al. 2009, CIKM; gdeval",
    "err",
    "ERR",
    "expected 1 / rank of the document at which the reader stops; G is the highest grade, 4 unless given",
    parameter="graded",
    has_level=False,
)
def err(topic: TopicRelevance, k: int | None = None, max_grade: int = DEFAULT_GRADE) -> float:
    """Expected reciprocal rank by gdeval's formula."""
    grades = topic.vector[:k]
    (positions,) = (grades > 0).nonzero()
    ends = 2.0 ** (grades[positions] - max_grade) - 2.0**-max_grade
    stops = ends.copy()
    stops[1:] *= (1 - ends).cumprod()[:-1]
    return float((stops / (positions + 1)).sum())


_exp = partial(_log2, aliases="nDCG(dcg=exp-log2) NDCG(dcg=exp-log2)")


# The lower row comes first.
@_exp(f"{BURGES}; gdeval", "ndcg_exp_cut", definition="ndcg_exp of the first K", parameter="cutoff")
@_exp(BURGES, "ndcg_exp", definition="DCG with gain 2^judgment - 1 / its ideal, discount log2(rank + 1)")
def ndcg_exp(topic: TopicRelevance, k: int | None = None) -> float:
    """NDCG of Burges et al. with gains 2^judgment - 1."""
    # Gains are relative to 2^(the highest gain): a quotient of sums then cannot overflow.
    highest = topic.ideal_gains.max(initial=0.0)

    def dcg_of(gains: Floats) -> float:
        return topic.discounted(2.0 ** (gains[:k] - highest) - 2.0**-highest, "log2")

    return _ratio(dcg_of(topic.gains), dcg_of(topic.ideal_gains))


def _ratio(score: float, ideal: float) -> float:
    """Return a normalized score; 0 if there is no relevant document, as in trec_eval."""
    return score / ideal if ideal else 0.0
