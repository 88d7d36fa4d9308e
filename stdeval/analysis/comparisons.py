"""Comparisons of systems, as `stdeval compare` prints them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stdeval import notices
from stdeval.display import counted
from stdeval.errors import InputError, warn
from stdeval.labels import places
from stdeval.results import Results
from stdeval.stats.paired_tests import Alternative
from stdeval.stats.pairwise import Design, compare_measures, smallest_possible
from stdeval.stats.significance import Comparison, pairs
from stdeval.table import Floats, ScoreTable, check_scores_table


class ComparedPair(NamedTuple):
    """Two systems compared by a measure; see `stdeval.stats.significance.Comparison`.

    Parameters
    ----------
    measure, a, b : str
        The measure, and the names of the two systems.
    mean_a, mean_b, difference, low, high : float
        Means of a and of b, the first minus the second, and the t interval of the difference.
    effect_size : float
        The difference divided by the standard deviation of the differences (of the scores, if topics are not
        paired).
    wins, ties, losses : int, optional
        Numbers of topics on which a is better, equal or worse; None if topics are not paired.
    n_a, n_b : int
        Numbers of topics.
    statistic, pvalue, adjusted_pvalue : float
        The result of the test, and p adjusted for the number of pairs; NaN with fewer than two topics.
    """

    measure: str
    a: str
    b: str
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    effect_size: float
    wins: int | None
    ties: int | None
    losses: int | None
    n_a: int
    n_b: int
    statistic: float
    pvalue: float
    adjusted_pvalue: float


def compare(
    table: ScoreTable,
    baseline: str | None = None,
    test: str = "t",
    *,
    unpaired: bool = False,
    welch: bool = False,
    alternative: Alternative = "two-sided",
    correction: str = "none",
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> Results[ComparedPair]:
    """Compare every pair of systems, or all systems with a baseline, as `stdeval compare` does.

    Parameters
    ----------
    table : ScoreTable
        Raw or standardized scores.
    baseline : str, optional
        The name of a system, which is the second of each pair; None for all pairs.
    test : str
        t, wilcoxon, sign, permutation or bootstrap. The last two draw resamples, see Notes.
    unpaired : bool
        Compare the systems as if their topics were not the same. The test must be t.
    welch : bool
        Of unpaired topics, let the variances differ (Welch's test).
    alternative : {"two-sided", "greater", "less"}
        The alternative hypothesis: greater says that a is better than b, which by measures such as unj is lower.
    correction : {"none", "bonferroni", "holm", "bh", "tukey"}
        The correction of the p-values for the number of pairs, for each measure by itself.
    confidence : float
        Confidence level of the interval of the difference, in [0.5, 1).
    n_resamples, seed : int
        Number of resamples and seed of permutation, bootstrap and tukey. The same seed gives the same p-values.

    Returns
    -------
    Results of ComparedPair
        A row per measure and pair. Its fields are ``measure``; ``a`` and ``b``, the names of the systems;
        ``mean_a``, ``mean_b`` and ``difference``, a minus b; ``low`` and ``high``, the two-sided *t* interval of
        the difference, whatever the test and the alternative are; ``effect_size``, the difference divided by the
        standard deviation of the differences over topics (of the scores, if topics are not paired); ``wins``,
        ``ties`` and ``losses``, the numbers of topics on which a is better, equal and worse, or None if topics are
        not paired; ``n_a`` and ``n_b``, the numbers of topics; ``statistic`` and ``pvalue`` of the test; and
        ``adjusted_pvalue``, after the correction.

    Raises
    ------
    InputError
        If there is no such system, test or correction, or if they do not fit together.

    Warns
    -----
    InputWarning
        See the section WARNINGS of stdeval(1); the significance level is 1 - ``confidence``.

    Notes
    -----
    A pair is compared on the topics that both systems have: ``n_a`` and ``n_b`` tell how many these are. With
    ``Options(complete=True)``, `stdeval.evaluate` counts missing topics as 0; otherwise it warns of them.

    By permutation and bootstrap, p is (count + 1) / (``n_resamples`` + 1), where count is the number of resamples
    that are at least as extreme as the scores. The two-sided p of permutation is twice the smaller of its two
    one-sided p-values. So p cannot be smaller than 1 / (``n_resamples`` + 1), or twice that for a two-sided
    permutation test: 0.0002 for 10,000 resamples. If p is that small, or if many pairs are corrected for, raise
    ``n_resamples``. Of few topics, permutation tries all 2^n_topics changes of signs if ``n_resamples`` is at least
    that number; then p is exact.

    ``stdeval help 1 compare`` describes the tests, the corrections and the effect size.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[[0.1], [0.2], [0.4]], [[0.2], [0.4], [0.5]]])
    >>> table = ScoreTable(("a", "b"), ("1", "2", "3"), ("map",), scores)
    >>> pair = compare(table, baseline="a")[0]
    >>> pair.a, pair.b, round(pair.difference, 4), pair.wins, round(pair.pvalue, 4)
    ('b', 'a', 0.1333, 3, 0.0572)
    """
    check_scores_table(table)
    at = None if baseline is None else place_of_system(table, baseline)
    first, second = pairs(len(table.systems), at)
    if not len(first):
        raise InputError(f"{counted(len(table.systems), 'system')}, expected at least two to compare")
    design = Design(test, unpaired, welch, alternative, correction, confidence, n_resamples, seed)
    names = [(table.systems[i], table.systems[j]) for i, j in zip(first, second, strict=True)]
    compared = compare_measures(table, first, second, design)
    remedy = "more topics or resamples" if design.draws else "more topics"
    warn(notices.unreachable(smallest_possible(compared, len(table.systems), design), 1 - confidence, remedy))
    return Results(ComparedPair, list(compared_pairs(compared, names)))


def place_of_system(table: ScoreTable, name: str) -> int:
    """Return the index of a system; an `InputError` lists the systems if there is none of this name."""
    return places(table.systems, [name], "system")[0]


def compared_pairs(
    compared: Mapping[str, tuple[Comparison, Floats]], names: Sequence[tuple[str, str]]
) -> Iterator[ComparedPair]:
    """Yield a row for each measure and pair.

    Parameters
    ----------
    compared : mapping of str to (Comparison, ndarray)
        By measure, the comparisons of the pairs and their adjusted p-values, see `compare_measures`.
    names : sequence of (str, str)
        The systems of each pair.
    """
    for measure, (c, adjusted) in compared.items():
        nothing = [None] * len(names)
        counts = [nothing if column is None else column.tolist() for column in (c.wins, c.ties, c.losses)]
        numbers = (c.mean_a, c.mean_b, c.difference, c.low, c.high, c.effect_size)
        tested = (c.n_a, c.n_b, c.statistic, c.pvalue, adjusted)
        columns = [*(each.tolist() for each in numbers), *counts, *(each.tolist() for each in tested)]
        for (a, b), *cells in zip(names, *columns, strict=True):
            yield ComparedPair(measure, a, b, *cells)
