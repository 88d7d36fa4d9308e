"""`stdeval plot forest`: differences from a baseline, with intervals adjusted for their number."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import click
import numpy as np

from stdeval.commands.help_groups import GroupedCommand
from stdeval.commands.input_options import InputOptions, input_options
from stdeval.commands.options import baseline_option, interval_option, randomness_options
from stdeval.commands.parameter_types import Choice
from stdeval.commands.picture import Picture, picture_options
from stdeval.commands.plot.inputs import (
    best_of,
    marked_indices,
    n_judged_topics,
    one_scheme_option,
    read_scores,
    require_finite,
    require_ranked,
    require_two,
    runs_option,
)
from stdeval.commands.selection import system_index
from stdeval.commands.set_aside import warn_of_set_aside
from stdeval.commands.standardization_options import StandardizationOptions, default_schemes, factor_options
from stdeval.errors import InputError
from stdeval.formats.listing import topics_told
from stdeval.plots import forest_figures
from stdeval.plots.system_rows import with_topic_counts
from stdeval.stats.corrections import CORRECTIONS, single_alpha, tukey_test
from stdeval.stats.coverage import coverage
from stdeval.stats.intervals import t_interval
from stdeval.stats.pairwise import Design, compare_systems
from stdeval.stats.significance import Comparison, compare, pairs, topic_differences
from stdeval.table import Bools, Floats, Ints, ScoreTable

_CORRECTIONS_TOLD = {
    "none": "",
    "bonferroni": " (Bonferroni)",
    "holm": " (Holm)",
    "bh": " (Benjamini-Hochberg)",
    "tukey": " (Tukey)",
}
"""The corrections as the label of the intervals writes them, after the names of their authors."""


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
    help="Adjust the intervals for their number; tukey: the randomised Tukey HSD of all pairs.",
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

    Draws the mean difference of each other run from --baseline, or from the best run, on the topics that both
    have; with --correction tukey, on those that all complete runs have. The interval excludes 0 if 'stdeval
    compare' with the same --correction finds a significant difference at --alpha 1 - LEVEL, by the t test or by
    Tukey's. Beside it is the effect size, the difference over the standard deviation of the differences.
    Incomplete runs, without a topic that most runs have, stand below the others, in gray, and Tukey's test leaves
    them out. A number of topics that is not that of most runs stands beside the name; if the numbers are smaller
    than that of the judged topics, the label has both.
    """
    (chosen,) = default_schemes((scheme,) if scheme else (), standardization)
    raw, tables, _ = read_scores(inputs, standardization, (chosen,))
    table = tables[chosen]
    if len(table.systems) < 2:
        raise InputError(f"one run, '{table.systems[0]}', expected at least two to compare")
    scores, facts = table.values[:, :, 0], coverage(table.values[:, :, 0])
    pivot = best_of(table, facts) if baseline is None else system_index(inputs, baseline, table.systems)
    if correction == "tukey":
        warn_of_set_aside(facts, table.systems, "gray, below the others, and not tested")
        require_two(facts, "--correction tukey")
        require_ranked(facts, pivot, table.systems)
        compared = _by_tukey(facts.comparable(scores), facts.ranked, pivot, confidence, n_resamples, seed)
    else:
        # each pair is compared on all topics that both runs have
        warn_of_set_aside(replace(facts, is_reduced=False), table.systems, "gray, and below the others")
        compared = _by_t_tests(table, pivot, Design(correction=correction, confidence=confidence))
    others, comparison = compared.others, compared.comparison
    n_topics = comparison.n_a.tolist()
    figure = forest_figures.forest(
        with_topic_counts([table.systems[i] for i in others], n_topics),
        comparison.difference,
        compared.low,
        compared.high,
        np.where(np.isfinite(comparison.effect_size), comparison.effect_size, np.nan),
        baseline=table.systems[pivot],
        measure=table.measures[0],
        scheme=chosen,
        intervals=f"{100 * confidence:g}% intervals" + _CORRECTIONS_TOLD[correction],
        topics=topics_told(n_topics, n_judged_topics(inputs, raw)),
        marked=np.flatnonzero(np.isin(others, marked_indices(inputs, runs, table.systems))).tolist(),
        ranked=facts.ranked[others],
        size=picture.size,
        title=picture.title,
    )
    picture.save(figure)


class _Compared(NamedTuple):
    """The other runs compared with the baseline, and the ends of the adjusted intervals, shape (n_others,)."""

    others: Ints
    comparison: Comparison
    low: Floats
    high: Floats


def _by_t_tests(table: ScoreTable, pivot: int, design: Design) -> _Compared:
    """Compare all others with one run by t tests, each on the topics that both have."""
    scores, (others, same) = table.values[:, :, 0], pairs(len(table.systems), pivot)
    comparison, _ = compare_systems(scores, others, same, design)
    level = 1 - single_alpha(comparison.pvalue, design.correction, 1 - design.confidence)
    return _Compared(others, comparison, *t_interval(topic_differences(scores[others], scores[same]), level=level))


def _by_tukey(
    scores: Floats, ranked: Bools, pivot: int, confidence: float, n_resamples: int, seed: int
) -> _Compared:
    """Compare all others with one run by Tukey's test; incomplete runs have no interval."""
    others, same = pairs(len(scores), pivot)
    test = tukey_test(scores[ranked], np.random.default_rng(seed), n_resamples)
    half = test.critical_difference(confidence)
    require_finite(half, n_resamples, confidence)
    comparison = compare(scores[others], scores[same])
    tested = np.where(ranked[others], comparison.difference, np.nan)
    return _Compared(others, comparison, tested - half, tested + half)
