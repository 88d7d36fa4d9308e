"""Find scores that were put in for missing ones: 0, a mean, the score of the topic before, or one between two."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from stdeval.arrays import Bools, Floats, Ints
from stdeval.doubtful_scores.spoiled_columns import is_usual, topic_orders

_FEWEST, _LEAST_CHANCE, _OTHERS = 7, 1e-6, 0.25
"""The least number of topics, the probability below which this is not by chance, and the greatest share of this
number that may have the next most frequent number or distance, or the same number in another column."""


class FilledGaps(NamedTuple):
    """Scores of a column that were probably put in for missing ones.

    Parameters
    ----------
    column : int
    n : int
        The number of such topics.
    how : {"same", "before", "between", "copied", "zeros"}
        They all have the same score, each that of the topic before, each the mean of its neighbours, each that of
        another topic, or 0.
    """

    column: int
    n: int
    how: str


def filled_gaps(
    topics: Sequence[str], columns: Floats, *, usual: bool = False, fractions: bool = True
) -> FilledGaps | None:
    """Return a column with scores that were probably put in for missing ones, or copied; None if there is none.

    Usual numbers, such as 0, 0.5 or 1/3, count only with `usual`, or if many topics have one of them and few other
    scores of the column are usual numbers.

    Parameters
    ----------
    topics : sequence of str
    columns : ndarray, shape (n_columns, n_topics)
        NaN is missing.
    usual : bool
        Usual numbers count as all others do, as among standardized scores.
    fractions : bool
        False if usual numbers never count. The weights of rank-biased precision may be such numbers.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> columns = rng.random((2, 40))
    >>> filled_gaps([str(topic) for topic in range(40)], columns)
    >>> columns[1, ::5] = columns[1].mean()
    >>> filled_gaps([str(topic) for topic in range(40)], columns)
    FilledGaps(column=1, n=8, how='same')
    """
    orders = topic_orders(topics)
    unusual = ~np.isnan(columns) if usual else _are_unusual(columns, orders)
    found = _found(columns, orders, unusual)
    if fractions and not usual:
        inside = _are_inside(columns)
        by_fractions = _found(columns, orders, inside)
        found = chain(found, (gaps for gaps in by_fractions if _has_few_fractions(columns[gaps.column])))
    return next(found, None)


def _found(columns: Floats, orders: Sequence[Ints], which: Bools) -> Iterator[FilledGaps]:
    """Yield the columns with scores that were probably filled in; `which` tells the scores that count."""
    yield from chain.from_iterable(_as_before(columns[:, order], which[:, order]) for order in orders)
    yield from chain.from_iterable(_between(columns[:, order], which[:, order]) for order in orders)
    yield from _repeated(columns, which)
    yield from chain.from_iterable(_copied(columns[:, order], which[:, order]) for order in orders)


def _are_unusual(columns: Floats, orders: Sequence[Ints]) -> Bools:
    """Return True for scores that occur twice or lie between others, and are not fractions of small integers."""
    ordered = np.sort(columns, axis=1)
    twice = ordered[:, 1:][ordered[:, 1:] == ordered[:, :-1]]
    between = [columns[:, order][:, 1:-1][_are_between(columns[:, order])] for order in orders]
    values = np.unique(np.concatenate([twice, *between]))
    unusual = [value for value in values.tolist() if not is_usual(value)]
    found: Bools = np.isin(columns, unusual)
    return found


def _are_inside(columns: Floats) -> Bools:
    """Return which scores are neither the highest nor the lowest, nor so small that rounding makes many equal."""
    low, high = (end(columns, axis=1)[:, np.newaxis] for end in (np.fmin.reduce, np.fmax.reduce))
    inside: Bools = (
        (columns > low) & (columns < high) & (np.abs(columns) >= 200 * _rounding(columns)[:, np.newaxis])
    )
    return inside


def _has_few_fractions(column: Floats) -> bool:
    """Return whether few of the different scores of a column are fractions of small integers."""
    values = np.unique(column[~np.isnan(column)])[1:-1]
    some = values[:: max(1, len(values) // _SOME)].tolist()
    return sum(map(is_usual, some)) <= _MOST_USUAL * len(some)


_SOME, _MOST_USUAL = 40, 0.6
"""About how many different scores of a column are tested, and the largest share of them that may be fractions.

