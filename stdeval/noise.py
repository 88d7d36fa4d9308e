"""The rule that keeps arithmetic noise from deciding anything.

Numbers that are equal on paper differ by about 1e-16. Before they are ranked, compared, counted as ties or tested
for zero, they are rounded to twelve digits of the largest score: noise disappears, and real differences remain.
Fewer digits are shown, but enough to see what was decided.
"""

from __future__ import annotations

from math import ceil, log10

import numpy as np

from stdeval.table import ArrayLike, Bools, Floats, Ints

DIGITS = 12  # significant digits of the largest number that are kept

MOST_DECIMALS = 300  # 10 to this power is a finite float, also times a number this small


def decimals(scores: ArrayLike, axis: int | tuple[int, ...] | None = None) -> Ints:
    """Return the number of decimals to which numbers are rounded: 12 - ceil(log10(max |score|))."""
    sizes = np.abs(np.asarray(scores, dtype=np.float64))
    # maximum is several times as fast as fmax, but NaN where a score is missing.
    largest = np.maximum.reduce(sizes, axis=axis, initial=0.0)
    if np.isnan(largest).any():
        largest = np.fmax.reduce(sizes, axis=axis, initial=0.0)
    known = np.isfinite(largest) & (largest > 0)
    exponent = np.ceil(np.log10(np.where(known, largest, 1.0)))
    places: Ints = np.clip(DIGITS - exponent, -MOST_DECIMALS, MOST_DECIMALS).astype(np.int64)
    return places


def rounded(values: ArrayLike, places: ArrayLike) -> Floats:
    """Return the numbers rounded to ``places`` decimals, so that numbers that differ only by noise become equal."""
    # numpy.round takes one number of decimals for all values.
    scale = 10.0 ** np.asarray(places)
    result: Floats = np.asarray(values) * scale
    # In place, because the differences of many pairs on many topics take much memory; a single number has no place.
    result = np.rint(result, out=result if result.ndim else None)
    result /= scale
    result += 0.0  # turns -0 into 0
    return result


def without_noise(values: ArrayLike, places: ArrayLike) -> Floats:
    """Return the numbers unchanged, except that those which round to 0 at ``places`` decimals become 0."""
    # A number rounds to 0 if it is at most half a unit of the last decimal; a half is rounded to even.
    with np.errstate(over="ignore"):
        units = np.abs(np.asarray(values) * 10.0 ** np.asarray(places))
    return np.where(units <= 0.5, 0.0, values)


def significance_limit(alpha: ArrayLike) -> Floats:
    """Return the limit below which a p-value is significant at the level alpha: p <= alpha in twelve digits."""
    places = decimals(alpha, axis=())
    return np.asarray(rounded(alpha, places) + 0.5 * 10.0**-places)


def is_significant(pvalues: ArrayLike, alpha: ArrayLike) -> Bools:
    """Return True for p-values that are at most alpha, both rounded to twelve digits."""
    return np.asarray(np.asarray(pvalues) < significance_limit(alpha))


def shown_pvalue(pvalue: float, alpha: float) -> str:
    """Return a p-value with three significant digits, or with more until they show whether it is at most alpha."""
    texts = (f"{pvalue:.{digits}g}" for digits in range(3, 13))
    # Twelve digits decide.
    is_at_most = float(f"{pvalue:.12g}") <= alpha
    return next((text for text in texts if (float(text) <= alpha) == is_at_most), f"{pvalue:.12g}")


def shown_decimals(number: float) -> int:
    """Return how many decimals show that a number is not 0, three of them or more."""
    size = abs(number)
    return ceil(-log10(size)) if 0 < size < 0.0005 else 3
