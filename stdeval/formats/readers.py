"""Read scores and factors from a file of any format, which is detected from its content; and write them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from stdeval import notices, results
from stdeval.display import counted, excerpt
from stdeval.errors import InputError, warn
from stdeval.files import BLANKS, Input, columns_of, numbered_lines, output, whole_lines
from stdeval.formats import csv_tables, foreign, joined, writers
from stdeval.formats.csv_rows import is_number, iter_rows, read_rows
from stdeval.measures.names import canonical
from stdeval.standardization.factors import Factors, fit_factors, impossible_deviations
from stdeval.table import ScoreTable, measures_in, missing_scores

if TYPE_CHECKING:
    from stdeval.results import Frame

Path = str | os.PathLike[str]

FileKind = Literal["scores", "factors", "grid", "zscores", "trec_eval", "unknown", "empty"]
"""The formats: our two CSV files, any other CSV (a matrix, or half of a published pair), and two of trec_eval."""


def file_kind(source: Input) -> FileKind:
    """Return the format of a file, detected from its first line that is not blank."""
    for chunk in whole_lines(source, 4096):
        lines = chunk.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")
        first = next((line for line in lines if line.strip(BLANKS)), None)
        if first is not None:
            return _kind_of_lines(first, lines)
    return "empty"


def _kind_of_lines(first: str, lines: Sequence[str]) -> FileKind:
    fields = columns_of(first)
    # topics and measures may have commas in their names, so a line that is complete in another format is not CSV
    if len(fields) == 4 and all(map(is_number, fields[2:])):
        return "zscores"
    if "," not in first or first.count("\t") == 2:
        return "zscores" if len(fields) == 4 else "trec_eval" if len(fields) >= 3 else "unknown"
    try:
        header = next(iter_rows(enumerate(lines), "")).cells
    except InputError:
        return "grid"  # its reader will say what is wrong
    if csv_tables.is_scores_header(header):
        return "scores"
    return "factors" if csv_tables.is_factors_header(header) else "grid"


def read_scores_or_factors(source: Input, matrix_measure: str | None = None) -> ScoreTable | Factors:
    """Return the scores or factors in a file of any format but the published pair."""
    kind = file_kind(source)
    if kind in ("unknown", "empty"):
        raise InputError("no factors or scores, expected CSV, a zscores_file, or trec_eval's output", source.name)
    if kind == "scores":
        return csv_tables.read_scores(source)
    if kind in ("zscores", "trec_eval"):
        read = foreign.factors_from_zscores if kind == "zscores" else foreign.scores_from_output
        return read(numbered_lines(source), source.name)
    rows = read_rows(source)
    if kind == "factors":
        return csv_tables.factors_from_rows(rows, source.name)
    if matrix_measure is None:
        found = "neither scores (run,topic,...) nor factors (topic,n,M.mean,M.sd,...)"
        expected = "a matrix is read with --measure, published factors as two files"
        raise InputError(f"{found}; {expected}", source.name, rows[0].line)
    return foreign.scores_from_matrix(rows, matrix_measure, source.name)


ScoresFormat = Literal["scores", "matrix"]
FactorsFormat = Literal["factors", "published", "zscores"]


def read_content(sources: Sequence[Input], measure: str | None = None) -> ScoreTable | Factors:
    """Return the content of files: of a published pair, of one file, or of several scores files, joined."""
    measure = measure and canonical(measure)
    # a matrix looks like one file of a published pair, but is read with --measure only
    if len(sources) == 2 and not measure and all(file_kind(each) == "grid" for each in sources):
        return read_factors(*sources)
    contents = [read_scores_or_factors(source, measure) for source in sources]
    if len(contents) == 1:
        return contents[0]
    scores = [content for content in contents if isinstance(content, ScoreTable)]
    if len(scores) != len(contents):
        raise InputError("factors in more than one file, expected one file, or several of scores", sources[0].name)
    return joined.join_scores(scores, [each.name for each in sources])


def read_scores(*sources: Path | Frame, measure: str | None = None) -> ScoreTable:
    """Read the scores of systems from files of any format, which is detected from their content, or a data frame.

    Parameters
    ----------
    *sources : path or data frame
        One or several scores CSV files of different systems, outputs of ``trec_eval -q``, or score matrices (topics
        x systems); ``-`` is standard input. Or a data frame, as `ScoreTable.to_frame` makes it: columns ``topic``
        (or ``qid``, ``query_id``), ``run`` (or ``name``, ``system``; without one, the run is named run), and one
        per measure.
    measure : str, optional
        The measure of a matrix, which does not name it itself.
    """
    frames = [each for each in sources if results.is_frame(each)]
    if frames and (len(sources) > 1 or measure is not None):
        raise InputError("a data frame and other arguments, expected one data frame, which names its measures")
    if frames:
        table = csv_tables.scores_of_frame(frames[0])
    else:
        files = [Input(path) for path in cast(Sequence[Path], sources)]
        content = read_content(files, measure)
        if isinstance(content, Factors):
            raise InputError("factors, expected scores: read_factors reads factors", files[0].name)
        table = content
    warn(notices.missing_scores(*missing_scores(table)))
    return table


def read_factors(*paths: Path | Input) -> Factors:
    """Read standardization factors from a file of any format, which is detected from its content.

    Parameters
    ----------
    *paths : path
        One factors CSV, zscores_file of trec_eval or scores file (from which factors are fitted; only these have
        the reference scores, which schemes E and M need), or the two files of the published form: CSV files with a
        row per topic and a column per measure, the means of the reference runs first, then the deviations.
    """
    sources = [path if isinstance(path, Input) else Input(path) for path in paths]
    if len(sources) not in (1, 2):
        raise InputError(f"{len(sources)} factors files, expected one, or two: means and standard deviations")
    for source in sources if len(sources) == 2 else ():
        kind = file_kind(source)
        if kind in ("scores", "factors", "zscores"):
            what = "a zscores_file" if kind == "zscores" else kind
            expected = "expected one such file, or two of the published form, means and standard deviations"
            raise InputError(f"{what} and another file, {expected}", source.name)
    try:
        content = foreign.read_published(*sources) if len(sources) == 2 else read_scores_or_factors(sources[0])
        factors = fit_factors(content) if isinstance(content, ScoreTable) else content
        impossible = np.argwhere(impossible_deviations(factors))
        if len(impossible):
            i, j = impossible[0]
            found = f"{len(impossible)} standard deviations are too large for scores from 0 to 1"
            where = f"'{excerpt(factors.topics[i])}' by {factors.measures[j]}"
            example = f"(e.g. {where}: mean {factors.mean[i, j]:g}, sd {factors.sd[i, j]:g})"
            raise InputError(f"{found} {example}, expected means first, then standard deviations")
    except InputError as error:
        raise error.at(sources[-1].name) from None
    return factors


_ORIGIN = "the judgments and options"


def write_scores(
    table: ScoreTable, path: Path, *, form: ScoresFormat = "scores", measure: str | None = None
) -> None:
    """Write the scores, by one measure or by all, to a file, which appears complete or not at all.

    Parameters
    ----------
    path : path
        If it ends in .gz, .bz2 or .xz, the file is compressed; ``-`` is standard output.
    form : {"scores", "matrix"}
        A scores CSV of all measures (run,topic,MEASURE,...), or a matrix of one (topics x systems).

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1",), ("map",), [[[0.25]], [[0.75]]])
    >>> write_scores(table, "-", form="matrix")
    topic,a,b
    1,0.25,0.75
    """
    listing_of = {"scores": csv_tables.scores_listing, "matrix": foreign.matrix_listing}[form]
    kept = table if measure is None else table.select(measures=measures_in(table.measures, [measure]))
    warn(notices.not_written(form, [_ORIGIN] if form == "matrix" and kept.origin else []))
    with output(os.fsdecode(path)) as out:
        writers.write_listing(out, "csv", listing_of(kept))


def write_factors(factors: Factors, *paths: Path, form: FactorsFormat = "factors", digits: int = 4) -> None:
    """Write factors, without the reference scores, to a file, or to the two of the published form (means first).

    Parameters
    ----------
    form : {"factors", "published", "zscores"}
        A factors CSV; the two CSV files of the published form, see `read_factors`; or trec_eval's zscores_file.
    digits : int
        Decimals of a zscores_file; 17 for all. The other formats are in full precision.

    Examples
    --------
    >>> write_factors(Factors(("1",), ("map",), [[0.5]], [[0.25]], [[2]]), "-")
    topic,n,map.mean,map.sd
    1,2,0.5,0.25
    """
    n_files = 2 if form == "published" else 1
    if len(paths) != n_files:
        raise InputError(f"{counted(len(paths), 'file')}, expected {n_files} for {form}")
    lost = ["the number of reference runs"] * bool(factors.n.any()) + [_ORIGIN] * bool(factors.origin)
    warn(notices.not_written(form, lost if form != "factors" else []))
    with output(os.fsdecode(paths[0])) as out:
        if form == "factors":
            writers.write_listing(out, "csv", csv_tables.factors_listing(factors))
        elif form == "zscores":
            foreign.write_zscores(out, factors, digits)
        else:
            with output(os.fsdecode(paths[1])) as deviations:
                foreign.write_published(out, deviations, factors)
