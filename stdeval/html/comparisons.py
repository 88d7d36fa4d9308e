"""One system compared with the others, and the answer: which system is better, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stdeval.errors import InputError
from stdeval.html.report_data import Evaluated, Kind
from stdeval.noise import is_significant
from stdeval.stats.corrections import single_alpha
from stdeval.stats.intervals import t_interval
from stdeval.stats.pairwise import compare_systems
from stdeval.stats.significance import Comparison, compare, pairs, topic_differences
from stdeval.table import Bools, Floats, Ints

N_EXTREMES = 3
"""The number of topics shown on which a system gains or loses most."""


@dataclass(frozen=True, eq=False)
class Compared:
    """The other systems, compared with one system by one kind of scores.

    Parameters
    ----------
    kind : Kind
    against : int
        The index of the one system.
    others : ndarray of int, shape (n_systems - 1,)
        The indices of the other systems.
    comparison : Comparison
        Paired t tests of the others, first, and of the one, second.
    adjusted : ndarray, shape (n_systems - 1,)
        p-values adjusted for the number of comparisons; NaN is missing.
    low, high : ndarray, shape (n_systems - 1,)
        Intervals of the differences that are adjusted likewise.
    level : float
        The confidence level of these intervals.
    alpha : float
        The significance level.
    """

    kind: Kind
    against: int
    others: Ints
    comparison: Comparison
    adjusted: Floats
    low: Floats
    high: Floats
    level: float
    alpha: float

    @property
    def significant(self) -> Bools:
        """The systems that differ significantly from the one, shape (n_systems - 1,)."""
        return np.asarray(is_significant(self.adjusted, self.alpha))

    @property
    def outcomes(self) -> tuple[int, int, int, int]:
        """The numbers of systems that are significantly better, significantly worse, neither, or not tested."""
        is_tested, difference = ~np.isnan(self.adjusted), self.comparison.difference
        better, worse = self.significant & (difference > 0), self.significant & (difference < 0)
        parts = (better, worse, is_tested & ~better & ~worse, ~is_tested)
        n_better, n_worse, n_similar, n_untested = (int(part.sum()) for part in parts)
        return n_better, n_worse, n_similar, n_untested


def compared(evaluated: Evaluated) -> tuple[Compared, ...]:
    """Compare the systems with the baseline or, if there is none, with the first of them, by each kind of scores.

    Returns
    -------
    tuple of Compared
        One for each of the kinds; empty if there are no other systems, or if there is no baseline and no system
        with two topics in common with the first.

    Raises
    ------
    InputError
        If there is a baseline, but no system that has two topics in common with it.
    """
    if len(evaluated.raw.systems) < 2:
        return ()
    if evaluated.baseline is not None:
        return tuple(_with_baseline(evaluated, j, evaluated.baseline) for j in range(len(evaluated.kinds)))
    try:
        return tuple(_with_first(evaluated, j) for j in range(len(evaluated.kinds)))
    except InputError:
        return ()


def _with_baseline(evaluated: Evaluated, j: int, baseline: int) -> Compared:
    """Compare by paired t tests, with p-values adjusted by Holm's method, and intervals that hold together.

    Holm's method has no such intervals of its own for the systems that differ, so that they are Bonferroni's.
    """
    scores = evaluated.comparable[:, :, j, 0]
    others, same = pairs(len(scores), baseline)
    level = evaluated.settings.confidence
    comparison, adjusted = compare_systems(scores, others, same, evaluated.settings.with_baseline)
    single = single_alpha(comparison.pvalue, "bonferroni", 1 - level)
    ends = t_interval(topic_differences(scores[others], scores[same]), level=1 - single)
    return Compared(
        evaluated.kinds[j], baseline, others, comparison, adjusted, *ends, level, evaluated.settings.alpha
    )


def _with_first(evaluated: Evaluated, j: int) -> Compared:
    """Compare with the first system; since its scores have chosen it, all pairs count, as in Tukey's test."""
    kind, first = evaluated.kinds[j], int(evaluated.order[0])
    scores = evaluated.comparable[:, :, j, 0]
    others, same = pairs(len(scores), first)
    comparison = compare(scores[others], scores[same])
    adjusted, half = np.full((2, len(others)), np.nan)
    test, ranked = evaluated.tukey[j], evaluated.coverage.ranked
    level = evaluated.settings.tukey_level
    if test is not None:
        pvalues = test.pvalues[int(ranked[:first].sum())]
        adjusted[ranked[others]] = pvalues[np.arange(len(pvalues)) != int(ranked[:first].sum())]
        half[ranked[others]] = test.critical_difference(level)
    ends = comparison.difference - half, comparison.difference + half
    return Compared(kind, first, others, comparison, adjusted, *ends, level, evaluated.settings.alpha)


