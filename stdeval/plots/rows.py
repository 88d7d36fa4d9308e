"""Tidy rows, as the meta-evaluation commands write them: one row a cell, one column a quantity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from stdeval.errors import InputError
from stdeval.table import Bools, Floats

Rows = Mapping[str, Sequence[Any]]
"""Columns by name, each with a value a row: strings as read from CSV, or numbers."""

Group = tuple[str, Bools]
"""A label, and which rows it is of."""


def check_columns(rows: Rows, required: Sequence[str]) -> None:
    """Refuse rows that lack a column, whose columns differ in length, or that are none."""
    missing = [name for name in required if name not in rows]
    if missing:
        raise InputError(f"no column '{missing[0]}', expected: {', '.join(required)}")
    if len({len(column) for column in rows.values()}) > 1:
        raise InputError("columns of different lengths, expected a value in each column of each row")
    if not len(rows[required[0]]):
        raise InputError("no rows to draw")


def numbers(rows: Rows, name: str) -> Floats:
    """A column as float64; an empty field is NaN.

    Raises
    ------
    InputError
        If a field is no number; its line counts the header as the first.

    Examples
    --------
    >>> numbers({"alpha": ["0.01", ""]}, "alpha")
    array([0.01,  nan])
    """
    values = np.full(len(rows[name]), np.nan)
    for i, field in enumerate(rows[name]):
        try:
            values[i] = float(field) if field not in ("", None) else np.nan
        except ValueError:
            raise InputError(f"'{field}' in column '{name}', expected a number", line=i + 2) from None
    return values


def groups(rows: Rows, names: Sequence[str]) -> list[Group]:
    """The rows that agree in some columns, in the order in which they first appear.

    The label names what differs between groups, or everything where nothing does. Columns that are not
    there are as if empty.

    Examples
    --------
    >>> rows = {"measure": ["map", "map"], "scheme": ["raw", "N"]}
    >>> [(label, mask.tolist()) for label, mask in groups(rows, ["measure", "scheme"])]
    [('raw', [True, False]), ('N', [False, True])]
    """
    present = [name for name in names if name in rows]
    keys = list(zip(*([str(field) for field in rows[name]] for name in present), strict=True))
    if not keys:
        n = len(next(iter(rows.values())))
        return [("", np.ones(n, dtype=np.bool_))]
    distinct = list(dict.fromkeys(keys))
    telling = [i for i in range(len(present)) if len({key[i] for key in distinct}) > 1] or range(len(present))
    codes = {key: i for i, key in enumerate(distinct)}
    code = np.array([codes[key] for key in keys])
    return [(", ".join(dict.fromkeys(key[i] for i in telling if key[i])), code == codes[key]) for key in distinct]


def arrange(rows: Rows, panels: Sequence[str], series: Sequence[str]) -> tuple[list[Group], list[Group]]:
    """Panels and the series in them; where no series differs, the measures are the series of one panel."""
    if "measure" in panels and len(groups(rows, series)) == 1:
        panels = [name for name in panels if name != "measure"]
        series = ["measure", *series]
    return groups(rows, panels), groups(rows, series)


def cells(panel: Group, series: Sequence[Group]) -> Iterator[tuple[int, str, Bools]]:
    """The series that have rows in a panel: place among all series, label, rows."""
    for i, (label, mask) in enumerate(series):
        chosen = mask & panel[1]
        if chosen.any():
            yield i, label, chosen
