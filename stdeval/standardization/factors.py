"""Standardization factors: fit them to the scores of references, check them, and lay them out for other topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np

from stdeval.display import listed
from stdeval.errors import InputError
from stdeval.noise import DIGITS, SINGLE_DIGITS, decimals, fewest_digits, have_few_digits
from stdeval.reference_factors import Factors
from stdeval.stats.moments import moments
from stdeval.table import Bools, Floats, Ints, ScoreTable, check_scores_table, rows_for

LARGEST_SCORE = 1e150
"""The largest score that can be standardized, or summed over topics: the square of a larger one overflows."""


def fit_factors(table: ScoreTable) -> Factors:
    """Return the standardization factors of the scores of reference systems.

    Parameters
    ----------
    table : ScoreTable
        Scores of at least two systems. A missing score is left out of its topic's factors. The factors keep the
        table, because schemes E and M need it.

    Raises
    ------
    InputError
        If there are fewer than two systems.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1",), ("map",), np.array([[[0.25]], [[0.75]]]))
    >>> fit_factors(table).mean, fit_factors(table).sd.round(4)
    (array([[0.5]]), array([[0.3536]]))
    """
    check_scores_table(table)
    refuse_huge(table.values)
    check_references(len(table.systems))
    return Factors(table.topics, table.measures, *moments(table.values), table, origins=table.origins)


def refuse_huge(scores: Floats) -> None:
    """Refuse scores beyond `LARGEST_SCORE`."""
    beyond = np.abs(scores) > LARGEST_SCORE
    if beyond.any():
        raise InputError(f"score {scores[beyond][0]:g}, expected at most {LARGEST_SCORE:g}")


_TELLING_SCORES = 10
"""Two systems with the same scores count as one system if they have at least this number of scores."""

_FRACTIONS = 3
"""They must also have this number of fractional scores: by success_10, many systems have the same whole numbers."""


def n_repeated_systems(rows: Iterable[Floats]) -> int:
    """Return the number of systems that have the scores of an earlier one, on every topic by every measure.

    Parameters
    ----------
    rows : iterable of ndarray, shape (n_topics, n_measures) each
        The scores of each system, NaN where missing. Systems with fewer than ten scores are not counted, and with
        fewer than three that are neither 0 nor 1, since they may be equal by chance.

    Examples
    --------
    >>> scores = np.linspace(0.0, 1.0, 12).reshape(6, 2)
    >>> n_repeated_systems([scores, scores.copy(), scores[::-1], scores[:3], scores[:3]])
    1
    """
    known: set[bytes] = set()
    n = 0
    for values in rows:
        if are_telling(values):
            # Adding 0 turns -0 into 0. A digest keeps the memory small if the runs are scored one by one.
            scores = blake2b((values + 0.0).tobytes(), digest_size=16).digest()
            n += scores in known
            known.add(scores)
    return n


def are_telling(values: Floats) -> bool:
    """Return True if there are so many scores that they hardly equal those of another system by chance."""
    is_known = ~np.isnan(values)
    return bool(np.sum(is_known) >= _TELLING_SCORES and np.sum(is_known & (values % 1 != 0)) >= _FRACTIONS)


def impossible_deviations(mean: Floats, sd: Floats, n: Ints) -> Bools:
    """Return True where n scores in [0, 1] cannot have the given mean and standard deviation.

    The largest variance of n such scores is mean (1 - mean) n / (n - 1), when all of them are 0 or 1 (Bhatia &
    Davis 2000). The numbers may have been rounded, so each may be off by half a unit of its last digit.

    Parameters
    ----------
    mean, sd : ndarray
        Arrays of the same shape; NaN is never impossible.
    n : ndarray of int
        Number of scores. If it is unknown (0), 2 is assumed, which allows the largest variance.

    References
    ----------
    R. Bhatia, C. Davis. A better bound on the variance. American Mathematical Monthly 107(4), 2000.

    Examples
    --------
    First published factors, then the same with means and standard deviations swapped:

    >>> mean, sd, n = np.array([0.9, 0.3]), np.array([0.1, 0.2]), np.array([0, 0])
    >>> impossible_deviations(mean, sd, n), impossible_deviations(sd, mean, n)
    (array([False, False]), array([ True, False]))
    """
    return _beyond(mean, sd, np.maximum(n, 2))


def _beyond(mean: Floats, sd: Floats, n: Ints | int) -> Bools:
    """Return True where n scores in [0, 1] have a smaller standard deviation, see `impossible_deviations`."""
    # Among the means that round to this one, the mean nearest to 1/2 allows the largest variance.
    half_unit = _half_unit(mean)
    widest = mean + np.clip(0.5 - mean, -half_unit, half_unit)
    least = np.maximum(sd - _half_unit(sd), 0)
    return np.asarray(least**2 > largest_variance(widest, n))


def largest_variance(mean: Floats, n: Ints | int) -> Floats:
    """Return the largest variance of n scores in [0, 1] with this mean, see `impossible_deviations`.

    If n is 1 or unknown (0), this is the variance of a population.
    """
    correction = np.where(np.greater(n, 1), n / np.maximum(np.subtract(n, 1), 1), 1.0)
    return np.asarray(mean * (1 - mean) * correction)


USUAL_REFERENCES = 10
"""The number of reference systems that is assumed to tell means from standard deviations if it is unknown."""


def unlikely_deviations(mean: Floats, sd: Floats, n: Ints) -> Bools:
    """Return True where the numbers of scores are unknown, and means and standard deviations are likely swapped.

    They are likely swapped by a measure if most standard deviations are greater than the means, and more of them
    than of the means are beyond the bound of `impossible_deviations` for `USUAL_REFERENCES` scores. Those are the
    ones returned. Scores of fewer systems that are mostly 0 or 1 may be there too.

    Parameters
    ----------
    mean, sd : ndarray, shape (n_topics, n_measures)
        NaN is never unlikely.
    n : ndarray of int, shape (n_topics, n_measures)
        0 is unknown.

    Examples
    --------
    >>> mean, sd, n = np.array([[0.4], [0.3], [0.3]]), np.array([[0.2], [0.1], [0.05]]), np.zeros((3, 1), int)
    >>> unlikely_deviations(mean, sd, n).ravel().tolist()
    [False, False, False]
    >>> unlikely_deviations(sd, mean, n).ravel().tolist()
    [False, False, True]
    """
    unlikely = np.zeros(mean.shape, dtype=np.bool_)
    for k in np.flatnonzero((n == 0).all(axis=0)):
        m, s = mean[:, k], sd[:, k]
        beyond, beyond_if_exchanged = _beyond(m, s, USUAL_REFERENCES), _beyond(s, m, USUAL_REFERENCES)
        if (s > m).sum() > (s < m).sum() and beyond.sum() > beyond_if_exchanged.sum():
            unlikely[:, k] = beyond
    return unlikely


def _half_unit(values: Floats) -> Floats:
    """Return how large the error of each number may be if all were rounded to the digits that they have.

    That is half a unit of the last decimal of any of them, up to the twelfth, or of the last significant digit if
    this is more. If all numbers are as short as 32-bit floats, the sixth digit is the last.
    """
    present = values[~np.isnan(values)]
    places = next((k for k in range(12) if (np.round(present, k) == present).all()), 12)
    most = SINGLE_DIGITS if have_few_digits(present).all() else DIGITS
    digits = fewest_digits(present, _FEWEST_DIGITS, most) or most
    units: Floats = np.maximum(10.0**-places, 10.0 ** -decimals(values, axis=(), digits=digits))
    return units / 2


_FEWEST_DIGITS = 3
"""All of a few numbers may have fewer digits by chance."""


def check_references(n: int) -> None:
    """Refuse fewer than two reference systems with an `InputError`."""
    if n < 2:
        number = "one" if n else "no"
        raise InputError(f"{number} reference run, expected at least two: a standard deviation needs them")


def common_measures(measures: Sequence[str], factors: Factors) -> tuple[str, ...]:
    """Return the measures that the factors have, in the order given; if there are none, raise an `InputError`."""
    known = set(factors.measures)
    common = tuple(name for name in measures if name in known)
    if not common:
        raise InputError(
            f"no measure in common: the factors have {listed(factors.measures) or 'none'}, the scores "
            f"{listed(measures) or 'none'}"
        )
    return common


def numbers_of_references(factors: Factors, topics: Iterable[str], measures: Iterable[str]) -> Ints:
    """Return the number of reference systems of the factors for each topic and measure.

    Returns
    -------
    ndarray of int, shape (n_known_topics, n_known_measures)
        In the order of the factors.
    """
    rows, columns = (
        np.isin(known, list(wanted)) for known, wanted in ((factors.topics, topics), (factors.measures, measures))
    )
    return factors.n[np.ix_(rows, columns)]


def numbers_of_own_references(table: ScoreTable) -> Ints:
    """Return the number of systems with a score for each topic and measure, as their own reference systems.

    Returns
    -------
    ndarray of int, shape (n_topics, n_measures)
    """
    numbers: Ints = np.sum(~np.isnan(table.values), axis=0)
    return numbers


def align(array: Floats, factors: Factors, topics: Sequence[str], measures: Sequence[str]) -> Floats:
    """Return an array of the factors laid out for other topics and measures.

    Parameters
    ----------
    array : ndarray, shape (..., n_topics_of_factors, n_measures_of_factors)
        Mean, sd or reference scores of the factors.
    factors : Factors
    topics : sequence of str
    measures : sequence of str
        Measures that the factors have.

    Returns
    -------
    ndarray, shape (..., n_topics, n_measures)
        NaN for topics that the factors do not have.

    Raises
    ------
    InputError
        If the factors have none of the topics.
    """
    if set(topics).isdisjoint(factors.topics):
        raise InputError(f"no topic in common: the factors have '{factors.topics[0]}', the scores '{topics[0]}'")
    by_topic = rows_for(np.moveaxis(array, -2, 0), factors.topics, topics)
    columns = [factors.measures.index(name) for name in measures]
    # Indexing may change the order in memory; in a fixed order, later sums are always added in the same order.
    return np.ascontiguousarray(np.moveaxis(by_topic, 0, -2)[..., columns])
