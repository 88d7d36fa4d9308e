"""Standardize runs that are their own reference runs, each by the scores of the others only.

A run that is among its own references pulls their mean towards its score, the more so the fewer they are. Several
runs of the same group do so together. Here the references of a run are all runs but those of its group.

Factors are not fitted anew for each run. The moments of the others come from halving the groups, see
`stdeval.stats.moments.moments_without`. The counts of the others are those of all runs minus those of the group:
for a group of one run, the score by E is (n E - 1) / (n - 1), and that by M is (n M - 1/2) / (n - 1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stdeval.display import counted, excerpt
from stdeval.errors import InputError
from stdeval.measures.names import standardized_name
from stdeval.standardization.schemes import (
    SCHEMES,
    ReferenceCounts,
    apply_scheme,
    count_references,
    leaves_out_equal_references,
    scheme_letter,
)
from stdeval.stats.moments import moments_without
from stdeval.table import Bools, Floats, Ints, ScoreTable


def groups_by_pattern(pattern: re.Pattern[str], systems: Sequence[str]) -> list[str]:
    r"""Return the group of each system: the part of its name that a regular expression matches at the beginning.

    Parameters
    ----------
    pattern : re.Pattern
        If it has a group in parentheses, that part is the name of the system's group.
    systems : sequence of str

    Raises
    ------
    InputError
        If it does not match a name, or only nothing of it.

    Examples
    --------
    >>> groups_by_pattern(re.compile("[a-z]+"), ["uw1", "uw2", "sab1"])
    ['uw', 'uw', 'sab']
    >>> groups_by_pattern(re.compile(r"r\d_([a-z]+)"), ["r5_uw1", "r4_uw2"])
    ['uw', 'uw']
    """
    matches = [pattern.match(system) for system in systems]
    parts = [match and match[min(pattern.groups, 1)] for match in matches]
    groups = [part for part in parts if part]
    if len(groups) < len(systems):
        without = [system for system, part in zip(systems, parts, strict=True) if not part]
        number = f"{len(without)} of {counted(len(systems), 'run')} (e.g. '{excerpt(without[0])}')"
        raise InputError(
            f"'{excerpt(pattern.pattern)}' does not match the beginning of {number}, expected it to match all names"
        )
    return groups


@dataclass(frozen=True, eq=False)
class Others:
    """The references of each group of a table's systems: all systems that do not belong to the group.

    Parameters
    ----------
    table : ScoreTable
        Raw scores of all systems.
    groups : ndarray of int, shape (n_systems,)
        The group of each system, from 0 on.
    mean, sd, n : ndarray, shape (n_groups, n_topics, n_measures)
        Moments of the references' scores, see `stdeval.stats.moments.moments`.
    """

    table: ScoreTable
    groups: Ints
    mean: Floats
    sd: Floats
    n: Ints

    @property
    def numbers_left(self) -> list[int]:
        """The numbers of references of the systems, on the topics where they have a score."""
        scored = ~np.isnan(self.table.values)
        numbers: list[int] = np.unique(self.n[self.groups][scored]).tolist()
        return numbers


def fit_others(table: ScoreTable, groups: Sequence[str] | None = None) -> Others:
    """Return the references of each system: the systems of other groups.

    Parameters
    ----------
    table : ScoreTable
        Raw scores; a missing score is not a reference.
    groups : sequence of str, optional
        The name of the group of each system; None for groups of one system.

    Raises
    ------
    InputError
        If no system has two references for any topic and measure.

    Examples
    --------
    >>> table = ScoreTable(("a", "b", "c"), ("1",), ("map",), np.array([[[0.2]], [[0.4]], [[0.8]]]))
    >>> fit_others(table).mean.ravel().round(4)
    array([0.6, 0.5, 0.3])
    """
    names = table.systems if groups is None else groups
    number = {name: i for i, name in enumerate(dict.fromkeys(names))}
    numbers = np.array([number[name] for name in names], dtype=np.int64)
    mean, sd, n = moments_without(table.values, numbers)
    if n.max(initial=0) < 2:
        what = f"{len(names)} runs" if groups is None else f"{len(names)} runs in {counted(len(number), 'group')}"
        raise InputError(f"{what}: fewer than two reference runs are left for each run, expected more of them")
    return Others(table, numbers, mean, sd, n)


def standardize_by_others(
    others: Others, scheme: str = "N", *, A: float = 0.15, B: float = 0.5, censor: bool = True
) -> ScoreTable:
    """Return the scores of all systems, standardized by those of other groups.

    Parameters
    ----------
    others : Others
    scheme, A, B, censor
        As in `stdeval.standardization.standardizing.standardize`.

    Returns
    -------
    ScoreTable
        A score is NaN if it is missing, if fewer than two reference runs are left, or if the scheme leaves out the
        topic, see `topics_left_out`. The names of measures begin with the letter of the scheme.

    Examples
    --------
    >>> table = ScoreTable(("a", "b", "c"), ("1",), ("map",), np.array([[[0.2]], [[0.4]], [[0.8]]]))
    >>> standardize_by_others(fit_others(table), "E").values.ravel()
    array([0. , 0.5, 1. ])
    """
    letter, table = scheme_letter(scheme), others.table
    counting = SCHEMES[letter].counts_function
    if counting is not None:
        scored = counting(_count_others(others))
    else:
        mean, sd = others.mean[others.groups], others.sd[others.groups]
        scored = apply_scheme(letter, table.values, mean, sd, A=A, B=B, censor=censor)
    scored = np.where(topics_left_out(others, scheme, censor=censor), np.nan, scored)
    names = tuple(standardized_name(letter, name) for name in table.measures)
    return ScoreTable(table.systems, table.topics, names, scored, unretrieved=table.unretrieved)


def _count_others(others: Others) -> ReferenceCounts:
    """Count the references below each score, and those at most as high: all systems minus those of the group."""
    values = others.table.values
    everyone = count_references(values, values)
    own = _count_own(everyone.below, others.groups)
    n = (everyone.n - own.n).astype(np.float64)
    return ReferenceCounts(everyone.below - own.below, everyone.at_most - own.at_most, np.where(n >= 2, n, np.nan))


def _count_own(ranks: Floats, groups: Ints) -> ReferenceCounts:
    """Count the systems of the same group with a lower score, and those with a score at most as high.

    The counts of a missing score have no meaning.

    Parameters
    ----------
    ranks : ndarray, shape (n_systems, n_topics, n_measures)
        The number of systems below each score, NaN if it is missing: whole numbers that are equal where scores are.
    groups : ndarray of int, shape (n_systems,)
    """
    cells = np.arange(ranks[0].size).reshape(ranks.shape[1:])
    # The ranks within a cell and group become a block of whole numbers of their own, so that one sort orders all.
    block = (cells * (groups.max() + 1) + groups[:, np.newaxis, np.newaxis]) * len(ranks)
    keys = block + ranks
    ordered = np.sort(keys[~np.isnan(keys)])
    first, end = np.searchsorted(ordered, block), np.searchsorted(ordered, block + len(ranks))
    below, at_most = (np.searchsorted(ordered, keys, side=side) for side in ("left", "right"))
    return ReferenceCounts(*((number - first).astype(np.float64) for number in (below, at_most, end)))


def topics_left_out(others: Others, scheme: str, *, censor: bool = True) -> Bools:
    """Return True where a scheme leaves a topic out for all systems: the references of some group are all equal.

    Parameters are those of `standardize_by_others`; the scheme may also be ``raw``. If only the systems with such
    references were left out, their means would be over fewer topics than those of the others.

    Returns
    -------
    ndarray of bool, shape (n_topics, n_measures)
        By N, censored U, E, M and raw, none.
    """
    equal: Bools = (others.sd == 0).any(axis=0)
    return equal if leaves_out_equal_references(scheme, censor) else np.zeros_like(equal)
