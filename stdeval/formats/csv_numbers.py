"""The numbers in the cells of CSV files: plain decimals, of which some may be missing."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from stdeval.display import excerpt
from stdeval.errors import InputError
from stdeval.formats.csv_rows import MISSING, Row
from stdeval.table import Floats

# float() would also accept "1_0", "inf" and the digits of other scripts. No digit can be matched by two parts, so
# that a long field takes linear time; and an exponent has few enough digits for int().
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,30})?")

_LONGEST_PLAIN = 30
"""If float() converts a text of these characters only, `_NUMBER` matches it."""

_FULL_DIGITS = 12
"""A file has full precision if a number has at least this many significant digits; rounding leaves fewer."""


def parse_number(text: str, file_name: str, line: int, label: str) -> float:
    """Return the number that a field holds as a plain decimal, NaN for a missing one.

    Parameters
    ----------
    text : str
    file_name, line, label
        Where the field is, and what messages call it.
    """
    if text in MISSING:
        return math.nan
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise InputError(f"{label} '{excerpt(text)}', expected a finite decimal number", file_name, line)
    return value


def parse_non_negative(text: str, file_name: str, line: int, label: str) -> float:
    """Return a number that is at least 0, NaN for a missing one, see `parse_number`."""
    value = parse_number(text, file_name, line, label)
    if value < 0:
        raise InputError(f"{label} '{excerpt(text)}', expected a number from 0", file_name, line)
    return value


def is_number(text: str) -> bool:
    """Return whether a field holds a plain decimal or is missing."""
    return text in MISSING or _NUMBER.fullmatch(text) is not None


def printed_decimals(numbers: Iterable[str]) -> int | None:
    """Return the number of decimals with which numbers are printed, the most of any; None for full precision.

    Parameters
    ----------
    numbers : iterable of str
        Fields that `parse_number` accepts.

    Examples
    --------
    >>> printed_decimals(["0.5000", "2.5e-3"]), printed_decimals(["0.5", "0.3535533905932738"])
    (4, None)
    """
    most = 0
    for number in numbers:
        if number in MISSING:
            continue
        digits, _, exponent = number.lower().partition("e")
        whole, _, fraction = digits.lstrip("+-").partition(".")
        decimals = len(fraction) - int(exponent or 0)
        if len((whole + fraction).lstrip("0")) >= _FULL_DIGITS or decimals >= _FULL_DIGITS:
            return None
        most = max(most, decimals)
    return most


def parse_columns(
    rows: Sequence[Row],
    places: Mapping[str, int],
    parse: Callable[[str, str, int, str], float],
    file_name: str,
    label: str | None = None,
) -> Floats:
    """Return columns of numbers.

    Parameters
    ----------
    rows : sequence of Row
    places : mapping of str to int
        The index in its row of each column, by the name that messages use.
    parse : callable
        `parse_number` or `parse_non_negative`.
    file_name : str
    label : str, optional
        The name that messages use for all columns.

    Returns
    -------
    ndarray, shape (len(rows), len(places))
    """
    columns = [_plain_numbers([row.cells[place] for row in rows]) for place in places.values()]
    usual = [column for column in columns if column is not None]
    if len(usual) == len(columns) and (parse is parse_number or min(map(min, usual), default=0.0) >= 0):
        numbers: Floats = np.array(usual, dtype=np.float64).reshape(len(columns), len(rows)).T
        return numbers
    values = [
        [parse(row.cells[place], file_name, row.line, label or column) for column, place in places.items()]
        for row in rows
    ]
    return np.array(values, dtype=np.float64)


def _plain_numbers(texts: Sequence[str]) -> list[float] | None:
    """Convert a column of numbers at once; None if a text needs a closer look by `parse_number`."""
    joined = "".join(texts).encode("utf-8", "surrogatepass")
    # float() also takes blanks, underscores, nan and inf, none of which consists of these characters, and exponents
    # of any length, which a short text cannot hold.
    if joined.translate(None, b"0123456789.eE+-") or max(map(len, texts), default=0) > _LONGEST_PLAIN:
        return None
    try:
        numbers = list(map(float, texts))
    except ValueError:
        return None
    return numbers if numbers and all(map(math.isfinite, numbers)) else None
