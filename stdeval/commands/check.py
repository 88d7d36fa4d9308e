"""`stdeval check`: a gate for Makefiles and continuous integration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import perf_counter

import click

from stdeval import notices
from stdeval.commands.baseline import read_baseline, run_or_file
from stdeval.commands.completion import complete_column, complete_limit
from stdeval.commands.condition_scores import RawScores, read_raw_scores, scores_of
from stdeval.commands.conditions import Limit, parse_limits, parse_limits_or_percentages, parse_measures
from stdeval.commands.factor_files import differences_of_inputs, factors_of, round_scores
from stdeval.commands.help_groups import GroupedCommand
from stdeval.commands.input_options import InputOptions, input_options_without_measures
from stdeval.commands.options import (
    OutputOptions,
    alpha_option,
    format_options,
    randomness_options,
    test_option,
)
from stdeval.commands.outcomes import Checked, case_of, write_junit, write_outcomes
from stdeval.commands.parameter_types import INPUT_FILE, OUTPUT_FILE, GivenOnce
from stdeval.commands.signatures import is_signed, signature_option, standardized_signature
from stdeval.commands.standardization_options import (
    StandardizationOptions,
    factor_options_without_leave_out,
)
from stdeval.errors import InputError, warn
from stdeval.files import display_name
from stdeval.formats.junit import Case
from stdeval.gate.conditions import KINDS, Condition, refuse_limit_out_of_range
from stdeval.gate.outcomes import check
from stdeval.gate.scores import require_hits
from stdeval.reference_factors import Factors
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
    limits = {"min": least, "max-drop": drops, "max-topic-drop": topic_drops, "non-inferior": margins}
    conditions = [
        Condition(kind, *limit, alpha)
        for kind, each in {**limits, "not-worse": not_worse}.items()
        for limit in each
    ]
    design = Design(test, n_resamples=n_resamples, seed=seed)
    _refuse_incomplete(conditions, baseline)
    try:
        factors = factors_of(standardization)
        raw = read_raw_scores(inputs, [each.measure for each in conditions], factors)
        checked = list(_checked(inputs, standardization, allow_other_judgments, conditions, baseline, design, raw))
        signature = _signature(inputs, standardization, raw) if is_signed(to, signed) else ""
    except (InputError, click.UsageError) as error:
        seconds = perf_counter() - started
        write_junit(junit_path, [Case("stdeval", "check", "error", str(error), seconds=seconds)], seconds)
        raise
    outcomes = [outcome for outcome, _ in checked]
    write_junit(junit_path, [case_of(each) for each in checked], perf_counter() - started)
    write_outcomes(to, outcomes, design, signature)
    return 0 if all(outcome.holds for outcome in outcomes) else 1


def _refuse_incomplete(conditions: Sequence[Condition], baseline: str | None) -> None:
    """Refuse a command without a condition, or without the baseline that one compares with."""
    if not conditions:
        *options, last = [f"--{kind}" for kind in KINDS]
        expected = f"expected {', '.join(options)} or {last}"
        raise click.UsageError(f"nothing to check, {expected} ('stdeval validate' finds errors of format)")
    comparing = [each.kind for each in conditions if each.kind != "min"]
    if comparing and baseline is None:
        raise click.UsageError(f"--{comparing[0]} compares with a run, expected --baseline RUN")


def _signature(inputs: InputOptions, standardization: StandardizationOptions, raw: RawScores) -> str:
    table = raw.table.select(measures=list(dict.fromkeys(measure for _, measure in raw.meant.values())))
    schemes = [letter.lower() or "raw" for letter, _ in raw.meant.values()]
    return standardized_signature(inputs, table, schemes, standardization, raw.factors)


def _check_origins(
    made: Factors | ScoreTable, inputs: InputOptions, table: ScoreTable, path: str, allow_other_judgments: bool
) -> None:
    """Refuse a file of other judgments or options than the runs, or only warn of it if it is allowed."""
    found, name = differences_of_inputs(made, inputs, table), display_name(path)
    if found and not allow_other_judgments:
        what = notices.other_origin(found, name)
        raise InputError(f"{what}; expected those of the runs, or --allow-other-judgments")
    warn(notices.other_origin(found, name))


def _checked(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    allow_other_judgments: bool,
    conditions: Sequence[Condition],
    baseline: str | None,
    design: Design,
    raw: RawScores,
) -> Iterator[Checked]:
    """Check each condition, which has its measure as typed, for each run but the baseline."""
    table, meant, factors = raw = raw._replace(table=round_scores(raw.table, standardization))
    named = [replace(each, measure=raw.names[each.measure]) for each in conditions]
    for condition in named:
        refuse_limit_out_of_range(condition)
    if factors is not None and any(letter for letter, _ in meant.values()):
        _check_origins(factors, inputs, table, standardization.factor_files[0], allow_other_judgments)
    scores = scores_of(table, meant, standardization, factors)
    at = None if baseline is None else run_or_file(inputs, baseline, table.systems)
    checked = [system for place, system in enumerate(table.systems) if place != at]
    if not checked:
        raise InputError(f"no run to check besides the baseline '{baseline}'")
    needed = list(dict.fromkeys(meant[each.measure][1] for each in conditions if each.kind != "min"))
    before: dict[str, Floats] = {}
    if at is not None:
        require_hits(table.select(systems=[table.systems[at]]), needed)
        before = {text: values[at] for text, values in scores.items()}
    elif baseline is not None:
        other = read_baseline(inputs, baseline, table, needed, allow_other_judgments=allow_other_judgments)
        _check_origins(other, inputs, table, baseline, allow_other_judgments)
        require_hits(other, needed)
        other = round_scores(other, standardization)
        known = {text: meaning for text, meaning in meant.items() if meaning[1] in other.measures}
        of_other = scores_of(other, known, standardization, factors, warns=False)
        before = {text: values[0] for text, values in of_other.items()}
    for system in checked:
        for condition, typed in zip(named, conditions, strict=True):
            started = perf_counter()
            values = scores[typed.measure][table.systems.index(system)]
            outcome = check(condition, system, values, table.topics, before.get(typed.measure), design)
            yield Checked(outcome, perf_counter() - started)
