"""Warnings of comparisons that are not tested, or that cannot be significant whatever the runs score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from stdeval.commands.messages import warn
from stdeval.display import shown_pvalue
from stdeval.stats.corrections import TukeyTest
from stdeval.stats.noise import is_significant
from stdeval.stats.pairwise import Design
from stdeval.stats.significance import Comparison
from stdeval.table import Bools, Floats


def warn_of_untested(untested: Bools) -> None:
    """Warn of comparisons that are not tested, because they have too few topics."""
    n = int(untested.sum())
    if n:
        few = "has fewer than two topics; it is" if n == 1 else "have fewer than two topics; they are"
        warn(f"{n} of {untested.size} comparisons {few} not tested")


def warn_of_unreachable(compared: Iterable[tuple[Comparison, Floats]], design: Design, alpha: float) -> None:
    """Warn of pairs that cannot differ significantly, because there are too few resamples or topics.

    Parameters
    ----------
    compared : iterable of (Comparison, ndarray)
        By each measure, the comparisons of the pairs, and their adjusted p-values.
    design : Design
    alpha : float
    """
    smallest, stuck, n_pairs = [], 0, 0
    for comparison, adjusted in compared:
        if comparison.smallest is None or comparison.ties is None:
            continue
        differing = (comparison.ties < comparison.n_a) & ~np.isnan(adjusted)
        possible = comparison.smallest[differing]
        cannot = ~is_significant(np.minimum(possible, adjusted[differing]), alpha)
        smallest += [float(possible.min())] if cannot.all() and cannot.size else []
        stuck, n_pairs = stuck + int(cannot.sum()), n_pairs + cannot.size
    if smallest:
        _warn_of_smallest("p_adjusted", smallest, alpha, _remedies(design))
    elif stuck:
        have = "comparisons has" if stuck == 1 else "comparisons have"
        few = f"too few topics with different scores for a p_adjusted of at most {alpha:g}"
        warn(f"{stuck} of {n_pairs} {have} {few}")


def warn_of_unreachable_by_tukey(tests: Iterable[TukeyTest], alpha: float) -> None:
    """Warn if no two runs can differ significantly by Tukey's test, for the same reasons."""
    unreachable = [test for test in tests if test.ranges[-1] > 0 and not is_significant(test.smallest, alpha)]
    if unreachable:
        smallest = [test.smallest for test in unreachable]
        # on one topic every permutation has the same range: p is 1, however many are drawn
        more = "more --resamples or " if min(smallest) < 1 else ""
        _warn_of_smallest("p of Tukey's test", smallest, alpha, f"{more}more topics")


def _warn_of_smallest(p: str, smallest: Sequence[float], alpha: float, expected: str) -> None:
    told = f"the smallest possible {p} is {shown_pvalue(min(smallest), alpha)}, above alpha {alpha:g}"
    warn(f"{told}: expected {expected}")


def _remedies(design: Design) -> str:
    """Return the changes with which pairs could differ significantly."""
    more = ["more --resamples"] if design.draws else []
    fewer = ["fewer pairs"] if design.correction not in ("none", "tukey") else []
    other = "--test" if design.correction == "none" else "--correction"
    return f"{', '.join([*more, *fewer, 'more topics'])} or another {other}"
