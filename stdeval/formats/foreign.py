"""Read and write scores and factors in the other formats of the field, and detect the format of a file."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Literal, NamedTuple

import numpy as np

from stdeval.display import counted, listed
from stdeval.errors import InputError
from stdeval.files import Input, text_lines, whole_lines
from stdeval.formats.tables import (
    Row,
    check_header,
    check_topics,
    check_widths,
    factors_from_rows,
    is_factors_header,
    is_number,
    is_scores_header,
    iter_rows,
    parse_columns,
    parse_non_negative,
    parse_number,
    parse_rows,
    printed_decimals,
    read_rows,
    scores_from_rows,
    table_of_scores,
)
from stdeval.formats.writers import Column, exact_number
from stdeval.measures.catalogue import PUBLISHED
from stdeval.measures.names import kind_of
from stdeval.standardization import fit_factors
from stdeval.table import Factors, Floats, ScoreTable, rows_for
from stdeval.trec import sorted_topics

FileKind = Literal["scores", "factors", "grid", "zscores", "trec_eval", "unknown"]
"""The formats: our two CSV files, any other CSV (a matrix, or half of a published pair), and two of trec_eval."""

EXACT_DIGITS = 17
"""The number of digits with which a zscores_file holds numbers in full: any float of 64 bits needs at most 17."""

_START = 4096
"""Bytes that are read to detect the format of a file, together with the rest of their last line."""

_TOPIC_COLUMNS = ("", "topic", "topics", "topic_id", "qid", "query", "query_id")


def file_kind(source: Input) -> FileKind:
    """Return the format of a file, detected from its first line that is not blank.

    Only the start of the file is read. Text in three or more columns counts as the output of trec_eval, whose
    reader refuses other text with a message; so a run is ``trec_eval``, and never ``scores``.

    Parameters
    ----------
    source : Input
        A pipe or standard input can be read again afterwards through the same object, but not through another.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    for chunk in whole_lines(source, _START):
        text = chunk.decode("utf-8", "surrogateescape")
        if text.strip():
            return _kind_of_lines(text.replace("\r\n", "\n").split("\n"))
    return "unknown"


def _kind_of_lines(lines: Sequence[str]) -> FileKind:
    first = next((line for line in lines if line.strip()), "")
    fields = first.split()
    # topics and measures may have commas in their names, so a line that is complete in another format is not CSV
    if len(fields) == 4 and all(map(is_number, fields[2:])):
        return "zscores"
    if "," not in first or first.count("\t") == 2:
        if len(fields) == 4:
            return "zscores"
        return "trec_eval" if len(fields) >= 3 else "unknown"
    header = _csv_header(lines)
    if is_scores_header(header):
        return "scores"
    return "factors" if is_factors_header(header) else "grid"


def _csv_header(lines: Sequence[str]) -> list[str]:
    """Return the first row of a CSV file; an empty one if it is damaged, which its reader will explain."""
    try:
        return next((row.cells for row in iter_rows(lines, "")), [])
    except InputError:
        return []


def read_factors(paths: Sequence[str | os.PathLike[str] | Input]) -> Factors:
    """Return standardization factors from any file that can provide them.

    Parameters
    ----------
    paths : sequence of paths or Inputs
        One factors CSV, zscores_file of trec_eval or scores CSV (from which factors are fitted), or the two
        files of the published form, means first.

    Raises
    ------
    InputError
        If a file is none of these, or is not well formed: with the line.
    """
    sources = [path if isinstance(path, Input) else Input(path) for path in paths]
    if len(sources) == 2:
        return _published(*sources)
    if len(sources) > 2:
        raise InputError(f"{len(sources)} factors files, expected one, or two: means and standard deviations")
    content = read_scores_or_factors(sources[0])
    return content if isinstance(content, Factors) else fit_factors(content)


def read_scores_or_factors(source: Input, matrix_measure: str | None = None) -> ScoreTable | Factors:
    """Return the scores or factors in a file of any format but the published pair.

    Parameters
    ----------
    source : Input
    matrix_measure : str, optional
        The measure of a score matrix (topics x systems), which does not name it itself.

    Raises
    ------
    InputError
        If the format is not known, or the file is not well formed: with the line.
    """
    lines = text_lines(source)
    kind = _kind_of_lines(lines)
    if kind == "unknown":
        first = next((i for i, line in enumerate(lines, 1) if line.strip()), 1)
        expected = "expected CSV, a zscores_file, or trec_eval's output"
        raise InputError(f"no factors or scores, {expected}", source.name, first)
    if kind == "zscores":
        return _zscores(lines, source.name)
    if kind == "trec_eval":
        return _trec_eval_output(lines, source.name)
    rows = parse_rows(lines, source.name)
    if kind == "scores":
        return scores_from_rows(rows, source.name)
    if kind == "factors":
        return factors_from_rows(rows, source.name)
    if matrix_measure is None:
        raise InputError(
            "neither scores (run,topic,...) nor factors (topic,n,M.mean,M.sd,...); "
            "a matrix is read with --measure, published factors as two files",
            source.name,
            rows[0].line,
        )
    return _matrix(rows, matrix_measure, source.name)


