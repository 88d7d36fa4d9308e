"""Read and write files of scores and factors in every format of the field, as `stdeval convert` does."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, cast

from stdeval import notices
from stdeval.display import counted
from stdeval.errors import InputError, warn
from stdeval.files import Input
from stdeval.formats import factors_csv, foreign, readers, scores_csv
from stdeval.formats.scores_frame import scores_of_frame
from stdeval.frames import Frame, is_frame
from stdeval.labels import check_label
from stdeval.measures.names import canonical
from stdeval.named_columns import measures_in
from stdeval.outputs import output
from stdeval.reference_factors import Factors
from stdeval.table import ScoreTable, check_scores_table, missing_scores

Path = str | os.PathLike[str]

ScoresFormat = Literal["scores", "matrix"]
FactorsFormat = Literal["factors", "published", "zscores"]


def read_content(sources: Sequence[Input], measure: str | None = None) -> ScoreTable | Factors:
    """Return the content of files: of a published pair, of one file, or of several scores files, joined.

    Parameters
    ----------
    sources : sequence of Input
    measure : str, optional
        The measure of a score matrix, in any form.

    Raises
    ------
    InputError
        If a file is not well formed, with the line, or if the files do not belong together.
    """
    contents = _contents(sources, measure and canonical(measure))
    scores = [content for content in contents if isinstance(content, ScoreTable)]
    if len(contents) > 1 and len(scores) != len(contents):
        raise InputError("factors in more than one file, expected one file, or several of scores", sources[0].name)
    return scores_csv.join_scores(scores, [each.name for each in sources]) if len(contents) > 1 else contents[0]


def _contents(sources: Sequence[Input], measure: str | None) -> list[ScoreTable | Factors]:
    """Return the contents of files, one of a published pair."""
    # a matrix looks like one file of a published pair, but is read with --measure only
    if len(sources) == 2 and measure is None:
        grids = [source for source in sources if readers.file_kind(source) == "grid"]
        if len(grids) == 2:
            return [readers.read_factors(sources)]
        if grids:
            other = sources[1 - sources.index(grids[0])]
            raise InputError(f"expected the other file of a published pair, beside {grids[0].name}", other.name)
    return [readers.read_scores_or_factors(source, measure) for source in sources]


def read_scores(*sources: Path | Frame, measure: str | None = None) -> ScoreTable:
    """Read the scores of systems from files of any format, which is detected from their content, or a data frame.

    Parameters
    ----------
    *sources : path or data frame
        One or several scores CSV files of different systems, outputs of ``trec_eval -q``, or score matrices (topics
        x systems); ``-`` is standard input. Or a data frame, as `ScoreTable.to_frame` makes it: columns ``topic``
        (or ``qid``, ``query_id``), ``run`` (or ``name``, ``system``), and one per measure. Without a column of
        runs, the scores are those of a run named run.
    measure : str, optional
        The measure of a matrix, which does not name it itself.

    Raises
    ------
    InputError
        If a file is none of these or is not well formed, with the line, or a data frame has no column of topics or
        of scores, a score that is not a number, two rows of a run and topic, or a column of signatures.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> table = ScoreTable(("a", "b"), ("1",), ("map",), [[[0.25]], [[0.75]]])
    >>> with TemporaryDirectory() as folder:
    ...     write_scores(table, f"{folder}/scores.csv.gz")
    ...     read_scores(f"{folder}/scores.csv.gz")
    ScoreTable(2 systems, 1 topic, 1 measure: map)
    """
    if not sources:
        raise InputError("no file, expected at least one")
    if measure is not None:
        check_label(measure, "measure")
    frames = [each for each in sources if is_frame(each)]
    if frames and (len(sources) > 1 or measure is not None):
        raise InputError("a data frame and other arguments, expected one data frame, which names its measures")
    table = scores_of_frame(frames[0]) if frames else _scores_of_files(cast(Sequence[Path], sources), measure)
    warn(notices.missing_scores(*missing_scores(table)))
    return table


def _scores_of_files(paths: Sequence[Path], measure: str | None) -> ScoreTable:
    sources = [Input(path) for path in paths]
    content = read_content(sources, measure)
    if isinstance(content, Factors):
        raise InputError("factors, expected scores: read_factors reads factors", sources[0].name)
    return content


def read_factors(*paths: Path) -> Factors:
    """Read standardization factors from a file of any format, which is detected from its content.

    Parameters
    ----------
    *paths : path
        One factors CSV, zscores_file of trec_eval or scores file (from which factors are fitted), or the two files
        of the published form, which are CSV files with a row per topic and a column per measure: the means of the
        reference runs first, their standard deviations second.

    Returns
    -------
    Factors
        Only factors from a scores file have the reference scores, which schemes E and M need, see `write_factors`.

    Raises
    ------
    InputError
        If a file is none of these or is not well formed, with the line.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> factors = Factors(("1",), ("map",), [[0.5]], [[0.25]], [[0]])  # n is not known
    >>> with TemporaryDirectory() as folder:
    ...     write_factors(factors, f"{folder}/zscores", form="zscores")
    ...     read_factors(f"{folder}/zscores").mean
    array([[0.5]])
    """
    if not paths:
        raise InputError("no file, expected one, or two: means and standard deviations")
    return readers.read_factors(paths)


_ORIGIN = "the judgments and options"


def write_scores(
    table: ScoreTable, path: Path, *, form: ScoresFormat = "scores", measure: str | None = None
) -> None:
    """Write scores to a file, which appears complete or not at all.

    Parameters
    ----------
    table : ScoreTable
    path : path
        If it ends in .gz, .bz2 or .xz, the file is compressed; ``-`` is standard output.
    form : {"scores", "matrix"}
        A scores CSV of all measures (run,topic,MEASURE,...), or a matrix of one (topics x systems).
    measure : str, optional
        Write only this measure.

    Raises
    ------
    InputError
        If the format cannot hold the scores, or the file cannot be written.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1",), ("map",), [[[0.25]], [[0.75]]])
    >>> write_scores(table, "-", form="matrix")
    topic,a,b
    1,0.25,0.75
    """
    check_scores_table(table)
    if form not in ("scores", "matrix"):
        raise InputError(f"no format '{form}' of scores, expected scores or matrix")
    kept = table if measure is None else table.select(measures=measures_in(table.measures, [measure]))
    warn(notices.not_written(form, [_ORIGIN] if form == "matrix" and kept.origin else []))
    with output(Input(path).path) as out:
        if form == "scores":
            scores_csv.write_scores(out, kept)
        else:
            foreign.write_matrix(out, kept)


def write_factors(factors: Factors, *paths: Path, form: FactorsFormat = "factors", digits: int = 4) -> None:
    """Write factors to a file, or to the two files of the published form.

    Parameters
    ----------
    factors : Factors
    *paths : path
        One file, and for ``published`` two: means, then standard deviations.
    form : {"factors", "published", "zscores"}
        A factors CSV; the two CSV files of the published form, see `read_factors`; or trec_eval's zscores_file.
    digits : int
        Decimals of a zscores_file; 17 for all. The other formats are in full precision.

    Raises
    ------
    InputError
        If the format cannot hold the factors, or a file cannot be written.

    Notes
    -----
    No format of factors has the reference scores, which schemes E and M need. For these schemes, write the scores
    of the reference runs with `write_scores` instead; `read_factors` fits factors to them and keeps the scores.

    Examples
    --------
    >>> factors = Factors(("1",), ("map",), [[0.5]], [[0.25]], [[2]])
    >>> write_factors(factors, "-")
    topic,n,map.mean,map.sd
    1,2,0.5,0.25
    """
    if not isinstance(factors, Factors):
        raise InputError(f"factors of type {type(factors).__name__}, expected Factors, such as fit_factors returns")
    if form not in ("factors", "published", "zscores"):
        raise InputError(f"no format '{form}' of factors, expected factors, published or zscores")
    n_files = 2 if form == "published" else 1
    if len(paths) != n_files:
        raise InputError(f"{counted(len(paths), 'file')}, expected {n_files} for {form}")
    if digits not in range(18):
        raise InputError(f"digits {digits}, expected 0 to 17")
    lost = ["the number of reference runs"] * bool(factors.n.any()) + [_ORIGIN] * bool(factors.origin)
    warn(notices.not_written(form, lost if form != "factors" else []))
    means, *others = (Input(path).path for path in paths)
    with output(means) as out:
        if form == "factors":
            factors_csv.write_factors(out, factors)
        elif form == "zscores":
            foreign.write_zscores(out, factors, digits)
        else:
            with output(others[0]) as deviations:
                foreign.write_published(out, deviations, factors)
