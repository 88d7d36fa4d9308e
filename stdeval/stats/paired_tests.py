"""Paired significance tests of the differences between two systems, topic by topic.

The tests are rows of ``TESTS``; every one is scipy's own, and a pure function of differences that are all there.

References
----------
M. D. Smucker, J. Allan, B. Carterette. A comparison of statistical significance tests for information retrieval
evaluation. CIKM 2007.

J. Savoy. Statistical inference in retrieval effectiveness evaluation. IP&M 33(4), 1997. (bootstrap)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from stdeval.table import Floats

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES: tuple[str, ...] = get_args(Alternative)
"""What may be true instead: that the first system differs, is better, or is worse."""

BATCH = 100
"""Resamples of a permutation test drawn at a time: what bounds the memory."""


def t_test(differences: Floats, alternative: Alternative, **_: Any) -> tuple[Floats, Floats]:
    """Student's paired t test: the statistic is t.

    Parameters
    ----------
    differences : ndarray, shape (n, n_topics)
        None missing, and in no row all 0.
    alternative : {"two-sided", "greater", "less"}
        What the mean difference may be instead of 0.

    Returns
    -------
    statistic, pvalue : ndarray, shape (n,)
        The statistic is infinite where the differences are all equal.

    Examples
    --------
    >>> statistic, pvalue = t_test(np.array([[0.1, 0.2, 0.3]]), "two-sided")
    >>> statistic.round(4), pvalue.round(4)
    (array([3.4641]), array([0.0742]))
    """
    from scipy.stats import ttest_1samp

    with warnings.catch_warnings(), np.errstate(divide="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # differences all equal lose precision: p is 0 or 1 there
        result = ttest_1samp(differences, 0.0, axis=1, alternative=alternative)
    equal = np.ptp(differences, axis=1) == 0
    return np.where(equal, np.copysign(np.inf, differences[:, 0]), result.statistic), np.asarray(result.pvalue)


def wilcoxon_test(differences: Floats, alternative: Alternative, **_: Any) -> tuple[Floats, Floats]:
    """Wilcoxon's signed-rank test, topics without a difference left out; the statistic is the rank sum.

    Parameters and what is returned as for `t_test`. Exact or asymptotic as scipy finds fit for each pair.
    """
    from scipy.stats import wilcoxon

    # A pair a time: over an axis scipy takes the method that the pair with the most ties needs.
    results = [wilcoxon(row, alternative=alternative) for row in differences]
    return np.array([row.statistic for row in results]), np.array([row.pvalue for row in results])


def sign_test(differences: Floats, alternative: Alternative, **_: Any) -> tuple[Floats, Floats]:
    """The sign test, topics without a difference left out; the statistic is the number of wins.

    Parameters and what is returned as for `t_test`.
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
    """Fisher's randomization test: signs change at random; the statistic is the mean difference.

    Parameters and what is returned as for `t_test`. All 2^n_topics changes of sign are looked at where they are
    no more than ``n_resamples``; else p is (count + 1) / (n_resamples + 1), two-sided twice the smaller of the two.
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
    """The shifted bootstrap test: topics are drawn from differences less their mean; the statistic is the mean.

    Parameters and what is returned as for `t_test`. p is (count + 1) / (n_resamples + 1), two-sided twice the
    smaller of the two.
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


@dataclass(frozen=True)
class PairedTest:
    """A paired test: its name on the command line, what it is, its function, and whether it draws at random."""

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