def _zscores(lines: Sequence[str], file_name: str) -> Factors:
    pairs: dict[tuple[str, str], tuple[float, float]] = {}
    printed: list[str] = []
    for at, line in enumerate(lines, 1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != 4:
            raise InputError(f"{counted(len(fields), 'column')}, expected 4: topic measure mean sd", file_name, at)
        topic, measure = fields[:2]
        if (topic, measure) in pairs:
            raise InputError(f"topic '{topic}' and measure '{measure}' a second time", file_name, at)
        pairs[topic, measure] = (
            parse_number(fields[2], file_name, at, "mean"),
            parse_non_negative(fields[3], file_name, at, "standard deviation"),
        )
        printed += fields[2:]
    topics = sorted_topics({topic for topic, _ in pairs})
    measures = tuple(dict.fromkeys(measure for _, measure in pairs))
    row_of = {topic: i for i, topic in enumerate(topics)}
    column_of = {measure: j for j, measure in enumerate(measures)}
    mean_and_sd = np.full((2, len(topics), len(measures)), np.nan)
    for (topic, measure), pair in pairs.items():
        mean_and_sd[:, row_of[topic], column_of[measure]] = pair
    decimals = printed_decimals(printed)
    n = np.zeros(mean_and_sd.shape[1:], dtype=np.int64)
    mean, sd = mean_and_sd
    return Factors(topics, measures, mean, sd, n, decimals=decimals, rounded=decimals is not None)


def write_zscores(out: IO[str], factors: Factors, digits: int = 4) -> None:
    """Write a zscores_file of trec_eval: lines ``topic measure mean sd``, by topic, then by measure.

    Parameters
    ----------
    out : text file
    factors : Factors
        Those that are missing have no line.
    digits : int
        Decimals; with `EXACT_DIGITS` or more, numbers are written in full.
    """
    for name in (*factors.topics, *factors.measures):
        if len(name.split()) != 1:
            raise InputError(f"'{name}' has a blank, which a zscores_file cannot hold")
    row_of = {topic: i for i, topic in enumerate(factors.topics)}
    columns = sorted((measure, j) for j, measure in enumerate(factors.measures))
    for topic in sorted_topics(factors.topics):
        i = row_of[topic]
        for measure, j in columns:
            pair = (factors.mean[i, j], factors.sd[i, j])
            if not np.isnan(pair).any():
                mean, sd = (exact_number(x) if digits >= EXACT_DIGITS else f"{x:.{digits}f}" for x in pair)
                out.write(f"{topic}\t{measure}\t{mean}\t{sd}\n")


def _published(means: Input, deviations: Input) -> Factors:
    mean = _grid(read_rows(means), means.name, parse_number)
    sd = _grid(read_rows(deviations), deviations.name, parse_non_negative)
    rounded = sd.decimals is not None
    if (sd.topics, sd.columns) != (mean.topics, mean.columns):
        raise InputError(f"topics or metrics differ from those of {means.name}", deviations.name)
    measures = tuple(PUBLISHED.get(column, column) for column in mean.columns)
    n = np.zeros(mean.values.shape, dtype=np.int64)
    return Factors(mean.topics, measures, mean.values, sd.values, n, decimals=mean.decimals, rounded=rounded)


def write_published(means: IO[str], deviations: IO[str], factors: Factors) -> None:
    """Write the published pair of CSV files: topics as rows, metrics as columns."""
    name_of = {measure: name for name, measure in PUBLISHED.items()}
    unknown = [measure for measure in factors.measures if measure not in name_of]
    if unknown:
        raise InputError(f"'{unknown[0]}' is not among the published metrics: {', '.join(PUBLISHED)}")
    columns = [name_of[measure] for measure in factors.measures]
    _write_grid(means, factors.topics, columns, factors.mean)
    _write_grid(deviations, factors.topics, columns, factors.sd)


def _matrix(rows: Sequence[Row], measure: str, file_name: str) -> ScoreTable:
    grid = _grid(rows, file_name, parse_number)
    topics = sorted_topics(grid.topics)
    by_system = rows_for(grid.values, grid.topics, topics).T[:, :, np.newaxis]
    return ScoreTable(grid.columns, topics, (measure,), by_system)


def write_matrix(out: IO[str], table: ScoreTable) -> None:
    """Write the scores of a table of one measure, topics as rows, systems as columns."""
    if len(table.measures) > 1:
        names = listed(table.measures)
        raise InputError(f"a matrix holds one measure, expected --measure with one of: {names}")
    column = Column(table.measures[0], kind_of(table.measures[0]))
    _write_grid(out, table.topics, table.systems, table.values[:, :, 0].T, column.exact)


class _Grid(NamedTuple):
    """Numbers by topic and column, ``values`` of shape (n_topics, n_columns), and the decimals printed."""

    topics: tuple[str, ...]
    columns: tuple[str, ...]
    values: Floats
    decimals: int | None


def _grid(rows: Sequence[Row], file_name: str, parse: Callable[[str, str, int, str], float]) -> _Grid:
    """Return the numbers below a header; topics without a column of their own are numbered from 1."""
    (line, header), body = rows[0], rows[1:]
    if not body:
        raise InputError("no rows below the header, expected a row per topic", file_name)
    # R writes a column of row names without a header for it, so a first row that is longer by one has topics, too
    headed = header[0].lower() in _TOPIC_COLUMNS
    with_topics = headed or len(body[0].cells) == len(header) + 1
    columns = header[headed:]
    check_header(columns, file_name, line)
    check_widths(body, len(columns) + with_topics, file_name)
    topics = [row.cells[0] if with_topics else str(i) for i, row in enumerate(body, 1)]
    check_topics(topics, body, file_name)
    places = {column: i for i, column in enumerate(columns, int(with_topics))}
    values = parse_columns(body, places, parse, file_name)
    decimals = printed_decimals(row.cells[place] for row in body for place in places.values())
    return _Grid(tuple(topics), tuple(columns), values, decimals)


def _write_grid(
    out: IO[str],
    topics: Sequence[str],
    columns: Sequence[str],
    values: Floats,
    exact: Callable[[float], str] = exact_number,
) -> None:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["topic", *columns])
    for topic, row in zip(topics, values.tolist(), strict=True):
        writer.writerow([topic, *map(exact, row)])


