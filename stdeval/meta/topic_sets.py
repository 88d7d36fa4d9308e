"""Standardization within a collection and between collections, on random sets of topics.

References
----------
J. Urbano, H. Lima, A. Hanjalic. A new perspective on score standardization. SIGIR 2019.
(Sections 3.1 and 3.2, Figure 3)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from stdeval.errors import InputError
from stdeval.meta.trials import Mapper, Rng, TopicSetResult, check_scores, membership, permutations, set_size
from stdeval.meta.ttests import (
    ALPHAS,
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

_TESTS = 1 << 15
"""Number of tests of system pairs held at a time; small enough for the processor's cache."""


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
    tables : ndarray, shape (n_tables, n_systems, n_topics_in_all)
        The same scores standardized on all topics, by each scheme; the raw scores may be among them.
    n_topics : int, optional
        Number of topics of a trial, at least 2. None stands for 50, or half the topics (rounded down) if that is
        fewer.
    n_trials, rng, alphas, mapper
        As for `between`.

    Returns
    -------
    TopicSetResult
        ``correlations`` of the mean scores with the raw mean scores, as `rank_correlations` names them, of shape
        (n_tables, n_trials). ``rates``, a dict of one array of shape (n_tables, n_alphas): ``power``, the share of
        pairs of systems that differ significantly. ``n_topics`` of a trial.

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
    n_tests = n_trials * len(raw) * (len(raw) - 1) // 2
    found, counts = zip(*mapper(trial, permutations(raw.shape[1], n_trials, rng)), strict=True)
    power = np.sum(counts, axis=0) / n_tests
    return TopicSetResult(concatenate(found), {"power": power}, size)


def _block(tables: Floats, n_topics: int, alphas: Sequence[float], order: Ints) -> tuple[Correlations, Ints]:
    """Return correlations and numbers of significant tests of the trials whose permuted topics are in ``order``."""
    samples = membership(order[:, :n_topics], order.shape[1])
    means = sample_means(tables, samples).mean
    counts = [count_paired(table, samples, alphas) for table in tables[1:]]
    return correlations(means[0], means[1:]), np.stack(counts)


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
        Scores raw or standardized on all topics, by each scheme.
    n_topics : int, optional
        Number of topics of either set, at least 2. None stands for 50, or half the topics (rounded down) if that is
        fewer.
    alphas : sequence of float
        Significance levels.
    n_trials, rng, mapper
        See `stdeval.meta`.

    Returns
    -------
    TopicSetResult
        ``correlations`` of the mean scores on the two sets, as from `within`. ``rates``, a dict of arrays of shape
        (n_tables, n_alphas): ``power``, the share of ordered pairs of different systems, one on either set, that
        differ significantly, and ``type1``, the share of systems that differ significantly from themselves.
        ``n_topics`` of a set.

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
    found, same, every = zip(*mapper(trial, permutations(n_all, n_trials, rng)), strict=True)
    n_same, n_significant = np.sum(same, axis=0), np.sum(every, axis=0)
    n_systems = tables.shape[1]
    rates = {
        "power": (n_significant - n_same) / (n_trials * n_systems * (n_systems - 1)),
        "type1": n_same / (n_trials * n_systems),
    }
    return TopicSetResult(concatenate(found), rates, size)


def _block_of_pairs(tables: Floats, size: int, levels: WelchLevels, order: Ints) -> tuple[Correlations, Ints, Ints]:
    """Return correlations and numbers of significant tests, of the same and of all systems on the two sets."""
    first, second = (
        sample_means(tables, membership(topics, order.shape[1]))
        for topics in (order[:, :size], order[:, size : 2 * size])
    )
    n_same, n_all = [], []
    for mean_a, error_a, mean_b, error_b in zip(first.mean, first.error, second.mean, second.error, strict=True):
        n_same.append(count_welch(*welch(mean_a - mean_b, error_a, error_b, size, size), levels))
        # Every system on one set is tested against every system on the other, some trials at a time.
        n_all.append(np.zeros(len(levels.limits), dtype=np.int64))
        together = max(1, _TESTS // mean_a.shape[1] ** 2)
        for start in range(0, len(mean_a), together):
            here = slice(start, start + together)
            difference = mean_a[here, :, None] - mean_b[here, None, :]
            errors = error_a[here, :, None], error_b[here, None, :]
            n_all[-1] += count_welch(*welch(difference, *errors, size, size), levels)
    return correlations(first.mean, second.mean), np.stack(n_same), np.stack(n_all)
