"""Corrections for the number of comparisons: of p-values, or tests of all pairs.

- holm: Holm, Scandinavian Journal of Statistics 6, 1979.
- bh: Benjamini, Hochberg, JRSS B 57, 1995; its intervals: Benjamini, Yekutieli, JASA 100(469), 2005.
- hsd: Tukey, The problem of multiple comparisons, 1953, in the model system + topic.
- tukey: Carterette, ACM TOIS 30(1), 2012; with (count + 1): Phipson, Smyth, SAGMB 9(1), 2010.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil
from string import ascii_lowercase
from typing import NamedTuple

import numpy as np
import scipy  # its modules are slow to load, and load when a function needs them

from stdeval.noise import decimals, is_significant, rounded, without_noise
from stdeval.stats.aggregates import times_drawn
from stdeval.table import Floats, Ints

BATCH_BYTES = 2**19  # scores permuted at a time; they stay in the processor's cache


def holm(pvalues: Floats) -> Floats:
    """Return p-values adjusted by Holm's step-down method: the k-th smallest of m is multiplied by m - k + 1."""
    order = np.argsort(pvalues)
    adjusted = np.empty_like(pvalues)
    steps = np.arange(len(pvalues), 0, -1) * pvalues[order]
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted


class Correction(NamedTuple):
    """The function that adjusts p-values, and the divisor of alpha by the number of all and of significant ones."""

    adjust: Callable[[Floats], Floats]
    divisor: Callable[[int, int], float]


PVALUE_CORRECTIONS = {
    "none": Correction(lambda pvalues: pvalues.copy(), lambda n, n_significant: 1),
    "bonferroni": Correction(lambda pvalues: np.minimum(1.0, len(pvalues) * pvalues), lambda n, n_significant: n),
    "holm": Correction(holm, lambda n, n_significant: max(1, n - n_significant)),
    "bh": Correction(
        lambda pvalues: np.asarray(scipy.stats.false_discovery_control(pvalues)),
        lambda n, n_significant: n / max(1, n_significant),
    ),
}


def adjust(pvalues: Floats, correction: str) -> Floats:
    """Return the p-values of one family of comparisons, adjusted for their number; NaN is not counted."""
    adjusted = np.full_like(pvalues, np.nan)
    present = ~np.isnan(pvalues)
    adjusted[present] = PVALUE_CORRECTIONS[correction].adjust(pvalues[present])
    return adjusted


def single_alpha(pvalues: Floats, correction: str, alpha: float = 0.05) -> float:
    """Return the level in (0, alpha] for unadjusted p-values that decides as alpha does for adjusted ones.

    A p-value is at most this level if and only if its adjusted p-value is at most alpha. Confidence intervals at 1
    minus this level therefore exclude 0 exactly for the pairs that differ significantly after the correction. With
    bh, a share alpha of those that exclude 0 is expected to miss the true difference (Benjamini & Yekutieli 2005).
    """
    n_significant = int(is_significant(adjust(pvalues, correction), alpha).sum())
    return alpha / PVALUE_CORRECTIONS[correction].divisor(max(1, int(np.sum(~np.isnan(pvalues)))), n_significant)


class JointTest(NamedTuple):
    """Two-sided p-values, systems x systems, and the difference beyond which p <= 1 - level; it may be infinite."""

    pvalues: Floats
    critical: float


def tukey_test(scores: Floats, level: float, rng: np.random.Generator, n_resamples: int) -> JointTest:
    """Return the randomised Tukey HSD test of every pair of systems (Carterette 2012).

    The scores, shape (n_systems, n_topics), are permuted within each topic. The p-value of a pair is (count + 1) /
    (n_resamples + 1), where count is how often the range of the means is at least the pair's difference.
    """
    # Sorted, so that p-values do not depend on the order in which the systems are given.
    by_topic = np.sort(scores.T, axis=1)

    def ranges(n: int) -> Floats:
        permuted = rng.permuted(np.broadcast_to(by_topic, (n, *by_topic.shape)), axis=2)
        # Totals are faster than means: only their ranges have to be divided by the number of topics.
        return np.asarray(np.ptp(permuted.sum(axis=1), axis=1))

    return _test_by_ranges(scores, ranges, by_topic.nbytes, level, n_resamples)


