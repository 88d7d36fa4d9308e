"""Paired significance tests of the differences between two systems, topic by topic.

The tests are the rows of ``TESTS``. Each is computed by scipy, and is a pure function of differences of which none
is missing. Only the tests load scipy.stats, because it is slow to import.

References
----------
M. D. Smucker, J. Allan, B. Carterette. A comparison of statistical significance tests for information retrieval
evaluation. CIKM 2007.

J. Savoy. Statistical inference in retrieval effectiveness evaluation. IP&M 33(4), 1997. (bootstrap)
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from stdeval.table import Floats

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES: tuple[str, ...] = get_args(Alternative)
"""The alternative hypotheses: the first system differs, is better, or is worse."""

BATCH = 100
"""Number of resamples that a permutation test draws at a time, which limits the memory."""


def t_test(differences: Floats, alternative: Alternative) -> tuple[Floats, Floats]:
    """Return t and the p-value of Student's paired t test, for each row.

    Parameters
    ----------
    differences : ndarray, shape (n, n_topics)
        Differences, none of them missing. No row is all 0.
    alternative : {"two-sided", "greater", "less"}
        How the mean difference may differ from 0.

    Returns
    -------
    statistic, pvalue : ndarray, shape (n,)
        The statistic is infinite where all differences are equal.

    Examples
    --------
    >>> statistic, pvalue = t_test(np.array([[0.1, 0.2, 0.3]]), "two-sided")
    >>> statistic.round(4), pvalue.round(4)
    (array([3.4641]), array([0.0742]))
    """
    from scipy.stats import ttest_1samp

    with warnings.catch_warnings(), np.errstate(divide="ignore"):
        # scipy warns of lost precision if all differences are equal; p is correct there, 0 or 1.
        warnings.simplefilter("ignore", RuntimeWarning)
        result = ttest_1samp(differences, 0.0, axis=1, alternative=alternative)
    equal = np.ptp(differences, axis=1) == 0
    return np.where(equal, np.copysign(np.inf, differences[:, 0]), result.statistic), np.asarray(result.pvalue)


def wilcoxon_test(differences: Floats, alternative: Alternative) -> tuple[Floats, Floats]:
    """Return rank sum and p-value of Wilcoxon's signed-rank test, without the topics that have no difference.

    Parameters and returned arrays are those of `t_test`. scipy chooses the exact or the asymptotic method for each
    pair of systems.
    """
    from scipy.stats import wilcoxon

    # One pair at a time, because over an axis scipy uses the method that the pair with the most ties needs for all.
    results = [wilcoxon(row, alternative=alternative) for row in differences]
    return np.array([row.statistic for row in results]), np.array([row.pvalue for row in results])


def sign_test(differences: Floats, alternative: Alternative) -> tuple[Floats, Floats]:
    """Return number of wins and p-value of the sign test, without the topics that have no difference.

    Parameters and returned arrays are those of `t_test`.
    """
    from scipy.stats import binom

    wins = np.sum(differences > 0, axis=1)
    n = np.sum(differences != 0, axis=1)
    more, fewer = binom.sf(wins - 1, n, 0.5), binom.cdf(wins, n, 0.5)
    both = np.minimum(1.0, 2 * np.minimum(more, fewer))
    return wins.astype(np.float64), {"two-sided": both, "greater": more, "less": fewer}[alternative]


def permutation_test(
    differences: Floats, alternative: Alternative, rng: np.random.Generator, n_resamples: int
) -> tuple[Floats, Floats]:
    """Return mean difference and p-value of Fisher's randomization test, which changes signs at random.

    Parameters and returned arrays are those of `t_test`. There are 2^n_topics changes of signs. If these are no
    more than ``n_resamples``, the test enumerates them all; otherwise p is (count + 1) / (n_resamples + 1). The
    two-sided p is twice the smaller of the two one-sided ones.
    """
    from scipy.stats import permutation_test as scipy_test

    result = scipy_test(
        (differences,),
        _mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=n_resamples,
        batch=BATCH,
        alternative=alternative,
        axis=1,
        random_state=rng,
    )
    return np.asarray(result.statistic), np.asarray(result.pvalue)


def bootstrap_test(
    differences: Floats, alternative: Alternative, rng: np.random.Generator, n_resamples: int
) -> tuple[Floats, Floats]:
    """Return mean difference and p-value of the shifted bootstrap test (Savoy 1997).

    It resamples topics from the differences minus their mean. Parameters and returned arrays are those of `t_test`.
    p is (count + 1) / (n_resamples + 1); the two-sided p is twice the smaller of the two one-sided ones.
    """
    results = [_bootstrap_of_pair(row, alternative, rng, n_resamples) for row in differences]
    return np.array([row.statistic for row in results]), np.array([row.pvalue for row in results])


def _bootstrap_of_pair(row: Floats, alternative: Alternative, rng: np.random.Generator, n_resamples: int) -> Any:
    from scipy.stats import monte_carlo_test

    null = row - row.mean()
    return monte_carlo_test(
        row,
        lambda size: rng.choice(null, size),
        _mean,
        vectorized=True,
        n_resamples=n_resamples,
        alternative=alternative,
    )


def _mean(differences: Floats, axis: int) -> Floats:
    mean: Floats = np.mean(differences, axis=axis)
    return mean


def detectable_effect(n: int, alpha: float, power: float = 0.8) -> float:
    """Return the effect size that Student's one-tailed paired t test finds with this power.

    Parameters
    ----------
    n : int
        Number of topics, at least 2.
    alpha : float
        Significance level, in (0, 1).
    power : float
        Probability that the test finds the effect, in (0, 1).

    Returns
    -------
    float
        A mean difference divided by the standard deviation of the differences. It is 0 if ``alpha`` is at least
        ``power``, and NaN if ``alpha`` is so small that scipy does not compute the power.

    References
    ----------
    J. Cohen. Statistical power analysis for the behavioral sciences. 2nd edition, Erlbaum 1988, chapter 2.

    Examples
    --------
    With 50 topics a difference of about a third of a standard deviation is found:

    >>> round(detectable_effect(50, 0.05), 4)
    0.3566
    """
    from scipy.optimize import brentq
    from scipy.special import nctdtr, stdtrit

    critical = float(stdtrit(n - 1, 1 - alpha))
    # With twice the critical value as its mean, t exceeds the critical value with a probability of 95% or more,
    # whatever the degrees of freedom; the 10 is for critical values near 0.
    greatest = 2 * abs(critical) + 10

    def missed(noncentrality: float) -> float:
        return float(nctdtr(n - 1, noncentrality, critical)) - (1 - power)

    if alpha >= power:
        return 0.0
    if np.isnan([missed(0.0), missed(greatest)]).any():
        return math.nan
    return float(brentq(missed, 0.0, greatest)) / math.sqrt(n)


@dataclass(frozen=True)
class PairedTest:
    """A paired test: its name on the command line, its title, and its function of differences and alternative.

    If it ``draws`` at random, the function also takes a generator (rng) and a number of resamples (n_resamples).
    """

    name: str
    title: str
    function: Callable[..., tuple[Floats, Floats]]
    draws: bool = False


TESTS = {
    row.name: row
    for row in (
        PairedTest("t", "Student's t test", t_test),
        PairedTest("wilcoxon", "Wilcoxon's signed-rank test", wilcoxon_test),
        PairedTest("sign", "sign test", sign_test),
        PairedTest("permutation", "Fisher's randomization test", permutation_test, draws=True),
        PairedTest("bootstrap", "shifted bootstrap test", bootstrap_test, draws=True),
    )
}
