"""Intervals of mean standardized scores that allow for the choice of the reference systems, or of the topics too.

Standardized scores depend on a sample of systems, and another sample would have given others. If the scores of the
references are known, the references are resampled with replacement, the same systems for all topics and measures.
If only their means and standard deviations are known, the true ones of each topic are drawn from their distribution
given these.

References
----------
A. C. Davison, D. V. Hinkley. Bootstrap methods and their application. Cambridge University Press 1997, section 5.2.
(basic interval)

T. C. Hesterberg. What teachers should know about the bootstrap: resampling in the undergraduate statistics
curriculum. The American Statistician 69(4), 2015. (expanded probabilities)

A. Gelman, J. Carlin, H. Stern, D. Rubin. Bayesian data analysis. 2nd edition, Chapman & Hall 2004, section 3.2.
(normal data with unknown mean and variance)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from stdeval.errors import InputError
from stdeval.noise import decimals, rounded
from stdeval.standardization.factors import Factors, align, fit_factors
from stdeval.standardization.schemes import SCHEMES, apply_scheme, scheme_letter, standardize
from stdeval.stats.aggregates import arithmetic_mean, moments
from stdeval.stats.intervals import expanded_tails, tails_of
from stdeval.table import Bools, Floats, ScoreTable

RESAMPLES_PER_BLOCK = 512
"""Number of resamples computed together, which limits the memory.

It is the same whatever the table is, so that a system has the same resamples whichever systems stand beside it.
"""

_CANCELLED = 1e-6
"""If a variance is at least this share of the mean square, subtracting the mean loses at most six digits."""

Score = partial[Floats]
"""`apply_scheme` with the letter and the parameters of a scheme."""

Resample = Callable[[int], Floats]
"""A function of a topic's index that returns its scores in a block of resamples, (n_block, n_systems)."""


@dataclass(frozen=True, eq=False)
class ReferenceIntervals:
    """Intervals of the mean standardized scores of systems."""

    low: Floats
    high: Floats


def reference_intervals(
    table: ScoreTable,
    factors: Factors | None = None,
    scheme: str = "N",
    *,
    topics: bool = False,
    level: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
    A: float = 0.15,
    B: float = 0.5,
    censor: bool = True,
) -> ReferenceIntervals:
    """Return intervals of mean standardized scores over resamples of the references."""
    used = fit_factors(table) if factors is None else factors
    scored = table if scheme == "raw" else standardize(table, used, scheme, A=A, B=B, censor=censor)
    n_topics = np.sum(~np.isnan(scored.values), axis=1)
    n_references = 0 if scheme == "raw" or used.reference is None else len(used.reference.systems)
    apply = partial(apply_scheme, scheme_letter(scheme), A=A, B=B, censor=censor)
    low, high = np.full((2, len(table.systems), len(table.measures)), np.nan)
    for k, measure in enumerate(table.measures):
        block = _constant(table.values[:, :, k]) if scheme == "raw" else _blocks_of(table, used, measure, apply)
        means = _resampled_means(table.values[:, :, k], block, topics, n_resamples, seed)
        tails = [_tails(level, n_references, int(n) if topics else 0) for n in n_topics[:, k]]
        low[:, k], high[:, k] = _quantiles(means, tails)
    if n_references:
        mean = arithmetic_mean(scored.values, axis=1)
        low, high = 2 * mean - high, 2 * mean - low
    if topics:
        low, high = (np.where(n_topics < 2, np.nan, end) for end in (low, high))
    return ReferenceIntervals(low, high)


def _tails(level: float, *sizes: int) -> list[float]:
    """Return tails expanded for the smaller of the samples that are resampled; a size of 0 is none."""
    resampled = [size for size in sizes if size]
    return expanded_tails(level, max(2, min(resampled))) if resampled else tails_of(level)


Block = Callable[[np.random.Generator, int], Resample]
"""A function that draws some resamples of the references."""


