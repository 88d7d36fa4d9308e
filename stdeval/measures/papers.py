"""The measures of the papers that trec_eval does not have, each a short function of one topic's relevance vector.

In the examples the ranking is R = (1, 0, 2, -1, 1): relevance levels at the ranks 1 to 5, the fourth document
unjudged; four documents are relevant, one of level 2 and three of level 1, so the ideal gains are (2, 1, 1, 1).
A topic without relevant documents scores 0 by all measures but `rbp_resid` and `unj`. ``k`` cuts the run after k
documents. A ``k`` less than 1 raises `InputError`, and so does a ``p`` outside [0, 1).

References
----------
W. Webber, A. Moffat, J. Zobel. The effect of pooling and evaluation depth on metric stability. EVIA 2010,
sections 3.1 and 4.2.

A. Moffat, J. Zobel. Rank-biased precision for measurement of retrieval effectiveness. TOIS 27(1), 2008.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial

import numpy as np

from stdeval.errors import InputError
from stdeval.measures.catalogue import DEFAULT_GRADE, FAMILIES, TREC_EVAL, Measure
from stdeval.measures.relevance import (
    NOT_POOLED,
    Discount,
    TopicRelevance,
    discounted,
    first_ranks,
    positions_before,
    relevance_vector,
    relstring,
)
from stdeval.table import Floats, Ints
from stdeval.trec.reading import Documents, JudgmentError, Judgments, Qrels


def dcg_weights(depth: int) -> Floats:
    """Burges' discount, 1 / log2(rank + 1), of the ranks 1 to depth; trec_eval's ndcg has it too."""
    return _dcg_weights(_padded(depth))[:depth]


def jkdcg_weights(depth: int) -> Floats:
    """Discount of Jarvelin & Kekalainen with b = 2, 1 / max(1, log2(rank)), of the ranks 1 to depth."""
    return _jkdcg_weights(_padded(depth))[:depth]


def rbp_weights(depth: int, p: float) -> Floats:
    """Weights of rank-biased precision, (1 - p) p^(rank - 1), of the ranks 1 to depth: equation 6."""
    return _rbp_weights(_padded(depth), p)[:depth]


_DISCOUNTS: dict[str, Callable[..., Floats]] = {"jk": jkdcg_weights, "log2": dcg_weights, "rbp": rbp_weights}
"""The functions of discounts in the table of measures."""


def rank_weights(measure: Measure, depth: int) -> Floats:
    """Weight of a relevant document at each rank by a measure, before normalization."""
    weights = _DISCOUNTS.get(measure.family.discount)
    if weights is None:
        families = [family for discount in _DISCOUNTS for family in FAMILIES if family.discount == discount]
        known = dict.fromkeys(family.name.removesuffix("_cut") for family in families)
        found = f"measure '{measure.name}' has no weights by rank alone"
        raise InputError(f"{found}, expected one of: {', '.join(known)}")
    p = () if measure.persistence is None else (measure.persistence,)
    up_to_cutoff: Floats = np.where(np.arange(depth) < (measure.cutoff or depth), weights(depth, *p), 0.0)
    return up_to_cutoff


def weight_shares(weights: Floats, ranges: Sequence[tuple[int, int]]) -> Floats:
    """Share of the weight that lies in each range of ranks."""
    for first, last in ranges:
        if not 1 <= first <= last <= len(weights):
            raise InputError(f"ranks {first}-{last}, expected a range within 1-{len(weights)}")
    shares: Floats = np.array([weights[first - 1 : last].sum() for first, last in ranges]) / weights.sum()
    return shares


def _padded(depth: int) -> int:
    """Return the next power of two, so that a few cached vectors serve runs of any length."""
    return 1 << max(depth - 1, 0).bit_length()


@lru_cache(maxsize=8)
def _dcg_weights(depth: int) -> Floats:
    return _read_only(1.0 / np.log2(np.arange(2, depth + 2)))


@lru_cache(maxsize=8)
def _jkdcg_weights(depth: int) -> Floats:
    return _read_only(1.0 / np.log2(np.maximum(2, np.arange(1, depth + 1))))


@lru_cache(maxsize=32)
def _rbp_weights(depth: int, p: float) -> Floats:
    if not 0 <= p < 1:
        raise InputError(f"persistence p={p:g}, expected a number of at least 0 and below 1")
    weights: Floats = (1 - p) * p ** np.arange(depth, dtype=np.float64)
    return _read_only(weights)


def _read_only(weights: Floats) -> Floats:
    weights.flags.writeable = False
    return weights


def sp(topic: TopicRelevance, k: int | None = None) -> float:
    """Sum of precisions: P@i summed over the ranks i of relevant documents."""
    ranks = _relevant_positions(topic, k) + 1
    return float((np.arange(1, len(ranks) + 1) / ranks).sum())


def amap(topic: TopicRelevance, k: int) -> float:
    """Abbreviated average precision, aAP@k: the sum of precisions to rank k over min(k, R)."""
    return _ratio(sp(topic, k), min(k, topic.num_rel))


def dcg(topic: TopicRelevance, k: int | None = None) -> float:
    """Discounted cumulative gain with Burges' discount, called VDCG in the published factor files."""
    return topic.discounted_sum(dcg_weights, k)


