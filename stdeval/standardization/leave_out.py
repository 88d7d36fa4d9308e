"""Standardize runs that are their own reference runs, each by the scores of the others only.

A run that is among its own references pulls their mean towards its score, the more so the fewer they are. Here the
references of a run are all runs outside its group. The others count as all runs minus the group:
for a group of one run, the score by E is (n E - 1) / (n - 1), and that by M is (n M - 1/2) / (n - 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from stdeval.display import counted, excerpt
from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.formats.csv_tables import MISSING, check_widths, read_rows
from stdeval.noise import decimals, rounded
from stdeval.standardization import schemes
from stdeval.standardization.schemes import SCHEMES, Standardized, count_references
from stdeval.stats.aggregates import moments_without
from stdeval.table import Bools, Floats, Ints, ScoreTable

_COLUMNS = (("run", "tag"), ("group", "team"))
"""The names of the columns that are read, the first one that the file has; other columns are ignored."""


class Groups(NamedTuple):
    """The groups of runs in a file."""

    file_name: str
    groups: dict[str, str]

    def of(self, systems: Sequence[str]) -> list[str]:
        """Return the group of each system."""
        without = [system for system in systems if system not in self.groups]
        if without:
            some = f"{len(without)} of {counted(len(systems), 'run')} without a group"
            raise InputError(f"{some} (e.g. '{excerpt(without[0])}'), expected a row for each", self.file_name)
        return [self.groups[system] for system in systems]


def read_groups(source: Input) -> Groups:
    """Read the groups of runs."""
    header, *rows = read_rows(source)
    places = [[header.cells.index(name) for name in names if name in header.cells] for names in _COLUMNS]
    if not all(places):
        what = f"header '{excerpt(','.join(header.cells))}', expected the columns run and group"
        raise InputError(what, source.name, header.line)
    check_widths(rows, len(header.cells), source.name)
    groups: dict[str, str] = {}
    for line, cells in rows:
        run, group = (cells[first] for first, *_ in places)
        # All runs without a group would be one group.
        if not run or group in ("", *MISSING):
            what = f"run '{excerpt(run)}' of group '{excerpt(group)}'"
            raise InputError(f"{what}, expected a run and its group", source.name, line)
        if run in groups:
            raise InputError(f"run '{excerpt(run)}' appears twice, expected it once", source.name, line)
        groups[run] = group
    return Groups(source.name, groups)


class Others(NamedTuple):
    """The references of each group of a table's systems: all systems that do not belong to the group."""

    table: ScoreTable
    groups: Ints
    mean: Floats
    sd: Floats
    n: Ints

    @property
    def numbers_left(self) -> list[int]:
        """The numbers of references of the systems, on the topics where they have a score."""
        return [int(n) for n in np.unique(self.n[self.groups][~np.isnan(self.table.values)])]


def fit_others(table: ScoreTable, groups: Sequence[str] | None = None) -> Others:
    """Return the references of each system: the systems of other groups."""
    names = table.systems if groups is None else groups
    number = {name: i for i, name in enumerate(dict.fromkeys(names))}
    numbers = np.array([number[name] for name in names], dtype=np.int64)
    mean, sd, n = moments_without(table.values, numbers)
    if n.max(initial=0) < 2:
        what = f"{len(names)} runs" + (f" in {counted(len(number), 'group')}" if groups else "")
        raise InputError(f"{what}: fewer than two reference runs are left for each run, expected more of them")
    return Others(table, numbers, mean, sd, n)


def standardize_by_others(
    others: Others, scheme: str = "N", *, censor: bool = True, **parameters: Any
) -> ScoreTable:
    """Return the scores of all systems, standardized by the scores of other groups."""
    letter, table = schemes.scheme_letter(scheme), others.table
    if SCHEMES[letter].of_counts:
        scored = SCHEMES[letter].function(*_count_others(others))
    else:
        mean, sd = others.mean[others.groups], others.sd[others.groups]
        scored = schemes.apply_scheme(letter, table.values, mean, sd, censor=censor, **parameters)
    scored = np.where(topics_left_out(others, scheme, censor=censor), np.nan, scored)
    return schemes.standardized_table(table, letter, scored)


def _count_others(others: Others) -> tuple[Floats, Floats, Floats]:
    """Count the references below each score, and those at most as high: all systems minus the group."""
    # Scores that are equal but for noise among all systems are so in each group.
    values = rounded(others.table.values, decimals(others.table.values, axis=0))
    below, at_most, n = map(np.array, count_references(values, values))
    for group in np.unique(others.groups):
        inside = others.groups == group
        own_below, own_at_most, own_n = count_references(values[inside], values[inside])
        below[inside] -= own_below
        at_most[inside] -= own_at_most
        n[inside] -= np.nan_to_num(own_n)
    return below, at_most, np.where(n >= 2, n, np.nan)


def topics_left_out(others: Others, scheme: str, *, censor: bool = True) -> Bools:
    """Return True where a scheme leaves a topic out for all systems: the references of some group are all equal."""
    equal: Bools = (others.sd == 0).any(axis=0)
    return equal if schemes.leaves_out_equal_references(scheme, censor) else np.zeros_like(equal)


def standardize_without(
    table: ScoreTable, groups: Sequence[str] | None, wanted: Sequence[str], **of_u: Any
) -> Standardized:
    """Standardize each run by the runs of other groups, see `standardize_all`."""
    others = fit_others(table, groups)
    tables = {each: table if each == "raw" else standardize_by_others(others, each, **of_u) for each in wanted}
    left_out = {each: topics_left_out(others, each, censor=of_u["censor"]) for each in wanted}
    n = others.n[others.groups]
    is_alone = (n < 2).all(axis=(1, 2))
    raw = replace(table, values=np.where(is_alone[:, np.newaxis, np.newaxis], np.nan, table.values))
    return Standardized(tables, left_out, raw, n[n > 1], tuple(compress(table.systems, is_alone)))
