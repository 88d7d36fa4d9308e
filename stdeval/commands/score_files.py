"""Read the scores files that the options name, and check their content."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace

import numpy as np

from stdeval.commands.input_options import Gaps, InputOptions
from stdeval.commands.judgments import judgments
from stdeval.commands.messages import warn, warn_all
from stdeval.commands.parameter_types import NamedFile
from stdeval.commands.selection import best_runs
from stdeval.commands.shared_topics import warn_of_shared_topics
from stdeval.comparability import (
    about_mixed_options,
    about_other_options,
    about_other_schemes,
    undecided_joined_origins,
)
from stdeval.display import about_unscored, counted, listed, shown_name
from stdeval.doubtful_scores.impossible_scores import about_impossible_scores, refuse_impossible_scores
from stdeval.doubtful_scores.missing_scores import about_missing_scores
from stdeval.doubtful_scores.rounded_scores import about_rounded
from stdeval.doubtful_scores.stored_scores import (
    about_more_topics,
    about_other_judged,
    about_other_relevant,
    about_stored_scores,
    about_topics_without_relevant,
    about_unjudged_systems,
    about_unscored_topics,
    refuse_unjudged_systems,
    refuse_unscored_topics,
)
from stdeval.errors import InputError
from stdeval.files import Input, about_missing_newline
from stdeval.formats.collections import (
    Collection,
    by_collection,
    collection_numbers,
    join_collections,
    topics_of_other_collections,
)
from stdeval.formats.columns import join_columns
from stdeval.formats.origin_columns import undecided_factors
from stdeval.formats.scores_csv import join_scores, read_scores
from stdeval.measures.facts import kind_of
from stdeval.measures.names import prefixed, split_prefix
from stdeval.named_columns import about_other_spellings, measures_in
from stdeval.standardization.doubtful_standardization import about_stored_standardization, refuse_other_factors
from stdeval.standardization.factors import refuse_huge
from stdeval.stats.coverage import takes_part
from stdeval.stats.rounding import printed_decimals_of_all
from stdeval.summary_rows import about_summary_topics
from stdeval.table import Bools, ScoreTable


def table_of_files(options: InputOptions, wanted: Callable[[str], bool], gaps: Gaps) -> ScoreTable:
    """Return the scores of the files by the measures named, or by those that are wanted.

    Parameters are those of `stdeval.commands.inputs.read_table`.
    """
    table, n_partial = _joined_files(options, gaps)
    where = _only_file(options)
    try:
        refuse_huge(table.values)
    except InputError as error:
        raise (error if where is None else error.at(where)) from None
    if not options.measures:
        _warn_of_unscored(table.unscored)
    measures = _measures_of(table, options, wanted)
    if (spelled := about_other_spellings(table.measures)) is not None:
        warn(spelled)
    _report_unscored_topics(table, where, gaps)
    if gaps == "warn":
        if not n_partial:
            _warn_of_runs_without_scores(table.select(measures=measures))
        _warn_of_missing(table, measures, options.collections)
    check_relevant(table, where, gaps)
    _report_unjudged(table, where, gaps)
    if (without := about_topics_without_relevant(table, any_number=gaps == "refuse")) is not None:
        warn(without)
    asked = table.select(measures=measures)
    # A run without a hit by the measures named may have some by others.
    warn_all(about_stored_scores(table, asked))
    if gaps == "refuse":
        refuse_other_factors(asked, where)
    warn_all(about_stored_standardization(asked))
    warn_all(about_rounded([asked]))
    check_ranges(asked, where, gaps)
    if options.best is None:
        return asked
    # The runs to leave out are chosen last: doubtful scores may be the reason why a run is not among the best.
    best = table.select(systems=[table.systems[i] for i in best_runs(options, table)])
    return _without_empty_topics(best).select(measures=measures)


def _only_file(options: InputOptions) -> str | None:
    """Return the path of the scores file if there is only one, so that a fault must be in it; otherwise None."""
    paths = [each.path for each in options.score_files]
    return paths[0] if len(paths) == 1 else None


def _warn_of_unscored(measures: Sequence[str]) -> None:
    """Warn of columns that are left out: those without numbers, and those of summaries."""
    summaries = [name for name in measures if kind_of(name) == "summary"]
    empty = [name for name in measures if name not in summaries]
    has = "has" if len(summaries) == 1 else "have"
    facts = {
        f"no run has a score by {listed(empty)}": empty,
        f"{listed(summaries)} {has} no score per topic, only a summary": summaries,
    }
    for fact, names in facts.items():
        if names:
            columns = "the column is" if len(names) == 1 else "the columns are"
            warn(f"{fact}: {columns} left out", is_caveat=False)


def _measures_of(table: ScoreTable, options: InputOptions, wanted: Callable[[str], bool]) -> list[str]:
    """Return the measures of the table that are named, or those that are wanted; refuse if there are none."""
    if options.measures:
        return measures_in(table.measures, options.measures)
    kept = [name for name in table.measures if wanted(name)]
    if not kept:
        raise InputError(about_unscored(table.measures), _only_file(options))
    return kept


def _report_unscored_topics(table: ScoreTable, path: str | None, gaps: Gaps) -> None:
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
        _report_unscored_topics(replace(joined, qrels=most), None, gaps)


def _joined_collections(
    named: Mapping[str, Sequence[ScoreTable]], files: Mapping[str, Sequence[Input]]
) -> dict[str, ScoreTable]:
    """Join the tables of each name; a collection has the same number in all names."""
    numbers = iter(collection_numbers([table for tables in named.values() for table in tables]))
    collections = {
        name: by_collection(tables, [file.name for file in files[name]], [next(numbers) for _ in tables])
        for name, tables in named.items()
    }
    if {each.number for of_name in collections.values() for each in of_name} == {1}:
        return {name: of_name[0].table for name, of_name in collections.items()}
    return {name: _apart(of_name) for name, of_name in collections.items()}


def _apart(collections: Sequence[Collection]) -> ScoreTable:
    """Join the tables of several collections, and warn of each that does not have the judged topics.

    The joined table does not say how many judged topics each of them has.
    """
    for _, table, file_name in collections:
        if (found := about_unscored_topics(table)) is not None:
            warn(f"{file_name}: {found}: the others are left out")
        warn_all(f"{file_name}: {told}" for told in about_more_topics(table))
    named = ((table.topics, table.origins, file_name) for _, table, file_name in collections)
    warn_of_shared_topics(named, "an unpaired test treats them as different")
    return join_collections(collections)


def _warn_of_runs_without_scores(table: ScoreTable) -> None:
    """Warn of runs that have no score by some measure, such as runs of a file without its column."""
    absent = ~takes_part(table.values)
    for k in np.flatnonzero(absent.any(axis=0)):
        some = np.flatnonzero(absent[:, k])
        verb = "has" if len(some) == 1 else "have"
        number = f"{len(some)} of {len(table.systems)} runs {verb} no scores"
        warn(f"{table.measures[k]}: {number} (e.g. '{shown_name(table.systems[some[0]])}')")


def _warn_of_missing(table: ScoreTable, measures: Sequence[str], collections: bool) -> None:
    """Warn of runs without a score on some topics by these measures, unless they have no score at all by one.

    If runs may be of different `collections`, they need no scores on the topics of another one.
    """
    missing = np.isnan(table.values)
    elsewhere = _is_in_other_files_only(table)
    cells = missing & takes_part(table.values)[:, np.newaxis] & ~elsewhere
    if collections:
        is_scored: Bools = np.any(~missing, axis=2)
        cells &= ~topics_of_other_collections(is_scored)[:, :, np.newaxis]
    asked = [table.measures.index(name) for name in measures]
    cells = cells[:, :, asked]
    if not _have_no_common_topic(table.measures, elsewhere):
        _warn_of_topics_of_other_files(table.select(measures=measures), elsewhere[:, asked])
    if (found := about_missing_scores(table.systems, table.topics, measures, cells)) is not None:
        warn(found)


def _is_in_other_files_only(table: ScoreTable) -> Bools:
    """Return where a topic has scores in other files joined by column, but not in that of the measure.

    The shape is (n_topics, n_measures).
    """
    is_scored: Bools = np.any(~np.isnan(table.values), axis=0)
    prefixes = np.array([split_prefix(name)[0] for name in table.measures])
    is_in_file: Bools = np.stack([is_scored[:, prefixes == prefix].any(axis=1) for prefix in prefixes], axis=1)
    is_in_any: Bools = np.any(is_in_file, axis=1, keepdims=True)
    return ~is_in_file & is_in_any


def _warn_of_topics_of_other_files(table: ScoreTable, elsewhere: Bools) -> None:
    """Warn of topics that are only in other files than the measures asked for, or than one of them.

    Where topics are only numbers, those of different collections often have equal names.
    """
    some: Bools = np.any(elsewhere, axis=1)
    if not some.any():
        return
    topic, measure = (int(place) for place in np.argwhere(elsewhere)[0])
    verb = "is" if some.sum() == 1 else "are"
    number = f"{some.sum()} of {counted(len(some), 'topic')} {verb} in only some of the scores files"
    example = f"(e.g. '{shown_name(table.topics[topic])}', without {table.measures[measure]})"
    names = "topics of the same name count as one topic, even of different collections"
    warn(f"{number} {example}: left out there; {names}")


def _have_no_common_topic(measures: Sequence[str], elsewhere: Bools) -> bool:
    """Return True if every topic is in only one of the files that the measures come from.

    These files are of different collections.
    """
    first_of_each = {split_prefix(name)[0]: i for i, name in reversed(list(enumerate(measures)))}
    return bool((np.sum(~elsewhere[:, list(first_of_each.values())], axis=1) <= 1).all())


def _report_unjudged(table: ScoreTable, path: str | None, gaps: Gaps) -> None:
    """Warn of, or refuse, runs without a judged document among their first ones, by judged_10 if it is stored."""
    if gaps == "refuse":
        refuse_unjudged_systems(table, path)
    elif (found := about_unjudged_systems(table)) is not None:
        warn(f"{found}: are the qrels those of another collection?")


def check_relevant(table: ScoreTable, path: str | None, gaps: Gaps) -> None:
    """Warn of runs with different numbers of relevant documents; a gate refuses them."""
    if (other := about_other_relevant(table)) is not None:
        if gaps == "refuse":
            raise InputError(f"{other}; expected the same judgments for all scores", path)
        warn(other)


def about_stored_relevant(stored: ScoreTable, inputs: InputOptions, whose: str = "") -> str | None:
    """Return a message if num_rel of stored scores is not the number of relevant documents in the qrels.

    Parameters
    ----------
    stored : ScoreTable
    inputs : InputOptions
        The judgments, and the relevance level.
    whose : str
        Words that follow num_rel in the message.
    """
    relevant = {
        topic: sum(judgment >= inputs.level for judgment in judged.values())
        for topic, judged in judgments(inputs).items()
    }
    return about_other_judged(stored, relevant, whose)


def check_ranges(table: ScoreTable, path: str | None, gaps: Gaps) -> None:
    """Warn of scores that their measure cannot have, such as percentages; a gate refuses them."""
    if gaps == "refuse":
        refuse_impossible_scores(table, path)
    elif (told := about_impossible_scores(table)) is not None:
        warn(told)


def warn_of_rounded_factors(table: ScoreTable) -> None:
    """Warn if all scores by some measure seem to be rounded as in trec_eval's output; factors do not show it."""
    for measure in table.measures:
        digits = printed_decimals_of_all(table.measure(measure))
        if digits:
            found = f"the {measure} scores seem to be rounded to {digits} decimals"
            harm = "where all of them are equal, N of a run with the same score may become 0 or 1 instead of 0.5"
            warn(f"{found}: {harm}; expected full precision, or --round {digits} with the factors")
            return


