"""Read and write scores and factors as CSV, in full precision."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import IO, NamedTuple

import numpy as np

from stdeval.display import counted, excerpt
from stdeval.errors import InputError
from stdeval.files import BLANKS, Input, LinesRead, TextLines, text_lines
from stdeval.formats.blocks import Column, is_summary
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.formats.origin_columns import (
    ORIGIN,
    joined_origins,
    joined_qrels,
    joined_standardization,
    origin_cells,
    origin_of_row,
    signed_origin,
)
from stdeval.formats.writers import write_listing
from stdeval.measures.names import kind_of
from stdeval.origins import Origin
from stdeval.signature import SIGNATURE, SignedOrigin, stored_signature
from stdeval.table import Bools, Factors, Floats, ScoreTable
from stdeval.trec import sorted_topics

# float() would also accept "1_0", "inf" and the digits of other scripts. No digit can be matched by two parts, so
# that a long field takes linear time; and an exponent has few enough digits for int().
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,30})?")

_LONGEST_PLAIN = 30
"""Characters of a number that is certainly matched by `_NUMBER` if float() converts it."""

_FULL_DIGITS = 12
"""Significant digits from which on a file holds numbers in full precision; rounding leaves fewer."""

_MANY_DEVIATIONS = 10
"""Standard deviations that do not all happen to have few digits, unless they are rounded."""

_MISSING = ("", "NA", "NaN", "nan")
"""Missing numbers: an empty field, and as R and pandas write them."""


class Row(NamedTuple):
    """A row of a CSV file: the line on which it begins, and its cells."""

    line: int
    cells: list[str]


def read_rows(source: Input) -> list[Row]:
    """Return the rows of a CSV file, the header first, without blank ones."""
    return parse_rows(text_lines(source), source.name)


def parse_rows(lines: TextLines, file_name: str) -> list[Row]:
    """Return the rows of the lines of a CSV file, see `read_rows`."""
    rows = list(iter_rows(lines, file_name))
    if not rows:
        raise _no_rows(file_name)
    return rows


def _no_rows(file_name: str) -> InputError:
    """Return the error of a CSV file without rows."""
    return InputError("no rows, expected a CSV file with a header", file_name)


def iter_rows(lines: TextLines | LinesRead, file_name: str) -> Iterator[Row]:
    """Yield the rows of a CSV file that are not blank, parsing its lines only as far as rows are asked for."""
    reader = csv.reader((f"{line}\n" for line in lines), strict=True)
    # a quoted cell may span lines; a row begins on the line that follows the last line of the row before
    line = 1
    try:
        for cells in reader:
            stripped = [cell.strip(BLANKS) for cell in cells]
            if any(stripped):
                yield Row(line, stripped)
            line = lines.number(reader.line_num)
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", file_name, line) from None


def parse_number(text: str, file_name: str, line: int, label: str) -> float:
    """Return the number that a field holds as a plain decimal, NaN for a missing one.

    Parameters
    ----------
    text : str
    file_name, line, label
        Where the field is, and what messages call it.
    """
    if text in _MISSING:
        return math.nan
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise InputError(f"{label} '{text[:40]}', expected a finite decimal number", file_name, line)
    return value


def parse_non_negative(text: str, file_name: str, line: int, label: str) -> float:
    """Return a number that is at least 0, NaN for a missing one, see `parse_number`."""
    value = parse_number(text, file_name, line, label)
    if value < 0:
        raise InputError(f"{label} '{text[:40]}', expected a number from 0", file_name, line)
    return value


def is_number(text: str) -> bool:
    """Return whether a field holds a plain decimal or is missing."""
    return text in _MISSING or _NUMBER.fullmatch(text) is not None


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
        if number in _MISSING:
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


def check_widths(rows: Sequence[Row], width: int, file_name: str) -> None:
    """Refuse the first row whose number of cells differs from that of the header."""
    for row in rows:
        if len(row.cells) != width:
            raise InputError(
                f"{counted(len(row.cells), 'column')}, expected the {width} of the header", file_name, row.line
            )


def check_header(columns: Sequence[str], file_name: str, line: int) -> None:
    """Refuse a header with a column that has no name or the name of another."""
    seen: set[str] = set()
    for column in columns:
        if not column or column in seen:
            fault = f"column '{column}' twice" if column else "a column without name"
            raise InputError(f"{fault}, expected names that differ", file_name, line)
        seen.add(column)


def check_topics(topics: Sequence[str], rows: Sequence[Row], file_name: str) -> None:
    """Refuse the first row whose topic has a row already."""
    seen: set[str] = set()
    for topic, row in zip(topics, rows, strict=True):
        if topic in seen:
            raise InputError(f"topic '{topic}' a second time, expected each once", file_name, row.line)
        seen.add(topic)


def read_tidy(
    sources: Sequence[Input], collections: Sequence[str] = ()
) -> tuple[dict[str, list[str]], list[tuple[str, int]]]:
    """Return the columns of CSV files with the same header, and the file and line of each row.

    Parameters
    ----------
    sources : sequence of Input
        The rows of each follow those of the one before.
    collections : sequence of str
        A name for each source, as a further column ``collection``; none for no such column.

    Raises
    ------
    InputError
        If there are no rows, a row is ragged, a column is named twice, or the headers differ.
    """
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


def is_scores_header(cells: Sequence[str]) -> bool:
    """Return whether a header is that of a scores CSV: ``run,topic,[judgments,options,]MEASURE,...``."""
    return list(cells[:2]) == ["run", "topic"]


def read_scores(source: Input) -> ScoreTable:
    """Return the scores of a scores CSV.

    Rows of summaries (topic ``all``, ``all.sd`` and so on), columns of text measures and empty columns are skipped.

    Raises
    ------
    InputError
        With the line, if a row is ragged, holds anything else than numbers, or repeats a run and topic.
    """
    return scores_from_rows(iter_rows(LinesRead(source), source.name), source.name)


def scores_from_rows(rows: Iterable[Row], file_name: str) -> ScoreTable:
    """Return the scores in the rows of a scores CSV, see `read_scores`; few rows are held at a time."""
    remaining = iter(rows)
    first = next(remaining, None)
    if first is None:
        raise _no_rows(file_name)
    header = first.cells
    if not is_scores_header(header) or len(header) < 3:
        hint = " (these are factors, which -F takes)" if is_factors_header(header) else ""
        found = f"header '{excerpt(','.join(header))}'"
        raise InputError(f"{found}, expected run,topic,MEASURE,...{hint}", file_name, first.line)
    check_header(header, file_name, first.line)
    origin_places = {name: i for i, name in enumerate(header[:4]) if i > 1 and name in ORIGIN}
    places = {i for i in range(2, len(header)) if header[i] != SIGNATURE}.difference(origin_places.values())
    kept = [i for i in sorted(places) if kind_of(header[i]) != "text"]
    columns = {header[i]: i for i in kept}
    cells, origins, signed, n = _Cells(len(kept)), dict[str, Origin | None](), SignedOrigin(None, None), 0
    last: list[Row] = []
    while some := list(islice(remaining, _ROWS)):
        check_widths(some, len(header), file_name)
        # The last row before them has the signature that theirs must agree with.
        signed = signed_origin([first, *last, *some], file_name)
        body = [row for row in some if not is_summary(row.cells[1])]
        if body:
            cells.add(body, parse_columns(body, columns, parse_number, file_name, "score"))
        if origin_places or signed.options is not None:
            _add_origins(origins, body, origin_places, signed.options, file_name)
        last, n = some[-1:], n + len(some)
    if not cells.systems:
        made = "; made without -q?" if n else ""
        raise InputError(f"no rows of topics, expected a row per run and topic{made}", file_name)
    known = {topic: origin for topic, origin in origins.items() if origin is not None}
    table = table_of_scores(list(cells.systems), *cells.by_topic(file_name, [header[i] for i in kept]))
    return replace(table, origins=known, qrels=signed.qrels, standardization=signed.standardization)


_ROWS = 10_000
"""Rows of scores that are held as text."""


class _Cells:
    """The numbers in the rows of a scores CSV, with the places of their systems and topics.

    Attributes
    ----------
    systems, topics : dict of str to int
        Places in the order in which they first appear.
    """

    def __init__(self, n_columns: int) -> None:
        self.systems: dict[str, int] = {}
        self.topics: dict[str, int] = {}
        self._values = [np.empty((0, n_columns))]
        self._places = [np.empty((3, 0), dtype=np.int64)]

    def add(self, rows: Sequence[Row], values: Floats) -> None:
        """Add rows and their numbers, shape (len(rows), n_columns)."""
        systems = [self.systems.setdefault(row.cells[0], len(self.systems)) for row in rows]
        topics = [self.topics.setdefault(row.cells[1], len(self.topics)) for row in rows]
        self._places.append(np.array([systems, topics, [row.line for row in rows]], dtype=np.int64))
        self._values.append(values)

    def by_topic(self, file_name: str, columns: Sequence[str]) -> tuple[tuple[str, ...], Sequence[str], Floats]:
        """Return the topics in order, the columns, and the values, shape (n_systems, n_topics, n_columns).

        A system and topic that have two rows are refused.
        """
        systems, found, lines = np.concatenate(self._places, axis=1)
        pairs = systems * len(self.topics) + found
        first_rows = np.unique(pairs, return_index=True)[1]
        if len(first_rows) < len(pairs):
            row = np.setdiff1d(np.arange(len(pairs)), first_rows)[0]
            system, topic = list(self.systems)[systems[row]], list(self.topics)[found[row]]
            raise InputError(f"run '{system}' and topic '{topic}' a second time", file_name, int(lines[row]))
        topics = sorted_topics(self.topics)
        ordered = np.empty(len(topics), dtype=np.int64)
        ordered[[self.topics[topic] for topic in topics]] = np.arange(len(topics))
        values = np.full((len(self.systems), len(topics), len(columns)), np.nan)
        values[systems, ordered[found]] = np.concatenate(self._values)
        return topics, columns, values


def _add_origins(
    origins: dict[str, Origin | None],
    rows: Sequence[Row],
    places: Mapping[str, int],
    signed_options: str | None,
    file_name: str,
) -> None:
    """Add the origins of the topics of rows, None for a topic that has none; refuse a topic whose rows differ."""
    for row in rows:
        topic = row.cells[1]
        origin = origin_of_row(row, places, file_name)
        if origin is None and signed_options is not None:
            origin = Origin("", signed_options)
        if origins.setdefault(topic, origin) != origin:
            what = f"topic '{topic}' with other judgments or options than in the rows of other runs"
            raise InputError(f"{what}, expected the same", file_name, row.line)


def table_of_scores(
    systems: Sequence[str], topics: Sequence[str], measures: Sequence[str], values: Floats
) -> ScoreTable:
    """Return a table without the measures by which no system has a score.

    Parameters
    ----------
    systems, topics, measures : sequence of str
    values : ndarray, shape (n_systems, n_topics, n_measures)
        NaN is missing.
    """
    has_scores: Bools = np.asarray(~np.isnan(values).all(axis=(0, 1)))
    names = tuple(name for name, scored in zip(measures, has_scores, strict=True) if scored)
    without = (name for name, scored in zip(measures, has_scores, strict=True) if not scored)
    unscored = tuple(name for name in without if kind_of(name) != "summary")
    return ScoreTable(tuple(systems), tuple(topics), names, values[:, :, has_scores], unscored=unscored)


def join_scores(tables: Sequence[ScoreTable], file_names: Sequence[str]) -> ScoreTable:
    """Return tables of different systems as one.

    Parameters
    ----------
    tables : sequence of ScoreTable
        Topics and measures of one table that are not in another are missing there. The origin of a topic is kept
        as far as all tables that have the topic name it.
    file_names : sequence of str
        The files of the tables, for messages.

    Raises
    ------
    InputError
        If a system is in two of the tables, or scores were made from other judgments, with other options or by
        other factors in one than in another.
    """
    if len(tables) == 1:
        return tables[0]
    file_of: dict[str, str] = {}
    for table, file_name in zip(tables, file_names, strict=True):
        for system in table.systems:
            if system in file_of:
                raise InputError(f"run '{system}' is also in {file_of[system]}, expected it once", file_name)
            file_of[system] = file_name
    origins, qrels = joined_origins(tables, file_names), joined_qrels(tables, file_names)
    standardization = joined_standardization(tables, file_names)
    topics = sorted_topics({topic for table in tables for topic in table.topics})
    measures = tuple(dict.fromkeys(measure for table in tables for measure in table.measures))
    topic_place = {topic: i for i, topic in enumerate(topics)}
    measure_place = {measure: i for i, measure in enumerate(measures)}
    values = np.full((len(file_of), len(topics), len(measures)), np.nan)
    start = 0
    for table in tables:
        end = start + len(table.systems)
        at_topics = [topic_place[topic] for topic in table.topics]
        at_measures = [measure_place[measure] for measure in table.measures]
        values[np.ix_(range(start, end), at_topics, at_measures)] = table.values
        start = end
    return ScoreTable(
        tuple(file_of), topics, measures, values, origins, qrels=qrels, standardization=standardization
    )


def write_scores(out: IO[str], table: ScoreTable) -> None:
    """Write a scores CSV, see `scores_listing`."""
    write_listing(out, "csv", scores_listing(table))


def scores_listing(table: ScoreTable) -> Listing:
    """Return the rows of a scores CSV: one per run and topic, except where every score is missing.

    Scores from a file with a signature keep it.
    """
    names = ("run", "topic", *(ORIGIN if table.origins else ()), *table.measures)
    columns = [Column(measure, kind_of(measure)).cell for measure in table.measures]
    rows: list[list[Cell]] = []
    for system, scores in zip(table.systems, table.values, strict=True):
        scored = ~np.isnan(scores).all(axis=1)
        for topic, row, is_scored in zip(table.topics, scores.tolist(), scored.tolist(), strict=True):
            if is_scored:
                cells = [cell(score) for cell, score in zip(columns, row, strict=True)]
                rows.append([system, topic, *origin_cells(topic, table.origins), *cells])
    listing = Listing([Field(name) for name in names], rows, n_left=len(names) - len(table.measures))
    return listing if table.qrels is None else listing._replace(signature=str(stored_signature(table)))


def is_factors_header(cells: Sequence[str]) -> bool:
    """Return whether a header is that of a factors CSV: ``topic,n,[judgments,options,]M.mean,M.sd,...``."""
    return cells[:1] == ["topic"] and any(cell.endswith((".mean", ".sd")) for cell in cells)


def factors_from_rows(rows: Sequence[Row], file_name: str) -> Factors:
    """Return the factors in the rows of a factors CSV.

    Raises
    ------
    InputError
        With the line, if a row is ragged, a topic has two rows, a standard deviation is negative or not a
        number, or a mean has no standard deviation.
    """
    (line, header), body = rows[0], rows[1:]
    check_header(header, file_name, line)
    check_widths(body, len(header), file_name)
    measures = _measures_of(header, file_name, line)
    topics = [row.cells[0] for row in body]
    check_topics(topics, body, file_name)
    if not topics:
        raise InputError("no topics, expected a row per topic", file_name)
    places = {column: i for i, column in enumerate(header)}
    means = {column: places[column] for column in (f"{measure}.mean" for measure in measures)}
    deviations = {column: places[column] for column in (f"{measure}.sd" for measure in measures)}
    mean = parse_columns(body, means, parse_number, file_name)
    sd = parse_columns(body, deviations, parse_non_negative, file_name)
    n = np.array([_counts(row, places, measures, file_name) for row in body], dtype=np.int64)
    printed = [row.cells[place] for row in body for place in deviations.values()]
    decimals = printed_decimals([*(row.cells[place] for row in body for place in means.values()), *printed])
    rounded = decimals is not None and _are_rounded(printed)
    origins = {row.cells[0]: origin_of_row(row, places, file_name) for row in body}
    return Factors(
        tuple(topics),
        tuple(measures),
        mean,
        sd,
        n,
        decimals=decimals,
        rounded=rounded,
        origins={topic: origin for topic, origin in origins.items() if origin is not None},
    )


def _are_rounded(deviations: Sequence[str]) -> bool:
    """Return whether standard deviations with few digits are rounded, and do not just happen to have few.

    `write_factors` never ends decimals in 0, as in 0.2500, but for the one of 0.0.
    """
    fixed = any(re.search(r"\.[0-9]+0$", text) for text in deviations)
    n_positive = sum(text not in _MISSING and float(text) > 0 for text in deviations)
    return fixed or n_positive >= _MANY_DEVIATIONS


def _measures_of(header: Sequence[str], file_name: str, line: int) -> list[str]:
    """Return the measures of a factors header; refuse one with missing or unknown columns."""
    measures = [column.removesuffix(".mean") for column in header if column.endswith(".mean")]
    expected = {f"{measure}.{suffix}" for measure in measures for suffix in ("mean", "sd")}
    optional = {f"{measure}.n" for measure in measures} | {"n", *ORIGIN}
    absent = sorted(expected - set(header))
    if absent:
        raise InputError(f"no column '{absent[0]}', expected topic,n,MEASURE.mean,MEASURE.sd,...", file_name, line)
    unknown = [column for column in header[1:] if column not in expected | optional]
    if unknown or not measures:
        fault = f"column '{unknown[0]}'" if unknown else "no measures"
        raise InputError(f"{fault}, expected topic,n,MEASURE.mean,MEASURE.sd,...", file_name, line)
    return measures


def _counts(row: Row, places: Mapping[str, int], measures: Sequence[str], file_name: str) -> list[int]:
    """Return the number of reference systems of one topic by each measure; 0 where it is not known.

    A measure has a column of its own where the numbers differ between measures, else they share one.
    """
    counts = []
    for measure in measures:
        column = f"{measure}.n" if f"{measure}.n" in places else "n"
        text = row.cells[places[column]] if column in places else ""
        if text and not re.fullmatch("[0-9]{1,12}", text):
            raise InputError(f"{column} '{text[:40]}', expected a whole number from 0", file_name, row.line)
        counts.append(int(text or 0))
    return counts


def write_factors(out: IO[str], factors: Factors) -> None:
    """Write a factors CSV, see `factors_listing`."""
    write_listing(out, "csv", factors_listing(factors))


def factors_listing(factors: Factors) -> Listing:
    """Return the rows of a factors CSV, one per topic.

    There is a column MEASURE.n where the number of systems differs between measures.
    """
    varied = bool((factors.n != factors.n[:, :1]).any())
    names = ["topic", "n", *(ORIGIN if factors.origins else ())]
    for measure in factors.measures:
        names += [f"{measure}.mean", f"{measure}.sd", *([f"{measure}.n"] if varied else [])]
    rows: list[list[Cell]] = []
    numbers = (factors.mean.tolist(), factors.sd.tolist(), factors.n.tolist())
    # an unknown number of systems, 0, is written as an empty field
    for topic, mean, sd, n in zip(factors.topics, *numbers, strict=True):
        cells: list[Cell] = [topic, max(n) or "", *origin_cells(topic, factors.origins)]
        for j in range(len(factors.measures)):
            cells += [mean[j], sd[j], *([n[j] or ""] if varied else [])]
        rows.append(cells)
    return Listing([Field(name) for name in names], rows)
