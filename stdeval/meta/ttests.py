"""t tests of many systems on many samples of the topics at once.

Sums over the topics of every sample are matrix products of the samples, as rows of 0 and 1, with the
scores; significance is decided against the critical values of the levels rather than by p-values.
p-values are two-tailed throughout. Where the variance is zero, t is infinite, or NaN if the
difference is zero as well: the first is significant at every level, the second at none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stdeval.errors import InputError
from stdeval.table import Floats, Ints

_PAIRS = 2048
"""System pairs computed together, so that memory stays small however many systems there are."""


def check_alphas(alphas: Sequence[float]) -> None:
    """Refuse levels of significance outside (0, 1), in an `InputError`."""
    for alpha in alphas:
        if not 0 < alpha < 1:
            raise InputError(f"alpha {alpha}, expected a level between 0 and 1")


def pvalues(tsquared: Floats, df: Floats | int) -> Floats:
    """Two-tailed p-values of t tests; 1 where t is NaN, 0 where it is infinite."""
    from scipy.special import stdtr

    finite = np.isfinite(tsquared)
    tails = 2 * stdtr(np.where(finite, df, 1.0), -np.sqrt(np.where(finite, tsquared, 0.0)))
    return np.where(np.isposinf(tsquared), 0.0, tails)


def paired_tsquared(scores: Floats, samples: Floats) -> Iterator[Floats]:
    """Squares of the paired t statistic of every two systems, some thousand pairs at a time.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
    samples : ndarray, shape (n_samples, n_topics)
        1 for the topics of the sample and 0 for others; all samples of one size.

    Yields
    ------
    ndarray, shape (n_samples, up to 2048)
        The pairs in the order of ``numpy.triu_indices(n_systems, 1)``.
    """
    n = samples[0].sum()
    first, second = np.triu_indices(len(scores), 1)
    for start in range(0, len(first), _PAIRS):
        pairs = slice(start, start + _PAIRS)
        differences = (scores[first[pairs]] - scores[second[pairs]]).T
        squares_of_sums = (samples @ differences) ** 2
        deviations = np.maximum(n * (samples @ differences**2) - squares_of_sums, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            yield (n - 1) * squares_of_sums / deviations


def count_paired(scores: Floats, samples: Floats, alphas: Sequence[float]) -> Ints:
    """Number of significant paired tests, over all samples and pairs of systems, at each alpha.

    Parameters are those of `paired_tsquared`; what is returned has shape (n_alphas,).
    """
    from scipy.special import stdtrit

    critical = stdtrit(samples[0].sum() - 1, 1 - np.asarray(alphas) / 2) ** 2
    counts = np.zeros(len(critical), dtype=np.int64)
    for tsquared in paired_tsquared(scores, samples):
        counts += [np.count_nonzero(tsquared >= value) for value in critical]
    return counts


@dataclass(frozen=True, eq=False)
class Means:
    """Means of systems over samples of topics, their squared standard errors, and the topics in a sample."""

    mean: Floats
    error: Floats
    n: int


def sample_means(scores: Floats, samples: Floats) -> Means:
    """Mean score of every system on every sample of topics, and its squared standard error.

    Means are rounded in the thirteenth digit of the largest score, so that equal scores added in
    another order remain a tie.

    Parameters
    ----------
    scores : ndarray, shape (..., n_systems, n_topics)
    samples : ndarray, shape (n_samples, n_topics)
        1 for the topics of the sample and 0 for others; all samples of one size.

    Returns
    -------
    Means
        Arrays of shape (..., n_samples, n_systems).
    """
    n = int(samples[0].sum())
    base = scores[..., :1]
    centred = np.swapaxes(scores - base, -1, -2)
    sums = samples @ centred
    error = np.maximum(n * (samples @ centred**2) - sums**2, 0.0) / (n * n * (n - 1.0))
    return Means(_rounded(sums / n + np.swapaxes(base, -1, -2), scores), error, n)


def _rounded(means: Floats, scores: Floats) -> Floats:
    largest = float(np.abs(scores).max())
    magnitude = int(np.ceil(np.log10(largest))) if largest > 0 else 0
    return np.round(means, 13 - magnitude)


def welch(difference: Floats, error_a: Floats, error_b: Floats, n_a: int, n_b: int) -> tuple[Floats, Floats]:
    """Square and degrees of freedom of Welch's t of two independent means.

    Parameters
    ----------
    difference, error_a, error_b : ndarray
        Difference of the means and their squared standard errors; broadcast.
    n_a, n_b : int
        Topics of either sample.

    Returns
    -------
    tsquared, df : ndarray
        ``df`` lies between min(n_a, n_b) - 1 and n_a + n_b - 2; NaN where both errors are 0.
    """
    error = error_a + error_b
    with np.errstate(invalid="ignore", divide="ignore"):
        return difference**2 / error, error**2 / (error_a**2 / (n_a - 1) + error_b**2 / (n_b - 1))


def _normalized(tsquared: Floats, df: Floats) -> Floats:
    """Wallace's transformation of t to nearly the square of a standard normal deviate; increasing in t.

    D. L. Wallace. Bounds on normal approximations to Student's and the chi-square distributions.
    Annals of Mathematical Statistics 30(4), 1959.
    """
    z: Floats = df * np.log1p(tsquared / df) * ((8 * df + 1) / (8 * df + 3)) ** 2
    return z


@dataclass(frozen=True, eq=False)
class WelchLevels:
    """Bounds that decide nearly every Welch test without its p-value, though degrees of freedom differ.

    Parameters
    ----------
    alphas : ndarray, shape (n_alphas,)
        In any order.
    order : ndarray
        The order in which they descend.
    low, high : ndarray, shape (n_alphas,)
        The least and the greatest critical value over all degrees of freedom, on the normalized
        scale, for descending alphas.
    least, greatest : float
        Squares of t below and from which nothing and everything is significant, at any degrees of freedom.
    """

    alphas: Floats
    order: Ints
    low: Floats
    high: Floats
    least: float
    greatest: float


def welch_levels(alphas: Sequence[float], n_a: int, n_b: int) -> WelchLevels:
    """The bounds for samples of these sizes."""
    from scipy.special import stdtrit

    levels = np.asarray(alphas, dtype=np.float64)
    order = np.argsort(-levels, kind="stable")
    df = np.geomspace(min(n_a, n_b) - 1, n_a + n_b - 2, 65)
    tsquared = stdtrit(df[:, None], 1 - levels[order] / 2) ** 2
    normalized = _normalized(tsquared, df[:, None])
    slack = 1e-5  # the bounds are taken between the degrees of freedom tabled, too
    low, high = normalized.min(axis=0) * (1 - slack), normalized.max(axis=0) * (1 + slack)
    return WelchLevels(levels, order, low, high, tsquared.min() * (1 - slack), tsquared.max() * (1 + slack))


def count_welch(tsquared: Floats, df: Floats, levels: WelchLevels) -> Ints:
    """Number of significant Welch tests at each alpha, shape (n_alphas,); equal to counting p <= alpha."""
    everywhere = np.count_nonzero(tsquared >= levels.greatest)
    open_tests = (tsquared >= levels.least) & (tsquared < levels.greatest)
    tsquared, df = tsquared[open_tests], df[open_tests]
    normalized = _normalized(tsquared, df)
    reached = np.searchsorted(levels.low, normalized, side="right")
    unsure = np.flatnonzero(reached != np.searchsorted(levels.high, normalized, side="right"))
    exact = pvalues(tsquared[unsure], df[unsure])
    reached[unsure] = np.count_nonzero(exact[:, None] <= levels.alphas, axis=1)
    at_least = np.bincount(reached, minlength=len(levels.order) + 1)[::-1].cumsum()[::-1][1:]
    counts = np.empty(len(levels.order), dtype=np.int64)
    counts[levels.order] = at_least + everywhere
    return counts
