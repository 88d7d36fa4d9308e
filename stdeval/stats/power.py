"""The power of tests: how many topics they need for an effect, and the smallest effect that they find.

An effect is a difference divided by a standard deviation. Intervals have no power, but an expected width. Cohen,
Statistical power analysis for the behavioral sciences, 1988. Sakai, Information Retrieval Journal 19(3), 2016.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import scipy  # its modules are slow to load, and load when a function needs them

from stdeval.noise import rounded

MOST_TOPICS = 10**6  # the greatest number that is considered
GREATEST_NONCENTRALITY = 1e9  # beyond it scipy gives NaN; its power is 1 in practice
PLACES = 9  # decimals to which powers are compared; the solution for an effect is no more exact

PowerFunction = Callable[[float, int], float]
"""The power of a test by effect and number of topics, such as ``partial(t_power, alpha=0.05)``."""


def t_power(effect: float, n: int, alpha: float, *, one_tailed: bool = False) -> float:
    """Return the power of Student's paired t test, the probability that it is significant, whatever the sign.

    The effect, at least 0, is the mean difference divided by the standard deviation of the differences on n topics.
    The power is NaN if alpha is too small for scipy.
    """
    critical = -float(scipy.special.stdtrit(n - 1, alpha if one_tailed else alpha / 2))
    noncentrality = min(effect * math.sqrt(n), GREATEST_NONCENTRALITY)
    above = 1 - float(scipy.special.nctdtr(n - 1, noncentrality, critical))
    if one_tailed:
        return above
    below = float(scipy.special.nctdtr(n - 1, noncentrality, -critical))
    # scipy has NaN for many probabilities below 1e-15.
    return above + (0.0 if math.isnan(below) else below)


def anova_power(effect: float, n: int, alpha: float, n_systems: int, *, same_topics: bool = False) -> float:
    """Return the power of the F test of an analysis of variance to find that systems differ; see `t_power`.

    The effect is the greatest difference between two systems, divided by the standard deviation of the errors; the
    others are taken to lie halfway between these two, which makes it hardest to find. Errors are deviations from
    the mean of a system (one-way) or, with ``same_topics``, interactions of system and topic (two-way).
    """
    df = n_systems - 1
    df_error = df * (n - 1) if same_topics else n_systems * (n - 1)
    critical = float(scipy.special.fdtri(df, df_error, 1 - alpha))
    noncentrality = min(n * effect * effect / 2, GREATEST_NONCENTRALITY)
    return 1 - float(scipy.special.ncfdtr(df, df_error, noncentrality, critical))


def _reaches(found: float, power: float) -> bool:
    return bool(rounded(found, PLACES) >= rounded(power, PLACES))


def detectable_effect(n: int, power_of: PowerFunction, power: float = 0.8) -> float:
    """Return the smallest effect that a test of n topics (at least 2) finds with the given power, in (0, 1).

    It is 0 if the test reaches the power without any effect, because the power is at most its significance level,
    and NaN if scipy cannot compute the power.
    """
    if _reaches(power_of(0.0, n), power):
        return 0.0
    greatest = 1 / math.sqrt(n)
    while not power_of(greatest, n) >= power:  # NaN is not enough either
        greatest *= 2
        if greatest > GREATEST_NONCENTRALITY:
            return math.nan
    try:
        found = scipy.optimize.brentq(lambda effect: power_of(effect, n) - power, 0.0, greatest, xtol=1e-14)
    except ValueError:  # the power is NaN somewhere
        return math.nan
    return float(found)


def topics_for_effect(effect: float, power_of: PowerFunction, power: float = 0.8) -> int | None:
    """Return the smallest number of topics with which a test finds an effect; None if it is above `MOST_TOPICS`."""
    return _fewest_topics(lambda n: _reaches(power_of(effect, n), power))


def expected_width(n: int, confidence: float) -> float:
    """Return the expected width of the t interval of a mean difference, divided by the sd of the differences."""
    df = n - 1
    # A sample standard deviation is on average smaller than the true one, by this factor.
    shrinkage = math.sqrt(2 / df) * math.exp(scipy.special.gammaln(n / 2) - scipy.special.gammaln(df / 2))
    return -2 * float(scipy.special.stdtrit(df, (1 - confidence) / 2)) * shrinkage / math.sqrt(n)


def topics_for_width(width: float, confidence: float) -> int | None:
    """Return the smallest number of topics whose `expected_width` is at most ``width``, or None if too many are."""
    return _fewest_topics(lambda n: bool(rounded(expected_width(n, confidence) / width - 1, PLACES) <= 0))


def _fewest_topics(is_enough: Callable[[int], bool]) -> int | None:
    """Return the smallest number of topics, from 2 on, that is enough; None if `MOST_TOPICS` are not."""
    too_few, enough = 1, 2
    while not is_enough(enough):
        if enough == MOST_TOPICS:
            return None
        too_few, enough = enough, min(2 * enough, MOST_TOPICS)
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if is_enough(middle) else (middle, enough)
    return enough
