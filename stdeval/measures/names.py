"""Look up measures, and facts about them, by their names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from stdeval.errors import InputError
from stdeval.measures.catalogue import Family
from stdeval.measures.grammar import UnknownNameError, measures_named
from stdeval.measures.parameters import Measure

SCHEME_LETTERS = "ZNUEM"
"""The keys of `stdeval.standardization.schemes.SCHEMES`; a copy, because that module needs numpy."""


def resolve(texts: Iterable[str]) -> tuple[Measure, ...]:
    """Return the measures that the names stand for, each once, in trec_eval's order.

    Parameters
    ----------
    texts : iterable of str
        Names of measures in any form, and nicknames of groups of measures.

    Raises
    ------
    InputError
        If a text is not exactly such a name; the message suggests similar names.

    Examples
    --------
    >>> [measure.name for measure in resolve(["P.10,5", "AP", "nDCG@10", "P_5"])]
    ['map', 'P_5', 'P_10', 'ndcg_cut_10']
    """
    return tuple(sorted(resolve_as_typed(texts), key=lambda measure: measure.sort_key))


def resolve_as_typed(texts: Iterable[str]) -> tuple[Measure, ...]:
    """Return the measures that the names stand for, each once, in the order of the names; see `resolve`.

    Examples
    --------
    >>> [measure.name for measure in resolve_as_typed(["P.10,5", "AP", "P_5"])]
    ['P_10', 'P_5', 'map']
    """
    try:
        return _each_once(texts)
    except UnknownNameError as unknown:
        from stdeval.measures.similar_names import refusal  # needed for errors only

        raise refusal(unknown.text, unknown.family) from None


def _each_once(texts: Iterable[str]) -> tuple[Measure, ...]:
    return tuple({measure.name: measure for text in texts for measure in measures_named(text)}.values())


def _known_measures(name: str) -> list[Measure]:
    """Return the measures that a name stands for, in trec_eval's order; none if the name is unknown."""
    try:
        return sorted(_each_once([name]), key=lambda measure: measure.sort_key)
    except (InputError, UnknownNameError):
        return []


def prefixed(prefix: str, name: str) -> str:
    """Return the name of a measure in a table that joins files, such as ``deep:map``; unchanged without prefix."""
    return f"{prefix}:{name}" if prefix else name


def split_prefix(name: str) -> tuple[str, str]:
    """Return the prefix of a measure's name, which is empty if there is none, and the name without it.

    Examples
    --------
    >>> split_prefix("deep:P_10"), split_prefix("map")
    (('deep', 'P_10'), ('', 'map'))
    """
    prefix, _, bare = name.rpartition(":")
    return prefix, bare


def _measure_of(name: str) -> Measure | None:
    """Return the (first) measure of this name, with or without a prefix; None if the name is unknown."""
    return next(iter(_known_measures(split_prefix(name)[1])), None)


def _family_of(name: str) -> Family | None:
    measure = _measure_of(name)
    return None if measure is None else measure.family


def kind_of(name: str) -> str:
    """Return the kind (see `Family`) of the measure of this name; ``"score"`` if the name is unknown."""
    family = _family_of(name)
    return "score" if family is None else family.kind


def level_of(name: str, level: int) -> int:
    """Return the relevance level of the measure of this name; ``level`` if it has none of its own."""
    measures = _known_measures(name)
    return (measures[0].level if measures else None) or level


def is_in_unit_range(name: str) -> bool:
    """Return True if the scores of the measure of this name are in [0, 1]; False if the name is unknown."""
    measure = _measure_of(name)
    return measure is not None and measure.range == "0..1"


def is_never_negative(name: str) -> bool:
    """Return True if no score of the measure of this name is below 0; False if the name is unknown.

    Examples
    --------
    >>> is_never_negative("dcg_cut_10"), is_never_negative("utility"), is_never_negative("Zmap")
    (True, False, False)
    """
    measure = _measure_of(name)
    return measure is not None and measure.range.startswith(("0..", "count"))


def may_be_negative(name: str) -> bool:
    """Return True if a score of the measure of this name may be below 0; False if the name is unknown.

    Examples
    --------
    >>> may_be_negative("utility"), may_be_negative("map"), may_be_negative("mine")
    (True, False, False)
    """
    return _family_of(name) is not None and not is_never_negative(name)


