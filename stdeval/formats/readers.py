"""Read scores and factors from files of any format, which is detected from their content; join and write them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, starmap
from typing import Literal, NamedTuple, cast

import numpy as np

from stdeval import notices, results
from stdeval.errors import InputError, counted, excerpt, warn
from stdeval.files import BLANKS, Input, columns_of, numbered_lines, output
from stdeval.formats import csv_tables, foreign, writers
from stdeval.measures import names as measure_names
from stdeval.provenance import Origin, agreed, have_other_qrels, other_factors
from stdeval.standardization.factors import Factors, fit_factors, impossible_deviations
from stdeval.table import Bools, Floats, ScoreTable, measures_in, missing_scores, rows_for
from stdeval.trec import reading

Path = str | os.PathLike[str]
# our two CSV files, any other CSV (a matrix, or half of a published pair), and two formats of trec_eval
FileKind = Literal["scores", "factors", "grid", "zscores", "trec_eval", "unknown"]
ScoresFormat = Literal["scores", "matrix"]
FactorsFormat = Literal["factors", "published", "zscores"]


def file_kind(source: Input) -> FileKind:
    """Return the format of a file, detected from its first line that is not blank."""
    lines = numbered_lines(source)
    number, first = next((each for each in lines if each[1].strip(BLANKS)), (0, ""))
    fields = columns_of(first)
    # topics and measures may have commas in their names, so a line that is complete in another format is not CSV
    if len(fields) == 4 and all(map(csv_tables.is_number, fields[2:])):
        return "zscores"
    if first.lstrip().startswith(("{", "[")):
        return "unknown"
    if "," not in first or first.count("\t") == 2:
        return "zscores" if len(fields) == 4 else "trec_eval" if len(fields) >= 3 else "unknown"
    try:
        header = next(csv_tables.iter_rows(chain([(number, first)], lines), "")).cells
    except InputError:
        return "grid"  # its reader will say what is wrong
    if csv_tables.is_scores_header(header):
        return "scores"
    return "factors" if csv_tables.is_factors_header(header) else "grid"


def read_scores_or_factors(source: Input, matrix_measure: str | None = None) -> ScoreTable | Factors:
    """Return the scores or factors in a file of any format but the published pair."""
    kind = file_kind(source)
    if kind == "unknown":
        raise InputError("no factors or scores, expected CSV, a zscores_file, or trec_eval's output", source.name)
    if kind == "scores":
        return csv_tables.read_scores(source)
    if kind in ("zscores", "trec_eval"):
        read = foreign.factors_from_zscores if kind == "zscores" else foreign.scores_from_output
        return read(numbered_lines(source), source.name)
    rows = csv_tables.read_rows(source)
    if kind == "factors":
        return csv_tables.factors_from_rows(rows, source.name)
    if matrix_measure is None:
        found = "neither scores (run,topic,...) nor factors (topic,n,M.mean,M.sd,...)"
        expected = "expected one of these, a matrix with --measure, or published factors as two files"
        raise InputError(f"{found}, {expected}", source.name, rows[0].line)
    return foreign.scores_from_matrix(rows, matrix_measure, source.name)


def read_content(sources: Sequence[Input], measure: str | None = None) -> ScoreTable | Factors:
    """Return the content of files: of a published pair, of one file, or of several scores files, joined."""
    measure = measure and measure_names.canonical(measure)
    # a matrix looks like one file of a published pair, but is read with --measure only
    if len(sources) == 2 and not measure and all(file_kind(each) == "grid" for each in sources):
        return read_factors(*sources)
    contents = [read_scores_or_factors(source, measure) for source in sources]
    if len(contents) == 1:
        return contents[0]
    scores = [content for content in contents if isinstance(content, ScoreTable)]
    if len(scores) != len(contents):
        raise InputError("factors in more than one file, expected one file, or several of scores", sources[0].name)
    return join_scores(scores, [each.name for each in sources])


def read_scores(*sources: Path | results.Frame, measure: str | None = None) -> ScoreTable:
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


class Groups(NamedTuple):
    """The groups of runs in a file."""

    file_name: str
    groups: dict[str, str]

    def of(self, systems: Sequence[str]) -> list[str]:
        """Return the group of each system."""
        without = [system for system in systems if system not in self.groups]
        if without:
            some = f"{len(without)} of {counted(len(systems), 'run')} without a group"
            raise InputError(f"{some} (e.g. '{excerpt(without[0])}'), expected a row for each", self.file_name)
        return [self.groups[system] for system in systems]


def read_groups(source: Input) -> Groups:
    """Read the groups of runs."""
    header, *rows = csv_tables.read_rows(source)
    found = [[name for name in names if name in header.cells] for names in (("run", "tag"), ("group", "team"))]
    if not all(found):
        what = f"header '{excerpt(','.join(header.cells))}', expected the columns run and group"
        raise InputError(what, source.name, header.line)
    csv_tables.check_widths(rows, len(header.cells), source.name)
    run, group = (header.cells.index(names[0]) for names in found)
    csv_tables.check_names([row.cells[run] for row in rows], [row.line for row in rows], "run", source.name)
    for row in rows:
        # All runs without a group would be one group.
        if row.cells[group] in csv_tables.MISSING:
            what = f"run '{excerpt(row.cells[run])}' without a group"
            raise InputError(f"{what}, expected a run and its group", source.name, row.line)
    return Groups(source.name, {row.cells[run]: row.cells[group] for row in rows})


def join_scores(tables: Sequence[ScoreTable], file_names: Sequence[str]) -> ScoreTable:
    """Return tables of different systems as one; refuse known other judgments, options or factors."""
    if len(tables) == 1:
        return tables[0]
    file_of, judgments, options = dict[str, str](), dict[str, str](), dict[str, str]()
    for i, (table, file_name) in enumerate(zip(tables, file_names, strict=True)):
        for system in table.systems:
            if system in file_of:
                found = f"run '{system}' is also in {file_of[system]}"
                expected = "expected each name once: rename one of them ('eval' takes NAME=RUN)"
                raise InputError(f"{found}, {expected}", file_name)
            file_of[system] = file_name
        pairs = ((judgments, table.origin.judgments), (options, table.origin.options))
        differ = any(known.setdefault(topic, each) != each for known, own in pairs for topic, each in own.items())
        if differ or any(_contradict(before, table) for before in tables[:i]):
            what = "scores with other judgments, options or factors than in the files before"
            raise InputError(f"{what}, expected the same", file_name)
    topics = reading.sorted_topics({topic for table in tables for topic in table.topics})
    measures = tuple(dict.fromkeys(measure for table in tables for measure in table.measures))
    values = np.concatenate([_values_at(table, table.systems, topics, measures) for table in tables])
    return ScoreTable(tuple(file_of), topics, measures, values, agreed(tables))


def _values_at(table: ScoreTable, systems: Sequence[str], topics: Sequence[str], measures: Sequence[str]) -> Floats:
    """Return the scores for these labels, NaN where the table has none."""
    by_topic = rows_for(rows_for(table.values, table.systems, systems).swapaxes(0, 1), table.topics, topics)
    return rows_for(by_topic.T, table.measures, measures).transpose(1, 2, 0)


def _contradict(one: ScoreTable, other: ScoreTable) -> bool:
    """Return whether two tables are known to have other judgments, from their digests, or other factors."""
    common, same_topics = {*one.measures} & {*other.measures}, {*one.topics} == {*other.topics}
    have_other_factors = other_factors(one.origin, other.origin, common, same_topics=same_topics)
    return bool(have_other_factors) or have_other_qrels(one.origin, other.origin)


def join_columns(tables: Mapping[str, ScoreTable]) -> ScoreTable:
    """Return tables of the same systems and topics as one, with the measures of each under its prefix."""
    systems = tuple(dict.fromkeys(system for table in tables.values() for system in table.systems))
    topics = reading.sorted_topics({topic for table in tables.values() for topic in table.topics})
    named = ((prefix, name) for prefix, table in tables.items() for name in table.measures)
    measures = tuple(starmap(measure_names.prefixed, named))
    values = np.concatenate([_values_at(each, systems, topics, each.measures) for each in tables.values()], axis=2)
    return ScoreTable(systems, topics, measures, values, agreed([*tables.values()]))


def collection_numbers(tables: Sequence[ScoreTable]) -> list[int]:
    """Return the collection of each table, as a number from 1 on: known other judgments are another collection."""
    numbers: list[int] = []
    for table in tables:
        before = [*zip(tables, numbers, strict=False)]
        others = {number for one, number in before if _have_other_judgments(one.origin, table.origin)}
        numbers.append(next(number for number in range(1, len(tables) + 1) if number not in others))
    return numbers


def _have_other_judgments(one: Origin, other: Origin) -> bool:
    if one.digest and other.digest and (one.digest, one.n_judged) != (other.digest, other.n_judged):
        return True
    return any(one.judgments.get(topic, each) != each for topic, each in other.judgments.items())


def join_collections(tables: Sequence[ScoreTable], file_names: Sequence[str], numbers: Sequence[int]) -> ScoreTable:
    """Return the scores of several collections as one table, in which each collection has topics of its own."""
    apart, first_files = [], []
    for number in dict.fromkeys(numbers):
        at = [i for i, each in enumerate(numbers) if each == number]
        table = join_scores([tables[i] for i in at], [file_names[i] for i in at])
        options = {f"{number}/{topic}": each for topic, each in table.origin.options.items()}
        topics = tuple(f"{number}/{topic}" for topic in table.topics)
        apart.append(replace(table, topics=topics, origin=Origin(options=options)))
        first_files.append(file_names[at[0]])
    return join_scores(apart, first_files)


def topics_of_other_collections(is_scored: Bools) -> Bools:
    """Return for each system the topics of other collections: systems that share a topic are of one collection."""
    has = is_scored.astype(np.int64)
    return np.asarray((has @ has.T > 0).astype(np.int64) @ has == 0)


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
