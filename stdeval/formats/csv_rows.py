"""The rows of CSV files, each with its line for messages, checks of their shape, and the numbers in them."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from stdeval.display import counted, excerpt
from stdeval.errors import InputError
from stdeval.files import BLANKS, MOST_CELLS, Input, numbered_lines
from stdeval.formats.listing import ORIGIN, UNKNOWN
from stdeval.provenance import Origin
from stdeval.table import Floats

MISSING = ("", "NA", "NaN", "nan")  # missing values: an empty field, and the forms of R and pandas


class Row(NamedTuple):
    """A row of a CSV file: the line on which it begins, and its cells."""

    line: int
    cells: list[str]


def read_rows(source: Input) -> list[Row]:
    """Return the rows of a CSV file, the header first, without blank ones."""
    return list(iter_rows(numbered_lines(source), source.name))


def iter_rows(lines: Iterable[tuple[int, str]], file_name: str) -> Iterator[Row]:
    """Yield the rows of a CSV file that are not blank, as its lines are read; refuse a file without rows."""
    # a quoted cell may span lines
    of_row: list[int] = []

    def text(numbered: tuple[int, str]) -> str:
        of_row.append(numbered[0])
        if len(numbered[1]) > MOST_CELLS and numbered[1].count(",") > MOST_CELLS:
            raise InputError(f"more than {MOST_CELLS} commas in a line, expected fewer", file_name, numbered[0])
        return f"{numbered[1]}\n"

    is_empty = True
    try:
        for cells in csv.reader(map(text, lines), strict=True):
            stripped = [cell.strip(BLANKS) for cell in cells]
            if any(stripped):
                is_empty = False
                yield Row(of_row[0], stripped)
            of_row.clear()
    except csv.Error as error:
        found = f"not CSV: {str(error).partition(' - ')[0]}"
        raise InputError(f"{found}, expected commas and paired quotation marks", file_name, of_row[0]) from None
    if is_empty:
        raise InputError("no rows, expected a CSV file with a header", file_name)


def check_widths(rows: Sequence[Row], width: int, file_name: str) -> None:
    """Refuse the first row whose number of cells differs from that of the header."""
    for row in rows:
        if len(row.cells) != width:
            found = counted(len(row.cells), "column")
            raise InputError(f"{found}, expected the {width} of the header", file_name, row.line)


def check_names(names: Sequence[str], lines: Iterable[int], kind: str, file_name: str) -> None:
    """Refuse the first name of a kind, such as column or topic, that is empty, or another's."""
    seen: set[str] = set()
    for name, line in zip(names, lines, strict=False):
        if not name or name in seen:
            fault = f"{kind} '{name}' twice" if name else f"a {kind} without name"
            raise InputError(f"{fault}, expected names that differ", file_name, line)
        seen.add(name)


def read_tidy(
    sources: Sequence[Input], collections: Sequence[str] = ()
) -> tuple[dict[str, list[str]], list[tuple[str, int]]]:
    """Return the columns of CSV files with the same header, and the file and line of each row."""
    names: list[str] = []
    cells, places = [], []
    for i, source in enumerate(sources):
        header, *rows = read_rows(source)
        check_names(header.cells, repeat(header.line), "column", source.name)
        check_widths(rows, len(header.cells), source.name)
        if names not in ([], header.cells):
            raise InputError(f"expected the header of {sources[0].name}", source.name, header.line)
        names = header.cells
        cells += [[*row.cells, *collections[i : i + 1]] for row in rows]
        places += [(source.name, row.line) for row in rows]
    if not cells:
        raise InputError("no rows below the header", sources[0].name)
    names = [*names, "collection"] if collections else names
    return {name: [row[i] for row in cells] for i, name in enumerate(names)}, places


TopicOrigin = tuple[str | None, str | None]  # the judgments and the options of a topic; None if they are unknown


def origin_of_row(row: Row, places: Mapping[str, int], signed_options: str | None = None) -> TopicOrigin:
    """Return the judgments and options in a row of scores or factors, or in its signature."""
    judgments, options = (row.cells[places[name]] if name in places else "" for name in ORIGIN)
    if "options" not in places or options == UNKNOWN or not (judgments or options):
        return judgments or None, signed_options
    # a program may write the empty field of the default options as a missing value
    return judgments or None, "" if options in MISSING else options


def origin_of_topics(found: Mapping[str, TopicOrigin]) -> Origin:
    """Return the origin of topics with these judgments and options, where they are known."""
    judgments = {topic: judgments for topic, (judgments, _) in found.items() if judgments is not None}
    return Origin(judgments, {topic: options for topic, (_, options) in found.items() if options is not None})


# float() would also accept "1_0", "inf" and the digits of other scripts. No digit can be matched by two parts, so
# that a long field takes linear time; and an exponent has few enough digits for int().
_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,30})?"

_FULL_DIGITS = 12  # a file with so many significant digits in a number has full precision; rounding leaves fewer


def is_number(text: str) -> bool:
    """Return whether a field holds a plain decimal or is missing."""
    return text in MISSING or re.fullmatch(_NUMBER, text) is not None


def parse_number(text: str, file_name: str, line: int, label: str, least: float = -math.inf) -> float:
    """Return the number that a field holds as a plain decimal, NaN for a missing one."""
    if text in MISSING:
        return math.nan
    value = float(text) if re.fullmatch(_NUMBER, text) else math.nan
    if not (math.isfinite(value) and value >= least):
        expected = f"a number from {least:g}" if value < least else "a finite decimal number"
        raise InputError(f"{label} '{excerpt(text)}', expected {expected}", file_name, line)
    return value


def parse_columns(
    rows: Sequence[Row], places: Mapping[str, int], file_name: str, label: str = "", least: float = -math.inf
) -> Floats:
    """Return the numbers in the columns with these names and places, shape (n_rows, n_columns)."""
    plain = [_plain_numbers([row.cells[place] for row in rows]) for place in places.values()]
    if all(column and min(column) >= least for column in plain):
        return np.array(plain).T.reshape(len(rows), len(places))
    parsed = [
        parse_number(row.cells[place], file_name, row.line, label or name, least)
        for row in rows
        for name, place in places.items()
    ]
    return np.array(parsed).reshape(len(rows), len(places))


def _plain_numbers(texts: Sequence[str]) -> list[float]:
    """Convert a column of numbers at once; return none if a text needs a closer look by `parse_number`."""
    joined = "".join(texts).encode("utf-8", "surrogatepass")
    # float() also takes blanks, underscores, nan and inf, none of which consists of these characters, and exponents
    # of any length, which a text of 30 characters cannot hold.
    if joined.translate(None, b"0123456789.eE+-") or max(map(len, texts), default=0) > 30:
        return []
    try:
        numbers = list(map(float, texts))
    except ValueError:
        return []
    return numbers if all(map(math.isfinite, numbers)) else []


def printed_decimals(numbers: Iterable[str]) -> int | None:
    """Return the number of decimals with which numbers are printed, the most of any; None for full precision."""
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
