"""Paired significance tests of the differences between two systems, topic by topic: the rows of ``TESTS``.

They are compared by Smucker, Allan and Carterette (A comparison of statistical significance tests for information
retrieval evaluation, CIKM 2007); the studentized bootstrap is from Sakai (SIGIR 2006).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import log2
from operator import neg, pos
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
import scipy  # its modules are slow to load, and load when a function needs them

from stdeval.noise import decimals, rounded, without_noise
from stdeval.table import Floats, Ints

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES: tuple[str, ...] = get_args(Alternative)

_MORE_EXTREME: dict[str, Callable[[Floats], Floats]] = {"two-sided": abs, "greater": pos, "less": neg}
"""What makes a more extreme statistic greater."""

DRAWN = 1 << 17  # topics that a bootstrap test draws at a time, over its resamples, which limits the memory
MOST_TIED = 13  # differences up to which Wilcoxon's test is exact if some have the same size


def t_test(differences: Floats, places: Ints, alternative: Alternative) -> tuple[Floats, Floats]:
    """Return t and the p-value of Student's paired t test, for each row; shapes are (n,).

    ``differences``, shape (n, n_topics), has no missing value, and no row that is all 0. Those of each row are
    rounded to ``places`` decimals, shape (n,), before they are compared, see `stdeval.noise`. The statistic is
    infinite where all differences are equal, and 0 where their mean is 0.
    """
    n = differences.shape[1]
    exact = differences.mean(axis=1)
    mean = without_noise(exact, places)
    equal = np.ptp(rounded(differences, places[:, np.newaxis]), axis=1) == 0
    variance = ((differences - exact[:, np.newaxis]) ** 2).mean(axis=1) * (n / (n - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = exact / np.sqrt(variance / n)
    statistic = np.where(equal, np.copysign(np.inf, mean), np.where(mean == 0, 0.0, t))
    tail = scipy.special.stdtr(n - 1.0, -_MORE_EXTREME[alternative](statistic))
    return statistic, tail * (2 if alternative == "two-sided" else 1)


def wilcoxon_test(differences: Floats, places: Ints, alternative: Alternative) -> tuple[Floats, Floats]:
    """Return rank sum and p-value of Wilcoxon's signed-rank test of the topics with a difference; see `t_test`."""
    exact = rounded(differences, places[:, np.newaxis])
    statistic, pvalue = np.array([_signed_rank_test(row[row != 0], alternative) for row in exact]).T
    return statistic, pvalue


def _signed_rank_test(differences: Floats, alternative: Alternative) -> tuple[float, float]:
    """Return rank sum and p-value of differences other than 0, shape (n,); n may be 0."""
    if not len(differences):
        return 0.0, 1.0
    if len(np.unique(np.abs(differences))) == len(differences) or len(differences) > MOST_TIED:
        result = scipy.stats.wilcoxon(differences, alternative=alternative)
        return float(result.statistic), float(result.pvalue)
    # Count the changes of signs that have each rank sum; with ties, scipy would try them all, which takes seconds.
    # Ranks that ties share may be halves, so that twice the ranks are whole numbers.
    doubled = np.rint(2 * scipy.stats.rankdata(np.abs(differences))).astype(np.int64)
    total, greatest = int(doubled[differences > 0].sum()), int(doubled.sum())
    ways = np.zeros(greatest + 1)
    ways[0] = 1
    for rank in doubled:
        ways[rank:] += ways[:-rank].copy()
    statistic = min(total, greatest - total) if alternative == "two-sided" else total
    more, fewer = ways[total:].sum() / ways.sum(), ways[: total + 1].sum() / ways.sum()
    return statistic / 2, float(_of_tails(more, fewer, alternative))


def _of_tails(more: ArrayLike, fewer: ArrayLike, alternative: Alternative) -> Floats:
    """Return the p-value, given the probabilities of a statistic that is at least, or at most, the one found."""
    both = np.minimum(1.0, 2 * np.minimum(more, fewer))
    return np.asarray({"two-sided": both, "greater": more, "less": fewer}[alternative])


def sign_test(differences: Floats, places: Ints, alternative: Alternative) -> tuple[Floats, Floats]:
    """Return number of wins and p-value of the sign test, leaving out topics without a difference; see `t_test`."""
    exact = rounded(differences, places[:, np.newaxis])
    wins, n = np.sum(exact > 0, axis=1), np.sum(exact != 0, axis=1)
    more, fewer = scipy.stats.binom.sf(wins - 1, n, 0.5), scipy.stats.binom.cdf(wins, n, 0.5)
    return wins.astype(np.float64), _of_tails(more, fewer, alternative)


