"""The scores that the conditions of `stdeval check` look at, by the names of their measures as typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stdeval.commands.input_options import InputOptions
from stdeval.commands.inputs import read_table
from stdeval.commands.judgments import takes_scores
from stdeval.commands.schemes import scores_by_scheme, tables_after_warning
from stdeval.commands.standardization_options import StandardizationOptions
from stdeval.display import listed
from stdeval.errors import InputError
from stdeval.gate.conditions import refuse_unfit_measure
from stdeval.gate.scores import require_scores
from stdeval.measures.names import SCHEME_LETTERS, resolve, split_scheme, standardized_name
from stdeval.named_columns import measures_in, only_one
from stdeval.reference_factors import Factors
from stdeval.standardization.standardizing import left_out_topics
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
    """Return the raw or standardized scores, shape (n_systems, n_topics), by the names of their measures as typed.

    A topic that the factors leave out for all runs alike is NaN.

    Raises
    ------
    InputError
        If any other score is missing, or if there are no factors for it.
    """
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
