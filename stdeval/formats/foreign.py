"""Read and write scores and factors in the other formats of the field."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable, Sequence
from typing import IO, NamedTuple

import numpy as np

from stdeval.display import counted, excerpt, listed
from stdeval.doubtful_scores.summary_numbers import summary_columns
from stdeval.errors import InputError, InputWarning
from stdeval.files import Input
from stdeval.formats.blocks import Column
from stdeval.formats.csv_numbers import is_number, parse_columns, parse_non_negative, parse_number, printed_decimals
from stdeval.formats.csv_rows import Row, check_header, check_topics, check_widths, read_rows
from stdeval.formats.listing import exact_number
from stdeval.measures.catalogue import PUBLISHED
from stdeval.measures.facts import kind_of
from stdeval.measures.names import canonical, is_known
from stdeval.reference_factors import Factors
from stdeval.summary_rows import about_summary_systems
from stdeval.table import Floats, ScoreTable, rows_for
from stdeval.text_lines import TextLines, columns_of
from stdeval.trec.reading import sorted_topics

EXACT_DIGITS = 17
"""The number of digits with which a zscores_file has full precision: a 64-bit float needs at most 17."""

_TOPIC_COLUMNS = ("", "topic", "topics", "topicid", "topicno", "topicnumber", "qid", "query", "queryid")
"""Headers of topics, in lower case and without blanks, ``_``, ``-`` and ``.``."""

_SYSTEM_COLUMNS = ("run", "runs", "runid", "name", "system", "systems", "system_id")

_MOMENT_COLUMNS = ("mean", "sd", "std", "stdev")
"""Columns of tables of factors, which are not named like runs."""


def factors_from_zscores(lines: TextLines, file_name: str) -> Factors:
    """Return the factors in the lines of a zscores_file; an `InputError` has the line of the fault."""
    pairs: dict[tuple[str, str], tuple[float, float]] = {}
    printed: list[str] = []
    for at, line in lines.numbered():
        fields = columns_of(line)
        if not fields:
            continue
        if len(fields) != 4:
            raise InputError(f"{counted(len(fields), 'column')}, expected 4: topic measure mean sd", file_name, at)
        topic, measure = fields[:2]
        hint = _qrels_hint(fields)
        if (topic, measure) in pairs:
            raise InputError(f"topic '{topic}' and measure '{measure}' appear twice{hint}", file_name, at)
        try:
            of_topic = parse_number(fields[2], file_name, at, "mean")
        except InputError as error:
            raise InputError(error.message + hint, file_name, at) from None
        pairs[topic, measure] = of_topic, parse_non_negative(fields[3], file_name, at, "standard deviation")
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


def _qrels_hint(fields: Sequence[str]) -> str:
    """Return a hint if a line has an iteration where the measure should be, and a judgment at its end."""
    is_iteration = fields[1] == "Q0" or is_number(fields[1])
    return " (this looks like qrels)" if is_iteration and re.fullmatch("-?[0-9]+", fields[3]) else ""


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
        if len(columns_of(name)) != 1:
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


def read_published(means: Input, deviations: Input) -> Factors:
    """Return the factors in a published pair of files; an `InputError` has the line of the fault."""
    mean = _grid(read_rows(means), means.name, parse_number)
    sd = _grid(read_rows(deviations), deviations.name, parse_non_negative)
    rounded = sd.decimals is not None
    if (sd.topics, sd.columns) != (mean.topics, mean.columns):
        raise InputError(f"topics or metrics, or their order, differ from those of {means.name}", deviations.name)
    # One or two numbers may be equal by chance, such as those of reference runs that all score 0.
    if len(np.unique(mean.values)) > 2 and np.array_equal(mean.values, sd.values):
        what = "the standard deviations are all equal to the means"
        raise InputError(f"{what} in {means.name}, expected the two files of the published form", deviations.name)
    if mean.are_numbered:
        warnings.warn(about_numbered_topics(mean.topics, means.name), InputWarning, stacklevel=2)
    measures = _published_measures(mean.columns, means.name)
    n = np.zeros(mean.values.shape, dtype=np.int64)
    # beside nVDCG, the other measure of that family, nDCG can only be the papers'
    is_clear = {"VDCG", "nVDCG"} & {*mean.columns}
    doubtful = {
        column: measure
        for column, measure in zip(mean.columns, measures, strict=True)
        if not is_clear and canonical(column) not in (column, measure)
    }
    return Factors(
        mean.topics,
        measures,
        mean.values,
        sd.values,
        n,
        decimals=mean.decimals,
        rounded=rounded,
        doubtful=doubtful,
    )


def _published_measures(columns: Sequence[str], file_name: str) -> tuple[str, ...]:
    """Return the measures of the columns: by the names of the papers, then by any other name of a measure."""
    column_of: dict[str, str] = {}
    for column in columns:
        measure = PUBLISHED.get(column) or canonical(column)
        if measure in column_of:
            found = f"columns '{column_of[measure]}' and '{column}' are both {measure}"
            raise InputError(f"{found}, expected one of them", file_name)
        column_of[measure] = column
    return tuple(column_of)


def write_published(means: IO[str], deviations: IO[str], factors: Factors) -> None:
    """Write the published pair of CSV files: topics as rows, metrics as columns."""
    name_of = {measure: name for name, measure in PUBLISHED.items()}
    unknown = [measure for measure in factors.measures if measure not in name_of]
    if unknown:
        raise InputError(f"'{unknown[0]}' is not among the published metrics: {', '.join(PUBLISHED)}")
    columns = [name_of[measure] for measure in factors.measures]
    _write_grid(means, factors.topics, columns, factors.mean)
    _write_grid(deviations, factors.topics, columns, factors.sd)


def scores_from_matrix(rows: Sequence[Row], measure: str, file_name: str) -> ScoreTable:
    """Return the scores of one measure from the rows of a matrix, topics x systems."""
    _refuse_systems_as_rows(rows[0], file_name)
    _refuse_measures(rows[0], file_name)
    grid = _grid(rows, file_name, parse_number)
    if grid.are_numbered:
        warnings.warn(about_numbered_topics(grid.topics, file_name), InputWarning, stacklevel=2)
    if len(grid.columns) > 1 and _seem_topics(grid.columns) and not any(map(is_number, grid.topics)):
        names = f"columns are named like topics ('{excerpt(grid.columns[0])}'), rows like runs"
        told = f"{file_name}: {names} ('{excerpt(grid.topics[0])}'): expected topics as rows"
        warnings.warn(told, InputWarning, stacklevel=2)
    if (found := _about_several_measures(grid.columns)) is not None:
        warnings.warn(f"{file_name}: {found}", InputWarning, stacklevel=2)
    if (
        found := about_summary_systems(summary_columns(grid.columns, grid.values, grid.decimals), file_name)
    ) is not None:
        warnings.warn(found, InputWarning, stacklevel=2)
    topics = sorted_topics(grid.topics)
    by_system = rows_for(grid.values, grid.topics, topics).T[:, :, np.newaxis]
    return ScoreTable(grid.columns, topics, (measure,), by_system)


def about_numbered_topics(topics: Sequence[str], file_name: str) -> str:
    """Return the message about a file without a column of topics, whose rows are numbered.

    Examples
    --------
    >>> about_numbered_topics(["1", "2"], "m.csv")
    'm.csv: no column of topics: the rows are taken as the topics 1 to 2'
    """
    return f"{file_name}: no column of topics: the rows are taken as the topics {topics[0]} to {topics[-1]}"


def _refuse_systems_as_rows(header: Row, file_name: str) -> None:
    """Refuse a matrix, systems x topics, whose header says so: its topics would be read as runs."""
    first = header.cells[0]
    if first.lower() in _SYSTEM_COLUMNS:
        expected = "expected topics as rows, and a column for each run"
        raise InputError(f"a column '{excerpt(first)}', {expected}", file_name, header.line)


def _refuse_measures(header: Row, file_name: str) -> None:
    """Refuse a table of measures, whose columns would be read as runs of these names."""
    columns = [name for name in header.cells if not _names_topics(name)]
    # A run may well be called P or R.
    measures = [name for name in columns if name in _MOMENT_COLUMNS or (len(name) > 1 and is_known(name))]
    if 2 * len(measures) > len(columns):
        found = f"columns named like measures ({listed(measures, 3)})"
        expected = "expected a column for each run, or a scores CSV with the header run,topic,MEASURE,..."
        raise InputError(f"{found}, {expected}", file_name, header.line)


def _about_several_measures(columns: Sequence[str]) -> str | None:
    """Return a message if columns are named after several measures and the same runs by each; otherwise None.

    Examples
    --------
    >>> print(_about_several_measures(["map_a", "map_b", "ndcg_a", "ndcg_b"]))
    the columns are named after 2 measures and 2 runs (e.g. 'map_a'): expected the scores of one measure
    """
    for is_first in (True, False):
        pairs = {_measure_and_run(name, is_first=is_first) for name in columns}
        runs = {measure: {run for other, run in pairs if other == measure} for measure, _ in pairs}
        some, *others = runs.values()
        if "" not in runs and len(some) > 1 and others and all(each == some for each in others):
            found = f"the columns are named after {len(runs)} measures and {len(some)} runs"
            return f"{found} (e.g. '{excerpt(columns[0])}'): expected the scores of one measure"
    return None


def _measure_and_run(name: str, *, is_first: bool) -> tuple[str, str]:
    """Return the longest measure at the beginning or the end of a name, and the rest; or no measure and the name.

    A data frame with two levels of columns writes their names as ('map', 'bm25').
    """
    plain = re.sub("[()'\"]", "", name)
    parts = ((plain[: at.start()], plain[at.end() :]) for at in re.finditer("[_., :]+", plain))
    pairs = (part if is_first else part[::-1] for part in parts)
    known = [(measure, run) for measure, run in pairs if run and len(measure) > 1 and is_known(measure)]
    return max(known, key=lambda pair: len(pair[0]), default=("", name))


def write_matrix(out: IO[str], table: ScoreTable) -> None:
    """Write the scores of a table of one measure, topics as rows, systems as columns."""
    if len(table.measures) > 1:
        names = listed(table.measures)
        raise InputError(f"a matrix has one measure, expected --measure with one of: {names}")
    column = Column(table.measures[0], kind_of(table.measures[0]))
    _write_grid(out, table.topics, table.systems, table.values[:, :, 0].T, column.exact)


class _Grid(NamedTuple):
    """Numbers by topic and column, ``values`` of shape (n_topics, n_columns), and the decimals printed.

    Topics without a column of their own are numbered; pandas numbers rows from 0, in a column without a header.
    """

    topics: tuple[str, ...]
    columns: tuple[str, ...]
    values: Floats
    decimals: int | None
    are_numbered: bool


def _grid(rows: Sequence[Row], file_name: str, parse: Callable[[str, str, int, str], float]) -> _Grid:
    """Return the numbers below a header; topics without a column of their own are numbered from 1."""
    (line, header), body = rows[0], rows[1:]
    if not body:
        raise InputError("no rows below the header, expected a row per topic", file_name)
    # R writes a column of row names without a header for it, so a first row that is longer by one has topics, too
    headed = _names_topics(header[0])
    # systems may be numbered, but none is called 0.25
    if all(is_number(name) for name in header[headed:]) and any("." in name for name in header[headed:]):
        found = f"numbers ('{excerpt(header[-1])}') where names should be"
        raise InputError(f"{found}, expected a header", file_name, line)
    with_topics = headed or len(body[0].cells) == len(header) + 1
    columns = header[headed:]
    check_header(columns, file_name, line)
    check_widths(body, len(columns) + with_topics, file_name)
    _refuse_topics_as_numbers(rows, with_topics, file_name)
    topics = [row.cells[0] if with_topics else str(i) for i, row in enumerate(body, 1)]
    check_topics(topics, body, file_name)
    places = {column: i for i, column in enumerate(columns, int(with_topics))}
    values = parse_columns(body, places, parse, file_name)
    decimals = printed_decimals(row.cells[place] for row in body for place in places.values())
    are_numbered = not with_topics or (header[0] == "" and topics == [str(i) for i in range(len(topics))])
    return _Grid(tuple(topics), tuple(columns), values, decimals, are_numbered)


def _names_topics(name: str) -> bool:
    """Return whether a header is that of a column of topics, such as QueryID and query_id."""
    return re.sub("[ _.-]", "", name.lower()) in _TOPIC_COLUMNS


def _refuse_topics_as_numbers(rows: Sequence[Row], with_topics: bool, file_name: str) -> None:
    """Refuse a column of topics that has another header, or is not the first column."""
    (line, header), body = rows[0], rows[1:]
    columns = list(zip(*(row.cells for row in body), strict=True))
    if with_topics:
        names = header if len(header) == len(columns) else ["", *header]
        again = [
            name
            for name, cells in zip(names[1:], columns[1:], strict=True)
            if _names_topics(name) and _seem_topics(cells)
        ]
        if again:
            found = f"the column '{excerpt(again[0])}' seems to have topics, too"
            raise InputError(f"{found}, expected one column of topics, the first", file_name, line)
    elif not any(map(is_number, columns[0])):
        found = f"the column '{excerpt(header[0])}' has names ('{excerpt(columns[0][0])}') where numbers should be"
        raise InputError(f"{found}, expected the header topic for a column of topics", file_name, line)
    elif _seem_topics(columns[0]) and not any(map(_seem_topics, columns[1:])):
        expected = "expected the header topic (if these are scores, put a column of topics before them)"
        raise InputError(f"the column '{excerpt(header[0])}' seems to have topics, {expected}", file_name, line)


def _seem_topics(cells: Sequence[str]) -> bool:
    """Return whether cells are different whole numbers, most of them above 1, as topics often are.

    Scores are hardly ever such numbers, and counts are often equal on many topics. If several columns are such
    numbers, they may be counts on a few topics.

    Examples
    --------
    >>> _seem_topics(["301", "302"]), _seem_topics(["1", "0"]), _seem_topics(["1000", "1000"])
    (True, False, False)
    """
    whole = [float(cell) for cell in cells if re.fullmatch(r"[0-9]+(\.0*)?", cell)]
    return len(whole) == len(cells) == len({*whole}) and 2 * sum(number > 1 for number in whole) > len(whole)


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
