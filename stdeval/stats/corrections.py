"""Corrections of p-values for the number of comparisons: the rows of ``CORRECTIONS``, and Tukey's test.

- holm: Holm, Scandinavian Journal of Statistics 6, 1979.
- bh: Benjamini, Hochberg, JRSS B 57, 1995; its intervals: Benjamini, Yekutieli, JASA 100(469), 2005.
- tukey: Carterette, ACM TOIS 30(1), 2012; with (count + 1): Phipson, Smyth, SAGMB 9(1), 2010.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from string import ascii_lowercase
from typing import NamedTuple

import numpy as np
import scipy  # its modules are slow to load, and load when a function needs them

from stdeval.errors import InputError
from stdeval.noise import decimals, is_significant, rounded
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

CORRECTIONS = (*PVALUE_CORRECTIONS, "tukey")  # by their name on the command line


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


class TukeyTest(NamedTuple):
    """The two-sided p-value of each pair, shape (n_systems, n_systems), and the sorted ranges of permuted means."""

    pvalues: Floats
    ranges: Floats

    def critical_difference(self, level: float) -> float:
        """Return the difference of means beyond which a pair has p <= 1 - level; infinite if none can have it."""
        # p is (number of ranges that reach the difference + 1) / (number of ranges + 1)
        place = ceil(round(level * (len(self.ranges) + 1), 9))
        return float(self.ranges[place - 1]) if place <= len(self.ranges) else np.inf


def tukey_test(scores: Floats, rng: np.random.Generator, n_resamples: int = 10_000) -> TukeyTest:
    """Return the randomised Tukey HSD test of every pair of systems (Carterette 2012).

    The scores, shape (n_systems, n_topics), are permuted within each topic. The p-value of a pair is (count + 1) /
    (n_resamples + 1), where count is the number of permutations in which the range of the mean scores (greatest
    minus least) is at least the pair's difference. Topics for which some system has no score are left out.
    """
    complete = scores[:, ~np.isnan(scores).any(axis=0)]
    if not complete.size:
        raise InputError("no topic for which every system has a score, which tukey needs")
    return tukey_tests([complete], rng, n_resamples)[0]


def tukey_tests(several: Sequence[Floats], rng: np.random.Generator, n_resamples: int) -> list[TukeyTest]:
    """Return `tukey_test` of several scores of the same shape, without NaN, by the same permutations."""
    n_systems, n_topics = several[0].shape
    # Sorted, so that p-values do not depend on the order in which the systems are given.
    by_topic = np.stack([np.sort(scores.T, axis=1).ravel() for scores in several], axis=1)
    places = np.arange(n_topics * n_systems).reshape(n_topics, n_systems)
    batch = max(1, BATCH_BYTES // places.nbytes)
    all_ranges = np.empty((n_resamples, len(several)))
    for start in range(0, n_resamples, batch):
        part = all_ranges[start : start + batch]
        permuted = rng.permuted(np.broadcast_to(places, (len(part), *places.shape)), axis=2)
        # Totals are faster than means: only their ranges have to be divided by the number of topics.
        part[:] = np.ptp(by_topic.take(permuted, axis=0).sum(axis=1), axis=1)
    tests = []
    for scores, of_scores in zip(several, all_ranges.T, strict=True):
        digits, totals = decimals(scores), scores.T[np.newaxis].sum(axis=1)[0]
        ranges = np.sort(rounded(of_scores / n_topics, digits))
        differences = rounded(np.abs(totals[:, np.newaxis] - totals) / n_topics, digits)
        reached = n_resamples - np.searchsorted(ranges, differences, side="left")
        tests.append(TukeyTest((reached + 1) / (n_resamples + 1), ranges))
    return tests


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