def jkdcg(topic: TopicRelevance, k: int | None = None) -> float:
    """Discounted cumulative gain of Jarvelin & Kekalainen with b = 2, called DCG in the published factor files."""
    return topic.discounted_sum(jkdcg_weights, k)


def njkdcg(topic: TopicRelevance, k: int | None = None) -> float:
    """Normalized `jkdcg`: divided by the one of the ideal ranking, cut at the same k; in [0, 1]. Graded."""
    return _ratio(jkdcg(topic, k), topic.ideal_sum(jkdcg_weights, k))


def enjkdcg(topic: TopicRelevance, k: int) -> float:
    """Expanded nDCG, enDCG@k: `jkdcg` to rank k over the ideal of all relevant documents."""
    return _ratio(jkdcg(topic, k), topic.ideal_sum(jkdcg_weights))


def ndcg_exp(topic: TopicRelevance, k: int | None = None) -> float:
    """DCG of Burges et al. with gains 2^judgment - 1, divided by its ideal, cut at the same k."""
    both = (_exponential(first_ranks(gains, k), topic.ideal_gains) for gains in (topic.gains, topic.ideal_gains))
    score, ideal = (discounted(gains, np.flatnonzero(gains), dcg_weights) for gains in both)
    return _ratio(score, ideal)


def rbp(topic: TopicRelevance, p: float, k: int | None = None) -> float:
    """Base of rank-biased precision: (1 - p) times the sum of r_i p^(i - 1); in [0, 1]."""
    weights = rbp_weights(len(first_ranks(topic.relevant, k)), p)
    # By rounding alone, the weights of very many ranks could add up to more than 1.
    return min(1.0, float(weights[_relevant_positions(topic, k)].sum()))


def rbp_resid(topic: TopicRelevance, p: float, k: int | None = None) -> float:
    """Residual of rank-biased precision: the score that it would gain if all unknown documents were relevant."""
    seen = first_ranks(topic.vector, k)
    unknown = float(rbp_weights(len(seen), p)[seen < 0].sum()) + p ** len(seen)
    # By rounding alone, base and residual could add up to more than 1.
    return min(unknown, 1.0 - rbp(topic, p, k))


def nrbp(topic: TopicRelevance, p: float, k: int | None = None) -> float:
    """Normalized `rbp`: divided by the one of R relevant documents at the top, cut at the same k; in [0, 1]."""
    n = topic.num_rel if k is None else min(topic.num_rel, k)
    return _ratio(rbp(topic, p, k), float(rbp_weights(n, p).sum()))


def unj(topic: TopicRelevance, k: int) -> float:
    """Share of unjudged documents among the first k ranks, as in trec_eval 10; in [0, 1]."""
    first = first_ranks(topic.vector, k)
    return int(np.count_nonzero(first < 0)) / k if len(first) else 1.0


def _relevant_positions(topic: TopicRelevance, k: int | None) -> Ints:
    """Return the positions, counted from 0, of the relevant documents to rank k."""
    first_ranks(topic.relevant, k)  # refuses k below 1
    return positions_before(topic.relevant_positions, k)


def _exponential(gains: Floats, ideal_gains: Floats) -> Floats:
    """Return 2^gain - 1, relative to 2^(the highest gain): a quotient of sums then cannot overflow."""
    highest = ideal_gains.max(initial=0.0)
    relative: Floats = 2.0 ** (gains - highest) - 2.0**-highest
    return relative


