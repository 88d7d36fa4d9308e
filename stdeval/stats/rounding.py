"""Tell to how many digits the scores of systems were rounded, each by themselves or beside those of others."""

from __future__ import annotations

import numpy as np

from stdeval.noise import MOST_SINGLE_DIGITS, are_single, as_single, fewest_digits, to_digits
from stdeval.table import Bools, Floats, Ints

_MOST_PRINTED = 6
"""Greatest number of decimals with which scores are printed."""

MOST_DIGITS = 14
"""Beside scores of full precision, scores count as rounded if they have at most this number of digits."""

_FEWEST_TELLING = 3
"""The least number of different scores from which the rounding of a system's scores can be told."""

_MOST_DECIMALS = 10
"""Greatest number of decimals of scores that count as rounded beside those of other systems."""

_FEWEST_SIGNIFICANT = 2

_FEWEST_EQUAL = 3
"""Number of different scores that must equal the rounded score of another system on the same topic."""

_ENOUGH_DIGITS = 12
"""Number of digits, of all topics together, that must equal rounded scores of another system with few values."""

FEWEST_SURE = 4
"""Least number of decimals from which one score can tell that it was rounded."""

_LEAST_CHANCE = 1e-6
"""Probability below which the scores of a system are not all short by chance."""


def printed_decimals(scores: Floats) -> Ints:
    """Return the number of decimals to which the scores of each system seem to have been rounded.

    Scores of full precision and rounded ones should not be compared: 1/6 is not 0.1667, although both may be the
    same score.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        NaN is missing.

    Returns
    -------
    ndarray of int, shape (n_systems,)
        1 to 6; 0 if some score has more decimals; -1 if it cannot be told, because fewer than three different
        scores have four decimals or more, the last of which is not 5.

    Examples
    --------
    >>> printed_decimals(np.array([[0.1667, 0.3333, 0.1429], [1 / 6, 1 / 3, 0.5], [0.2, 0.4, 0.6]]))
    array([ 4,  0, -1])
    """
    short = have_decimals(scores, _MOST_PRINTED)
    at = np.argmax(short.all(axis=2), axis=0)
    full = ~short[_MOST_PRINTED].all(axis=1)
    # k / 16 and k / 80 have four decimals by nature, of which the last is 5
    is_telling = ~short[3] & (last_digits(scores, at[:, np.newaxis]) % 5 != 0)
    return np.where(full, 0, np.where(_is_told(scores, is_telling), at, -1))


def printed_decimals_of_all(scores: Floats) -> int:
    """Return the number of decimals to which all scores by a measure seem to have been rounded; otherwise 0.

    One score of four decimals tells, such as 0.3333, if no score has more than six. Exact fractions have as few
    only if the last one is 5, or if their denominators are multiples of 625.

    Parameters
    ----------
    scores : ndarray
        NaN is missing.

    Examples
    --------
    >>> printed_decimals_of_all(np.array([0, 0.3333, 1])), printed_decimals_of_all(np.array([0.3333, 1 / 3]))
    (4, 0)
    """
    row = scores.reshape(1, -1)
    short = have_decimals(row, _MOST_PRINTED)
    at = int(np.argmax(short.all(axis=(1, 2))))
    is_telling = ~short[FEWEST_SURE - 1] & (last_digits(row, at) % 5 != 0)
    return at if short[-1].all() and is_telling.any() else 0


def few_decimals(scores: Floats) -> int:
    """Return the number of decimals of scores if all of many have three or fewer; otherwise 0.

    Equal scores on a topic count once, and those of 0 and 1 not at all.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        Scores by a measure that has long ones by nature; NaN is missing.

    Examples
    --------
    >>> exact = np.linspace(0.1, 0.9, 50)[np.newaxis]
    >>> few_decimals(exact), few_decimals(exact.round(2)), few_decimals(exact.round(2)[:, :29])
    (0, 2, 0)
    """
    short = have_decimals(scores, _FEW_DIGITS).all(axis=(1, 2))
    return max(1, int(np.argmax(short))) if short.any() and _are_many(scores) else 0


def few_digits(scores: Floats) -> int:
    """Return the number of significant digits of scores if they are many and all have three or fewer; otherwise 0.

    The parameters are those of `few_decimals`.

    Examples
    --------
    >>> exact = np.linspace(0.001, 0.9, 50)[np.newaxis]
    >>> few_digits(exact), few_digits(np.array([[float(f"{score:.2g}") for score in exact[0]]]))
    (0, 2)
    """
    values = scores[~np.isnan(scores)]
    return fewest_digits(values, 1, _FEW_DIGITS) or 0 if _are_many(scores) else 0


