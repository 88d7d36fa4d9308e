"""Check the content of the scores files that the options name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from stdeval.commands.input_options import Gaps, InputOptions
from stdeval.commands.joined_files import joined_files, report_unscored_topics
from stdeval.commands.judgments import judgments
from stdeval.commands.messages import warn, warn_all
from stdeval.commands.parameter_types import NamedFile
from stdeval.commands.selection import best_runs
from stdeval.display import about_unscored, counted, listed, shown_name
from stdeval.doubtful_scores.impossible_scores import about_impossible_scores, refuse_impossible_scores
from stdeval.doubtful_scores.missing_scores import about_missing_scores
from stdeval.doubtful_scores.rounded_scores import about_rounded
from stdeval.doubtful_scores.stored_scores import (
    about_other_judged,
    about_other_relevant,
    about_stored_scores,
    about_topics_without_relevant,
    about_unjudged_systems,
    refuse_unjudged_systems,
)
from stdeval.errors import InputError
from stdeval.formats.collections import topics_of_other_collections
from stdeval.measures.facts import kind_of
from stdeval.measures.names import split_prefix
from stdeval.named_columns import about_other_spellings, measures_in
from stdeval.standardization.doubtful_standardization import about_stored_standardization, refuse_other_factors
from stdeval.standardization.factors import refuse_huge
from stdeval.stats.coverage import takes_part
from stdeval.stats.rounding import printed_decimals_of_all
from stdeval.table import Bools, ScoreTable


def table_of_files(options: InputOptions, wanted: Callable[[str], bool], gaps: Gaps) -> ScoreTable:
    """Return the scores of the files by the measures named, or by those that are wanted.

    Parameters are those of `stdeval.commands.inputs.read_table`.
    """
    table, n_partial = joined_files(options, gaps)
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
    report_unscored_topics(table, where, gaps)
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


def _without_empty_topics(table: ScoreTable) -> ScoreTable:
    some = np.any(~np.isnan(table.values), axis=(0, 2)).tolist()
    return table.select(topics=[topic for topic, present in zip(table.topics, some, strict=True) if present])


def scores_input(paths: Sequence[str], measures: Sequence[str] = ()) -> InputOptions:
    """Return the options of a command that is given only scores files."""
    return InputOptions(score_files=tuple(map(NamedFile, paths)), measures=tuple(measures))
