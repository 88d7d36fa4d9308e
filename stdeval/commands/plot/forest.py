"""`stdeval plot forest`: differences from a baseline, with intervals adjusted for their number."""

from __future__ import annotations

from typing import NamedTuple

import click
import numpy as np

from stdeval.commands.help_groups import GroupedCommand
from stdeval.commands.input_options import InputOptions, input_options
from stdeval.commands.inputs import warn_of_set_aside
from stdeval.commands.messages import warn
from stdeval.commands.options import (
    DRAWING,
    baseline_option,
    interval_option,
    randomness_options,
    refuse_without_effect,
)
from stdeval.commands.parameter_types import Choice
from stdeval.commands.picture import Picture, picture_options
from stdeval.commands.plot.inputs import (
    best_of,
    marked_indices,
    n_judged_topics,
    one_scheme_option,
    read_scores,
    runs_option,
)
from stdeval.commands.selection import system_index
from stdeval.commands.standardization_options import StandardizationOptions, default_schemes, factor_options
from stdeval.display import counted
from stdeval.errors import InputError
from stdeval.formats.listing import topics_told
from stdeval.plots import forest_figures
from stdeval.stats.corrections import CORRECTIONS, single_alpha, tukey_test
from stdeval.stats.coverage import Coverage, coverage
from stdeval.stats.significance import Comparison, compare
from stdeval.table import Floats


@click.command(
    "forest",
    cls=GroupedCommand,
    epilog="Example: stdeval plot forest -m map --baseline ref01 -o forest.png qrels.gz references/*.run.gz",
)
@input_options
@factor_options
@one_scheme_option
@runs_option
@baseline_option
@click.option(
    "--correction",
    type=Choice(list(CORRECTIONS)),
    default="holm",
    show_default=True,
    help="How the intervals are adjusted for their number; tukey: the randomised Tukey HSD of all pairs.",
)
@interval_option(0.95, "Confidence of the intervals after the correction.")
@randomness_options
@picture_options
def forest(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    scheme: str | None,
    runs: tuple[str, ...],
    baseline: str | None,
    correction: str,
    confidence: float,
    n_resamples: int,
    seed: int,
    picture: Picture,
) -> None:
    """Differences from a baseline, with effect sizes.

    The mean differences of all other runs from --baseline, or else from the best run, on the topics that both have,
    with intervals that leave out 0 where 'stdeval compare' with the same --correction finds that they differ
    significantly, by the t test, or by Tukey's. If these are fewer topics than are judged, the label has their
    number. Beside them the effect size, the difference over the standard
    deviation of the differences.
    """
    if correction != "tukey":
        refuse_without_effect(DRAWING, "--correction tukey")
    (chosen,) = default_schemes((scheme,) if scheme else (), standardization)
    raw, tables, _ = read_scores(inputs, standardization, (chosen,))
    table = tables[chosen]
    if len(table.systems) < 2:
        raise InputError(f"one run, '{table.systems[0]}', expected at least two to compare")
    facts = coverage(table.values[:, :, 0])
    pivot = best_of(table, facts) if baseline is None else system_index(inputs, baseline, table.systems)
    compared = _compare_with(table.values[:, :, 0], pivot, correction, 1 - confidence)
    if correction == "tukey":
        warn_of_set_aside(facts, table.systems, "without an interval")
        compared = _with_tukey(compared, table.values[:, :, 0], facts, 1 - confidence, seed, n_resamples)
    others, comparison, low, high = compared
    figure = forest_figures.forest(
        [table.systems[i] for i in others],
        comparison.difference,
        low,
        high,
        np.where(np.isfinite(comparison.effect_size), comparison.effect_size, np.nan),
        baseline=table.systems[pivot],
        measure=table.measures[0],
        scheme=chosen,
        intervals=f"{100 * confidence:g}% intervals" + ("" if correction == "none" else f" ({correction})"),
        topics=topics_told(comparison.n_a.tolist(), n_judged_topics(inputs, raw)),
        marked=[others.index(i) for i in marked_indices(inputs, runs, table.systems) if i != pivot],
        size=picture.size,
        title=picture.title,
    )
    picture.save(figure)


class _Compared(NamedTuple):
    """The other runs compared with the baseline, and the ends of the adjusted intervals, shape (n_others,)."""

    others: list[int]
    comparison: Comparison
    low: Floats
    high: Floats


def _compare_with(scores: Floats, pivot: int, correction: str, alpha: float) -> _Compared:
    """Compare all others with one run; by Tukey's test the intervals are not adjusted."""
    others = [i for i in range(len(scores)) if i != pivot]
    comparison = compare(scores[others], scores[pivot])
    untested = int(np.isnan(comparison.pvalue).sum())
    if untested:
        warn(f"{counted(untested, 'run')} with fewer than two topics of the baseline: not tested")
    single = alpha if correction == "tukey" else single_alpha(comparison.pvalue, correction, alpha)
    adjusted = compare(scores[others], scores[pivot], level=1 - single)
    return _Compared(others, comparison, adjusted.low, adjusted.high)


def _with_tukey(
    compared: _Compared, scores: Floats, facts: Coverage, alpha: float, seed: int, n_resamples: int
) -> _Compared:
    """Replace the intervals by those of Tukey's test; incomplete runs have none."""
    test = tukey_test(scores[facts.ranked], np.random.default_rng(seed), n_resamples)
    half = test.critical_difference(1 - alpha)
    if np.isinf(half):
        raise InputError(f"{n_resamples} resamples, expected more for Tukey intervals of {100 * (1 - alpha):g}%")
    difference = np.where(facts.ranked[compared.others], compared.comparison.difference, np.nan)
    return compared._replace(low=difference - half, high=difference + half)
