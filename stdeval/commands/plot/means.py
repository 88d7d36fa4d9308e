"""`stdeval plot means`: systems by mean, with intervals of the means or of their differences."""

from __future__ import annotations

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
    topics_of_means,
)
from stdeval.commands.schemes import require_scores
from stdeval.commands.selection import system_index
from stdeval.commands.set_aside import warn_of_set_aside
from stdeval.commands.standardization_options import StandardizationOptions, default_schemes, factor_options
from stdeval.display import counted
from stdeval.plots import mean_figures
from stdeval.plots.system_rows import with_topic_counts
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.comparison_intervals import KINDS, groups_of_intervals, paired_intervals, tukey_intervals
from stdeval.stats.corrections import tukey_test
from stdeval.stats.coverage import Coverage, coverage
from stdeval.stats.intervals import t_interval
from stdeval.table import Floats


@click.command(
    "means",
    cls=GroupedCommand,
    epilog="Example: stdeval plot means -m map -o means.png qrels.gz references/*.run.gz",
)
@input_options
@factor_options
@one_scheme_option
@runs_option
@click.option(
    "--interval",
    type=Choice(KINDS),
    default="marginal",
    show_default=True,
    help="The intervals to draw: those of the single means; of the differences from --baseline, by default the "
    "best run, by paired t tests; or of the randomised Tukey HSD test of all pairs.",
)
@baseline_option
@interval_option(0.95, "Confidence of the intervals.")
@randomness_options
@picture_options
def means(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    scheme: str | None,
    runs: tuple[str, ...],
    interval: str,
    baseline: str | None,
    confidence: float,
    n_resamples: int,
    seed: int,
    picture: Picture,
) -> None:
    """Systems by mean, with confidence intervals.

    The highest mean is at the top (Webber 2008, Figure 2). Incomplete runs, without a topic that most runs have,
    stand below the others, in gray. A number of topics that is not that of most runs stands beside the name; if the
    numbers are smaller than that of the judged topics, the label has both. Runs may differ significantly although
    the intervals of their means overlap. With --interval paired, a run differs from the baseline, on the topics of
    the means, if its interval does not reach the line; these tests are not corrected for several runs, and if the
    baseline is the best run, some of equally good runs differ from it by chance. With tukey, two runs differ if
    their intervals do not meet, and letters at the right name the groups of runs that do not differ.
    """
    (chosen,) = default_schemes((scheme,) if scheme else (), standardization)
    raw, tables, _ = read_scores(inputs, standardization, (chosen,))
    table = tables[chosen]
    require_scores(table, chosen)
    facts = coverage(table.values[:, :, 0])
    warn_of_set_aside(facts, table.systems)
    values = facts.comparable(table.values[:, :, 0])
    if interval == "marginal":
        drawn = _Intervals(*t_interval(values, level=confidence))
    elif interval == "paired":
        pivot = best_of(table, facts) if baseline is None else system_index(inputs, baseline, table.systems)
        require_two(facts, "--interval paired")
        require_ranked(facts, pivot, table.systems)
        low, high = (np.where(facts.ranked, end, np.nan) for end in paired_intervals(values, pivot, confidence))
        drawn = _Intervals(low, high, pivot)
    else:
        require_two(facts, "--interval tukey")
        drawn = _tukey(values, facts, confidence, n_resamples, seed)
    figure = mean_figures.means(
        with_topic_counts(table.systems, (~np.isnan(values)).sum(axis=1).tolist()),
        arithmetic_mean(values),
        drawn.low,
        drawn.high,
        measure=table.measures[0],
        scheme=chosen,
        confidence=confidence,
        interval=interval,
        pivot=drawn.pivot,
        groups=drawn.groups,
        marked=marked_indices(inputs, runs, table.systems),
        ranked=facts.ranked,
        topics=topics_of_means(values, facts, n_judged_topics(inputs, raw)) or _number_of_topics(values),
        size=picture.size,
        title=picture.title,
    )
    picture.save(figure)


def _number_of_topics(values: Floats) -> str:
    """Return the number of topics of the means in words; empty if it differs."""
    numbers = set((~np.isnan(values)).sum(axis=1).tolist())
    return counted(numbers.pop(), "topic") if len(numbers) == 1 else ""


class _Intervals(NamedTuple):
    """The limits of the intervals, the run with which the others are compared, and the significance groups."""

    low: Floats
    high: Floats
    pivot: int | None = None
    groups: tuple[str, ...] = ()


def _tukey(values: Floats, facts: Coverage, confidence: float, n_resamples: int, seed: int) -> _Intervals:
    """Return the intervals and groups of Tukey's test; incomplete runs have none."""
    low, high = np.full((2, len(values)), np.nan)
    ranked = facts.ranked
    test = tukey_test(values[ranked], np.random.default_rng(seed), n_resamples)
    low[ranked], high[ranked] = tukey_intervals(values[ranked], test, confidence)
    require_finite(low[ranked][0], n_resamples, confidence)
    letters = iter(groups_of_intervals(arithmetic_mean(values[ranked]), low[ranked], high[ranked]))
    return _Intervals(low, high, None, tuple(next(letters) if each else "" for each in ranked))
