"""Pictures of runs against each other: means, forest, compare and scatter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import click
import numpy as np

from stdeval.cli.inputs import judgments, takes_scores
from stdeval.cli.options import (
    InputOptions,
    StandardizationOptions,
    baseline_option,
    default_schemes,
    interval_option,
    randomness_options,
)
from stdeval.cli.pictures import (
    Picture,
    marked_indices,
    one_scheme_option,
    picture_of_scores,
    read_scores,
    runs_option,
)
from stdeval.cli.standardizing import require_scores
from stdeval.cli.tables import system_index, warn_of_set_aside
from stdeval.cli.types import Choice, GivenOnce, completes, option
from stdeval.display import counted, listed
from stdeval.errors import InputError
from stdeval.formats.listing import topics_told
from stdeval.measures.names import is_better_higher
from stdeval.plots import score_figures
from stdeval.plots import systems as figures
from stdeval.plots.score_figures import with_topic_counts
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
from stdeval.stats.significance import compare as compare_scores
from stdeval.stats.significance import pairs, topic_differences
from stdeval.table import Floats, ScoreTable


def _n_judged_topics(inputs: InputOptions, raw: ScoreTable) -> int:
    """Return the number of judged topics; 0 for named files that are of collections of different sizes."""
    if not takes_scores(inputs):
        return len(judgments(inputs))
    return max(raw.origin.n_judged, len(raw.topics))


def _topics_of_means(scores: Floats, facts: Coverage, n_topics: int) -> str:
    """Say in words over which topics the means of ranked runs are; empty if over all judged topics."""
    numbers = (~np.isnan(facts.comparable(scores))).sum(axis=1)
    if facts.ranked.any():
        numbers = numbers[facts.ranked]
    shown = topics_told(numbers.ravel().tolist(), n_topics)
    if not facts.is_reduced:
        return shown
    runs = "runs" if facts.ranked.all() else "complete runs"
    return f"{shown}, common to all {runs}" if shown else f"{counted(facts.n_common, 'topic')} that all {runs} have"


def _pivot(inputs: InputOptions, table: ScoreTable, facts: Coverage, baseline: str | None) -> int:
    """Return the index of the baseline, by default the best run; a run that is not ranked is never best."""
    if baseline is not None:
        return system_index(inputs, baseline, table.systems)
    mean = np.where(facts.ranked, arithmetic_mean(facts.comparable(table.values[:, :, 0])), np.nan)
    if np.isnan(mean).all():
        raise InputError("no run is complete, so none is the best: expected --baseline RUN")
    return int(np.nanargmax(mean if is_better_higher(table.measures[0]) else -mean))


def _require_ranked(facts: Coverage, baseline: int | None, systems: Sequence[str], option: str) -> None:
    """Refuse to compare fewer than two runs, or an incomplete baseline."""
    number = int(facts.ranked.sum())
    if number < 2:
        raise InputError(f"{counted(number, 'run')} to compare, expected at least two for {option}")
    if baseline is not None and not facts.ranked[baseline]:
        found = f"'{systems[baseline]}' is incomplete, without topics that most runs have"
        raise InputError(f"{found}: expected another --baseline")


def _require_finite(half: float, n_resamples: int, confidence: float) -> None:
    """Refuse Tukey intervals whose length is infinite, because there are too few resamples."""
    if np.isinf(half):
        least = ceil(round(confidence / (1 - confidence), 9))
        raise InputError(
            f"{n_resamples} resamples, expected at least {least} for {100 * confidence:g}% Tukey intervals"
        )


_interval_option = option(
    "--interval",
    "The intervals to draw: those of the single means; of the differences from --baseline, by default the best "
    "run, by paired t tests; or of the randomised Tukey HSD test of all pairs.",
    Choice(KINDS),
    default="marginal",
)


@picture_of_scores(
    "means",
    "-m map -o means.png qrels.gz references/*.run.gz",
    one_scheme_option,
    runs_option,
    _interval_option,
    baseline_option,
    interval_option(0.95, "Confidence of the intervals."),
    randomness_options,
)
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
    pivot: int | None = None
    letters: tuple[str, ...] = ()
    if interval == "marginal":
        low, high = t_interval(values, level=confidence)
    elif interval == "paired":
        pivot = _pivot(inputs, table, facts, baseline)
        _require_ranked(facts, pivot, table.systems, "--interval paired")
        low, high = (np.where(facts.ranked, end, np.nan) for end in paired_intervals(values, pivot, confidence))
    else:
        _require_ranked(facts, None, table.systems, "--interval tukey")
        ranked, (low, high) = facts.ranked, np.full((2, len(values)), np.nan)
        test = tukey_test(values[ranked], np.random.default_rng(seed), n_resamples)
        low[ranked], high[ranked] = tukey_intervals(values[ranked], test, confidence)
        _require_finite(low[ranked][0], n_resamples, confidence)
        found = iter(groups_of_intervals(arithmetic_mean(values[ranked]), low[ranked], high[ranked]))
        letters = tuple(next(found) if each else "" for each in ranked)
    n_topics = (~np.isnan(values)).sum(axis=1).tolist()
    number = counted(n_topics[0], "topic") if len(set(n_topics)) == 1 else ""
    topics = _topics_of_means(values, facts, _n_judged_topics(inputs, raw)) or number
    picture.draw(
        figures.means,
        with_topic_counts(table.systems, n_topics),
        arithmetic_mean(values),
        low,
        high,
        measure=table.measures[0],
        scheme=chosen,
        confidence=confidence,
        interval=interval,
        pivot=pivot,
        groups=letters,
        marked=marked_indices(inputs, runs, table.systems),
        ranked=facts.ranked,
        topics=topics,
    )


_CORRECTIONS_TOLD = {
    "none": "",
    "bonferroni": " (Bonferroni)",
    "holm": " (Holm)",
    "bh": " (Benjamini-Hochberg)",
    "tukey": " (Tukey)",
}
"""The corrections as the label of the intervals writes them, after the names of their authors."""


_correction_option = option(
    "--correction",
    "Adjust the intervals for their number; tukey: the randomised Tukey HSD of all pairs.",
    Choice(list(CORRECTIONS)),
    default="holm",
)


@picture_of_scores(
    "forest",
    "-m map --baseline ref01 -o forest.png qrels.gz references/*.run.gz",
    one_scheme_option,
    runs_option,
    baseline_option,
    _correction_option,
    interval_option(0.95, "Confidence of the intervals after the correction."),
    randomness_options,
)
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
    pivot = _pivot(inputs, table, facts, baseline)
    others, same = pairs(len(table.systems), pivot)
    if correction == "tukey":
        warn_of_set_aside(facts, table.systems, "gray, below the others, and not tested")
        _require_ranked(facts, pivot, table.systems, "--correction tukey")
        scores, ranked = facts.comparable(scores), facts.ranked
        test = tukey_test(scores[ranked], np.random.default_rng(seed), n_resamples)
        half = test.critical_difference(confidence)
        _require_finite(half, n_resamples, confidence)
        comparison = compare_scores(scores[others], scores[same])
        tested = np.where(ranked[others], comparison.difference, np.nan)
        low, high = tested - half, tested + half
    else:
        # each pair is compared on all topics that both runs have
        warn_of_set_aside(replace(facts, is_reduced=False), table.systems, "gray, and below the others")
        design = Design(correction=correction, confidence=confidence)
        comparison, _ = compare_systems(scores, others, same, design)
        level = 1 - single_alpha(comparison.pvalue, correction, 1 - confidence)
        low, high = t_interval(topic_differences(scores[others], scores[same]), level=level)
    n_topics = comparison.n_a.tolist()
    picture.draw(
        figures.forest,
        with_topic_counts([table.systems[i] for i in others], n_topics),
        comparison.difference,
        low,
        high,
        np.where(np.isfinite(comparison.effect_size), comparison.effect_size, np.nan),
        baseline=table.systems[pivot],
        measure=table.measures[0],
        scheme=chosen,
        intervals=f"{100 * confidence:g}% intervals" + _CORRECTIONS_TOLD[correction],
        topics=topics_told(n_topics, _n_judged_topics(inputs, raw)),
        marked=np.flatnonzero(np.isin(others, marked_indices(inputs, runs, table.systems))).tolist(),
        ranked=facts.ranked[others],
    )


MOST_MEASURES = 4
"""The greatest number of measures of a scatter plot; five would have ten panels."""


_other_option = option(
    "--run other",
    "The run to compare with the baseline, if there are more than two runs.",
    metavar="RUN",
    cls=GivenOnce,
    shell_complete=completes("file"),
)


@picture_of_scores(
    "compare",
    "-m map --baseline new-b -o compare.pdf qrels.gz new-*.run.gz",
    one_scheme_option,
    baseline_option,
    _other_option,
    interval_option(0.95, "Confidence of the t interval of the mean difference."),
)
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
    picture.draw(
        figures.compare,
        table.topics,
        topic_differences(scores[first], scores[second]),
        (float(pair.low[0]), float(pair.high[0])),
        measure=table.measures[0],
        scheme=chosen,
        systems=(table.systems[first], table.systems[second]),
        confidence=confidence,
        pvalue=float(pair.pvalue[0]),
        effect_size=float(pair.effect_size[0]),
    )


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


@picture_of_scores(
    "scatter",
    "-m map -m P_10 -o scatter.png qrels.gz references/*.run.gz",
    one_scheme_option,
    baseline_option,
    _other_option,
)
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
        picture.draw(
            figures.topic_scatter,
            table.values[first],
            table.values[second],
            table.topics,
            measures=table.measures,
            scheme=chosen,
            systems=(table.systems[first], table.systems[second]),
        )
        return
    # a run without a mean by some measure is not drawn, and so is not part of tau
    facts = coverage(table.values, among=np.all(takes_part(table.values), axis=1))
    warn_of_set_aside(facts, table.systems, "gray, and not part of tau")
    comparable = facts.comparable(table.values)
    picture.draw(
        score_figures.scatter,
        np.stack([overall_scores(comparable[:, :, i], arithmetic_mean) for i in range(len(table.measures))]),
        table.measures,
        scheme=chosen,
        ranked=facts.ranked,
        topics=_topics_of_means(table.values, facts, _n_judged_topics(inputs, raw)),
    )
