"""Tidy rows, as the meta-evaluation commands write them: one row per observation, one column per quantity."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from stdeval.errors import InputError
from stdeval.frames import Frame, columns_of, is_frame
from stdeval.measures.names import SCHEME_LETTERS, standardized_name
from stdeval.measures.publication import publication_name
from stdeval.plots.number_texts import plain
from stdeval.short_names import SEPARATOR, short_fields
from stdeval.table import Bools, Floats

Rows = Mapping[str, Sequence[Any]]
"""Columns by name, each with one value per row: strings as read from CSV, or numbers."""

RowsLike = Rows | Frame
"""Rows, or a data frame of them."""

COEFFICIENTS = {
    "tau": "\N{GREEK SMALL LETTER TAU}_b",
    "tau_b": "\N{GREEK SMALL LETTER TAU}_b",
    "tau_ap": "\N{GREEK SMALL LETTER TAU}_AP",
    "tau_ap_b": "\N{GREEK SMALL LETTER TAU}_AP,b",
}
"""Coefficients of rank correlation as papers print them; others are printed as they are named."""

CONDITIONS = ("experiment", "systems", "topics", "trial_topics", "pooled", "confidence", "seed", "trials")
"""The columns that are the same in all rows that one command wrote: another value is of another experiment."""

DEFAULTS = {
    "collection": "",
    "experiment": "",
    "how": "random",
    "form": "raw",
    "method": "",
    "scheme": "raw",
    "aggregate": "am",
    "epsilon": "",
    "test": "t",
}
"""The columns of conditions that a picture names, and those that go without saying if all rows have them."""

LONGEST = 60
"""Number of characters of a condition, such as the name of a file, beside an axis."""

Group = tuple[str, Bools]
"""A label, and a mask of the rows that it names."""


def checked_rows(given: RowsLike, required: Sequence[str]) -> Rows:
    """Return rows, which may be given as a data frame, as columns by name.

    Raises
    ------
    InputError
        If a required column is missing, columns differ in length, or there are no rows.

    Examples
    --------
    >>> checked_rows({"alpha": [0.01], "power": [0.5]}, ["power"])
    {'alpha': [0.01], 'power': [0.5]}
    """
    rows = columns_of(given) if is_frame(given) else given
    if not isinstance(rows, Mapping):
        raise InputError(f"rows of type {type(given).__name__}, expected columns by name, or a data frame")
    missing = [name for name in required if name not in rows]
    if missing:
        raise InputError(f"no column '{missing[0]}', expected: {', '.join(required)}")
    if len({len(column) for column in rows.values()}) > 1:
        raise InputError("columns of different lengths, expected a value in each column of each row")
    if not len(rows[required[0]]):
        raise InputError("no rows to draw")
    return rows


def check_distinct(rows: Rows, names: Sequence[str]) -> None:
    """Refuse two rows that agree in all of these columns: they are of different experiments, not of one curve."""
    keys = zip(*([str(field) for field in rows[name]] for name in names if name in rows), strict=True)
    seen: set[tuple[str, ...]] = set()
    for i, key in enumerate(keys):
        if key in seen:
            what = f"a second row for {', '.join(filter(None, key))}"
            raise InputError(f"{what}, expected one, or NAME=FILE for the files of several experiments", line=i + 2)
        seen.add(key)


def check_same(rows: Rows, names: Sequence[str] = (), within: Sequence[str] = ("collection",)) -> None:
    """Refuse rows of different experiments that would be drawn as those of one.

    Parameters
    ----------
    rows : mapping of columns
    names : sequence of str
        The columns that tell experiments of this kind apart, besides ``CONDITIONS``. Files of older versions have
        fewer columns: those that are not there are not compared.
    within : sequence of str
        Rows are compared if they agree in these columns; rows of files with different names are not.
    """
    known = [rows[name] for name in within if name in rows]
    for name in filter(rows.__contains__, (*CONDITIONS, *names)):
        first: dict[tuple[str, ...], str] = {}
        for i, field in enumerate(rows[name]):
            label = tuple(str(column[i]) for column in known)
            if first.setdefault(label, str(field)) != str(field):
                what = f"{name} {field}, and {first[label]} above, expected the same"
                raise InputError(f"{what}, or NAME=FILE for the files of several experiments", line=i + 2)


def numbers(rows: Rows, name: str) -> Floats:
    """Return a column as float64, with NaN for empty fields.

    Raises
    ------
    InputError
        If a field is not a number. Its line counts the header as line 1.

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
        if math.isinf(values[i]):
            raise InputError(f"'{field}' in column '{name}', expected a finite number", line=i + 2)
    return values


