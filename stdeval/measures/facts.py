"""Facts about measures, looked up by name: the ranks that count, the possible scores, and whether higher is better.

A name may have the prefix of a file, and that of standardized scores the letter of its scheme.
"""

from __future__ import annotations

from collections.abc import Iterable

from stdeval.errors import InputError
from stdeval.measures.names import (
    family_of,
    known_measures,
    measure_of,
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
