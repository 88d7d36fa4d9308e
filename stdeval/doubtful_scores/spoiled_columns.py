"""Find columns that were filled down, sorted alone or pasted in another order, and copies of topics."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from stdeval.arrays import Bools, Floats, Ints


class Filled(NamedTuple):
    """One number for several topics in a row.

    Parameters
    ----------
    column : int
    rows : ndarray of int
        The topics, in their order.
    number : float
    """

    column: int
    rows: Ints
    number: float


def topic_orders(topics: Sequence[str]) -> list[Ints]:
    """Return the orders in which files list topics: as text, and by their numbers.

    Examples
    --------
    >>> topic_orders(["q1", "q10", "q2"])
    [array([0, 1, 2]), array([0, 2, 1])]
    """
    as_given = np.arange(len(topics))
    numbers = [re.findall("[0-9]+", topic) for topic in topics]
    if not all(numbers):
        return [as_given]
    return [as_given, np.argsort([int(each[-1][:15]) for each in numbers], kind="stable")]


_FEWEST_FILLED = 5
"""The least number of topics in a block."""

_LEAST_CHANCE = 1e-7
"""A block counts only if its probability is below this."""


def filled_down(topics: Sequence[str], columns: Floats, *, usual: bool = False) -> Filled | None:
    """Return the longest block of topics in a row with the same number; None if all blocks may be due to chance.

    The probability of a number is estimated by its share of the other topics, or by how often these have equal
    numbers, if that is less. For a usual number, such as 0.2 or 1/3, its share of the other columns is used if it
    is higher; if there are none, the probability is that of a random order of the topics. 1, and the lowest and the
    highest usual number do not count, because many topics may have them for a common reason; nor does 0, unless the
    other columns are above it, and most orders of the topics would part the zeros.

    Parameters
    ----------
    topics : sequence of str
    columns : ndarray, shape (n_columns, n_topics)
        NaN is missing.
    usual : bool
        Usual numbers count as all others do.

    Examples
    --------
    >>> column = np.array([0.31, 0.42, 0.17, *[0.2718281] * 9])
    >>> filled_down("abcdefghijkl", column[np.newaxis]).rows
    array([ 3,  4,  5,  6,  7,  8,  9, 10, 11])
    >>> filled_down("abcdefghijkl", column[np.newaxis].round(1))
    """
    known = columns[~np.isnan(columns)]
    ends = {
        1.0,
        *(end for end in (known.min(initial=1), known.max(initial=0)) if end and not usual and is_usual(end)),
    }
    found: list[Filled] = []
    for order in topic_orders(topics):
        ordered = columns[:, order]
        for column in np.flatnonzero(_has_block(ordered)).tolist():
            blocks = _blocks(ordered[column])
            found += [
                Filled(column, order[first:last], number) for number, first, last in blocks if number not in ends
            ]
    found = [each for each in found if each.number or (not usual and _are_above_0(each, columns))]
    unlikely = [each for each in found if _chance(each, columns, usual=usual) < _LEAST_CHANCE]
    return max(unlikely, key=lambda each: len(each.rows), default=None)


def _are_above_0(filled: Filled, columns: Floats) -> bool:
    """Return whether nearly all other columns are above 0 for the topics of a block; True if there are none."""
    others = np.delete(columns[:, filled.rows], filled.column, axis=0)
    return bool(np.count_nonzero(others == 0) <= _FEW_ZEROS * np.count_nonzero(~np.isnan(others)))


_FEW_ZEROS = 0.05
"""Topics for which more of the other columns are 0 may be hard, or have no relevant document."""


def _has_block(columns: Floats) -> Bools:
    """Return which columns have a block of equal numbers, shape (n_columns,)."""
    same: Bools = columns[:, 1:] == columns[:, :-1]
    n = max(same.shape[1] - _FEWEST_FILLED + 2, 0)
    block = np.ones((len(columns), n), dtype=bool)
    for place in range(_FEWEST_FILLED - 1):
        block &= same[:, place : place + n]
    found: Bools = np.any(block, axis=1)
    return found


def _blocks(numbers: Floats) -> Iterator[tuple[float, int, int]]:
    """Yield the number of each block, its first place, and the place after its last."""
    starts = np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]]))
    ends = np.append(starts[1:], len(numbers))
    for first, last in zip(starts.tolist(), ends.tolist(), strict=True):
        if last - first >= _FEWEST_FILLED:
            yield float(numbers[first]), first, last


def _chance(filled: Filled, columns: Floats, *, usual: bool) -> float:
    """Return an estimate of the probability that some topics of the column have this number so often in a row."""
    rest = np.delete(columns[filled.column], filled.rows)
    share = _share(filled.number, rest)
    if not is_usual(filled.number):
        share = min(share, _share_of_equal_pairs(rest))
    elif not usual:
        if len(columns) == 1:
            return _chance_of_order(filled, columns[0])
        share = max(share, _share(filled.number, np.delete(columns[:, filled.rows], filled.column, axis=0)))
    chance = float(columns.shape[1] * share ** (len(filled.rows) - 1))
    # Scores of a bad run may all be 0 by a measure.
    return chance if filled.number else max(chance, _chance_of_order(filled, columns[filled.column]))


def _share_of_equal_pairs(numbers: Floats) -> float:
    """Return the share of pairs of numbers that are equal, smoothed: of long numbers hardly any are."""
    _, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    n = int(counts.sum())
    return float((counts * (counts - 1)).sum() / 2 + 1) / (n * (n - 1) / 2 + 10)


def _chance_of_order(filled: Filled, column: Floats) -> float:
    """Return an upper bound of the probability that a random order of the column has such a block."""
    n, n_equal, n_block = len(column), np.count_nonzero(column == filled.number), len(filled.rows)
    places = np.arange(n_block)
    return float((n - n_block + 1) * np.prod((n_equal - places) / (n - places)))


def _share(number: float, others: Floats) -> float:
    """Return the share of numbers that are equal to this one, smoothed because there may be few of them."""
    return float((np.count_nonzero(others == number) + 1) / (np.count_nonzero(~np.isnan(others)) + 10))


def is_usual(number: float) -> bool:
    """Return True for fractions of small whole numbers, in full precision or with four decimals or more.

    Examples
    --------
    >>> [is_usual(number) for number in (1 / 3, 0.3333, 0.3333333333, 0.3333334, 0.31415926)]
    [True, True, True, False, False]
    """
    exact = Fraction(number)
    if abs(exact.limit_denominator(1000) - exact) < 1e-12:
        return True
    decimals = next((k for k in range(4, 12) if round(number, k) == number), None)
    return decimals is not None and abs(exact.limit_denominator(100) - exact) <= Fraction(1, 2 * 10**decimals)


_FEWEST_COPIES, _MANY_COPIES, _ALIKE = 5, 0.25, 0.8
"""Topics that were joined twice: the least number of different copied rows, the least share of the rows that are
copies, and the least share of the copied rows that occur equally often. In real runs, up to a sixth of the topics
have the scores of another topic by chance."""


def copied_rows(values: Floats) -> tuple[int, int, int] | None:
    """Return the number of rows that repeat an earlier row, and the first two such rows; None if there are few.

    Rows that have only usual numbers, such as 0, 0.2 or 1/3, do not count: they may be equal by chance.

    Parameters
    ----------
    values : ndarray, shape (n_rows, n_columns)
        NaN is missing.

    Examples
    --------
    >>> rows = np.random.default_rng(0).random((6, 1))
    >>> copied_rows(np.concatenate([rows, rows])), copied_rows(rows), copied_rows(np.ones((12, 1)))
    ((6, 0, 6), None, None)
    """
    same: dict[bytes, list[int]] = {}
    for place, row in enumerate(values + 0.0):
        same.setdefault(row.tobytes(), []).append(place)
    repeated = [
        places
        for places in same.values()
        if len(places) > 1 and not all(map(is_usual, values[places[0]][~np.isnan(values[places[0]])].tolist()))
    ]
    n = sum(map(len, repeated)) - len(repeated)
    if len(repeated) < _FEWEST_COPIES or n < _MANY_COPIES * len(values):
        return None
    alike = Counter(map(len, repeated)).most_common(1)[0][1]
    one, other, *_ = repeated[0]
    return (n, one, other) if alike >= _ALIKE * len(repeated) else None


_FEWEST_SORTED = 10
"""A column needs this many different numbers. By chance, one order of ten in 3.6 million is sorted."""


def sorted_column(topics: Sequence[str], columns: Floats) -> int | None:
    """Return the first column that rises from topic to topic, or falls; None if there is none.

    Whole rows may well be sorted by a column, so topics that are in no order are put in order first.

    Parameters
    ----------
    topics : sequence of str
    columns : ndarray, shape (n_columns, n_topics)
        NaN is missing. Only columns of at least ten different numbers count.

    Examples
    --------
    >>> topics = [str(topic) for topic in range(101, 113)]
    >>> sorted_column(topics, np.arange(12.0)[np.newaxis]), sorted_column(topics, np.ones((1, 12)))
    (0, None)
    """
    as_text = sorted(range(len(topics)), key=topics.__getitem__)
    ordered = np.asarray(columns)[:, as_text]
    orders = topic_orders([topics[i] for i in as_text])
    return next((i for i, column in enumerate(ordered) if any(_is_sorted(column[order]) for order in orders)), None)


def _is_sorted(column: Floats) -> bool:
    steps = np.diff(column[~np.isnan(column)])
    if np.count_nonzero(steps) < _FEWEST_SORTED - 1:
        return False
    return bool((steps >= 0).all() or (steps <= 0).all())


def running_means(topics: Sequence[str], columns: Floats) -> int | None:
    """Return the first column of running means in place of scores; None if there is none.

    Parameters
    ----------
    topics : sequence of str
    columns : ndarray, shape (n_columns, n_topics)
        Scores from 0 to 1; NaN is missing. Only columns of at least ten different numbers count.

    Examples
    --------
    >>> topics = [str(topic) for topic in range(101, 141)]
    >>> scores = np.random.default_rng(0).random((1, 40))
    >>> running_means(topics, scores), running_means(topics, scores.cumsum(axis=1) / np.arange(1, 41))
    (None, 0)
    """
    orders = topic_orders(topics)
    return next(
        (i for i, column in enumerate(columns) if any(_is_running(column[order]) for order in orders)), None
    )


def _is_running(column: Floats) -> bool:
    """Return whether numbers can be running means of scores from 0 to 1.

    The mean of k scores is in an interval of length 1/k that depends on the mean before it. If all numbers are in
    their intervals, but few of them would be in those of others, this is not a coincidence.
    """
    means = column[~np.isnan(column)]
    if len(np.unique(means)) < _FEWEST_SORTED:
        return False
    numbers = np.arange(2, len(means) + 1)
    least = (numbers - 1) * means[:-1] / numbers - _PRINTED
    most = least + 1 / numbers + 2 * _PRINTED
    if not ((least <= means[1:]) & (means[1:] <= most)).all():
        return False
    shares = np.mean((least[:, np.newaxis] <= means) & (means <= most[:, np.newaxis]), axis=1)
    return bool(np.log(shares).sum() < math.log(_LEAST_CHANCE))


_PRINTED = 1e-4
"""The step between scores that are printed with four decimals."""

_NOISE = 1e-9
"""Computed means, standard deviations and correlations differ from exact ones by less than this."""


class Displaced(NamedTuple):
    """Two columns that agree if one of them is put into another order of the topics.

    Parameters
    ----------
    columns : (int, int)
    agreement, as_given : float
        Their correlations, in that order and as they are given.
    """

    columns: tuple[int, int]
    agreement: float
    as_given: float


_LEAST_HIGHER, _LEAST_UNLIKELY = 0.4, 6
"""How much higher the correlation in the other order must be, and its distance from 0 in standard errors."""


def displaced_columns(topics: Sequence[str], columns: Floats) -> Displaced | None:
    """Return two columns of which one was probably pasted in the numeric order of the topics, the other as text.

    Parameters
    ----------
    topics : sequence of str
    columns : ndarray, shape (n_columns, n_topics)
        Columns with missing numbers, NaN, or with equal numbers for more than half of the topics do not count.

    Examples
    --------
    >>> topics = [str(topic) for topic in range(1, 41)]
    >>> scores = np.random.default_rng(1).random(40)
    >>> as_text, by_number = scores[np.argsort(topics)], scores
    >>> displaced_columns(sorted(topics), np.array([as_text, by_number])).columns
    (0, 1)
    >>> displaced_columns(sorted(topics), np.array([as_text, as_text]))
    """
    *_, order = topic_orders(topics)
    n = len(topics)
    varied = [i for i, column in enumerate(columns) if 2 * len(np.unique(column[~np.isnan(column)])) > n]
    varied = [i for i in varied if not np.isnan(columns[i]).any()]
    if n < _FEWEST_SORTED or len(varied) < 2 or (order == np.arange(n)).all():
        return None
    deviations = columns[varied] - columns[varied].mean(axis=1, keepdims=True)
    standard = deviations / np.linalg.norm(deviations, axis=1, keepdims=True)
    as_given, reordered = standard @ standard.T, standard @ standard[:, order].T
    unlikely = np.arctanh(reordered.clip(-1 + _NOISE, 1 - _NOISE)) * (n - 3) ** 0.5 > _LEAST_UNLIKELY
    found = np.where(unlikely & (reordered > as_given + _LEAST_HIGHER), reordered, 0.0)
    one, other = np.unravel_index(int(found.argmax()), found.shape)
    if not found[one, other]:
        return None
    pair = sorted((varied[one], varied[other]))
    return Displaced((pair[0], pair[1]), float(found[one, other]), float(as_given[one, other]))
