"""Corrections of p-values for the number of comparisons.

The corrections are rows of ``CORRECTIONS``. All but one adjust p-values and are pure functions of them; Tukey's
compares all systems at once, and needs the scores themselves.

References
----------
S. Holm. A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, 1979.

Y. Benjamini, Y. Hochberg. Controlling the false discovery rate. JRSS B 57, 1995.

B. Carterette. Multiple testing in statistical analysis of systems-based information retrieval experiments.
ACM TOIS 30(1), 2012. (tukey)

B. Phipson, G. K. Smyth. Permutation p-values should never be zero. SAGMB 9(1), 2010. (count + 1)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stdeval.errors import InputError
from stdeval.table import Floats, Ints

BATCH_BYTES = 16 * 2**20
"""Size of the scores permuted at a time: what bounds the memory, to about three times as much."""

SAME = 1e-12
"""Differences that are the same but for rounding lie no further apart, relative to their size."""


def bonferroni(pvalues: Floats) -> Floats:
    """The p-values times their number, at most 1: controls the chance of any false finding.

    Parameters
    ----------
    pvalues : ndarray, shape (m,)
        None missing.

    Returns
    -------
    ndarray, shape (m,)
        Adjusted p-values, in the same order.

    Examples
    --------
    >>> bonferroni(np.array([0.01, 0.04, 0.6]))
    array([0.03, 0.12, 1.  ])
    """
    return np.minimum(1.0, len(pvalues) * pvalues)


def holm(pvalues: Floats) -> Floats:
    """Holm 1979: the k-th smallest of m times m - k + 1, never below the one before it, at most 1.

    Parameters and what is returned as for `bonferroni`, which it improves on in every case.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.6]))
    array([0.03, 0.08, 0.6 ])
    """
    order = np.argsort(pvalues)
    adjusted = np.empty_like(pvalues)
    steps = np.arange(len(pvalues), 0, -1) * pvalues[order]
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted


def benjamini_hochberg(pvalues: Floats) -> Floats:
    """Benjamini & Hochberg 1995: controls the expected share of false findings; scipy's own.

    Parameters and what is returned as for `bonferroni`.

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.6]))
    array([0.03, 0.06, 0.6 ])
    """
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(pvalues), dtype=np.float64)


@dataclass(frozen=True)
class Correction:
    """A correction: its name on the command line, what it is, and its function; None where it needs scores."""

    name: str
    title: str
    function: Callable[[Floats], Floats] | None


CORRECTIONS = {
    row.name: row
    for row in (
        Correction("none", "as they are", np.copy),
        Correction("bonferroni", "Bonferroni", bonferroni),
        Correction("holm", "Holm 1979", holm),
        Correction("bh", "Benjamini & Hochberg 1995", benjamini_hochberg),
        Correction("tukey", "randomised Tukey HSD, Carterette 2012", None),
    )
}


def adjust(pvalues: Floats, correction: str) -> Floats:
    """Adjusted p-values of one family of comparisons.

    Parameters
    ----------
    pvalues : ndarray
        Of any shape, all of it one family. NaN is missing: it stays so, and is not counted.
    correction : str
        One of ``CORRECTIONS`` but tukey, for which see `tukey_pvalues`.

    Returns
    -------
    ndarray
        Of the same shape.

    Raises
    ------
    InputError
        If there is no such correction of p-values.

    Examples
    --------
    >>> adjust(np.array([0.01, np.nan, 0.6]), "bonferroni")
    array([0.02,  nan, 1.  ])
    """
    if correction not in CORRECTIONS:
        raise InputError(f"no correction '{correction}', expected one of: {', '.join(CORRECTIONS)}")
    function = CORRECTIONS[correction].function
    if function is None:
        raise InputError(f"{correction} corrects no p-values: it compares the scores of all systems at once")
    adjusted = np.full_like(pvalues, np.nan)
    there = ~np.isnan(pvalues)
    adjusted[there] = function(pvalues[there])
    return adjusted


def tukey_pvalues(scores: Floats, rng: np.random.Generator, n_resamples: int = 10_000) -> Floats:
    """The randomised Tukey HSD test of every pair of systems: Carterette 2012.

    If no system differed from another, the scores of each topic could as well belong to any of the systems.
    So they are permuted within the topics; p of a pair is how often the range of the mean scores (greatest less
    least) reaches the pair's difference. That is corrected for the number of pairs as it is.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        NaN is missing; topics for which a system has no score are left out.
    rng : numpy.random.Generator
        Where the permutations come from.
    n_resamples : int
        Number of permutations.

    Returns
    -------
    ndarray, shape (n_systems, n_systems)
        Two-sided p, symmetric: (count + 1) / (n_resamples + 1), where the paper has count / n_resamples and
        thus may have 0; 1 for systems with the same mean.

    Raises
    ------
    InputError
        If there is no topic for which every system has a score.

    Examples
    --------
    >>> scores = np.array([[0.1, 0.2, 0.1, 0.3, 0.2], [0.1, 0.1, 0.2, 0.3, 0.2], [0.7, 0.9, 0.8, 0.9, 0.6]])
    >>> tukey_pvalues(scores, np.random.default_rng(1), 999).round(2)
    array([[1.  , 1.  , 0.01],
           [1.  , 1.  , 0.01],
           [0.01, 0.01, 1.  ]])
    """
    complete = scores[:, ~np.isnan(scores).any(axis=0)]
    if not complete.size:
        raise InputError("no topic for which every system has a score, which tukey needs")
    ranges = np.sort(_permuted_ranges(complete.T, rng, n_resamples))
    totals = _totals(complete.T[np.newaxis])[0]
    differences = np.abs(totals[:, np.newaxis] - totals)
    below = np.searchsorted(ranges, differences * (1 - SAME), side="left")
    pvalues: Floats = (n_resamples - below + 1) / (n_resamples + 1)
    return pvalues


def _permuted_ranges(by_topic: Floats, rng: np.random.Generator, n_resamples: int) -> Floats:
    batch = max(1, BATCH_BYTES // by_topic.nbytes)
    ranges = np.empty(n_resamples)
    for start in range(0, n_resamples, batch):
        part = ranges[start : start + batch]
        permuted = rng.permuted(np.broadcast_to(by_topic, (len(part), *by_topic.shape)), axis=2)
        part[:] = np.ptp(_totals(permuted), axis=1)
    return ranges


def _totals(by_topic: Floats) -> Floats:
    # Of systems, over topics; ranges of totals compare as those of means do.
    totals: Floats = by_topic.sum(axis=1)
    return totals


def significance_groups(means: Floats, pvalues: Floats, alpha: float = 0.05) -> tuple[Ints, Ints]:
    """The groups to which each system belongs; systems that share one do not differ significantly.

    A group is as many systems as can be, next to each other by their means, of which no two differ
    significantly. Groups are numbered from 1, that of the best system, and those of a system follow each other.

    Parameters
    ----------
    means : ndarray, shape (n_systems,)
        None missing.
    pvalues : ndarray, shape (n_systems, n_systems)
        Of each pair, not greater the more their means differ, as those of Tukey's test.
    alpha : float
        Below which a pair differs significantly.

    Returns
    -------
    first, last : ndarray of int, shape (n_systems,)
        The numbers of each system's first and last group.

    Examples
    --------
    >>> pvalues = np.array([[1.0, 0.2, 0.01], [0.2, 1.0, 0.3], [0.01, 0.3, 1.0]])
    >>> first, last = significance_groups(np.array([0.5, 0.4, 0.3]), pvalues)
    >>> first, last
    (array([1, 1, 2]), array([1, 2, 2]))
    """
    order = np.argsort(-means, kind="stable")
    differs = pvalues[np.ix_(order, order)] < alpha
    ends = [_reach(row, i) for i, row in enumerate(differs)]
    starts = [i for i, end in enumerate(ends) if i == 0 or end > ends[i - 1]]
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    first = np.searchsorted([ends[start] for start in starts], place, side="left") + 1
    last = np.searchsorted(starts, place, side="right")
    return first.astype(np.int64), last.astype(np.int64)


def _reach(differs: Floats, start: int) -> int:
    """The last system up to which none differs from the one at ``start``."""
    beyond = np.flatnonzero(differs[start:])
    return start + int(beyond[0]) - 1 if len(beyond) else len(differs) - 1