def _ratio(score: float, ideal: float) -> float:
    """Normalized score; 0 if there is no relevant document, as in trec_eval."""
    return score / ideal if ideal else 0.0


def judged(topic: TopicRelevance, k: int | None = None) -> float:
    """Share of judged documents among the documents retrieved to rank k, as in ir_measures; in [0, 1]."""
    seen = first_ranks(topic.vector, k)
    return int(np.count_nonzero(seen != NOT_POOLED)) / max(len(seen), 1)


def recip_rank_cut(topic: TopicRelevance, k: int) -> float:
    """Reciprocal rank of the first relevant document, if it is at rank k or above, otherwise 0. Binary."""
    ranks = np.flatnonzero(first_ranks(topic.relevant, k)) + 1
    return 1 / int(ranks[0]) if len(ranks) else 0.0


def err(topic: TopicRelevance, k: int | None = None, max_grade: int = DEFAULT_GRADE) -> float:
    """Expected reciprocal rank by gdeval's formula: the mean of 1 / rank at which the reader stops."""
    grades = first_ranks(topic.vector, k)
    ranks = np.flatnonzero(grades > 0)
    stops = 2.0 ** (grades[ranks] - max_grade) - 2.0**-max_grade
    arrives = np.concatenate(([1.0], np.cumprod(1 - stops)[:-1]))
    return float((stops * arrives[: len(ranks)] / (ranks + 1)).sum())


def check_grades(qrels: Qrels, measures: Iterable[Measure]) -> None:
    """Refuse judgments above the highest grade of a measure, for which `err` has no probability."""
    max_grade = min((measure.max_grade for measure in measures if measure.family.has_grades), default=None)
    if max_grade is None:
        return
    for topic, judgments in qrels.items():
        for docno, rel in judgments.items():
            if rel > max_grade:
                raise JudgmentError(topic, docno, rel, f"expected at most {max_grade}; err_max={rel} takes it")


FUNCTIONS: dict[str, Callable[..., float]] = {
    family.provider: globals()[family.provider]
    for family in FAMILIES
    if family.provider not in {TREC_EVAL, "relstring"}
}
"""The functions by name; the table of measures has this name as the provider of a measure.

Each takes a `TopicRelevance`, and p and k as keyword arguments if the measure has them, see `keyword_arguments`.
"""

_RELSTRING_LENGTH = 10


def keyword_arguments(measure: Measure) -> dict[str, float]:
    """Return the keyword arguments of a measure's function: p, k and the highest grade, if it has them."""
    grade = measure.max_grade if measure.family.has_grades else None
    given = {"p": measure.persistence, "k": measure.cutoff, "max_grade": grade}
    return {name: value for name, value in given.items() if value is not None}


class VectorScorer:
    """Scores topics by the measures that pytrec_eval does not compute."""

    def __init__(
        self, qrels: Qrels, measures: Sequence[Measure], *, level: int, binary: bool, judged_only: bool
    ) -> None:
        check_grades(qrels, measures)
        self._qrels = qrels
        self._binary, self._judged_only = binary, judged_only
        self._functions: list[tuple[int, int, Callable[[TopicRelevance], float]]] = [
            (i, m.level or level, partial(FUNCTIONS[m.family.provider], **keyword_arguments(m)))
            for i, m in enumerate(measures)
            if m.family.provider in FUNCTIONS
        ]
        self._relstrings = [m for m in measures if m.family.provider == "relstring"]
        self._needs_nonrelevant = judged_only or any(
            m.family.needs_nonrelevant for m in measures if m.family.provider != "trec_eval"
        )
        self._positive: dict[str, Judgments] = {}
        self._ideal_sums: dict[tuple[str, int], dict[tuple[Discount, int | None], float]] = {}

    def score(
        self, topic: str, documents: Documents, ordered: bool = False
    ) -> tuple[list[tuple[int, float]], list[tuple[str, str]]]:
        """Score the documents that a run retrieved for a topic."""
        positive = self._positive_of(topic)
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
        return scores, [(m.name, relstring(vector, m.cutoff or _RELSTRING_LENGTH)) for m in self._relstrings]

    def _positive_of(self, topic: str) -> Judgments:
        """Return the judgments above 0; they are few, so looking up documents in them is fast."""
        if topic not in self._positive:
            self._positive[topic] = {docno: rel for docno, rel in self._qrels[topic].items() if rel > 0}
        return self._positive[topic]
