"""Comparability of scores between two collections (Webber, Moffat, Zobel, SIGIR 2008, Section 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from stdeval.meta.trials import Mapper, Rng, check_number, check_scores, membership, over_known, permutations
from stdeval.meta.ttests import Means, pvalues, sample_means, welch_t
from stdeval.noise import decimals, is_significant, rounded
from stdeval.stats.correlation import correlations
from stdeval.table import Floats, Ints


class CollectionComparison(NamedTuple):
    """Statistics of the same systems on two collections, arrays of shape (n_comparisons,).

    ``rmse`` is the root mean squared difference of the systems' mean scores, and ``drmse`` the rmse divided by the
    mean of the two standard deviations of mean scores (equations 3 and 4); ``drmse_gm`` by their geometric mean.
    ``first_better`` and ``second_better`` count the systems that are significantly better on one than on the other,
    ``false_positives`` both, and ``false_positive_rate`` is their share of the systems.
    """

    rmse: Floats
    drmse: Floats
    drmse_gm: Floats
    tau: Floats
    tau_ap: Floats
    r: Floats
    first_better: Floats
    second_better: Floats
    false_positives: Floats
    false_positive_rate: Floats


class Repartition(NamedTuple):
    """The ``real`` comparison of two collections among the ``trials``: random divisions of their united topics.

    ``mean``, ``low`` and ``high`` are the mean and the 2.5 and 97.5 percentile of the trials, and ``percentile`` is
    the percentage of trials below the real value.
    """

    real: CollectionComparison
    trials: CollectionComparison
    mean: CollectionComparison
    low: CollectionComparison
    high: CollectionComparison
    percentile: CollectionComparison


def compare_collections(first: Floats, second: Floats, *, alpha: float = 0.025) -> CollectionComparison:
    """Compare the scores of the same systems, one per row of both arrays, on two collections.

    Scores are raw, or standardized with the factors of their own collection. Tests are one-tailed.
    """
    check_scores(first)
    check_scores(second)
    check_number("alpha", 0, 1, alpha)
    a, b = (sample_means(scores, np.ones((1, scores.shape[1]))) for scores in (first, second))
    return _compare(a, b, alpha)


def _compare(a: Means, b: Means, alpha: float) -> CollectionComparison:
    difference = a.mean - b.mean
    rmse = np.sqrt((difference**2).mean(axis=-1))
    # The mean of equal numbers may be rounded, which would leave a deviation.
    sds = [np.where(np.ptp(each.mean, axis=-1) == 0, 0.0, each.mean.std(axis=-1, ddof=1)) for each in (a, b)]
    spreads = (sum(sds) / 2, np.sqrt(sds[0] * sds[1]))
    drmse, gm = (np.divide(rmse, sd, out=np.full(rmse.shape, np.nan), where=sd > 0) for sd in spreads)
    # One-tailed at alpha is two-tailed at 2 alpha, and a difference in the direction of the tail.
    significant = is_significant(pvalues(*welch_t(difference, a.error, b.error, a.n, b.n)), 2 * alpha)
    sides = (significant & (difference > 0), significant & (difference < 0))
    first, second = (np.count_nonzero(side, axis=-1).astype(np.float64) for side in sides)
    rate = np.mean(sides[0] | sides[1], axis=-1)
    return CollectionComparison(rmse, drmse, gm, *correlations(a.mean, b.mean), first, second, first + second, rate)


def repartition(
    first: Floats, second: Floats, *, n_trials: int = 2000, rng: Rng, alpha: float = 0.025, mapper: Mapper = map
) -> Repartition:
    """Repeat `compare_collections` on random divisions of the united topics into parts of the same sizes."""
    real = compare_collections(first, second, alpha=alpha)
    united = np.concatenate([first, second], axis=1)
    trial = partial(_block, united, first.shape[1], alpha)
    blocks = mapper(trial, permutations(united.shape[1], n_trials, rng))
    trials = CollectionComparison(*map(np.concatenate, zip(*blocks, strict=True)))

    def summary(statistic: Callable[[Floats], Any], of: Iterable[Floats] = trials) -> CollectionComparison:
        return CollectionComparison(*(np.array([over_known(statistic, values)]) for values in of))

    low, high = (summary(partial(np.percentile, q=q)) for q in (2.5, 97.5))
    above = (rounded(values - own, decimals(own)) for values, own in zip(trials, real, strict=True))
    percentile = summary(lambda values: 100 * (np.mean(values < 0) + np.mean(values == 0) / 2), above)
    return Repartition(real, trials, summary(np.mean), low, high, percentile)


def _block(united: Floats, size: int, alpha: float, order: Ints) -> CollectionComparison:
    first = membership(order[:, :size], order.shape[1])
    return _compare(sample_means(united, first), sample_means(united, 1 - first), alpha)
