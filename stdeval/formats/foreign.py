"""Read and write scores and factors in the other formats of the field."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import repeat
from typing import IO, NamedTuple

import numpy as np

from stdeval import notices
from stdeval.errors import InputError, excerpt, listed, warn
from stdeval.files import BLANKS, Input, columns_of, counted_columns
from stdeval.formats import SIGNATURE, csv_tables
from stdeval.formats.csv_tables import Row, is_number, parse_number, printed_decimals
from stdeval.formats.listing import Cell, Field, Listing, exact
from stdeval.formats.trec_eval_text import Column, is_summary
from stdeval.formats.writers import write_listing
from stdeval.measures.catalogue import PUBLISHED
from stdeval.measures.names import canonical, kind_of
from stdeval.provenance import Signed, parse
from stdeval.standardization.factors import Factors
from stdeval.table import Floats, ScoreTable, rows_for
from stdeval.trec.lines import RUN_WIDTH
from stdeval.trec.reading import sorted_topics

# headers of topics, in lower case and without blanks, ``_``, ``-`` and ``.``
_TOPIC_COLUMNS = ("", "topic", "topics", "topicid", "topicno", "topicnumber", "qid", "query", "queryid")
Lines = Iterable[tuple[int, str]]


def factors_from_zscores(lines: Lines, file_name: str) -> Factors:
    """Return the factors in the lines of a zscores_file."""
    pairs: dict[tuple[str, str], tuple[float, float]] = {}
    printed: list[str] = []
    for at, line in lines:
        fields = columns_of(line)
        if not fields:
            continue
        if len(fields) != 4:
            raise InputError(f"{counted_columns(len(fields))}, expected 4: topic measure mean sd", file_name, at)
        topic, measure, mean, sd = fields
        if (topic, measure) in pairs:
            raise InputError(f"topic '{topic}' and measure '{measure}' appear twice", file_name, at)
        deviation = parse_number(sd, file_name, at, "standard deviation", least=0)
        pairs[topic, measure] = parse_number(mean, file_name, at, "mean"), deviation
        printed += fields[2:]
    topics = sorted_topics({topic for topic, _ in pairs})
    measures = tuple(dict.fromkeys(measure for _, measure in pairs))
    both = np.array([[pairs.get((topic, measure), (math.nan,) * 2) for measure in measures] for topic in topics])
    decimals = printed_decimals(printed)
    n = np.zeros(both.shape[:2], dtype=np.int64)
    mean, sd = both.transpose(2, 0, 1)
    return Factors(topics, measures, mean, sd, n, decimals=decimals, rounded=decimals is not None)


def write_zscores(out: IO[str], factors: Factors, digits: int = 4) -> None:
    """Write a zscores_file of trec_eval: lines ``topic measure mean sd``, by topic, then by measure."""
    for name in (*factors.topics, *factors.measures):
        if len(columns_of(name)) != 1:
            raise InputError(f"'{name}' has a blank, which a zscores_file cannot hold")
    row_of = {topic: i for i, topic in enumerate(factors.topics)}
    columns = sorted((measure, j) for j, measure in enumerate(factors.measures))
    # a 64-bit float needs at most 17 digits
    form = exact if digits >= 17 else f"{{:.{digits}f}}".format
    for topic in sorted_topics(factors.topics):
        for measure, j in columns:
            mean, sd = factors.mean[row_of[topic], j], factors.sd[row_of[topic], j]
            if not np.isnan(mean + sd):
                out.write(f"{topic}\t{measure}\t{form(mean)}\t{form(sd)}\n")


def read_published(means: Input, deviations: Input) -> Factors:
    """Return the factors in a published pair of files."""
    mean = _grid(csv_tables.read_rows(means), means.name)
    sd = _grid(csv_tables.read_rows(deviations), deviations.name, least=0)
    if (sd.topics, sd.columns) != (mean.topics, mean.columns):
        found = f"topics or metrics, or their order, differ from those of {means.name}"
        raise InputError(f"{found}, expected the same", deviations.name)
    # by the names of the papers, then by any other name of a measure
    measures = {column: PUBLISHED.get(column) or canonical(column) for column in mean.columns}
    # beside nVDCG, the other measure of that family, nDCG can only be the papers'
    is_clear = {"VDCG", "nVDCG"} & {*measures}
    ambiguous = [each for each, name in measures.items() if not is_clear and canonical(each) not in (each, name)]
    warn(notices.numbered_topics(means.name, mean.n_numbered), notices.base_2(ambiguous))
    n = np.zeros(mean.values.shape, dtype=np.int64)
    names, rounded = tuple(measures.values()), sd.decimals is not None
    return Factors(mean.topics, names, mean.values, sd.values, n, decimals=mean.decimals, rounded=rounded)


def write_published(means: IO[str], deviations: IO[str], factors: Factors) -> None:
    """Write the published pair of CSV files: topics as rows, metrics as columns."""
    name_of = {measure: name for name, measure in PUBLISHED.items()}
    unknown = [measure for measure in factors.measures if measure not in name_of]
    if unknown:
        raise InputError(f"'{unknown[0]}' is not among the published metrics: {', '.join(PUBLISHED)}")
    columns = [name_of[measure] for measure in factors.measures]
    for out, values in ((means, factors.mean), (deviations, factors.sd)):
        write_listing(out, "csv", _grid_listing(factors.topics, columns, values.tolist()))


def scores_from_matrix(rows: Sequence[Row], measure: str, file_name: str) -> ScoreTable:
    """Return the scores of one measure from the rows of a matrix."""
    grid = _grid(rows, file_name)
    warn(notices.numbered_topics(file_name, grid.n_numbered))
    topics = sorted_topics(grid.topics)
    by_system = rows_for(grid.values, grid.topics, topics).T[:, :, np.newaxis]
    return ScoreTable(grid.columns, topics, (measure,), by_system)


def matrix_listing(table: ScoreTable) -> Listing:
    """Return the rows of a matrix: the scores of a table of one measure."""
    if len(table.measures) > 1:
        raise InputError(f"a matrix has one measure, expected --measure with one of: {listed(table.measures)}")
    cell = Column(table.measures[0], kind_of(table.measures[0])).cell
    rows = [list(map(cell, row)) for row in table.values[:, :, 0].T.tolist()]
    return _grid_listing(table.topics, table.systems, rows)


class _Grid(NamedTuple):
    """Numbers by topic and column, ``values`` of shape (n_topics, n_columns), and the decimals printed."""

    topics: tuple[str, ...]
    columns: tuple[str, ...]
    values: Floats
    decimals: int | None
    n_numbered: int


def _grid(rows: Sequence[Row], file_name: str, least: float = -math.inf) -> _Grid:
    """Return the numbers below a header; topics without a column of their own are numbered from 1."""
    (line, header), body = rows[0], rows[1:]
    if not body:
        raise InputError("no rows below the header, expected a row per topic", file_name)
    # R writes a column of row names without a header for it, so a first row that is longer by one has topics, too
    headed = re.sub("[ _.-]", "", header[0].lower()) in _TOPIC_COLUMNS
    # systems may be numbered, but none is called 0.25
    if all(is_number(name) for name in header[headed:]) and any("." in name for name in header[headed:]):
        found = f"numbers ('{excerpt(header[-1])}') where names should be"
        raise InputError(f"{found}, expected a header", file_name, line)
    with_topics = headed or len(body[0].cells) == len(header) + 1
    columns = header[headed:]
    csv_tables.check_names(columns, repeat(line), "column", file_name)
    csv_tables.check_widths(body, len(columns) + with_topics, file_name)
    topics = [row.cells[0] if with_topics else str(i) for i, row in enumerate(body, 1)]
    csv_tables.check_names(topics, [row.line for row in body], "topic", file_name)
    places = {column: i for i, column in enumerate(columns, int(with_topics))}
    values = csv_tables.parse_columns(body, places, file_name, least=least)
    decimals = printed_decimals(row.cells[place] for row in body for place in places.values())
    return _Grid(tuple(topics), tuple(columns), values, decimals, 0 if with_topics else len(topics))


def _grid_listing(topics: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[Cell]]) -> Listing:
    rows = [[topic, *row] for topic, row in zip(topics, values, strict=True)]
    return Listing([Field("topic"), *map(Field, columns)], rows)


def _printed_fields(line: str, file_name: str, at: int) -> list[str]:
    """Return the measure, the topic and the value in a line; none if it is blank."""
    # trec_eval separates by tabs, and the tag of a run may hold blanks
    fields = line.split("\t", 3)
    if len(fields) != 3 or not line.strip(BLANKS):
        fields = columns_of(line)
    if len(fields) not in (0, 3):
        hint = " (this looks like a run)" if len(fields) == RUN_WIDTH else ""
        raise InputError(f"{counted_columns(len(fields))}, expected 3: measure topic value{hint}", file_name, at)
    return [each.strip(BLANKS) for each in fields]


def scores_from_output(lines: Lines, file_name: str) -> ScoreTable:
    """Return the scores per topic in the output of ``trec_eval -q`` for one run after the other."""
    names: list[str | None] = [None]  # from the runid lines; a run without one has the name of the file
    rows: dict[tuple[int, str], dict[str, float]] = {}  # by the number of the run and the topic
    scored, summarized = set[int](), set[int]()
    measures = dict[str, None]()
    signed: Signed | None = None
    n_signed = 0
    # each looked up once, because a file may have millions of lines, and numbers of four decimals are few
    kind = functools.cache(kind_of)
    numbers: dict[str, float] = {}
    for at, line in lines:
        if not (fields := _printed_fields(line, file_name, at)):
            continue
        measure, topic, value = fields
        run, is_name = len(names) - 1, measure == "runid"
        if is_summary(topic) and not is_name:
            summarized.add(run)
            if measure == SIGNATURE:
                signed, n_signed = parse(value, signed, file_name, at), len(names)
            continue
        if kind(measure) == "text" and not is_name:
            continue
        # the lines of a run end with its summary
        if (run in summarized and run in scored) or (is_name and names[run] is not None):
            names.append(None)
            run += 1
        summarized.discard(run)
        if is_name:
            names[run] = value
            continue
        if value not in numbers:
            numbers[value] = parse_number(value, file_name, at, "value")
        row = rows.setdefault((run, topic), {})
        if measure in row:
            raise InputError(f"measure '{measure}' and topic '{topic}' appear twice", file_name, at)
        row[measure] = numbers[value]
        scored.add(run)
        measures[measure] = None
    if not measures:
        raise InputError("no rows of topics, expected the output of trec_eval -q; made without -q?", file_name)
    of_summaries = dict.fromkeys(names[run] or "" for run in sorted(summarized))
    csv_tables.refuse_summaries_only(of_summaries, {names[run] or "" for run in scored}, file_name)
    systems = [file_name if (name := names[run]) is None else name for run, _ in rows]
    values = np.array([[row.get(measure, math.nan) for measure in measures] for row in rows.values()])
    table = csv_tables.table_of_rows(systems, [topic for _, topic in rows], [*measures], values, file_name)
    # a signature holds for all runs above it
    if signed is None or n_signed < len(names):
        return table
    options, origin = signed
    known = {} if options is None else dict.fromkeys(table.topics, options)
    return replace(table, origin=replace(origin, options=known))
