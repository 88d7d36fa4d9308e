"""The papers' measures that trec_eval lacks: each a short function of one topic's relevance vector.

In the examples the ranking is R = (1, 0, 2, -1, 1): relevance levels at the ranks 1 to 5, the fourth document
not judged; four documents are relevant, one of level 2 and three of level 1, so the ideal gains are (2, 1, 1, 1).
A topic without relevant documents scores 0 by all of them but `rbp_resid` and `unj`. ``k`` cuts the run after that
many documents; less than 1 is an `InputError`, and so is a ``p`` outside [0, 1).

References
----------
W. Webber, A. Moffat, J. Zobel. The effect of pooling and evaluation depth on metric stability. EVIA 2010,
sections 3.1 and 4.2.

A. Moffat, J. Zobel. Rank-biased precision for measurement of retrieval effectiveness. TOIS 27(1), 2008.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from stdeval.errors import InputError
from stdeval.measures.names import Measure
from stdeval.measures.relevance import NOT_POOLED, UNJUDGED, relevance_vector
from stdeval.measures.weights import dcg_weights, jkdcg_weights, rbp_weights
from stdeval.table import Bools, Floats, Ints
from stdeval.trec import Documents, Judgments, Qrels

Array = TypeVar("Array", Bools, Floats, Ints)


@dataclass(frozen=True, eq=False)
class TopicRelevance:
    """What a run retrieved for a topic, and what there was to retrieve; made once, for all measures.

    Parameters
    ----------
    vector : ndarray of int, shape (n_retrieved,)
        Judgments by rank, see `stdeval.measures.relevance.relevance_vector`; negative is unjudged.
    judged : ndarray of int, shape (n_judged,)
        The judgments of the topic, in any order; those above 0 are enough.
    level : int
        From which judgment on a document is relevant; at least 1.
    binary : bool
        Whether the gain of a relevant document is 1, at that level; else gains are the judgments, at any level,
        as for trec_eval's ndcg.
    """

    vector: Ints
    judged: Ints
    level: int = 1
    binary: bool = False

    @cached_property
    def relevant(self) -> Bools:
        """By rank, whether the document is relevant: r_i of the papers, shape (n_retrieved,)."""
        return self.vector >= self.level

    @cached_property
    def num_rel(self) -> int:
        """R, the number of relevant documents that are known."""
        return int(np.count_nonzero(self.judged >= self.level))

    @cached_property
    def gains(self) -> Floats:
        """Gains by rank, shape (n_retrieved,)."""
        return self._gains_of(self.vector)

    @cached_property
    def ideal_gains(self) -> Floats:
        """The gains of all documents that have one, highest first."""
        gains = self._gains_of(self.judged)
        return np.sort(gains[gains > 0])[::-1]

    def _gains_of(self, judgments: Ints) -> Floats:
        if self.binary:
            return (judgments >= self.level).astype(np.float64)
        return np.maximum(judgments, 0).astype(np.float64)


def sp(topic: TopicRelevance, k: int | None = None) -> float:
    """Sum of precisions: P@i summed over the ranks i of relevant documents.

    Average precision, equation 3, times R; in [0, R]. Binary.

    Examples
    --------
    r = (1, 0, 1, 0, 1): 1/1 + 2/3 + 3/5 = 34/15.

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(sp(topic), 4)
    2.2667
    """
    ranks = np.flatnonzero(_top(topic.relevant, k)) + 1
    return float((np.arange(1, len(ranks) + 1) / ranks).sum())


def amap(topic: TopicRelevance, k: int) -> float:
    """Abbreviated average precision, aAP@k: the sum of precisions to rank k over min(k, R).

    Equation 4; in [0, 1], 1 where the first min(k, R) documents are relevant. Binary. trec_eval's map_cut
    divides by R.

    Examples
    --------
    k = 3, R = 4: (1/1 + 2/3) / min(3, 4) = 5/9.

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(amap(topic, 3), 4)
    0.5556
    """
    return _ratio(sp(topic, k), min(k, topic.num_rel))


def dcg(topic: TopicRelevance, k: int | None = None) -> float:
    """Discounted cumulative gain with Burges' discount, the published factor files' VDCG.

    The sum of gain / log2(rank + 1), from 0 on; over its ideal it is trec_eval's ndcg. Graded.

    Examples
    --------
    1/log2(2) + 2/log2(4) + 1/log2(6) = 1 + 1 + 0.3869.

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(dcg(topic), 4)
    2.3869
    """
    return _discounted(_top(topic.gains, k), dcg_weights)


def jkdcg(topic: TopicRelevance, k: int | None = None) -> float:
    """Discounted cumulative gain of Jarvelin & Kekalainen with b = 2, the published factor files' DCG.

    The sum of gain / max(1, log2(rank)), equation 5; from 0 on. Graded.

    Examples
    --------
    1 + 2/log2(3) + 1/log2(5) = 1 + 1.2619 + 0.4307.

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(jkdcg(topic), 4)
    2.6925
    """
    return _discounted(_top(topic.gains, k), jkdcg_weights)


def njkdcg(topic: TopicRelevance, k: int | None = None) -> float:
    """`jkdcg` over that of the ideal ranking, which is cut at k as the run is; in [0, 1]. Graded.

    Examples
    --------
    The ideal is 2 + 1 + 1/log2(3) + 1/log2(4) = 4.1309 and 2 + 1 to rank 2:

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(njkdcg(topic), 4), round(njkdcg(topic, 2), 4)
    (0.6518, 0.3333)
    """
    return _ratio(jkdcg(topic, k), _discounted(_top(topic.ideal_gains, k), jkdcg_weights))


def enjkdcg(topic: TopicRelevance, k: int) -> float:
    """Expanded nDCG, enDCG@k: `jkdcg` to rank k over the ideal of all relevant documents; in [0, 1]. Graded.

    Sections 3.1 and 4.2.

    Examples
    --------
    To rank 2 the run has 1, the ideal to its end 4.1309:

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(enjkdcg(topic, 2), 4)
    0.2421
    """
    return _ratio(jkdcg(topic, k), _discounted(topic.ideal_gains, jkdcg_weights))


def rbp(topic: TopicRelevance, p: float, k: int | None = None) -> float:
    """Rank-biased precision, its base: (1 - p) times the sum of r_i p^(i - 1); in [0, 1].

    Equation 6. Binary, whatever the gains.

    Examples
    --------
    0.5 (1 + 0.5^2 + 0.5^4) = 0.65625:

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> rbp(topic, 0.5)
    0.65625
    """
    return _weight_of(_top(topic.relevant, k), p)


def rbp_resid(topic: TopicRelevance, p: float, k: int | None = None) -> float:
    """Residual of rank-biased precision: what it could gain if all that is unknown were relevant.

    The weight of the ranks whose documents are not judged, plus p^n, that of all ranks beyond the n documents
    of the run (or the first k of them). In [0, 1]; base and residual together are never above 1. trec_eval 10
    has the same, save that it prints 0 where all documents retrieved are judged.

    Examples
    --------
    The fourth document and what follows the fifth: 0.5 0.5^3 + 0.5^5 = 0.09375. To rank 2 all are judged: 0.5^2.

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> rbp_resid(topic, 0.5), rbp_resid(topic, 0.5, 2)
    (0.09375, 0.25)
    """
    seen = _top(topic.vector, k)
    unknown = _weight_of(seen < 0, p) + p ** len(seen)
    # Rounding alone could lift the sum above 1.
    return min(unknown, 1.0 - rbp(topic, p, k))


def nrbp(topic: TopicRelevance, p: float, k: int | None = None) -> float:
    """`rbp` over that of the ideal ranking: R relevant documents on top, cut at k as the run is; in [0, 1].

    Examples
    --------
    0.65625 over the ideal 1 - 0.5^4 = 0.9375; to rank 2, 0.5 over 1 - 0.5^2:

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(nrbp(topic, 0.5), 4), round(nrbp(topic, 0.5, 2), 4)
    (0.7, 0.6667)
    """
    return _ratio(rbp(topic, p, k), _weight_of(_top(np.ones(topic.num_rel, dtype=np.bool_), k), p))


def unj(topic: TopicRelevance, k: int) -> float:
    """The share of unjudged documents among the first k ranks, trec_eval 10's measure; in [0, 1].

    Where fewer documents are retrieved, the missing ones count as judged.

    Examples
    --------
    One of the first four documents is not judged:

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> unj(topic, 4), unj(topic, 10)
    (0.25, 0.1)
    """
    return int(np.count_nonzero(_top(topic.vector, k) < 0)) / k


def _top(by_rank: Array, k: int | None) -> Array:
    if k is not None and k < 1:
        raise InputError(f"cutoff {k}, expected at least 1")
    return by_rank[:k]


def _discounted(gains: Floats, weights: Callable[[int], Floats]) -> float:
    # Over the gains alone: a perfect run then sums the very terms of its ideal, and no score passes 1 by rounding.
    ranks = np.flatnonzero(gains)
    return float((gains[ranks] * weights(len(gains))[ranks]).sum())


def _weight_of(chosen: Bools, p: float) -> float:
    return float(rbp_weights(len(chosen), p)[chosen].sum())


def _ratio(score: float, ideal: float) -> float:
    """A normalized score; 0 where nothing is relevant, as trec_eval has it."""
    return score / ideal if ideal else 0.0


FUNCTIONS: dict[str, Callable[..., float]] = {
    function.__name__: function for function in (sp, amap, dcg, jkdcg, njkdcg, enjkdcg, rbp, rbp_resid, nrbp, unj)
}
"""By name, to which the table of measures refers: of a `TopicRelevance`, and of p and k by keyword."""

OF_UNJUDGED = ("rbp_resid", "unj")
"""Those that tell unjudged documents from documents that are not relevant."""


_RELSTRING_LENGTH = 10


class VectorScorer:
    """Scores one topic after the other by the measures that pytrec_eval does not compute.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    measures : sequence of Measure
        All that are asked for; scores are given by their places here.
    level : int
        From which judgment on a document is relevant, for measures without a level of their own.
    binary : bool
        Whether the gains of the DCG family are 0 and 1.
    judged_only : bool
        Whether documents without judgment are dropped.
    """

    def __init__(
        self, qrels: Qrels, measures: Sequence[Measure], *, level: int, binary: bool, judged_only: bool
    ) -> None:
        self._qrels = qrels
        self._binary = binary
        self._judged_only = judged_only
        self._functions = [
            (i, FUNCTIONS[m.family.by], m.level or level, m.arguments)
            for i, m in enumerate(measures)
            if m.family.by in FUNCTIONS
        ]
        self._relstrings = [m for m in measures if m.family.by == "relstring"]
        tells_unjudged = any(m.family.by in ("relstring", *OF_UNJUDGED) for m in measures)
        self._all_judged = tells_unjudged or judged_only
        self._positive: dict[str, Judgments] = {}

    def score(
        self, topic: str, documents: Documents, ordered: bool = False
    ) -> tuple[list[tuple[int, float]], list[tuple[str, str]]]:
        """Scores by place, and relstrings by name, of what a run retrieved for a topic.

        Parameters
        ----------
        topic : str
        documents : dict
            Docno to score; empty for a topic that the run lacks.
        ordered : bool
            Whether the documents are in trec_eval's order already.
        """
        judged = self._qrels[topic] if self._all_judged else self._positive_of(topic)
        vector = relevance_vector(documents, judged, judged_only=self._judged_only, ordered=ordered)
        relevant = np.array(list(self._positive_of(topic).values()), dtype=np.int64)
        relevances: dict[int, TopicRelevance] = {}
        scores = []
        for place, function, level, arguments in self._functions:
            if level not in relevances:
                relevances[level] = TopicRelevance(vector, relevant, level, self._binary)
            scores.append((place, float(function(relevances[level], **arguments))))
        return scores, [(m.name, relstring(vector, m.cutoff or _RELSTRING_LENGTH)) for m in self._relstrings]

    def _positive_of(self, topic: str) -> Judgments:
        """The judgments above 0: few, hence quick to look up, and enough where the others are all alike."""
        if topic not in self._positive:
            self._positive[topic] = {docno: level for docno, level in self._qrels[topic].items() if level > 0}
        return self._positive[topic]


def relstring(vector: Ints, length: int) -> str:
    """The judgments of the first documents, a character each, as trec_eval writes them.

    Examples
    --------
    >>> relstring(np.array([1, -1, 0, 12, -2]), 4)
    '1-0>'
    """
    characters = {NOT_POOLED: "-", UNJUDGED: "."}
    return "".join(characters.get(rel, str(rel) if rel <= 9 else ">") for rel in vector[:length].tolist())
