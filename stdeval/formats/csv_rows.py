"""The rows of CSV files, each with its line for messages, checks of their shape, and the numbers in them.

`stdeval eval` runs through this module, so numpy is loaded where it is used.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from stdeval.display import counted, excerpt
from stdeval.errors import InputError
from stdeval.files import BLANKS, Input, LinesRead, TextLines, text_lines
from stdeval.formats.listing import Field, Listing
from stdeval.provenance import Origin

if TYPE_CHECKING:
    from stdeval.table import Floats

MISSING = ("", "NA", "NaN", "nan")
"""Missing values: an empty field, and the forms of R and pandas."""


class Row(NamedTuple):
    """A row of a CSV file: the line on which it begins, and its cells."""

    line: int
    cells: list[str]


def read_rows(source: Input) -> list[Row]:
    """Return the rows of a CSV file, the header first, without blank ones."""
    return list(iter_rows(text_lines(source), source.name))


# The messages of the csv module are about its arguments.
_FAULTS = {
    "new-line character": "a carriage return inside a line, expected quotes around it",
    "field larger": "a field of more than 131,072 characters, expected shorter ones",
    "unexpected end": "a quotation mark without a second one, expected both",
}


def iter_rows(lines: TextLines | LinesRead, file_name: str) -> Iterator[Row]:
    """Yield the rows of a CSV file that are not blank, as its lines are read; refuse a file without rows."""
    reader = csv.reader((f"{line}\n" for line in lines), strict=True)
    # a quoted cell may span lines; a row begins on the line that follows the last line of the row before
    line, is_empty = 1, True
    try:
        for cells in reader:
            stripped = [cell.strip(BLANKS) for cell in cells]
            if any(stripped):
                is_empty = False
                yield Row(line, stripped)
            line = lines.number(reader.line_num)
    except csv.Error as error:
        fault = next((words for start, words in _FAULTS.items() if str(error).startswith(start)), str(error))
        raise InputError(f"not CSV: {fault}", file_name, line) from None
    if is_empty:
        raise InputError("no rows, expected a CSV file with a header", file_name)


def check_widths(rows: Sequence[Row], width: int, file_name: str) -> None:
    """Refuse the first row whose number of cells differs from that of the header."""
    for row in rows:
        if len(row.cells) != width:
            found = counted(len(row.cells), "column")
            raise InputError(f"{found}, expected the {width} of the header", file_name, row.line)


def check_header(columns: Sequence[str], file_name: str, line: int) -> None:
    """Refuse a header with a column that has no name or the name of another."""
    seen: set[str] = set()
    for column in columns:
        if not column or column in seen:
            fault = f"column '{column}' twice" if column else "a column without name"
            raise InputError(f"{fault}, expected names that differ", file_name, line)
        seen.add(column)


def check_names(names: Sequence[str], rows: Sequence[Row], kind: str, file_name: str) -> None:
    """Refuse the first row whose run or topic (the kind) has no name."""
    if "" in names:
        raise InputError(f"a row without a {kind}, expected a name", file_name, rows[names.index("")].line)


def check_topics(topics: Sequence[str], rows: Sequence[Row], file_name: str) -> None:
    """Refuse the first row that has no topic, or whose topic has a row already."""
    check_names(topics, rows, "topic", file_name)
    seen: set[str] = set()
    for topic, row in zip(topics, rows, strict=True):
        if topic in seen:
            raise InputError(f"topic '{topic}' appears twice, expected it once", file_name, row.line)
        seen.add(topic)


def read_tidy(
    sources: Sequence[Input], collections: Sequence[str] = ()
) -> tuple[dict[str, list[str]], list[tuple[str, int]]]:
    """Return the columns of CSV files with the same header, and the file and line of each row."""
    header: list[str] = []
    cells, places = [], []
    for i, source in enumerate(sources):
        first, *rows = read_rows(source)
        check_header(first.cells, source.name, first.line)
        check_widths(rows, len(first.cells), source.name)
        if header and first.cells != header:
            raise InputError(f"expected the header of {sources[0].name}", source.name, first.line)
        header = first.cells
        cells += [[*row.cells, *collections[i : i + 1]] for row in rows]
        places += [(source.name, row.line) for row in rows]
    if not cells:
        raise InputError("no rows below the header", sources[0].name)
    names = [*header, *(["collection"] if collections else [])]
    return {name: [row[i] for row in cells] for i, name in enumerate(names)}, places


# --- judgments and options of topics ---

ORIGIN = ("judgments", "options")
"""The columns that say from which judgments, and with which options, the scores of a topic were computed."""

_UNKNOWN = "unknown"
"""The cell of unknown options, if the judgments are known."""


def origin_of_row(
    row: Row, places: Mapping[str, int], file_name: str, signed_options: str | None = None
) -> tuple[str | None, str | None]:
    """Return the judgments and options in a row of scores or factors, or in its signature; None if unknown."""
    line, cells = row
    judgments = cells[places["judgments"]] if "judgments" in places else ""
    if judgments and not re.fullmatch("[0-9a-f]{8}", judgments):
        what = f"judgments '{excerpt(judgments)}', expected 8 hexadecimal digits or nothing"
        raise InputError(what, file_name, line)
    named = cells[places["options"]] if "options" in places else _UNKNOWN
    if named == _UNKNOWN or not (judgments or named):
        return judgments or None, signed_options
    # a program may write the empty field of the default options as a missing value
    options = "" if named in MISSING else named
    if signed_options not in (None, options):
        found, signed = (each or "the default options" for each in (options, signed_options))
        both = f"{found} in column 'options', {signed} in the signature"
        raise InputError(f"{both}, expected the same", file_name, line)
    return judgments or None, options


def origin_of_topics(found: Mapping[str, tuple[str | None, str | None]]) -> Origin:
    """Return the origin of topics with these judgments and options, where they are known."""
    judgments = {topic: judgments for topic, (judgments, _) in found.items() if judgments is not None}
    return Origin(judgments, {topic: options for topic, (_, options) in found.items() if options is not None})


def origin_cells(topic: str, origin: Origin) -> list[str]:
    """Return the cells of the columns `ORIGIN`; none if no topic has an origin, so that there are no columns."""
    if not origin:
        return []
    judgments, options = origin.judgments.get(topic, ""), origin.options.get(topic)
    # if there are no judgments, an empty cell means that the options are unknown
    return [judgments, _UNKNOWN if judgments and options is None else options or ""]


def with_origin(listing: Listing, origin: Origin) -> Listing:
    """Insert the columns `ORIGIN` after the run and the topic of a listing of scores."""
    if not origin:
        return listing
    rows = [[*row[:2], *origin_cells(str(row[1]), origin), *row[2:]] for row in listing.rows]
    fields = [*listing.fields[:2], *map(Field, ORIGIN), *listing.fields[2:]]
    return listing._replace(fields=fields, rows=rows, n_left=listing.n_left + len(ORIGIN))


# --- numbers ---

# float() would also accept "1_0", "inf" and the digits of other scripts. No digit can be matched by two parts, so
# that a long field takes linear time; and an exponent has few enough digits for int().
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,30})?")

_LONGEST_PLAIN = 30
"""If float() converts a text of these characters only, `_NUMBER` matches it."""

_FULL_DIGITS = 12
"""A file has full precision if a number has at least this many significant digits; rounding leaves fewer."""


def is_number(text: str) -> bool:
    """Return whether a field holds a plain decimal or is missing."""
    return text in MISSING or _NUMBER.fullmatch(text) is not None


def parse_number(text: str, file_name: str, line: int, label: str) -> float:
    """Return the number that a field holds as a plain decimal, NaN for a missing one."""
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


Parse = Callable[[str, str, int, str], float]
"""`parse_number` or `parse_non_negative`."""


def parse_columns(
    rows: Sequence[Row], places: Mapping[str, int], parse: Parse, file_name: str, label: str | None = None
) -> Floats:
    """Return columns of numbers, shape (n_rows, n_columns)."""
    import numpy as np

    columns = [_plain_numbers([row.cells[place] for row in rows]) for place in places.values()]
    usual = [column for column in columns if column is not None]
    if len(usual) == len(columns) and (parse is parse_number or min(map(min, usual), default=0.0) >= 0):
        return np.array(usual, dtype=np.float64).reshape(len(columns), len(rows)).T
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
