"""Look up measures by name; name standardized scores, and the columns of joined files."""

from __future__ import annotations

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


def known_measures(name: str) -> list[Measure]:
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


def measure_of(name: str) -> Measure | None:
    """Return the (first) measure of this name, with or without a prefix; None if the name is unknown."""
    return next(iter(known_measures(split_prefix(name)[1])), None)


def family_of(name: str) -> Family | None:
    """Return the family of the measure of this name, with or without a prefix; None if the name is unknown."""
    measure = measure_of(name)
    return None if measure is None else measure.family


def raw_measures(name: str) -> list[Measure]:
    """Return the raw measures that a name stands for, whatever its prefix and the letter of its scheme are."""
    return known_measures(split_prefix(split_scheme(name)[1])[1])


def is_known(name: str) -> bool:
    """Return True if the name is that of a measure, which may be standardized: ``Nmap`` is known."""
    return family_of(split_scheme(name)[1]) is not None


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
    if bare[:1] not in {*SCHEME_LETTERS} or family_of(bare) is not None or _OF_NDEVAL.fullmatch(bare):
        return "", name
    if bare[1:2] == "(" and bare[-1] == ")" and len(bare) > 3:
        return bare[0], prefixed(prefix, bare[2:-1])
    return (bare[0], prefixed(prefix, bare[1:])) if family_of(bare[1:]) is not None else ("", name)


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


def canonical(name: str) -> str:
    """Return the canonical name of a measure; unchanged if the name is unknown or stands for several measures."""
    measure = measure_named(name)
    return name if measure is None else measure.name


def measure_named(name: str) -> Measure | None:
    """Return the raw measure with this name; None if no measure or several measures have it."""
    measures = known_measures(name)
    return measures[0] if len(measures) == 1 else None
