"""Intervals that seem exact although there are few topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil

import numpy as np

from stdeval.display import counted
from stdeval.noise import decimals, rounded
from stdeval.stats.intervals import expanded_tails, share_upper_bound
from stdeval.stats.significance import Comparison
from stdeval.table import Floats, Ints


def about_equal_scores(comparisons: Iterable[Comparison], confidence: float) -> Iterator[str]:
    """Yield a message about pairs of systems that have the same difference on all topics, if these are few."""
    comparisons = list(comparisons)
    equal = [(each.low == each.high) | np.isinf(each.effect_size) for each in comparisons]
    numbers = [np.minimum(each.n_a, each.n_b)[same] for each, same in zip(comparisons, equal, strict=True)]
    n_pairs = sum(each.difference.size for each in comparisons)
    yield from about_no_width(np.concatenate(numbers), n_pairs, "differences", confidence)


def about_equal_topics(scores: Iterable[Floats], confidence: float) -> Iterator[str]:
    """Yield a message about intervals of means without width: few topics, on all of which a system scores alike.

    Parameters
    ----------
    scores : iterable of ndarray, shape (n_systems, n_topics)
        NaN is missing.
    confidence : float

    Examples
    --------
    >>> print(*about_equal_topics([np.ones((1, 8)), np.arange(8.0)[np.newaxis]], 0.95))  # doctest: +ELLIPSIS
    1 of 2 intervals has no width, because the scores of all topics are equal (fewest topics: 8): ...
    """
    numbers, n_intervals = [np.zeros(0, dtype=np.int64)], 0
    for given in scores:
        each = rounded(given, decimals(given))
        equal = np.fmax.reduce(each, axis=1) == np.fmin.reduce(each, axis=1)
        numbers.append(np.sum(~np.isnan(each), axis=1)[equal])
        n_intervals += len(each)
    yield from about_no_width(np.concatenate(numbers), n_intervals, "scores", confidence)


_MUCH_UNSEEN = 0.05
"""An interval without width hardly misleads if at most this share of topics may have other scores."""


def about_no_width(numbers: Ints, n_intervals: int, of: str, confidence: float) -> Iterator[str]:
    """Yield a message about intervals without width, which seem exact although there are few topics.

    Parameters
    ----------
    numbers : ndarray of int, shape (n_without_width,)
        The numbers of topics of intervals without width.
    n_intervals : int
        The number of all intervals.
    of : str
        The numbers that are equal on all topics: "scores" or "differences".
    confidence : float

    Examples
    --------
    >>> print(*about_no_width(np.array([8]), 2, "scores", 0.95))  # doctest: +NORMALIZE_WHITESPACE
    1 of 2 intervals has no width, because the scores of all topics are equal (fewest topics: 8): other
    scores on up to 31% of topics are not ruled out
    """
    numbers = numbers[numbers > 1]
    if len(numbers) and (unseen := share_upper_bound(0, int(numbers.min()), confidence)) > _MUCH_UNSEEN:
        has = "has" if len(numbers) == 1 else "have"
        found = f"{len(numbers)} of {counted(n_intervals, 'interval')} {has} no width"
        why = f"because the {of} of all topics are equal (fewest topics: {numbers.min()})"
        yield f"{found}, {why}: other {of} on up to {100 * unseen:.2g}% of topics are not ruled out"


def about_few_resampled(scores: Floats, confidence: float, n_resamples: int) -> Iterator[str]:
    """Yield a message about intervals from resamples of too few topics, or from too few resamples of few topics.

    No resampled mean is beyond the scores of all topics. The true mean is beyond all of n symmetric scores with the
    probability 2^(1 - n). The fewer topics there are, the farther out are the quantiles that are the ends, see
    `stdeval.stats.intervals.expanded_tails`.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics, n_measures)
        NaN is missing.
    confidence : float
    n_resamples : int

    Examples
    --------
    >>> print(*about_few_resampled(np.ones((1, 3, 1)), 0.95, 10_000))  # doctest: +NORMALIZE_WHITESPACE
    intervals from resamples of 3 topics hold the true mean with a probability of at most about 75%: expected more
    topics, or the t interval of other topics
    >>> print(*about_few_resampled(np.ones((1, 6, 1)), 0.95, 100))
    100 resamples of 6 topics are few for an interval at 0.95: expected at least 412
    """
    numbers = np.sum(~np.isnan(scores), axis=1)
    if not (numbers > 1).any():
        return
    fewest = int(np.min(numbers[numbers > 1]))
    covered = 1 - 2.0 ** (1 - fewest)
    if covered < confidence:
        found = (
            f"intervals from resamples of {fewest} topics hold the true mean with a probability of at most about"
        )
        yield f"{found} {100 * covered:.0f}%: expected more topics, or the t interval of other topics"
    else:
        yield from about_few_resamples(fewest, "topics", confidence, n_resamples)


def about_few_resamples(n: int, noun: str, confidence: float, n_resamples: int) -> Iterator[str]:
    """Yield a message if there are too few resamples for the quantiles of an interval.

    Parameters
    ----------
    n : int
        The number of topics, or references, that are resampled; at least 2.
    noun : str
        What they are.
    confidence : float
    n_resamples : int
    """
    needed = ceil(1 / expanded_tails(confidence, n)[0])
    if n_resamples < needed:
        found = f"{n_resamples} resamples of {n} {noun} are few for an interval at {confidence:g}"
        yield f"{found}: expected at least {needed}"


_FEW_REFERENCES = 5
"""With fewer reference runs, less than nine tenths of the intervals at 95% hold the true mean."""


def about_resampled_references(n: int, confidence: float, n_resamples: int) -> Iterator[str]:
    """Yield a message if few reference runs are resampled for an interval, or if there are few resamples.

    Examples
    --------
    >>> print(*about_resampled_references(3, 0.95, 10_000))  # doctest: +NORMALIZE_WHITESPACE
    intervals from resamples of 3 reference runs hold the true mean less often than their level says: expected at
    least 5 reference runs
    >>> print(*about_resampled_references(6, 0.95, 100))
    100 resamples of 6 reference runs are few for an interval at 0.95: expected at least 412
    """
    if n < _FEW_REFERENCES:
        found = (
            f"intervals from resamples of {n} reference runs hold the true mean less often than their level says"
        )
        yield f"{found}: expected at least {_FEW_REFERENCES} reference runs"
    else:
        yield from about_few_resamples(n, "reference runs", confidence, n_resamples)
