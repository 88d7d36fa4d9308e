"""Comparisons of systems: how much they differ, and whether the choice of topics can explain the difference.

The last axis of scores is that of the topics; all systems on the axes before it are compared at once. Comparisons
on different topics follow W. Webber, A. Moffat, J. Zobel (Score standardization for inter-collection comparison of
retrieval systems, SIGIR 2008, Table 4); for the paired tests see `stdeval.stats.paired_tests`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from stdeval.errors import InputError
from stdeval.noise import decimals, rounded, without_noise
from stdeval.stats.aggregates import arithmetic_mean, moments
from stdeval.stats.intervals import complete_blocks, interval_of_moments, t_quantile
from stdeval.stats.paired_tests import ALTERNATIVES, TESTS, Alternative
from stdeval.table import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Comparison:
    """Comparisons of first systems with second ones; every field is an array with one value per comparison.

    In a paired test, means and numbers of topics (n) are those of the topics that both systems have. ``low`` and
    ``high`` are the two-sided t interval of the difference, whatever the alternative. The effect size is the
    difference divided by a standard deviation: that of the differences if topics are paired, otherwise that of the
    scores (pooled over both systems; with Welch, the root mean square of both); it is infinite if that is 0 and the
    difference is not. Statistic and p are NaN if there are fewer than two topics; p is 1 if there is no difference
    on any topic. Differences are rounded before they are ranked, signed or tested for zero, see `stdeval.noise`.
    The numbers of topics on which the first system is better, equal or worse are None if topics are not paired.
    """

    mean_a: Floats
    mean_b: Floats
    difference: Floats
    low: Floats
    high: Floats
    effect_size: Floats
    statistic: Floats
    pvalue: Floats
    n_a: Ints
    n_b: Ints
    wins: Ints | None = None
    ties: Ints | None = None
    losses: Ints | None = None


def compare(
    a: Floats,
    b: Floats,
    test: str = "t",
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
    rng: np.random.Generator | None = None,
    n_resamples: int = 10_000,
    refuse_untested: bool = True,
) -> Comparison:
    """Compare systems topic by topic, on the topics that both have.

    Parameters
    ----------
    a, b : ndarray, shape (..., n_topics)
        Scores of the first and of the second systems; NaN is missing.
    test : str
        One of ``TESTS``.
    alternative : {"two-sided", "greater", "less"}
        ``greater`` means that the first system is better.
    level : float
        Confidence level of the interval of the difference, in [0.5, 1).
    rng, n_resamples : numpy.random.Generator and int, optional
        The source and the number of resamples; the permutation and bootstrap tests need a source.
    refuse_untested : bool
        Raise `InputError` if no comparison has two topics.

    Returns
    -------
    Comparison
        Arrays of shape (...). p is NaN where the systems have fewer than two topics in common; but it is 1 if they
        have one, with equal scores.

    Examples
    --------
    Student's sleep data (Biometrika 6, 1908): t = 4.06 and p = 0.0028.

    >>> drug = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
    >>> other = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
    >>> sleep = compare(other, drug)
    >>> float(sleep.statistic.round(2)), float(sleep.pvalue.round(4)), int(sleep.wins), int(sleep.ties)
    (4.06, 0.0028, 9, 1)
    """
    if test not in TESTS:
        raise InputError(f"no test '{test}', expected one of: {', '.join(TESTS)}")
    _check_alternative(alternative)
    if TESTS[test].draws and rng is None:
        raise InputError(f"the {test} test is random; expected a generator (rng)")
    raw, places = a - b, _pair_decimals(a, b)
    drawing = {"rng": rng, "n_resamples": n_resamples} if TESTS[test].draws else {}
    tested = partial(TESTS[test].function, alternative=alternative, **drawing)
    statistic, pvalue = _test_rows(raw.reshape(-1, raw.shape[-1]), places.ravel(), tested)
    if refuse_untested:
        require_tested(np.isnan(pvalue))
    mean, sd, n = _topic_moments(raw)
    difference = without_noise(mean, places)
    low, high = interval_of_moments(mean, sd, n, level)
    missing = np.isnan(raw)
    mean_a, mean_b = (arithmetic_mean(np.where(missing, np.nan, scores)) for scores in (a, b))
    differences = without_noise(raw, places[..., np.newaxis])
    return Comparison(
        mean_a=mean_a,
        mean_b=mean_b,
        difference=difference,
        low=low,
        high=high,
        effect_size=_effect_size(difference, without_noise(sd, places)),
        statistic=statistic.reshape(mean.shape),
        pvalue=pvalue.reshape(mean.shape),
        n_a=n,
        n_b=n,
        wins=np.sum(differences > 0, axis=-1),
        ties=np.sum(differences == 0, axis=-1),
        losses=np.sum(differences < 0, axis=-1),
    )


def _pair_decimals(a: Floats, b: Floats) -> Ints:
    """Return the decimals to which the scores of each pair of systems, and their differences, are rounded."""
    return np.minimum(decimals(a, axis=-1), decimals(b, axis=-1))


def topic_differences(a: Floats, b: Floats) -> Floats:
    """Return the score differences on each topic, first minus second; exactly 0 where only noise separates them.

    Examples
    --------
    >>> topic_differences(np.array([0.1 + 0.2, 0.5]), np.array([0.3, 0.25]))
    array([0.  , 0.25])
    """
    return without_noise(a - b, _pair_decimals(a, b)[..., np.newaxis])


def _check_alternative(alternative: str) -> None:
    if alternative not in ALTERNATIVES:
        raise InputError(f"no alternative '{alternative}', expected one of: {', '.join(ALTERNATIVES)}")


def _test_rows(
    differences: Floats, places: Ints, test: Callable[[Floats, Ints], tuple[Floats, Floats]]
) -> tuple[Floats, Floats]:
    """Return statistic and p-value of each row of differences, shape (n_rows, n_topics); NaN is missing."""
    n_missing = np.count_nonzero(np.isnan(differences), axis=1)
    n = differences.shape[1] - n_missing
    # NaN counts as different from 0; a copy without NaN would take as much memory as the differences.
    n_different = np.count_nonzero(rounded(differences, places[:, np.newaxis]), axis=1) - n_missing
    # Systems with the same scores on every topic do not differ, whatever a test returns for nothing but zeros.
    same = (n > 0) & (n_different == 0)
    statistic, pvalue = (np.where(same, value, np.nan) for value in (0.0, 1.0))
    is_tested = (n > 1) & ~same
    tested = np.flatnonzero(is_tested)
    # Usually all rows are tested, and then they need no copy, which may be large.
    for rows, block in complete_blocks(differences if is_tested.all() else differences[tested]):
        these = tested[rows]
        statistic[these], pvalue[these] = test(block, places[these])
    return statistic, pvalue


def require_tested(untested: Bools) -> None:
    """Refuse comparisons none of which was tested."""
    if untested.all():
        raise InputError("no comparison has two topics, which every test needs")


def _effect_size(difference: Floats, sd: Floats) -> Floats:
    # Systems without a difference have the effect size 0, even if their scores have no spread.
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(difference == 0, 0.0, difference / sd)


def compare_unpaired(
    a: Floats, b: Floats, *, welch: bool = False, alternative: Alternative = "two-sided", level: float = 0.95
) -> Comparison:
    """Compare systems on different topics or collections, by the t test for two samples.

    The parameters are those of `compare`, but that a and b may have other numbers of topics. With ``welch``, the
    variances may differ (Welch's test); otherwise it is Student's test. The result has no wins, ties and losses. p
    is NaN where a system has fewer than two topics; if that is so in all comparisons, `InputError` is raised.

    Examples
    --------
    Student's sleep data as if from twenty patients: t = 1.86 and p = 0.079 (R's ``t.test(extra ~ group)``, Welch).

    >>> drug = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
    >>> other = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
    >>> sleep = compare_unpaired(other, drug, welch=True)
    >>> float(sleep.statistic.round(2)), float(sleep.pvalue.round(3))
    (1.86, 0.079)
    """
    from scipy.stats import ttest_ind_from_stats  # slow to import

    _check_alternative(alternative)
    places = _pair_decimals(a, b)
    (mean_a, sd_a, n_a), (mean_b, sd_b, n_b) = (_topic_moments(scores) for scores in (a, b))
    sd_a, sd_b = without_noise(sd_a, places), without_noise(sd_b, places)
    few = (n_a < 2) | (n_b < 2)
    require_tested(few)
    with np.errstate(invalid="ignore", divide="ignore"):
        result = ttest_ind_from_stats(mean_a, sd_a, n_a, mean_b, sd_b, n_b, not welch, alternative)
        sd, error, df = _spread(sd_a, n_a, sd_b, n_b, welch)
    difference = without_noise(mean_a - mean_b, places)
    half = np.where(error == 0, 0.0, t_quantile(df, level) * error)
    same = (difference == 0) & (error == 0)
    return Comparison(
        mean_a=arithmetic_mean(a),
        mean_b=arithmetic_mean(b),
        difference=difference,
        low=difference - half,
        high=difference + half,
        effect_size=_effect_size(difference, sd),
        statistic=np.where(few, np.nan, np.where(difference == 0, 0.0, result.statistic)),
        pvalue=np.where(few, np.nan, np.where(same, 1.0, result.pvalue)),
        n_a=n_a,
        n_b=n_b,
    )


def _topic_moments(scores: Floats) -> tuple[Floats, Floats, Ints]:
    """Return mean, standard deviation and number of the scores over the last axis, that of the topics."""
    return moments(np.moveaxis(scores, -1, 0))


def _spread(sd_a: Floats, n_a: Ints, sd_b: Floats, n_b: Ints, welch: bool) -> tuple[Floats, Floats, Floats]:
    """Return the sd of the scores, and the standard error and degrees of freedom of the difference of means."""
    if welch:
        part_a, part_b = sd_a**2 / n_a, sd_b**2 / n_b
        df = (part_a + part_b) ** 2 / (part_a**2 / (n_a - 1) + part_b**2 / (n_b - 1))
        return np.sqrt((sd_a**2 + sd_b**2) / 2), np.sqrt(part_a + part_b), df
    pooled = ((n_a - 1) * sd_a**2 + (n_b - 1) * sd_b**2) / (n_a + n_b - 2)
    return np.sqrt(pooled), np.sqrt(pooled * (1 / n_a + 1 / n_b)), (n_a + n_b - 2).astype(np.float64)


def pairs(n_systems: int, baseline: int | None = None) -> tuple[Ints, Ints]:
    """Return the indices of the pairs to compare: all pairs, or every other system, first, with the baseline.

    Examples
    --------
    >>> pairs(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    >>> pairs(3, baseline=1)
    (array([0, 2]), array([1, 1]))
    """
    if baseline is None:
        first, second = np.triu_indices(n_systems, 1)
        return first, second
    others = np.delete(np.arange(n_systems), baseline)
    return others, np.full_like(others, baseline)