def permutation_test(
    differences: Floats, places: Ints, alternative: Alternative, rng: np.random.Generator, n_resamples: int
) -> tuple[Floats, Floats]:
    """Return mean difference and p-value of Fisher's randomization test, which changes signs at random.

    See `t_test`. If k differences are not 0, there are 2^k ways to change their signs. If that is at most
    ``n_resamples``, the test enumerates them all; otherwise p is (count + 1) / (n_resamples + 1). The two-sided p
    is twice the smaller of the two one-sided ones, and 1 if the mean difference is 0.
    """
    statistic = without_noise(differences.mean(axis=1), places)
    differ = rounded(differences, places[:, np.newaxis]) != 0
    n_different = np.count_nonzero(differ, axis=1)
    # Signs that are drawn are those of all topics, which all pairs share.
    differ[n_different > log2(n_resamples)] = True
    # scipy refuses a single topic. A second one, whose difference is 0, changes no p.
    differ[n_different == 1, :2] = True
    how: dict[str, Any] = {"permutation_type": "samples", "vectorized": True, "axis": 1, "random_state": rng}
    how |= {"n_resamples": n_resamples, "batch": 100}  # resamples drawn at a time, which limits the memory
    pvalue = np.ones(len(differences))
    for topics in np.unique(differ, axis=0):
        rows = np.flatnonzero((differ == topics).all(axis=1))
        chosen = differences[np.ix_(rows, topics)]
        beyond = partial(_beyond, observed=chosen.mean(axis=1), places=places[rows])
        pvalue[rows] = scipy.stats.permutation_test((chosen,), beyond, alternative=alternative, **how).pvalue
    is_certain = (statistic == 0) & (alternative == "two-sided")
    return statistic, np.where(is_certain, 1.0, pvalue)


def _beyond(resampled: Floats, axis: int, observed: Floats, places: Ints) -> Floats:
    """Return means relative to the observed one, so that those that differ from it only by noise become 0."""
    return rounded(resampled.mean(axis=axis) - observed, places)


def bootstrap_test(
    differences: Floats, places: Ints, alternative: Alternative, rng: np.random.Generator, n_resamples: int
) -> tuple[Floats, Floats]:
    """Return t and the p-value of the studentized bootstrap test (Sakai 2006); see `t_test`.

    The differences are shifted to the mean 0 and their topics resampled. The p-value is (count + 1) / (n_resamples
    + 1), where count is the number of resamples with a t at least as extreme as that of the differences; the
    two-sided test ignores the sign of t. A resample whose sd is 0 says nothing about the spread: it counts as
    extreme, on either side, unless its mean is 0, too.
    """
    n_topics, extremity = differences.shape[1], _MORE_EXTREME[alternative]
    shifted = differences - differences.mean(axis=1, keepdims=True)
    statistic = _t_of_rows(differences, places)
    t_places = decimals(statistic, axis=())
    observed = rounded(extremity(statistic), t_places)
    n_extreme = np.zeros(len(differences), dtype=np.int64)
    batch = max(1, DRAWN // n_topics)
    for start in range(0, n_resamples, batch):
        # All pairs share the topics drawn, which saves time and does not change the distribution of any p-value.
        topics = rng.integers(0, n_topics, (min(batch, n_resamples - start), n_topics))
        for i, row in enumerate(shifted):
            t = _t_of_rows(row[topics], places[i])
            is_extreme = np.isinf(t) | (rounded(extremity(t), t_places[i]) >= observed[i])
            n_extreme[i] += np.count_nonzero(is_extreme)
    return statistic, (n_extreme + 1) / (n_resamples + 1)


def _t_of_rows(values: Floats, places: Ints) -> Floats:
    """Return mean / (sd / sqrt(n)) of each row: 0 where the mean is 0, else infinite where the sd is 0."""
    n, mean = values.shape[1], values.mean(axis=1)
    deviations = values - mean[:, np.newaxis]
    sd = without_noise(np.sqrt(np.einsum("ij,ij->i", deviations, deviations) / (n - 1)), places)
    mean = without_noise(mean, places)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean / (sd / np.sqrt(n)))


class PairedTest(NamedTuple):
    """A paired test: its name on the command line, its title, and its function, as `t_test`.

    One that ``draws`` at random also takes a generator and a number of resamples; ``signs`` if it changes signs.
    """

    name: str
    title: str
    function: Callable[..., tuple[Floats, Floats]]
    signs: bool = False
    draws: bool = False


TESTS = {
    row.name: row
    for row in (
        PairedTest("t", "Student's t test", t_test),
        PairedTest("wilcoxon", "Wilcoxon's signed-rank test", wilcoxon_test, signs=True),
        PairedTest("sign", "sign test", sign_test, signs=True),
        PairedTest("permutation", "Fisher's randomization test", permutation_test, signs=True, draws=True),
        PairedTest("bootstrap", "studentized bootstrap test", bootstrap_test, draws=True),
    )
}