def _constant(scores: Floats) -> Block:
    """Return a function for raw scores, which do not depend on references."""
    return lambda rng, n_resamples: lambda t: np.broadcast_to(scores[:, t], (n_resamples, len(scores)))


def _blocks_of(table: ScoreTable, factors: Factors, measure: str, apply: Score) -> Block:
    """Return a function that draws resamples of the references for one measure."""
    scores = table.measure(measure)
    score = partial(apply, places=factors.decimals)
    laid_out = partial(align, factors=factors, topics=table.topics, measures=[measure])
    if factors.reference is not None:
        reference = laid_out(factors.reference.values)[:, :, 0]
        kind = _MomentsBootstrap if SCHEMES[score.args[0]].moments_function else _KernelBootstrap
        return kind(scores, reference, score).draw
    mean, sd, n = (
        laid_out(array)[:, 0] for array in (factors.mean, factors.known_sd, factors.n.astype(np.float64))
    )
    if (n[~np.isnan(mean)] < 1).any():
        raise InputError("the number of reference runs is unknown, expected factors that give it (n)")
    return partial(_draw_moments, scores, mean, sd, n, score)


def _resampled_means(scores: Floats, block: Block, topics: bool, n_resamples: int, seed: int) -> Floats:
    """Return the means of systems in each resample, shape (n_resamples, n_systems)."""
    n_systems, n_topics = scores.shape
    rng = np.random.default_rng(seed)
    means = np.empty((n_resamples, n_systems))
    for start in range(0, n_resamples, RESAMPLES_PER_BLOCK):
        rows = means[start : start + RESAMPLES_PER_BLOCK]
        times = draw_counts(rng, n_topics, len(rows)) if topics else np.ones((len(rows), n_topics))
        _mean_over_topics(block(rng, len(rows)), times, rows)
    return means


def _mean_over_topics(resample: Resample, times: Floats, means: Floats) -> None:
    """Fill in the means over topics, each topic as many times as it was drawn, shape (n_block, n_systems)."""
    means[:] = 0.0
    n = np.zeros_like(means)
    for t in range(times.shape[1]):
        scored = resample(t)
        present = ~np.isnan(scored)
        n += present * times[:, t, None]
        means += np.where(present, scored, 0.0) * times[:, t, None]
    with np.errstate(invalid="ignore"):
        means /= n


def _quantiles(means: Floats, tails: list[list[float]]) -> Floats:
    """Return the quantiles at each system's tails of the resamples that have a mean, shape (2, n_systems)."""
    ends = np.full((2, means.shape[1]), np.nan)
    for s, column in enumerate(means.T):
        known = column[~np.isnan(column)]
        if len(known):
            ends[:, s] = np.quantile(known, tails[s])
    return ends


def draw_counts(rng: np.random.Generator, n: int, n_resamples: int) -> Floats:
    """Return how often each of n items is drawn in resamples of n with replacement, shape (n_resamples, n)."""
    drawn = rng.integers(0, n, (n_resamples, n)) + n * np.arange(n_resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=n_resamples * n).reshape(n_resamples, n).astype(np.float64)


