"""Standardization within a collection: random topics, raw against standardized scores.

References
----------
J. Urbano, H. Lima, A. Hanjalic. A new perspective on score standardization. SIGIR 2019.
(Section 3.1, Figure 2)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from stdeval.errors import InputError
from stdeval.meta.trials import Mapper, check_scores, check_sizes, membership, permutations
from stdeval.meta.ttests import check_alphas, count_paired, sample_means
from stdeval.stats.correlation import Correlations, correlations
from stdeval.table import Floats, Ints

ALPHAS = (*(round(unit * step, 3) for unit in (0.001, 0.01) for step in range(1, 10)), 0.1)
"""The nineteen levels of significance of Urbano 2019: .001 to .009, .01 to .09 and .1."""


@dataclass(frozen=True, eq=False)
class Within:
    """What random topics of one collection say of each table of scores.

    Parameters
    ----------
    raw : Correlations
        Of the systems' mean scores with their raw means; arrays of shape (n_tables, n_trials).
    alphas : ndarray, shape (n_alphas,)
    power : ndarray, shape (n_tables, n_alphas)
        Share of system pairs significant in paired two-tailed t tests, over all trials.
    """

    raw: Correlations
    alphas: Floats
    power: Floats


def within(
    raw: Floats,
    tables: Floats,
    *,
    n_topics: int = 50,
    n_trials: int = 10_000,
    rng: np.random.Generator,
    alphas: Sequence[float] = ALPHAS,
    mapper: Mapper = map,
) -> Within:
    """Correlation of raw with standardized rankings, and power, on random topics: Urbano 2019, Section 3.1.

    Parameters
    ----------
    raw : ndarray, shape (n_systems, n_topics_in_all)
    tables : ndarray, shape (n_tables, n_systems, n_topics_in_all)
        The same standardized on all topics, by each scheme; the raw scores can be among them.
    n_topics : int
        Topics of a trial.
    n_trials : int
    rng : numpy.random.Generator
    alphas : sequence of float
    mapper : callable
        As the builtin map, for workers; results do not depend on it.

    Returns
    -------
    Within

    Raises
    ------
    InputError
        If there are fewer than 3 systems or 4 topics, a score is missing, an alpha is not in (0, 1), or
        there are not as many topics as a trial takes, which is 2 at least.

    Examples
    --------
    >>> raw = np.random.default_rng(1).random((5, 8))
    >>> result = within(raw, np.stack([raw, -raw]), n_topics=4, n_trials=3, rng=np.random.default_rng(2))
    >>> result.raw.tau
    array([[ 1.,  1.,  1.],
           [-1., -1., -1.]])
    """
    for scores in (raw, tables):
        check_scores(scores)
    if tables.shape[1:] != raw.shape:
        raise InputError(f"tables of shape {tables.shape[1:]}, expected that of the raw scores, {raw.shape}")
    check_sizes([n_topics], raw.shape[1], "topics")
    check_alphas(alphas)
    trial = partial(_block, np.concatenate([raw[None], tables]), n_topics, tuple(alphas))
    blocks = list(mapper(trial, permutations(raw.shape[1], n_trials, rng)))
    n_tests = n_trials * len(raw) * (len(raw) - 1) // 2
    return Within(
        Correlations(*np.concatenate([block[0] for block in blocks], axis=-1)),
        np.asarray(alphas, dtype=np.float64),
        np.sum([block[1] for block in blocks], axis=0) / n_tests,
    )


def _block(tables: Floats, n_topics: int, alphas: Sequence[float], order: Ints) -> tuple[Floats, Ints]:
    """Correlations, shape (3, n_tables, n_trials), and significant tests, shape (n_tables, n_alphas)."""
    samples = membership(order[:, :n_topics], order.shape[1])
    means = sample_means(tables, samples).mean
    found = correlations(means[0], means[1:])
    counts = [count_paired(table, samples, alphas) for table in tables[1:]]
    return np.stack([found.tau, found.tau_ap, found.r]), np.stack(counts)
