"""Scores so close that two programs must have computed them."""

from __future__ import annotations

import numpy as np

from stdeval.measures.facts import has_tiny_weights
from stdeval.measures.names import split_prefix, split_scheme
from stdeval.noise import FULL
from stdeval.table import Bools, Floats

_CLOSE, _FEWEST_CLOSE = 1e-6, 5
"""Two scores are close if they differ by less than this share, as those of real runs hardly ever do so often."""


def close_systems(scores: Floats, measure: str) -> tuple[int, int, int] | None:
    """Return two systems whose scores are close, but not equal, on many topics; None if there are none.

    By any measure that does not give tiny weights to documents, no two of 126 real runs are close on more than two
    topics. By the others, systems must be close on all topics on which they differ, as the scores of one ranking by
    two programs are.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        NaN is missing.
    measure : str

    Returns
    -------
    tuple of int, optional
        The places of both systems, which have the most close scores, and the number of these topics.

    Examples
    --------
    >>> exact = np.array([0.63, 0.5, 0.21, 0.4, 0.7, 0.35])
    >>> close_systems(np.array([exact, 1.00000003 * exact]), "ndcg_cut_10")
    (0, 1, 6)
    """
    if split_scheme(split_prefix(measure)[1])[0]:
        return None
    # All pairs would be too many, so only neighbours in the order of a topic's scores are compared.
    order = np.argsort(scores, axis=0)
    ordered = np.take_along_axis(scores, order, axis=0)
    close = _are_close(ordered[:-1], ordered[1:])
    if np.count_nonzero(close.any(axis=0)) < _FEWEST_CLOSE:
        return None
    pairs = np.sort(np.stack([order[:-1][close], order[1:][close]], axis=1), axis=1)
    different, numbers = np.unique(pairs, axis=0, return_counts=True)
    one, other = different[numbers.argmax()].tolist()
    n_close = int(np.count_nonzero(_are_close(scores[one], scores[other])))
    if has_tiny_weights(measure) and n_close < np.count_nonzero(_differ(scores[one], scores[other])):
        return None
    return one, other, n_close


def _are_close(one: Floats, other: Floats) -> Bools:
    """Return True where two scores differ by more than noise, but by less than a millionth of them."""
    sizes = np.maximum(np.abs(one), np.abs(other))
    return np.asarray(_differ(one, other) & (np.abs(other - one) < _CLOSE * sizes))


def _differ(one: Floats, other: Floats) -> Bools:
    """Return True where two scores differ by more than noise."""
    return np.asarray(np.abs(other - one) > FULL.tolerance(np.maximum(np.abs(one), np.abs(other))))
