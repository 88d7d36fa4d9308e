"""The best systems by their means: a share of them, or a number.

References
----------
W. Webber, A. Moffat, J. Zobel. Score standardization for inter-collection comparison of retrieval
systems. SIGIR 2008, Section 2. (the best 75% of the systems by mean AP)
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from stdeval.noise import decimals, rounded
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.coverage import Coverage
from stdeval.table import Bools, Floats


def number_of_best(best: str, n: int) -> int:
    """Return how many of n systems are the best ones.

    Parameters
    ----------
    best : str
        A number, such as ``"10"``, or a share, such as ``"75%"``. The best 75% are the systems whose mean is not
        below the 25% quantile of the means, by type 7 of R and the default of numpy.
    n : int

    Examples
    --------
    >>> number_of_best("75%", 40), number_of_best("75%", 129), number_of_best("10", 40), number_of_best("10", 4)
    (30, 97, 10, 4)
    """
    if not best.endswith("%"):
        return min(int(best), n)
    # The quantile lies between two means, or is one: the systems above it, and this one, are counted.
    return int((n - 1) * Fraction(best[:-1]) / 100) + 1 if n else 0


def best_systems(scores: Floats, facts: Coverage, best: str, *, better_higher: bool = True) -> Bools:
    """Return True for the best systems by their mean scores.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        NaN is missing.
    facts : Coverage
        The coverage of the scores. Only systems that it ranks are counted and can be among the best.
    best : str
        See `number_of_best`.
    better_higher : bool
        False if the lowest means are the best.

    Returns
    -------
    ndarray of bool, shape (n_systems,)
        Systems with the same mean as the last of the best are among them too.

    Examples
    --------
    >>> from stdeval.stats.coverage import coverage
    >>> scores = np.array([[0.1, 0.2], [0.4, 0.4], [0.3, 0.6], [0.5, 0.3]])
    >>> best_systems(scores, coverage(scores), "2"), best_systems(scores, coverage(scores), "50%")
    (array([False,  True,  True,  True]), array([False,  True,  True,  True]))
    """
    means = rounded(arithmetic_mean(facts.comparable(scores)), decimals(scores))
    ordered = np.sort(means[facts.ranked] if better_higher else -means[facts.ranked])[::-1]
    kept = np.zeros(len(scores), dtype=np.bool_)
    n = number_of_best(best, len(ordered))
    if n:
        kept[facts.ranked] = (means if better_higher else -means)[facts.ranked] >= ordered[n - 1]
    return kept
