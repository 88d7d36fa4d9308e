"""Read the groups of runs from a CSV file, such as a leaderboard, that has a column of runs and one of groups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from stdeval.display import counted, excerpt, listed
from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.formats.csv_rows import MISSING, check_widths, read_rows

RUN_COLUMNS = ("run", "tag")
GROUP_COLUMNS = ("group", "team")
"""The names of the columns that are read, the first one that the file has; other columns are ignored."""


class Groups(NamedTuple):
    """The groups of runs in a file.

    Parameters
    ----------
    file_name : str
    groups : dict of str to str
        Run to group.
    lines : dict of str to int
        The line of each run.
    """

    file_name: str
    groups: dict[str, str]
    lines: dict[str, int]

    def of(self, systems: Sequence[str], known: Collection[str] = ()) -> list[str]:
        """Return the group of each system.

        Parameters
        ----------
        systems : sequence of str
        known : collection of str
            Other runs that the file may name.

        Raises
        ------
        InputError
            If the file names any other run, or if a system has no group.
        """
        expected = {*systems, *known}
        for run, line in self.lines.items():
            if run not in expected:
                what = f"no run '{excerpt(run)}' is evaluated, expected one of: {listed(systems, 20)}"
                raise InputError(what, self.file_name, line)
        without = [system for system in systems if system not in self.groups]
        if without:
            what = (
                f"{len(without)} of {counted(len(systems), 'run')} without a group (e.g. '{excerpt(without[0])}')"
            )
            raise InputError(f"{what}, expected a row for each", self.file_name)
        return [self.groups[system] for system in systems]


def read_groups(source: Input) -> Groups:
    """Read the groups of runs.

    Raises
    ------
    InputError
        With the line, if there is no column of runs or of groups, a row is ragged or has no name, or a run appears
        twice.
    """
    header, *rows = read_rows(source)
    places = [_place(header.cells, names) for names in (RUN_COLUMNS, GROUP_COLUMNS)]
    if None in places:
        what = f"header '{excerpt(','.join(header.cells))}', expected the columns run and group"
        raise InputError(what, source.name, header.line)
    check_widths(rows, len(header.cells), source.name)
    for names in (RUN_COLUMNS, GROUP_COLUMNS):
        _refuse_different_columns(header.cells, rows, names, source.name)
    found = Groups(source.name, {}, {})
    for line, cells in rows:
        run, group = (cells[place] for place in places if place is not None)
        if not run or not group:
            raise InputError("an empty field, expected a run and its group", source.name, line)
        if group in MISSING:
            # All runs without a group would be one group.
            raise InputError(f"group '{group}', which is a missing value, expected a group", source.name, line)
        if run in found.groups:
            raise InputError(f"run '{excerpt(run)}' appears twice, expected it once", source.name, line)
        found.groups[run], found.lines[run] = group, line
    return found


def _refuse_different_columns(
    header: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]], names: Sequence[str], file_name: str
) -> None:
    """Refuse rows with different names in columns of the same meaning, only one of which would be read."""
    present = [header.index(name) for name in names if name in header]
    for line, cells in rows:
        found = list(dict.fromkeys(cells[place] for place in present))
        if len(found) > 1:
            both = " and ".join(f"'{excerpt(cell)}'" for cell in found)
            columns = " and ".join(header[place] for place in present)
            raise InputError(f"{both} in the columns {columns}, expected one such column", file_name, line)


def _place(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Return the place in a header of the first of these columns that it contains; None if it contains none."""
    return next((header.index(name) for name in names if name in header), None)
