"""The measures that trec_eval does not have: each row of the table beside its function of one topic.

To add a measure, write a function here. It takes ``k`` if the measure can have a cutoff, ``p`` if it has a
persistence. A topic without relevant documents scores 0 by all measures but `rbp_resid` and `unj`.
`stdeval eval` runs through this module, so it must not load numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from stdeval.measures.catalogue import DEFAULT_GRADE, JARVELIN, NOT_POOLED, Family

if TYPE_CHECKING:
    from stdeval.measures.relevance import TopicRelevance
    from stdeval.table import Floats

BURGES = "Burges et al. 2005, ICML"
MOFFAT = "Moffat & Zobel 2008, TOIS 27(1)"
WEBBER = "Webber, Moffat & Zobel 2010, EVIA"

PAPERS: list[Family] = []
"""The rows of these measures, in their order of output."""

Function = TypeVar("Function", bound=Callable[..., float])


def _measure(
    name: str, definition: str, source: str, aliases: str = "", *, also_cut: bool = False, **fields: Any
) -> Callable[[Function], Function]:
    """Add a row for a function, or two: NAME and NAME_cut_K, if the measure is known with and without a cutoff."""

    def add(function: Function) -> Function:
        given = {"source": source, "function": function, **fields}
        PAPERS.append(Family(name, definition, aliases, **given))
        if also_cut:
            PAPERS.append(Family(f"{name}_cut", f"{name} of the first K", aliases, parameter="cutoff", **given))
        return function

    return add


_cut = partial(_measure, parameter="cutoff")
_rank_biased = partial(_measure, parameter="persistence")
_UNJUDGED: dict[str, Any] = {"needs_nonrelevant": True, "better_higher": False}


@_measure("sp", "sum of precisions at relevant documents: map x num_rel", WEBBER, "SP", also_cut=True, range="0..R")
def sp(topic: TopicRelevance, k: int | None = None) -> float:
    """Sum of precisions: P@i summed over the ranks i of relevant documents."""
    return float(topic.precisions(k).sum())


@_cut("amap_cut", "sum of precisions in the first K / min(K, R)", WEBBER, "aAP")
def amap(topic: TopicRelevance, k: int) -> float:
    """Abbreviated average precision, aAP@k: the sum of precisions to rank k over min(k, R)."""
    return _ratio(sp(topic, k), min(k, topic.num_rel))


@_measure(
    "jkdcg", "sum of gain / max(1, log2(rank))", JARVELIN, "DCG(dis=jk)", also_cut=True, range="0..", discount="jk"
)
def jkdcg(topic: TopicRelevance, k: int | None = None) -> float:
    """Discounted cumulative gain of Jarvelin & Kekalainen with b = 2, called DCG in the published factor files."""
    return topic.discounted_sum("jk", k)


@_measure("njkdcg", "jkdcg / its ideal", JARVELIN, "nDCG(dis=jk) NDCG(dis=jk)", also_cut=True, discount="jk")
def njkdcg(topic: TopicRelevance, k: int | None = None) -> float:
    """Normalized `jkdcg`: divided by the `jkdcg` of the ideal ranking, cut at the same k; in [0, 1]."""
    return _ratio(jkdcg(topic, k), topic.ideal_sum("jk", k))


@_cut("enjkdcg_cut", "jkdcg of the first K / its ideal, not cut", WEBBER, "enDCG", discount="jk")
def enjkdcg(topic: TopicRelevance, k: int) -> float:
    """Expanded nDCG, enDCG@k: `jkdcg` to rank k over the ideal of all relevant documents."""
    return _ratio(jkdcg(topic, k), topic.ideal_sum("jk"))


@_measure("dcg", "sum of gain / log2(rank + 1)", BURGES, "DCG VDCG", also_cut=True, range="0..", discount="log2")
def dcg(topic: TopicRelevance, k: int | None = None) -> float:
    """Discounted cumulative gain with Burges' discount, called VDCG in the published factor files."""
    return topic.discounted_sum("log2", k)


@_rank_biased("rbp", "(1 - p) x sum of p^(rank - 1) of relevant documents", MOFFAT, "RBP", discount="rbp")
def rbp(topic: TopicRelevance, p: float, k: int | None = None) -> float:
    """Base of rank-biased precision: (1 - p) times the sum of r_i p^(i - 1); in [0, 1]."""
    weights = topic.weights("rbp", len(topic.vector[:k]), p)
    # By rounding alone, the weights of very many ranks could add up to more than 1.
    return min(1.0, float(weights[topic.relevant_positions(k)].sum()))


