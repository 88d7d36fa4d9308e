"""Files of scores and factors in the formats of the field; the kind is seen from the content."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from typing import IO

import numpy as np

from stdeval.errors import InputError
from stdeval.files import Input, text_lines
from stdeval.formats.tables import (
    Row,
    check_header,
    check_widths,
    exact,
    factors_from_rows,
    is_factors_header,
    is_number,
    is_scores_header,
    non_negative,
    number,
    read_rows,
    scores_from_rows,
    table_of_scores,
)
from stdeval.measures.catalogue import PUBLISHED
from stdeval.measures.names import kind_of
from stdeval.standardization import fit_factors
from stdeval.table import Factors, Floats, ScoreTable
from stdeval.trec import sorted_topics

EXACT = 17
"""With so many digits a zscores_file holds the numbers in full."""

_TOPIC_COLUMNS = ("", "topic", "topics", "topic_id", "qid", "query", "query_id")


def read_factors(sources: Sequence[Input]) -> Factors:
    """Standardization factors from any file that can give them.

    Parameters
    ----------
    sources : sequence of Input
        One factors CSV, trec_eval zscores_file or scores CSV (from which factors are fitted); or the two
        files of the published form, means first.

    Raises
    ------
    InputError
        If a file is none of these, or is not well formed: with the line.
    """
    if len(sources) == 2:
        return _published(*sources)
    if len(sources) > 2:
        raise InputError(f"{len(sources)} factors files, expected one, or two: means and standard deviations")
    found = read_scores_or_factors(sources[0])
    return found if isinstance(found, Factors) else fit_factors(found)


def read_scores_or_factors(source: Input, matrix_measure: str | None = None) -> ScoreTable | Factors:
    """What a file holds: a scores CSV, a factors CSV, a zscores_file, trec_eval's output, or a matrix.

    Parameters
    ----------
    source : Input
    matrix_measure : str, optional
        The measure of a score matrix (topics x systems), which does not say it itself.

    Raises
    ------
    InputError
        If the file is none of these, or is not well formed: with the line.
    """
    lines = text_lines(source)
    at, first = next(((i, line) for i, line in enumerate(lines, 1) if line.strip()), (1, ""))
    fields = first.split()
    if len(fields) == 4 and all(map(is_number, fields[2:])):
        return _zscores(lines, source.name)
    if "," not in first or len(first.split("\t")) == 3:
        if len(fields) == 4:
            return _zscores(lines, source.name)
        if len(fields) >= 3:
            return _trec_eval_output(lines, source.name)
        raise InputError(
            "no factors or scores, expected CSV, a zscores_file, or trec_eval's output", source.name, at
        )
    rows = read_rows(source)
    if is_scores_header(rows[0].cells):
        return scores_from_rows(rows, source.name)
    if is_factors_header(rows[0].cells):
        return factors_from_rows(rows, source.name)
    if matrix_measure is None:
        raise InputError(
            "neither scores (run,topic,...) nor factors (topic,n,M.mean,M.sd,...); "
            "a matrix is read with --measure, published factors as two files",
            source.name,
            rows[0].line,
        )
    return _matrix(rows, matrix_measure, source.name)


def is_plain_grid(source: Input) -> bool:
    """Whether a file is CSV and neither scores nor factors of ours: one half of the published pair, or a matrix."""
    first = next((line for line in text_lines(source) if line.strip()), "")
    cells = [cell.strip() for cell in first.split(",")]
    return len(cells) > 1 and not is_scores_header(cells) and not is_factors_header(cells)


def _zscores(lines: Sequence[str], name: str) -> Factors:
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for at, line in enumerate(lines, 1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != 4:
            raise InputError(f"{len(fields)} columns, expected 4: topic measure mean sd", name, at)
        topic, measure = fields[:2]
        if (topic, measure) in found:
            raise InputError(f"topic '{topic}' and measure '{measure}' a second time", name, at)
        mean = number(fields[2], name, at, "mean")
        found[topic, measure] = (mean, non_negative(fields[3], name, at, "standard deviation"))
    topics = sorted_topics({topic for topic, _ in found})
    measures = tuple(dict.fromkeys(measure for _, measure in found))
    both = np.full((2, len(topics), len(measures)), np.nan)
    row = {topic: i for i, topic in enumerate(topics)}
    column = {measure: i for i, measure in enumerate(measures)}
    for (topic, measure), pair in found.items():
        both[:, row[topic], column[measure]] = pair
    return Factors(topics, measures, both[0], both[1], np.zeros(both.shape[1:], dtype=np.int64))


def write_zscores(out: IO[str], factors: Factors, digits: int = 4) -> None:
    """trec_eval's zscores_file: ``topic measure mean sd``, by topic, then measure; in full with 17 digits."""
    for name in (*factors.topics, *factors.measures):
        if len(name.split()) != 1:
            raise InputError(f"'{name}' has a blank, which a zscores_file cannot hold")
    for topic in sorted_topics(factors.topics):
        i = factors.topics.index(topic)
        for measure in sorted(factors.measures):
            j = factors.measures.index(measure)
            if not math.isnan(factors.mean[i, j] + factors.sd[i, j]):
                mean, sd = (_decimals(array[i, j], digits) for array in (factors.mean, factors.sd))
                out.write(f"{topic}\t{measure}\t{mean}\t{sd}\n")


