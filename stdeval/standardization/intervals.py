"""Intervals of mean standardized scores that allow for the choice of the reference systems, or of the topics too.

If the scores of the references are known, the references are resampled with replacement, the same systems for all
topics and measures. If only their means and standard deviations are known, the true ones of each topic are drawn
from their distribution given these.

See Davison & Hinkley, Bootstrap methods and their application, 1997, section 5.2 (basic interval); Hesterberg,
What teachers should know about the bootstrap, The American Statistician 69(4), 2015 (expanded probabilities); and
Gelman et al., Bayesian data analysis, 2nd edition, 2004, section 3.2 (normal data with unknown mean and variance).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from stdeval.measures.names import scheme_letter
from stdeval.noise import decimals, rounded
from stdeval.standardization.factors import Factors, align, fit_factors
from stdeval.standardization.schemes import apply_scheme, needs_reference_scores, standardize
from stdeval.stats.aggregates import arithmetic_mean, expanded_tails, moments, tails_of, times_drawn
from stdeval.table import Floats, ScoreTable

# computed together: always as many, so that a system has the same ones whatever stands beside it
RESAMPLES_PER_BLOCK = 512

Score = partial[Floats]  # `apply_scheme` with the letter and the parameters of a scheme
Resample = Callable[[int], Floats]  # of a topic's index: its scores in a block of resamples, (n_block, n_systems)
Block: TypeAlias = "Callable[[np.random.Generator, int], Resample]"  # draws some resamples of the references


def reference_intervals(
    table: ScoreTable,
    factors: Factors | None = None,
    scheme: str = "N",
    *,
    topics: bool = False,
    level: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
    **parameters: Any,
) -> tuple[Floats, Floats]:
    """Return both ends of the intervals of mean standardized scores, shape (n_systems, n_measures) each.

    The parameters are those of the scheme: A, B and censor.
    """
    used = fit_factors(table) if factors is None else factors
    is_raw = scheme == "raw"
    scored = table if is_raw else standardize(table, used, scheme, **parameters)
    n_topics = np.sum(~np.isnan(scored.values), axis=1)
    n_references = 0 if is_raw or used.reference is None else len(used.reference.systems)
    score = partial(apply_scheme, scheme_letter(scheme), places=used.decimals, **parameters)
    low, high = np.full((2, len(table.systems), len(table.measures)), np.nan)
    for k, measure in enumerate(table.measures):
        scores = table.values[:, :, k]
        block = None if is_raw else _blocks_of(scores, table.topics, used, measure, score)
        means = _resampled_means(scores, block, topics, n_resamples, seed)
        for s, n in enumerate(n_topics[:, k].tolist()):
            known = means[~np.isnan(means[:, s]), s]
            # tails are expanded for the smaller of the samples that are resampled
            sizes = [size for size in (n_references, n if topics else 0) if size]
            tails = expanded_tails(level, max(2, min(sizes))) if sizes else tails_of(level)
            if len(known):
                low[s, k], high[s, k] = np.quantile(known, tails)
    if n_references:
        mean = arithmetic_mean(scored.values, axis=1)
        low, high = 2 * mean - high, 2 * mean - low
    if topics:
        low, high = (np.where(n_topics < 2, np.nan, end) for end in (low, high))
    return low, high


def _blocks_of(scores: Floats, topics: tuple[str, ...], factors: Factors, measure: str, score: Score) -> Block:
    """Return a function that draws resamples of the references for one measure."""
    mean, sd, *reference = (array[..., 0] for array in factors.laid_out(topics, [measure]))
    if reference:
        block = _blocks_of_counts if needs_reference_scores(score.args[0]) else _blocks_of_moments
        return block(scores, reference[0], score)
    n = align(factors.n.astype(np.float64), factors, topics, [measure])[:, 0]

    def draw(rng: np.random.Generator, n_resamples: int) -> Resample:
        # the true mean and standard deviation of each topic, from their distribution given the factors
        df = np.maximum(n - 1, 1)
        deviation = sd * np.sqrt(df / rng.chisquare(df, (n_resamples, len(df))))
        center = mean + deviation * rng.standard_normal(deviation.shape) / np.sqrt(n)
        return lambda t: score(scores[:, t], center[:, t, None], deviation[:, t, None])

    return draw


def _resampled_means(scores: Floats, block: Block | None, topics: bool, n_resamples: int, seed: int) -> Floats:
    """Return the means of systems in each resample, shape (n_resamples, n_systems); raw scores have no block."""
    n_systems, n_topics = scores.shape
    rng = np.random.default_rng(seed)
    means = np.zeros((n_resamples, n_systems))
    for start in range(0, n_resamples, RESAMPLES_PER_BLOCK):
        rows = means[start : start + RESAMPLES_PER_BLOCK]
        times = times_drawn(n_topics, len(rows), rng) if topics else np.ones((len(rows), n_topics))
        resample, n = block and block(rng, len(rows)), np.zeros_like(rows)
        for t in range(n_topics):
            scored = resample(t) if resample else np.broadcast_to(scores[:, t], rows.shape)
            present = ~np.isnan(scored)
            n += present * times[:, t, None]
            rows += np.where(present, scored, 0.0) * times[:, t, None]
        with np.errstate(invalid="ignore"):
            rows /= n
    return means


def _blocks_of_moments(scores: Floats, reference: Floats, score: Score) -> Block:
    """Return a function that resamples the references for a scheme of their means and standard deviations."""
    middle = moments(reference)[0]
    present = ~np.isnan(reference)
    deviations = np.where(present, reference - middle, 0.0)
    unit = 10.0 ** -decimals(reference, axis=0)
    parts = np.concatenate((present, deviations, deviations**2), axis=1, dtype=np.float64)

    def draw(rng: np.random.Generator, n_resamples: int) -> Resample:
        counts = times_drawn(len(present), n_resamples, rng)
        n, total, squares = np.split(counts @ parts, 3, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(n > 0, total / n, np.nan)
            variance = (squares - total * mean) / np.where(n > 1, n - 1, np.nan)
            # where subtracting the mean loses more than six digits
            is_cancelled = variance * n < 1e-6 * squares
        # There differences from the mean of the resample are added.
        for t in np.flatnonzero(is_cancelled.any(axis=0)):
            rows = is_cancelled[:, t]
            times = counts[rows] * present[:, t]
            apart = deviations[:, t] - mean[rows, t, None]
            variance[rows, t] = (times * apart**2).sum(axis=1) / (times.sum(axis=1) - 1)
        # A single score that differs by one unit makes this sum of squares one square unit.
        sd = np.sqrt(np.where(n * variance < (0.5 * unit) ** 2, 0.0, variance))
        return lambda t: score(scores[:, t], mean[:, t, None] + middle[t], sd[:, t, None])

    return draw


def _blocks_of_counts(scores: Floats, reference: Floats, score: Score) -> Block:
    """Return a function that resamples the references for a scheme of the reference scores themselves."""
    # Rounded here to the decimals of all references, because a single one may have others.
    places = decimals(reference, axis=0)
    scores, reference = rounded(scores, places), rounded(reference, places)
    missing = np.isnan(reference)
    unknown = np.full(scores.shape[1], np.nan)
    kernel = np.stack([score(scores, unknown, unknown, row[None]) for row in reference])
    kernel = np.ascontiguousarray(np.moveaxis(np.where(missing[:, None, :], 0.0, kernel), 2, 0))

    def draw(rng: np.random.Generator, n_resamples: int) -> Resample:
        counts = times_drawn(len(missing), n_resamples, rng)
        n = counts @ (~missing).astype(np.float64)
        n[n == 0] = np.nan
        return lambda t: counts @ kernel[t] / n[:, t, None]

    return draw
