"""Pictures of runs or measures against each other: compare and scatter."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import click
import numpy as np

from stdeval.cli.completion import complete_file
from stdeval.cli.inputs import system_index, warn_of_set_aside
from stdeval.cli.options import (
    Choice,
    GivenOnce,
    GroupedCommand,
    InputOptions,
    StandardizationOptions,
    baseline_option,
    default_schemes,
    factor_options,
    input_options,
    interval_option,
    randomness_options,
)
from stdeval.cli.pictures import (
    Picture,
    best_of,
    marked_indices,
    n_judged_topics,
    one_scheme_option,
    picture_options,
    read_scores,
    require_finite,
    require_ranked,
    require_two,
    runs_option,
    topics_of_means,
)
from stdeval.cli.standardizing import require_scores
from stdeval.display import counted, listed
from stdeval.errors import InputError
from stdeval.formats.listing import topics_told
from stdeval.plots import score_figures as scatter_figures
from stdeval.plots import systems as forest_figures
from stdeval.plots import systems as mean_figures
from stdeval.plots import systems as pair_figures
from stdeval.plots.systems import with_topic_counts
from stdeval.stats.aggregates import arithmetic_mean, overall_scores
from stdeval.stats.corrections import CORRECTIONS, single_alpha, tukey_test
from stdeval.stats.intervals import t_interval
from stdeval.stats.pairwise import (
    KINDS,
    Design,
    compare_systems,
    groups_of_intervals,
    paired_intervals,
    tukey_intervals,
)
from stdeval.stats.ranking import Coverage, coverage, takes_part
from stdeval.stats.significance import Comparison, pairs, topic_differences
from stdeval.stats.significance import compare as compare_scores
from stdeval.table import Bools, Floats, Ints, ScoreTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure



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
    """Systems by mean, with confidence intervals."""
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
    """Differences from a baseline, with effect sizes."""
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
    comparison = compare_scores(scores[others], scores[same])
    tested = np.where(ranked[others], comparison.difference, np.nan)
    return _Compared(others, comparison, tested - half, tested + half)

MOST_MEASURES = 4
"""The greatest number of measures of a scatter plot; five would have ten panels."""


_other_option = click.option(
    "--run",
    "other",
    cls=GivenOnce,
    metavar="RUN",
    shell_complete=complete_file,
    help="The run to compare with the baseline, if there are more than two runs.",
)


@click.command(
    "compare",
    cls=GroupedCommand,
    epilog="Example: stdeval plot compare -m map --baseline new-b -o compare.pdf qrels.gz new-*.run.gz",
)
@input_options
@factor_options
@one_scheme_option
@baseline_option
@_other_option
@interval_option(0.95, "Confidence of the t interval of the mean difference.")
@picture_options
def compare(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    scheme: str | None,
    baseline: str | None,
    other: str | None,
    confidence: float,
    picture: Picture,
) -> None:
    """Differences of two runs, topic by topic."""
    (chosen,) = default_schemes((scheme,) if scheme else (), standardization)
    table = read_scores(inputs, standardization, (chosen,)).tables[chosen]
    first, second = _two_systems(inputs, table.systems, other, baseline)
    scores, design = table.values[:, :, 0], Design(confidence=confidence)
    pair, _ = compare_systems(scores, np.array([first]), np.array([second]), design)
    figure = pair_figures.compare(
        table.topics,
        topic_differences(scores[first], scores[second]),
        (float(pair.low[0]), float(pair.high[0])),
        measure=table.measures[0],
        scheme=chosen,
        systems=(table.systems[first], table.systems[second]),
        confidence=confidence,
        pvalue=float(pair.pvalue[0]),
        effect_size=float(pair.effect_size[0]),
        size=picture.size,
        title=picture.title,
    )
    picture.save(figure)


def _two_systems(
    inputs: InputOptions, systems: tuple[str, ...], other: str | None, baseline: str | None
) -> tuple[int, int]:
    """Return the indices of the run and the baseline; of two runs, the second is the baseline by default."""
    if len(systems) < 2 or (len(systems) > 2 and not (other and baseline)):
        raise click.UsageError(f"{len(systems)} runs, expected two, or --run RUN and --baseline RUN among more")
    named = [None if name is None else system_index(inputs, name, systems) for name in (other, baseline)]
    first = named[0] if named[0] is not None else 1 - named[1] if named[1] is not None else 0
    second = named[1] if named[1] is not None else 1 - first
    if first == second:
        raise click.UsageError(f"'{systems[first]}' is the run and the baseline, expected two runs")
    return first, second


@click.command(
    "scatter",
    cls=GroupedCommand,
    epilog="Example: stdeval plot scatter -m map -m P_10 -o scatter.png qrels.gz references/*.run.gz",
)
@input_options
@factor_options
@one_scheme_option
@baseline_option
@_other_option
@picture_options
def scatter(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    scheme: str | None,
    baseline: str | None,
    other: str | None,
    picture: Picture,
) -> None:
    """Means of systems by every two measures, or two runs by topic."""
    (chosen,) = default_schemes((scheme,) if scheme else (), standardization)
    raw, tables, _ = read_scores(inputs, standardization, (chosen,), several=True)
    table = tables[chosen]
    by_topic = other is not None or baseline is not None
    least = 1 if by_topic else 2
    if not least <= len(table.measures) <= MOST_MEASURES:
        what = f"{counted(len(table.measures), 'measure')} ({listed(table.measures)})"
        pair = "" if by_topic else ", or --run RUN and --baseline RUN"
        raise click.UsageError(
            f"{what}, expected {least} to {MOST_MEASURES}, by -m or as --scores NAME=FILE each{pair}"
        )
    if by_topic:
        first, second = _two_systems(inputs, table.systems, other, baseline)
        figure = pair_figures.topic_scatter(
            table.values[first],
            table.values[second],
            table.topics,
            measures=table.measures,
            scheme=chosen,
            systems=(table.systems[first], table.systems[second]),
            size=picture.size,
            title=picture.title,
        )
    else:
        figure = _scatter_of_means(table, chosen, n_judged_topics(inputs, raw), picture)
    picture.save(figure)


def _scatter_of_means(table: ScoreTable, scheme: str, n_topics: int, picture: Picture) -> Figure:
    # A run without a mean by some measure is not drawn, and so is not part of tau.
    facts = coverage(table.values, among=np.all(takes_part(table.values), axis=1))
    warn_of_set_aside(facts, table.systems, "gray, and not part of tau")
    comparable = facts.comparable(table.values)
    means = [overall_scores(comparable[:, :, i], arithmetic_mean) for i in range(len(table.measures))]
    return scatter_figures.scatter(
        np.stack(means),
        table.measures,
        scheme=scheme,
        ranked=facts.ranked,
        topics=topics_of_means(table.values, facts, n_topics),
        size=picture.size,
        title=picture.title,
    )