def is_better_higher(name: str) -> bool:
    """Return True if a higher score is better by the measure of this name; also True if the name is unknown.

    The name may begin with the letter of a scheme, as those of standardized scores do.

    Examples
    --------
    By the second utility, each retrieved document that is not relevant, and each relevant one that is not, costs 1.

    >>> [is_better_higher(name) for name in ("map", "unj_10", "Nunj_10", "utility_1,-1,0,0", "utility_0,1,1,0")]
    [True, False, False, True, False]
    """
    measure = _measure_of(split_scheme(name)[1])
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
        for measure in _raw_measures(name)
    )


def _is_of_ranks(family: Family) -> bool:
    """Return True for scores, and for means over all topics such as gm_map, but not for the number of topics."""
    return family.kind in ("score", "summary") and family.range != "count"


def cutoff_of(name: str) -> int:
    """Return the cutoff in the name of a measure, which is the last rank that it looks at; 0 if it has none.

    Examples
    --------
    >>> cutoff_of("Nrecall_100"), cutoff_of("nDCG@20"), cutoff_of("map")
    (100, 20, 0)
    """
    return max((measure.cutoff or 0 for measure in _raw_measures(name)), default=0)


def main_ranks_of(name: str) -> int:
    """Return the last rank that a measure looks at, or above which it has half of its weight; 0 if there is none.

    Examples
    --------
    >>> [main_ranks_of(name) for name in ("Nndcg_cut_3", "recip_rank", "rbp_p=0.5", "rbp_p=0.8", "map")]
    [3, 1, 1, 4, 0]
    """
    ranks = []
    for measure in _raw_measures(name):
        if measure.family.name in ("recip_rank", "recip_rank_cut"):
            ranks.append(1)
        elif measure.persistence is not None:
            ranks.append(max(1, math.ceil(math.log(0.5, measure.persistence))))
        else:
            ranks.append(measure.cutoff or 0)
    return max(ranks, default=0)


_NO_WEIGHT = 1e-12
"""Documents that together have at most this share of the weight of all do not count: see `stdeval.stats.noise`.

Any greater share may decide a paired test, or a scheme that counts references.
"""


def favoured_runs(name: str) -> str:
    """Return which of a long and a short run may only seem better by the measure.

    Examples
    --------
    >>> [favoured_runs(name) for name in ("map", "judged_10", "Nset_F", "utility_1,0,0,0", "mine")]
    ['long', 'short', 'either', 'long', 'long']
    """
    return next((measure.favoured for measure in _raw_measures(name)), "long")


def is_good_at_0(name: str) -> bool:
    """Return True if 0, which -c gives to a missing topic, is better than many scores by the measure.

    Such a topic has the worst score by unj and rbp_resid, which is 1.

    Examples
    --------
    >>> names = ("map", "Nnum_nonrel_judged_ret", "utility", "utility_0,1,1,0", "unj_10")
    >>> [name for name in names if is_good_at_0(name)]
    ['Nnum_nonrel_judged_ret', 'utility', 'utility_0,1,1,0']
    """
    return any(
        measure.family.name not in ("unj", "rbp_resid")
        and not (measure.better_higher and measure.range.startswith(("0..", "count")))
        for measure in _raw_measures(name)
    )


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
    return not any(measure.family.name in _WITHOUT_UNJUDGED for measure in _raw_measures(name))


def leaves_out_unjudged(name: str) -> bool:
    """Return True if the measure leaves out unjudged documents, so that a run with many may only seem good.

    Examples
    --------
    >>> [name for name in ("map", "Nbpref", "num_nonrel_judged_ret", "infAP") if leaves_out_unjudged(name)]
    ['Nbpref', 'num_nonrel_judged_ret']
    """
    return any(measure.family.name in _OF_JUDGED_ONLY for measure in _raw_measures(name))


def _raw_measures(name: str) -> list[Measure]:
    """Return the raw measures that a name stands for, whatever its prefix and the letter of its scheme are."""
    return _known_measures(split_prefix(split_scheme(name)[1])[1])


def is_known(name: str) -> bool:
    """Return True if the name is that of a measure, which may be standardized: ``Nmap`` is known."""
    return _family_of(split_scheme(name)[1]) is not None


_OF_NDEVAL = re.compile("NRBP|NERR(?:@[0-9]+)?")
"""Names of measures of diversity, so that N of RBP and N of ERR are not named so."""


