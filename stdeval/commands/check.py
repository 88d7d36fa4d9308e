"""`stdeval check`: a gate for Makefiles and continuous integration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import click

from stdeval.commands.inputs import measures_in, read_table, system_index, takes_scores, warn
from stdeval.commands.options import (
    DRAWING,
    InputOptions,
    StandardizationOptions,
    alpha_option,
    baseline_option,
    factor_options,
    input_options_without_measures,
    output_option,
    randomness_options,
    refuse_parameters_without_u,
    refuse_without_effect,
    test_option,
)
from stdeval.commands.standardizing import about_origins, announced, factors_of, rounded, scores_by_scheme
from stdeval.errors import InputError
from stdeval.files import output
from stdeval.formats.junit import Case, junit_xml
from stdeval.gate import Condition, Outcome, check, require_scores
from stdeval.measures.names import kind_of, resolve
from stdeval.standardization import SCHEMES
from stdeval.stats.pairwise import Design
from stdeval.table import Factors, Floats, ScoreTable

Limits = tuple[tuple[str, float], ...]
"""Measures as they are named, each with its limit."""


def _limits(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> Limits:
    limits = []
    for text in texts:
        measure, equals, number = text.rpartition("=")
        if not (measure and equals) or not re.fullmatch(r"-?([0-9]{1,9}(\.[0-9]{0,17})?|\.[0-9]{1,17})", number):
            raise click.BadParameter(f"'{text}', expected MEASURE=VALUE with a plain number, such as map=0.3")
        limits.append((measure, float(number)))
    return tuple(limits)


class Asked(NamedTuple):
    """The conditions as they are typed: limits of the mean and of its drop, and measures that must not be worse."""

    least: Limits
    drops: Limits
    not_worse: tuple[str, ...]
    alpha: float

    @property
    def texts(self) -> list[str]:
        """The names of the measures, as they are typed."""
        return [text for text, _ in (*self.least, *self.drops)] + list(self.not_worse)

    def conditions(self, names: dict[str, str]) -> Iterator[tuple[Condition, str]]:
        """Yield each condition, under the name that its measure has in the output, and the name as typed."""
        for kind, limits in (("min", self.least), ("max-drop", self.drops)):
            for text, limit in limits:
                yield Condition(kind, names[text], limit), text
        for text in self.not_worse:
            yield Condition("not-worse", names[text], self.alpha), text


@click.command("check")
@input_options_without_measures
@factor_options
@click.option(
    "--min",
    "least",
    callback=_limits,
    multiple=True,
    metavar="MEASURE=VALUE",
    help="The mean is at least VALUE; repeatable.",
)
@baseline_option
@click.option(
    "--max-drop",
    "drops",
    callback=_limits,
    multiple=True,
    metavar="MEASURE=VALUE",
    help="The mean is not lower than the baseline's by more than VALUE; repeatable.",
)
@click.option(
    "--not-worse",
    "not_worse",
    multiple=True,
    metavar="MEASURE",
    help="A one-tailed paired test does not find the run worse than the baseline; repeatable.",
)
@click.option(
    "--allow-other-judgments",
    is_flag=True,
    help="Use factors that were made from other judgments, or with other options: only warn.",
)
@alpha_option
@test_option
@randomness_options
@click.option("--junit", "junit_path", metavar="FILE", help="Write the outcomes as JUnit XML too.")
@output_option
def command(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    least: Limits,
    baseline: str | None,
    drops: Limits,
    not_worse: tuple[str, ...],
    allow_other_judgments: bool,
    alpha: float,
    test: str,
    n_resamples: int,
    seed: int,
    junit_path: str | None,
    output_path: str | None,
) -> int:
    """Check that runs are good enough, or no worse than a baseline.

    Prints a line per run and condition: PASS or FAIL, the figures, and where it fails the topics that lost
    most. Measures are raw (map) or, with -F, standardized (Nmap). Exit status: 0 all hold, 1 some fail, 2 it
    could not be checked, as where a run lacks topics (with -c they count 0) or scores.
    """
    asked = Asked(least, drops, not_worse, alpha)
    design = Design(test, n_resamples=n_resamples, seed=seed)
    _check_asked(asked, baseline, design)
    try:
        factors = _factors(inputs, standardization, allow_other_judgments)
        outcomes = _outcomes(inputs, standardization, factors, asked, baseline, design)
    except (InputError, click.UsageError) as error:
        _write_junit(junit_path, [Case("stdeval", "check", "error", str(error))])
        raise
    _write_junit(
        junit_path,
        [Case(o.system, str(o.condition), "" if o.holds else "failure", o.figures, o.topics) for o in outcomes],
    )
    with output(output_path) as out:
        out.writelines(f"{outcome}\n" for outcome in outcomes)
    return 0 if all(outcome.holds for outcome in outcomes) else 1


def _check_asked(asked: Asked, baseline: str | None, design: Design) -> None:
    if not asked.texts:
        raise click.UsageError("nothing to check, expected --min, --max-drop or --not-worse")
    if (asked.drops or asked.not_worse) and baseline is None:
        raise click.UsageError("--max-drop and --not-worse compare with a run, expected --baseline RUN")
    negative = [text for text, limit in asked.drops if limit < 0]
    if negative:
        raise click.UsageError(f"--max-drop {negative[0]}: expected a VALUE from 0")
    if not asked.not_worse:
        refuse_without_effect(["alpha", "test", *DRAWING], "--not-worse MEASURE")
    if not design.draws:
        refuse_without_effect(DRAWING, "--test permutation or bootstrap")


def _write_junit(path: str | None, cases: Sequence[Case]) -> None:
    if path is not None:
        with output(path) as out:
            out.write(junit_xml("stdeval check", cases) + "\n")


def _factors(
    inputs: InputOptions, standardization: StandardizationOptions, allow_other_judgments: bool
) -> Factors | None:
    """Read the factors; refuse those that do not belong to the judgments, unless they are allowed."""
    factors = factors_of(standardization)
    if factors is None or takes_scores(inputs):
        refuse_without_effect(["allow_other_judgments"], "QRELS, RUN and factors (-F)")
    message = None if factors is None else about_origins(inputs, factors)
    if message is not None and not allow_other_judgments:
        expected = "expected factors that belong to QRELS, or --allow-other-judgments"
        raise InputError(f"{message}; {expected}", standardization.factor_files[0])
    if message is not None:
        warn(message)
    return factors


def _outcomes(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    factors: Factors | None,
    asked: Asked,
    baseline: str | None,
    design: Design,
) -> list[Outcome]:
    """Check each condition for each run but the baseline; `InputError` if one of them cannot be told."""
    table, meant = _raw_scores(inputs, asked.texts)
    names = {text: letter + measure for text, (letter, measure) in meant.items()}
    scores = _scores(rounded(table, standardization), meant, standardization, factors, inputs.complete)
    at = None if baseline is None else system_index(inputs, baseline, table.systems)
    checked = [i for i in range(len(table.systems)) if i != at]
    if not checked:
        raise InputError(f"no run to check besides the baseline '{baseline}'")
    if not inputs.complete:
        for text, values in scores.items():
            for system, row in zip(table.systems, values, strict=True):
                require_scores(row, table.topics, system, names[text])
    compared = {text: None if at is None else values[at] for text, values in scores.items()}
    return [
        check(condition, table.systems[i], scores[text][i], table.topics, compared[text], design)
        for i in checked
        for condition, text in asked.conditions(names)
    ]


def _raw_scores(inputs: InputOptions, texts: Sequence[str]) -> tuple[ScoreTable, dict[str, tuple[str, str]]]:
    """Read the raw scores, and find the letter of a scheme, or none, and the measure that each name means."""
    if takes_scores(inputs):
        table = read_table(inputs, wanted=lambda name: True, gaps="refuse")
        return table, {text: _meaning(text, table) for text in texts}
    meant = {text: _meaning(text, None) for text in texts}
    measures = tuple(measure for _, measure in meant.values())
    return read_table(inputs._replace(measures=measures), gaps="refuse"), meant


def _meaning(text: str, table: ScoreTable | None) -> tuple[str, str]:
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
    names = [measure.name for measure in resolve([text])] if table is None else measures_in(table, [text])
    if len(names) > 1:
        raise InputError(f"'{text}' means {len(names)} measures, expected one, such as {names[0]}")
    if kind_of(names[0]) != "score":
        raise InputError(f"{names[0]} is no score of a topic, expected a measure that is")
    return names[0]


def _scores(
    table: ScoreTable,
    meant: dict[str, tuple[str, str]],
    standardization: StandardizationOptions,
    factors: Factors | None,
    complete: bool,
) -> dict[str, Floats]:
    """Return the scores, shape (n_systems, n_topics), by the names of their measures as typed."""
    letters = {letter.lower() for letter, _ in meant.values()} - {""}
    refuse_parameters_without_u(letters)
    if not letters:
        refuse_without_effect(["factor_files"], "a standardized MEASURE, such as Nmap,")
    scores = {}
    for text, (letter, measure) in meant.items():
        if not letter:
            scores[text] = table.measure(measure)
            continue
        _check_factors(factors, letter, measure, standardization)
        one = scores_by_scheme(table.select(measures=[measure]), [letter.lower()], standardization, factors)
        # A topic left out of the mean is a warning only with -c; without it, missing scores are refused.
        tables = announced(one) if complete else one.tables
        scores[text] = tables[letter.lower()].values[:, :, 0]
    return scores


def _check_factors(
    factors: Factors | None, letter: str, measure: str, standardization: StandardizationOptions
) -> None:
    if factors is None:
        raise InputError(f"{letter}{measure} is a standardized score, expected factors (-F)")
    if measure not in factors.measures:
        known = ", ".join(factors.measures[:8])
        raise InputError(f"no factors of {measure}, only of {known}", standardization.factor_files[0])