@dataclass(frozen=True)
class Claim:
    """Two systems compared by one kind of scores; differences are those of the better minus the worse one.

    Parameters
    ----------
    better, worse : int
        The indices of the systems.
    scheme, measure : str
    difference, low, high, pvalue : float
        The interval and the p-value are adjusted; NaN is missing.
    level : float
        The confidence level of the interval.
    is_significant : bool
    wins, losses, n : int
        Numbers of topics on which the better system wins and loses, and of all topics of the comparison.
    lost : tuple of (int, float)
        The topics on which the better system loses most, with the differences.
    leader : int, optional
        The ranked system with the highest mean of all; None if it is one of these two, or equal to it.
    """

    better: int
    worse: int
    scheme: str
    measure: str
    difference: float
    low: float
    high: float
    pvalue: float
    level: float
    is_significant: bool
    wins: int
    losses: int
    n: int
    lost: tuple[tuple[int, float], ...]
    leader: int | None


def claims(evaluated: Evaluated, results: tuple[Compared, ...]) -> tuple[Claim, ...]:
    """Return a claim about the two systems that matter most, by each kind of scores.

    They are the baseline and the best other system or, if there is no baseline, the first two. The first claim is
    by raw scores, unless raw and main scores disagree about which system is better.
    """
    pair = [k for k in evaluated.order if results and results[-1].comparison.n_a[results[-1].others == k].any()]
    if not pair:
        return ()
    made = [_claim(evaluated, j, results[j], int(pair[0])) for j in range(len(results))]
    return tuple(made if made[0].better == made[-1].better else made[::-1])


def _claim(evaluated: Evaluated, j: int, results: Compared, other: int) -> Claim:
    k = int(np.flatnonzero(results.others == other)[0])
    comparison = results.comparison
    difference = float(comparison.difference[k])
    # systems with equal means keep the order in which all lists have them
    first = list(evaluated.order).index(other) < list(evaluated.order).index(results.against)
    is_first = difference > 0 or (difference == 0 and first)
    better, worse = (other, results.against) if is_first else (results.against, other)
    ends = (float(results.low[k]), float(results.high[k]))
    scores = evaluated.comparable[:, :, j, 0]
    by_topic = topic_differences(scores[better], scores[worse])
    worst = [t for t in np.argsort(np.nan_to_num(by_topic), kind="stable")[:N_EXTREMES] if by_topic[t] < 0]
    assert comparison.wins is not None and comparison.losses is not None  # topics are paired
    won, lost = int(comparison.wins[k]), int(comparison.losses[k])
    return Claim(
        better,
        worse,
        results.kind.scheme,
        results.kind.name,
        abs(difference),
        *(ends if is_first else (-ends[1], -ends[0])),
        float(results.adjusted[k]),
        results.level,
        bool(results.significant[k]),
        *((won, lost) if is_first else (lost, won)),
        int(comparison.n_a[k]),
        tuple((int(t), float(by_topic[t])) for t in worst),
        _leader(evaluated, j, (better, worse)),
    )


def _leader(evaluated: Evaluated, j: int, pair: tuple[int, int]) -> int | None:
    """Return the ranked system whose mean by the j-th kind is the highest, and higher than those of both."""
    means = evaluated.compared_means(j)
    among = np.where(evaluated.coverage.ranked, means, -np.inf)
    best = int(among.argmax())
    return best if among[best] > np.fmax.reduce(means[list(pair)]) else None
