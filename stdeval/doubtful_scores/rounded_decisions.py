"""Find test decisions that would differ with exact scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from stdeval.display import counted
from stdeval.doubtful_scores.rounded_scores import exact_scores
from stdeval.noise import is_significant
from stdeval.stats.corrections import TukeyTest, tukey_test
from stdeval.stats.pairwise import Design, compare_measures
from stdeval.stats.significance import Comparison, pairs
from stdeval.table import Floats, Ints, ScoreTable


def about_rounded_differences(
    table: ScoreTable,
    places: tuple[Ints, Ints],
    compared: Mapping[str, tuple[Comparison, Floats]],
    design: Design,
    alpha: float,
) -> Iterator[str]:
    """Yield a message per measure if its scores are rounded and exact ones would change decisions.

    By P_3, 0.3333 - 0 and 0.6667 - 0.3333 are the same difference, but not as they are printed.

    Parameters
    ----------
    table : ScoreTable
    places : (ndarray, ndarray) of int
        The indices of the systems of each pair.
    compared, design, alpha
        As for `about_pairs`.
    """
    for measure, (_, adjusted) in compared.items():
        exact, rounding = exact_scores(table.measure(measure), measure)
        if not rounding:
            continue
        one = replace(table.select(measures=[measure]), values=exact[:, :, np.newaxis])
        _, exactly = compare_measures(one, *places, design)[measure]
        yield from _about_other_decisions(measure, adjusted, exactly, alpha, rounding)


def about_rounded_tukey(measure: str, scores: Floats, test: TukeyTest, seed: int, alpha: float) -> Iterator[str]:
    """Yield the message of `about_rounded_decisions` for Tukey's test; scores have shape (n_systems, n_topics)."""
    exact, rounding = exact_scores(scores, measure)
    if rounding:
        pairs_of_all = pairs(len(scores))
        exactly = tukey_test(exact, np.random.default_rng(seed), len(test.ranges)).pvalues[pairs_of_all]
        yield from _about_other_decisions(measure, test.pvalues[pairs_of_all], exactly, alpha, rounding)


def _about_other_decisions(
    measure: str, pvalues: Floats, exactly: Floats, alpha: float, rounding: str
) -> Iterator[str]:
    n = int((is_significant(pvalues, alpha) != is_significant(exactly, alpha)).sum())
    if n:
        found = f"exact scores would change {n} of {counted(pvalues.size, 'decision')} by {measure}"
        yield f"{found}: the scores are rounded to {rounding}, so equal differences may count as different"
