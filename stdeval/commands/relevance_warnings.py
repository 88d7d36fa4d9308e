"""Warn of, or refuse, relevance levels and grades that change no score, or leave no document relevant."""

from __future__ import annotations

from collections.abc import Sequence

from stdeval.commands.input_options import InputOptions
from stdeval.commands.messages import warn
from stdeval.commands.options import refuse_without_effect
from stdeval.display import listed
from stdeval.errors import InputError
from stdeval.files import display_name
from stdeval.measures.names import resolve
from stdeval.measures.parameters import Measure
from stdeval.relevance_levels import about_levels, is_without_nonrelevant, topics_without_relevant
from stdeval.trec import Qrels

_NEED_NONRELEVANT = ("bpref", "gm_bpref")
"""Measures of the ranks of relevant documents among those that are judged not relevant."""


def refuse_unused_grade(measures: Sequence[Measure]) -> None:
    """Refuse the highest grade of judgments if no measure depends on it."""
    if not any(measure.family.has_grades for measure in measures):
        refuse_without_effect(["max_grade"], "a measure such as err_20")


def report_levels(
    options: InputOptions, qrels: Qrels, measures: Sequence[Measure], *, refuse: bool = False
) -> None:
    """Warn of, or refuse, relevance levels at which no document is relevant, and warn of topics without any.

    Where runs pass or fail (`refuse`), each topic without any at level 1 counts, because it lowers the means.
    """
    found = about_levels(qrels, measures, options.level)
    if found is None:
        _warn_of_topics_without_relevant(options, qrels, measures, any_number=refuse)
        return
    if refuse:
        raise InputError(f"{found}, expected some relevant documents", display_name(options.files[0]))
    warn(f"{display_name(options.files[0])}: {found}")


def warn_of_missing_nonrelevant(options: InputOptions, qrels: Qrels) -> None:
    """Warn if a measure or option that the user names needs documents judged not relevant, and there are none."""
    named = [measure for measure in resolve(options.measures) if measure.family.name in _NEED_NONRELEVANT]
    level = max([measure.level or options.level for measure in named], default=options.level)
    if not (named or options.judged_only) or not is_without_nonrelevant(qrels, level):
        return
    found = f"{display_name(options.files[0])}: no document is judged not relevant"
    if options.judged_only:
        warn(f"{found}: -J leaves only relevant documents")
    else:
        verb = "counts" if len(named) == 1 else "count"
        names = listed([measure.name for measure in named])
        warn(f"{found}: {names} {verb} the relevant documents retrieved, whatever their ranks")


def warn_of_only_judged(options: InputOptions, measures: Sequence[Measure]) -> None:
    """Warn of measures of unjudged documents, which -J has removed before."""
    constant = [measure.name for measure in measures if measure.family.name in ("judged", "unj")]
    if options.judged_only and constant:
        warn(f"{listed(constant)}: -J removes unjudged documents, so no run can have any")


def _worth_a_warning(level: int) -> float:
    """Return the share of topics without a relevant document at a level that is worth a warning.

    Many collections have a few such topics. At a higher level there are more of them by choice.
    """
    return 0.25 if level == 1 else 0.1


def _warn_of_topics_without_relevant(
    options: InputOptions, qrels: Qrels, measures: Sequence[Measure], *, any_number: bool
) -> None:
    """Warn of topics on which no run can score above 0, because no document is relevant at the level."""
    without = topics_without_relevant(qrels, measures, options.level, binary=options.binary)
    told = {
        level: topics
        for level, topics in without.items()
        if (any_number and level == 1) or len(topics) >= _worth_a_warning(level) * len(qrels)
    }
    if told:
        level, topics = max(told.items())
        at = "" if level == 1 else f" at level {level}"
        verb = "has" if len(topics) == 1 else "have"
        number = f"{len(topics)} of {len(qrels)} topics (e.g. '{topics[0][:60]}')"
        warn(f"{number} {verb} no relevant document{at}: every run scores 0 there")


def warn_of_unused_level(options: InputOptions, measures: Sequence[Measure]) -> None:
    """Warn of a relevance level on which no measure depends; trec_eval accepts it silently."""
    if options.level == 1 or any(measure.depends_on_level(options.binary) for measure in measures):
        return
    graded = [measure.name for measure in measures if measure.family.has_gains]
    why = f": the gains of {graded[0]} are the judgments (with --binary, 1 from the level on)" if graded else ""
    warn(f"-l {options.level} changes no score by {listed([measure.name for measure in measures])}{why}")
