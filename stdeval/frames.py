"""Data frames of pandas and of libraries like it, which are recognized by their columns and not imported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import index
from typing import Any, Protocol, TypeGuard

from stdeval.display import counted, excerpt, listed
from stdeval.errors import InputError

TOPIC_COLUMNS = ("topic", "qid", "query_id", "q_id", "query")
"""The names that libraries give to the column of topics.

That of trectools is the last, since ``query`` is the text of a topic in PyTerrier, which has ``qid`` too.
"""

SYSTEM_COLUMNS = ("run", "name", "system", "tag", "runid", "run_id", "runtag")
"""Names of the column of systems in libraries and in files of runs."""


class Frame(Protocol):
    """A table with named columns, such as a `pandas.DataFrame`."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""

    def __getitem__(self, name: Any, /) -> Any:
        """Return the column of this name."""


def is_frame(given: object) -> TypeGuard[Frame]:
    """Return whether an object has named columns.

    Examples
    --------
    >>> is_frame({"1": {"a": 1}})
    False
    """
    return hasattr(given, "columns") and hasattr(given, "__getitem__") and not isinstance(given, Mapping)


def column_names(frame: Frame) -> list[str]:
    """Return the names of the columns as text."""
    return [str(name) for name in frame.columns]


def first_column(frame: Frame, names: Sequence[str]) -> str | None:
    """Return the first of these names that a column has; None if there is no such column."""
    present = column_names(frame)
    return next((name for name in names if name in present), None)


def column_of(frame: Frame, names: Sequence[str]) -> list[Any]:
    """Return the values of the first column that has one of these names, by which libraries call it.

    Raises
    ------
    InputError
        If there is no such column, or more than one.
    """
    name = first_column(frame, names)
    if name is None:
        others = f" (or {', '.join(names[1:])})" if names[1:] else ""
        raise InputError(f"no column {names[0]}{others}; the columns are {listed(column_names(frame))}")
    if (n := column_names(frame).count(name)) > 1:
        raise InputError(f"{n} columns {name}, expected one")
    return _values(frame[name])


def system_of(frame: Frame) -> str | None:
    """Return the name of the only system, from the first column of names; None if no column has names.

    Raises
    ------
    InputError
        If there are several names in one of these columns, or rows without a name beside others.
    """
    found = []
    for column in (name for name in SYSTEM_COLUMNS if name in column_names(frame)):
        cells = _values(frame[column])
        names = list(dict.fromkeys(str(name) for name in cells if not _is_missing(name)))
        if len(names) > 1:
            what = f"a data frame with {len(names)} names in the column '{column}' ({listed(names)})"
            several = f"for several runs, pass dict(list(frame.groupby('{column}')))"
            raise InputError(f"{what}, expected one run; {several}, and for one, drop the column")
        if names and (n_missing := sum(map(_is_missing, cells))):
            has = "has" if n_missing == 1 else "have"
            what = f"{n_missing} of {counted(len(cells), 'row')} of a data frame {has} no name in the column"
            one = f"expected '{excerpt(names[0])}' in all rows; for one run, drop the column"
            raise InputError(f"{what} '{column}', {one}")
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
    """Return a topic, docno or run of a data frame as text; data frames often hold numbers for them.

    Examples
    --------
    >>> identifier("301", "topic"), identifier(301, "topic")
    ('301', '301')
    """
    if isinstance(value, str):
        return value
    try:
        return str(index(value))  # type: ignore[arg-type]
    except TypeError:
        cast = " (.astype(int))" if isinstance(value, float) and value.is_integer() else ""
        found = f"{kind} {excerpt(repr(value))} in a data frame"
        raise InputError(f"{found}, expected text or a whole number{cast}") from None


def data_frame(columns: Mapping[str, Iterable[object]]) -> Any:
    """Return a `pandas.DataFrame` with these columns.

    Raises
    ------
    InputError
        If pandas is not installed.
    """
    try:
        import pandas as pd  # an optional dependency, and slow to import
    except ImportError:
        raise InputError("data frames need pandas: pip install 'stdeval[pandas]'") from None
    return pd.DataFrame({name: list(values) for name, values in columns.items()})