def _decimals(value: float, digits: int) -> str:
    return exact(value) if digits >= EXACT else f"{value:.{digits}f}"


def _published(means: Input, deviations: Input) -> Factors:
    topics, measures, mean = _grid(read_rows(means), means.name, negative=True)
    sd_topics, sd_measures, sd = _grid(read_rows(deviations), deviations.name, negative=False)
    if sd_topics != topics or sd_measures != measures:
        raise InputError(f"topics or metrics differ from those of {means.name}", deviations.name)
    named = tuple(PUBLISHED.get(measure, measure) for measure in measures)
    return Factors(topics, named, mean, sd, np.zeros(mean.shape, dtype=np.int64))


def write_published(means: IO[str], deviations: IO[str], factors: Factors) -> None:
    """The published pair of CSV files: topics as rows, metrics as columns."""
    names = {measure: name for name, measure in PUBLISHED.items()}
    strange = [measure for measure in factors.measures if measure not in names]
    if strange:
        raise InputError(f"'{strange[0]}' is not among the published metrics: {', '.join(PUBLISHED)}")
    for out, array in ((means, factors.mean), (deviations, factors.sd)):
        _write_grid(out, factors.topics, [names[measure] for measure in factors.measures], array)


def _matrix(rows: Sequence[Row], measure: str, name: str) -> ScoreTable:
    topics, systems, values = _grid(rows, name, negative=True)
    ordered = sorted_topics(topics)
    by_system = values[[topics.index(topic) for topic in ordered]].T[:, :, np.newaxis]
    return ScoreTable(systems, ordered, (measure,), by_system)


def write_matrix(out: IO[str], table: ScoreTable) -> None:
    """The scores of one measure, topics as rows, systems as columns."""
    if len(table.measures) > 1:
        names = ", ".join(table.measures[:8])
        raise InputError(f"a matrix holds one measure, expected --measure with one of: {names}")
    _write_grid(out, table.topics, table.systems, table.values[:, :, 0].T)


def _grid(rows: Sequence[Row], name: str, negative: bool) -> tuple[tuple[str, ...], tuple[str, ...], Floats]:
    """A rectangle of numbers with column names and, where there is a column of them, row names (else 1, 2, ...)."""
    header, body = rows[0].cells, rows[1:]
    if not body:
        raise InputError("no rows below the header, expected a row per topic", name)
    headed = header[0].lower() in _TOPIC_COLUMNS
    with_topics = headed or len(body[0].cells) == len(header) + 1
    columns = header[headed:]
    check_header(columns, name, rows[0].line)
    check_widths(body, len(columns) + with_topics, name)
    topics = [row.cells[0] if with_topics else str(i) for i, row in enumerate(body, 1)]
    for i, row in enumerate(body):
        if topics[i] in topics[:i]:
            raise InputError(f"topic '{topics[i]}' a second time, expected each once", name, row.line)
    read = number if negative else non_negative
    values = [
        [read(cell, name, row.line, column) for cell, column in zip(row.cells[with_topics:], columns, strict=True)]
        for row in body
    ]
    return tuple(topics), tuple(columns), np.array(values, dtype=np.float64)


def _write_grid(out: IO[str], topics: Sequence[str], columns: Sequence[str], values: Floats) -> None:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["topic", *columns])
    for topic, row in zip(topics, values.tolist(), strict=True):
        writer.writerow([topic, *map(exact, row)])


def _trec_eval_output(lines: Sequence[str], name: str) -> ScoreTable:
    """Scores per topic from what ``trec_eval -q`` printed, one run after the other."""
    runs: list[tuple[str | None, dict[tuple[str, str], float]]] = [(None, {})]
    summed = False
    for at, line in enumerate(lines, 1):
        fields = line.split("\t") if line.count("\t") == 2 else line.split()
        if not line.strip():
            continue
        if len(fields) != 3:
            raise InputError(f"{len(fields)} columns, expected 3: measure topic value", name, at)
        measure, topic, value = (field.strip() for field in fields)
        if measure == "runid":
            if runs[-1][0] is not None or (summed and runs[-1][1]):
                runs.append((None, {}))
            runs[-1] = (value, runs[-1][1])
            summed = False
        elif topic == "all":
            summed = True
        elif kind_of(measure) != "text":
            if summed and runs[-1][1]:
                runs.append((None, {}))
            summed = False
            if (measure, topic) in runs[-1][1]:
                raise InputError(f"measure '{measure}' and topic '{topic}' a second time", name, at)
            runs[-1][1][measure, topic] = number(value, name, at, "value")
    return _table_of_output(runs, name)


def _table_of_output(runs: Sequence[tuple[str | None, dict[tuple[str, str], float]]], name: str) -> ScoreTable:
    measures = list(dict.fromkeys(measure for _, values in runs for measure, _ in values))
    if not measures:
        raise InputError("no lines of single topics, expected the output of trec_eval -q", name)
    scores: dict[tuple[str, str], list[float]] = {}
    for run, values in runs:
        label = name if run is None else run
        if values and any(label == known for known, _ in scores):
            raise InputError(f"run '{label}' a second time, expected each once", name)
        for topic in dict.fromkeys(topic for _, topic in values):
            scores[label, topic] = [values.get((measure, topic), math.nan) for measure in measures]
    return table_of_scores(scores, measures)
