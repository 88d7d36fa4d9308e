"""Scores and factors as CSV, in full precision; and the rows of any CSV, with lines for messages, and numbers."""

from __future__ import annotations

import csv
import math
import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, repeat
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stdeval import notices, results
from stdeval.errors import InputError, counted, excerpt, warn
from stdeval.files import BLANKS, MOST_CELLS, Input, numbered_lines
from stdeval.formats import MEANS, SIGNATURE, trec_eval_text
from stdeval.formats import listing as listings
from stdeval.measures import names as measure_names
from stdeval.provenance import ORIGIN, UNKNOWN, Origin, Signed, parse, stored_signature
from stdeval.standardization.factors import Factors
from stdeval.table import Floats, ScoreTable, checked_numbers
from stdeval.trec import reading

if TYPE_CHECKING:
    from stdeval.formats.listing import Cell, Listing
    from stdeval.results import Frame

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
    of_row: list[int] = []  # a quoted cell may span lines

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
        raise InputError("no rows below the header, expected at least one", sources[0].name)
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


def origin_of_topics(found: Mapping[str, TopicOrigin], facts: Origin) -> Origin:
    """Return the origin of topics with these judgments and options, where they are known, and other facts."""
    judgments = {topic: judgments for topic, (judgments, _) in found.items() if judgments is not None}
    options = {topic: options for topic, (_, options) in found.items() if options is not None}
    return replace(facts, judgments=judgments, options=options)


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


def is_scores_header(cells: list[str]) -> bool:
    """Return whether a header is that of a scores CSV: ``run,topic,[judgments,options,]MEASURE,...``."""
    return cells[:2] in (["run", "topic"], ["runid", "topic"])


_ROWS = 10_000  # rows of scores that are held as text


def read_scores(source: Input) -> ScoreTable:
    """Return the scores of a scores CSV; rows of summaries, columns of text and empty columns are skipped."""
    rows, file_name = iter_rows(numbered_lines(source), source.name), source.name
    first = next(rows)
    header = first.cells
    if not is_scores_header(header) or len(header) < 3:
        found = f"header '{excerpt(','.join(header))}', expected run,topic,MEASURE,..."
        hint = " (these are factors, which -F takes)" if is_factors_header(header) else ""
        raise InputError(found + hint, file_name, first.line)
    check_names(header, repeat(first.line), "column", file_name)
    origin_places = {name: i for i, name in enumerate(header[2:4], 2) if name in ORIGIN}
    signature_place = header.index(SIGNATURE) if SIGNATURE in header else None
    others = {0, 1, *origin_places.values(), signature_place}
    named = ((i, name) for i, name in enumerate(header) if i not in others)
    columns = {name: i for i, name in named if measure_names.kind_of(name) != "text"}
    systems, topics, lines, values = list[str](), list[str](), array("q"), list[Floats]()
    origins: dict[str, TopicOrigin] = {}
    signed: Signed | None = None
    signatures, summaries, summarized = set[str](), dict[str, None](), dict[str, int]()
    while some := list(islice(rows, _ROWS)):
        check_widths(some, len(header), file_name)
        body = []
        for row in some:
            run, topic = row.cells[:2]
            if not (run and topic):
                raise InputError("a row without a run or a topic, expected both", file_name, row.line)
            if signature_place is not None and row.cells[signature_place] not in signatures:
                signatures.add(row.cells[signature_place])
                signed = parse(row.cells[signature_place], signed, file_name, row.line)
            if trec_eval_text.is_summary(topic):
                summaries[topic] = None
                summarized.setdefault(run, row.line)
                continue
            body.append(row)
            if origin_places or signed is not None:
                origin = origin_of_row(row, origin_places, signed and signed[0])
                if origins.setdefault(topic, origin) != origin:
                    what = f"topic '{topic}' with other judgments or options than in the rows of other runs"
                    raise InputError(f"{what}, expected the same", file_name, row.line)
        if body:
            systems += [intern(row.cells[0]) for row in body]  # one string for each name, not for each row
            topics += [intern(row.cells[1]) for row in body]
            lines.extend(row.line for row in body)
            values.append(parse_columns(body, columns, file_name, "score"))
    if not values:
        hint = "; made without -q?" if summaries else ""
        raise InputError(f"no rows of topics, expected a row per run and topic{hint}", file_name)
    refuse_summaries_only(summarized, {*systems}, file_name)
    table = table_of_rows(systems, topics, list(columns), np.concatenate(values), file_name, lines)
    # The means of `stdeval eval` and of gdeval are in every file.
    warn(notices.summary_rows(file_name, [topic for topic in summaries if topic not in MEANS]))
    return replace(table, origin=origin_of_topics(origins, signed[1] if signed else Origin()))


