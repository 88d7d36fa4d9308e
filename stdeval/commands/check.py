"""`stdeval check`: a gate for Makefiles and continuous integration."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from time import perf_counter

import click

from stdeval.commands.baseline import read_baseline, run_or_file
from stdeval.commands.completion import complete_column, complete_limit
from stdeval.commands.condition_scores import (
    Meant,
    RawScores,
    least_scores,
    read_raw_scores,
    refuse_unused_options,
    scores_of,
)
from stdeval.commands.conditions import Asked, Limit, parse_limits, parse_limits_or_percentages, parse_measures
from stdeval.commands.factor_files import (
    about_origins,
    factors_of,
    round_scores,
    warn_of_undecided_origins,
)
from stdeval.commands.help_groups import GroupedCommand
from stdeval.commands.input_options import InputOptions, input_options_without_measures
from stdeval.commands.judgments import leaves_out_unjudged, takes_scores
from stdeval.commands.messages import warn, warn_all
from stdeval.commands.options import (
    DRAWING,
    OutputOptions,
    alpha_option,
    format_options,
    randomness_options,
    refuse_without_effect,
    test_option,
)
from stdeval.commands.outcomes import Checked, case_of, write_junit, write_outcomes
from stdeval.commands.parameter_types import INPUT_FILE, OUTPUT_FILE, GivenOnce
from stdeval.commands.signatures import is_signed, signature_option, standardized_signature
from stdeval.commands.standardization_options import (
    StandardizationOptions,
    factor_options_without_leave_out,
)
from stdeval.doubtful_scores.rankings import (
    ABOUT_JUDGED_ONLY,
    about_counted_zeros,
    about_retrieved,
    about_unknown_direction,
)
from stdeval.doubtful_scores.rounded_scores import about_rounded
from stdeval.doubtful_scores.stored_scores import ABOUT_UNKNOWN_TOPICS
from stdeval.errors import InputError
from stdeval.files import display_name
from stdeval.formats.junit import Case
from stdeval.gate.conditions import Condition, refuse_useless_limit
from stdeval.gate.outcomes import about_tests, about_unfailing, about_unseen_losses, check
from stdeval.gate.scores import about_unretrieved, require_hits, require_scores
from stdeval.measures.names import split_scheme
from stdeval.reference_factors import Factors
from stdeval.standardization.doubtful_factors import about_used_references
from stdeval.stats.pairwise import Design
from stdeval.table import Floats, ScoreTable


@click.command(
    "check",
    cls=GroupedCommand,
    epilog="Example: stdeval check --baseline new-b --max-drop map=5% --min P_10=0.2 qrels.gz new-*.run.gz",
)
@input_options_without_measures
@factor_options_without_leave_out
@click.option(
    "--min",
    "least",
    callback=parse_limits,
    multiple=True,
    metavar="MEASURE=VALUE",
    shell_complete=complete_limit,
    help="The mean is at least VALUE. Repeatable.",
)
@click.option(
    "--baseline",
    cls=GivenOnce,
    type=INPUT_FILE,
    metavar="RUN",
    help="Compare with RUN: the name of one of the runs, or a file with another run or with its scores. "
    "No condition, --min included, applies to RUN. "
    "Other judgments or options of stored scores are noticed only if they were stored with --signature.",
)
@click.option(
    "--max-drop",
    "drops",
    callback=parse_limits_or_percentages,
    multiple=True,
    metavar="MEASURE=VALUE[%]",
    shell_complete=complete_limit,
    help="The mean is lower than the baseline's by at most VALUE, or by VALUE% of it. Repeatable.",
)
@click.option(
    "--max-topic-drop",
    "topic_drops",
    callback=parse_limits,
    multiple=True,
    metavar="MEASURE=VALUE",
    shell_complete=complete_limit,
    help="Every topic's score is lower than the baseline's by at most VALUE. Repeatable.",
)
@click.option(
    "--non-inferior",
    "margins",
    callback=parse_limits,
    multiple=True,
    metavar="MEASURE=MARGIN",
    shell_complete=complete_limit,
    help="The run may be worse than the baseline, but by less than MARGIN, at confidence 1 - alpha (one-sided t "
    "interval of the mean difference). Repeatable.",
)
@click.option(
    "--not-worse",
    "not_worse",
    callback=parse_measures,
    multiple=True,
    metavar="MEASURE",
    shell_complete=complete_column,
    help="A one-tailed paired test does not find the run worse than the baseline. Repeatable.",
)
@click.option(
    "--allow-other-judgments",
    is_flag=True,
    help="Only warn if the factors or the baseline were made from other judgments, or with other options.",
)
@alpha_option
@test_option
@randomness_options
@signature_option
@format_options("a line per run and condition, tabs between", digits=False)
@click.option(
    "--junit",
    "junit_path",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Also write the outcomes as JUnit XML; - is standard output, if -o names a file.",
)
def command(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    least: tuple[Limit, ...],
    baseline: str | None,
    drops: tuple[Limit, ...],
    topic_drops: tuple[Limit, ...],
    margins: tuple[Limit, ...],
    not_worse: tuple[Limit, ...],
    allow_other_judgments: bool,
    alpha: float,
    test: str,
    n_resamples: int,
    seed: int,
    to: OutputOptions,
    junit_path: str | None,
    signed: bool,
) -> int:
    """Check that runs are good enough, or no worse than a baseline.

    Prints a line per run and condition: PASS or FAIL, the figures, and where it fails the topics that lost
    most; the last line counts the failures. Measures are raw (map) or, with -F, standardized (Nmap). Exit
    status: 0 all conditions hold, 1 some fail, 2 they could not be checked, for example because topics are
    missing from a run (-c counts them as 0).

    --not-worse passes any loss that is not significant; with few topics that includes large ones. Its line says
    how large a loss a test finds with a probability of 80% (its power). --non-inferior passes only if there are
    enough topics to rule out a loss of MARGIN, or if the run scores as the baseline on all topics.
    """
    started = perf_counter()
    limits = {"min": least, "max-drop": drops, "max-topic-drop": topic_drops}
    asked = Asked(limits | {"non-inferior": margins, "not-worse": not_worse}, alpha)
    design = Design(test, n_resamples=n_resamples, seed=seed)
    _check_asked(asked, baseline, design)
    try:
        factors = factors_of(standardization, gaps="refuse")
        raw = read_raw_scores(inputs, asked.texts, factors)
        checked = list(_checked(inputs, standardization, allow_other_judgments, asked, baseline, design, raw))
        signature = _signature(inputs, standardization, raw) if is_signed(to, signed) else ""
    except (InputError, click.UsageError) as error:
        seconds = perf_counter() - started
        write_junit(junit_path, [Case("stdeval", "check", "error", str(error), seconds=seconds)], seconds)
        raise
    outcomes = [outcome for outcome, _ in checked]
    warn_all((*about_unseen_losses(outcomes), *about_tests(outcomes, design)))
    write_junit(junit_path, [case_of(each) for each in checked], perf_counter() - started)
    write_outcomes(to, outcomes, design, signature)
    return 0 if all(outcome.holds for outcome in outcomes) else 1


def _check_asked(asked: Asked, baseline: str | None, design: Design) -> None:
    options = [f"--{kind}" for kind in asked.limits]
    if not asked.texts:
        expected = f"{', '.join(options[:-1])} or {options[-1]}"
        raise click.UsageError(f"nothing to check, expected {expected} ('stdeval validate' finds errors of format)")
    comparing = [f"--{kind}" for kind, limits in asked.limits.items() if limits and kind != "min"]
    if not comparing:
        refuse_without_effect(["baseline"], "a condition that compares, such as --max-drop MEASURE=VALUE")
    if comparing and baseline is None:
        raise click.UsageError(f"{comparing[0]} compares with a run, expected --baseline RUN")
    if not asked.limits["not-worse"]:
        refuse_without_effect(["test", *DRAWING], "--not-worse MEASURE")
        if not asked.limits["non-inferior"]:
            refuse_without_effect(["alpha"], "--not-worse MEASURE or --non-inferior MEASURE=MARGIN")
    if not design.draws:
        refuse_without_effect(DRAWING, "--test permutation or bootstrap")
    for kind in ("max-drop", "max-topic-drop", "non-inferior"):
        for text, value, percent in asked.limits[kind]:
            if kind == "non-inferior" and value <= 0:
                raise click.UsageError(f"--non-inferior {text}: expected a MARGIN above 0")
            if value < 0 or (percent and value > 100):
                expected = "a percentage from 0% to 100%" if percent else "a VALUE from 0"
                raise click.UsageError(f"--{kind} {text}: expected {expected}")


def _signature(inputs: InputOptions, standardization: StandardizationOptions, raw: RawScores) -> str:
    table = raw.table.select(measures=list(dict.fromkeys(measure for _, measure in raw.meant.values())))
    schemes = [letter.lower() or "raw" for letter, _ in raw.meant.values()]
    return str(standardized_signature(inputs, table, schemes, standardization, raw.factors))


def _check_origins(made: Factors | ScoreTable, message: str | None, path: str, allow_other_judgments: bool) -> None:
    """Refuse a file of another origin than the runs, about which there is a message, unless it is allowed."""
    if message is not None and not allow_other_judgments:
        kind = "factors" if isinstance(made, Factors) else "a baseline"
        is_standardized = isinstance(made, ScoreTable) and made.standardization is not None
        what = "judgments, options and factors" if is_standardized else "judgments and options"
        expected = f"expected {kind} of the same {what} as the runs, or --allow-other-judgments"
        raise InputError(f"{message}; {expected}", display_name(path))
    if message is not None:
        warn(message)


def _refuse_useless_limits(conditions: Sequence[tuple[Condition, str]], meant: Meant) -> None:
    """Refuse limits that scores cannot reach, and warn if it is not known whether higher scores are better."""
    for condition, text in conditions:
        letter, measure = meant[text]
        # scores from files may be standardized already
        own_letter, bare = split_scheme(measure)
        refuse_useless_limit(condition, letter or own_letter, bare)
    warn_all(about_unknown_direction(meant[text][1] for _, text in conditions))


def _warn_of_each_run(inputs: InputOptions, table: ScoreTable, baseline: str | None) -> None:
    """Warn of -J and, if there is no baseline, of runs of other depths, or judged shares, than the others.

    All of them must reach the same limits. Also warn of cutoffs beyond the end of all runs.
    """
    judged_only = leaves_out_unjudged(inputs, table)
    if judged_only:
        warn(ABOUT_JUDGED_ONLY)
    for part in table.parts if baseline is None else ():
        several = len(part.systems) > 1
        warn_all(about_retrieved(part.measures, part.retrieved, judged_only=judged_only, tell_shares=several))


def _checked(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    allow_other_judgments: bool,
    asked: Asked,
    baseline: str | None,
    design: Design,
    raw: RawScores,
) -> Iterator[Checked]:
    """Check each condition for each run but the baseline; `InputError` if one of them cannot be told."""
    table, meant, factors = raw = raw._replace(table=round_scores(raw.table, standardization))
    if factors is not None:
        message = about_origins(factors, inputs, table)
        _check_origins(factors, message, standardization.factor_files[0], allow_other_judgments)
    conditions = list(asked.conditions(raw.names))
    _refuse_useless_limits(conditions, meant)
    _warn_of_each_run(inputs, table, baseline)
    refuse_unused_options(meant)
    scores = scores_of(table, meant, standardization, factors)
    if factors is not None:
        warn_all(about_used_references(table, factors, judged_only=inputs.judged_only))
    at = None if baseline is None else run_or_file(inputs, baseline, table.systems)
    if factors is None and (baseline is None or at is not None):
        refuse_without_effect(["allow_other_judgments"], "factors (-F) or a --baseline of stored scores")
    checked = [i for i in range(len(table.systems)) if i != at]
    if not checked:
        raise InputError(f"no run to check besides the baseline '{baseline}'")
    others = raw._replace(table=table.select(systems=[table.systems[i] for i in checked]))
    warn_all(about_counted_zeros(others.table))
    needed = {meant[text][1] for condition, text in conditions if condition.kind != "min"}
    before: dict[str, Floats] = {}
    stored: ScoreTable | None = None
    if at is not None:
        _check_baseline(inputs, table.select(systems=[table.systems[at]]), others.table, needed)
        before = {text: values[at] for text, values in scores.items()}
    elif baseline is not None:
        stored = _read_baseline(inputs, standardization, allow_other_judgments, baseline, others.table, needed)
        before = _scores_of_baseline(stored, standardization, others)
    _require_all_scores(raw, checked, scores, str(baseline), before)
    _warn_of_limits_beyond_zero(conditions, raw, standardization, before)
    for i in checked:
        for condition, text in conditions:
            started = perf_counter()
            outcome = check(condition, table.systems[i], scores[text][i], table.topics, before.get(text), design)
            yield Checked(outcome, perf_counter() - started)
    # These come last, because a command that is refused prints one line only.
    if factors is not None:
        warn_of_undecided_origins(factors, inputs, table)
    _warn_of_unknown_topics(inputs, table, stored)


def _require_all_scores(
    raw: RawScores, checked: Sequence[int], scores: dict[str, Floats], baseline: str, before: dict[str, Floats]
) -> None:
    """Refuse runs, and a baseline, that lack a score on some topic by a measure of the conditions."""
    for text, name in raw.names.items():
        for i in checked:
            require_scores(scores[text][i], raw.table.topics, raw.table.systems[i], name)
        if text in before:
            require_scores(before[text], raw.table.topics, baseline, name)


def _warn_of_unknown_topics(inputs: InputOptions, table: ScoreTable, baseline: ScoreTable | None) -> None:
    """Warn that judged topics may be missing from stored scores, unless the baseline says how many there are."""
    is_told = baseline is not None and all(part.qrels is not None for part in baseline.parts)
    if not is_told and takes_scores(inputs) and any(part.qrels is None for part in table.parts):
        warn(ABOUT_UNKNOWN_TOPICS)


def _warn_of_limits_beyond_zero(
    conditions: Sequence[tuple[Condition, str]],
    raw: RawScores,
    standardization: StandardizationOptions,
    before: Mapping[str, Floats],
) -> None:
    """Warn of limits on standardized scores that even a run without any relevant document meets."""
    for condition, text in conditions:
        least = least_scores(raw.table.topics, raw.meant[text], standardization, raw.factors)
        if least is not None and (told := about_unfailing(condition, least, before.get(text))) is not None:
            warn(told)


def _read_baseline(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    allow_other_judgments: bool,
    path: str,
    others: ScoreTable,
    compared: Collection[str],
) -> ScoreTable:
    """Read the raw scores of a baseline that is not among the runs, and warn if they do not fit the runs."""
    read = read_baseline(inputs, path, others, compared, allow_other_judgments=allow_other_judgments)
    _check_origins(read, about_origins(read, inputs, others), path, allow_other_judgments)
    _check_baseline(inputs, read, others, compared)
    baseline = round_scores(read, standardization)
    warn_all(about_rounded([others, baseline]))
    return baseline


def _scores_of_baseline(
    baseline: ScoreTable, standardization: StandardizationOptions, others: RawScores
) -> dict[str, Floats]:
    """Return the scores of a baseline for each condition, by the measures that it has."""
    known = {text: meaning for text, meaning in others.meant.items() if meaning[1] in baseline.measures}
    scores = scores_of(baseline, known, standardization, others.factors)
    return {text: values[0] for text, values in scores.items()}


def _check_baseline(
    inputs: InputOptions, baseline: ScoreTable, others: ScoreTable, compared: Collection[str]
) -> None:
    """Refuse a baseline of zeros, and warn of topics without documents and of other depths than those of the runs.

    Parameters
    ----------
    inputs : InputOptions
    baseline, others : ScoreTable
        The raw scores of the baseline, and of the runs that are checked.
    compared : collection of str
        The raw measures by which they are compared.
    """
    require_hits(baseline, compared)
    if compared and (message := about_unretrieved(baseline, others)) is not None:
        warn(message)
    if compared and (baseline.joined or baseline.systems[0] not in baseline.unretrieved):
        warn_all(about_counted_zeros(baseline))
    for part in others.parts:
        before = next((each for each in baseline.parts if not {*each.measures}.isdisjoint(part.measures)), None)
        if before is not None:
            judged_only = leaves_out_unjudged(inputs, part)
            warn_all(about_retrieved(part.measures, part.retrieved, before.retrieved, judged_only=judged_only))