def _are_many(scores: Floats) -> bool:
    """Return True if there are many different scores other than 0 and 1, counted on each topic by itself."""
    ordered = np.sort(scores, axis=0)
    is_counted = ~np.isnan(ordered) & (ordered != 0) & (ordered != 1)
    is_counted[1:] &= ordered[1:] != ordered[:-1]
    return int(is_counted.sum()) >= _MANY_SCORES


_FEW_DIGITS, _MANY_SCORES = 3, 30
"""Up to seven in ten scores of real runs are so short, by recip_rank; of 30, all are with a probability of 2e-5."""


def half_units(scores: Floats) -> Floats:
    """Return half a unit of the last decimal of each score; at least 1e-7, for scores that were 32-bit floats.

    Examples
    --------
    >>> half_units(np.array([0.25, 0.1667]))
    array([5.01e-03, 5.01e-05])
    """
    half = np.full(scores.shape, 1e-7)
    for decimals in range(_MOST_PRINTED, 0, -1):
        half[np.round(scores, decimals) == scores] = 0.501 * 10.0**-decimals
    return half


def as_printed(scores: Floats, digits: int) -> Floats:
    """Return scores as they are read after they were printed with some decimals, as trec_eval prints four.

    numpy.round multiplies scores by a power of ten first, and so rounds 0.08125 to 0.0812. It is printed as 0.0813,
    because the 64-bit float is a little larger.

    Examples
    --------
    >>> as_printed(np.array([[0.08125, np.nan]]), 4)
    array([[0.0813,    nan]])
    """
    printed: Floats = np.array([float(f"{score:.{digits}f}") for score in scores.flat]).reshape(scores.shape)
    return printed


def are_short(scores: Floats, *, may_be_halves: bool = True) -> Bools:
    """Return True for systems whose scores seem to have been rounded to 32-bit floats, or to `MOST_DIGITS` digits.

    Nine of ten 64-bit floats need 16 or 17 digits.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        NaN is missing.
    may_be_halves : bool
        Short binary fractions, such as 1/1024, tell nothing, as by rank-biased precision with p = 0.5. By other
        measures, all scores are such fractions if they were 16-bit floats.

    Returns
    -------
    ndarray of bool, shape (n_systems,)
        False also if it cannot be told, because fewer than three different scores with more than six decimals tell.

    Examples
    --------
    >>> exact = np.array([1 / 6, 1 / 3, 1 / 7, 0.4])
    >>> are_short(np.array([exact, exact.astype(np.float32), exact.round(13), [0.5, 0.25, 0.75, 1]]))
    array([False,  True,  True, False])
    >>> half = exact.astype(np.float16).astype(float)[np.newaxis]
    >>> are_short(half), are_short(half, may_be_halves=False)
    (array([False]), array([ True]))
    """
    is_telling = ~np.isnan(scores) & (np.round(scores, _MOST_PRINTED) != scores)
    if may_be_halves:
        is_telling &= ~are_sums_of_halves(scores)
    return are_all_short(scores) & _is_told(scores, is_telling)


def are_sums_of_halves(scores: Floats) -> Bools:
    """Return True for sums of the first 20 powers of 1/2: 32-bit floats by nature, as by RBP with p = 0.5.

    Examples
    --------
    >>> are_sums_of_halves(np.array([0.5 + 2.0**-20, 0.1, np.float32(0.1)]))
    array([ True, False, False])
    """
    are: Bools = scores * 2.0**20 == np.round(scores * 2.0**20)
    return are


def are_copies(scores: Floats) -> Bools:
    """Return True for systems whose scores are all short, if one of these is a rounded score of another system.

    By a measure of few values, such as P_3, there are too few different scores for `are_short`.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        NaN is missing.

    Examples
    --------
    >>> are_copies(np.array([[np.float32(1 / 3), 1.0], [2 / 3, 1 / 3], [0.5, 1.0]]))
    array([ True, False, False])
    >>> are_copies(np.array([[0.33333333333, 1.0], [2 / 3, 1 / 3], [0.3, 0.1 + 0.2]]))
    array([ True, False, False])
    """
    exact = np.unique(scores[~np.isnan(scores) & ~are_single(scores)])
    kept = range(_MOST_PRINTED + 1, MOST_DIGITS + 1)
    rounded_scores = np.stack([as_single(exact), *(to_digits(exact, digits) for digits in kept)])
    # Differences by arithmetic noise are not due to rounding.
    copies = rounded_scores[np.abs(rounded_scores - exact) > 1e-12 * np.abs(exact)]
    return are_all_short(scores) & np.isin(scores, copies).any(axis=1)