def refuse_summaries_only(summarized: Mapping[str, int | None], scored: Collection[str], file_name: str) -> None:
    """Refuse a run with a summary, whose line is given, but without scores of topics: they would be missing."""
    for run, line in summarized.items():
        if run not in scored and not trec_eval_text.is_summary(run):
            found = f"run '{excerpt(run)}' has a summary, but no scores of topics"
            raise InputError(f"{found}, expected those of each topic; made without -q?", file_name, line)


def table_of_rows(
    systems: Sequence[str],
    topics: Sequence[str],
    measures: Sequence[str],
    rows: Floats,
    file_name: str | None = None,
    lines: Sequence[int] | None = None,
) -> ScoreTable:
    """Return rows of scores, each of a system and a topic, as a table without the measures that no topic has."""
    system_of = {name: i for i, name in enumerate(dict.fromkeys(systems))}
    topic_of = {name: i for i, name in enumerate(reading.sorted_topics({*topics}))}
    at = np.array([[system_of[name] for name in systems], [topic_of[name] for name in topics]])
    cell = at[0] * len(topic_of) + at[1]
    if (np.bincount(cell) > 1).any():
        _, first = np.unique(cell, return_index=True)
        again = int(np.setdiff1d(np.arange(len(systems)), first)[0])
        found = f"run '{excerpt(systems[again])}' and topic '{excerpt(topics[again])}' appear twice"
        raise InputError(found, file_name, None if lines is None else lines[again])
    is_empty = np.isnan(rows).all(axis=0)
    # A summary has an empty column in the files of `stdeval eval`.
    of_topics = [i for i, name in enumerate(measures) if measure_names.kind_of(name) != "summary"]
    warn(notices.unscored([measures[i] for i in of_topics if is_empty[i]]))
    kept = [i for i in of_topics if not is_empty[i]]
    values = np.full((len(system_of), len(topic_of), len(kept)), np.nan)
    values[tuple(at)] = rows[:, kept]
    return ScoreTable(tuple(system_of), tuple(topic_of), tuple(measures[i] for i in kept), values)


def scores_listing(table: ScoreTable) -> Listing:
    """Return the rows of a scores CSV: one per run and topic, except where every score is missing."""
    cells = [trec_eval_text.Column(measure, measure_names.kind_of(measure)).cell for measure in table.measures]
    rows: list[list[Cell]] = [
        [system, topic, *(cell(score) for cell, score in zip(cells, row, strict=True))]
        for system, scores in zip(table.systems, table.values, strict=True)
        for topic, row in zip(table.topics, scores.tolist(), strict=True)
        if not all(map(math.isnan, row))
    ]
    fields = [listings.Field(name) for name in ("run", "topic", *table.measures)]
    is_signed = table.origin.n_judged or table.origin.standardization
    signature = stored_signature(table.measures, table.origin, table.topics) if is_signed else ""
    return listings.with_origin(listings.Listing(fields, rows, n_left=2, signature=signature), table.origin)


def scores_of_frame(frame: Frame) -> ScoreTable:
    """Return the scores in a data frame with a row per system and topic, as `ScoreTable.to_frame` makes it."""
    names = results.column_names(frame)
    topics = [results.identifier(topic, "topic") for topic in results.column_of(frame, results.TOPIC_COLUMNS)]
    is_named = not {*names}.isdisjoint(results.SYSTEM_COLUMNS)
    systems = results.column_of(frame, results.SYSTEM_COLUMNS) if is_named else ["run"] * len(topics)
    others = (*results.TOPIC_COLUMNS, *results.SYSTEM_COLUMNS, *ORIGIN, SIGNATURE)
    measures = [name for name in names if name not in others]
    scores = np.stack([checked_numbers(results.column_of(frame, [name]), name) for name in measures], axis=1)
    kept = [i for i, topic in enumerate(topics) if not trec_eval_text.is_summary(topic)]
    runs = [results.identifier(systems[i], "run") for i in kept]
    return table_of_rows(runs, [topics[i] for i in kept], measures, scores[kept])