def _joined_files(options: InputOptions, gaps: Gaps) -> tuple[ScoreTable, int]:
    """Return the scores of several files, and how many runs have scores in only some of the named ones."""
    sources: dict[str, list[Input]] = {}
    for path, name in options.score_files:
        sources.setdefault(name, []).append(Input(path))
    read = {name: [read_scores(source) for source in named] for name, named in sources.items()}
    report_missing_newlines([source for named in sources.values() for source in named], gaps)
    for name, named in sources.items():
        for table, source in zip(read[name], named, strict=True):
            warn_of_summary_topics(table, source.name)
        # Scores of different collections are standardized with factors of their own.
        if not options.collections:
            _report_undecided_factors(read[name], [source.name for source in named], gaps)
    if options.collections:
        tables = _joined_collections(read, sources)
    else:
        tables = {name: join_scores(read[name], [each.name for each in named]) for name, named in sources.items()}
    for name, alone in read.items() if not options.collections else ():
        _report_uncounted_topics(alone, tables[name], gaps)
    joined = tables[""] if list(tables) == [""] else join_columns(tables)
    # Files of different collections may have been evaluated with options of their own.
    alike = read if options.collections else {name: [table] for name, table in tables.items()}
    asked = measures_in(joined.measures, options.measures) if options.measures else joined.measures
    warn_of_joined = _warn_of_other_collections if options.collections else _warn_of_undecided_origins
    for name, named in sources.items():
        warn_of_joined(read[name], [source.name for source in named])
    _warn_of_mixed_options(alike, frozenset(asked))
    unscored = [prefixed(name, measure) for name, each in read.items() for one in each for measure in one.unscored]
    scored = set(joined.measures)
    left_out = tuple(name for name in dict.fromkeys(unscored) if name not in scored)
    table = replace(joined, unscored=left_out)
    if list(tables) == [""]:
        return table, 0
    lacking = {name: set(table.systems) - {*each.systems} for name, each in tables.items()}
    n_partial = len(set().union(*lacking.values()))
    if n_partial and gaps == "warn":
        name, systems = next((name, systems) for name, systems in lacking.items() if systems)
        measure = prefixed(name, next(iter(tables[name].measures), "scores"))
        number = f"{n_partial} of {len(table.systems)} runs (e.g. '{shown_name(min(systems))}', without {measure})"
        warn(f"{number} are in only some of the scores files: their scores by the other files are missing")
    return table, n_partial


def report_missing_newlines(sources: Sequence[Input], gaps: Gaps) -> None:
    """Warn of, or refuse, files of scores or factors whose last line has no newline; they have been read before."""
    for source in sources:
        found = about_missing_newline(source)
        if found is not None and gaps == "refuse":
            raise InputError(f"{found}, expected a newline at the end of a complete file", source.name)
        if found is not None:
            warn(f"{source.name}: {found}")


def warn_of_summary_topics(table: ScoreTable, file_name: str) -> None:
    """Warn of topics that may be summaries of the others, by their names."""
    if (found := about_summary_topics(table.topics, file_name)) is not None:
        warn(found)


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


def _without_empty_topics(table: ScoreTable) -> ScoreTable:
    some = np.any(~np.isnan(table.values), axis=(0, 2)).tolist()
    return table.select(topics=[topic for topic, present in zip(table.topics, some, strict=True) if present])


def scores_input(paths: Sequence[str], measures: Sequence[str] = ()) -> InputOptions:
    """Return the options of a command that is given only scores files."""
    return InputOptions(score_files=tuple(map(NamedFile, paths)), measures=tuple(measures))
