"""t tests of many systems on many samples of the topics at once, and the discriminative power that they give.

Sakai, SIGIR 2006; Tables 1 and 3 of Webber, Moffat, Zobel, EVIA 2010.

Samples are rows of 0 and 1. Significance is decided by the critical values of the levels, which is faster than
computing p-values. All tests are two-tailed. If the variance is zero, t is infinite and significant at every level;
if the difference is zero as well, t is NaN and significant at none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import scipy

from stdeval.meta.trials import check_number, check_scores
from stdeval.noise import decimals, is_significant, rounded, significance_limit, without_noise
from stdeval.stats.correlation import Correlations, rank_correlations
from stdeval.table import Floats, Ints

_PAIRS = 256  # system pairs computed together; few enough for the processor's cache

ALPHAS = (*(round(unit * step, 3) for unit in (0.001, 0.01) for step in range(1, 10)), 0.1)
"""The nineteen significance levels of Urbano 2019: .001 to .009, .01 to .09 and .1."""


def pvalues(tsquared: Floats, df: Floats | int) -> Floats:
    """Return two-tailed p-values of t tests from t squared; 1 where it is NaN, 0 where it is infinite."""
    # stdtr gets numbers that it can handle; both replacements of t squared are correct for the final result.
    finite = np.isfinite(tsquared)
    tails = 2 * scipy.special.stdtr(np.where(finite, df, 1.0), -np.sqrt(np.where(finite, tsquared, 0.0)))
    return np.where(np.isposinf(tsquared), 0.0, tails)


def _paired_ratios(scores: Floats, samples: Floats) -> Iterator[Floats]:
    """Yield (sum d)^2 / sum d^2 of the differences d of every two systems, a few hundred pairs at a time."""
    first, second = np.triu_indices(len(scores), 1)
    places = decimals(scores, axis=1)
    for start in range(0, len(first), _PAIRS):
        a, b = first[start : start + _PAIRS], second[start : start + _PAIRS]
        differences = without_noise(scores[a] - scores[b], np.minimum(places[a], places[b])[:, None])
        ratios = (samples @ differences.T) ** 2
        with np.errstate(invalid="ignore"):
            ratios /= samples @ (differences**2).T
        yield ratios


def paired_pvalues(scores: Floats) -> Floats:
    """Return two-tailed p-values of the paired t test between every two systems."""
    n = scores.shape[1]
    ratios = np.concatenate([slab[0] for slab in _paired_ratios(scores, np.ones((1, n)))])
    # The ratio is n if all differences are equal: t is infinite there, although rounding may leave another ratio.
    below = without_noise(n - ratios, decimals(n))
    with np.errstate(divide="ignore"):
        return pvalues((n - 1) * ratios / below, n - 1)


def count_paired(scores: Floats, samples: Floats, alphas: Sequence[float]) -> Ints:
    """Return the number of significant paired tests, p <= alpha, over all samples and all pairs of systems."""
    n = samples[0].sum()
    tsquared = scipy.special.stdtrit(n - 1, 1 - significance_limit(alphas) / 2) ** 2
    counts = np.zeros(len(tsquared), dtype=np.int64)
    # The critical values of the ratios, which increase in t squared, spare computing t.
    critical_ratios = n * tsquared / (n - 1 + tsquared)
    for ratios in _paired_ratios(scores, samples):
        counts += [np.count_nonzero(ratios > critical) for critical in critical_ratios]
    return counts


class Means(NamedTuple):
    """Means of systems over samples of topics, their squared standard errors, and the size of the samples."""

    mean: Floats
    error: Floats
    n: int


def sample_means(scores: Floats, samples: Floats) -> Means:
    """Return the mean score of every system on every sample of topics, and its squared standard error."""
    n = int(samples[0].sum())
    places = decimals(scores, axis=(-2, -1))[..., None, None]
    # Sums of squares lose digits if the mean is far from 0, so scores are taken relative to the first topic's.
    base = scores[..., :1]
    centred = np.swapaxes(scores - base, -1, -2)
    sums = samples @ centred
    error = np.maximum(n * (samples @ centred**2) - sums**2, 0.0) / (n * n * (n - 1.0))
    return Means(rounded(sums / n + np.swapaxes(base, -1, -2), places), error, n)


def welch_t(difference: Floats, error_a: Floats, error_b: Floats, n_a: int, n_b: int) -> tuple[Floats, Floats]:
    """Return the square and the degrees of freedom of Welch's t of two independent means."""
    error = error_a + error_b
    with np.errstate(invalid="ignore", divide="ignore"):
        return difference**2 / error, error**2 / (error_a**2 / (n_a - 1) + error_b**2 / (n_b - 1))


