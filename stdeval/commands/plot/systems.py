"""Pictures of runs against each other: means, forest, compare and scatter."""

from __future__ import annotations

from itertools import compress
from math import ceil
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from stdeval import noise, plots
from stdeval.cli import options, scoring, standardizing
from stdeval.cli.declarations import Choice
from stdeval.cli.options import completes, option
from stdeval.cli.pictures import Given, one_scheme_option, picture_of_scores, runs_option
from stdeval.errors import InputError, counted, listed
from stdeval.formats import listing
from stdeval.measures import names as measure_names
from stdeval.plots import score_figures
from stdeval.stats import aggregates, corrections, pairwise, ranking

if TYPE_CHECKING:
    from stdeval.stats.pairwise import PairTests
    from stdeval.table import Bools, Floats, ScoreTable

MOST_MEASURES = 4
"""The greatest number of measures of a scatter plot; five would have ten panels."""


def _require_several(n: int) -> None:
    if n < 2:
        raise InputError(f"{counted(n, 'run')} to compare, expected at least two")


def _pivot(given: Given, table: ScoreTable, compared: Floats, kept: Bools, *, ranked: bool) -> int:
    """Return the index of the baseline, by default the best run; if `ranked`, it must be one that is kept."""
    _require_several(len(table.systems))
    if given.baseline is None:
        mean = np.where(kept, aggregates.arithmetic_mean(compared), np.nan)
        return int(np.nanargmax(mean if measure_names.is_better_higher(table.measures[0]) else -mean))
    pivot = scoring.system_index(given.inputs, given.baseline, table.systems)
    if ranked and not kept[pivot]:
        found = f"'{table.systems[pivot]}' is incomplete, without topics that most runs have"
        raise InputError(f"{found}: expected another --baseline")
    return pivot


def _test(scores: Floats, given: Given, pivot: int, design: pairwise.Design) -> PairTests:
    """Compare all pairs of runs, or those with the baseline; refuse too few resamples for intervals."""
    tests = pairwise.tested_pairs(scores, pivot, design, is_baseline=given.baseline is not None)
    if np.isinf(tests.high).any():
        least = ceil(round(design.confidence / (1 - design.confidence), 9))
        expected = f"at least {least} for {100 * design.confidence:g}% intervals"
        raise InputError(f"{design.n_resamples} resamples, expected {expected}")
    return tests


@picture_of_scores(
    "means",
    "-m map -o means.png qrels.gz references/*.run.gz",
    one_scheme_option,
    runs_option,
    option(
        "--interval",
        "Of the means; of differences from --baseline, by default the best run; or of all pairs, by range, hsd or "
        "tukey.",
        Choice(["marginal", "paired", "all-pairs"]),
        default="marginal",
    ),
    options.baseline_option,
    options.test_option,
    options.correction_option,
    options.interval_option("Confidence of the intervals, after the correction.", default=0.95),
    options.randomness_options,
)
def means(given: Given, interval: str, **of_design: Any) -> None:
    """Systems by mean, with confidence intervals."""
    chosen, table, n_judged = given.read_one()
    standardizing.require_scores(table, chosen)
    scores = table.values[:, :, 0]
    ranked, common = scoring.compared_runs(~np.isnan(scores), table.systems)
    values = ranking.on_common_topics(scores, ranked, common)
    mean = aggregates.arithmetic_mean(values)
    with_baseline = interval == "paired" and given.baseline is not None
    design = pairwise.Design(**of_design).resolved(~np.isnan(scores), with_baseline=with_baseline)
    pivot: int | None = None
    letters: tuple[str, ...] = ()
    if interval == "marginal":
        low, high = aggregates.t_interval(values, level=design.confidence)
    elif interval == "paired":
        pivot = _pivot(given, table, values, ranked, ranked=True)
        others, _, _, *ends = _test(values, given, pivot, design).against(pivot)
        # They leave out the mean of the pivot where the test finds a difference from it.
        low, high = np.full((2, len(values)), np.nan)
        low[others], high[others] = np.where(ranked[others], mean[pivot] + ends, np.nan)
    else:
        if not design.is_joint:
            raise InputError(f"--interval all-pairs by {design.short}, expected --correction range, hsd or tukey")
        _require_several(int(ranked.sum()))
        tests = _test(values, given, 0, design)
        half = np.where(ranked, np.nanmax(tests.high - tests.low) / 4, np.nan)
        low, high = mean - half, mean + half
        pvalues = tests.square(tests.adjusted, len(values))[np.ix_(ranked, ranked)]
        found = corrections.significance_groups(mean[ranked], pvalues, 1 - design.confidence)
        groups = iter(np.transpose(found).tolist())
        letters = tuple(corrections.group_letters(*next(groups)) if each else "" for each in ranked)
    n_topics = (~np.isnan(values)).sum(axis=1).tolist()
    names = score_figures.with_topic_counts(table.systems, n_topics)
    topics = listing.topic_numbers(list(compress(n_topics, ranked)), n_judged)
    shown = {"measure": table.measures[0], "scheme": chosen, "confidence": design.confidence, "interval": interval}
    shown |= {"pivot": pivot, "test": "" if interval == "marginal" else design.short}
    shown |= {"groups": letters, "ranked": ranked, "marked": given.marked(table.systems)}
    given.picture.draw(plots.means, names, mean, low, high, topics=topics, **shown)


