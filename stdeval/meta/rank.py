"""Discriminative power (Sakai, SIGIR 2006) and agreement of rankings: Tables 1 to 3 of Webber et al., EVIA 2010."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stdeval.errors import InputError
from stdeval.meta import ttests
from stdeval.meta.trials import check_number, check_scores
from stdeval.noise import decimals, is_significant, rounded
from stdeval.stats.correlation import Correlations, correlations
from stdeval.table import Floats


class Power(NamedTuple):
    """Shares in [0, 1] of the ``n_pairs`` system pairs that differ significantly, one per significance level."""

    shares: Floats
    n_pairs: int


def pair_pvalues(scores: Floats, *, unpaired: bool = False, welch: bool = False) -> Floats:
    """Return the two-tailed p-value of the t test between every two systems."""
    check_scores(scores)
    if not unpaired:
        return ttests.paired_pvalues(scores)
    mean, error, n = ttests.sample_means(scores, np.ones((1, scores.shape[1])))
    first, second = np.triu_indices(len(scores), 1)
    difference = mean[0, first] - mean[0, second]
    tsquared, df = ttests.welch(difference, error[0, first], error[0, second], n, n)
    # Samples of one size have the same t with pooled variances; only its degrees of freedom differ.
    return ttests.pvalues(tsquared, df if welch else 2 * n - 2)


def discriminative_power(
    scores: Floats, alphas: Sequence[float] = (0.05,), *, unpaired: bool = False, welch: bool = False
) -> Power:
    """Return the share of system pairs that differ significantly, with p <= alpha in the two-tailed t test.

    Topics are paired unless ``unpaired`` (Student's test); with ``welch`` too, the variances may differ.
    """
    check_number("alpha", 0, 1, *alphas)
    pairs = pair_pvalues(scores, unpaired=unpaired, welch=welch)
    return Power(np.mean(is_significant(pairs, np.asarray(alphas)[:, None]), axis=1), len(pairs))


def rank_correlations(vectors: Floats) -> Correlations:
    """Return the correlations of every two score vectors, arrays of shape (n_vectors, n_vectors).

    A vector has the overall scores of all systems by one measure, scheme or aggregate; higher is better.
    """
    n_vectors, n_systems = vectors.shape
    if n_systems < 3 or not np.isfinite(vectors).all():
        raise InputError(f"{n_systems} systems, expected at least 3, and finite scores without gaps")
    rows, columns = np.triu_indices(n_vectors)
    matrices = Correlations(*np.empty((3, n_vectors, n_vectors)))
    for matrix, upper in zip(matrices, correlations(vectors[rows], vectors[columns]), strict=True):
        matrix[rows, columns] = matrix[columns, rows] = upper
    return matrices


def pvalue_correlations(scores: Floats, *, unpaired: bool = False, welch: bool = False) -> Correlations:
    """Return the correlations of every two orderings of system pairs by p-value, the smallest first.

    Scores of the same systems have the shape (n_tables, n_systems, n_topics); tests are those of
    `stdeval.meta.discriminative_power`.
    """
    pvalues = np.stack([pair_pvalues(table, unpaired=unpaired, welch=welch) for table in scores])
    # Negated, because higher values rank first. Each is rounded to twelve digits of its own, because small p-values
    # differ although they are all near 0.
    return rank_correlations(-rounded(pvalues, decimals(pvalues, axis=())))
