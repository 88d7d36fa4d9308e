"""`stdeval check`: a gate for Makefiles and continuous integration."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from time import perf_counter
from typing import NamedTuple

import click

from stdeval.commands.baseline import read_baseline, run_or_file
from stdeval.commands.completion import complete_column, complete_limit
from stdeval.commands.conditions import Asked, Limit, parse_limits, parse_limits_or_percentages, parse_measures
from stdeval.commands.depths import warn_of_depths
from stdeval.commands.factor_files import (
    about_origins,
    factors_of,
    round_scores,
    warn_of_rounded_references,
    warn_of_undecided_origins,
)
from stdeval.commands.help_groups import GroupedCommand
from stdeval.commands.input_options import InputOptions, input_options_without_measures
from stdeval.commands.inputs import read_table
from stdeval.commands.judgments import takes_scores, warn_of_judged_only
from stdeval.commands.messages import warn, warn_of_unknown_direction
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
from stdeval.commands.schemes import scores_by_scheme, tables_after_warning
from stdeval.commands.score_files import warn_of_rounded
from stdeval.commands.signatures import is_signed, signature_option, standardized_signature
from stdeval.commands.standardization_options import (
    StandardizationOptions,
    factor_options_without_leave_out,
    refuse_unused_parameters,
)
from stdeval.conditions import refuse_unfit_measure, refuse_useless_limit
from stdeval.display import listed
from stdeval.errors import InputError
from stdeval.files import display_name
from stdeval.formats.junit import Case
from stdeval.gate import about_unseen_losses, check
from stdeval.gate_scores import require_hits, require_scores
from stdeval.measures.names import resolve, split_scheme
from stdeval.named_columns import measures_in, only_one
from stdeval.schemes import SCHEMES
from stdeval.stats.pairwise import Design
from stdeval.table import Factors, Floats, ScoreTable


class RawScores(NamedTuple):
    """The raw scores, the scheme's letter (or none) and the measure that each name means, and the factors."""

    table: ScoreTable
    meant: dict[str, tuple[str, str]]
    factors: Factors | None


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
        raw = RawScores(*_raw_scores(inputs, asked.texts), factors)
        checked = list(_checked(inputs, standardization, allow_other_judgments, asked, baseline, design, raw))
        signature = _signature(inputs, standardization, raw) if is_signed(to, signed) else ""
    except (InputError, click.UsageError) as error:
        seconds = perf_counter() - started
        write_junit(junit_path, [Case("stdeval", "check", "error", str(error), seconds=seconds)], seconds)
        raise
    outcomes = [outcome for outcome, _ in checked]
    if (doubt := about_unseen_losses(outcomes)) is not None:
        warn(doubt)
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
    measures = list(dict.fromkeys(measure for _, measure in raw.meant.values()))
    schemes = [letter.lower() or "raw" for letter, _ in raw.meant.values()]
    table = raw.table.select(measures=measures)
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


def _baseline_alike(
    inputs: InputOptions, baseline: str, table: ScoreTable, compared: Collection[str], allow_other_judgments: bool
) -> ScoreTable:
    """Read a baseline that is not among the runs; refuse other judgments or options than the runs have."""
    stored = read_baseline(inputs, baseline, table, compared)
    _check_origins(stored, about_origins(stored, inputs, table), baseline, allow_other_judgments)
    _require_hits(stored, compared)
    return stored


def _require_hits(baseline: ScoreTable, compared: Collection[str]) -> None:
    """Refuse a baseline whose raw scores by a measure that is compared are all 0."""
    for measure in baseline.measures:
        if measure in compared:
            require_hits(baseline.measure(measure)[0], baseline.systems[0], measure)


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
    table, meant, factors = raw
    if factors is not None:
        message = about_origins(factors, inputs, table)
        _check_origins(factors, message, standardization.factor_files[0], allow_other_judgments)
    names = {text: letter + measure for text, (letter, measure) in meant.items()}
    for condition, text in asked.conditions(names):
        letter, measure = meant[text]
        # scores from files may be standardized already
        own_letter, bare = split_scheme(measure)
        refuse_useless_limit(condition, letter or own_letter, bare)
    # --min needs no direction: higher is better there by definition.
    warn_of_unknown_direction(meant[text][1] for each, text in asked.conditions(names) if each.kind != "min")
    warn_of_judged_only(inputs, table.origins)
    _refuse_unused_options(meant)
    scores = _scores(round_scores(table, standardization), meant, standardization, factors)
    at = None if baseline is None else run_or_file(inputs, baseline, table.systems)
    if factors is None and (baseline is None or at is not None):
        refuse_without_effect(["allow_other_judgments"], "factors (-F) or a --baseline of stored scores")
    checked = [i for i in range(len(table.systems)) if i != at]
    if not checked:
        raise InputError(f"no run to check besides the baseline '{baseline}'")
    needed = {meant[text][1] for each, text in asked.conditions(names) if each.kind != "min"}
    if at is not None:
        _require_hits(table.select(systems=[table.systems[at]]), needed)
        warn_of_depths(table.measures, table.depths, judged_only=inputs.judged_only)
    compared = {text: None if at is None else values[at] for text, values in scores.items()}
    if baseline is not None and at is None:
        stored = _baseline_alike(inputs, baseline, table, needed, allow_other_judgments)
        compared |= _stored_scores(stored, inputs, standardization, raw)
    for text in scores:
        for i in checked:
            require_scores(scores[text][i], table.topics, table.systems[i], names[text])
        if (before := compared[text]) is not None:
            require_scores(before, table.topics, str(baseline), names[text])
    for i in checked:
        for condition, text in asked.conditions(names):
            started = perf_counter()
            outcome = check(condition, table.systems[i], scores[text][i], table.topics, compared[text], design)
            yield Checked(outcome, perf_counter() - started)
    if factors is not None:
        # after everything that is refused with one line
        warn_of_undecided_origins(factors, inputs, table)


