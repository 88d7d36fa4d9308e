"""`stdeval check`: a gate for Makefiles and continuous integration."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import click
import numpy as np

from stdeval import gate, notices
from stdeval.cli import options, standardizing
from stdeval.cli.helps import GroupedCommand
from stdeval.cli.inputs import takes_scores, warnings_so_far
from stdeval.cli.options import InputOptions, StandardizationOptions
from stdeval.cli.output import OutputOptions, format_options, is_signed, signature_option
from stdeval.cli.signatures import standardized_signature
from stdeval.cli.tables import read_table
from stdeval.cli.types import INPUT_FILE, OUTPUT_FILE, GivenOnce, NamedFile, completes
from stdeval.display import counted, displayed, listed
from stdeval.errors import InputError, warn
from stdeval.files import Input, display_name, exists, is_same_file, output, plain_name
from stdeval.formats.junit import Case, junit_xml
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.formats.readers import file_kind
from stdeval.formats.scores_csv import read_scores
from stdeval.formats.writers import EXACT
from stdeval.gate import Condition, Outcome
from stdeval.measures.names import SCHEME_LETTERS, resolve, split_scheme, standardized_name
from stdeval.standardization.factors import Factors
from stdeval.standardization.schemes import left_out_topics
from stdeval.stats.pairwise import Design
from stdeval.table import Floats, ScoreTable, measures_in, named_measures, only_one, rows_for
from stdeval.trec.lines import RUN_FORM

Limit = tuple[str, float, bool]
"""A measure as typed, its limit, and whether this is a percentage of the baseline's mean."""

Meant = dict[str, tuple[str, str]]
"""The name of a measure as typed to the letter of its scheme, which may be empty, and the raw measure."""


def _limits(_: click.Context, parameter: click.Parameter, texts: Sequence[str]) -> tuple[Limit, ...]:
    """Parse the values of an option, each MEASURE=VALUE; for --max-drop also MEASURE=VALUE%."""
    takes_percent = parameter.name == "max_drop"
    form = "a plain number, such as map=0.3"
    if takes_percent:
        form = "a plain number or a percentage, such as map=0.01 or map=2%"
    limits = []
    for text in texts:
        plain = text.removesuffix("%") if takes_percent else text
        measure, equals, number = plain.rpartition("=")
        if not (measure and equals) or not re.fullmatch(r"-?([0-9]{1,9}(\.[0-9]{0,17})?|\.[0-9]{1,17})", number):
            raise click.BadParameter(f"'{text}', expected MEASURE=VALUE with {form}")
        limits.append((measure, float(number), plain != text))
    return tuple(limits)


