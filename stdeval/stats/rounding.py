"""Find systems whose scores were rounded among systems whose scores were not, by comparing them."""

from __future__ import annotations

import numpy as np

from stdeval.stats.noise import rounded
from stdeval.table import Bools, Floats

MOST_DECIMALS = 10
"""Greatest number of decimals of scores that count as rounded."""

_FEWEST_DECIMALS = 2

_MOST_DIGITS = 9

_FEWEST_EQUAL = 3
"""Number of different scores that must be the rounding of another system's score on the same topic."""

_LEAST_CHANCE = 1e-6
"""Chance below which a system does not have only short scores by nature."""


def rounding_of(scores: Floats, *, is_share: bool = False) -> list[str]:
    """Return the digits to which the scores of each system seem to have been rounded, in words.

    A system is rounded if all its scores have few digits, and if, moreover, they are the rounding of most scores
    with more decimals that some other system has on the same topics; or if it has so many different scores that
    all would hardly have few decimals by nature, as frequent as these are among the scores of other systems.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        NaN is missing.
    is_share : bool
        True for scores that are shares of the documents of a run: those of runs of 100 documents have two decimals
        by nature, however many different scores there are.

    Returns
    -------
    list of str, length n_systems
        From ``2 decimals`` to ``10 decimals``, or up to ``9 digits``; empty for systems that do not seem to be
        rounded.

    Examples
    --------
    >>> rounding_of(np.array([[0.17, 0.33, 0.14, 1.0], [1 / 6, 1 / 3, 1 / 7, 1.0], [0.25, 0.5, 0.2, 1.0]]))
    ['2 decimals', '', '']
    """
    missing = np.isnan(scores)
    short = np.array([(np.round(scores, k) == scores) | missing for k in range(MOST_DECIMALS + 1)])
    exact = np.flatnonzero(~short[-1].all(axis=1))
    others, is_long = scores[exact], ~short[-1, exact]
    found = [""] * len(scores)
    for i, row in enumerate(scores) if len(exact) else ():
        places = int(np.argmax(np.append(short[:, i].all(axis=1), True)))
        if _FEWEST_DECIMALS <= places <= MOST_DECIMALS and (
            _is_rounding(row, np.round(others, places), is_long)
            or (not is_share and _is_unlikely(row, others, short[places, exact]))
        ):
            found[i] = f"{places} decimals"
        elif (digits := _digits(row)) is not None and _is_rounding(row, _significant(others, digits), is_long):
            found[i] = f"{digits} digits"
    return found


def _digits(row: Floats) -> int | None:
    """Return the fewest significant digits that all scores have, if they are few; shape (n_topics,)."""
    values = row[~np.isnan(row)]
    if not np.array_equal(_significant(values, _MOST_DIGITS), values):
        return None
    few = (k for k in range(_FEWEST_DECIMALS, _MOST_DIGITS + 1) if np.array_equal(_significant(values, k), values))
    return next(few, None)


def _significant(values: Floats, digits: int) -> Floats:
    """Return numbers rounded to significant digits."""
    sizes = np.abs(np.where((values == 0) | np.isnan(values), 1, values))
    result: Floats = rounded(values, np.minimum(digits - 1 - np.floor(np.log10(sizes)), 300))
    return result


def _is_rounding(row: Floats, others: Floats, is_long: Bools) -> bool:
    """Return True if scores are the rounded ones of another system on most topics where its scores are long."""
    equal = is_long & (others == row) & (row != 0)
    most = 2 * equal.sum(axis=1) > (is_long & ~np.isnan(row)).sum(axis=1)
    return any(len(np.unique(row[each])) >= _FEWEST_EQUAL for each in equal[most])


def _is_unlikely(row: Floats, others: Floats, short: Bools) -> bool:
    """Return True if different scores are too many to be short by nature, as often as those of others are."""
    different = [_proper(other) for other in others]
    n_short = sum(
        len(np.intersect1d(own, other[few])) for own, other, few in zip(different, others, short, strict=True)
    )
    share = (n_short + 1) / (sum(map(len, different)) + 2)
    return bool(share ** len(_proper(row)) < _LEAST_CHANCE)


def _proper(scores: Floats) -> Floats:
    """Return the different scores other than 0 and 1, which are short by every measure."""
    values = np.unique(scores)
    different: Floats = values[~np.isnan(values) & (values != 0) & (values != 1)]
    return different
