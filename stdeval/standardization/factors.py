"""Standardization factors: fit them to the scores of references, check them, and lay them out for other topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from stdeval.display import listed
from stdeval.errors import InputError
from stdeval.measures.facts import is_in_unit_range
from stdeval.provenance import Difference, Origin, differences, other_factors
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
    return Factors(table.topics, table.measures, *moments(table.values), table, origin=table.origin)


def refuse_huge(scores: Floats) -> None:
    """Refuse scores beyond `LARGEST_SCORE`."""
    beyond = np.abs(scores) > LARGEST_SCORE
    if beyond.any():
        raise InputError(f"score {scores[beyond][0]:g}, expected at most {LARGEST_SCORE:g}")


def impossible_deviations(factors: Factors) -> Bools:
    """Return True where no scores in [0, 1] have the mean and the standard deviation, (n_topics, n_measures).

    The largest variance of n such scores is mean (1 - mean) n / (n - 1), when all of them are 0 or 1 (Bhatia &
    Davis 2000); if n is unknown, it is taken as 2.

    References
    ----------
    R. Bhatia, C. Davis. A better bound on the variance. American Mathematical Monthly 107(4), 2000.

    Examples
    --------
    >>> impossible_deviations(Factors(("1", "2"), ("map",), [[0.1], [0.9]], [[0.9], [0.1]], [[0], [0]]))
    array([[ True],
           [False]])
    """
    half = 0.0 if factors.decimals is None else 0.5 * 10.0**-factors.decimals
    # Among the means that are rounded to this one, the mean nearest to 1/2 allows the largest variance.
    mean = np.clip(factors.mean + np.clip(0.5 - factors.mean, -half, half), 0, 1)
    n = np.where(factors.n > 1, factors.n, 2)
    # Some programs print six significant digits.
    beyond = factors.sd - half > 1.001 * np.sqrt(mean * (1 - mean) * n / (n - 1))
    # Other measures may be above 1, and so are percentages.
    in_unit = [is_in_unit_range(name) for name in factors.measures] & ~(factors.mean > 1).any(axis=0)
    return np.asarray(beyond & in_unit)


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


def fewest(numbers: Ints) -> int:
    """Return the smallest number of reference systems that is not 0, which is unknown; 0 if all are."""
    known = numbers[numbers > 0]
    return int(known.min()) if known.size else 0


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


def differences_of(made: Factors | ScoreTable, table: ScoreTable, used: Origin) -> list[Difference]:
    """Return how the origin of factors, or of a baseline, differs from that of the scores of runs.

    Parameters
    ----------
    made : Factors or ScoreTable
    table : ScoreTable
    used : Origin
        That of the table or, if it was evaluated, of the judgments.
    """
    common = [name for name in made.measures if name in table.measures]
    if isinstance(made, Factors):
        # Reference runs that have all topics have the same factors with -c.
        return differences(made.origin, used, made.topics, common, ["-c"])
    same_topics = {*made.topics} == {*table.topics}
    # If digests cannot tell whether the factors are the same, they are not known to be.
    if other_factors(made.origin, table.origin, common, same_topics=same_topics) is not False:
        return [Difference("factors")]
    return differences(made.origin, used, made.topics, common)
