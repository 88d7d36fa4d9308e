"""Intervals that show which systems differ, against the tests whose results they show."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from stdeval.noise import is_significant
from stdeval.stats.corrections import tukey_test
from stdeval.stats.pairwise import groups_of_intervals, paired_intervals, tukey_intervals

pytestmark = pytest.mark.oracle


def scores_of(seed: int, n_systems: int = 12, n_topics: int = 15) -> np.ndarray:
    """Scores from 0 to 1 whose means differ, and of which many are equal."""
    rng = np.random.default_rng(seed)
    quality, ease = np.linspace(-0.3, 0.3, n_systems)[:, np.newaxis], rng.random(n_topics)
    return (quality + ease + rng.normal(0, 0.2, (n_systems, n_topics))).clip(0, 1).round(2)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_a_paired_interval_leaves_out_the_mean_of_the_pivot_where_the_t_test_is_significant(level: float):
    outcomes = []
    for seed in range(20):
        scores = scores_of(seed)
        low, high = paired_intervals(scores, 3, level)
        for i in (i for i in range(len(scores)) if i != 3):
            tested = stats.ttest_rel(scores[i], scores[3])
            outside = not low[i] <= scores[3].mean() <= high[i]
            assert outside == (tested.pvalue < 1 - level)
            ends = tested.confidence_interval(level)
            assert (low[i], high[i]) == pytest.approx(tuple(scores[3].mean() + end for end in ends))
            outcomes.append(outside)
        assert np.isnan([low[3], high[3]]).all()
    assert 0.1 < np.mean(outcomes) < 0.9


def test_paired_intervals_are_of_the_topics_that_both_systems_have():
    scores = scores_of(1)
    scores[5, :4] = np.nan
    low, high = paired_intervals(scores, 0)
    ends = stats.ttest_rel(scores[5, 4:], scores[0, 4:]).confidence_interval(0.95)
    assert (low[5], high[5]) == pytest.approx(tuple(scores[0].mean() + end for end in ends))


def test_intervals_that_only_noise_separates_meet():
    mean, half = np.array([0.55, 0.41]), 0.07
    low, high = mean - half, mean + half
    assert low[0] > high[1]
    assert groups_of_intervals(mean, low, high) == ["a", "a"]


def test_scores_that_only_noise_separates_have_an_interval_without_length():
    scores = np.array([[0.3, 0.7, 0.2], [0.1 + 0.2, 0.7, 0.2]])
    low, high = paired_intervals(scores, 0)
    assert low[1] == high[1] == scores[0].mean()


@pytest.mark.parametrize("seed", range(4))
def test_tukey_intervals_meet_where_tukeys_test_is_not_significant(seed: int):
    scores = scores_of(seed)
    low, high = tukey_intervals(scores, tukey_test(scores, np.random.default_rng(7), 499), 0.95)
    pvalues = tukey_test(scores, np.random.default_rng(7), 499).pvalues
    letters = groups_of_intervals(scores.mean(axis=1), low, high)
    apart = []
    for i, j in combinations(range(len(scores)), 2):
        is_apart = bool(low[i] - high[j] > 1e-12 or low[j] - high[i] > 1e-12)
        assert is_apart == is_significant(pvalues[i, j], 0.05)
        assert is_apart != bool(letters_in(letters[i]) & letters_in(letters[j]))
        apart.append(is_apart)
    assert 0.1 < np.mean(apart) < 0.9


def letters_in(group: str) -> set[str]:
    first, last = group[0], group[-1]
    return {chr(code) for code in range(ord(first), ord(last) + 1)}


def test_a_difference_that_random_ranges_reach_exactly_is_the_limit():
    """Scores of 0 and 1 give only few different ranges, so many differences are equal to the critical one."""
    scores = (np.random.default_rng(3).random((10, 8)) < np.linspace(0.05, 0.95, 10)[:, np.newaxis]).astype(float)
    low, high = tukey_intervals(scores, tukey_test(scores, np.random.default_rng(1), 199), 0.9)
    pvalues = tukey_test(scores, np.random.default_rng(1), 199).pvalues
    meet = low[:, np.newaxis] - high <= 1e-12
    np.testing.assert_array_equal(~(meet & meet.T), is_significant(pvalues, 0.1))
    half = (high - low)[0]
    assert np.isclose(np.abs(np.subtract.outer(scores.mean(1), scores.mean(1))), half).any()


def test_too_few_resamples_make_no_difference_significant():
    scores = scores_of(1)
    low, high = tukey_intervals(scores, tukey_test(scores, np.random.default_rng(1), 18), 0.95)
    assert np.isinf(low).all()
    assert np.isinf(high).all()