By chance, 0.43 of all numbers with four decimals are fractions. If topics have few relevant documents, nearly all
scores are.
"""


def _are_between(columns: Floats) -> Bools:
    """Return True for the topics, but for the first and the last one, with the mean of different neighbours."""
    above, below = columns[:, :-2], columns[:, 2:]
    with np.errstate(over="ignore"):
        away = np.abs(columns[:, 1:-1] - (above / 2 + below / 2))
    found: Bools = (away <= _rounding(columns)[:, np.newaxis]) & (above != below)
    return found


def _rounding(columns: Floats) -> Floats:
    """Return the largest rounding error of each column: half a unit of four or five decimals, otherwise 1e-12."""
    noise = np.full(len(columns), 1e-12)
    for decimals in (5, 4):
        rounded = (columns.round(decimals) == columns) | np.isnan(columns)
        noise[rounded.all(axis=1)] = 0.5001 * 10.0**-decimals
    return noise


def _as_before(columns: Floats, unusual: Bools) -> Iterator[FilledGaps]:
    """Yield columns of which many topics have the score of the topic before, which a random order would part."""
    same = (columns[:, 1:] == columns[:, :-1]) & unusual[:, 1:]
    numbers = same.sum(axis=1)
    for column in np.flatnonzero(numbers >= _FEWEST).tolist():
        n = int(numbers[column])
        _, counts = np.unique(columns[column, unusual[column]], return_counts=True)
        expected = float((counts * (counts - 1)).sum()) / columns.shape[1]
        if _poisson_tail(n, expected) < _LEAST_CHANCE:
            yield FilledGaps(column, n, "before")


def _poisson_tail(n: int, expected: float) -> float:
    """Return an upper bound of the probability of n or more events, of which fewer are expected; otherwise 1."""
    if expected >= n:
        return 1.0
    return math.exp(n * math.log(max(expected, 1e-9)) - expected - math.lgamma(n + 1)) / (1 - expected / (n + 1))


def _between(columns: Floats, unusual: Bools) -> Iterator[FilledGaps]:
    """Yield columns of which many topics have the mean of the scores of their neighbours."""
    numbers = (_are_between(columns) & unusual[:, 1:-1]).sum(axis=1)
    for column in np.flatnonzero(numbers >= _FEWEST).tolist():
        yield FilledGaps(column, int(numbers[column]), "between")


def _repeated(columns: Floats, unusual: Bools) -> Iterator[FilledGaps]:
    """Yield columns of which one number is that of many topics, unlike all others of it and of other columns."""
    # Many topics may have the highest or the lowest score, but a mean or a median is neither.
    low, high = (end(columns, axis=1)[:, np.newaxis] for end in (np.fmin.reduce, np.fmax.reduce))
    inside = unusual & (columns > low) & (columns < high)
    counts = [Counter(row[where].tolist()) for row, where in zip(columns, inside, strict=True)]
    for column, numbers in enumerate(counts):
        (number, n), (_, second) = (*numbers.most_common(2), *[(0.0, 0)] * 2)[:2]
        others = max((each[number] for i, each in enumerate(counts) if i != column), default=0)
        if n >= _FEWEST and max(second, others) <= _OTHERS * n:
            yield FilledGaps(column, n, "same")


def _copied(columns: Floats, unusual: Bools) -> Iterator[FilledGaps]:
    """Yield columns of which many topics have the score of one that stands as many places above: a pasted block."""
    n_places = columns.shape[1]
    numbers = np.zeros((max(n_places, 3), len(columns)), dtype=np.int64)
    for distance in range(1, n_places):
        same = (columns[:, distance:] == columns[:, :-distance]) & unusual[:, distance:]
        numbers[distance] = same.sum(axis=1)
    for column in np.flatnonzero(numbers.max(axis=0) >= _FEWEST).tolist():
        *_, second, n = np.sort(numbers[:, column]).tolist()
        if second <= _OTHERS * n:
            yield FilledGaps(column, n, "copied")


_FEWEST_ZEROS, _MORE_ZEROS, _NEAR = 8, 5, 0.25
"""The least number of topics on which only one run has 0, how many times as many they are as those on which it is
near 0, and the share of the others' median below which it is. Only real runs of few documents have so many."""


def filled_with_zeros(columns: Floats) -> FilledGaps | None:
    """Return the column with the most zeros that were probably put in for missing scores; None if there is none.

    All other columns are above 0 there, and the column is hardly ever near 0 on the other topics.

    Parameters
    ----------
    columns : ndarray, shape (n_columns, n_topics)
        Average precision, which is seldom 0; NaN is missing.

    Examples
    --------
    >>> columns = np.random.default_rng(0).random((2, 40)) / 2 + 0.2
    >>> columns[1, ::4] = 0
    >>> filled_with_zeros(columns)
    FilledGaps(column=1, n=10, how='zeros')
    """
    found = []
    for column, row in enumerate(columns):
        if np.count_nonzero(row == 0) < _FEWEST_ZEROS:
            continue
        others = np.delete(columns, column, axis=0)
        known = ~np.isnan(others).all(axis=0) & ~np.isnan(row)
        if not known.any():
            continue
        n = int(np.count_nonzero((row == 0) & known & (np.fmin.reduce(others, axis=0) > 0)))
        median = np.nanmedian(others[:, known], axis=0)
        n_near = int(np.count_nonzero((row[known] > 0) & (row[known] < _NEAR * median)))
        n_above = np.count_nonzero(row[known] > 0)
        if _FEWEST_ZEROS <= n <= n_above and n > _MORE_ZEROS * (n_near + 1):
            found.append(FilledGaps(column, n, "zeros"))
    return max(found, key=lambda each: each.n, default=None)
