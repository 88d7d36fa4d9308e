"""Facts about measures, looked up by name: the ranks that count, the possible scores, and whether higher is better.

A name may have the prefix of a file, and that of standardized scores the letter of its scheme.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from stdeval.display import listed
from stdeval.errors import InputError
from stdeval.measures.catalogue import Family
from stdeval.measures.names import (
    family_of,
    known_measures,
    measure_of,
    raw_measures,
    resolve,
    split_prefix,
    split_scheme,
)


def kind_of(name: str) -> str:
    """Return the kind (see `Family`) of the measure of this name; ``"score"`` if the name is unknown."""
    family = family_of(name)
    return "score" if family is None else family.kind


def level_of(name: str, level: int) -> int:
    """Return the relevance level of the measure of this name; ``level`` if it has none of its own."""
    measures = known_measures(name)
    return (measures[0].level if measures else None) or level


def is_in_unit_range(name: str) -> bool:
    """Return True if the scores of the measure of this name are in [0, 1]; False if the name is unknown."""
    measure = measure_of(name)
    return measure is not None and measure.range == "0..1"


def is_never_negative(name: str) -> bool:
    """Return True if no score of the measure of this name is below 0; False if the name is unknown.

    Examples
    --------
    >>> is_never_negative("dcg_cut_10"), is_never_negative("utility"), is_never_negative("Zmap")
    (True, False, False)
    """
    measure = measure_of(name)
    return measure is not None and measure.range.startswith(("0..", "count"))


def may_be_negative(name: str) -> bool:
    """Return True if a score of the measure of this name may be below 0; False if the name is unknown.

    Examples
    --------
    >>> may_be_negative("utility"), may_be_negative("map"), may_be_negative("mine")
    (True, False, False)
    """
    return family_of(name) is not None and not is_never_negative(name)


def is_better_higher(name: str) -> bool:
    """Return True if a higher score is better by the measure of this name; also True if the name is unknown.

    The name may begin with the letter of a scheme, as those of standardized scores do.

    Examples
    --------
    By the second utility, each retrieved document that is not relevant, and each relevant one that is not, costs 1.

    >>> [is_better_higher(name) for name in ("map", "unj_10", "Nunj_10", "utility_1,-1,0,0", "utility_0,1,1,0")]
    [True, False, False, True, False]
    """
    measure = measure_of(split_scheme(name)[1])
    return measure is None or measure.better_higher


def looks_beyond(name: str, depth: float, *, judged_only: bool = False) -> bool:
    """Return True for a score that depends on documents beyond a rank.

    Parameters
    ----------
    name : str
    depth : float
    judged_only : bool
        Unjudged documents are left out, and may be nine of ten.

    Examples
    --------
    By RBP with p = 0.8, the documents beyond rank 130 have a weight of 3e-13 together.

    >>> names = ("map", "gm_map", "P_10", "P_20", "Nbpref", "rbp_p=0.8", "num_q", "num_ret", "num_rel_ret")
    >>> [name for name in names if looks_beyond(name, 10)], looks_beyond("rbp_p=0.8", 130)
    (['map', 'gm_map', 'P_20', 'Nbpref', 'rbp_p=0.8', 'num_rel_ret'], False)
    >>> looks_beyond("rbp_p=0.5", 50), looks_beyond("rbp_p=0.5", 50, judged_only=True)
    (False, True)
    """
    seen = 10 if judged_only else 1
    return any(
        (_is_of_ranks(measure.family) or measure.family.name in ("num_rel_ret", "num_nonrel_judged_ret"))
        and seen * (measure.cutoff or math.inf) > depth
        and (measure.persistence is None or measure.persistence ** (depth / seen) > _NO_WEIGHT)
        for measure in raw_measures(name)
    )


def _is_of_ranks(family: Family) -> bool:
    """Return True for scores, and for means over all topics such as gm_map, but not for the number of topics."""
    return family.kind in ("score", "summary") and family.range != "count"


def cutoff_of(name: str) -> int:
    """Return the cutoff of a measure, the last rank that counts; 0 if it has none.

    Examples
    --------
    >>> cutoff_of("Nrecall_100"), cutoff_of("nDCG@20"), cutoff_of("map")
    (100, 20, 0)
    """
    return max((measure.cutoff or 0 for measure in raw_measures(name)), default=0)


def main_ranks_of(name: str) -> int:
    """Return the last of the main ranks of a measure; 0 if it has none.

    The main ranks are those down to the cutoff, or those that have half of the weight of all ranks.

    Examples
    --------
    >>> [main_ranks_of(name) for name in ("Nndcg_cut_3", "recip_rank", "rbp_p=0.8", "rbp_p=0.99_cut_10", "map")]
    [3, 1, 4, 10, 0]
    """
    ranks: list[float] = []
    for measure in raw_measures(name):
        if measure.family.name in ("recip_rank", "recip_rank_cut"):
            ranks.append(1)
        elif measure.persistence is not None:
            ranks.append(min(_half_weight(measure.persistence), measure.cutoff or math.inf))
        else:
            ranks.append(measure.cutoff or 0)
    return int(max(ranks, default=0))


def _half_weight(persistence: float) -> float:
    """Return the number of first ranks that have at least half of the weight of rank-biased precision."""
    return 1 if persistence <= 0.5 else math.ceil(math.log(0.5, persistence))


def has_persistence(name: str) -> bool:
    """Return True for rank-biased precision and related measures, which weight ranks by powers of p.

    Examples
    --------
    >>> [name for name in ("deep:rbp_p=0.8", "Nnrbp_p=0.5", "map") if has_persistence(name)]
    ['deep:rbp_p=0.8', 'Nnrbp_p=0.5']
    """
    return any(measure.persistence is not None for measure in raw_measures(name))


_NO_WEIGHT = 1e-12
"""Documents count only if they have more than this share of the total weight: see `stdeval.noise`.

