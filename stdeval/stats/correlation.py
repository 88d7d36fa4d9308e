"""Correlation of two score vectors over the same items: Kendall's tau, AP correlation, Pearson's r.

All functions work on the last axis, so one call can correlate many trials. The item with the higher score ranks
first.

References
----------
J. Urbano, M. Marrero. The treatment of ties in AP correlation. ICTIR 2017. (tau_b, tau_ap,b)

E. Yilmaz, J. Aslam, S. Robertson. A new rank correlation coefficient for information retrieval.
SIGIR 2008. (tau_ap)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stdeval.errors import InputError
from stdeval.table import Floats

_COMPARISONS = 1 << 17
"""Number of comparisons held at a time; small enough for the processor's cache, whatever the number of items."""


@dataclass(frozen=True, eq=False)
class Correlations:
    """Kendall's tau_b, the symmetric tau_ap,b and Pearson's r of the same vectors, in arrays of one shape."""

    tau: Floats
    tau_ap: Floats
    r: Floats


def concatenate(parts: Sequence[Correlations]) -> Correlations:
    """Return the correlations of consecutive blocks of trials, joined along the last axis."""
    return Correlations(
        tau=np.concatenate([part.tau for part in parts], axis=-1),
        tau_ap=np.concatenate([part.tau_ap for part in parts], axis=-1),
        r=np.concatenate([part.r for part in parts], axis=-1),
    )


@dataclass(frozen=True, eq=False)
class _Comparisons:
    """Numbers of items ranked strictly above each item, arrays of shape (n_vectors, n_items).

    ``in_x`` and ``in_y`` count those above it in x and in y, ``both`` those above it in both, and ``opposed`` those
    above it in x but strictly below it in y.
    """

    in_x: Floats
    in_y: Floats
    both: Floats
    opposed: Floats


