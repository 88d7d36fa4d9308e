"""Standardization between collections: two disjoint random sets of topics.

References
----------
J. Urbano, H. Lima, A. Hanjalic. A new perspective on score standardization. SIGIR 2019.
(Section 3.2, Figure 3)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from stdeval.meta.trials import Mapper, check_scores, check_sizes, membership, permutations
from stdeval.meta.ttests import Means, WelchLevels, check_alphas, count_welch, sample_means, welch, welch_levels
from stdeval.meta.within import ALPHAS
from stdeval.stats.correlation import Correlations, correlations
from stdeval.table import Floats, Ints

_TESTS = 1 << 15
"""Tests of system pairs held at a time: they stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Between:
    """What two disjoint random sets of topics say of each table of scores.

    Parameters
    ----------
    sets : Correlations
        Of the systems' mean scores on the two sets; arrays of shape (n_tables, n_trials).
    alphas : ndarray, shape (n_alphas,)
    type1 : ndarray, shape (n_tables, n_alphas)
        Share of systems that differ significantly from themselves, over all trials.
    power : ndarray, shape (n_tables, n_alphas)
        Share of ordered pairs of different systems, one on either set, that differ significantly.
    n_topics : int
        Topics of either set.
    """

    sets: Correlations
    alphas: Floats
    type1: Floats
    power: Floats
    n_topics: int


def between(
    tables: Floats,
    *,
    n_topics: int | None = None,
    n_trials: int = 10_000,
    rng: np.random.Generator,
    alphas: Sequence[float] = ALPHAS,
    mapper: Mapper = map,
) -> Between:
    """Stability, Type I error and power between two topic sets: Urbano 2019, Section 3.2.

    Tests are Welch's, two-tailed.

    Parameters
    ----------
    tables : ndarray, shape (n_tables, n_systems, n_topics_in_all)
        Scores raw or standardized on all topics, by each scheme.
    n_topics : int, optional
        Topics of either set; None: 50, or half the topics (rounded down) if that is fewer.
    n_trials : int
    rng : numpy.random.Generator
    alphas : sequence of float
    mapper : callable
        As the builtin map, for workers; results do not depend on it.

    Returns
    -------
    Between

    Raises
    ------
    InputError
        If there are fewer than 3 systems or 4 topics, a score is missing, an alpha is not in (0, 1), or
        there are not twice as many topics as a set takes, which is 2 at least.

    Examples
    --------
    >>> scores = np.repeat([[[0.1], [0.2], [0.3]]], 6, axis=2)
    >>> result = between(scores, n_trials=3, rng=np.random.default_rng(2), alphas=(0.05,))
    >>> result.n_topics, result.sets.tau, result.type1, result.power
    (3, array([[1., 1., 1.]]), array([[0.]]), array([[1.]]))
    """
    check_scores(tables)
    check_alphas(alphas)
    half = tables.shape[2] // 2
    size = min(50, half) if n_topics is None else n_topics
    check_sizes([size], half, "topics in either set")
    trial = partial(_block, tables, size, welch_levels(alphas, size, size))
    blocks = list(mapper(trial, permutations(tables.shape[2], n_trials, rng)))
    type1, everything = (np.sum([block[i] for block in blocks], axis=0) for i in (1, 2))
    n_systems = tables.shape[1]
    return Between(
        Correlations(*np.concatenate([block[0] for block in blocks], axis=-1)),
        np.asarray(alphas, dtype=np.float64),
        type1 / (n_trials * n_systems),
        (everything - type1) / (n_trials * n_systems * (n_systems - 1)),
        size,
    )


def _block(tables: Floats, size: int, levels: WelchLevels, order: Ints) -> tuple[Floats, Ints, Ints]:
    """Correlations, shape (3, n_tables, n_trials), and significant tests, shape (n_tables, n_alphas).

    The tests are those of systems against themselves, and those of all systems against all.
    """
    first, second = (
        sample_means(tables, membership(topics, order.shape[1]))
        for topics in (order[:, :size], order[:, size : 2 * size])
    )
    found = correlations(first.mean, second.mean)
    type1 = [_count_same(_table(first, i), _table(second, i), levels) for i in range(len(tables))]
    everything = [_count_all(_table(first, i), _table(second, i), levels) for i in range(len(tables))]
    return np.stack([found.tau, found.tau_ap, found.r]), np.stack(type1), np.stack(everything)


def _table(means: Means, i: int) -> Means:
    return Means(means.mean[i], means.error[i], means.n)


def _count_same(a: Means, b: Means, levels: WelchLevels) -> Ints:
    return count_welch(*welch(a.mean - b.mean, a.error, b.error, a.n, b.n), levels)


def _count_all(a: Means, b: Means, levels: WelchLevels) -> Ints:
    counts = np.zeros(len(levels.alphas), dtype=np.int64)
    n_trials, n_systems = a.mean.shape
    together = max(1, _TESTS // n_systems**2)
    for start in range(0, n_trials, together):
        here = slice(start, start + together)
        difference = a.mean[here, :, None] - b.mean[here, None, :]
        counts += count_welch(*welch(difference, a.error[here, :, None], b.error[here, None, :], a.n, b.n), levels)
    return counts
