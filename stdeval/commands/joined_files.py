"""Read the scores files that the options name, and join them."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from stdeval.commands.input_options import Gaps, InputOptions
from stdeval.commands.messages import warn, warn_all
from stdeval.commands.shared_topics import warn_of_shared_topics
from stdeval.comparability import (
    about_mixed_options,
    about_other_options,
    about_other_schemes,
    undecided_joined_origins,
)
from stdeval.display import shown_name
from stdeval.doubtful_scores.stored_scores import about_more_topics, about_unscored_topics, refuse_unscored_topics
from stdeval.errors import InputError
from stdeval.files import Input, about_missing_newline
from stdeval.formats.collections import Collection, by_collection, collection_numbers, join_collections
from stdeval.formats.columns import join_columns
from stdeval.formats.origin_columns import undecided_factors
from stdeval.formats.scores_csv import join_scores, read_scores
from stdeval.measures.names import prefixed
from stdeval.named_columns import measures_in
from stdeval.summary_rows import about_summary_topics
from stdeval.table import ScoreTable


def joined_files(options: InputOptions, gaps: Gaps) -> tuple[ScoreTable, int]:
    """Return the scores of several files, and how many runs have scores in only some of the named ones."""
    sources: dict[str, list[Input]] = {}
    for path, name in options.score_files:
        sources.setdefault(name, []).append(Input(path))
    read = {name: [read_scores(source) for source in named] for name, named in sources.items()}
    report_missing_newlines([source for named in sources.values() for source in named], gaps)
    file_names = {name: [source.name for source in named] for name, named in sources.items()}
    for name, tables in read.items():
        for table, file_name in zip(tables, file_names[name], strict=True):
            _warn_of_summary_topics(table, file_name)
    by_name = _joined_collections(read, file_names) if options.collections else _joined_rows(read, file_names, gaps)
    joined = by_name[""] if list(by_name) == [""] else join_columns(by_name)
    # Files of different collections may have been evaluated with options of their own.
    alike = read if options.collections else {name: [table] for name, table in by_name.items()}
    asked = measures_in(joined.measures, options.measures) if options.measures else joined.measures
    warn_of_joined = _warn_of_other_collections if options.collections else _warn_of_undecided_origins
    for name, tables in read.items():
        warn_of_joined(tables, file_names[name])
    _warn_of_mixed_options(alike, frozenset(asked))
    n_partial = 0 if list(by_name) == [""] else _report_partial_runs(by_name, joined.systems, gaps)
    return replace(joined, unscored=_unscored_columns(read, joined.measures)), n_partial


def _unscored_columns(read: Mapping[str, Sequence[ScoreTable]], measures: Container[str]) -> tuple[str, ...]:
    """Return the columns that have no scores in any file."""
    named = [prefixed(name, column) for name, tables in read.items() for each in tables for column in each.unscored]
    return tuple(name for name in dict.fromkeys(named) if name not in measures)


def _report_partial_runs(tables: Mapping[str, ScoreTable], systems: Sequence[str], gaps: Gaps) -> int:
    """Return how many runs have scores in only some of the named files, and warn of them."""
    lacking = {name: set(systems) - {*each.systems} for name, each in tables.items()}
    n_partial = len(set().union(*lacking.values()))
    if n_partial and gaps == "warn":
        name, runs = next((name, runs) for name, runs in lacking.items() if runs)
        measure = prefixed(name, next(iter(tables[name].measures), "scores"))
        number = f"{n_partial} of {len(systems)} runs (e.g. '{shown_name(min(runs))}', without {measure})"
        warn(f"{number} are in only some of the scores files: their scores by the other files are missing")
    return n_partial


def _joined_rows(
    read: Mapping[str, Sequence[ScoreTable]], file_names: Mapping[str, Sequence[str]], gaps: Gaps
) -> dict[str, ScoreTable]:
    """Join the tables of each name, which are of one collection."""
    for name, tables in read.items():
        _report_undecided_factors(tables, file_names[name], gaps)
    joined = {name: join_scores(tables, file_names[name]) for name, tables in read.items()}
    for name, tables in read.items():
        _report_uncounted_topics(tables, joined[name], gaps)
    return joined


def _joined_collections(
    read: Mapping[str, Sequence[ScoreTable]], file_names: Mapping[str, Sequence[str]]
) -> dict[str, ScoreTable]:
    """Join the tables of each name; a collection has the same number in all names.

    Scores of different collections may be standardized with factors of their own.
    """
    numbers = iter(collection_numbers([table for tables in read.values() for table in tables]))
    collections = {
        name: by_collection(tables, file_names[name], [next(numbers) for _ in tables])
        for name, tables in read.items()
    }
    if {each.number for of_name in collections.values() for each in of_name} == {1}:
        return {name: of_name[0].table for name, of_name in collections.items()}
    return {name: _apart(of_name) for name, of_name in collections.items()}


def _apart(collections: Sequence[Collection]) -> ScoreTable:
    """Join the tables of several collections, and warn of each without scores on some judged topics.

    The joined table does not say how many judged topics each of them has.
    """
    for _, table, file_name in collections:
        if (found := about_unscored_topics(table)) is not None:
            warn(f"{file_name}: {found}: the others are left out")
        warn_all(f"{file_name}: {told}" for told in about_more_topics(table))
    named = ((table.topics, table.origins, file_name) for _, table, file_name in collections)
    warn_of_shared_topics(named, "an unpaired test treats them as different")
    return join_collections(collections)


def report_missing_newlines(sources: Sequence[Input], gaps: Gaps) -> None:
    """Warn of, or refuse, files of scores or factors whose last line has no newline; they have been read before."""
    for source in sources:
        found = about_missing_newline(source)
        if found is not None and gaps == "refuse":
            raise InputError(f"{found}, expected a newline at the end of a complete file", source.name)
        if found is not None:
            warn(f"{source.name}: {found}")


def _warn_of_summary_topics(table: ScoreTable, file_name: str) -> None:
    """Warn of topics that may be summaries of the others, by their names."""
    if (found := about_summary_topics(table.topics, file_name)) is not None:
        warn(found)


def report_unscored_topics(table: ScoreTable, path: str | None, gaps: Gaps) -> None:
    """Warn of, or refuse, judged topics without any score; only a signature gives the number of judged topics."""
    if gaps == "refuse":
        refuse_unscored_topics(table, path)
    elif (found := about_unscored_topics(table)) is not None:
        warn(f"{found}: the others are left out")


def _report_uncounted_topics(tables: Sequence[ScoreTable], joined: ScoreTable, gaps: Gaps) -> None:
    """Warn of, or refuse, topics that no file has, if only the signatures of some files count the judged topics."""
    known = [table.qrels for table in tables if table.qrels is not None]
    if joined.qrels is None and known:
        most = max(known, key=lambda qrels: qrels.n_topics)
        report_unscored_topics(replace(joined, qrels=most), None, gaps)


def _report_undecided_factors(tables: Sequence[ScoreTable], file_names: Sequence[str], gaps: Gaps) -> None:
    """Warn of, or refuse, files whose signatures cannot tell whether the same factors standardized their scores."""
    file_name = undecided_factors(tables, file_names)
    if file_name is None:
        return
    whether = "the same factors standardized these scores and those of the files before"
    found = f"the signatures cannot tell whether {whether}"
    if gaps == "refuse":
        raise InputError(f"{found}, expected signatures of the same measures and topics", file_name)
    warn(f"{file_name}: {found}")


def _warn_of_undecided_origins(tables: Sequence[ScoreTable], file_names: Sequence[str]) -> None:
    """Warn if several files do not all name their judgments and options."""
    message = undecided_joined_origins(tables, file_names)
    if message is not None:
        warn(message)


def _warn_of_other_collections(tables: Sequence[ScoreTable], file_names: Sequence[str]) -> None:
    """Warn of scores on several collections that were evaluated with other options, or standardized differently."""
    common = [name for name in tables[0].measures if all(name in table.measures for table in tables)]
    warn_all(about_other_options(zip((table.origins for table in tables), file_names, strict=True), common))
    warn_all(about_other_schemes(zip(tables, file_names, strict=True)))


def _warn_of_mixed_options(named: Mapping[str, Sequence[ScoreTable]], asked: Container[str]) -> None:
    """Warn of tables whose scores by the measures asked for were computed with different options by topic.

    Parameters
    ----------
    named : mapping of str to sequence of ScoreTable
        Prefix of measures to tables.
    asked : container of str
        Measures, with their prefixes.
    """
    for name, tables in named.items():
        for table in tables:
            measures = [measure for measure in table.measures if prefixed(name, measure) in asked]
            if measures and (message := about_mixed_options(table, measures)) is not None:
                warn(message)
