"""The measures that trec_eval does not have: each row of the table beside its function of one topic.

To add a measure, write a function here. It takes ``k`` if the measure can have a cutoff, ``p`` if it has a
persistence. A topic without relevant documents scores 0 by all measures but `rbp_resid` and `unj`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from stdeval.measures.catalogue import DEFAULT_GRADE, JARVELIN, NOT_POOLED, Family, row_of

if TYPE_CHECKING:
    from stdeval.measures.relevance import TopicRelevance
    from stdeval.table import Floats, Ints

BURGES = "Burges et al. 2005, ICML"
MOFFAT = "Moffat & Zobel 2008, TOIS 27(1)"
WEBBER = "Webber, Moffat & Zobel 2010, EVIA"

PAPERS: list[Family] = []  # the rows, in their order of output

_measure = partial(row_of, PAPERS)
_cut = partial(_measure, parameter="cutoff")
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


@_measure(
    BURGES, "dcg", "DCG VDCG", "sum of gain / log2(rank + 1)", "dcg of the first K", range="0..", discount="log2"
)
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
    weights = topic.weights("rbp", len(gains), p)[positions] * gains[positions]
    # By rounding alone, the weights of very many ranks could add up to more than 1.
    return min(1.0, float(weights.sum()))


@_moffat("rbp_resid", "", "weight that rbp gives to unjudged ranks, and beyond the run or the cutoff", **_UNJUDGED)
def rbp_resid(topic: TopicRelevance, p: float, k: int | None = None, max_grade: int | None = None) -> float:
    """Residual of rank-biased precision: the score that it would gain if all unknown documents were relevant."""
    seen = topic.vector[:k]
    unknown = float(topic.weights("rbp", len(seen), p)[seen < 0].sum()) + p ** len(seen)
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


_exp = partial(_measure, aliases="nDCG(dcg=exp-log2) NDCG(dcg=exp-log2)", discount="log2")


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
