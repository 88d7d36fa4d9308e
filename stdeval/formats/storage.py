"""Read and write files of scores and factors in every format of the field, as `stdeval convert` does."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from typing import Literal, cast

from stdeval.comparability import undecided_joined_origins
from stdeval.display import counted, listed
from stdeval.doubtful_scores.impossible_scores import about_impossible_scores
from stdeval.doubtful_scores.missing_scores import about_missing_scores
from stdeval.doubtful_scores.stored_scores import (
    about_other_relevant,
    about_stored_scores,
    about_unscored_topics,
)
from stdeval.errors import InputError, InputWarning
from stdeval.files import Input, about_missing_newline
from stdeval.formats import factors_csv, foreign, readers, scores_csv
from stdeval.formats.scores_frame import scores_of_frame
from stdeval.frames import SYSTEM_COLUMNS, Frame, first_column, is_frame
from stdeval.labels import check_label
from stdeval.measures.names import canonical, measure_named, split_prefix, split_scheme
from stdeval.named_columns import about_other_spellings, measures_in
from stdeval.outputs import output
from stdeval.reference_factors import Factors
from stdeval.standardization.doubtful_factors import (
    about_doubtful_names,
    about_impossible_deviations,
    about_missing_references,
    about_spoiled_factors,
)
from stdeval.standardization.doubtful_references import about_fitted
from stdeval.standardization.doubtful_standardization import about_stored_standardization
from stdeval.summary_rows import about_summary_topics
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
    names = [source.name for source in sources]
    joined = scores_csv.join_scores(scores, names) if len(contents) > 1 else contents[0]
    # The reader of a matrix has told of columns that are summaries.
    is_matrix = measure is not None
    of_scores = _doubts_of_scores(joined, is_matrix=is_matrix) if isinstance(joined, ScoreTable) else ()
    for message in (*_doubts(sources, scores), *of_scores):
        warnings.warn(message, InputWarning, stacklevel=3)
    return joined


def _doubts_of_scores(table: ScoreTable, *, is_matrix: bool = False) -> Iterator[str]:
    """Yield messages about scores that no run has, of other judgments or topics, all 0, or spoiled."""
    about = (about_other_relevant, about_unscored_topics, about_impossible_scores)
    yield from filter(None, (about_other_spellings(table.measures), *(each(table) for each in about)))
    yield from about_stored_scores(table, table, name_summaries=not is_matrix)
    yield from about_stored_standardization(table)


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


def _doubts(sources: Sequence[Input], scores: Sequence[ScoreTable]) -> Iterator[str]:
    """Yield messages about files that have been read, and the scores that they have, if they have any."""
    for source in sources:
        found = about_missing_newline(source)
        yield from () if found is None else (f"{source.name}: {found}",)
    for table, source in zip(scores, sources, strict=False):
        found = about_summary_topics(table.topics, source.name)
        yield from () if found is None else (found,)
    undecided = undecided_joined_origins(scores, [source.name for source in sources][: len(scores)])
    yield from () if undecided is None else (undecided,)


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

    Warns
    -----
    InputWarning
        If the last line of a file has no newline at its end, so that the file may be truncated; if a topic has the
        name of a summary, such as mean; if one of several files does not name its judgments and options; or if the
        scores cannot be those of runs, are of some topics only, are missing for some runs, are of different
        judgments, or all 0.

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
    table = _scores_of_frame(frames[0]) if frames else _scores_of_files(cast(Sequence[Path], sources), measure)
    missing = about_missing_scores(table.systems, table.topics, table.measures, missing_scores(table))
    if missing is not None:
        warnings.warn(missing, InputWarning, stacklevel=2)
    return table


def _scores_of_frame(frame: Frame) -> ScoreTable:
    table = scores_of_frame(frame)
    summary = about_summary_topics(table.topics, "the data frame")
    for message in filter(None, (summary, _about_matrix(frame, table), *_doubts_of_scores(table))):
        warnings.warn(message, InputWarning, stacklevel=3)
    return table


def _about_matrix(frame: Frame, table: ScoreTable) -> str | None:
    """Return a message about a data frame that is probably a matrix, topics x systems; otherwise None."""
    are_known = any(measure_named(split_scheme(split_prefix(name)[1])[1]) for name in table.measures)
    if first_column(frame, SYSTEM_COLUMNS) is not None or len(table.measures) < 2 or are_known:
        return None
    found = f"the data frame has no column of runs, and no measure among {listed(table.measures)}"
    return f"{found}: if these are runs, it has the scores of one measure, and melt makes a row per run and topic"


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

    Warns
    -----
    InputWarning
        If standard deviations are too large for scores from 0 to 1, so that they and the means may be swapped; if
        the name of a published column has another meaning in other tools; if the last line of a file has no newline
        at its end, so that the file may be truncated; or if columns, or reference scores, may be spoiled, as those
        that `read_scores` tells of.

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
    sources = [Input(path) for path in paths]
    factors = readers.read_factors(sources)
    doubts = (
        *_doubts(sources, []),
        *about_doubtful_names(factors),
        about_impossible_deviations(factors),
        *about_spoiled_factors(factors),
        about_missing_references(factors),
    )
    if factors.reference is not None:
        doubts += tuple(_doubts_of_scores(factors.reference))
    for message in filter(None, doubts):
        warnings.warn(message, InputWarning, stacklevel=2)
    return factors


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

    Warns
    -----
    InputWarning
        If the format cannot hold the origin of the scores.

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
    if form == "matrix" and kept.origins:
        warnings.warn(f"matrix cannot hold {_ORIGIN}: not written", InputWarning, stacklevel=2)
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

    Warns
    -----
    InputWarning
        If the factors are those of few, uneven or repeated references, or of references with different depths or
        shares of judged documents, because no file of factors tells; if all references score alike on a topic; or
        if the format cannot hold the number of references or the origin of the factors.

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
    lost = ["the number of reference runs"] * bool(factors.n.any()) + [_ORIGIN] * bool(factors.origins)
    if form != "factors" and lost:
        warnings.warn(f"{form} cannot hold {' and '.join(lost)}: not written", InputWarning, stacklevel=2)
    means, *others = (Input(path).path for path in paths)
    with output(means) as out:
        if form == "factors":
            factors_csv.write_factors(out, factors)
        elif form == "zscores":
            foreign.write_zscores(out, factors, digits)
        else:
            with output(others[0]) as deviations:
                foreign.write_published(out, deviations, factors)
    if factors.reference is not None:
        for message in about_fitted(factors, factors.reference):
            warnings.warn(message, InputWarning, stacklevel=2)
