"""Designs of comparisons against scipy."""

from __future__ import annotations

import itertools
from dataclasses import fields

import numpy as np
import pytest
import scipy.stats

from stdeval.errors import InputError
from stdeval.stats.paired_tests import TESTS
from stdeval.stats.pairwise import Design, compare_measures, compare_systems
from stdeval.stats.significance import pairs
from stdeval.table import ScoreTable

pytestmark = pytest.mark.oracle

SCORES = np.random.default_rng(5).random((4, 12)) * np.array([[0.2], [0.6], [0.9], [1.0]])
FIRST, SECOND = np.array([0, 1, 2]), np.array([3, 3, 3])


@pytest.mark.parametrize(
    "parameters",
    [
        {"test": "u"},
        {"unpaired": True, "test": "sign"},
        {"welch": True},
        {"correction": "tukey", "unpaired": True},
        {"correction": "tukey", "alternative": "less"},
    ],
)
def test_what_does_not_go_together_is_refused(parameters: dict) -> None:
    with pytest.raises(InputError, match="expected"):
        Design(**parameters)


def test_adjusted_is_scipys_of_one_family() -> None:
    found, adjusted = compare_systems(SCORES, FIRST, SECOND, Design(correction="bh"))
    expected = [scipy.stats.ttest_rel(SCORES[i], SCORES[3]).pvalue for i in range(3)]
    np.testing.assert_allclose(found.pvalue, expected, rtol=1e-12)
    np.testing.assert_allclose(adjusted, scipy.stats.false_discovery_control(expected), rtol=1e-12)


def test_unpaired_is_scipys() -> None:
    holed = SCORES.copy()
    holed[:3, 6:], holed[3, :6] = np.nan, np.nan  # no topic in common
    found, _ = compare_systems(holed, FIRST, SECOND, Design(unpaired=True, welch=True, alternative="less"))
    expected = scipy.stats.ttest_ind(SCORES[:3, :6], SCORES[3, 6:], axis=1, equal_var=False, alternative="less")
    np.testing.assert_allclose(found.pvalue, expected.pvalue, rtol=1e-12)


def test_tukey_takes_all_systems_into_account() -> None:
    """Carterette 2012 in a plain loop: topics permuted, the range of means; the pair's own p stays the test's."""
    found, adjusted = compare_systems(SCORES, FIRST, SECOND, Design(correction="tukey", n_resamples=4000))
    plain, _ = compare_systems(SCORES, FIRST, SECOND, Design())
    np.testing.assert_array_equal(found.pvalue, plain.pvalue)
    rng = np.random.default_rng(11)
    ranges = [np.ptp(np.mean([rng.permutation(topic) for topic in SCORES.T], axis=0)) for _ in range(4000)]
    reached = [np.mean(np.array(ranges) >= abs(SCORES[i].mean() - SCORES[3].mean())) for i in range(3)]
    np.testing.assert_allclose(adjusted, reached, atol=0.03)  # 0.0079 is the sd of one share at 0.5
    again, other = (
        compare_systems(SCORES, FIRST, SECOND, Design(correction="tukey", n_resamples=4000, seed=seed))[1]
        for seed in (0, 1)
    )
    np.testing.assert_array_equal(again, adjusted)
    assert (other != adjusted).any()


@pytest.mark.parametrize(
    ("design", "text"),
    [
        (Design(), "Student's t test, paired, two-sided"),
        (Design(unpaired=True, welch=True, alternative="less"), "Welch's t test, unpaired, one-tailed (less)"),
        (
            Design(test="sign", correction="tukey", n_resamples=9, seed=3),
            "randomised Tukey HSD over all runs, two-sided; 9 resamples, seed 3",
        ),
    ],
)
def test_a_design_in_words(design: Design, text: str) -> None:
    assert design.described == text


def test_comparisons_without_topics_are_missing() -> None:
    values = np.stack([SCORES[:3], SCORES[:3]], axis=2)
    values[0, 1:, 0], values[1, 1:, 1] = np.nan, np.nan
    table = ScoreTable(("a", "b", "c"), tuple(map(str, range(12))), ("x", "y"), values)
    found = compare_measures(table, *pairs(3), Design())
    assert np.isnan(found["x"][0].pvalue).tolist() == [True, True, False]
    np.testing.assert_array_equal(np.isnan(found["y"][1]), [True, False, True])


def test_a_measure_with_too_little_is_named() -> None:
    values = np.stack([SCORES, np.full_like(SCORES, np.nan)], axis=2)
    table = ScoreTable(tuple("abcd"), tuple(map(str, range(12))), ("x", "y"), values)
    with pytest.raises(InputError, match="y: no comparison has two topics"):
        compare_measures(table, FIRST, SECOND, Design())


@pytest.mark.parametrize("test", TESTS)
def test_pairs_compared_some_at_a_time_are_those_compared_at_once(
    test: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(8)
    scores = rng.integers(0, 11, (7, 40)) / 10
    scores[rng.random(scores.shape) < 0.2] = np.nan
    scores[5], scores[6, :20] = np.nan, np.nan
    scores[5, 0] = 0.55  # a system with one topic is not tested, which is no error beside others
    first, second = pairs(7)
    results = []
    for n_scores in (40 * len(first), 40 * 4, 1):
        monkeypatch.setattr("stdeval.stats.pairwise._MOST_SCORES", n_scores)
        results.append(compare_systems(scores, first, second, Design(test, n_resamples=200)))
    for comparison, adjusted in results[1:]:
        np.testing.assert_array_equal(adjusted, results[0][1])
        for each in fields(comparison):
            np.testing.assert_array_equal(
                getattr(comparison, each.name), getattr(results[0][0], each.name), each.name
            )
    assert np.isnan(results[0][0].pvalue).sum() == 6


def test_pairs_none_of_which_has_two_topics_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stdeval.stats.pairwise._MOST_SCORES", 1)
    scores = np.where(np.eye(4) == 1, 0.5, np.nan)
    with pytest.raises(InputError, match="no comparison has two topics"):
        compare_systems(scores, *pairs(4), Design())


@pytest.mark.parametrize(("n_systems", "n_topics"), [(2, 1), (2, 4), (3, 3)])
def test_the_smallest_p_of_tukey_is_that_of_a_best_and_a_worst_system(n_systems: int, n_topics: int) -> None:
    """Of all permutations, whose ranges are compared here one by one."""
    rows = list(itertools.permutations(range(n_systems)))
    ranges = [np.ptp(np.sum(chosen, axis=0)) for chosen in itertools.product(rows, repeat=n_topics)]
    expected = np.mean(np.array(ranges) == n_topics * (n_systems - 1))
    assert Design(correction="tukey").smallest_pvalue(n_topics, n_systems, 1) == pytest.approx(expected)
