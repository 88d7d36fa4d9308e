"""`stdeval check`: a gate for Makefiles and continuous integration."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

import click
import numpy as np

from stdeval import gate
from stdeval.cli import declarations, options, scoring, standardizing
from stdeval.cli.declarations import stdeval_command
from stdeval.cli.options import file_option, option
from stdeval.cli.output import OutputOptions, format_options, is_signed, signature_option
from stdeval.errors import InputError, counted, displayed
from stdeval.files import Input, display_name, exists, file_name, is_same_file, output
from stdeval.formats import EXACT, csv_tables, junit, listing, readers
from stdeval.measures import names
from stdeval.standardization import factors as references
from stdeval.standardization import schemes
from stdeval.stats import pairwise
from stdeval.table import Bools, ScoreTable, measures_in, named_measures, only_one

if TYPE_CHECKING:
    from stdeval.formats.listing import Cell

Limit = tuple[str, float, bool]
"""A measure as typed, its limit, and whether this is a percentage of the baseline's mean."""

Meant = list[tuple[str, str]]
"""The letter of the scheme, and the raw measure, of each measure as typed."""

_NUMBER = r"-?(?:[0-9]{1,9}(?:\.[0-9]{0,17})?|\.[0-9]{1,17})"


def _limits(_: click.Context, parameter: click.Parameter, texts: Sequence[str]) -> tuple[Limit, ...]:
    """Parse MEASURE=VALUE; for --max-drop also MEASURE=VALUE%, and for --not-worse MEASURE alone."""
    if parameter.name == "not_worse":
        return tuple((text, math.nan, False) for text in texts)
    percent, form = ("%?", "map=0.01 or map=2%") if parameter.name == "max_drop" else ("", "map=0.3")
    limits = []
    for text in texts:
        found = re.fullmatch(f"(.+)=({_NUMBER})({percent})", text, re.DOTALL)
        if found is None:
            raise click.BadParameter(f"'{text}', expected MEASURE=VALUE with a plain number, such as {form}")
        limits.append((found[1], float(found[2]), bool(found[3])))
    return tuple(limits)


_condition = partial(option, callback=_limits, shell_complete=options.completes("column"))