def _number_above(values: Floats) -> Floats:
    # In sorted order, the number above an item is the position at which its group of ties starts.
    order = np.argsort(-values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    group_starts = np.zeros(values.shape)
    group_starts[:, 1:] = np.where(ordered[:, 1:] == ordered[:, :-1], 0, np.arange(1, values.shape[1]))
    above = np.empty(values.shape)
    np.put_along_axis(above, order, np.maximum.accumulate(group_starts, axis=-1), axis=-1)
    return above


def _slabs(n_vectors: int, n_items: int) -> Iterator[tuple[slice, slice]]:
    """Yield slices of the vectors and of the items whose comparisons are computed together."""
    vectors = max(1, _COMPARISONS // n_items**2)
    items = max(1, min(n_items, _COMPARISONS // n_items))
    for v in range(0, n_vectors, vectors):
        for i in range(0, n_items, items):
            yield slice(v, v + vectors), slice(i, i + items)


def _compare(x: Floats, y: Floats) -> _Comparisons:
    in_x, in_y = _number_above(x), _number_above(y)
    # The smallest integer type that holds a rank makes comparing and counting several times as fast.
    counter = np.min_scalar_type(x.shape[1])
    ranks_x, ranks_y = in_x.astype(counter), in_y.astype(counter)
    both, opposed = np.empty(x.shape), np.empty(x.shape)
    for vectors, items in _slabs(*x.shape):
        x_above = ranks_x[vectors, :, None] < ranks_x[vectors, None, items]
        other, own = ranks_y[vectors, :, None], ranks_y[vectors, None, items]
        for counts, y_differs in ((both, other < own), (opposed, other > own)):
            counts[vectors, items] = (x_above & y_differs).view(np.uint8).sum(axis=1, dtype=counter)
    return _Comparisons(in_x, in_y, both, opposed)


def _tau(above: _Comparisons) -> Floats:
    untied = np.sqrt(above.in_x.sum(axis=-1) * above.in_y.sum(axis=-1))
    agreement = (above.both - above.opposed).sum(axis=-1)
    # If all items of a vector are tied, it has no untied pair, and tau is undefined.
    tau: Floats = np.divide(agreement, untied, out=np.full(untied.shape, np.nan), where=untied > 0)
    return tau


def _one_sided_tau_ap(concordant: Floats, above: Floats) -> Floats:
    share = np.divide(concordant, above, out=np.zeros_like(above), where=above > 0)
    with np.errstate(invalid="ignore"):
        tau_ap: Floats = 2 * share.sum(axis=-1) / np.count_nonzero(above, axis=-1) - 1
    return tau_ap


def _tau_ap(above: _Comparisons) -> Floats:
    return (_one_sided_tau_ap(above.both, above.in_x) + _one_sided_tau_ap(above.both, above.in_y)) / 2


def _vectors(x: Floats, y: Floats) -> tuple[Floats, Floats, tuple[int, ...]]:
    """Return x and y in the shape (n_vectors, n_items), and their common shape without the last axis.

    A vector with a missing score is replaced by zeros, which correlate with nothing: the result is NaN.
    """
    if x.shape[-1] != y.shape[-1]:
        raise InputError(f"{x.shape[-1]} and {y.shape[-1]} items to correlate, expected the same items")
    if x.shape[-1] < 2:
        raise InputError("one item to correlate, expected at least two")
    x, y = np.broadcast_arrays(x, y)
    missing = np.isnan(x).any(axis=-1, keepdims=True) | np.isnan(y).any(axis=-1, keepdims=True)
    flat_x, flat_y = (np.where(missing, 0.0, values).reshape(-1, values.shape[-1]) for values in (x, y))
    return flat_x, flat_y, x.shape[:-1]


def tau_b(x: Floats, y: Floats) -> Floats:
    """Return Kendall's tau_b, which takes ties into account.

    It is the number of concordant minus discordant pairs, divided by the geometric mean of the numbers of pairs
    that are not tied in x and in y.

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
        If there are fewer than two items, or different numbers of them in x and y.

    Examples
    --------
    >>> round(float(tau_b(np.array([4.0, 3.0, 2.0, 1.0]), np.array([4.0, 3.0, 1.0, 2.0]))), 4)
    0.6667
    """
    x, y, shape = _vectors(x, y)
    return _tau(_compare(x, y)).reshape(shape)[()]


def tau_ap_b(x: Floats, y: Floats) -> Floats:
    """Return the symmetric AP correlation with ties, tau_ap,b (Urbano & Marrero 2017).

    For each item below the top tie group of x, consider the items ranked strictly above its tie group in x, and
    take the share of them that y ranks above it as well. The mean of these shares is scaled to [-1, 1]. The
    result is the mean of this value and the value with x and y exchanged. Disagreement at the top weighs more
    than disagreement further down.

    Parameters, returned array and errors are those of `tau_b`.

    Examples
    --------
    >>> x, swapped_at_top = np.array([4.0, 3.0, 2.0, 1.0]), np.array([3.0, 4.0, 2.0, 1.0])
    >>> round(float(tau_ap_b(x, swapped_at_top)), 4), round(float(tau_ap_b(x[::-1], swapped_at_top[::-1])), 4)
    (0.3333, 0.3333)
    >>> round(float(tau_ap_b(-x, -swapped_at_top)), 4)
    0.7778
    """
    x, y, shape = _vectors(x, y)
    return _tau_ap(_compare(x, y)).reshape(shape)[()]


def pearson(x: Floats, y: Floats) -> Floats:
    """Return Pearson's product-moment correlation.

    Parameters, returned array and errors are those of `tau_b`.

    Examples
    --------
    >>> round(float(pearson(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]))), 4)
    0.982
    """
    x, y, shape = _vectors(x, y)
    return _pearson(x, y).reshape(shape)[()]


def _pearson(x: Floats, y: Floats) -> Floats:
    dx, dy = (_unit_deviations(values) for values in (x, y))
    # Rounding may leave the product of two unit vectors slightly outside [-1, 1].
    r: Floats = np.clip((dx * dy).sum(axis=-1), -1.0, 1.0)
    return r


def _unit_deviations(values: Floats) -> Floats:
    """Return the deviations from the mean as vectors of length 1; NaN if all values are equal."""
    deviations = values - values.mean(axis=-1, keepdims=True)
    # The mean of equal values may be rounded, which would leave deviations that are not 0.
    equal = np.ptp(values, axis=-1, keepdims=True) == 0
    length = np.where(equal, np.nan, np.sqrt((deviations**2).sum(axis=-1, keepdims=True)))
    unit: Floats = deviations / length
    return unit


def correlations(x: Floats, y: Floats) -> Correlations:
    """Return all three correlations, with one matrix of comparisons for both rank correlations.

    Parameters, shapes and errors are those of `tau_b`.

    Examples
    --------
    >>> float(correlations(np.array([3.0, 2.0, 1.0]), np.array([1.0, 2.0, 3.0])).tau_ap)
    -1.0
    """
    x, y, shape = _vectors(x, y)
    above = _compare(x, y)
    # [()] turns an array without axes into a scalar.
    return Correlations(*(values.reshape(shape)[()] for values in (_tau(above), _tau_ap(above), _pearson(x, y))))
