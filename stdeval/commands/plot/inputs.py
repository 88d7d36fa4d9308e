"""The scores that a picture is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import click
import numpy as np

from stdeval.commands.completion import complete_file
from stdeval.commands.factor_files import factors_of, raw_scores
from stdeval.commands.input_options import Gaps, InputOptions
from stdeval.commands.judgments import judgments, takes_scores
from stdeval.commands.schemes import scores_by_scheme, tables_after_warning
from stdeval.commands.selection import system_index
from stdeval.commands.standardization_options import StandardizationOptions, scheme_option
from stdeval.display import counted, listed
from stdeval.errors import InputError
from stdeval.formats.listing import topics_told
from stdeval.measures.facts import is_better_higher
from stdeval.measures.names import split_prefix
from stdeval.reference_factors import Factors
from stdeval.standardization.schemes import needs_reference_scores
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.coverage import Coverage
from stdeval.table import Floats, ScoreTable


class Scores(NamedTuple):
    """The raw scores by the one measure of a picture, the scores by each scheme, and the factors."""

    raw: ScoreTable
    tables: dict[str, ScoreTable]
    factors: Factors | None


def read_scores(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    schemes: tuple[str, ...],
    *,
    several: bool = False,
    gaps: Gaps = "warn",
) -> Scores:
    """Read and standardize the scores of a picture, which shows one measure or, if `several`, more.

    If the factors have no reference scores, schemes that need them are left out, unless there are no others.
    """
    factors = factors_of(standardization)
    if factors is not None and factors.reference is None:
        schemes = tuple(scheme for scheme in schemes if not needs_reference_scores(scheme)) or schemes
    if not inputs.measures and not takes_scores(inputs):
        raw = raw_scores(inputs._replace(measures=("map",)), standardization, factors)
    else:
        raw = raw_scores(inputs, standardization, factors, gaps)
    if inputs.measures and len(raw.measures) > 1 and not several:
        raise click.UsageError(f"a picture shows one measure, expected -m with one of: {listed(raw.measures)}")
    if not inputs.measures:
        first = split_prefix(raw.measures[0])[1]
        alike = [name for name in raw.measures if split_prefix(name)[1] == first]
        raw = raw.select(measures=alike if several else alike[:1])
    elif not several:
        raw = raw.select(measures=raw.measures[:1])
    return Scores(raw, tables_after_warning(scores_by_scheme(raw, schemes, standardization, factors)), factors)


def n_judged_topics(inputs: InputOptions, raw: ScoreTable) -> int:
    """Return the number of judged topics; 0 for named files that are of collections of different sizes."""
    if not takes_scores(inputs):
        return len(judgments(inputs))
    return max(raw.origin.n_judged, len(raw.topics))


def topics_of_means(scores: Floats, facts: Coverage, n_topics: int) -> str:
    """Say in words over which topics the means of ranked runs are; empty if over all judged topics.

    If no run is ranked, the means are those of all runs.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics, ...)
    facts : Coverage
        The coverage of the scores.
    n_topics : int
        From `n_judged_topics`.
    """
    numbers = (~np.isnan(facts.comparable(scores))).sum(axis=1)
    if facts.ranked.any():
        numbers = numbers[facts.ranked]
    shown = topics_told(numbers.ravel().tolist(), n_topics)
    if not facts.is_reduced:
        return shown
    runs = "runs" if facts.ranked.all() else "complete runs"
    return f"{shown}, common to all {runs}" if shown else f"{counted(facts.n_common, 'topic')} that all {runs} have"


SIDE_BY_SIDE = (
    "The scores to show side by side: raw scores, z score, normal, uniform, empirical, empirical with mid-ranks; "
    "repeatable."
)

one_scheme_option = scheme_option(
    "Raw scores, or z score, normal, uniform, empirical, empirical with mid-ranks.",
    shown="raw; n with -F",
    multiple=False,
)

runs_option = click.option(
    "--run",
    "runs",
    metavar="RUN",
    multiple=True,
    shell_complete=complete_file,
    help="Mark this run among the others, by its name, or by its file as it is given; repeatable.",
)


def marked_indices(inputs: InputOptions, runs: Sequence[str], systems: Sequence[str]) -> list[int]:
    """Return the indices of the runs that ``--run`` names, each once."""
    return list(dict.fromkeys(system_index(inputs, name, systems) for name in runs))


def require_two(facts: Coverage, option: str) -> None:
    """Refuse an option that compares runs if fewer than two can be ranked."""
    number = int(facts.ranked.sum())
    if number < 2:
        raise InputError(f"{counted(number, 'run')} to compare, expected at least two for {option}")


def require_ranked(facts: Coverage, baseline: int, systems: Sequence[str]) -> None:
    """Refuse a baseline that is incomplete."""
    if not facts.ranked[baseline]:
        found = f"'{systems[baseline]}' is incomplete, without topics that most runs have"
        raise InputError(f"{found}: expected another --baseline")


def require_finite(half: float, n_resamples: int, confidence: float) -> None:
    """Refuse Tukey intervals whose length is infinite, because there are too few resamples."""
    if np.isinf(half):
        least = ceil(round(confidence / (1 - confidence), 9))
        raise InputError(
            f"{n_resamples} resamples, expected at least {least} for {100 * confidence:g}% Tukey intervals"
        )


def best_of(table: ScoreTable, facts: Coverage) -> int:
    """Return the index of the best run of a table by its one measure; a run that is not ranked is never best."""
    mean = np.where(facts.ranked, arithmetic_mean(facts.comparable(table.values[:, :, 0])), np.nan)
    if np.isnan(mean).all():
        raise InputError("no run is complete, so none is the best: expected --baseline RUN")
    return int(np.nanargmax(mean if is_better_higher(table.measures[0]) else -mean))
