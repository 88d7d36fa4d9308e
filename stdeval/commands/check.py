"""`stdeval check`: a gate for Makefiles and continuous integration."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import click
import numpy as np

from stdeval import notices
from stdeval.cli.completion import complete_column, complete_limit
from stdeval.cli.inputs import read_table, takes_scores
from stdeval.cli.messages import warnings_so_far
from stdeval.cli.options import (
    INPUT_FILE,
    OUTPUT_FILE,
    GivenOnce,
    GroupedCommand,
    InputOptions,
    OutputOptions,
    StandardizationOptions,
    alpha_option,
    factor_options_without_leave_out,
    format_options,
    input_options_without_measures,
    randomness_options,
    test_option,
)
from stdeval.cli.standardizing import (
    differences_of_inputs,
    factors_of,
    round_scores,
    scores_by_scheme,
    tables_after_warning,
)
from stdeval.cli.summaries import is_signed, signature_option, standardized_signature
from stdeval.display import counted, displayed, listed
from stdeval.errors import InputError, warn
from stdeval.files import Input, display_name, exists, is_same_file, output
from stdeval.formats.junit import Case, junit_xml
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.formats.readers import file_kind
from stdeval.formats.scores_csv import read_scores
from stdeval.formats.writers import EXACT
from stdeval.gate import (
    KINDS,
    Condition,
    Outcome,
    check,
    refuse_limit_out_of_range,
    refuse_unfit_measure,
    require_hits,
    require_judged_topics,
    require_same_topics,
    require_scores,
)
from stdeval.measures.names import SCHEME_LETTERS, resolve, split_scheme, standardized_name
from stdeval.standardization.factors import Factors
from stdeval.standardization.schemes import left_out_topics
from stdeval.stats.pairwise import Design
from stdeval.table import Floats, ScoreTable, measures_in, named_measures, only_one, rows_for
from stdeval.trec.lines import RUN_FORM


class Limit(NamedTuple):
    """The limit of a measure as it is typed: ``map=0.3``, or ``map=2%``, a share of the baseline's mean."""

    text: str
    value: float = math.nan
    percent: bool = False


