"""Read scores and factors from a file of any format, which is detected from its content."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

import numpy as np

from stdeval.display import excerpt
from stdeval.errors import InputError
from stdeval.files import Input, whole_lines
from stdeval.formats.csv_numbers import is_number
from stdeval.formats.csv_rows import iter_rows, parse_rows
from stdeval.formats.factors_csv import factors_from_rows, is_factors_header
from stdeval.formats.foreign import factors_from_zscores, read_published, scores_from_matrix
from stdeval.formats.scores_csv import is_scores_header, scores_from_rows
from stdeval.formats.trec_eval_output import scores_from_output
from stdeval.reference_factors import Factors
from stdeval.standardization.factors import fit_factors, impossible_deviations
from stdeval.table import ScoreTable
from stdeval.text_lines import BLANKS, TextLines, columns_of, text_lines

FileKind = Literal["scores", "factors", "grid", "zscores", "trec_eval", "unknown", "empty"]
"""The formats: our two CSV files, any other CSV (a matrix, or half of a published pair), and two of trec_eval.

A file without anything but blanks is empty.
"""

_START = 4096
"""Bytes that are read to detect the format of a file, together with the rest of their last line."""


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
        if text.strip(BLANKS):
            return _kind_of_lines(text.replace("\r\n", "\n").split("\n"))
    return "empty"


def _kind_of_lines(lines: Sequence[str]) -> FileKind:
    first = next((line for line in lines if line.strip(BLANKS)), "")
    fields = columns_of(first)
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
        return next((row.cells for row in iter_rows(TextLines(lines), "")), [])
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
        for source in sources:
            kind = file_kind(source)
            if kind in ("scores", "factors", "zscores"):
                what = "a zscores_file" if kind == "zscores" else kind
                expected = "expected one such file, or two of the published form, means and standard deviations"
                raise InputError(f"{what} and another file, {expected}", source.name)
        return _possible(read_published(*sources), sources[1].name)
    if len(sources) > 2:
        raise InputError(f"{len(sources)} factors files, expected one, or two: means and standard deviations")
    content = read_scores_or_factors(sources[0])
    try:
        return _possible(content, sources[0].name) if isinstance(content, Factors) else fit_factors(content)
    except InputError as error:
        raise error.at(sources[0].name) from None


def _possible(factors: Factors, file_name: str) -> Factors:
    """Return factors; refuse standard deviations that no scores have, as in published files that are swapped."""
    impossible = np.argwhere(impossible_deviations(factors))
    if len(impossible):
        i, j = impossible[0]
        number = f"{len(impossible)} standard deviations are too large for scores from 0 to 1"
        where = f"'{excerpt(factors.topics[i])}' by {factors.measures[j]}"
        example = f"(e.g. {where}: mean {factors.mean[i, j]:g}, sd {factors.sd[i, j]:g})"
        raise InputError(f"{number} {example}, expected means first, then standard deviations", file_name)
    return factors


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
        first = next((i for i, line in lines.numbered() if line.strip(BLANKS)), 1)
        expected = "expected CSV, a zscores_file, or trec_eval's output"
        raise InputError(f"no factors or scores, {expected}", source.name, first)
    if kind == "zscores":
        return factors_from_zscores(lines, source.name)
    if kind == "trec_eval":
        return scores_from_output(lines, source.name)
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
    return scores_from_matrix(rows, matrix_measure, source.name)
