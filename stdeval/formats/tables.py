"""Scores and factors as CSV, both directions, in full precision."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import IO, NamedTuple

import numpy as np

from stdeval.errors import InputError
from stdeval.files import Input, text_lines
from stdeval.measures.names import kind_of
from stdeval.table import Factors, Floats, ScoreTable
from stdeval.trec import sorted_topics

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MISSING = ("", "NA", "NaN", "nan")


class Row(NamedTuple):
    """A row of a CSV file: the line on which it begins, and its cells."""

    line: int
    cells: list[str]


def read_rows(source: Input) -> list[Row]:
    """The rows of a CSV file that are not blank, the header first."""
    lines = text_lines(source)
    rows = list(_parse(lines, source.name))
    if not rows:
        raise InputError("no rows, expected a CSV file with a header", source.name)
    return rows


def _parse(lines: Sequence[str], name: str) -> Iterator[Row]:
    reader = csv.reader((f"{line}\n" for line in lines), strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield Row(line, [cell.strip() for cell in cells])
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", name, line) from None


def number(text: str, name: str, line: int, what: str) -> float:
    """A plain decimal, or NaN for an empty field (also NA and NaN, as R and pandas write it)."""
    if text in _MISSING:
        return math.nan
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise InputError(f"{what} '{text[:40]}', expected a finite decimal number", name, line)
    return value


def is_number(text: str) -> bool:
    """Whether a field is a plain decimal or says that there is none."""
    return text in _MISSING or _NUMBER.fullmatch(text) is not None


def check_widths(rows: Sequence[Row], width: int, name: str) -> None:
    """Refuse the first row that has not as many cells as the header."""
    for row in rows:
        if len(row.cells) != width:
            raise InputError(f"{len(row.cells)} columns, expected the {width} of the header", name, row.line)


def check_header(names: Sequence[str], name: str, line: int) -> None:
    """Refuse a header with a column that is empty or there twice."""
    for i, column in enumerate(names):
        if not column or column in names[:i]:
            what = f"column '{column}' twice" if column else "a column without name"
            raise InputError(f"{what}, expected names that differ", name, line)


def read_tidy(sources: Sequence[Input]) -> tuple[dict[str, list[str]], list[tuple[str, int]]]:
    """Columns by name of CSV files with the same header, one below the other, and the file and line of each row.

    Raises
    ------
    InputError
        If there are no rows, one is ragged, a column is named twice, or the headers differ.
    """
    header: list[str] = []
    cells, places = [], []
    for source in sources:
        first, *rows = read_rows(source)
        check_header(first.cells, source.name, first.line)
        check_widths(rows, len(first.cells), source.name)
        if header and first.cells != header:
            raise InputError(f"expected the header of {sources[0].name}", source.name, first.line)
        header = first.cells
        cells += [row.cells for row in rows]
        places += [(source.name, row.line) for row in rows]
    if not cells:
        raise InputError("no rows below the header", sources[0].name)
    return {name: [row[i] for row in cells] for i, name in enumerate(header)}, places


def exact(value: float) -> str:
    """The shortest text that reads back as the same number; empty for missing."""
    return "" if math.isnan(value) else repr(float(value))


def is_scores_header(cells: Sequence[str]) -> bool:
    """Whether a header is that of a scores CSV: ``run,topic,MEASURE,...``."""
    return list(cells[:2]) == ["run", "topic"]


def read_scores(source: Input) -> ScoreTable:
    """Scores from a scores CSV; rows of summaries (topic ``all`` and ``all.*``) and empty columns are not scores.

    Raises
    ------
    InputError
        With the line, where a row is ragged, holds something else than numbers, or repeats a run and topic.
    """
    return scores_from_rows(read_rows(source), source.name)


def scores_from_rows(rows: Sequence[Row], name: str) -> ScoreTable:
    """Scores from the rows of a scores CSV, see `read_scores`."""
    header = rows[0].cells
    if not is_scores_header(header) or len(header) < 3:
        raise InputError("expected a header run,topic,MEASURE,...", name, rows[0].line)
    check_header(header, name, rows[0].line)
    check_widths(rows, len(header), name)
    kept = [i for i, measure in enumerate(header) if i > 1 and kind_of(measure) != "text"]
    scores: dict[tuple[str, str], list[float]] = {}
    for row in rows[1:]:
        run, topic = row.cells[:2]
        if topic == "all" or topic.startswith("all."):
            continue
        if (run, topic) in scores:
            raise InputError(f"run '{run}' and topic '{topic}' a second time", name, row.line)
        scores[run, topic] = [number(row.cells[i], name, row.line, "score") for i in kept]
    if not scores:
        raise InputError("no rows of topics, expected a row per run and topic", name)
    return table_of_scores(scores, [header[i] for i in kept])


def table_of_scores(scores: dict[tuple[str, str], list[float]], measures: Sequence[str]) -> ScoreTable:
    """The table of scores by (system, topic), without the measures that have none."""
    systems = list(dict.fromkeys(run for run, _ in scores))
    topics = sorted_topics({topic for _, topic in scores})
    row = {run: i for i, run in enumerate(systems)}
    column = {topic: i for i, topic in enumerate(topics)}
    values = np.full((len(systems), len(topics), len(measures)), np.nan)
    for (run, topic), cells in scores.items():
        values[row[run], column[topic]] = cells
    some = [i for i in range(len(measures)) if not np.isnan(values[:, :, i]).all()]
    return ScoreTable(tuple(systems), topics, tuple(measures[i] for i in some), values[:, :, some])


def join_scores(tables: Sequence[ScoreTable], names: Sequence[str]) -> ScoreTable:
    """Several tables of different systems as one; what one of them lacks is missing.

    Raises
    ------
    InputError
        If a system is in two of them; ``names`` are the names of the files for the message.
    """
    if len(tables) == 1:
        return tables[0]
    home: dict[str, str] = {}
    for table, name in zip(tables, names, strict=True):
        for system in table.systems:
            if system in home:
                raise InputError(f"run '{system}' is also in {home[system]}, expected it once", name)
            home[system] = name
    topics = sorted_topics({topic for table in tables for topic in table.topics})
    measures = list(dict.fromkeys(measure for table in tables for measure in table.measures))
    values = np.full((len(home), len(topics), len(measures)), np.nan)
    start = 0
    for table in tables:
        at_topics = [topics.index(topic) for topic in table.topics]
        at_measures = [measures.index(measure) for measure in table.measures]
        end = start + len(table.systems)
        values[np.ix_(range(start, end), at_topics, at_measures)] = table.values
        start = end
    return ScoreTable(tuple(home), topics, tuple(measures), values)


def write_scores(out: IO[str], table: ScoreTable) -> None:
    """A scores CSV: a row per run and topic that has any score."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["run", "topic", *table.measures])
    for i, system in enumerate(table.systems):
        for j, topic in enumerate(table.topics):
            if not np.isnan(table.values[i, j]).all():
                writer.writerow([system, topic, *map(exact, table.values[i, j].tolist())])