def are_all_short(scores: Floats) -> Bools:
    """Return True for systems whose scores all are 32-bit floats, or have at most `MOST_DIGITS` digits.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        NaN is missing.
    """
    is_short = are_single(scores) | (to_digits(scores, MOST_DIGITS) == scores)
    throughout: Bools = np.all(is_short | np.isnan(scores), axis=1)
    return throughout


def _is_told(scores: Floats, is_telling: Bools) -> Bools:
    """Return True for systems with enough different scores among those that show how scores were rounded."""
    n_telling = [len(np.unique(row[telling])) for row, telling in zip(scores, is_telling, strict=True)]
    return np.array(n_telling) >= _FEWEST_TELLING


def rounding_of(scores: Floats, *, is_share: bool = False) -> list[str]:
    """Return the digits to which the scores of each system seem to have been rounded, in words.

    The scores of a system count as rounded if all of them have few digits, and one of these holds: they equal most
    of the longer scores of another system on the same topics, once those are rounded; they are among the few that
    such a measure as P_3 can have, rounded to four decimals or more; or there are so many different ones that they
    would hardly all be short by chance.

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
        From ``1 decimal`` to ``10 decimals``, or up to ``9 digits``; empty for systems that do not seem to be
        rounded.

    Examples
    --------
    >>> rounding_of(np.array([[0.17, 0.33, 0.14, 1.0], [1 / 6, 1 / 3, 1 / 7, 1.0], [0.25, 0.5, 0.2, 1.0]]))
    ['2 decimals', '', '']
    """
    short = have_decimals(scores, _MOST_DECIMALS)
    exact = np.flatnonzero(~short[-1].all(axis=1))
    others, is_long = scores[exact], ~short[-1, exact]
    found = [""] * len(scores)
    for i, row in enumerate(scores) if len(exact) else ():
        places = int(np.argmax(np.append(short[:, i].all(axis=1), True)))
        if 1 <= places <= _MOST_DECIMALS and (
            _is_rounding(row, np.round(others, places), is_long, places)
            or (not is_share and _is_unlikely(row, others, short[places, exact]))
            or (not is_share and _has_rounded_fraction(row, np.unique(others[is_long]), places))
        ):
            found[i] = f"{places} decimal{'s' if places > 1 else ''}"
        elif (digits := _digits(row)) is not None and _is_rounding(row, to_digits(others, digits), is_long, digits):
            found[i] = f"{digits} digits"
    return found


def have_decimals(scores: Floats, most: int) -> Bools:
    """Return True for scores of at most 0, 1 and so on decimals, and for missing ones.

    The shape is (most + 1, n_systems, n_topics).
    """
    missing = np.isnan(scores)
    return np.array([(np.round(scores, k) == scores) | missing for k in range(most + 1)])


def _digits(row: Floats) -> int | None:
    """Return the fewest significant digits that hold all scores, from 2 to 9; None if 9 do not."""
    return fewest_digits(row[~np.isnan(row)], _FEWEST_SIGNIFICANT, MOST_SINGLE_DIGITS)


def _is_rounding(row: Floats, others: Floats, is_long: Bools, digits: int) -> bool:
    """Return True if scores equal rounded scores of another system on most topics where these have many digits.

    Fewer than three different scores must be equal on all these topics, and there must be enough topics.
    """
    equal = is_long & (others == row) & (row != 0)
    n_equal, n_long = equal.sum(axis=1), (is_long & ~np.isnan(row)).sum(axis=1)
    if ((n_equal == n_long) & (digits * n_equal >= _ENOUGH_DIGITS)).any():
        return True
    return any(len(np.unique(row[each])) >= _FEWEST_EQUAL for each in equal[2 * n_equal > n_long])


def _has_rounded_fraction(row: Floats, long_values: Floats, places: int) -> bool:
    """Return True if some score of a measure with few values is the rounded score of any system on any topic.

    A fraction with exactly four decimals, the last of which is not 5, has a multiple of 625 as its denominator. A
    score such as 0.3333 is therefore no exact score beside 1/3. Many values would be near to it by chance.
    """
    if places < FEWEST_SURE or len(long_values) > 10 ** (places - 2):
        return False
    is_telling = ~np.isnan(row) & (last_digits(row, places) % 5 != 0)
    return bool(np.isin(row[is_telling], np.round(long_values, places)).any())


def last_digits(scores: Floats, places: Ints | int) -> Floats:
    """Return the last of some decimals of each score."""
    last: Floats = np.round(scores * np.power(10.0, places)) % 10
    return last


def _is_unlikely(row: Floats, others: Floats, short: Bools) -> bool:
    """Return True if so many different scores would hardly all be short unless they were rounded.

    The share of short scores among those of the other systems tells how likely a score is to be short by nature.
    """
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
