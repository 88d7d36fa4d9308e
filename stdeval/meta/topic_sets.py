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

from stdeval.errors import InputError
from stdeval.meta.trials import Mapper, Rng, TopicSetResult, check_scores, membership, permutations, set_size
from stdeval.meta.ttests import (
    ALPHAS,
    Means,
    WelchLevels,
    check_alphas,
    count_paired,
    count_welch,
    sample_means,
    welch,
    welch_levels,
)
from stdeval.stats.correlation import Correlations, concatenate, correlations
from stdeval.table import Floats, Ints


def within(
    raw: Floats,
    tables: Floats,
    *,
    n_topics: int | None = None,
    n_trials: int = 10_000,
    rng: Rng,
    alphas: Sequence[float] = ALPHAS,
    mapper: Mapper = map,
) -> TopicSetResult:
    """Return correlations of raw with standardized rankings, and power, on random topics.

    This is the experiment of Urbano 2019, Section 3.1. Tests are paired and two-tailed.

    Parameters
    ----------
    raw : ndarray, shape (n_systems, n_topics_in_all)
        Raw scores. Higher scores are better: give those of measures of which lower are better with the opposite
        sign, and so their standardized scores.
    tables : ndarray, shape (n_tables, n_systems, n_topics_in_all)
        The same scores standardized on all topics, by each scheme; the raw scores may be among them.
    n_topics : int, optional
        Number of topics of a trial, at least 2. None stands for 50, or half the topics (rounded down) if that is
        fewer.
    n_trials : int
    rng : numpy.random.Generator or int
        A generator, or the seed of one.
    alphas : sequence of float
        Significance levels.
    mapper : callable
        A function like the builtin map, which is given a function and blocks of trials. The ``map`` of a
        `concurrent.futures.ProcessPoolExecutor` uses all cores; results do not depend on it.

    Returns
    -------
    TopicSetResult
        ``correlations`` of the mean scores with the raw mean scores, with the fields
        ``tau`` (Kendall's tau_b), ``tau_ap`` (the symmetric tau_ap,b) and ``r`` (Pearson's):
        arrays of shape (n_tables, n_trials). ``rates``, a dict of one array of shape (n_tables, n_alphas):
        ``power``, the share of pairs of systems that differ significantly. ``n_topics`` of a trial.

    Raises
    ------
    InputError
        If there are fewer than 3 systems or 4 topics, if a score is missing, if an alpha is not in (0, 1), or if a
        trial takes fewer than 2 topics or more than there are.

    Examples
    --------
    >>> raw = np.random.default_rng(1).random((5, 8))
    >>> result = within(raw, np.stack([raw, -raw]), n_topics=4, n_trials=3, rng=np.random.default_rng(2))
    >>> result.correlations.tau
    array([[ 1.,  1.,  1.],
           [-1., -1., -1.]])
    """
    for scores in (raw, tables):
        check_scores(scores)
    if tables.shape[1:] != raw.shape:
        raise InputError(f"tables of shape {tables.shape[1:]}, expected that of the raw scores, {raw.shape}")
    size = set_size(n_topics, raw.shape[1], raw.shape[1], "topics")
    check_alphas(alphas)
    trial = partial(_block, np.concatenate([raw[None], tables]), size, tuple(alphas))
    blocks = list(mapper(trial, permutations(raw.shape[1], n_trials, rng)))
    n_tests = n_trials * len(raw) * (len(raw) - 1) // 2
    power = np.sum([block.n_significant for block in blocks], axis=0) / n_tests
    return TopicSetResult(concatenate([block.correlations for block in blocks]), {"power": power}, size)


@dataclass(frozen=True, eq=False)
class _Block:
    """Results of some trials: correlations, (n_tables, n_trials), and significant tests, (n_tables, n_alphas)."""

    correlations: Correlations
    n_significant: Ints


def _block(tables: Floats, n_topics: int, alphas: Sequence[float], order: Ints) -> _Block:
    """Return the results of the trials whose permuted topics are the rows of ``order``."""
    samples = membership(order[:, :n_topics], order.shape[1])
    means = sample_means(tables, samples).mean
    counts = [count_paired(table, samples, alphas) for table in tables[1:]]
    return _Block(correlations(means[0], means[1:]), np.stack(counts))

_TESTS = 1 << 15
"""Number of tests of system pairs held at a time; small enough for the processor's cache."""


