"""Results that Python programs get: rows with named fields, and how consoles and notebooks show them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from html import escape
from typing import Any, Generic, TypeVar, overload

from stdeval.display import counted, displayed
from stdeval.frames import data_frame

Row = TypeVar("Row")

MOST_ROWS = 20
"""The number of rows that a console or a notebook shows."""


class Results(Sequence[Row], Generic[Row]):
    """Rows of results, each with the same named fields.

    Parameters
    ----------
    kind : type
        The type of the rows, a `typing.NamedTuple` or a dataclass.
    rows : sequence of ``kind``

    Examples
    --------
    >>> from typing import NamedTuple
    >>> Mean = NamedTuple("Mean", [("system", str), ("score", float)])
    >>> means = Results(Mean, [Mean("a", 0.25), Mean("b", 0.5)])
    >>> means[1].score
    0.5
    >>> means
    2 rows of Mean
    system   score
    a       0.2500
    b       0.5000
    """

    def __init__(self, kind: type[Row], rows: Sequence[Row]) -> None:
        self.kind = kind
        self._rows = tuple(rows)

    @overload
    def __getitem__(self, place: int, /) -> Row: ...
    @overload
    def __getitem__(self, place: slice, /) -> Results[Row]: ...
    def __getitem__(self, place: int | slice, /) -> Row | Results[Row]:
        """Return one row, or the results with only these rows."""
        return Results(self.kind, self._rows[place]) if isinstance(place, slice) else self._rows[place]

    def __len__(self) -> int:
        return len(self._rows)

    def __bool__(self) -> bool:
        """Return True if there are rows and all are true; the outcome of a condition is true if it holds."""
        return bool(self._rows) and all(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Results) and self._rows == other._rows

    def __hash__(self) -> int:
        return hash(self._rows)

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields of each row."""
        kind: Any = self.kind
        return tuple(kind._fields if hasattr(kind, "_fields") else (field.name for field in fields(kind)))

    def to_frame(self) -> Any:
        """Return a `pandas.DataFrame` with a column per field.

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        return data_frame({name: [getattr(row, name) for row in self._rows] for name in self.fields})

    def _cells(self) -> list[list[str]]:
        return [[shown(getattr(row, name)) for name in self.fields] for row in self._rows[:MOST_ROWS]]

    def __repr__(self) -> str:
        lines = [f"{counted(len(self), 'row')} of {self.kind.__name__}"]
        grid = [list(self.fields), *self._cells()]
        if len(self):
            widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
            numeric = [isinstance(getattr(self._rows[0], name), (int, float)) for name in self.fields]
            lines += ["  ".join(_aligned(*cell) for cell in zip(row, widths, numeric, strict=True)) for row in grid]
        return "\n".join(line.rstrip() for line in [*lines, *(["..."] if len(self) > MOST_ROWS else [])])

    def _repr_html_(self) -> str:
        """The rows, as notebooks show them."""
        rows = [[getattr(row, name) for name in self.fields] for row in self._rows]
        return html_table(self.fields, rows, f"{counted(len(self), 'row')} of {self.kind.__name__}")


def _aligned(cell: str, width: int, is_number: bool) -> str:
    return cell.rjust(width) if is_number else cell.ljust(width)


def shown(cell: object) -> str:
    """Return a cell for readers: decimals rounded, ``-`` if it is missing, no control characters.

    Examples
    --------
    >>> shown(0.25), shown(7), shown(float("nan")), shown(True)
    ('0.2500', '7', '-', 'True')
    """
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "-"
    if isinstance(cell, float):
        # a p-value of 1.2e-7 must not look like 0
        return f"{cell:.4f}" if cell == 0 or abs(cell) >= 5e-5 else f"{cell:.3g}"
    return displayed(str(cell))


def html_table(header: Sequence[str], rows: Sequence[Sequence[object]], caption: str) -> str:
    """Return an HTML table of the first `MOST_ROWS` rows; numbers are flush right.

    Examples
    --------
    >>> html_table(["map"], [[0.25]], "<b>")
    '<table><caption>&lt;b&gt;</caption><tr><th>map</th></tr><tr><td>0.2500</td></tr></table>'
    """
    head = "".join(f"<th>{escape(displayed(name))}</th>" for name in header)
    lines = ["".join(_html_cell(cell) for cell in row) for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        lines.append(f'<td colspan="{len(header)}">... and {len(rows) - MOST_ROWS} more</td>')
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><caption>{escape(displayed(caption))}</caption><tr>{head}</tr>{body}</table>"


def _html_cell(cell: object) -> str:
    style = ' style="text-align: left"' if isinstance(cell, str) else ""
    return f"<td{style}>{escape(shown(cell))}</td>"