def _stored_scores(
    read: ScoreTable, inputs: InputOptions, standardization: StandardizationOptions, raw: RawScores
) -> dict[str, Floats]:
    """Return the scores of a baseline that is not among the runs, by the measures that it has."""
    stored = round_scores(read, standardization)
    warn_of_rounded([raw.table, stored])
    warn_of_depths(raw.table.measures, raw.table.depths, stored.depths, judged_only=inputs.judged_only)
    known = {text: meaning for text, meaning in raw.meant.items() if meaning[1] in stored.measures}
    scores = _scores(stored, known, standardization, raw.factors)
    return {text: values[0] for text, values in scores.items()}


def _raw_scores(inputs: InputOptions, texts: Sequence[str]) -> tuple[ScoreTable, dict[str, tuple[str, str]]]:
    """Read the raw scores, and find the letter of a scheme, or none, and the measure that each name means."""
    if takes_scores(inputs):
        table = read_table(inputs, wanted=lambda name: True, gaps="refuse")
        meant = {text: _meaning(text, table) for text in texts}
        return table.select(measures=list(dict.fromkeys(measure for _, measure in meant.values()))), meant
    meant = {text: _meaning(text, None) for text in texts}
    measures = tuple(measure for _, measure in meant.values())
    return read_table(inputs._replace(measures=measures), gaps="refuse"), meant


def _meaning(text: str, table: ScoreTable | None) -> tuple[str, str]:
    letter, measure = _named(text, table)
    refuse_unfit_measure(measure)
    return letter, measure


def _named(text: str, table: ScoreTable | None) -> tuple[str, str]:
    try:
        return "", _one_measure(text, table)
    except InputError as error:
        if text[:1] not in SCHEMES:
            raise
        try:
            return text[0], _one_measure(text[1:], table)
        except InputError:
            raise error from None


def _one_measure(text: str, table: ScoreTable | None) -> str:
    names = [measure.name for measure in resolve([text])] if table is None else measures_in(table.measures, [text])
    return only_one(names, text)


def _refuse_unused_options(meant: dict[str, tuple[str, str]]) -> None:
    letters = {letter.lower() for letter, _ in meant.values()} - {""}
    refuse_unused_parameters(letters)
    if not letters:
        already = [measure for _, measure in meant.values() if split_scheme(measure)[0]]
        what = "a standardized MEASURE (such as Nmap)"
        if already:
            taken = f"taken from the column {already[0]} of the scores"
            what = f"a MEASURE to standardize: {already[0]} is standardized already, {taken}"
        refuse_without_effect(["factor_files"], what)


def _scores(
    table: ScoreTable,
    meant: dict[str, tuple[str, str]],
    standardization: StandardizationOptions,
    factors: Factors | None,
) -> dict[str, Floats]:
    """Return the scores, shape (n_systems, n_topics), by the names of their measures as typed."""
    letters = {letter for letter, _ in meant.values()} - {""}
    if factors is not None and letters:
        warn_of_rounded_references(table, factors)
    scores = {}
    for text, (letter, measure) in meant.items():
        if letter:
            _check_factors(factors, letter, measure, standardization)
        scheme, one = letter.lower() or "raw", table.select(measures=[measure])
        standardized = scores_by_scheme(one, [scheme], standardization, factors)
        scores[text] = standardized.tables[scheme].values[:, :, 0]
        # Factors may leave topics out for all runs alike; a warning counts these. Any other gap is refused.
        looked_at = ~standardized.left_out | standardized.left_out.all()
        topics = [topic for topic, here in zip(table.topics, looked_at, strict=True) if here]
        for system, row in zip(table.systems, scores[text][:, looked_at], strict=True):
            require_scores(row, topics, system, letter + measure)
        tables_after_warning(standardized)
    return scores


def _check_factors(
    factors: Factors | None, letter: str, measure: str, standardization: StandardizationOptions
) -> None:
    if factors is None:
        raise InputError(f"{letter}{measure} is a standardized score, expected factors (-F)")
    if measure not in factors.measures:
        known = listed(factors.measures)
        raise InputError(f"no factors of {measure}, only of {known}", standardization.factor_files[0])
