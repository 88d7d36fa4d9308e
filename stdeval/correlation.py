"""Correlation of two score vectors over the same items: Kendall's tau, AP correlation, Pearson's r.

Everything works on the last axis, so that many trials are one call. The item with the higher score
ranks first.

References
----------
J. Urbano, M. Marrero. The treatment of ties in AP correlation. ICTIR 2017. (tau_b, tau_ap,b)

E. Yilmaz, J. Aslam, S. Robertson. A new rank correlation coefficient for information retrieval.
SIGIR 2008. (tau_ap)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stdeval.errors import InputError
from stdeval.table import Bools, Floats

_COMPARISONS = 1 << 17
"""Comparisons held at a time: their matrices stay in the processor's cache, and memory small for any n."""


@dataclass(frozen=True, eq=False)
class Correlations:
    """Kendall's tau_b, the symmetric tau_ap,b and Pearson's r of the same vectors, in arrays of one shape."""

    tau: Floats
    tau_ap: Floats
    r: Floats


@dataclass(frozen=True, eq=False)
class _Agreement:
    """What the comparisons of all items say, shape (n_vectors, n_items) or (n_vectors,)."""

    concordant: Floats
    discordant: Floats
    above_x: Floats
    above_y: Floats


def _slabs(n_vectors: int, n_items: int) -> Iterator[tuple[slice, slice]]:
    vectors = max(1, _COMPARISONS // n_items**2)
    items = max(1, min(n_items, _COMPARISONS // n_items))
    for v in range(0, n_vectors, vectors):
        for i in range(0, n_items, items):
            yield slice(v, v + vectors), slice(i, i + items)


def _above(values: Floats, where: tuple[slice, slice]) -> Bools:
    above: Bools = values[where[0], :, None] > values[where[0], None, where[1]]
    return above


def _agreement(x: Floats, y: Floats) -> _Agreement:
    """Per item: how many are strictly above it in x, in y, in both; and in all: the discordant pairs."""
    n_vectors, n_items = x.shape
    small = np.min_scalar_type(n_items)
    counts = np.zeros((3, n_vectors, n_items))
    discordant = np.zeros(n_vectors)
    for where in _slabs(n_vectors, n_items):
        x_above, y_above = _above(x, where), _above(y, where)
        for row, matrix in zip(counts, (x_above & y_above, x_above, y_above), strict=True):
            row[where] = matrix.view(np.uint8).sum(axis=1, dtype=small)
        y_below = _above(-y, where)
        discordant[where[0]] += np.count_nonzero(x_above & y_below, axis=(1, 2))
    return _Agreement(counts[0], discordant, counts[1], counts[2])


def _tau(pairs: _Agreement) -> Floats:
    untied = pairs.above_x.sum(axis=-1) * pairs.above_y.sum(axis=-1)
    with np.errstate(invalid="ignore"):
        tau: Floats = (pairs.concordant.sum(axis=-1) - pairs.discordant) / np.sqrt(untied)
    return tau


def _one_sided_tau_ap(concordant: Floats, above: Floats) -> Floats:
    share = np.divide(concordant, above, out=np.zeros_like(above), where=above > 0)
    with np.errstate(invalid="ignore"):
        tau_ap: Floats = 2 * share.sum(axis=-1) / np.count_nonzero(above, axis=-1) - 1
    return tau_ap


def _tau_ap(pairs: _Agreement) -> Floats:
    by_x = _one_sided_tau_ap(pairs.concordant, pairs.above_x)
    return (by_x + _one_sided_tau_ap(pairs.concordant, pairs.above_y)) / 2


def _vectors(x: Floats, y: Floats) -> tuple[Floats, Floats, tuple[int, ...]]:
    """Both as (n_vectors, n_items), with NaN through the whole of a vector that misses a score."""
    if x.shape[-1] != y.shape[-1]:
        raise InputError(f"{x.shape[-1]} and {y.shape[-1]} items to correlate, expected the same items")
    if x.shape[-1] < 2:
        raise InputError("one item to correlate, expected at least two")
    x, y = np.broadcast_arrays(x, y)
    shape = x.shape[:-1]
    missing = np.isnan(x).any(axis=-1, keepdims=True) | np.isnan(y).any(axis=-1, keepdims=True)
    x, y = (np.where(missing, np.nan, values).reshape(-1, values.shape[-1]) for values in (x, y))
    return x, y, shape


def tau_b(x: Floats, y: Floats) -> Floats:
    """Kendall's tau_b: concordant less discordant pairs over the geometric mean of the untied ones.

    Parameters
    ----------
    x, y : ndarray, shape (..., n_items)
        Scores; leading axes are broadcast.

    Returns
    -------
    ndarray, shape (...)
        In [-1, 1]; NaN where a score is missing or all are tied.

    Raises
    ------
    InputError
        If there are fewer than two items, or not as many in x as in y.

    Examples
    --------
    >>> round(float(tau_b(np.array([4.0, 3.0, 2.0, 1.0]), np.array([4.0, 3.0, 1.0, 2.0]))), 4)
    0.6667
    """
    x, y, shape = _vectors(x, y)
    return _tau(_agreement(x, y)).reshape(shape)[()]


def tau_ap_b(x: Floats, y: Floats) -> Floats:
    """AP correlation with ties, symmetric: Urbano & Marrero 2017.

    The share of the items ranked strictly above an item's tie group in x that are above it in y as
    well, averaged over the items that are not in the top group, and scaled to [-1, 1]; then the mean
    of this and of the same with x and y exchanged. Disagreement at the top weighs more than below.

    Parameters, what is returned and what is raised are those of `tau_b`.

    Examples
    --------
    >>> x, swapped_at_top = np.array([4.0, 3.0, 2.0, 1.0]), np.array([3.0, 4.0, 2.0, 1.0])
    >>> round(float(tau_ap_b(x, swapped_at_top)), 4), round(float(tau_ap_b(x[::-1], swapped_at_top[::-1])), 4)
    (0.3333, 0.3333)
    >>> round(float(tau_ap_b(-x, -swapped_at_top)), 4)
    0.7778
    """
    x, y, shape = _vectors(x, y)
    return _tau_ap(_agreement(x, y)).reshape(shape)[()]


def pearson(x: Floats, y: Floats) -> Floats:
    """Pearson's product-moment correlation.

    Parameters, what is returned and what is raised are those of `tau_b`.

    Examples
    --------
    >>> round(float(pearson(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]))), 4)
    0.982
    """
    x, y, shape = _vectors(x, y)
    return _pearson(x, y).reshape(shape)[()]


def _pearson(x: Floats, y: Floats) -> Floats:
    dx, dy = (_unit_deviations(values) for values in (x, y))
    r: Floats = np.clip((dx * dy).sum(axis=-1), -1.0, 1.0)
    return r


def _unit_deviations(values: Floats) -> Floats:
    """Deviations from the mean as vectors of length 1; NaN where all are equal, whatever their mean rounds to."""
    deviations = values - values.mean(axis=-1, keepdims=True)
    equal = np.ptp(values, axis=-1, keepdims=True) == 0
    length = np.where(equal, np.nan, np.sqrt((deviations**2).sum(axis=-1, keepdims=True)))
    unit: Floats = deviations / length
    return unit


def correlations(x: Floats, y: Floats) -> Correlations:
    """All three, with one matrix of comparisons for both rank correlations.

    Parameters, shapes and what is raised are those of `tau_b`.

    Examples
    --------
    >>> float(correlations(np.array([3.0, 2.0, 1.0]), np.array([1.0, 2.0, 3.0])).tau_ap)
    -1.0
    """
    x, y, shape = _vectors(x, y)
    pairs = _agreement(x, y)
    return Correlations(*(values.reshape(shape)[()] for values in (_tau(pairs), _tau_ap(pairs), _pearson(x, y))))
