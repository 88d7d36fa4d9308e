"""Read the groups of runs from a CSV file with the columns run and group."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from stdeval.display import counted, excerpt, listed
from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.formats.tables import check_widths, read_rows

HEADER = ["run", "group"]


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
        With the line, if the header is not ``run,group``, a row is ragged or lacks a name, or a run appears twice.
    """
    header, *rows = read_rows(source)
    if header.cells != HEADER:
        what = f"header '{excerpt(','.join(header.cells))}', expected run,group"
        raise InputError(what, source.name, header.line)
    check_widths(rows, len(HEADER), source.name)
    found = Groups(source.name, {}, {})
    for line, (run, group) in rows:
        if not run or not group:
            raise InputError("an empty field, expected a run and its group", source.name, line)
        if run in found.groups:
            raise InputError(f"run '{excerpt(run)}' a second time, expected each once", source.name, line)
        found.groups[run], found.lines[run] = group, line
    return found