@stdeval_command("check", "--baseline new-b --max-drop map=5% --min P_10=0.2 qrels.gz new-*.run.gz")
@options.input_options_without_measures
@options.factor_options(options.parameters_of_u, options.round_option)
@_condition("--min MEASURE=VALUE...", "The mean is at least VALUE. Repeatable.")
@file_option(
    "--baseline RUN",
    "Compare with RUN: the name of one of the runs, or a file with another run or with its scores, which no "
    "condition applies to. Other judgments of stored scores are noticed if they were stored with --signature.",
)
@_condition(
    "--max-drop MEASURE=VALUE[%]...", "The mean drops by at most VALUE, or VALUE% of the baseline's. Repeatable."
)
@_condition("--max-topic-drop MEASURE=VALUE...", "The score of every topic drops by at most VALUE. Repeatable.")
@_condition(
    "--non-inferior MEASURE=MARGIN...",
    "The run may be worse than the baseline, but by less than MARGIN, at confidence 1 - alpha (one-sided t "
    "interval of the mean difference). Repeatable.",
)
@_condition("--not-worse MEASURE...", "A one-tailed test finds no loss. Repeatable.")
@option("--allow-other-judgments", "Only warn of factors or a baseline from other judgments or options.")
@options.alpha_option
@options.test_option
@options.randomness_options
@signature_option
@format_options("a line per run and condition, tabs between", digits=False)
@option(
    "--junit FILE junit_path",
    "Also write JUnit XML; - is standard output, if -o names a file.",
    declarations.OUTPUT_FILE,
)
def command(
    inputs: options.InputOptions,
    standardization: options.StandardizationOptions,
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
    typed = [gate.Condition(kind, *each, alpha) for kind in gate.KINDS for each in limits[kind.replace("-", "_")]]
    if not typed:
        *others, last = [f"--{kind}" for kind in gate.KINDS]
        expected = f"expected {', '.join(others)} or {last}"
        raise click.UsageError(f"nothing to check, {expected} ('stdeval validate' finds errors of format)")
    comparing = next((each.kind for each in typed if each.kind != "min"), None)
    if comparing and baseline is None:
        raise click.UsageError(f"--{comparing} compares with a run, expected --baseline RUN")

    def refuse_other_origin(made: references.Factors | ScoreTable, path: str) -> None:
        used = scoring.origin_of(inputs, raw)
        gate.refuse_other_origin(made, raw, used, display_name(path), allowed=allow_other_judgments)

    design = pairwise.Design(test, n_resamples=n_resamples, seed=seed)
    try:
        factors = standardizing.factors_of(standardization)
        raw, meant = _raw_scores(inputs, [each.measure for each in typed])
        named = zip(typed, meant, strict=True)
        conditions = [replace(each, measure=names.standardized_name(*scored)) for each, scored in named]
        if factors is not None and any(letter for letter, _ in meant):
            refuse_other_origin(factors, standardization.factor_files[0])
        table, left_out, standardized = _with_standardized(raw, meant, standardization, factors)
        before = None if baseline is None else _baseline(inputs, baseline, raw)
        if isinstance(before, ScoreTable):
            refuse_other_origin(before, str(baseline))
            before, _, _ = _with_standardized(before, meant, standardization, factors)
        decisions = gate.outcomes(table, conditions, before, design, left_out, display_name(baseline or ""))
        if standardized is not None:
            standardized.warned()
        outcomes, times = [], [perf_counter()]
        for outcome in decisions:
            outcomes.append(outcome)
            times.append(perf_counter())
        signature = ""
        if is_signed(to, signed):
            shown = [letter.lower() or "raw" for letter, _ in meant]
            signature = standardizing.standardized_signature(inputs, raw, shown, standardization, factors)
    except (InputError, click.UsageError) as error:
        seconds = perf_counter() - started
        _write_junit(junit_path, [junit.Case("stdeval", "check", "error", str(error), seconds=seconds)], seconds)
        raise
    cases = []
    for each, start, end in zip(outcomes, times, times[1:], strict=False):
        problem, details = "" if each else "failure", each.topics_in_words(n_shown=None)
        cases.append(junit.Case(each.system, str(each.condition), problem, each.figures, details, end - start))
    _write_junit(junit_path, cases, perf_counter() - started)
    printed = _numbers(outcomes, design) if to.format in EXACT else _words(outcomes)
    to.write(printed._replace(signature=signature))
    return 0 if all(outcomes) else 1


def _raw_scores(inputs: options.InputOptions, texts: Sequence[str]) -> tuple[ScoreTable, Meant]:
    """Read the raw scores of measures as typed, such as ``Nmap``; also return what is meant."""
    read = partial(scoring.read_table, gaps="refuse", compares=True)
    stored = read(inputs, every=True) if scoring.takes_scores(inputs) else None

    def named(text: str) -> str:
        found = measures_in(stored.measures, [text]) if stored else [each.name for each in names.resolve([text])]
        return only_one(found, text)

    meant = []
    for text in texts:
        letter, raw = names.split_scheme(text)
        try:
            meant.append(("", named(text)))
        except InputError:
            if not letter:
                raise
            meant.append((letter, named(raw)))
    measures = tuple(dict.fromkeys(measure for _, measure in meant))
    return read(inputs._replace(measures=measures)) if stored is None else stored.select(measures=measures), meant


def _with_standardized(
    table: ScoreTable, meant: Meant, of: options.StandardizationOptions, factors: references.Factors | None
) -> tuple[ScoreTable, dict[str, Bools], schemes.Standardized | None]:
    """Return rounded scores with standardized ones beside them, and the topics left out of these, by measure."""
    raw = table if of.digits is None else standardizing.round_scores(table, of.digits)
    wanted = [(letter, measure) for letter, measure in meant if letter and measure in raw.measures]
    if not wanted:
        return raw, {}, None
    if factors is None:
        first = names.standardized_name(*wanted[0])
        raise InputError(f"{first} is a standardized score, expected factors (-F)")
    letters, bare = (list(dict.fromkeys(column)) for column in zip(*wanted, strict=True))
    measures = references.common_measures(bare, factors)
    by_letter = [letter.lower() for letter in letters]
    found = standardizing.scores_by_scheme(raw.select(measures=measures), by_letter, of, factors)
    left_out: dict[str, Bools] = {}
    for letter in letters:
        zero = found.left_out[letter.lower()]
        left_out |= {names.standardized_name(letter, measure): zero[:, k] for k, measure in enumerate(measures)}
    every = (raw, *found.tables.values())
    columns = tuple(name for each in every for name in each.measures)
    table = replace(raw, measures=columns, values=np.concatenate([each.values for each in every], 2))
    return table, left_out, found


def _baseline(inputs: options.InputOptions, path: str, runs: ScoreTable) -> str | ScoreTable:
    """Return the name of the run that a baseline is, or else read its raw scores by the measures of the runs."""
    if path != "-" and not exists(path):
        return runs.systems[scoring.system_index(inputs, path, runs.systems)]
    files = dict(zip(inputs.files[1:], runs.systems, strict=False))
    given = next((name for file, name in files.items() if file == path or is_same_file(file, path)), None)
    if path in runs.systems and path != given:
        expected = f"expected './{path}' for the file, or NAME=RUN to name the run"
        raise InputError(f"baseline '{path}' is the name of a run and of a file, {expected}")
    if given is not None:
        return given
    source = Input(path)
    if any(is_same_file(path, each.path) for each in inputs.score_files):
        raise InputError("the baseline is also given with --scores, expected another file", source.name)
    if scoring.takes_scores(inputs) or readers.file_kind(source) == "scores":
        stored = csv_tables.read_scores(source)
        columns = {name: found for name in runs.measures if (found := named_measures(stored.measures, name))}
        chosen = stored.select(measures=[only_one(found, name) for name, found in columns.items()])
        return replace(chosen, measures=tuple(columns))
    # The baseline is often an older version of the run, with the same tag.
    named = declarations.NamedFile(path, file_name(path))
    asked = inputs._replace(files=(inputs.files[0], path), measures=runs.measures, names=(named,))
    # A pipe can be read only once, and has been read already.
    with source.shared():
        return scoring.read_table(asked, gaps="refuse").select(measures=runs.measures)


def _write_junit(path: str | None, cases: Sequence[junit.Case], seconds: float) -> None:
    if path is not None:
        warnings = [f"warning: {message}" for message in declarations.warnings_so_far()]
        with output(path) as out:
            out.write(junit.junit_xml("stdeval check", cases, seconds, warnings) + "\n")


def _words(outcomes: Sequence[gate.Outcome]) -> listing.Listing:
    """Return the outcomes for people; the last line counts the failures."""
    fields = [listing.Field(name, missing="") for name in ("result", "run", "condition", "figures", "topics")]
    rows = []
    for outcome in outcomes:
        # A name with a line break could forge a line that says PASS.
        words = (outcome.system, str(outcome.condition), outcome.figures, outcome.topics_in_words())
        rows.append(["PASS" if outcome else "FAIL", *map(displayed, words)])
    note = f"{sum(not outcome for outcome in outcomes)} of {counted(len(outcomes), 'condition')} failed"
    return listing.Listing(fields, rows, n_left=len(fields), headed=False, notes=[note])


def _numbers(outcomes: Sequence[gate.Outcome], design: pairwise.Design) -> listing.Listing:
    """Return the outcomes for programs; the test and its level only for conditions that are tested."""
    columns = ["run", "condition", "measure", "kind", "limit", "value", "mean", "baseline", "n", "detectable"]
    columns += ["alpha", "test", "resamples", "seed", "topics", "holds"]
    drawn: list[Cell] = [design.n_resamples, design.seed] if design.draws else ["", ""]
    tests: dict[str, list[Cell]] = {"non-inferior": ["t", "", ""], "not-worse": [design.test, *drawn]}
    rows: list[list[Cell]] = []
    for each in outcomes:
        tested, kind = each.condition, each.condition.kind
        row: list[Cell] = [each.system, str(tested), tested.measure, kind, each.limit, each.value]
        row += [each.mean, each.baseline, each.n, each.detectable, tested.alpha if kind in tests else ""]
        row += [*tests.get(kind, [""] * 3), " ".join(topic for topic, _ in each.topics), each.holds]
        rows.append(row)
    return listing.Listing([*map(listing.Field, columns)], rows)