Any greater share may decide a paired test, or a scheme that counts references.
"""


def favoured_runs(name: str) -> str:
    """Return which run of two depths, the long or the short one, may only seem better by the measure.

    Examples
    --------
    >>> [favoured_runs(name) for name in ("map", "judged_10", "Nset_F", "utility_1,0,0,0", "mine")]
    ['long', 'short', 'either', 'long', 'long']
    """
    return next((measure.favoured for measure in raw_measures(name)), "long")


_ONE_IF_MISSING = ("unj", "rbp_resid")
"""Measures by which a missing topic scores 1 with -c: the worst score."""


def is_good_at_0(name: str) -> bool:
    """Return True if a missing topic scores 0 with -c, and this may be better than other scores.

    Examples
    --------
    >>> names = ("map", "Nnum_nonrel_judged_ret", "utility", "utility_0,1,1,0", "unj_10")
    >>> [name for name in names if is_good_at_0(name)]
    ['Nnum_nonrel_judged_ret', 'utility', 'utility_0,1,1,0']
    """
    return any(
        measure.family.name not in _ONE_IF_MISSING
        and not (measure.better_higher and measure.range.startswith(("0..", "count")))
        for measure in raw_measures(name)
    )


def score_of_missing(names: Iterable[str]) -> str:
    """Return the score that -c gives to a missing topic by these measures, in words that follow "count as".

    Examples
    --------
    >>> score_of_missing(["map"]), score_of_missing(["unj_10"]), score_of_missing(["map", "num_nonrel_judged_ret"])
    ('0', '1', '0, which is a good score by num_nonrel_judged_ret')
    >>> score_of_missing(["map", "deep:unj_10"])
    '0, and as 1 by deep:unj_10'
    """
    given = list(names)
    ones = [name for name in given if any(each.family.name in _ONE_IF_MISSING for each in raw_measures(name))]
    if ones and ones == given:
        return "1"
    good = list(filter(is_good_at_0, given))
    too = f", which is a good score by {listed(good)}" if good else ""
    return f"0{too}{f', and as 1 by {listed(ones)}' if ones else ''}"


_OF_JUDGED_ONLY = ("bpref", "gm_bpref", "num_nonrel_judged_ret")

_WITHOUT_UNJUDGED = (*_OF_JUDGED_ONLY, "num_ret", "num_q", "judged", "unj", "rbp_resid")
"""Measures by which unjudged documents are not the same as documents that are judged not relevant."""


def counts_unjudged(name: str) -> bool:
    """Return True if the measure counts unjudged documents as not relevant, or if its name is unknown.

    Examples
    --------
    >>> [name for name in ("map", "Nbpref", "unj_10", "num_ret", "mine") if counts_unjudged(name)]
    ['map', 'mine']
    """
    return not any(measure.family.name in _WITHOUT_UNJUDGED for measure in raw_measures(name))


def leaves_out_unjudged(name: str) -> bool:
    """Return True if the measure leaves out unjudged documents, so that a run with many may only seem good.

    Examples
    --------
    >>> [name for name in ("map", "Nbpref", "num_nonrel_judged_ret", "infAP") if leaves_out_unjudged(name)]
    ['Nbpref', 'num_nonrel_judged_ret']
    """
    return any(measure.family.name in _OF_JUDGED_ONLY for measure in raw_measures(name))


def is_summed(name: str) -> bool:
    """Return True for a count, raw or standardized by Z: its scores are summed over topics, as by `trec_eval -Z`.

    Examples
    --------
    >>> [is_summed(name) for name in ("num_ret", "Znum_ret", "Nnum_ret", "map")]
    [True, True, False, False]
    """
    letter, raw = split_scheme(name)
    return letter in ("", "Z") and kind_of(raw) == "count"


def unused_options(names: Iterable[str], binary: bool) -> frozenset[str]:
    """Return the options of the evaluation that change no score by the measures of these names.

    Parameters
    ----------
    names : iterable of str
        With or without a prefix. A measure of an unknown name may depend on every option.
    binary : bool
        True if gains are binary, which makes the gains of the DCG family depend on the level.

    Examples
    --------
    >>> sorted(unused_options(["map"], binary=False)), sorted(unused_options(["map", "err"], binary=False))
    (['--binary', '--max-grade'], ['--binary'])
    """
    try:
        measures = resolve(split_prefix(name)[1] for name in names)
    except InputError:
        return frozenset()
    used = {
        "-l": any(measure.depends_on_level(binary) for measure in measures),
        "--binary": any(measure.family.has_gains for measure in measures),
        "--max-grade": any(measure.family.has_grades for measure in measures),
    }
    return frozenset(option for option, is_used in used.items() if not is_used)


def has_long_scores(name: str) -> bool:
    """Return True if most scores of a measure have many decimals, unlike those of P or recall.

    With a cutoff of three or less, few scores are possible, so all may have few decimals or be equal.

    Examples
    --------
    >>> [has_long_scores(name) for name in ("deep:Nmap", "nDCG@10", "recip_rank", "nDCG@3", "P_10", "recall")]
    [True, True, True, False, False, False]
    """
    scheme, raw = split_scheme(split_prefix(name)[1])
    family = family_of(raw)
    if scheme not in ("", "Z", "N", "U") or family is None or family.name not in _LONG:
        return False
    return bool(scheme) or not 0 < cutoff_of(raw) <= _FEW_DOCUMENTS


_FEW_DOCUMENTS = 3

_LONG = (
    *("map", "map_cut", "infAP", "11pt_avg", "recip_rank", "recip_rank_cut", "err", "rbp", "rbp_resid", "nrbp"),
    *("ndcg", "ndcg_cut", "ndcg_rel", "Rndcg", "dcg", "dcg_cut", "ndcg_exp", "ndcg_exp_cut"),
    *("njkdcg", "set_map"),
)
"""Measures whose scores are sums of many fractions or logarithms, or reciprocal ranks."""


def has_tiny_weights(name: str) -> bool:
    """Return True if scores of a measure may differ very little: documents far down have tiny weights, as by RBP.

    Examples
    --------
    >>> [name for name in ("rbp_p=0.8", "deep:err", "map", "P_10", "latency") if has_tiny_weights(name)]
    ['rbp_p=0.8', 'deep:err', 'latency']
    """
    family = family_of(name)
    return family is None or family.name in ("rbp", "rbp_resid", "nrbp", "err", "infAP")


def has_mostly_long_scores(name: str) -> bool:
    """Return True if raw scores of a measure have many decimals on most topics, but are often equal.

    A fraction of the number of relevant documents has many decimals if that number is 3 or 7, and few if it is 2
    or 5.

    Examples
    --------
    >>> [name for name in ("recall_100", "deep:bpref", "P_10", "map", "Nbpref") if has_mostly_long_scores(name)]
    ['recall_100', 'deep:bpref']
    """
    family = family_of(name)
    return family is not None and family.name in _MOSTLY_LONG


_MOSTLY_LONG = (
    *("Rprec", "Rprec_mult", "bpref", "recall", "set_recall", "set_F", "iprec_at_recall", "G", "binG"),
    *("sp", "sp_cut", "amap_cut", "jkdcg", "jkdcg_cut", "njkdcg_cut", "enjkdcg_cut"),
)


def is_by_relevance(name: str) -> bool:
    """Return True for a score that depends on relevant documents: not for counts, or shares of judged documents.

    Examples
    --------
    >>> [is_by_relevance(name) for name in ("deep:P_10", "judged_10", "num_ret")]
    [True, False, False]
    """
    family = family_of(name)
    return family is None or (family.kind == "score" and family.name not in ("judged", "unj"))
