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

import numpy as np

from stdeval.arrays import Floats, Ints
from stdeval.measures.relevance import TopicRelevance, discounted, first_ranks, positions_before
from stdeval.measures.weights import dcg_weights, jkdcg_weights, rbp_weights


def sp(topic: TopicRelevance, k: int | None = None) -> float:
    """Sum of precisions: P@i summed over the ranks i of relevant documents.

    This is average precision, equation 3, times R; in [0, R]. Binary.

    Examples
    --------
    r = (1, 0, 1, 0, 1): 1/1 + 2/3 + 3/5 = 34/15.

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(sp(topic), 4)
    2.2667
    """
    ranks = _relevant_positions(topic, k) + 1
    return float((np.arange(1, len(ranks) + 1) / ranks).sum())


def amap(topic: TopicRelevance, k: int) -> float:
    """Abbreviated average precision, aAP@k: the sum of precisions to rank k over min(k, R).

    Equation 4; in [0, 1], and 1 if the first min(k, R) documents are relevant. Binary. trec_eval's map_cut
    divides by R instead.

    Examples
    --------
    k = 3, R = 4: (1/1 + 2/3) / min(3, 4) = 5/9.

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(amap(topic, 3), 4)
    0.5556
    """
    return _ratio(sp(topic, k), min(k, topic.num_rel))


def dcg(topic: TopicRelevance, k: int | None = None) -> float:
    """Discounted cumulative gain with Burges' discount, called VDCG in the published factor files.

    This is the sum of gain / log2(rank + 1); at least 0. Divided by its ideal it is trec_eval's ndcg. Graded.

    Examples
    --------
    1/log2(2) + 2/log2(4) + 1/log2(6) = 1 + 1 + 0.3869.

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(dcg(topic), 4)
    2.3869
    """
    return topic.discounted_sum(dcg_weights, k)


def jkdcg(topic: TopicRelevance, k: int | None = None) -> float:
    """Discounted cumulative gain of Jarvelin & Kekalainen with b = 2, called DCG in the published factor files.

    This is the sum of gain / max(1, log2(rank)), equation 5; at least 0. Graded.

    Examples
    --------
    1 + 2/log2(3) + 1/log2(5) = 1 + 1.2619 + 0.4307.

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(jkdcg(topic), 4)
    2.6925
    """
    return topic.discounted_sum(jkdcg_weights, k)


def njkdcg(topic: TopicRelevance, k: int | None = None) -> float:
    """Normalized `jkdcg`: divided by that of the ideal ranking, cut at the same k; in [0, 1]. Graded.

    Examples
    --------
    The ideal is 2 + 1 + 1/log2(3) + 1/log2(4) = 4.1309 and 2 + 1 to rank 2:

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(njkdcg(topic), 4), round(njkdcg(topic, 2), 4)
    (0.6518, 0.3333)
    """
    return _ratio(jkdcg(topic, k), topic.ideal_sum(jkdcg_weights, k))


def enjkdcg(topic: TopicRelevance, k: int) -> float:
    """Expanded nDCG, enDCG@k: `jkdcg` to rank k over the ideal of all relevant documents.

    Sections 3.1 and 4.2; in [0, 1]. Graded.

    Examples
    --------
    To rank 2 the run has 1, the ideal to its end 4.1309:

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(enjkdcg(topic, 2), 4)
    0.2421
    """
    return _ratio(jkdcg(topic, k), topic.ideal_sum(jkdcg_weights))


def ndcg_exp(topic: TopicRelevance, k: int | None = None) -> float:
    """DCG of Burges et al. with gains 2^judgment - 1, divided by that of the ideal ranking, cut at the same k.

    This is gdeval's nDCG, where the discount has the natural logarithm, which changes no quotient; in [0, 1].
    Graded; with binary gains it is trec_eval's ndcg.

    Examples
    --------
    Gains 1, 3, 1 at the ranks 1, 3, 5 over 3, 1, 1, 1: (1 + 3/2 + 0.3869) / (3 + 0.6309 + 1/2 + 0.4307). To rank
    2: 1 / (3 + 0.6309).

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(ndcg_exp(topic), 4), round(ndcg_exp(topic, 2), 4)
    (0.6329, 0.2754)
    """
    both = (_exponential(first_ranks(gains, k), topic.ideal_gains) for gains in (topic.gains, topic.ideal_gains))
    score, ideal = (discounted(gains, np.flatnonzero(gains), dcg_weights) for gains in both)
    return _ratio(score, ideal)


def rbp(topic: TopicRelevance, p: float, k: int | None = None) -> float:
    """Base of rank-biased precision: (1 - p) times the sum of r_i p^(i - 1); in [0, 1].

    Equation 6. Binary, whatever the gains.

    Examples
    --------
    0.5 (1 + 0.5^2 + 0.5^4) = 0.65625:

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> rbp(topic, 0.5)
    0.65625
    """
    weights = rbp_weights(len(first_ranks(topic.relevant, k)), p)
    # By rounding alone, the weights of very many ranks could add up to more than 1.
    return min(1.0, float(weights[_relevant_positions(topic, k)].sum()))


def rbp_resid(topic: TopicRelevance, p: float, k: int | None = None) -> float:
    """Residual of rank-biased precision: the score that it would gain if all unknown documents were relevant.

    This is the weight of the ranks whose documents are unjudged, plus p^n, the weight of all ranks beyond the n
    documents of the run (or the first k of them). In [0, 1]; base and residual together never exceed 1. trec_eval
    10 has the same measure, except that it prints 0 if all documents retrieved are judged.

    Examples
    --------
    The fourth document, and all after the fifth: 0.5 0.5^3 + 0.5^5 = 0.09375. To rank 2 all are judged: 0.5^2.

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> rbp_resid(topic, 0.5), rbp_resid(topic, 0.5, 2)
    (0.09375, 0.25)
    """
    seen = first_ranks(topic.vector, k)
    unknown = float(rbp_weights(len(seen), p)[seen < 0].sum()) + p ** len(seen)
    # By rounding alone, base and residual could add up to more than 1.
    return min(unknown, 1.0 - rbp(topic, p, k))


def nrbp(topic: TopicRelevance, p: float, k: int | None = None) -> float:
    """Normalized `rbp`: divided by that of R relevant documents at the top, cut at the same k; in [0, 1].

    Examples
    --------
    0.65625 over the ideal 1 - 0.5^4 = 0.9375; to rank 2, 0.5 over 1 - 0.5^2:

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(nrbp(topic, 0.5), 4), round(nrbp(topic, 0.5, 2), 4)
    (0.7, 0.6667)
    """
    n = topic.num_rel if k is None else min(topic.num_rel, k)
    return _ratio(rbp(topic, p, k), float(rbp_weights(n, p).sum()))


def unj(topic: TopicRelevance, k: int) -> float:
    """Share of unjudged documents among the first k ranks, as in trec_eval 10; in [0, 1].

    If fewer than k documents are retrieved, the missing ones count as judged. If none is retrieved, the share is 1:
    lower is better, and a topic without documents must not have the best score.

    Examples
    --------
    One of the first four documents is not judged:

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> unj(topic, 4), unj(topic, 10)
    (0.25, 0.1)
    """
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
