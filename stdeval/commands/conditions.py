"""What `stdeval check` asks of runs: the conditions, from the options."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import click

from stdeval.commands.inputs import Inputs, named_in
from stdeval.commands.standardization import Standardization
from stdeval.errors import InputError, InputWarning
from stdeval.gate import Condition, Outcome, check, require_scores
from stdeval.measures.names import kind_of, resolve
from stdeval.standardization import SCHEMES
from stdeval.stats.pairwise import Design
from stdeval.table import Floats, ScoreTable


@dataclass(frozen=True)
class Conditions:
    """The options that say what must hold: limits by measure, measures that must not be worse, and the baseline."""

    least: tuple[tuple[str, float], ...]
    drops: tuple[tuple[str, float], ...]
    not_worse: tuple[str, ...]
    alpha: float
    baseline: str | None

    def __post_init__(self) -> None:
        if not (self.least or self.drops or self.not_worse):
            raise click.UsageError("nothing to check, expected --min, --max-drop or --not-worse")
        if (self.drops or self.not_worse) and self.baseline is None:
            raise click.UsageError("--max-drop and --not-worse compare with a run, expected --baseline RUN")
        negative = [text for text, limit in self.drops if limit < 0]
        if negative:
            raise click.UsageError(f"--max-drop {negative[0]}: expected a VALUE from 0")

    def outcomes(self, inputs: Inputs, standardization: Standardization, design: Design) -> list[Outcome]:
        """What becomes of each condition for each run but the baseline.

        Raises
        ------
        InputError
            If any of them cannot be told.
        """
        table, meant = self._raw_scores(replace(inputs, strict=True))
        names, scores = _columns(standardization.rounded(table), meant, standardization, inputs.complete)
        at = None if self.baseline is None else inputs.system(self.baseline, table.systems)
        checked = [i for i in range(len(table.systems)) if i != at]
        if not checked:
            raise InputError(f"no run to check besides the baseline '{self.baseline}'")
        if not inputs.complete:
            _require_all(table, names, scores)
        baseline = {text: None if at is None else values[at] for text, values in scores.items()}
        return [
            check(condition, table.systems[i], scores[text][i], table.topics, baseline[text], design)
            for i in checked
            for condition, text in self._conditions(names)
        ]

    def _conditions(self, names: dict[str, str]) -> Iterator[tuple[Condition, str]]:
        """The conditions by the names that measures have in the output, and the names as they were given."""
        for kind, limits in (("min", self.least), ("max-drop", self.drops)):
            for text, limit in limits:
                yield Condition(kind, names[text], limit), text
        for text in self.not_worse:
            yield Condition("not-worse", names[text], self.alpha), text

    def _raw_scores(self, inputs: Inputs) -> tuple[ScoreTable, dict[str, tuple[str, str]]]:
        """The raw scores to look at, and what the names mean: a scheme's letter, and a measure."""
        texts = [text for text, _ in (*self.least, *self.drops)] + list(self.not_worse)
        if inputs.from_scores:
            table = inputs.table((), wanted=lambda name: True)
            return table, {text: _meant(text, table) for text in texts}
        meant = {text: _meant(text, None) for text in texts}
        return replace(inputs, measures=tuple(name for _, name in meant.values())).table(()), meant


def _meant(text: str, table: ScoreTable | None) -> tuple[str, str]:
    """The letter of a scheme, or none, and the measure that a name has after it."""
    try:
        return "", _one_measure(text, table)
    except InputError:
        if text[:1] in SCHEMES:
            with contextlib.suppress(InputError):
                return text[0], _one_measure(text[1:], table)
        raise


def _one_measure(text: str, table: ScoreTable | None) -> str:
    names = [measure.name for measure in resolve([text])] if table is None else named_in(table, [text])
    if len(names) > 1:
        raise InputError(f"'{text}' means {len(names)} measures, expected one, such as {names[0]}")
    if kind_of(names[0]) != "score":
        raise InputError(f"{names[0]} is no score of a topic, expected a measure that is")
    return names[0]


def _columns(
    table: ScoreTable, meant: dict[str, tuple[str, str]], standardization: Standardization, lenient: bool
) -> tuple[dict[str, str], dict[str, Floats]]:
    """The output names of measures and their scores (systems, topics), by the names that were given."""
    factors = standardization.factors
    scores = {}
    for text, (letter, measure) in meant.items():
        if not letter:
            scores[text] = table.measure(measure)
            continue
        if factors is None:
            raise InputError(f"{letter}{measure} is a standardized score, expected factors (-F)")
        if measure not in factors.measures:
            known = ", ".join(factors.measures[:8])
            raise InputError(f"no factors of {measure}, only of {known}", standardization.factor_files[0])
        scores[text] = _standardized(table.select(measures=[measure]), letter.lower(), standardization, lenient)
    return {text: letter + measure for text, (letter, measure) in meant.items()}, scores


def _require_all(table: ScoreTable, names: dict[str, str], scores: dict[str, Floats]) -> None:
    for text, values in scores.items():
        for system, row in zip(table.systems, values, strict=True):
            require_scores(row, table.topics, system, names[text])


def _standardized(table: ScoreTable, scheme: str, standardization: Standardization, lenient: bool) -> Floats:
    with warnings.catch_warnings():
        if not lenient:  # what is left out with a warning elsewhere is refused
            warnings.simplefilter("ignore", InputWarning)
        values: Floats = standardization.tables(table, [scheme])[scheme].values[:, :, 0]
    return values