class _MomentsBootstrap:
    """Resamples of the references for a scheme that needs their means and standard deviations."""

    def __init__(self, scores: Floats, reference: Floats, score: Score) -> None:
        self.scores, self.score = scores, score
        self.center = moments(reference)[0]
        self.present = ~np.isnan(reference)
        self.deviations = np.where(self.present, reference - self.center, 0.0)
        self.levels, ranks = _levels(reference)
        parts = (self.present, self.deviations, self.deviations**2, ranks, ranks**2)
        self.parts = np.concatenate(parts, axis=1, dtype=np.float64)

    def draw(self, rng: np.random.Generator, n_resamples: int) -> Resample:
        """Draw resamples of the references."""
        counts = draw_counts(rng, len(self.present), n_resamples)
        n, total, squares, ranks, rank_squares = np.split(counts @ self.parts, 5, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(n > 0, total / n, np.nan)
            variance = (squares - total * mean) / np.where(n > 1, n - 1, np.nan)
            common = np.rint(ranks / np.maximum(n, 1)).astype(np.int64)
        equal = (n * rank_squares == ranks**2) & (n > 1)
        self._recompute(variance, counts, mean, variance * n < _CANCELLED * squares)
        sd = np.sqrt(np.where(equal, 0.0, variance))
        mean = np.where(equal, np.take_along_axis(self.levels, common, axis=0), mean + self.center)
        return lambda t: _scores_by_moments(self.score, self.scores[:, t], mean[:, t], sd[:, t])

    def _recompute(self, variance: Floats, counts: Floats, mean: Floats, where: Bools) -> None:
        """Fill in variances by the differences from their own means, where subtraction has cancelled digits."""
        for t in np.flatnonzero(where.any(axis=0)):
            rows = where[:, t]
            deviations = self.deviations[:, t] - mean[rows, t, None]
            times = counts[rows] * self.present[:, t]
            variance[rows, t] = (times * deviations**2).sum(axis=1) / (times.sum(axis=1) - 1)


def _levels(reference: Floats) -> tuple[Floats, Floats]:
    """Return the different scores of each topic, equal but for noise, and the rank of each score among them."""
    levels, ranks = np.full_like(reference, np.nan), np.zeros_like(reference)
    comparable = rounded(reference, decimals(reference, axis=0))
    for t in range(reference.shape[1]):
        present = ~np.isnan(reference[:, t])
        _, first, places = np.unique(comparable[present, t], return_index=True, return_inverse=True)
        levels[: len(first), t] = reference[present, t][first]
        ranks[present, t] = places
    return levels, ranks


class _KernelBootstrap:
    """Resamples of the references for a scheme that needs the reference scores themselves."""

    def __init__(self, scores: Floats, reference: Floats, score: Score) -> None:
        # Rounded here to the decimals of all references, because a single one may have others.
        places = decimals(reference, axis=0)
        scores, reference = rounded(scores, places), rounded(reference, places)
        self.present = (~np.isnan(reference)).astype(np.float64)
        unknown = np.full(scores.shape[1], np.nan)
        kernel = np.stack([score(scores, unknown, unknown, row[None]) for row in reference])
        missing = np.isnan(reference)[:, None, :]
        self.kernel = np.ascontiguousarray(np.moveaxis(np.where(missing, 0.0, kernel), 2, 0))

    def draw(self, rng: np.random.Generator, n_resamples: int) -> Resample:
        """Draw resamples of the references."""
        counts = draw_counts(rng, len(self.present), n_resamples)
        n = counts @ self.present
        n[n == 0] = np.nan
        return lambda t: counts @ self.kernel[t] / n[:, t, None]


def _draw_moments(
    scores: Floats, mean: Floats, sd: Floats, n: Floats, score: Score, rng: np.random.Generator, n_resamples: int
) -> Resample:
    """Draw the true mean and standard deviation of each topic from their distribution given the factors."""
    df = np.maximum(n - 1, 1)
    deviation = sd * np.sqrt(df / rng.chisquare(df, (n_resamples, len(df))))
    center = mean + deviation * rng.standard_normal(deviation.shape) / np.sqrt(n)
    return lambda t: _scores_by_moments(score, scores[:, t], center[:, t], deviation[:, t])


def _scores_by_moments(score: Score, scores: Floats, mean: Floats, sd: Floats) -> Floats:
    """Return the scores of one topic by the moments of each resample, shape (n_resamples, n_systems)."""
    equal = sd == 0
    scored = score(scores, mean[:, None], np.where(equal, np.nan, sd)[:, None])
    # The few scores at a limit are computed apart, because their function takes much longer.
    if equal.any():
        scored[equal] = score(scores, mean[equal, None], np.zeros((int(equal.sum()), 1)))
    return scored