def is_factors_header(cells: Sequence[str]) -> bool:
    """Whether a header is that of a factors CSV: ``topic,n,MEASURE.mean,MEASURE.sd,...``."""
    return cells[:1] == ["topic"] and any(cell.endswith((".mean", ".sd")) for cell in cells)


def factors_from_rows(rows: Sequence[Row], name: str) -> Factors:
    """Factors from the rows of a factors CSV.

    Raises
    ------
    InputError
        With the line, where a row is ragged, a topic appears again, an sd is negative or no number, or a
        mean has no sd.
    """
    header, line = rows[0].cells, rows[0].line
    check_header(header, name, line)
    check_widths(rows, len(header), name)
    measures = _measures_of(header, name, line)
    topics = [row.cells[0] for row in rows[1:]]
    for i, row in enumerate(rows[1:]):
        if topics[i] in topics[:i]:
            raise InputError(f"topic '{topics[i]}' a second time, expected each once", name, row.line)
    if not topics:
        raise InputError("no topics, expected a row per topic", name)
    where = {column: i for i, column in enumerate(header)}

    def columns(suffix: str, read: Callable[[str, int, str], float]) -> Floats:
        names = [f"{measure}.{suffix}" for measure in measures]
        return np.array([[read(row.cells[where[c]], row.line, c) for c in names] for row in rows[1:]])

    mean = columns("mean", lambda text, at, what: number(text, name, at, what))
    sd = columns("sd", lambda text, at, what: non_negative(text, name, at, what))
    n = np.array([_counts(row, where, measures, name) for row in rows[1:]], dtype=np.int64)
    return Factors(tuple(topics), tuple(measures), mean, sd, n)


def _measures_of(header: Sequence[str], name: str, line: int) -> list[str]:
    measures = [column.removesuffix(".mean") for column in header if column.endswith(".mean")]
    expected = {f"{measure}.{suffix}" for measure in measures for suffix in ("mean", "sd")}
    optional = {f"{measure}.n" for measure in measures}
    absent = sorted(expected - set(header))
    if absent:
        raise InputError(f"no column '{absent[0]}', expected topic,n,MEASURE.mean,MEASURE.sd,...", name, line)
    unknown = [column for column in header[1:] if column not in expected | optional | {"n"}]
    if unknown or not measures:
        what = f"column '{unknown[0]}'" if unknown else "no measures"
        raise InputError(f"{what}, expected topic,n,MEASURE.mean,MEASURE.sd,...", name, line)
    return measures


def non_negative(text: str, name: str, line: int, what: str) -> float:
    """A number that is at least 0, or NaN for missing."""
    value = number(text, name, line, what)
    if value < 0:
        raise InputError(f"{what} '{text[:40]}', expected a number from 0", name, line)
    return value


def _counts(row: Row, where: dict[str, int], measures: Sequence[str], name: str) -> list[int]:
    """Numbers of reference systems: one a topic, or one a measure where they differ; 0 where it is not known."""
    counts = []
    for measure in measures:
        column = f"{measure}.n" if f"{measure}.n" in where else "n"
        text = row.cells[where[column]] if column in where else ""
        if text and not re.fullmatch("[0-9]{1,12}", text):
            raise InputError(f"{column} '{text[:40]}', expected a whole number from 0", name, row.line)
        counts.append(int(text or 0))
    return counts


def write_factors(out: IO[str], factors: Factors) -> None:
    """A factors CSV; with a column MEASURE.n where the number of systems differs between measures."""
    writer = csv.writer(out, lineterminator="\n")
    varied = bool((factors.n != factors.n[:, :1]).any())
    header = ["topic", "n"]
    for measure in factors.measures:
        header += [f"{measure}.mean", f"{measure}.sd", *([f"{measure}.n"] if varied else [])]
    writer.writerow(header)
    for i, topic in enumerate(factors.topics):
        row: list[str] = [topic, _count(factors.n[i].max())]
        for j in range(len(factors.measures)):
            row += [exact(factors.mean[i, j]), exact(factors.sd[i, j])]
            row += [_count(factors.n[i, j])] if varied else []
        writer.writerow(row)


def _count(n: int) -> str:
    return str(int(n)) if n else ""