def some_numbers(rows: Rows, name: str) -> Floats:
    """Return a column as `numbers` does, but refuse one without any number."""
    values = numbers(rows, name)
    if np.isnan(values).all():
        raise InputError(f"no number in column '{name}', expected some to draw")
    return values


def check_correlations(rows: Rows, name: str) -> None:
    """Refuse a column with numbers outside -1 to 1, which are not correlations."""
    outside = np.flatnonzero(np.abs(numbers(rows, name)) > 1 + 1e-9)
    if len(outside):
        found = f"'{rows[name][outside[0]]}' in column '{name}'"
        raise InputError(f"{found}, expected a correlation from -1 to 1", line=int(outside[0]) + 2)


def taken(rows: Rows, chosen: Bools) -> Rows:
    """Return some of the rows."""
    return {name: np.asarray(column, dtype=object)[chosen].tolist() for name, column in rows.items()}


def groups(rows: Rows, names: Sequence[str]) -> list[Group]:
    """Group the rows that agree in some columns, in the order in which the groups first appear.

    A label holds the measure and the fields that differ between groups, or all fields if there is only one group,
    as papers print them. If all rows have the same scheme, the measure has its letter. Missing columns are ignored.

    Examples
    --------
    >>> rows = {"measure": ["map", "map"], "scheme": ["raw", "N"]}
    >>> [(label, mask.tolist()) for label, mask in groups(rows, ["measure", "scheme"])]
    [('AP, raw', [True, False]), ('AP, N', [False, True])]
    >>> [label for label, _ in groups({"measure": ["map", "P_10"], "scheme": ["N", "N"]}, ["measure", "scheme"])]
    ['N-AP', 'N-P@10']
    """
    rows = _with_letter(rows)
    present = [name for name in names if name in rows]
    keys = list(zip(*([str(field) for field in rows[name]] for name in present), strict=True))
    if not keys:
        n = len(next(iter(rows.values())))
        return [("", np.ones(n, dtype=np.bool_))]
    codes = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    code = np.array([codes[key] for key in keys])
    differing = [
        i
        for i, name in enumerate(present)
        if len(codes) == 1 or name == "measure" or len({key[i] for key in codes}) > 1
    ]
    printed = [_PRINTED.get(name, str) for name in present]
    # a field that is empty, or the same as an earlier one, says nothing in a label
    return [
        (SEPARATOR.join(dict.fromkeys(printed[i](key[i]) for i in differing if key[i])), code == codes[key])
        for key in codes
    ]


def _with_letter(rows: Rows) -> Rows:
    """Return rows of one scheme, other than raw, with its letter before their measures instead of a scheme."""
    schemes = {str(scheme).upper() for scheme in rows.get("scheme", ())}
    if "measure" not in rows or len(schemes) != 1 or not schemes <= {*SCHEME_LETTERS}:
        return rows
    letter = schemes.pop()
    names = [standardized_name(letter, str(measure)) for measure in rows["measure"]]
    return {**rows, "measure": names, "scheme": [""] * len(names)}