@_rank_biased(
    "rbp_resid", "weight that rbp gives to unjudged ranks, and beyond the run or the cutoff", MOFFAT, **_UNJUDGED
)
def rbp_resid(topic: TopicRelevance, p: float, k: int | None = None) -> float:
    """Residual of rank-biased precision: the score that it would gain if all unknown documents were relevant."""
    seen = topic.vector[:k]
    unknown = float(topic.weights("rbp", len(seen), p)[seen < 0].sum()) + p ** len(seen)
    # By rounding alone, base and residual could add up to more than 1.
    return min(unknown, 1.0 - rbp(topic, p, k))


@_rank_biased("nrbp", "rbp / its ideal", WEBBER, "nRBP", discount="rbp")
def nrbp(topic: TopicRelevance, p: float, k: int | None = None) -> float:
    """Normalized `rbp`: divided by the `rbp` of R relevant documents at the top, cut at the same k; in [0, 1]."""
    n = topic.num_rel if k is None else min(topic.num_rel, k)
    return _ratio(rbp(topic, p, k), float(topic.weights("rbp", n, p).sum()))


@_cut("unj", "share of unjudged documents in the first K", "trec_eval 10", "Unj", has_level=False, **_UNJUDGED)
def unj(topic: TopicRelevance, k: int) -> float:
    """Share of unjudged documents among the first k ranks, as in trec_eval 10; in [0, 1]."""
    first = topic.vector[:k]
    return int((first < 0).sum()) / k if len(first) else 1.0


@_measure(
    "judged",
    "share of judged documents in the first K, or in the whole run",
    "ir_measures",
    "Judged",
    parameter="optional cutoff",
    needs_nonrelevant=True,
    has_level=False,
)
def judged(topic: TopicRelevance, k: int | None = None) -> float:
    """Share of judged documents among the documents retrieved to rank k, as in ir_measures; in [0, 1]."""
    seen = topic.vector[:k]
    return int((seen != NOT_POOLED).sum()) / max(len(seen), 1)


@_cut(
    "recip_rank_cut",
    "recip_rank of the first K: 0 if none of them is relevant",
    "MS MARCO",
    "RR MRR",
    parameter="cutoff",
)
def recip_rank_cut(topic: TopicRelevance, k: int) -> float:
    """Reciprocal rank of the first relevant document, if it is at rank k or above, otherwise 0."""
    positions = topic.relevant_positions(k)
    return 1 / (int(positions[0]) + 1) if len(positions) else 0.0


@_measure(
    "err",
    "expected 1 / rank of the document at which the reader stops; G is the highest grade, 4 unless given",
    "Chapelle et al. 2009, CIKM; gdeval",
    "ERR",
    parameter="graded",
    has_level=False,
)
def err(topic: TopicRelevance, k: int | None = None, max_grade: int = DEFAULT_GRADE) -> float:
    """Expected reciprocal rank by gdeval's formula: the mean of 1 / rank at which the reader stops."""
    grades = topic.vector[:k]
    (positions,) = (grades > 0).nonzero()
    ends = 2.0 ** (grades[positions] - max_grade) - 2.0**-max_grade
    stops = ends.copy()
    stops[1:] *= (1 - ends).cumprod()[:-1]
    return float((stops / (positions + 1)).sum())


@_measure(
    "ndcg_exp",
    "DCG with gain 2^judgment - 1 / its ideal, discount log2(rank + 1)",
    f"{BURGES}; gdeval",
    "nDCG(dcg=exp-log2) NDCG(dcg=exp-log2)",
    also_cut=True,
    discount="log2",
)
def ndcg_exp(topic: TopicRelevance, k: int | None = None) -> float:
    """DCG of Burges et al. with gains 2^judgment - 1, divided by its ideal, cut at the same k."""
    # Gains are relative to 2^(the highest gain): a quotient of sums then cannot overflow.
    highest = topic.ideal_gains.max(initial=0.0)

    def dcg_of(gains: Floats) -> float:
        return topic.discounted(2.0 ** (gains[:k] - highest) - 2.0**-highest, "log2")

    return _ratio(dcg_of(topic.gains), dcg_of(topic.ideal_gains))


def _ratio(score: float, ideal: float) -> float:
    """Return a normalized score; 0 if there is no relevant document, as in trec_eval."""
    return score / ideal if ideal else 0.0
