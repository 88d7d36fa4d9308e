"""The best systems: against numpy's quantiles, exact fractions, and the published results of gt4ireval."""

from __future__ import annotations

import csv
import functools
import operator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.stats.ranking import best_systems, coverage, number_of_best

pytestmark = pytest.mark.oracle


def best(scores: np.ndarray, which: str, **options: bool) -> np.ndarray:
    return best_systems(scores, coverage(scores), which, **options)


def test_published_mean_squares_of_the_best_three_quarters(shared: Path):
    """shared/data/gt4ireval/README.md: of 40 systems 30 stay, and the mean squares are those of the 30."""
    with (shared / "gt4ireval" / "adhoc3.csv").open() as lines:
        scores = np.array([row[1:] for row in list(csv.reader(lines))[1:]], dtype=float).T
    kept = scores[best(scores, "75%")]
    assert kept.shape == (30, 50)
    of_systems = 50 * kept.mean(axis=1).var(ddof=1)
    of_topics = 30 * kept.mean(axis=0).var(ddof=1)
    residual = kept - kept.mean(axis=1, keepdims=True) - kept.mean(axis=0) + kept.mean()
    figures = (of_systems, of_topics, (residual**2).sum() / (29 * 49))
    assert [f"{figure:.5g}" for figure in figures] == ["0.15074", "0.85296", "0.010152"]


@given(st.integers(1, 200), st.integers(1, 99))
def test_a_share_keeps_what_is_not_below_the_quantile(n: int, percent: int):
    """Of the means 1 to n; the quantile of type 7 is 1 + (n - 1) q, here in exact fractions."""
    quantile = 1 + (n - 1) * Fraction(100 - percent, 100)
    assert number_of_best(f"{percent}%", n) == sum(mean >= quantile for mean in range(1, n + 1))


@pytest.mark.parametrize("percent", [10, 25, 50, 75, 90])
def test_a_share_is_by_numpys_quantile(percent: int):
    scores = np.random.default_rng(percent).random((41, 7))
    means = scores.mean(axis=1)
    assert (best(scores, f"{percent}%") == (means >= np.quantile(means, 1 - percent / 100))).all()


def test_a_share_may_have_decimals():
    assert number_of_best("33.3%", 1001) == 334
    assert number_of_best("99.95%", 2001) == 2000


def test_ties_stay_and_noise_splits_none():
    """The means of the second and the third system are 0.2 on paper; their sums differ in binary numbers."""
    scores = np.array([[0.5, 0.5, 0.5], [0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.1, 0.1, 0.1]])
    # not by sum(), which has no such noise since Python 3.12
    assert len({functools.reduce(operator.add, row) for row in scores[1:3].tolist()}) == 2
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        assert best(scores[order], "2").tolist() == [system != 3 for system in order]


def test_the_lowest_are_best_if_lower_is_better():
    scores = np.array([[0.5, 0.5], [0.1, 0.2], [0.3, 0.2]])
    assert best(scores, "1", better_higher=False).tolist() == [False, True, False]


def test_an_incomplete_system_is_not_among_the_best():
    scores = np.array([[0.9, np.nan, 0.9], [0.1, 0.2, 0.3], [0.2, 0.2, 0.3], [0.3, 0.2, 0.3]])
    assert best(scores, "3").tolist() == [False, True, True, True]
    assert best(scores, "50%").tolist() == [False, False, True, True]


def test_more_than_there_are_keeps_all():
    assert best(np.array([[0.5, 0.5], [0.1, 0.2]]), "9").all()