_MANY_DEVIATIONS = 10  # the number of standard deviations that all have few digits only if they are rounded


def is_factors_header(cells: Sequence[str]) -> bool:
    """Return whether a header is that of a factors CSV: ``topic,n,[judgments,options,]M.mean,M.sd,...``."""
    return cells[:1] == ["topic"] and any(cell.endswith((".mean", ".sd")) for cell in cells)


def factors_from_rows(rows: Sequence[Row], file_name: str) -> Factors:
    """Return the factors in the rows of a factors CSV."""
    (line, header), body = rows[0], rows[1:]
    check_names(header, repeat(line), "column", file_name)
    check_widths(body, len(header), file_name)
    measures = [column.removesuffix(".mean") for column in header if column.endswith(".mean")]
    needed = {f"{measure}.{part}" for measure in measures for part in ("mean", "sd")}
    optional = {"n", *ORIGIN, *(f"{measure}.n" for measure in measures)}
    faults = [f"no column '{column}'" for column in sorted(needed - {*header})]
    faults += [f"column '{column}'" for column in header[1:] if column not in needed | optional]
    if faults:
        raise InputError(f"{faults[0]}, expected topic,n,MEASURE.mean,MEASURE.sd,...", file_name, line)
    topics = [row.cells[0] for row in body]
    check_names(topics, [row.line for row in body], "topic", file_name)
    if not topics:
        raise InputError("no topics, expected a row per topic", file_name)
    places = {column: i for i, column in enumerate(header)}
    means = {f"{each}.mean": places[f"{each}.mean"] for each in measures}
    deviations = {f"{each}.sd": places[f"{each}.sd"] for each in measures}
    mean, sd = parse_columns(body, means, file_name), parse_columns(body, deviations, file_name, least=0)
    counted_in = [f"{each}.n" if f"{each}.n" in places else "n" for each in measures]
    n = np.array([[_count_in(row, name, places, file_name) for name in counted_in] for row in body], dtype=np.int64)
    printed = [row.cells[place] for row in body for place in deviations.values()]
    decimals = printed_decimals([*printed, *(row.cells[place] for row in body for place in means.values())])
    # In full precision, decimals never end in 0, as in 0.2500, but for the one of 0.0.
    fixed = any(re.search(r"\.[0-9]+0$", text) for text in printed)
    rounded = decimals is not None and (fixed or int((sd > 0).sum()) >= _MANY_DEVIATIONS)
    origin = origin_of_topics({row.cells[0]: origin_of_row(row, places) for row in body}, Origin())
    return Factors(tuple(topics), tuple(measures), mean, sd, n, decimals=decimals, rounded=rounded, origin=origin)


def _count_in(row: Row, name: str, places: Mapping[str, int], file_name: str) -> int:
    """Return the number of reference systems of a topic in a column; 0 where it is not known."""
    text = row.cells[places[name]] if name in places else ""
    if text and not re.fullmatch("[0-9]{1,12}", text):
        raise InputError(f"{name} '{excerpt(text)}', expected a whole number from 0", file_name, row.line)
    return int(text or 0)


def factors_listing(factors: Factors) -> Listing:
    """Return the rows of a factors CSV, one per topic."""
    varied = bool((factors.n != factors.n[:, :1]).any())
    names = ["topic", "n", *(ORIGIN if factors.origin else ())]
    for measure in factors.measures:
        names += [f"{measure}.mean", f"{measure}.sd", *([f"{measure}.n"] if varied else [])]
    rows: list[list[Cell]] = []
    # an unknown number of systems, 0, is written as an empty field
    for topic, *arrays in zip(factors.topics, factors.mean, factors.sd, factors.n, strict=True):
        numbers = [each.tolist() for each in arrays]
        cells: list[Cell] = [topic, max(numbers[2]) or "", *listings.origin_cells(topic, factors.origin)]
        for mean, sd, n in zip(*numbers, strict=True):
            cells += [mean, sd, *([n or ""] if varied else [])]
        rows.append(cells)
    return listings.Listing([listings.Field(name) for name in names], rows)