@picture_of_scores(
    "forest",
    "-m map --baseline ref01 -o forest.png qrels.gz references/*.run.gz",
    one_scheme_option,
    runs_option,
    options.baseline_option,
    options.test_option,
    options.correction_option,
    options.interval_option("Confidence of the intervals after the correction.", default=0.95),
    options.randomness_options,
)
def forest(given: Given, **of_design: Any) -> None:
    """Differences from a baseline, with effect sizes."""
    chosen, table, n_judged = given.read_one()
    scores = table.values[:, :, 0]
    has, with_baseline = ~np.isnan(scores), given.baseline is not None
    design = pairwise.Design(**of_design).resolved(has, with_baseline=with_baseline)
    # other tests compare each pair on all topics that both runs have
    treated = "gray, below the others, and not tested" if design.is_joint else "gray, and below the others"
    kept, common = scoring.compared_runs(has, table.systems, treated, narrows=design.is_joint)
    compared = ranking.on_common_topics(scores, kept, common)
    pivot = _pivot(given, table, compared, kept, ranked=design.is_joint)
    tests = _test(compared if design.is_joint else scores, given, pivot, design)
    others, comparison, adjusted, low, high = tests.against(pivot)
    n_topics, ranked = comparison.n_a.tolist(), kept[others]
    effect_size = np.where(np.isfinite(comparison.effect_size), comparison.effect_size, np.nan)
    names = score_figures.with_topic_counts([table.systems[i] for i in others], n_topics)
    shown = {"baseline": table.systems[pivot], "measure": table.measures[0], "scheme": chosen, "ranked": ranked}
    shown |= {"intervals": f"{100 * design.confidence:g}% interval ({design.short})"}
    shown |= {"significant": noise.is_significant(adjusted, 1 - design.confidence)}
    shown |= {"topics": listing.topic_numbers(n_topics, n_judged)}
    marked = np.flatnonzero(np.isin(others, given.marked(table.systems))).tolist()
    given.picture.draw(plots.forest, names, comparison.difference, low, high, effect_size, marked=marked, **shown)


_other_option = option(
    "--run RUN other",
    "The run to compare with the baseline, if there are more than two runs.",
    shell_complete=completes("file"),
)


@picture_of_scores(
    "compare",
    "-m map --baseline new-b -o compare.pdf qrels.gz new-*.run.gz",
    one_scheme_option,
    options.baseline_option,
    _other_option,
    options.interval_option("Confidence of the t interval of the mean difference.", default=0.95),
)
def compare(given: Given, other: str | None, confidence: float) -> None:
    """Differences of two runs, topic by topic."""
    chosen, table, _ = given.read_one()
    first, second = _two_systems(given, table.systems, other)
    scores, design = table.values[:, :, 0], pairwise.Design(confidence=confidence)
    pair, _ = pairwise.compare_systems(scores, np.array([first]), np.array([second]), design)
    changes = pairwise.topic_differences(scores[first], scores[second])
    ends = float(pair.low[0]), float(pair.high[0])
    shown = {"measure": table.measures[0], "scheme": chosen, "confidence": confidence}
    shown |= {"systems": (table.systems[first], table.systems[second]), "pvalue": float(pair.pvalue[0])}
    given.picture.draw(plots.compare, table.topics, changes, ends, effect_size=float(pair.effect_size[0]), **shown)


def _two_systems(given: Given, systems: tuple[str, ...], other: str | None) -> tuple[int, int]:
    """Return the indices of the run and the baseline; of two runs, the second is the baseline by default."""
    if len(systems) < 2 or (len(systems) > 2 and not (other and given.baseline)):
        raise click.UsageError(f"{len(systems)} runs, expected two, or --run RUN and --baseline RUN among more")
    named = (other, given.baseline)
    first, second = (None if name is None else scoring.system_index(given.inputs, name, systems) for name in named)
    if first is None:
        first = 0 if second is None else 1 - second
    if second is None:
        second = 1 - first
    if first == second:
        raise click.UsageError(f"'{systems[first]}' is the run and the baseline, expected two runs")
    return first, second


@picture_of_scores(
    "scatter",
    "-m map -m P_10 -o scatter.png qrels.gz references/*.run.gz",
    one_scheme_option,
    options.baseline_option,
    _other_option,
)
def scatter(given: Given, other: str | None) -> None:
    """Means of systems by every two measures, or two runs by topic."""
    chosen, table, n_judged = given.read_one(several=True)
    by_topic = other is not None or given.baseline is not None
    least = 1 if by_topic else 2
    if not least <= len(table.measures) <= MOST_MEASURES:
        what = f"{counted(len(table.measures), 'measure')} ({listed(table.measures)})"
        pair = "" if by_topic else ", or --run RUN and --baseline RUN"
        expected = f"{least} to {MOST_MEASURES}, by -m or as --scores NAME=FILE each{pair}"
        raise click.UsageError(f"{what}, expected {expected}")
    if by_topic:
        first, second = _two_systems(given, table.systems, other)
        names, (a, b) = (table.systems[first], table.systems[second]), table.values[[first, second]]
        shown = {"measures": table.measures, "scheme": chosen, "systems": names}
        given.picture.draw(plots.topic_scatter, a, b, table.topics, **shown)
        return
    # a run without a mean by some measure is not drawn, and so is not part of tau
    has = ~np.isnan(table.values)
    has &= has.any(axis=1).all(axis=1)[:, np.newaxis, np.newaxis]
    kept, common = scoring.compared_runs(has, table.systems, "gray, and not part of tau")
    compared = ranking.on_common_topics(table.values, kept, common)
    by_measure = np.moveaxis(compared, 2, 0)
    means = np.stack([aggregates.overall_scores(scores, aggregates.arithmetic_mean) for scores in by_measure])
    of_runs = {"systems": table.systems, "ranked": kept}
    topics = listing.topic_numbers((~np.isnan(compared[kept])).sum(axis=1).ravel().tolist(), n_judged)
    given.picture.draw(plots.scatter, means, table.measures, scheme=chosen, topics=topics, **of_runs)
