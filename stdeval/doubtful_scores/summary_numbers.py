"""Find columns that are summaries of the others: by their names and numbers, or by their numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from stdeval.arrays import Floats
from stdeval.stats.rounding import half_units
from stdeval.summary_rows import summary_words

_LEAST_CHANCE = 1e-3
"""The greatest probability that any column has such numbers by chance."""

_FEWEST_COLUMNS = 3
"""The mean or sum of a single other column is a copy of it."""

_NOISE = 1e-9
"""Computed means and sums differ from exact ones by less than this."""


def exact_summaries(columns: Floats) -> list[int]:
    """Return the places of columns that have, in each row, the mean or the sum of all other columns.

    One of the last columns also counts if it has those of all columns before it: standard deviations may follow.

    Parameters
    ----------
    columns : ndarray, shape (n_rows, n_columns)
        NaN is a missing number.

    Examples
    --------
    >>> columns = np.array([[0.3761, 0.1142, 0.2], [0.2713, 0.5124, 0.7], [0.8217, 0.0218, 0.1]])
    >>> exact_summaries(np.column_stack([columns, columns.mean(axis=1).round(4)])), exact_summaries(columns)
    ([3], [])
    """
    n = columns.shape[1]
    ends = range(max(_FEWEST_COLUMNS, n - _LAST_COLUMNS), n - 1)
    before = [end for end in ends if end in _summaries_of_others(columns[:, : end + 1])]
    return sorted({*_summaries_of_others(columns), *before})


_LAST_COLUMNS = 10
"""Programs that describe data add up to eight columns: count, mean, std, min, three quartiles and max."""


def _summaries_of_others(columns: Floats) -> list[int]:
    n_columns = columns.shape[1]
    rows = columns[np.count_nonzero(~np.isnan(columns), axis=1) >= _FEWEST_COLUMNS]
    if not len(rows):
        return []
    n_others = np.count_nonzero(~np.isnan(rows), axis=1, keepdims=True) - 1
    with np.errstate(all="ignore"):
        # The numbers of a column have the same rounding, but a summary may be made of numbers before theirs.
        half_unit = half_units(rows).min(axis=0)
        rounding = half_unit + half_unit.min() + _NOISE
        others = np.nansum(rows, axis=1, keepdims=True) - rows
        # Beside columns of zeros, each of two equal columns is the sum of the others. A sum of several is greater.
        greatest = np.nanmax(rows, axis=1, keepdims=True)
        is_total = (rows == greatest) & (np.count_nonzero(rows == greatest, axis=1, keepdims=True) == 1)
        from_mean, from_sum = abs(rows - others / n_others), np.where(is_total, abs(rows - others), np.inf)
        is_other = (np.minimum(from_mean, from_sum) > rounding).any(axis=0)
        ranges = greatest - np.nanmin(rows, axis=1, keepdims=True)
        log_chance = np.log(np.minimum(1, 4 * rounding / ranges))
    alike = np.flatnonzero(~np.isnan(rows).any(axis=0) & ~is_other)
    # Rows with the same number, such as those of similar runs by P_100, count as evidence only once.
    different = [np.unique(rows[:, place], return_index=True)[1] for place in alike]
    chances = [log_chance[rows_, place].sum() for rows_, place in zip(different, alike, strict=True)]
    least = np.log(_LEAST_CHANCE / n_columns)
    return [int(place) for place, chance in zip(alike, chances, strict=True) if chance <= least]


def greatest_of_others(columns: Floats) -> list[int]:
    """Return the places of columns that equal the greatest of all other columns in every row.

    In ten rows or more, a single other column must have the greatest number, and not always the same one: no real
    column equals several others by chance.

    Parameters
    ----------
    columns : ndarray, shape (n_rows, n_columns)

    Examples
    --------
    >>> columns = np.random.default_rng(1).random((20, 3))
    >>> greatest_of_others(np.column_stack([columns, columns.max(axis=1)])), greatest_of_others(columns)
    ([3], [])
    """
    places = []
    for place in range(columns.shape[1]):
        others = np.delete(columns, place, axis=1)
        greatest = others.max(axis=1, keepdims=True, initial=-np.inf)
        if (columns[:, [place]] == greatest).all():
            is_greatest = others == greatest
            sources = np.bincount(is_greatest.argmax(axis=1)[is_greatest.sum(axis=1) == 1], minlength=1)
            if sources.sum() >= _FEWEST_FOLLOWED and sources.sum() - sources.max() >= _FEWEST_COLUMNS:
                places.append(place)
    return places


_FEWEST_FOLLOWED = 10
"""In fewer rows, a system that chooses between two others may choose the better one each time by chance."""


_SUMMARIES: dict[str, tuple[Callable[[Floats], Floats], ...]] = {
    **dict.fromkeys(("mean", "average", "avg"), (lambda scores: scores.mean(axis=1),)),
    **dict.fromkeys(
        ("sd", "std", "stdev", "stddev"),
        (lambda scores: scores.std(axis=1), lambda scores: scores.std(axis=1, ddof=1)),
    ),
    **dict.fromkeys(("median", "med"), (lambda scores: np.median(scores, axis=1),)),
}
"""How columns with these words in their names may have been computed from the others."""

_BOUNDS = {
    **dict.fromkeys(("max", "maximum", "best", "oracle"), 1),
    **dict.fromkeys(("min", "minimum", "worst"), -1),
}
"""1 for columns of the greatest numbers, -1 for columns of the least; TREC's are over all of its runs."""


def summary_columns(names: Sequence[str], columns: Floats, decimals: int | None) -> list[str]:
    """Return the columns that are means, sums or maxima of the others, or are named so and have similar numbers.

    A run may be called mean or std, too, but its scores are not close to the means of all others on every topic.

    Parameters
    ----------
    names : sequence of str
    columns : ndarray, shape (n_topics, n_columns)
        Topics with a missing number, NaN, do not count.
    decimals : int or None
        To how many decimals the numbers are printed; None for full precision.
    """
    columns = columns[~np.isnan(columns).any(axis=1)]
    rounding = _NOISE if decimals is None else 2 * 10.0**-decimals
    known = _SUMMARIES.keys() | _BOUNDS.keys()
    words = [next((word for word in summary_words(name) if word in known), "") for name in names]
    is_score = np.array([not word for word in words])
    if not is_score.any() or not len(columns):
        return []
    exact = {*exact_summaries(columns), *greatest_of_others(columns)}
    return [
        name
        for place, (name, word) in enumerate(zip(names, words, strict=True))
        if place in exact
        or any(
            _is_close(columns[:, place], compute(given), given, rounding)
            for compute in _SUMMARIES.get(word, ())
            # A column of standard deviations may be computed from all columns before it, including their means.
            for given in (columns[:, is_score], columns[:, :place])
            if given.shape[1] > 1
        )
        or (word in _BOUNDS and (_BOUNDS[word] * (columns[:, [place]] - columns[:, is_score]) >= -rounding).all())
    ]


def _is_close(numbers: Floats, summaries: Floats, given: Floats, rounding: float) -> bool:
    """Return whether all numbers are as near to their summaries as a tenth of the range, beside rounding."""
    largest = rounding + np.ptp(given, axis=1) / 10
    return not (np.abs(numbers - summaries) > largest).any()
