"""Bounds of the mean difference of two systems by rank-biased precision, whatever the unjudged documents are.

References
----------
A. Moffat, J. Zobel. Rank-biased precision for measurement of retrieval effectiveness. TOIS 27(1), 2008. (residuals)
"""

from __future__ import annotations

import numpy as np

from stdeval.noise import decimals, rounded
from stdeval.table import Bools, Floats, Ints


def residual_bounds(
    scores: Floats, residuals: Floats, shared: Floats, first: Ints, second: Ints
) -> tuple[Floats, Floats]:
    """Return the least and the greatest mean difference that two runs can have, whatever unjudged documents are.

    The difference is greatest if the unjudged documents to which the first run gives more weight than the second
    are relevant, all documents beyond the end of the first run too, and no others. The first run then gains its
    residual, without the weight that both runs give to the same documents. Documents beyond the end of a run are
    taken as unknown to the other run.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        Rank-biased precision; NaN is missing.
    residuals : ndarray, shape (n_systems, n_topics)
        Its residuals, as from `stdeval.measures.papers.rbp_resid`, without the weight beyond a cutoff.
    shared : ndarray, shape (n_systems, n_systems)
        As from `stdeval.measures.unjudged.UnjudgedDocuments.shared_weights`.
    first, second : ndarray of int, shape (n_pairs,)
        Indices of the systems of each pair.

    Returns
    -------
    low, high : ndarray, shape (n_pairs,)
        Over the topics that both systems have; NaN where there are none.

    Examples
    --------
    The runs of the example there, the first with a weight of 0.25 beyond its end, the second with 0.125:

    >>> scores, residuals = np.array([[0.5], [0.25]]), np.array([[0.5], [0.75]])
    >>> shared, pair = np.array([[0.25, 0.25], [0.25, 0.625]]), (np.array([0]), np.array([1]))
    >>> residual_bounds(scores, residuals, shared, *pair)
    (array([-0.25]), array([0.5]))
    """
    present = (~np.isnan(scores)).astype(np.float64)
    n = (present @ present.T)[first, second]
    # Entry i, j of a product is the sum of i's values over the topics that j has as well.
    known, unknown = (np.nan_to_num(values) @ present.T for values in (scores, residuals))
    difference = (known - known.T)[first, second]
    gain = np.maximum(unknown - shared, 0.0)
    with np.errstate(invalid="ignore"):
        low, high = (difference - gain[second, first]) / n, (difference + gain[first, second]) / n
    return low, high


def is_decided(low: Floats, high: Floats) -> Bools:
    """Return True where the bounds of a difference of scores in [0, 1] have the same sign, or are both 0.

    Parameters
    ----------
    low, high : ndarray
        As from `residual_bounds`; NaN is not decided.

    Examples
    --------
    >>> is_decided(np.array([-0.2, 0.1, 1e-17, 0.0]), np.array([0.1, 0.2, 1e-17, 0.1]))
    array([False,  True,  True, False])
    """
    # Bounds are sums of scores in [0, 1], and noise is relative to these, not to the bounds.
    places = decimals(1.0)
    return np.asarray(np.sign(rounded(low, places)) == np.sign(rounded(high, places)))