def between(
    tables: Floats,
    *,
    n_topics: int | None = None,
    n_trials: int = 10_000,
    rng: Rng,
    alphas: Sequence[float] = ALPHAS,
    mapper: Mapper = map,
) -> TopicSetResult:
    """Return stability, Type I error and power between two random sets of topics.

    This is the experiment of Urbano 2019, Section 3.2. Tests are Welch's and two-tailed.

    Parameters
    ----------
    tables : ndarray, shape (n_tables, n_systems, n_topics_in_all)
        Scores raw or standardized on all topics, by each scheme. Higher scores are better: give those of measures
        of which lower are better with the opposite sign.
    n_topics : int, optional
        Number of topics of either set, at least 2. None stands for 50, or half the topics (rounded down) if that is
        fewer.
    n_trials : int
    rng : numpy.random.Generator or int
        A generator, or the seed of one.
    alphas : sequence of float
        Significance levels.
    mapper : callable
        A function like the builtin map, which is given a function and blocks of trials. The ``map`` of a
        `concurrent.futures.ProcessPoolExecutor` uses all cores; results do not depend on it.

    Returns
    -------
    TopicSetResult
        ``correlations`` of the mean scores on the two sets, with the fields
        ``tau`` (Kendall's tau_b), ``tau_ap`` (the symmetric tau_ap,b) and ``r`` (Pearson's):
        arrays of shape (n_tables, n_trials). ``rates``, a dict of arrays of shape (n_tables, n_alphas): ``power``,
        the share of ordered pairs of different systems, one on either set, that differ significantly, and
        ``type1``, the share of systems that differ significantly from themselves. ``n_topics`` of a set.

    Raises
    ------
    InputError
        If there are fewer than 3 systems or 4 topics, if a score is missing, if an alpha is not in (0, 1), or if a
        set takes fewer than 2 topics or more than half of them.

    Examples
    --------
    >>> scores = np.repeat([[[0.1], [0.2], [0.3]]], 6, axis=2)
    >>> result = between(scores, n_trials=3, rng=np.random.default_rng(2), alphas=(0.05,))
    >>> result.n_topics, result.correlations.tau, result.rates
    (3, array([[1., 1., 1.]]), {'power': array([[1.]]), 'type1': array([[0.]])})
    """
    check_scores(tables)
    if tables.ndim != 3:
        raise InputError(f"tables of shape {tables.shape}, expected (n_tables, n_systems, n_topics)")
    check_alphas(alphas)
    n_all = tables.shape[2]
    size = set_size(n_topics, n_all, n_all // 2, "topics in either set")
    trial = partial(_block_of_pairs, tables, size, welch_levels(alphas, size, size))
    blocks = list(mapper(trial, permutations(n_all, n_trials, rng)))
    n_same = np.sum([block.n_same for block in blocks], axis=0)
    n_all = np.sum([block.n_all for block in blocks], axis=0)
    n_systems = tables.shape[1]
    rates = {
        "power": (n_all - n_same) / (n_trials * n_systems * (n_systems - 1)),
        "type1": n_same / (n_trials * n_systems),
    }
    return TopicSetResult(concatenate([block.correlations for block in blocks]), rates, size)


@dataclass(frozen=True, eq=False)
class _BlockOfPairs:
    """Results of some trials: correlations, (n_tables, n_trials), and significant tests, (n_tables, n_alphas)."""

    correlations: Correlations
    n_same: Ints
    n_all: Ints


def _block_of_pairs(tables: Floats, size: int, levels: WelchLevels, order: Ints) -> _BlockOfPairs:
    """Return the results of the trials whose permuted topics are the rows of ``order``."""
    first, second = (
        sample_means(tables, membership(topics, order.shape[1]))
        for topics in (order[:, :size], order[:, size : 2 * size])
    )
    n_same, n_all = [], []
    for i in range(len(tables)):
        a, b = (Means(means.mean[i], means.error[i], means.n) for means in (first, second))
        n_same.append(count_welch(*welch(a.mean - b.mean, a.error, b.error, a.n, b.n), levels))
        n_all.append(_count_all(a, b, levels))
    return _BlockOfPairs(correlations(first.mean, second.mean), np.stack(n_same), np.stack(n_all))


def _count_all(a: Means, b: Means, levels: WelchLevels) -> Ints:
    """Return the number of significant tests of every system on one set with every system on the other."""
    counts = np.zeros(len(levels.limits), dtype=np.int64)
    n_trials, n_systems = a.mean.shape
    together = max(1, _TESTS // n_systems**2)
    for start in range(0, n_trials, together):
        here = slice(start, start + together)
        difference = a.mean[here, :, None] - b.mean[here, None, :]
        counts += count_welch(*welch(difference, a.error[here, :, None], b.error[here, None, :], a.n, b.n), levels)
    return counts
