"""Tell how many digits of scores are exact, if other programs printed them, or computed them as short floats."""

from __future__ import annotations

import numpy as np

from stdeval.noise import (
    DIGITS,
    HALF_DIGITS,
    MEAN_NOISE,
    SINGLE_DIGITS,
    as_single,
    fewest_digits,
    have_few_digits,
)
from stdeval.stats.rounding import FEWEST_SURE, are_sums_of_halves, have_decimals, last_digits
from stdeval.table import Floats

_MOST_HALVES = 7
"""By other measures than rank-biased precision, hardly any score is a multiple of a higher power of 1/2 only."""


def exact_digits(scores: Floats, *, may_be_halves: bool) -> int:
    """Return how many significant digits of short scores are exact: 12 if they may be short by nature.

    Parameters
    ----------
    scores : ndarray
        Scores for which `stdeval.stats.rounding.are_all_short` is True; NaN is missing.
    may_be_halves : bool
        True if exact scores may be any short binary fractions, as by rank-biased precision with p = 0.5.

    Returns
    -------
    int
        4 or 5 if no score has more digits; 6 if some have, or are 32-bit floats; 3 if all are 16-bit floats.

    Examples
    --------
    >>> kinds = (np.float64, np.float32, np.float16)
    >>> [exact_digits(np.array([0.5, 0.6], dtype=kind).astype(float), may_be_halves=False) for kind in kinds]
    [12, 6, 3]
    >>> exact_digits(np.array([0.5, 0.3333, 0.03333]), may_be_halves=False)
    4
    """
    known = scores[~np.isnan(scores)]
    many_halves = known * 2.0**_MOST_HALVES % 1 != 0
    if not may_be_halves and many_halves.any() and (np.float16(known) == known).all():
        return HALF_DIGITS
    short = have_decimals(known[np.newaxis], DIGITS)[:, 0]
    places = np.argmax(short, axis=0)
    # A last decimal of 5 tells nothing, as in `printed_decimals_of_all`: those of 32-bit floats are all 5.
    is_cut = (places >= FEWEST_SURE) & (last_digits(known, places) % 5 != 0)
    if not ((is_cut | ~short.any(axis=0)) & ~are_sums_of_halves(known)).any():
        return DIGITS
    return fewest_digits(known, FEWEST_SURE, SINGLE_DIGITS) or SINGLE_DIGITS


def without_float_noise(scores: Floats) -> Floats:
    """Return scores without the noise of floats, if all are near to numbers of a few decimals or to 32-bit floats.

    A mean of scores of 0.1333 may be 0.13330000000000003, and as a 32-bit float 0.13330000638961792.

    Parameters
    ----------
    scores : ndarray
        NaN is missing.

    Examples
    --------
    >>> without_float_noise(np.array([0.13330000000000003, 0.2])), without_float_noise(np.array([0.13330001]))
    (array([0.1333, 0.2   ]), array([0.1333]))
    >>> without_float_noise(np.array([0.3333, 1 / 3]))
    array([0.3333    , 0.33333333])
    """
    missing = np.isnan(scores)
    single = as_single(scores)
    scores = np.where(np.abs(scores - single) <= MEAN_NOISE * np.abs(scores), single, scores)
    are_few = bool((have_few_digits(scores) | missing).all())
    for noise, most in (_SINGLE, _DOUBLE) if are_few else (_DOUBLE,):
        for places in range(1, most + 1):
            short = np.round(scores, places)
            if ((np.abs(scores - short) <= noise * np.abs(scores)) | missing).all():
                return short
    return scores


_SINGLE, _DOUBLE = (2e-7, 4), (MEAN_NOISE, 8)
"""The noise of 32-bit and of 64-bit floats, as a share of the number; and for each, a number of decimals.

Other scores are hardly ever so near, by chance, to numbers with at most so many decimals.
"""