def unsaid(rows: Rows, said: Iterable[Group]) -> str:
    """Return the conditions that all rows have and no label says, except the `DEFAULTS`.

    Examples
    --------
    >>> rows = {"measure": ["map", "P_10"], "how": ["hard-easy"] * 2, "aggregate": ["am"] * 2}
    >>> unsaid(rows, groups(rows, ["measure", "how"])), unsaid(rows, groups(rows, ["how"]))
    ('hard-easy', '')
    """
    rows = _with_letter(rows)
    labels = [f"{SEPARATOR}{label}{SEPARATOR}" for label, _ in said]
    shared = {name: shared_field(rows, name) for name in DEFAULTS}
    told = {name: field for name, field in shared.items() if field not in ("", DEFAULTS[name])}
    fields = [_PRINTED.get(name, str)(field) for name, field in told.items()]
    said_in = {field: [label for label in labels if f"{SEPARATOR}{field}{SEPARATOR}" in label] for field in fields}
    return short_fields([SEPARATOR.join(field for field in fields if not said_in[field])], LONGEST)[0]


def shared_field(rows: Rows, name: str) -> str:
    """Return the field that all rows have in a column; empty if they differ, or if there is no such column."""
    fields = {str(field) for field in rows.get(name, ())}
    return fields.pop() if len(fields) == 1 else ""


_PRINTED: Mapping[str, Callable[[str], str]] = {
    "measure": publication_name,
    "coefficient": lambda name: COEFFICIENTS.get(name, name),
    "alpha": lambda level: f"alpha {plain(float(level))}",
    "experiment": lambda name: f"meta {name}",
    "confidence": lambda level: f"{100 * float(level):g}% intervals",
}
"""How papers print the fields of some columns."""


def period(labels: Sequence[str]) -> int:
    """Return the number of groups after which a field of their labels repeats; 1 if none repeats.

    Examples
    --------
    >>> period(["map, raw", "map, expanded", "P_10, raw", "P_10, expanded"]), period(["map", "P_10"])
    (2, 1)
    """
    fields = [label.split(SEPARATOR) for label in labels]
    if len({len(label) for label in fields}) > 1:
        return 1
    for values in zip(*fields, strict=True):
        n = len(set(values))
        if 1 < n < len(values) and values == (values[:n] * len(values))[: len(values)]:
            return n
    return 1


def aligned(labels: Sequence[str]) -> tuple[list[int], int]:
    """Return the places of panels in a grid, and after how many places they repeat.

    If some of the groups lack a panel that most of them have, such as the measures without an expanded form, its
    place stays empty.

    Examples
    --------
    >>> aligned(["AP, raw", "AP, expanded", "AP, N", "DCG, raw", "DCG, N"]), aligned(["AP", "DCG"])
    (([0, 1, 2, 3, 5], 3), ([0, 1], 1))
    """
    parts = [label.partition(SEPARATOR) for label in labels]
    rows, columns = (list(dict.fromkeys(part[i] for part in parts)) for i in (0, 2))
    n_empty = len(rows) * len(columns) - len(labels)
    if len(columns) < 2 or not 0 < n_empty < len(rows):
        return list(range(len(labels))), period(labels)
    return [rows.index(first) * len(columns) + columns.index(rest) for first, _, rest in parts], len(columns)


def arrange(rows: Rows, panels: Sequence[str], series: Sequence[str]) -> tuple[list[Group], list[Group]]:
    """Group rows into panels by some columns, and into series within the panels by others.

    If there is only one series, the measures become the series of one panel: panels of one line each would be
    hard to compare.
    """
    if "measure" in panels and len(groups(rows, series)) == 1:
        panels = [name for name in panels if name != "measure"]
        series = ["measure", *series]
    return groups(rows, panels), groups(rows, series)


def cells(panel: Group, series: Sequence[Group]) -> Iterator[tuple[int, str, Bools]]:
    """Yield the place among all series, the label and the rows of each series that has rows in a panel."""
    for i, (label, mask) in enumerate(series):
        chosen = mask & panel[1]
        if chosen.any():
            yield i, label, chosen
