"""Agreement of rankings by measures, schemes or aggregates (Webber, Moffat, Zobel, EVIA 2010, Tables 2 and 3)."""

from __future__ import annotations

import numpy as np

from stdeval.errors import InputError
from stdeval.meta.power import pair_pvalues
from stdeval.noise import decimals, rounded
from stdeval.stats.correlation import Correlations, correlations
from stdeval.table import Floats


def rank_correlations(vectors: Floats) -> Correlations:
    """Return the correlations of every two score vectors, arrays of shape (n_vectors, n_vectors).

    Parameters
    ----------
    vectors : ndarray, shape (n_vectors, n_systems)
        Overall scores of the systems by each measure, scheme or aggregate; higher is better.

    Examples
    --------
    >>> rank_correlations(np.array([[0.1, 0.2, 0.3], [0.1, 0.3, 0.2]])).tau.round(4)
    array([[1.    , 0.3333],
           [0.3333, 1.    ]])
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

    Examples
    --------
    >>> scores = np.array([[0.1, 0.5, 0.2, 0.9], [0.3, 0.6, 0.2, 0.9], [0.4, 0.9, 0.3, 0.8]])
    >>> pvalue_correlations(np.stack([scores, scores**2])).tau[0, 1].round(4)
    np.float64(0.3333)
    """
    # The smallest p-value comes first, but higher values rank first.
    pvalues = np.stack([pair_pvalues(table, unpaired=unpaired, welch=welch) for table in scores])
    # Each is rounded to twelve digits of its own, because small p-values differ although they are all near 0.
    return rank_correlations(-rounded(pvalues, decimals(pvalues, axis=())))