@dataclass
class _PrintedRun:
    """The output for one run: its scores by topic, then by measure, and whether its summary has begun."""

    runid: str | None = None
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    summarized: bool = False


def _trec_eval_output(lines: Sequence[str], file_name: str) -> ScoreTable:
    """Return the scores per topic in the output of ``trec_eval -q`` for one run after the other.

    A run begins with its runid line, or, where that was not printed, with the first line of a topic after
    the summary of the run before it. trec_eval itself prints runid at the start of the summary.
    """
    runs = [_PrintedRun()]
    measures: dict[str, None] = {}
    for at, measure, topic, value in _output_lines(lines, file_name):
        run = runs[-1]
        complete = run.summarized and run.scores
        if measure == "runid":
            if complete or run.runid is not None:
                runs.append(_PrintedRun())
            runs[-1].runid, runs[-1].summarized = value, False
        elif topic == "all":
            run.summarized = True
        elif kind_of(measure) != "text":
            if complete:
                runs.append(_PrintedRun())
            runs[-1].summarized = False
            by_measure = runs[-1].scores.setdefault(topic, {})
            if measure in by_measure:
                raise InputError(f"measure '{measure}' and topic '{topic}' a second time", file_name, at)
            by_measure[measure] = parse_number(value, file_name, at, "value")
            measures[measure] = None
    if not measures:
        raise InputError("no lines of single topics, expected the output of trec_eval -q", file_name)
    return _table_of_runs(runs, list(measures), file_name)


def _output_lines(lines: Sequence[str], file_name: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield the number, measure, topic and value of each line that is not blank."""
    for at, line in enumerate(lines, 1):
        # trec_eval separates by tabs, and the tag of a run may hold blanks
        fields = line.split("\t") if line.count("\t") == 2 else line.split()
        if not line.strip():
            continue
        if len(fields) != 3:
            raise InputError(f"{counted(len(fields), 'column')}, expected 3: measure topic value", file_name, at)
        measure, topic, value = (field.strip() for field in fields)
        yield at, measure, topic, value


def _table_of_runs(runs: Sequence[_PrintedRun], measures: Sequence[str], file_name: str) -> ScoreTable:
    """Return the scores of runs; a run without a runid line has the name of the file."""
    scores: dict[str, dict[str, list[float]]] = {}
    for run in runs:
        if not run.scores:
            continue
        label = file_name if run.runid is None else run.runid
        if label in scores:
            raise InputError(f"run '{label}' a second time, expected each once", file_name)
        scores[label] = {
            topic: [by_measure.get(measure, math.nan) for measure in measures]
            for topic, by_measure in run.scores.items()
        }
    return table_of_scores(scores, measures)