def _normalized(tsquared: Floats, df: Floats) -> Floats:
    """Return t squared transformed to nearly the square of a standard normal deviate; it increases in t squared."""
    return np.asarray(df * np.log1p(tsquared / df) * ((8 * df + 1) / (8 * df + 3)) ** 2)


class WelchLevels(NamedTuple):
    """Bounds that decide nearly every Welch test without its p-value, although degrees of freedom differ."""

    limits: Floats
    low: Floats
    high: Floats
    least: float
    greatest: float


def welch_levels(alphas: Sequence[float], n_a: int, n_b: int) -> WelchLevels:
    """Return the bounds for samples of these sizes."""
    limits = significance_limit(alphas)
    df = np.geomspace(min(n_a, n_b) - 1, n_a + n_b - 2, 65)[:, None]
    tsquared = scipy.special.stdtrit(df, 1 - limits / 2) ** 2
    normalized = _normalized(tsquared, df)
    # The margins cover the degrees of freedom between those of the table.
    below, above = 1 - 1e-5, 1 + 1e-5
    low, high = normalized.min(axis=0) * below, normalized.max(axis=0) * above
    return WelchLevels(limits, low, high, float(tsquared.min()) * below, float(tsquared.max()) * above)


def count_welch(tsquared: Floats, df: Floats, levels: WelchLevels) -> Ints:
    """Return the number of Welch tests with p <= alpha at each alpha, shape (n_alphas,)."""
    # Three steps, from cheap to exact: bounds on t squared, bounds on its normalized value, and p-values for the
    # few tests between them.
    n_at_all_levels = np.count_nonzero(tsquared >= levels.greatest)
    undecided = np.flatnonzero((tsquared >= levels.least) & (tsquared < levels.greatest))
    tsquared, df = tsquared.ravel()[undecided], df.ravel()[undecided]
    normalized = _normalized(tsquared, df)
    counts = []
    for limit, low, high in zip(levels.limits, levels.low, levels.high, strict=True):
        n_significant = np.count_nonzero(normalized >= high)
        if np.count_nonzero(normalized >= low) > n_significant:
            close = (normalized >= low) & (normalized < high)
            n_significant += np.count_nonzero(pvalues(tsquared[close], df[close]) < limit)
        counts.append(n_at_all_levels + n_significant)
    return np.array(counts, dtype=np.int64)


class Power(NamedTuple):
    """Shares in [0, 1] of the ``n_pairs`` system pairs that differ significantly, one per significance level."""

    shares: Floats
    n_pairs: int


def pair_pvalues(scores: Floats, *, unpaired: bool = False, welch: bool = False) -> Floats:
    """Return the two-tailed p-value of the t test between every two systems."""
    check_scores(scores)
    if not unpaired:
        return paired_pvalues(scores)
    mean, error, n = sample_means(scores, np.ones((1, scores.shape[1])))
    first, second = np.triu_indices(len(scores), 1)
    difference = mean[0, first] - mean[0, second]
    tsquared, df = welch_t(difference, error[0, first], error[0, second], n, n)
    # Samples of one size have the same t with pooled variances; only its degrees of freedom differ.
    return pvalues(tsquared, df if welch else 2 * n - 2)


def discriminative_power(
    scores: Floats, alphas: Sequence[float] = (0.05,), *, unpaired: bool = False, welch: bool = False
) -> Power:
    """Return the share of system pairs that differ significantly, with p <= alpha in the two-tailed t test.

    Topics are paired unless ``unpaired`` (Student's test); with ``welch`` too, the variances may differ.
    """
    check_number("alpha", 0, 1, *alphas)
    pairs = pair_pvalues(scores, unpaired=unpaired, welch=welch)
    return Power(np.mean(is_significant(pairs, np.asarray(alphas)[:, None]), axis=1), len(pairs))


def pvalue_correlations(scores: Floats, *, unpaired: bool = False, welch: bool = False) -> Correlations:
    """Return the correlations of every two orderings of system pairs by p-value, the smallest first.

    Scores of the same systems have the shape (n_tables, n_systems, n_topics); tests are those of
    `stdeval.meta.discriminative_power`.
    """
    pvalues = np.stack([pair_pvalues(table, unpaired=unpaired, welch=welch) for table in scores])
    # Negated, because higher values rank first. Each is rounded to twelve digits of its own, because small p-values
    # differ although they are all near 0.
    return rank_correlations(-rounded(pvalues, decimals(pvalues, axis=())))