def range_test(scores: Floats, level: float, rng: np.random.Generator, n_resamples: int) -> JointTest:
    """Return the test of every pair of systems by the range of their means on resampled topics.

    As `tukey_test`, but whole topics are drawn with replacement, after the mean of each system is subtracted: all
    are equally good then, and keep their spread and correlation. sqrt(n / (n - 1)) makes the variances unbiased.
    """
    n_topics = scores.shape[1]
    centred = (scores - scores.mean(axis=1, keepdims=True)) * np.sqrt(n_topics / (n_topics - 1))

    def ranges(n: int) -> Floats:
        return np.asarray(np.ptp(times_drawn(n_topics, n, rng) @ centred.T, axis=1))

    return _test_by_ranges(scores, ranges, 8 * n_topics, level, n_resamples)


def _test_by_ranges(
    scores: Floats, ranges: Callable[[int], Floats], n_bytes: int, level: float, n_resamples: int
) -> JointTest:
    """Return the test by random ranges of totals, some at a time, each of which takes a number of bytes."""
    batch, drawn = max(1, BATCH_BYTES // n_bytes), np.empty(n_resamples)
    for start in range(0, n_resamples, batch):
        drawn[start : start + batch] = ranges(min(batch, n_resamples - start))
    in_order = np.sort(rounded(drawn / scores.shape[1], decimals(scores)))
    reached = n_resamples - np.searchsorted(in_order, _differences(scores), side="left")
    place = ceil(round(level * (n_resamples + 1), 9))
    critical = float(in_order[place - 1]) if place <= n_resamples else np.inf
    return JointTest((reached + 1) / (n_resamples + 1), critical)


def _differences(scores: Floats) -> Floats:
    """Return the absolute difference of the means of each pair of systems, without noise."""
    totals = scores.T[np.newaxis].sum(axis=1)[0]  # in the order of the sums of permuted scores
    return rounded(np.abs(totals[:, np.newaxis] - totals) / scores.shape[1], decimals(scores))


def hsd_test(scores: Floats, level: float, *_: object) -> JointTest:
    """Return Tukey's honestly significant differences of every pair of systems, as R's ``TukeyHSD``.

    The model of the scores, shape (n_systems, n_topics), is system + topic: the difference of a pair, over the
    standard error of a mean, is a studentized range. For two systems, this is the paired t test.
    """
    m, n = scores.shape
    df = (m - 1) * (n - 1)
    residuals = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()
    error = float(np.sqrt((without_noise(residuals, decimals(scores)) ** 2).sum() / df / n))
    differences = _differences(scores)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(differences == 0, 0.0, differences / np.float64(error))
    log_q = scipy.optimize.brentq(lambda x: studentized_range_sf(np.exp([x]), m, df)[0] - (1 - level), -10, 100)
    return JointTest(studentized_range_sf(q, m, df), error * float(np.exp(log_q)))


def studentized_range_sf(q: Floats, m: int, df: int) -> Floats:
    """Return the probability that the studentized range of m means with df degrees of freedom exceeds each q.

    The range of m normal variables exceeds q s with a probability that is integrated over the distribution of s, by
    the trapezoidal rule over log s, which converges exponentially: the relative error is below 1e-8.

    >>> studentized_range_sf(np.array([3.578]), 3, 20).round(4)  # printed tables have 3.58 for 0.05
    array([0.05])
    """
    at, where = np.unique(np.clip(q, 1e-300, 1e150), return_inverse=True)
    sd = (2 * df) ** -0.5
    # around the maximum, which is the lower the greater q is; with few df, the left tail is long
    low, high = -0.5 * np.log1p(at**2 / (2 * df)) - 9 * sd - 20 / df, 9 * sd
    log_s, step = np.linspace(low, high, 300, retstep=True)
    log_density = df * log_s - df * np.exp(2 * log_s) / 2 + df / 2 * np.log(df / 2) - scipy.special.gammaln(df / 2)
    log_sf = _log_range_sf(m)(at * np.exp(log_s))
    integrals = 2 * step * np.exp(np.where(np.isnan(log_sf), -np.inf, log_sf + log_density)).sum(axis=0)
    return np.where(q == 0, 1.0, np.minimum(1.0, integrals)[where].reshape(q.shape))


@lru_cache(maxsize=8)
def _log_range_sf(m: int) -> Callable[[Floats], Floats]:
    """Return the log of the probability that the range of m normal variables exceeds w; NaN of w beyond 52."""
    w, z, step = np.arange(0, 52, 0.02), np.arange(-9, 36, 0.25)[:, np.newaxis], 0.25
    # z is the greatest of them, and at least one of the others is below z - w
    below = scipy.special.ndtr(z)
    exceeds = -np.expm1((m - 1) * np.log1p(-np.minimum(1 - 1e-16, scipy.special.ndtr(z - w) / below)))
    density = m * np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * below ** (m - 1)
    return scipy.interpolate.CubicSpline(w, np.log(step * (density * exceeds).sum(axis=0)), extrapolate=False)


class JointCorrection(NamedTuple):
    """A test of all pairs at once, which takes the place of any other, its name, and whether it draws at random."""

    test: Callable[[Floats, float, np.random.Generator, int], JointTest]
    title: str
    draws: bool


JOINT_CORRECTIONS = {
    "tukey": JointCorrection(tukey_test, "randomised Tukey HSD", True),
    "hsd": JointCorrection(hsd_test, "Tukey HSD of system + topic", False),
    "range": JointCorrection(range_test, "resampled range of means", True),
}

# By their name on the command line; default depends on what is compared, see `stdeval.stats.pairwise.Design`.
CORRECTIONS = ("default", *PVALUE_CORRECTIONS, *JOINT_CORRECTIONS)


def significance_groups(means: Floats, pvalues: Floats, alpha: float = 0.05) -> tuple[Ints, Ints]:
    """Return the numbers of the first and the last significance group of each system.

    A group is a maximal set of systems that are adjacent in the order of their means, and no two systems of a group
    differ significantly. Groups are numbered from 1, the group of the best system. The p-values of each pair, shape
    (n_systems, n_systems), must not grow with the difference of the means, as in Tukey's test.
    """
    order = np.argsort(-rounded(means, decimals(means)), kind="stable")
    differs = is_significant(pvalues[np.ix_(order, order)], alpha)
    # Each is the last system before the first one that differs.
    ends = [int(np.append(np.flatnonzero(row[i:]), len(row) - i)[0]) + i - 1 for i, row in enumerate(differs)]
    # A sequence of systems that ends where the one before it ends is a part of that one, not a group of its own.
    starts = [i for i, end in enumerate(ends) if i == 0 or end > ends[i - 1]]
    place = np.argsort(order)
    first = np.searchsorted([ends[start] for start in starts], place, side="left") + 1
    last = np.searchsorted(starts, place, side="right")
    return first.astype(np.int64), last.astype(np.int64)


def group_letters(first: int, last: int) -> str:
    """Return letters for the groups of a system from `significance_groups`: 1 is a; three or more are a range.

    >>> group_letters(1, 1), group_letters(1, 2), group_letters(2, 5), group_letters(26, 28)
    ('a', 'ab', 'b\N{EN DASH}e', 'z\N{EN DASH}ab')
    """
    if last - first == 1 and last <= len(ascii_lowercase):
        return _group_letter(first) + _group_letter(last)
    return _group_letter(first) if first == last else f"{_group_letter(first)}\N{EN DASH}{_group_letter(last)}"


def _group_letter(number: int) -> str:
    """Return a, b, ..., z, aa, ab, ... for 1, 2, ..."""
    before, at = divmod(number - 1, len(ascii_lowercase))
    return (_group_letter(before) if before else "") + ascii_lowercase[at]
