"""The scores that the conditions of `stdeval check` look at, by the names of their measures as typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import click
import numpy as np

from stdeval.commands.factor_files import warn_of_rounded_references
from stdeval.commands.input_options import InputOptions
from stdeval.commands.inputs import read_table
from stdeval.commands.judgments import takes_scores
from stdeval.commands.options import refuse_without_effect
from stdeval.commands.schemes import scores_by_scheme, tables_after_warning
from stdeval.commands.standardization_options import StandardizationOptions, refuse_unused_parameters
from stdeval.display import listed
from stdeval.errors import InputError
from stdeval.gate.conditions import refuse_unfit_measure
from stdeval.gate.scores import require_scores
from stdeval.measures.facts import is_better_higher, is_never_negative
from stdeval.measures.names import SCHEME_LETTERS, resolve, split_scheme, standardized_name
from stdeval.named_columns import measures_in, only_one
from stdeval.reference_factors import Factors
from stdeval.table import Floats, ScoreTable

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
    """Read the raw scores of runs by measures that are named as typed, such as ``map`` or ``Nmap``.

    Raises
    ------
    InputError
        If topics of a run are missing, or a name is not that of one measure with a score per topic.
    """
    if takes_scores(inputs):
        table = read_table(inputs, wanted=lambda name: True, gaps="refuse")
        meant = {text: _meaning(text, table) for text in texts}
        measures = list(dict.fromkeys(measure for _, measure in meant.values()))
        # The raw scores beside stored standardized ones show whether a baseline finds any relevant document.
        stored = {split_scheme(measure)[1] for measure in measures} & {*table.measures}
        kept = [*measures, *sorted(stored - {*measures})]
        return RawScores(table.select(measures=kept), meant, factors)
    meant = {text: _meaning(text, None) for text in texts}
    asked = inputs._replace(measures=tuple(measure for _, measure in meant.values()))
    return RawScores(read_table(asked, gaps="refuse"), meant, factors)


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


def refuse_unused_options(meant: Meant) -> None:
    """Refuse options that standardize if no measure is standardized, or parameters of other schemes.

    Also refuse measures that are standardized already, beside others that the factors standardize: it is not known
    whether both have the same factors.
    """
    letters = {letter.lower() for letter, _ in meant.values()} - {""}
    refuse_unused_parameters(letters)
    already = [measure for _, measure in meant.values() if split_scheme(measure)[0]]
    if letters and already:
        by_factors = next(text for text, (letter, _) in meant.items() if letter)
        found = f"{already[0]} is standardized already, and may have other factors than {by_factors} by --factors"
        raise click.UsageError(f"{found}: expected conditions on one of them")
    if not letters:
        what = "a standardized MEASURE (such as Nmap)"
        if already:
            taken = f"taken from the column {already[0]} of the scores"
            what = f"a MEASURE to standardize: {already[0]} is standardized already, {taken}"
        refuse_without_effect(["factor_files"], what)


def scores_of(
    table: ScoreTable,
    meant: Meant,
    standardization: StandardizationOptions,
    factors: Factors | None,
) -> dict[str, Floats]:
    """Return the raw or standardized scores, shape (n_systems, n_topics), by the names of their measures as typed.

    Raises
    ------
    InputError
        If a score is missing that the factors do not leave out for all runs, or if there are no factors for it.
    """
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
            require_scores(row, topics, system, standardized_name(letter, measure))
        tables_after_warning(standardized)
    return scores


def _check_factors(
    factors: Factors | None, letter: str, measure: str, standardization: StandardizationOptions
) -> None:
    if factors is None:
        raise InputError(f"{standardized_name(letter, measure)} is a standardized score, expected factors (-F)")
    if measure not in factors.measures:
        known = listed(factors.measures)
        raise InputError(f"no factors of {measure}, only of {known}", standardization.factor_files[0])


def least_scores(
    topics: Sequence[str],
    meaning: tuple[str, str],
    standardization: StandardizationOptions,
    factors: Factors | None,
) -> Floats | None:
    """Return the standardized scores of a run with a raw score of 0 on every topic, shape (n_topics,).

    Return None if the measure is raw, if its scores may be negative, or if lower is better.
    """
    letter, measure = meaning
    if not (letter and is_never_negative(measure) and is_better_higher(measure)):
        return None
    nothing = ScoreTable(("nothing",), tuple(topics), (measure,), np.zeros((1, len(topics), 1)))
    scheme = letter.lower()
    return scores_by_scheme(nothing, [scheme], standardization, factors).tables[scheme].values[0, :, 0]
