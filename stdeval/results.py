"""Data frames of other libraries, and rows with named fields, as consoles and notebooks show them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from html import escape
from operator import index
from typing import Any, Generic, Protocol, TypeGuard, TypeVar, overload

from stdeval.errors import InputError, counted, displayed, excerpt, listed

# that of trectools is the last, since ``query`` is the text of a topic in PyTerrier, which has ``qid`` too
TOPIC_COLUMNS = ("topic", "qid", "query_id", "query-id", "q_id", "query")
SYSTEM_COLUMNS = ("run", "name", "system", "tag", "runid", "run_id", "runtag")


class Frame(Protocol):
    """A table with named columns, such as a `pandas.DataFrame`."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""

    def __getitem__(self, name: Any, /) -> Any: ...


def is_frame(given: object) -> TypeGuard[Frame]:
    """Return whether an object has named columns."""
    return hasattr(given, "columns") and hasattr(given, "__getitem__") and not isinstance(given, Mapping)


def column_names(frame: Frame) -> list[str]:
    """Return the names of the columns as text."""
    return [str(name) for name in frame.columns]


def column_of(frame: Frame, names: Sequence[str]) -> list[Any]:
    """Return the values of the first column that has one of these names, by which libraries call it."""
    present = column_names(frame)
    name = next((name for name in names if name in present), None)
    if name is None:
        others = f" (or {', '.join(names[1:])})" if names[1:] else ""
        raise InputError(f"no column {names[0]}{others}; the columns are {listed(present)}")
    return _values(frame[name])


def system_of(frame: Frame) -> str | None:
    """Return the name of the only system, from the first column of names; None if no column has names."""
    found = []
    for column in (name for name in SYSTEM_COLUMNS if name in column_names(frame)):
        names = list(dict.fromkeys(str(name) for name in _values(frame[column]) if not _is_missing(name)))
        if len(names) > 1:
            what = f"a data frame with {len(names)} names in the column '{column}' ({listed(names)})"
            several = f"for several runs, pass dict(list(frame.groupby('{column}')))"
            raise InputError(f"{what}, expected one run; {several}, and for one, drop the column")
        found += names
    return found[0] if found else None


def columns_of(frame: Frame) -> dict[str, list[Any]]:
    """Return the columns by name, with empty text for a missing value, as a CSV file has it."""
    columns = {str(name): _values(frame[name]) for name in frame.columns}
    return {name: ["" if _is_missing(cell) else cell for cell in cells] for name, cells in columns.items()}


def _is_missing(cell: object) -> bool:
    # comparing pandas.NA with itself gives pandas.NA, which is neither true nor false
    return cell is None or str(cell) in ("nan", "<NA>")


def _values(column: Any) -> list[Any]:
    return list(column.tolist() if hasattr(column, "tolist") else column)


def identifier(value: object, kind: str) -> str:
    """Return a topic, docno or run of a data frame as text; data frames often hold numbers for them."""
    if isinstance(value, str):
        return value
    try:
        return str(index(value))  # type: ignore[arg-type]
    except TypeError:
        found = f"{kind} {excerpt(repr(value))} in a data frame"
        raise InputError(f"{found}, expected text or a whole number (.astype(int))") from None


def data_frame(columns: Mapping[str, Iterable[object]]) -> Any:
    """Return a `pandas.DataFrame` with these columns."""
    try:
        import pandas as pd  # an optional dependency, and slow to import
    except ImportError:
        raise InputError("data frames need pandas: pip install 'stdeval[pandas]'") from None
    return pd.DataFrame({name: list(values) for name, values in columns.items()})


Row = TypeVar("Row")
MOST_ROWS = 20  # that a console or a notebook shows


class Results(Sequence[Row], Generic[Row]):
    """Rows of results, each of the same ``kind``: a `typing.NamedTuple` or a dataclass.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> Mean = NamedTuple("Mean", [("system", str), ("score", float)])
    >>> Results(Mean, [Mean("a", 0.25), Mean("b", 0.5)])
    2 rows of Mean
    system   score
    a       0.2500
    b       0.5000
    """

    def __init__(self, kind: type[Row], rows: Sequence[Row]) -> None:
        self.kind, self._rows = kind, tuple(rows)
        named: Any = kind
        self.fields: tuple[str, ...] = getattr(kind, "_fields", ()) or tuple(field.name for field in fields(named))

    @overload
    def __getitem__(self, place: int, /) -> Row: ...
    @overload
    def __getitem__(self, place: slice, /) -> Results[Row]: ...
    def __getitem__(self, place: int | slice, /) -> Row | Results[Row]:
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

    def to_frame(self) -> Any:
        """Return a `pandas.DataFrame` with a column per field."""
        return data_frame({name: [getattr(row, name) for row in self._rows] for name in self.fields})

    def __repr__(self) -> str:
        lines = [f"{counted(len(self), 'row')} of {self.kind.__name__}"]
        grid = [list(self.fields)]
        grid += [[shown(getattr(row, name)) for name in self.fields] for row in self._rows[:MOST_ROWS]]
        if len(self):
            widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
            numeric = [isinstance(getattr(self._rows[0], name), (int, float)) for name in self.fields]
            for row in grid:
                cells = zip(row, widths, numeric, strict=True)
                lines.append("  ".join(cell.rjust(n) if right else cell.ljust(n) for cell, n, right in cells))
        return "\n".join(line.rstrip() for line in [*lines, *(["..."] if len(self) > MOST_ROWS else [])])

    def _repr_html_(self) -> str:
        rows = [[getattr(row, name) for name in self.fields] for row in self._rows]
        return html_table(self.fields, rows, f"{counted(len(self), 'row')} of {self.kind.__name__}")


def shown(cell: object) -> str:
    """Return a cell for readers: decimals rounded, ``-`` if it is missing, no control characters."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "-"
    if isinstance(cell, float):
        # a p-value of 1.2e-7 must not look like 0
        return f"{cell:.4f}" if cell == 0 or abs(cell) >= 5e-5 else f"{cell:.3g}"
    return displayed(str(cell))


def html_table(header: Sequence[str], rows: Sequence[Sequence[object]], caption: str) -> str:
    """Return an HTML table of the first `MOST_ROWS` rows; numbers are flush right."""
    head = "".join(f"<th>{escape(displayed(name))}</th>" for name in header)
    left = ' style="text-align: left"'
    lines = [
        "".join(f"<td{left if isinstance(cell, str) else ''}>{escape(shown(cell))}</td>" for cell in row)
        for row in rows[:MOST_ROWS]
    ]
    if len(rows) > MOST_ROWS:
        lines.append(f'<td colspan="{len(header)}">... and {len(rows) - MOST_ROWS} more</td>')
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><caption>{escape(displayed(caption))}</caption><tr>{head}</tr>{body}</table>"
