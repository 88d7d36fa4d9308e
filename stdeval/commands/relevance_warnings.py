"""Warn of, or refuse, relevance levels and grades that change no score, or leave no document relevant."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from stdeval.commands.input_options import InputOptions
from stdeval.commands.messages import warn, warn_all
from stdeval.commands.options import refuse_without_effect
from stdeval.doubtful_scores.depths import about_depth
from stdeval.errors import InputError
from stdeval.evaluation.doubtful_judgments import about_repetitions, about_shifted_judgments
from stdeval.evaluation.gains import about_exponential_gains, about_named_gains, about_unused_grades
from stdeval.evaluation.relevance_levels import (
    about_levels,
    about_missing_nonrelevant,
    about_only_judged,
    about_relevant_only,
    about_topics_without_relevant,
    about_unsampled_pool,
    about_unused_level,
)
from stdeval.files import display_name
from stdeval.measures.names import resolve
from stdeval.measures.parameters import Measure
from stdeval.trec.reading import Qrels


def refuse_unused_gains(measures: Sequence[Measure]) -> None:
    """Refuse binary gains, and the highest grade of judgments, if no measure depends on them."""
    if not any(measure.family.has_gains for measure in measures):
        refuse_without_effect(["binary"], "a measure with gains, such as ndcg")
    if not any(measure.family.has_grades for measure in measures):
        refuse_without_effect(["max_grade"], "a measure such as err_20")


def report_levels(
    options: InputOptions, qrels: Qrels, measures: Sequence[Measure], *, refuse: bool = False
) -> None:
    """Warn of, or refuse, relevance levels at which no document is relevant, and warn of topics without any.

    Where runs pass or fail (`refuse`), each topic without any at level 1 counts, because it lowers the means.
    """
    level, binary = options.level, options.binary
    found = about_levels(qrels, measures, level)
    if found is None:
        warn_all(about_topics_without_relevant(qrels, measures, level, binary=binary, any_number=refuse))
        return
    if refuse:
        raise InputError(f"{found}, expected some relevant documents", display_name(options.files[0]))
    warn(f"{display_name(options.files[0])}: {found}")


def warn_of_judgments_and_options(options: InputOptions, qrels: Qrels, measures: Sequence[Measure]) -> None:
    """Warn of a level without effect, of measures that need documents judged not relevant, and of -J."""
    warn_all(about_unused_level(measures, options.level, binary=options.binary))
    name = display_name(options.files[0])
    named = resolve(options.measures)
    missing = about_missing_nonrelevant(qrels, named, options.level, judged_only=options.judged_only)
    warn_all(f"{name}: {message}" for message in missing)
    warn_all(f"{name}: {message}" for message in about_relevant_only(qrels, named))
    warn_all(f"{name}: {message}" for message in about_unsampled_pool(qrels, options.measures))
    warn_all(f"{name}: {message}" for message in about_unused_grades(qrels, measures, options.max_grade))
    warn_all(about_named_gains(qrels, measures, binary=options.binary))
    exponential = about_exponential_gains(qrels, measures, binary=options.binary)
    warn_all(f"{name}: {message}" for message in exponential)
    warn_of_judgments(name, qrels, measures, options.level, binary=options.binary)
    if options.judged_only:
        warn_all(about_only_judged(measures))
    warn_all(about_depth(options.measures, options.depth))


def warn_of_summed_relevant(options: InputOptions) -> None:
    """If num_rel is asked for, warn that its sum over all topics (-c) does not depend on the level."""
    is_asked = any(measure.name == "num_rel" for measure in resolve(options.measures))
    if options.complete and options.level > 1 and is_asked:
        told = "over all topics num_rel counts documents from level 1 on, as in trec_eval"
        warn(f"with -c and -l {options.level}, {told}; num_rel_rel={options.level} counts those of the level")


def warn_of_judgments(
    name: str, qrels: Qrels, measures: Sequence[Measure], level: int, *, binary: bool = False
) -> None:
    """Warn of judgments that are probably shifted, coded, copied or removed; messages begin with the name."""
    about_qrels = chain(about_shifted_judgments(qrels, measures, level, binary=binary), about_repetitions(qrels))
    warn_all(f"{name}: {message}" for message in about_qrels)
