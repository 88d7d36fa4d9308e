"""Intervals of means that show which systems differ significantly, as the test of the differences finds.

The intervals of single means, see `stdeval.stats.intervals`, do not show it: topics are difficult for all systems
alike, so that differences vary less over topics than scores do, and means whose intervals overlap may well differ.

References
----------
J. C. Hsu, M. Peruggia. Graphical representations of Tukey's multiple comparison method. Journal of Computational
and Graphical Statistics 3(2), 1994.
"""

from __future__ import annotations

import numpy as np

from stdeval.noise import decimals, rounded
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.corrections import TukeyTest, group_letters, significance_groups
from stdeval.stats.intervals import t_interval
from stdeval.stats.significance import topic_differences
from stdeval.table import Floats

KINDS = ("marginal", "paired", "tukey")
"""The intervals of single means, of the differences from one system, and of Tukey's test of all pairs."""


def paired_intervals(scores: Floats, pivot: int, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return intervals that contain the mean of one system where a paired t test finds no difference from it.

    Each is the t interval of the system's differences from the pivot, moved by the pivot's mean. It leaves out the
    pivot's mean if and only if the t test of `stdeval.stats.significance.compare` is significant at 1 - level.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        NaN is missing; a system is compared on the topics that it shares with the pivot.
    pivot : int
        The index of the system with which all others are compared.
    level : float
        Confidence level, in [0.5, 1).

    Returns
    -------
    low, high : ndarray, shape (n_systems,)
        NaN for the pivot, and for systems that share fewer than two topics with it.

    Raises
    ------
    InputError
        If ``level`` is not in [0.5, 1).

    Examples
    --------
    >>> scores = np.array([[0.5, 0.1, 0.9, 0.4], [0.3, 0.0, 0.6, 0.2]])
    >>> low, high = paired_intervals(scores, 0)
    >>> low.round(3), high.round(3), bool(high[1] < scores[0].mean())
    (array([  nan, 0.145]), array([  nan, 0.405]), True)
    """
    low, high = t_interval(topic_differences(scores, scores[pivot]), level=level)
    mean = arithmetic_mean(scores[pivot])
    is_pivot = np.arange(len(scores)) == pivot
    return np.where(is_pivot, np.nan, mean + low), np.where(is_pivot, np.nan, mean + high)


def tukey_intervals(scores: Floats, test: TukeyTest, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return intervals that do not overlap if and only if Tukey's test finds that their systems differ.

    They reach half the critical difference of `stdeval.stats.corrections.TukeyTest` to both sides of the means, at
    the significance level 1 - level (Hsu & Peruggia 1994).

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        NaN is missing; topics for which some system has no score are left out.
    test : TukeyTest
        That of these scores.
    level : float
        Confidence level, in [0.5, 1).

    Returns
    -------
    low, high : ndarray, shape (n_systems,)
        Infinite if there are too few resamples for any pair to be significant.

    Examples
    --------
    >>> scores = np.array([[0.1, 0.2, 0.1, 0.3, 0.2], [0.1, 0.1, 0.2, 0.3, 0.2], [0.7, 0.9, 0.8, 0.9, 0.6]])
    >>> from stdeval.stats.corrections import tukey_test
    >>> low, high = tukey_intervals(scores, tukey_test(scores, np.random.default_rng(1), 999))
    >>> low.round(2), high.round(2)
    (array([-0.07, -0.07,  0.53]), array([0.43, 0.43, 1.03]))
    """
    mean = arithmetic_mean(scores[:, ~np.isnan(scores).any(axis=0)])
    half = test.critical_difference(level) / 2
    return mean - half, mean + half


def groups_of_intervals(mean: Floats, low: Floats, high: Floats) -> list[str]:
    """Return the letters of the significance groups that intervals of `tukey_intervals` show.

    Parameters
    ----------
    mean, low, high : ndarray, shape (n_systems,)
        Means, none of them missing, and the ends of their intervals, which are all of the same length.

    Returns
    -------
    list of str
        One per system, see `stdeval.stats.corrections.group_letters`. Systems with a letter in common do not differ
        significantly.

    Examples
    --------
    >>> mean = np.array([0.5, 0.4, 0.3])
    >>> groups_of_intervals(mean, mean - 0.06, mean + 0.06)
    ['a', 'ab', 'b']
    """
    distance = low[:, np.newaxis] - high
    is_apart = rounded(np.maximum(distance, distance.T), decimals(mean)) > 0
    first, last = significance_groups(mean, np.where(is_apart, 0.0, 1.0))
    return [group_letters(*numbers) for numbers in zip(first.tolist(), last.tolist(), strict=True)]
