"""Confidence intervals, at levels in [0.5, 1), of a system's mean score over topics, and of shares of topics.

The bootstrap's percentiles are expanded: Hesterberg, What teachers should know about the bootstrap, The American
Statistician 69(4), 2015.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real

import numpy as np
import scipy  # its modules are slow to load, and load when a function needs them

from stdeval.errors import InputError
from stdeval.stats.aggregates import moments
from stdeval.table import Floats, Ints

BLOCK = 256  # rows resampled together, which limits the memory


def t_interval(values: Floats, axis: int = -1, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the t interval of the mean over the axis of the topics: mean -/+ t(n - 1) sd / sqrt(n).

    NaN is missing and left out; the ends are NaN where there are fewer than two topics.

    Student's first
    sample of sleep gained (Biometrika 6, 1908), with the result of R's ``t.test(extra)``:

    >>> low, high = t_interval(np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]))
    >>> float(low.round(4)), float(high.round(4))
    (-0.5298, 2.0298)
    """
    mean, sd, n = moments(np.moveaxis(values, axis, 0))
    half = t_half_width(sd, n, tails_of(level)[1])
    return mean - half, mean + half


def t_lower_bound(values: Floats, level: float = 0.95) -> Floats:
    """Return the lower bound of the one-sided t interval of the mean over the last axis, see `t_interval`."""
    check_level(level)
    mean, sd, n = moments(np.moveaxis(values, -1, 0))
    return mean - t_half_width(sd, n, level)


def t_half_width(sd: Floats, n: Ints, probability: float) -> Floats:
    """Return t(n - 1) sd / sqrt(n), for the quantile of t at a probability."""
    with np.errstate(invalid="ignore", divide="ignore"):
        half: Floats = t_quantile((n - 1).astype(np.float64), probability) * sd / np.sqrt(n)
    return half


def t_quantile(df: Floats, probability: float) -> Floats:
    """Return the quantile of the t distribution at one probability, for each number of degrees of freedom."""
    return np.asarray(scipy.special.stdtrit(df, probability), dtype=np.float64)


def share_upper_bound(n_found: int, n: int, level: float = 0.95) -> float:
    """Return the upper end of the exact one-sided interval of a share (Clopper, Pearson, Biometrika 26, 1934)."""
    check_level(level)
    return 1.0 if n_found >= n else float(scipy.special.betaincinv(n_found + 1, n - n_found, level))


def bootstrap_interval(
    values: Floats, rng: np.random.Generator, axis: int = -1, level: float = 0.95, n_resamples: int = 10_000
) -> tuple[Floats, Floats]:
    """Return the bootstrap interval of the mean, between expanded percentiles; see `t_interval`."""
    by_topic = np.moveaxis(values, axis, -1)
    ends = np.full((2, by_topic[..., 0].size), np.nan)
    for rows, block in complete_blocks(by_topic.reshape(-1, by_topic.shape[-1])):
        n = block.shape[1]
        if n < 2:
            continue  # All resamples of one topic are the same.
        means = times_drawn(n, n_resamples, rng) @ block.T / n
        ends[:, rows] = np.quantile(means, expanded_tails(level, n), axis=0)
    low, high = ends.reshape(2, *by_topic.shape[:-1])
    return low, high


def times_drawn(n: int, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Return how often each resample draws each of n topics; the totals of all rows are one product with it."""
    drawn = rng.integers(0, n, (n_resamples, n)) + n * np.arange(n_resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=n_resamples * n).reshape(n_resamples, n).astype(np.float64)


def tails_of(level: float) -> list[float]:
    """Return the two probabilities whose quantiles are the ends of an interval: 0.25 and 0.75 at the level 0.5."""
    check_level(level)
    tail = (1 - level) / 2
    return [tail, 1 - tail]


def expanded_tails(level: float, n: int) -> list[float]:
    """Return the probabilities whose bootstrap quantiles are the ends of an interval from n >= 2 observations."""
    # A bootstrap distribution is narrower than that of the mean, and has the tails of the normal distribution.
    expanded = np.sqrt(n / (n - 1)) * t_quantile(np.array(n - 1.0), tails_of(level)[1])
    tail = float(scipy.special.ndtr(-expanded))
    return [tail, 1 - tail]


def check_level(level: float) -> None:
    """Refuse a confidence level that is not a number in [0.5, 1) with an `InputError`."""
    if not (isinstance(level, Real) and 0.5 <= level < 1):
        raise InputError(f"confidence level {level}, expected a number from 0.5 and below 1, such as 0.95")


def complete_blocks(values: Floats) -> Iterator[tuple[Ints, Floats]]:
    """Yield blocks of at most `BLOCK` rows in which the same topics are missing, so that they have no NaN.

    A block is the indices of its rows, and their scores on the topics that they have. Rows without any are in none.
    """
    is_missing = np.isnan(values)
    # Usually no score is missing, and sorting rows of very many topics takes long.
    patterns, which = is_missing[:1], np.zeros(len(values), dtype=np.int64)
    if is_missing.any():
        patterns, which = np.unique(is_missing, axis=0, return_inverse=True)
    for k, missing in enumerate(patterns):
        rows = np.flatnonzero(which.ravel() == k)
        if missing.all():
            continue
        for start in range(0, len(rows), BLOCK):
            part = rows[start : start + BLOCK]
            yield part, values[part][:, ~missing]
