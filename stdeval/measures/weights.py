"""Rank weights: how much a relevant document at each rank contributes to the score by a measure.

References
----------
W. Webber, A. Moffat, J. Zobel. The effect of pooling and evaluation depth on metric stability. EVIA 2010,
section 3.1 and Figure 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from stdeval.arrays import Floats
from stdeval.errors import InputError
from stdeval.measures.parameters import Measure


def dcg_weights(depth: int) -> Floats:
    """Burges' discount, 1 / log2(rank + 1), of the ranks 1 to depth; trec_eval's ndcg has it too.

    Parameters
    ----------
    depth : int
        Number of ranks.

    Returns
    -------
    ndarray, shape (depth,)
        Read-only, because it is shared with other callers.

    References
    ----------
    C. Burges et al. Learning to rank using gradient descent. ICML 2005.

    Examples
    --------
    >>> dcg_weights(3).round(4)
    array([1.    , 0.6309, 0.5   ])
    """
    return _dcg_weights(_padded(depth))[:depth]


def jkdcg_weights(depth: int) -> Floats:
    """Discount of Jarvelin & Kekalainen with b = 2, 1 / max(1, log2(rank)), of the ranks 1 to depth.

    Equation 5 of Webber, Moffat & Zobel prints min(2, rank) inside the logarithm where max(2, rank) is meant: the
    first two ranks are not discounted.

    Parameters
    ----------
    depth : int
        Number of ranks.

    Returns
    -------
    ndarray, shape (depth,)
        Read-only, because it is shared with other callers.

    References
    ----------
    K. Jarvelin, J. Kekalainen. Cumulated gain-based evaluation of IR techniques. TOIS 20(4), 2002.

    Examples
    --------
    >>> jkdcg_weights(4).round(4)
    array([1.    , 1.    , 0.6309, 0.5   ])

    To depth 1000, 82% of the weight lies in the ranks 101 to 1000 (Webber, Moffat & Zobel 2010, section 3.1):

    >>> weight_shares(jkdcg_weights(1000), [(1, 100), (101, 1000)]).round(2)
    array([0.18, 0.82])
    """
    return _jkdcg_weights(_padded(depth))[:depth]


def rbp_weights(depth: int, p: float) -> Floats:
    """Weights of rank-biased precision, (1 - p) p^(rank - 1), of the ranks 1 to depth: equation 6.

    Parameters
    ----------
    depth : int
        Number of ranks.
    p : float
        Persistence, in [0, 1): the probability that the user goes on to the next rank.

    Returns
    -------
    ndarray, shape (depth,)
        Read-only, because it is shared with other callers; the sum is 1 - p^depth.

    Raises
    ------
    InputError
        If p is outside [0, 1).

    References
    ----------
    A. Moffat, J. Zobel. Rank-biased precision for measurement of retrieval effectiveness. TOIS 27(1), 2008.

    Examples
    --------
    >>> rbp_weights(3, 0.5)
    array([0.5  , 0.25 , 0.125])

    With p = 0.95, half a percent of the weight lies in the ranks 101 to 1000; with p = 0.9977, 77% does
    (Webber, Moffat & Zobel 2010, section 3.1):

    >>> [weight_shares(rbp_weights(1000, p), [(101, 1000)]).item() for p in (0.95, 0.9977)]  # doctest: +ELLIPSIS
    [0.0059..., 0.77...]
    """
    return _rbp_weights(_padded(depth), p)[:depth]


_OF_MEASURES: dict[str, Callable[..., Floats]] = {
    "jkdcg": jkdcg_weights,
    "njkdcg": jkdcg_weights,
    "enjkdcg": jkdcg_weights,
    "dcg": dcg_weights,
    "ndcg": dcg_weights,
    "ndcg_exp": dcg_weights,
    "rbp": rbp_weights,
    "nrbp": rbp_weights,
}


def rank_weights(measure: Measure, depth: int) -> Floats:
    """Weight of a relevant document at each rank by a measure, before normalization.

    Parameters
    ----------
    measure : Measure
        A measure of the DCG family, or rank-biased precision.
    depth : int
        Number of ranks.

    Returns
    -------
    ndarray, shape (depth,)
        0 beyond the cutoff of the measure, if it has one.

    Raises
    ------
    InputError
        If the measure does not weigh a document by its rank alone.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> rank_weights(resolve(["RBP(p=0.5)@3"])[0], 4)
    array([0.5  , 0.25 , 0.125, 0.   ])
    """
    weights = _OF_MEASURES.get(measure.family.name.removesuffix("_cut"))
    if weights is None:
        known = ", ".join(_OF_MEASURES)
        raise InputError(f"measure '{measure.name}' has no weights by rank alone, expected one of: {known}")
    p = () if measure.persistence is None else (measure.persistence,)
    up_to_cutoff: Floats = np.where(np.arange(depth) < (measure.cutoff or depth), weights(depth, *p), 0.0)
    return up_to_cutoff


def weight_shares(weights: Floats, ranges: Sequence[tuple[int, int]]) -> Floats:
    """Share of the weight that lies in each range of ranks.

    Parameters
    ----------
    weights : ndarray, shape (depth,)
        Rank weights; shares are relative to their sum, that is, to the base score without a residual.
    ranges : sequence of (first, last)
        Ranks are counted from 1, and both ends belong to the range.

    Returns
    -------
    ndarray, shape (n_ranges,)
        In [0, 1].

    Raises
    ------
    InputError
        If a range is empty or not within the ranks 1 to depth.

    Examples
    --------
    >>> weight_shares(np.array([0.5, 0.25, 0.125, 0.125]), [(1, 1), (2, 4)])
    array([0.5, 0.5])
    """
    for first, last in ranges:
        if not 1 <= first <= last <= len(weights):
            raise InputError(f"ranks {first}-{last}, expected a range within 1-{len(weights)}")
    shares: Floats = np.array([weights[first - 1 : last].sum() for first, last in ranges]) / weights.sum()
    return shares


def _padded(depth: int) -> int:
    """Return the next power of two, so that a few cached vectors serve runs of any length."""
    return 1 << max(depth - 1, 0).bit_length()


@lru_cache(maxsize=8)
def _dcg_weights(depth: int) -> Floats:
    return _read_only(1.0 / np.log2(np.arange(2, depth + 2)))


@lru_cache(maxsize=8)
def _jkdcg_weights(depth: int) -> Floats:
    return _read_only(1.0 / np.log2(np.maximum(2, np.arange(1, depth + 1))))


@lru_cache(maxsize=32)
def _rbp_weights(depth: int, p: float) -> Floats:
    if not 0 <= p < 1:
        raise InputError(f"persistence p={p:g}, expected a number of at least 0 and below 1")
    weights: Floats = (1 - p) * p ** np.arange(depth, dtype=np.float64)
    return _read_only(weights)


def _read_only(weights: Floats) -> Floats:
    weights.flags.writeable = False
    return weights
