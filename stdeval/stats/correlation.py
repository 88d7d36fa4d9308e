"""Correlation of two score vectors over the same items, the last axis: Kendall's tau, AP correlation, Pearson's r.

The item with the higher score ranks first. With ties: Urbano, Marrero, The treatment of ties in AP correlation,
ICTIR 2017. AP correlation: Yilmaz, Aslam, Robertson, SIGIR 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from stdeval.errors import InputError
from stdeval.table import Floats, Ints

_COMPARISONS = 1 << 17  # comparisons held at a time; few enough for the processor's cache

_Counts: TypeAlias = "np.ndarray[Any, np.dtype[np.int32]]"


class Correlations(NamedTuple):
    """Three correlations of the same vectors, in [-1, 1]: arrays of one shape, NaN where one is undefined.

    ``tau`` is Kendall's tau_b: the number of concordant minus discordant pairs, divided by the geometric mean of
    the numbers of pairs that are not tied in x and in y. ``tau_ap`` is the symmetric tau_ap,b: for each item below
    the top tie group of x, take the share of the items strictly above its tie group that y ranks above it as well;
    scale the mean of these shares to [-1, 1]; take the mean of this value and the one with x and y exchanged. Items
    that are tied in one vector count as a disagreement, so that it is below 0 on average for unrelated vectors with
    many ties. ``r`` is Pearson's correlation.
    """

    tau: Floats
    tau_ap: Floats
    r: Floats


def concatenate(parts: Sequence[Correlations]) -> Correlations:
    """Return the correlations of consecutive blocks of trials, joined along the last axis."""
    return Correlations(*(np.concatenate(values, axis=-1) for values in zip(*parts, strict=True)))


def correlations(x: Floats, y: Floats) -> Correlations:
    """Return all three correlations of vectors x and y.

    ``x`` and ``y`` have the shape (..., n_items); leading axes are broadcast, and are those of the results. These
    are NaN where a score is missing, and where all scores are tied.
    """
    x, y, shape = _vectors(x, y)
    above = _compare(x, y)
    # [()] turns an array without axes into a scalar.
    return Correlations(*(values.reshape(shape)[()] for values in (_tau(above), _tau_ap(above), _pearson(x, y))))


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


def tau_b(x: Floats, y: Floats) -> Floats:
    """Return Kendall's tau_b alone, see `correlations`."""
    x, y, shape = _vectors(x, y)
    return _tau(_compare(x, y)).reshape(shape)[()]


def pearson(x: Floats, y: Floats) -> Floats:
    """Return Pearson's correlation alone, see `correlations`."""
    x, y, shape = _vectors(x, y)
    return _pearson(x, y).reshape(shape)[()]


def _vectors(x: Floats, y: Floats) -> tuple[Floats, Floats, tuple[int, ...]]:
    """Return x and y in the shape (n_vectors, n_items), and their common shape without the last axis."""
    both = np.stack(np.broadcast_arrays(x, y))
    flat = both.reshape(2, -1, both.shape[-1])
    # all values of a vector become tied, for which the results are NaN
    flat[:, np.isnan(flat).any(axis=(0, 2))] = 0.0
    return flat[0], flat[1], both.shape[1:-1]


class _Comparisons(NamedTuple):
    """Numbers of items ranked strictly above each item, (n_vectors, n_items), and of pairs untied in x or in y."""

    in_x: _Counts
    in_y: _Counts
    both: _Counts
    untied: Ints


def _compare(x: Floats, y: Floats) -> _Comparisons:
    in_x, in_y = _number_above(x), _number_above(y)
    n = x.shape[1]
    # Best in x first, and among those tied in x, worst in y first: above an item in both are just those before it
    # that are above it in y.
    keys = in_x * np.int64(n) - in_y
    order = np.argsort(keys, axis=-1)
    # The smallest integer type that holds a rank makes comparing and counting several times as fast.
    ranks_y = np.take_along_axis(in_y, order, axis=-1).astype(np.min_scalar_type(n))
    both = np.empty_like(in_x)
    np.put_along_axis(both, order, _number_smaller_before(ranks_y), axis=-1)
    untied = _group_starts(np.take_along_axis(keys, order, axis=-1)).sum(axis=-1, dtype=np.int64)
    return _Comparisons(in_x, in_y, both, untied)


def _number_above(values: Floats) -> _Counts:
    # In sorted order, the number above an item is the position at which its group of ties starts.
    order = np.argsort(-values, axis=-1)
    above = np.empty(values.shape, dtype=np.int32)
    np.put_along_axis(above, order, _group_starts(np.take_along_axis(values, order, axis=-1)), axis=-1)
    return above


def _group_starts(ordered: Floats | _Counts) -> _Counts:
    """Return the position at which the group of ties of each position starts, of vectors in sorted order."""
    starts = np.zeros(ordered.shape, dtype=np.int32)
    # True and False times the position are the position and 0.
    positions = np.arange(1, ordered.shape[1], dtype=np.int32)
    np.multiply(ordered[:, 1:] != ordered[:, :-1], positions, out=starts[:, 1:])
    np.maximum.accumulate(starts, axis=-1, out=starts)
    return starts


def _number_smaller_before(ranks: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the number of smaller ranks before each rank of each vector, shape (n_vectors, n_items)."""
    n_vectors, n_items = ranks.shape
    smaller = np.zeros_like(ranks)
    together = max(1, _COMPARISONS // n_items)
    for start in range(0, n_vectors, together):
        # The vectors are columns here, so that comparing and adding go along contiguous rows.
        columns = np.ascontiguousarray(ranks[start : start + together].T)
        for i in range(1, n_items):
            is_smaller = (columns[:i] < columns[i]).view(np.uint8)
            smaller[start : start + together, i] = is_smaller.sum(axis=0, dtype=ranks.dtype)
    return smaller


def _tau(above: _Comparisons) -> Floats:
    untied_x, untied_y, concordant = (each.sum(axis=-1, dtype=np.float64) for each in above[:3])
    # Concordant and discordant pairs are tied in neither vector.
    discordant = untied_x + untied_y - above.untied - concordant
    scale = np.sqrt(untied_x * untied_y)
    # If all items of a vector are tied, it has no untied pair, and tau is undefined.
    tau: Floats = np.divide(concordant - discordant, scale, out=np.full(scale.shape, np.nan), where=scale > 0)
    return tau


def _tau_ap(above: _Comparisons) -> Floats:
    sides = []
    for n_above in (above.in_x, above.in_y):
        # Nothing is above the items of the top group, so nothing is concordant with them, and their share is 0.
        share = above.both / np.maximum(n_above, 1)
        with np.errstate(invalid="ignore"):
            sides.append(2 * share.sum(axis=-1) / np.count_nonzero(n_above, axis=-1) - 1)
    return np.asarray((sides[0] + sides[1]) / 2)


def _pearson(x: Floats, y: Floats) -> Floats:
    units = []
    for values in (x, y):
        deviations = values - values.mean(axis=-1, keepdims=True)
        # The mean of equal values may be rounded, which would leave deviations that are not 0.
        equal = np.ptp(values, axis=-1, keepdims=True) == 0
        units.append(deviations / np.where(equal, np.nan, np.sqrt((deviations**2).sum(axis=-1, keepdims=True))))
    # Rounding may leave the product of two unit vectors slightly outside [-1, 1].
    return np.clip((units[0] * units[1]).sum(axis=-1), -1.0, 1.0)