def _unlimited(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> tuple[Limit, ...]:
    return tuple((text, math.nan, False) for text in texts)


def _condition(kind: str, metavar: str, help_text: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return the option of a kind of condition, which may be repeated."""
    parse, complete = (_limits, "limit") if "=" in metavar else (_unlimited, "column")
    return click.option(
        f"--{kind}",
        callback=parse,
        multiple=True,
        metavar=metavar,
        shell_complete=completes(complete),
        help=f"{help_text} Repeatable.",
    )


@click.command(
    "check",
    cls=GroupedCommand,
    epilog="Example: stdeval check --baseline new-b --max-drop map=5% --min P_10=0.2 qrels.gz new-*.run.gz",
)
@options.input_options_without_measures
@options.factor_options_without_leave_out
@_condition("min", "MEASURE=VALUE", "The mean is at least VALUE.")
@click.option(
    "--baseline",
    cls=GivenOnce,
    type=INPUT_FILE,
    metavar="RUN",
    help="Compare with RUN: the name of one of the runs, or a file with another run or with its scores. "
    "No condition, --min included, applies to RUN. "
    "Other judgments or options of stored scores are noticed only if they were stored with --signature.",
)
@_condition(
    "max-drop", "MEASURE=VALUE[%]", "The mean is lower than the baseline's by at most VALUE, or by VALUE% of it."
)
@_condition("max-topic-drop", "MEASURE=VALUE", "Every topic's score is lower than the baseline's by at most VALUE.")
@_condition(
    "non-inferior",
    "MEASURE=MARGIN",
    "The run may be worse than the baseline, but by less than MARGIN, at confidence 1 - alpha (one-sided t "
    "interval of the mean difference).",
)
@_condition("not-worse", "MEASURE", "A one-tailed paired test does not find the run worse than the baseline.")
@click.option(
    "--allow-other-judgments",
    is_flag=True,
    help="Only warn if the factors or the baseline were made from other judgments, or with other options.",
)
@options.alpha_option
@options.test_option
@options.randomness_options
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
    baseline: str | None,
    allow_other_judgments: bool,
    alpha: float,
    test: str,
    n_resamples: int,
    seed: int,
    to: OutputOptions,
    junit_path: str | None,
    signed: bool,
    **limits: tuple[Limit, ...],
) -> int:
    """Check that runs are good enough, or no worse than a baseline."""
    started = perf_counter()
    given = {kind: limits[kind.replace("-", "_")] for kind in gate.KINDS}
    conditions = [Condition(kind, *limit, alpha) for kind, each in given.items() for limit in each]
    design = Design(test, n_resamples=n_resamples, seed=seed)
    if not conditions:
        *others, last = [f"--{kind}" for kind in gate.KINDS]
        expected = f"expected {', '.join(others)} or {last}"
        raise click.UsageError(f"nothing to check, {expected} ('stdeval validate' finds errors of format)")
    comparing = [each.kind for each in conditions if each.kind != "min"]
    if comparing and baseline is None:
        raise click.UsageError(f"--{comparing[0]} compares with a run, expected --baseline RUN")
    try:
        factors = standardizing.factors_of(standardization)
        table, meant = _raw_scores(inputs, [each.measure for each in conditions])
        by_options = (inputs, standardization, allow_other_judgments)
        checked = list(_checked(*by_options, conditions, baseline, design, factors, table, meant))
        signature = ""
        if is_signed(to, signed):
            raw = table.select(measures=list(dict.fromkeys(measure for _, measure in meant.values())))
            schemes = [letter.lower() or "raw" for letter, _ in meant.values()]
            signature = standardized_signature(inputs, raw, schemes, standardization, factors)
    except (InputError, click.UsageError) as error:
        seconds = perf_counter() - started
        _write_junit(junit_path, [Case("stdeval", "check", "error", str(error), seconds=seconds)], seconds)
        raise
    outcomes = [outcome for outcome, _ in checked]
    _write_junit(junit_path, [_case(*each) for each in checked], perf_counter() - started)
    to.write((_numbers if to.format in EXACT else _words)(outcomes, design)._replace(signature=signature))
    return 0 if all(outcome.holds for outcome in outcomes) else 1


# --- scores ---


def _raw_scores(inputs: InputOptions, texts: Sequence[str]) -> tuple[ScoreTable, Meant]:
    """Read the raw scores of runs by measures that are named as typed, such as ``map`` or ``Nmap``."""
    table = None
    if takes_scores(inputs):
        table = read_table(inputs, wanted=lambda name: True, gaps="refuse", compares=True)
    meant = {text: _meaning(text, table) for text in texts}
    measures = tuple(dict.fromkeys(measure for _, measure in meant.values()))
    if table is None:
        return read_table(inputs._replace(measures=measures), gaps="refuse", compares=True), meant
    return table.select(measures=measures), meant


def _meaning(text: str, table: ScoreTable | None) -> tuple[str, str]:
    """Return the letter of the scheme, and the raw measure, that a name as typed means."""
    letter, raw = "", text
    try:
        measure = _one_measure(text, table)
    except InputError as error:
        letter, raw = split_scheme(text)
        if not letter:
            first, rest = text[:1], text[1:]
            if table is not None and first in SCHEME_LETTERS and rest in table.measures:
                expected = f"'{standardized_name(first, rest)}' for the standardized {rest}"
                raise InputError(f"no measure '{text}', expected {expected}") from None
            raise
        try:
            measure = _one_measure(raw, table)
        except InputError:
            raise error from None
    gate.refuse_unfit_measure(measure)
    return letter, measure


def _one_measure(text: str, table: ScoreTable | None) -> str:
    names = [measure.name for measure in resolve([text])] if table is None else measures_in(table.measures, [text])
    return only_one(names, text)


def _standardized(
    table: ScoreTable, meant: Meant, options: StandardizationOptions, factors: Factors | None, *, warns: bool = True
) -> dict[str, Floats]:
    """Return the raw or standardized scores, shape (n_systems, n_topics), by measure as typed."""
    tables = {"": table}
    wanted = [(letter, measure) for letter, measure in meant.values() if letter]
    for letter, measure in wanted:
        if factors is None:
            found = f"{standardized_name(letter, measure)} is a standardized score"
            raise InputError(f"{found}, expected factors (-F)")
        if measure not in factors.measures:
            known = listed(factors.measures)
            raise InputError(f"no factors of {measure}, only of {known}", options.factor_files[0])
    if wanted:
        raw = table.select(measures=list(dict.fromkeys(measure for _, measure in wanted)))
        letters = list(dict.fromkeys(letter for letter, _ in wanted))
        found_scores = standardizing.scores_by_scheme(raw, [each.lower() for each in letters], options, factors)
        tables |= {letter: found_scores.tables[letter.lower()] for letter in letters}
    scores = {}
    for text, (letter, measure) in meant.items():
        name = standardized_name(letter, measure)
        scores[text] = tables[letter].measure(name)
        left_out = np.zeros(len(table.topics), dtype=bool)
        if factors is not None and letter:
            left_out = left_out_topics(factors, table.topics, [measure], letter, censor=options.censor)[:, 0]
        looked_at = ~left_out | left_out.all()
        topics = [topic for topic, here in zip(table.topics, looked_at, strict=True) if here]
        for system, row in zip(table.systems, scores[text][:, looked_at], strict=True):
            gate.require_scores(row, topics, system, name)
    if wanted and warns:
        standardizing.tables_after_warning(found_scores)
    return scores


# --- the baseline ---


def _run_or_file(inputs: InputOptions, baseline: str, systems: Sequence[str]) -> int | None:
    """Return the index of the run that a baseline is, or None if it is a file that is not among the runs."""
    runs = inputs.files[1:]
    named = list(systems).index(baseline) if baseline in systems else None
    # a pipe can be read, a folder cannot
    is_file = exists(baseline) and not Path(baseline).is_dir()
    if baseline != "-" and not is_file and baseline not in runs:
        if named is None:
            problem = ", which is a directory" if Path(baseline).is_dir() else " and no such file"
            expected = f"expected one of: {listed(systems, 20)}, or the file of a baseline"
            raise InputError(f"no run '{baseline}'{problem}, {expected}")
        return named
    given = next((i for i, path in enumerate(runs) if path == baseline or is_same_file(path, baseline)), None)
    if named is None or named == given:
        return given
    as_run = f"'{runs[named]}'" if runs else "another name"
    expected = f"expected './{baseline}' for the file, or {as_run} for the run"
    raise InputError(f"baseline '{baseline}' is the name of a run and of a file, {expected}")


def _read_baseline(
    inputs: InputOptions, path: str, table: ScoreTable, needed: Sequence[str], *, allow_other_judgments: bool
) -> ScoreTable:
    """Read the raw scores of a baseline that is not among the runs, by the measures and on the topics of theirs."""
    source = Input(path)
    if any(is_same_file(path, each.path) for each in inputs.score_files):
        raise InputError("the baseline is also given with --scores, expected another file", source.name)
    kind = file_kind(source)
    if kind == "scores":
        stored = read_scores(source)
        if not allow_other_judgments:
            gate.require_judged_topics(stored, source.name)
        return _stored_baseline(stored, source.name, table, inputs, needed)
    form = "a CSV of scores (run,topic,MEASURE,...)"
    if takes_scores(inputs):
        raise InputError(f"expected {form}, as --scores", source.name)
    if kind == "empty":
        raise InputError(f"no entries, expected a run (lines of: {RUN_FORM}) or {form}", source.name)
    # The baseline is often an older version of the run, with the same tag.
    named = NamedFile(path, Path(plain_name(source.name)).name)
    asked = inputs._replace(files=(inputs.files[0], path), measures=table.measures, names=(named,))
    # A pipe can be read only once, and has been read already.
    with source.shared():
        return read_table(asked, gaps="refuse").select(topics=table.topics, measures=table.measures)


def _stored_baseline(
    stored: ScoreTable, name: str, runs: ScoreTable, inputs: InputOptions, needed: Sequence[str]
) -> ScoreTable:
    """Return the stored scores of a baseline, on the topics of the runs."""
    if len(stored.systems) > 1:
        found = f"{len(stored.systems)} runs ({listed(stored.systems, 20)})"
        raise InputError(f"{found}, expected the scores of one run", name)
    measures = [each for each in runs.measures if each in needed or named_measures(stored.measures, each)]
    try:
        columns = [column for each in measures for column in measures_in(stored.measures, [each])]
        kept = stored.select(measures=columns)
    except InputError as error:
        raise error.at(name) from None
    # Runs are evaluated on all topics of the qrels, so only the qrels can be without a topic of the baseline.
    without = "the runs do" if takes_scores(inputs) else f"{display_name(inputs.files[0])} does"
    gate.require_same_topics(kept, runs.topics, without, name)
    values = rows_for(kept.values[0], kept.topics, runs.topics)[np.newaxis]
    return replace(kept, topics=runs.topics, measures=tuple(measures), values=values)


# --- outcomes ---


def _checked(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    allow_other_judgments: bool,
    conditions: Sequence[Condition],
    baseline: str | None,
    design: Design,
    factors: Factors | None,
    table: ScoreTable,
    meant: Meant,
) -> Iterator[tuple[Outcome, float]]:
    """Yield the outcome of each condition for each run but the baseline, and the seconds that it took."""

    def check_origin(made: Factors | ScoreTable, path: str) -> None:
        differences = standardizing.differences_of_inputs(made, inputs, table)
        if differences and not allow_other_judgments:
            found = notices.other_origin(differences, display_name(path))
            raise InputError(f"{found}; expected those of the runs, or --allow-other-judgments")
        warn(notices.other_origin(differences, display_name(path)))

    table = standardizing.round_scores(table, standardization)
    # the conditions with the names of the output in place of those typed
    named = [replace(each, measure=standardized_name(*meant[each.measure])) for each in conditions]
    for condition in named:
        gate.refuse_limit_out_of_range(condition)
    if factors is not None and any(letter for letter, _ in meant.values()):
        check_origin(factors, standardization.factor_files[0])
    scores = _standardized(table, meant, standardization, factors)
    at = None if baseline is None else _run_or_file(inputs, baseline, table.systems)
    systems = [system for place, system in enumerate(table.systems) if place != at]
    if not systems:
        raise InputError(f"no run to check besides the baseline '{baseline}'")
    needed = list(dict.fromkeys(meant[each.measure][1] for each in conditions if each.kind != "min"))
    before: dict[str, Floats] = {}
    if at is not None:
        gate.require_hits(table.select(systems=[table.systems[at]]), needed)
        before = {text: values[at] for text, values in scores.items()}
    elif baseline is not None:
        other = _read_baseline(inputs, baseline, table, needed, allow_other_judgments=allow_other_judgments)
        check_origin(other, baseline)
        gate.require_hits(other, needed)
        other = standardizing.round_scores(other, standardization)
        known = {text: meaning for text, meaning in meant.items() if meaning[1] in other.measures}
        of_other = _standardized(other, known, standardization, factors, warns=False)
        before = {text: values[0] for text, values in of_other.items()}
    for system in systems:
        row = table.systems.index(system)
        for condition, typed in zip(named, conditions, strict=True):
            started = perf_counter()
            values = scores[typed.measure][row]
            outcome = gate.check(condition, system, values, table.topics, before.get(typed.measure), design)
            yield outcome, perf_counter() - started


def _write_junit(path: str | None, cases: Sequence[Case], seconds: float) -> None:
    """Write the cases and the warnings to a file, if one is named."""
    if path is not None:
        warnings = [f"warning: {message}" for message in warnings_so_far()]
        with output(path) as out:
            out.write(junit_xml("stdeval check", cases, seconds, warnings) + "\n")


def _case(outcome: Outcome, seconds: float) -> Case:
    """Return an outcome as a case of JUnit."""
    problem, details = "" if outcome.holds else "failure", outcome.topics_in_words(n_shown=None)
    return Case(outcome.system, str(outcome.condition), problem, outcome.figures, details, seconds)


def _words(outcomes: Sequence[Outcome], _: Design) -> Listing:
    """Return the outcomes for people; the last line counts the failures."""
    fields = [Field(name, missing="") for name in ("result", "run", "condition", "figures", "topics")]
    rows = []
    for outcome in outcomes:
        result = "PASS" if outcome.holds else "FAIL"
        # A name with a line break could forge a line that says PASS.
        words = (outcome.system, str(outcome.condition), outcome.figures, outcome.topics_in_words())
        rows.append([result, *map(displayed, words)])
    n_failed = sum(not outcome.holds for outcome in outcomes)
    note = f"{n_failed} of {counted(len(outcomes), 'condition')} failed"
    return Listing(fields, rows, n_left=len(fields), headed=False, notes=[note])


def _numbers(outcomes: Sequence[Outcome], design: Design) -> Listing:
    """Return the outcomes for programs; the test and its level only for conditions that are tested."""
    names = "run condition measure kind limit value mean baseline n detectable alpha test resamples seed topics"
    drawn: list[Cell] = [design.n_resamples, design.seed] if design.draws else ["", ""]
    rows: list[list[Cell]] = []
    for each in outcomes:
        condition, alpha = each.condition, each.condition.alpha
        tests: dict[str, list[Cell]] = {
            "non-inferior": [alpha, "t", "", ""],
            "not-worse": [alpha, design.test, *drawn],
        }
        rows.append(
            [
                *(each.system, str(condition), condition.measure, condition.kind),
                *(each.limit, each.value, each.mean, each.baseline, each.n, each.detectable),
                *tests.get(condition.kind, [""] * 4),
                *(" ".join(topic for topic, _ in each.topics), each.holds),
            ]
        )
    return Listing([*map(Field, names.split()), Field("holds")], rows)