def parse_limits(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> tuple[Limit, ...]:
    """Parse the values of an option, each MEASURE=VALUE."""
    return tuple(_parse_limit(text, text, "a plain number, such as map=0.3") for text in texts)


def parse_limits_or_percentages(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> tuple[Limit, ...]:
    """Parse the values of an option, each MEASURE=VALUE or MEASURE=VALUE%."""
    expected = "a plain number or a percentage, such as map=0.01 or map=2%"
    return tuple(
        _parse_limit(text, text.removesuffix("%"), expected)._replace(percent=text.endswith("%")) for text in texts
    )


def _parse_limit(text: str, limit: str, expected: str) -> Limit:
    measure, equals, number = limit.rpartition("=")
    if not (measure and equals) or not re.fullmatch(r"-?([0-9]{1,9}(\.[0-9]{0,17})?|\.[0-9]{1,17})", number):
        raise click.BadParameter(f"'{text}', expected MEASURE=VALUE with {expected}")
    return Limit(measure, float(number))


def parse_measures(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> tuple[Limit, ...]:
    """Parse the values of an option that are measures without a limit."""
    return tuple(map(Limit, texts))

Meant = dict[str, tuple[str, str]]
"""The name of a measure as typed to the letter of its scheme, which may be empty, and the raw measure."""


class RawScores(NamedTuple):
    """Raw scores, what the names of measures mean, and the factors for standardized ones."""

    table: ScoreTable
    meant: Meant
    factors: Factors | None

    @property
    def names(self) -> dict[str, str]:
        """The names of the measures as typed to those of the output."""
        return {text: standardized_name(letter, measure) for text, (letter, measure) in self.meant.items()}


def read_raw_scores(inputs: InputOptions, texts: Sequence[str], factors: Factors | None) -> RawScores:
    """Read the raw scores of runs by measures that are named as typed, such as ``map`` or ``Nmap``."""
    if takes_scores(inputs):
        table = read_table(inputs, wanted=lambda name: True, gaps="refuse", compares=True)
        meant = {text: _meaning(text, table) for text in texts}
        measures = list(dict.fromkeys(measure for _, measure in meant.values()))
        return RawScores(table.select(measures=measures), meant, factors)
    meant = {text: _meaning(text, None) for text in texts}
    asked = inputs._replace(measures=tuple(measure for _, measure in meant.values()))
    return RawScores(read_table(asked, gaps="refuse", compares=True), meant, factors)


def _meaning(text: str, table: ScoreTable | None) -> tuple[str, str]:
    letter, measure = _named(text, table)
    refuse_unfit_measure(measure)
    return letter, measure


def _named(text: str, table: ScoreTable | None) -> tuple[str, str]:
    try:
        return "", _one_measure(text, table)
    except InputError as error:
        letter, raw = split_scheme(text)
        if not letter:
            first, rest = text[:1], text[1:]
            if table is not None and first in SCHEME_LETTERS and rest in table.measures:
                meant = standardized_name(first, rest)
                raise InputError(f"no measure '{text}', expected '{meant}' for the standardized {rest}") from None
            raise
        try:
            return letter, _one_measure(raw, table)
        except InputError:
            raise error from None


def _one_measure(text: str, table: ScoreTable | None) -> str:
    names = [measure.name for measure in resolve([text])] if table is None else measures_in(table.measures, [text])
    return only_one(names, text)


def scores_of(
    table: ScoreTable,
    meant: Meant,
    standardization: StandardizationOptions,
    factors: Factors | None,
    *,
    warns: bool = True,
) -> dict[str, Floats]:
    """Return the raw or standardized scores, shape (n_systems, n_topics), by measure as typed."""
    tables = {"": table}
    standardized = [(letter, measure) for letter, measure in meant.values() if letter]
    for letter, measure in standardized:
        _check_factors(factors, letter, measure, standardization)
    if standardized:
        letters = {letter: letter.lower() for letter, _ in standardized}
        raw = table.select(measures=list(dict.fromkeys(measure for _, measure in standardized)))
        found = scores_by_scheme(raw, list(letters.values()), standardization, factors)
        tables |= {letter: found.tables[scheme] for letter, scheme in letters.items()}
    scores = {}
    for text, (letter, measure) in meant.items():
        name = standardized_name(letter, measure)
        scores[text] = tables[letter].measure(name)
        left_out = np.zeros(len(table.topics), dtype=bool)
        if factors is not None and letter:
            censor = standardization.censor
            left_out = left_out_topics(factors, table.topics, [measure], letter, censor=censor)[:, 0]
        looked_at = ~left_out | left_out.all()
        topics = [topic for topic, here in zip(table.topics, looked_at, strict=True) if here]
        for system, row in zip(table.systems, scores[text][:, looked_at], strict=True):
            require_scores(row, topics, system, name)
    if standardized and warns:
        tables_after_warning(found)
    return scores


def _check_factors(
    factors: Factors | None, letter: str, measure: str, standardization: StandardizationOptions
) -> None:
    if factors is None:
        raise InputError(f"{standardized_name(letter, measure)} is a standardized score, expected factors (-F)")
    if measure not in factors.measures:
        known = listed(factors.measures)
        raise InputError(f"no factors of {measure}, only of {known}", standardization.factor_files[0])

_SCORES_FORM = "a CSV of scores (run,topic,MEASURE,...)"


def run_or_file(inputs: InputOptions, baseline: str, systems: Sequence[str]) -> int | None:
    """Return the index of the run that a baseline is, or None if it is a file that is not among the runs."""
    runs = inputs.files[1:]
    named = list(systems).index(baseline) if baseline in systems else None
    if baseline != "-" and not _is_file(baseline) and baseline not in runs:
        if named is None:
            what = (
                f"no run '{baseline}'{', which is a directory' if Path(baseline).is_dir() else ' and no such file'}"
            )
            raise InputError(f"{what}, expected one of: {listed(systems, 20)}, or the file of a baseline")
        return named
    given = next((i for i, path in enumerate(runs) if path == baseline or is_same_file(path, baseline)), None)
    if named is None or named == given:
        return given
    as_run = f"'{runs[named]}'" if runs else "another name"
    raise InputError(
        f"baseline '{baseline}' is the name of a run and of a file, expected './{baseline}' for the file, "
        f"or {as_run} for the run"
    )


def _is_file(path: str) -> bool:
    """Return whether a path can be read; a pipe can, a folder cannot."""
    return exists(path) and not Path(path).is_dir()


def read_baseline(
    inputs: InputOptions,
    path: str,
    table: ScoreTable,
    needed: Collection[str],
    *,
    allow_other_judgments: bool = False,
) -> ScoreTable:
    """Read the raw scores of a baseline that is not among the runs, by the measures and on the topics of theirs."""
    source = Input(path)
    if any(is_same_file(path, each.path) for each in inputs.score_files):
        raise InputError("the baseline is also given with --scores, expected another file", source.name)
    kind = file_kind(source)
    if kind == "scores":
        stored = read_scores(source)
        if not allow_other_judgments:
            require_judged_topics(stored, source.name)
        return _of_runs(stored, source.name, table, inputs, needed)
    if takes_scores(inputs):
        raise InputError(f"expected {_SCORES_FORM}, as --scores", source.name)
    if kind == "empty":
        expected = f"expected a run (lines of: {RUN_FORM}) or {_SCORES_FORM}"
        raise InputError(f"no entries, {expected}", source.name)
    # The baseline is often an older version of the run, with the same tag.
    asked = inputs._replace(files=(inputs.files[0], path), measures=table.measures, label="file")
    # A pipe can be read only once, and has been read already.
    with source.shared():
        return read_table(asked, gaps="refuse").select(topics=table.topics, measures=table.measures)


def _of_runs(
    stored: ScoreTable, name: str, runs: ScoreTable, inputs: InputOptions, needed: Collection[str]
) -> ScoreTable:
    """Return the stored scores of a baseline, on the topics of the runs."""
    if len(stored.systems) > 1:
        found = f"{len(stored.systems)} runs ({listed(stored.systems, 20)})"
        raise InputError(f"{found}, expected the scores of one run", name)
    measures = [each for each in runs.measures if each in needed or named_measures(stored.measures, each)]
    try:
        kept = stored.select(
            measures=[column for each in measures for column in measures_in(stored.measures, [each])]
        )
    except InputError as error:
        raise error.at(name) from None
    # Runs are evaluated on all topics of the qrels, so only the qrels can be without a topic of the baseline.
    without = "the runs do" if takes_scores(inputs) else f"{display_name(inputs.files[0])} does"
    require_same_topics(kept, runs.topics, without, name)
    values = rows_for(kept.values[0], kept.topics, runs.topics)[np.newaxis]
    return replace(kept, topics=runs.topics, measures=tuple(measures), values=values)


class Checked(NamedTuple):
    """The outcome of a condition for one run, and the seconds that it took to tell."""

    outcome: Outcome
    seconds: float


def write_junit(path: str | None, cases: Sequence[Case], seconds: float) -> None:
    """Write the cases and the warnings to a file, if one is named."""
    if path is not None:
        warnings = [f"warning: {message}" for message in warnings_so_far()]
        with output(path) as out:
            out.write(junit_xml("stdeval check", cases, seconds, warnings) + "\n")


def case_of(checked: Checked) -> Case:
    """Return an outcome as a case of JUnit."""
    outcome, seconds = checked
    problem = "" if outcome.holds else "failure"
    details = outcome.topics_in_words(n_shown=None)
    return Case(outcome.system, str(outcome.condition), problem, outcome.figures, details, seconds)


def write_outcomes(to: OutputOptions, outcomes: Sequence[Outcome], design: Design, signature: str) -> None:
    """Write a row per outcome; for people, the last line counts the failures."""
    if to.format in EXACT:
        to.write(Listing(_NUMBERS, [_numbers(outcome, design) for outcome in outcomes], signature=signature))
        return
    fields = [Field(name, missing="") for name in ("result", "run", "condition", "figures", "topics")]
    n, n_failed = len(outcomes), sum(not outcome.holds for outcome in outcomes)
    told = f"{n_failed} of {counted(n, 'condition')} failed"
    listing = Listing(fields, list(map(_words, outcomes)), n_left=len(fields), headed=False, notes=[told])
    to.write(listing._replace(signature=signature))


def _words(outcome: Outcome) -> list[Cell]:
    result = "PASS" if outcome.holds else "FAIL"
    # A name with a line break could forge a line that says PASS.
    words = (outcome.system, str(outcome.condition), outcome.figures, outcome.topics_in_words())
    return [result, *map(displayed, words)]


_NUMBERS = [
    *map(Field, ("run", "condition", "measure", "kind", "limit", "value", "mean", "baseline", "n", "detectable")),
    *map(Field, ("alpha", "test", "resamples", "seed", "topics", "holds")),
]
"""The columns of CSV and JSON."""


def _numbers(outcome: Outcome, design: Design) -> list[Cell]:
    """Return the cells of `_NUMBERS`; the test and its level only for conditions that are tested."""
    condition = outcome.condition
    tests: dict[str, list[Cell]] = {
        "non-inferior": [condition.alpha, "t", "", ""],
        "not-worse": [
            condition.alpha,
            design.test,
            *([design.n_resamples, design.seed] if design.draws else ["", ""]),
        ],
    }
    return [
        outcome.system,
        str(condition),
        condition.measure,
        condition.kind,
        *(outcome.limit, outcome.value, outcome.mean, outcome.baseline, outcome.n, outcome.detectable),
        *tests.get(condition.kind, [""] * 4),
        " ".join(topic for topic, _ in outcome.topics),
        outcome.holds,
    ]


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
    """Check that runs are good enough, or no worse than a baseline."""
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
