"""The rule that keeps arithmetic noise from deciding anything.

A computer's 0.1 + 0.2 is not its 0.3, and a mean depends on the order in which scores are added. Numbers that are
equal on paper therefore differ by about 1e-16. Before numbers are ranked, compared, counted as ties or tested for
zero, they are rounded to twelve digits of the largest score: noise disappears, and real differences remain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stdeval.arrays import Bools, Floats, Ints

DIGITS = 12
"""Number of significant digits of the largest number that are kept."""

SINGLE_DIGITS = 6
"""Number of digits that are kept of 32-bit floats, which arithmetic changes by a few units of the seventh."""

HALF_DIGITS = 3
"""Number of digits that are kept of 16-bit floats."""

MOST_SINGLE_DIGITS = 9
"""32-bit floats are printed with at most so many significant digits, which tell any two of them apart."""

MEAN_NOISE = 1e-12
"""The mean of equal scores differs from them by less than this share of them."""

_MOST_DECIMALS = 300
"""Greatest number of decimals: 10 to this power is a finite float, also times a number this small."""


class Precision(NamedTuple):
    """How many decimals and significant digits of numbers are exact. The stricter of the two limits counts.

    Parameters
    ----------
    decimals : ndarray or float
        The number of decimals; infinity if the numbers were not rounded to decimals.
    digits : ndarray of int, or int
        The number of significant digits, such as `DIGITS` of 64-bit floats.
    """

    decimals: Floats | float = np.inf
    digits: Ints | int = DIGITS

    def tolerance(self, numbers: Floats) -> Floats:
        """Return by how much each number may differ from another one that is equal to it on paper."""
        of_digits = 0.5 * 10.0 ** -decimals(numbers, axis=(), digits=self.digits)
        # 0.33335 - 0.3333 is half a unit of the fourth decimal, but slightly more in binary
        of_decimals = 0.5 * 10.0 ** -np.asarray(self.decimals) * (1 + 1e-9)
        return np.asarray(np.fmax(of_digits, of_decimals))


FULL = Precision()
"""The precision of numbers that were not rounded: only arithmetic noise is ignored."""


def decimals(scores: ArrayLike, axis: int | tuple[int, ...] | None = None, digits: int | Ints = DIGITS) -> Ints:
    """Return the number of decimals to which numbers are rounded: 12 - ceil(log10(max |score|)).

    Parameters
    ----------
    scores : array_like
        The scores that are compared, or whose means or differences are compared; NaN is missing.
    axis : int or tuple of int, optional
        The axes over which the largest score is taken; None for all, () for each number by itself.
    digits : int or ndarray of int
        Number of significant digits of the largest number that are kept.

    Returns
    -------
    ndarray of int
        The shape of ``scores`` without those axes. It is 12 if all scores are 0 or missing.

    Examples
    --------
    >>> int(decimals([0.2, 0.75])), int(decimals([0.2, 30.0])), decimals([[0.5, 0.01], [2.0, 0.0]], axis=1)
    (12, 10, array([12, 11]))
    """
    sizes = np.abs(np.asarray(scores, dtype=np.float64))
    # maximum is several times as fast as fmax, but NaN where a score is missing.
    largest = np.maximum.reduce(sizes, axis=axis, initial=0.0)
    if np.isnan(largest).any():
        largest = np.fmax.reduce(sizes, axis=axis, initial=0.0)
    known = np.isfinite(largest) & (largest > 0)
    exponent = np.ceil(np.log10(np.where(known, largest, 1.0)))
    places: Ints = np.clip(digits - exponent, -_MOST_DECIMALS, _MOST_DECIMALS).astype(np.int64)
    return places


def rounded(values: ArrayLike, places: ArrayLike) -> Floats:
    """Return the numbers rounded to ``places`` decimals, so that numbers that differ only by noise become equal.

    Parameters
    ----------
    values : array_like
        NaN stays NaN.
    places : array_like of int
        Numbers of decimals, such as `decimals` returns; they are broadcast, and may be negative.

    Examples
    --------
    >>> sums = np.array([0.1 + 0.2, 0.3, 0.5 - 0.2])
    >>> len(set(sums.tolist())), len(set(rounded(sums, decimals(sums)).tolist()))
    (2, 1)
    """
    # numpy.round takes one number of decimals for all values.
    scale = 10.0 ** np.asarray(places)
    result: Floats = np.asarray(values) * scale
    # In place, because the differences of many pairs on many topics take much memory; a single number has no place.
    result = np.rint(result, out=result if result.ndim else None)
    result /= scale
    result += 0.0  # turns -0 into 0
    return result


def without_noise(values: ArrayLike, places: ArrayLike) -> Floats:
    """Return the numbers unchanged, except that those which round to 0 at ``places`` decimals become 0.

    Parameters are those of `rounded`.

    Examples
    --------
    >>> without_noise([0.1 + 0.2 - 0.3, 1 / 3], 12)
    array([0.        , 0.33333333])
    """
    # A number rounds to 0 if it is at most half a unit of the last decimal; a half is rounded to even.
    with np.errstate(over="ignore"):
        units = np.abs(np.asarray(values) * 10.0 ** np.asarray(places))
    return np.where(units <= 0.5, 0.0, values)


def to_digits(numbers: Floats, digits: int) -> Floats:
    """Return numbers rounded to significant digits."""
    return rounded(numbers, decimals(numbers, axis=(), digits=digits))


def fewest_digits(numbers: Floats, least: int, most: int) -> int | None:
    """Return the fewest significant digits that hold all numbers, from the least to the most; None if these do not.

    Examples
    --------
    >>> fewest_digits(np.array([0.25, 0.0333]), 1, 6), fewest_digits(np.array([0.25, 1 / 3]), 1, 6)
    (3, None)
    """
    return next((k for k in range(least, most + 1) if np.array_equal(to_digits(numbers, k), numbers)), None)


def as_single(numbers: Floats) -> Floats:
    """Return the nearest 32-bit floats."""
    with np.errstate(over="ignore"):
        return numbers.astype(np.float32).astype(np.float64)


def are_single(numbers: Floats) -> Bools:
    """Return True for numbers that are 32-bit floats."""
    return np.asarray(as_single(numbers) == numbers)


def have_few_digits(numbers: Floats) -> Bools:
    """Return True for 32-bit floats, and for numbers with at most the digits that are printed of those.

    The noise of a mean is ignored.

    Examples
    --------
    >>> have_few_digits(np.array([0.1333, 0.13330000000000003, np.float32(1 / 3), 0.333333333, 1 / 3]))
    array([ True,  True,  True,  True, False])
    """
    near = [np.abs(numbers - short) for short in (as_single(numbers), to_digits(numbers, MOST_SINGLE_DIGITS))]
    return np.asarray(np.minimum(*near) <= MEAN_NOISE * np.abs(numbers))


def significance_limit(alpha: ArrayLike) -> Floats:
    """Return the limit below which a p-value is significant at the level alpha: p <= alpha in twelve digits.

    Parameters
    ----------
    alpha : array_like
        Significance levels, above 0.

    Examples
    --------
    >>> 0.05 * 3 / 3 > 0.05, bool(0.05 * 3 / 3 < significance_limit(0.05))
    (True, True)
    """
    places = decimals(alpha, axis=())
    limit: Floats = rounded(alpha, places) + 0.5 * 10.0**-places
    return limit


def is_significant(pvalues: ArrayLike, alpha: ArrayLike) -> Bools:
    """Return True for p-values that are at most alpha, both rounded to twelve digits.

    Parameters
    ----------
    pvalues : array_like
        NaN is missing, and not significant.
    alpha : array_like
        Significance levels, above 0; they are broadcast.

    Examples
    --------
    >>> is_significant([0.049, 0.05 * 3 / 3, 0.051, np.nan], 0.05)
    array([ True,  True, False, False])
    """
    return np.asarray(np.asarray(pvalues) < significance_limit(alpha))