def split_scheme(name: str, *, is_typed: bool = False) -> tuple[str, str]:
    """Return the letter of the scheme in the name of standardized scores, and the name of the raw measure.

    The letter is empty for any name that `standardized_name` never gives, such as that of a raw measure. A column
    of two letters is an abbreviation of another program, such as ER for an error rate, rather than E of R; but who
    types NP for scores that have no column of this name means the cutoffs of P.

    Examples
    --------
    >>> split_scheme("Zmap"), split_scheme("deep:NP_10"), split_scheme("N(latency)")
    (('Z', 'map'), ('N', 'deep:P_10'), ('N', 'latency'))
    >>> split_scheme("MAP"), split_scheme("NRBP"), split_scheme("ER")
    (('', 'MAP'), ('', 'NRBP'), ('', 'ER'))
    """
    prefix, bare = split_prefix(name)
    if len(bare) == 2 and not is_typed:
        return "", name
    if bare[:1] not in {*SCHEME_LETTERS} or _family_of(bare) is not None or _OF_NDEVAL.fullmatch(bare):
        return "", name
    if bare[1:2] == "(" and bare[-1] == ")" and len(bare) > 3:
        return bare[0], prefixed(prefix, bare[2:-1])
    return (bare[0], prefixed(prefix, bare[1:])) if _family_of(bare[1:]) is not None else ("", name)


def standardized_name(letter: str, measure: str) -> str:
    """Return the name of a measure's scores that a scheme standardized; unchanged if the letter is empty.

    The letter stands after a prefix. No raw measure has this name, and `split_scheme` takes it apart again: an
    unknown name stands in parentheses, and a spelling that gives the name of another measure is replaced.

    Examples
    --------
    >>> standardized_name("N", "map"), standardized_name("N", "deep:P@10"), standardized_name("", "AP")
    ('Nmap', 'deep:NP@10', 'AP')
    >>> standardized_name("M", "AP"), standardized_name("N", "DCG@5"), standardized_name("Z", "latency")
    ('Mmap', 'Ndcg_cut_5', 'Z(latency)')
    """
    if not letter:
        return measure
    prefix, bare = split_prefix(measure)
    spellings = [letter + bare, letter + canonical(bare)] if is_known(bare) else []
    unambiguous = next((spelling for spelling in spellings if split_scheme(spelling)[0]), f"{letter}({bare})")
    return prefixed(prefix, unambiguous)


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


def canonical(name: str) -> str:
    """Return the canonical name of a measure; unchanged if the name is unknown or stands for several measures."""
    measure = measure_named(name)
    return name if measure is None else measure.name


def measure_named(name: str) -> Measure | None:
    """Return the raw measure with this name; None if no measure or several measures have it."""
    measures = _known_measures(name)
    return measures[0] if len(measures) == 1 else None


def has_long_scores(name: str) -> bool:
    """Return whether most scores by a measure have many decimals by nature, unlike those by P or recall.

    With a cutoff of three or less there are so few possible scores that all may be short, or often the same.

    Examples
    --------
    >>> [has_long_scores(name) for name in ("deep:Nmap", "nDCG@10", "recip_rank", "nDCG@3", "P_10", "recall")]
    [True, True, True, False, False, False]
    """
    scheme, raw = split_scheme(split_prefix(name)[1])
    family = _family_of(raw)
    if scheme not in ("", "Z", "N", "U") or family is None or family.name not in _LONG:
        return False
    return bool(scheme) or not 0 < cutoff_of(raw) <= _FEW_DOCUMENTS


_FEW_DOCUMENTS = 3

_LONG = (
    *("map", "map_cut", "infAP", "11pt_avg", "recip_rank", "recip_rank_cut", "err", "rbp", "rbp_resid", "nrbp"),
    *("ndcg", "ndcg_cut", "ndcg_rel", "Rndcg", "dcg", "dcg_cut", "ndcg_exp", "ndcg_exp_cut"),
    *("njkdcg", "set_map"),
)
"""Sums of many fractions or logarithms, and reciprocal ranks."""


def has_mostly_long_scores(name: str) -> bool:
    """Return whether raw scores by a measure have many decimals on most topics, though often the same on several.

    Fractions of the number of relevant documents are long if that number is 3 or 7, and short if it is 2 or 5.

    Examples
    --------
    >>> [name for name in ("recall_100", "deep:bpref", "P_10", "map", "Nbpref") if has_mostly_long_scores(name)]
    ['recall_100', 'deep:bpref']
    """
    family = _family_of(name)
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
    family = _family_of(name)
    return family is None or (family.kind == "score" and family.name not in ("judged", "unj"))
