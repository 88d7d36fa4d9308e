"""Comparisons against scipy and published counts, on real scores."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats

from stdeval.errors import InputError
from stdeval.stats.paired_tests import ALTERNATIVES, TESTS
from stdeval.stats.pairwise import (
    Design,
    compare_measures,
    compare_paired,
    compare_systems,
    compare_unpaired,
    pairs,
)
from stdeval.table import ScoreTable

pytestmark = pytest.mark.oracle

SCORES = np.random.default_rng(5).random((4, 12)) * np.array([[0.2], [0.6], [0.9], [1.0]])
FIRST, SECOND = np.array([0, 1, 2]), np.array([3, 3, 3])


def test_all_pairs_t_is_scipys(robust: np.ndarray) -> None:
    first, second = pairs(len(robust))
    a, b = robust[first], robust[second]
    found, expected = compare_systems(robust, first, second, Design())[0], scipy.stats.ttest_rel(a, b, axis=1)
    assert found.pvalue.shape == (110 * 109 / 2,)
    same = (a == b).all(axis=1)
    assert np.isnan(expected.pvalue[same]).all()  # some of these systems have the same scores throughout
    assert same.any()
    np.testing.assert_array_equal(found.pvalue[same], 1.0)
    np.testing.assert_allclose(found.pvalue[~same], expected.pvalue[~same], rtol=1e-9)
    np.testing.assert_allclose(found.statistic[~same], expected.statistic[~same], rtol=1e-9)
    interval = expected.confidence_interval(0.95)
    np.testing.assert_allclose([found.low, found.high], [interval.low, interval.high], atol=1e-14)
    np.testing.assert_allclose(found.effect_size, found.statistic / np.sqrt(99), rtol=1e-9)
    np.testing.assert_allclose(found.mean_a, a.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(found.difference, np.mean(a - b, axis=1), atol=1e-12)
    np.testing.assert_array_equal([found.wins, found.ties], [(a > b).sum(axis=1), (a == b).sum(axis=1)])
    np.testing.assert_array_equal(found.losses, (a < b).sum(axis=1))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("welch", [False, True])
def test_unpaired_is_scipys(robust: np.ndarray, welch: bool, alternative: str) -> None:
    a, b = robust[:20, :50].copy(), robust[20:40, 50:].copy()
    a[::3, ::4], a[1, 5:] = np.nan, np.nan
    design = Design(unpaired=True, welch=welch, alternative=alternative, confidence=0.9)
    found = compare_unpaired(a, b, design)
    kinds = {"equal_var": not welch, "nan_policy": "omit", "axis": 1}
    expected = scipy.stats.ttest_ind(a, b, alternative=alternative, **kinds)
    np.testing.assert_allclose(found.statistic, expected.statistic, rtol=1e-10)
    np.testing.assert_allclose(found.pvalue, expected.pvalue, rtol=1e-10)
    for i in range(20):  # its interval of several rows with gaps is not to be had at once
        there = a[i, ~np.isnan(a[i])]
        interval = scipy.stats.ttest_ind(there, b[i], equal_var=not welch).confidence_interval(0.9)
        np.testing.assert_allclose([found.low[i], found.high[i]], interval, rtol=1e-9)
        assert (found.n_a[i], found.n_b[i]) == (len(there), 49)


def test_unpaired_effect_sizes() -> None:
    """By hand: variances 4 and 16, of 3 and 5 scores, means 2 and 6."""
    a, b = np.array([0.0, 2.0, 4.0]), np.array([6.0, 6.0, 6.0 - 32**0.5, 6.0 + 32**0.5, 6.0])
    student, welch = (compare_unpaired(a, b, Design(unpaired=True, welch=welch)) for welch in (False, True))
    assert student.effect_size == pytest.approx(-4 / np.sqrt((2 * 4 + 4 * 16) / 6))
    assert welch.effect_size == pytest.approx(-4 / np.sqrt(10))


@pytest.mark.parametrize("test", TESTS)
def test_missing_topics_leave_the_common_ones(robust: np.ndarray, test: str) -> None:
    a, b = robust[:4, :12].copy(), robust[4:8, :12].copy()
    a[0, 3], b[0, 7], a[2, :2] = np.nan, np.nan, np.nan
    design = Design(test, n_resamples=5000)  # permutation: enumerated, 2^12 = 4096
    found = compare_paired(a, b, design)
    for i in range(4):
        common = ~np.isnan(a[i] + b[i])
        alone = compare_paired(a[i, common], b[i, common], design)
        assert found.n_a[i] == found.n_b[i] == common.sum() == alone.n_a
        assert found.mean_a[i] == alone.mean_a
        assert found.mean_b[i] == alone.mean_b
        assert found.statistic[i] == pytest.approx(alone.statistic)
        assert found.pvalue[i] == pytest.approx(alone.pvalue, abs=0.05 if test == "bootstrap" else 1e-12)
        assert found.wins[i] + found.ties[i] + found.losses[i] == common.sum()


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("test", TESTS)
def test_identical_runs_have_p_1(test: str, alternative: str) -> None:
    scores = np.array([[0.3, 0.3, 0.3], [0.1, np.nan, 0.9]])
    found = compare_paired(scores, scores, Design(test, alternative=alternative, n_resamples=99))
    np.testing.assert_array_equal(found.pvalue, [1.0, 1.0])
    np.testing.assert_array_equal([found.effect_size, found.statistic], np.zeros((2, 2)))
    np.testing.assert_array_equal(found.ties, [3, 2])


@pytest.mark.parametrize("test", TESTS)
def test_a_constant_difference(test: str) -> None:
    """No variance, yet a difference: never NaN, and in favour of the better system."""
    better, worse = np.full((2, 8), 0.5), np.full((2, 8), 0.2)
    for alternative, low, high in (("two-sided", 0, 0.01), ("greater", 0, 0.01), ("less", 0.99, 1)):
        found = compare_paired(better, worse, Design(test, alternative=alternative, n_resamples=2000))
        assert ((found.pvalue >= low) & (found.pvalue <= high)).all()
    assert np.isposinf(compare_paired(better, worse, Design()).statistic).all()
    assert np.isneginf(compare_paired(worse, better, Design()).effect_size).all()
    assert compare_unpaired(better, worse, Design(unpaired=True)).pvalue.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("design", [*map(Design, TESTS), Design(unpaired=True)], ids=lambda design: design.name)
def test_too_few_topics_are_not_tested(design: Design) -> None:
    nan = np.nan
    scores = np.array([[0.1, nan, nan], [0.2, 0.4, nan], [0.1, 0.5, 0.7]])
    found, _ = compare_systems(scores, np.array([0, 1]), np.array([1, 2]), design)
    assert np.isnan(found.pvalue).tolist() == [True, False]
    assert found.n_a.tolist() == [1, 2]
    with pytest.raises(InputError, match="no comparison has two topics"):
        compare_systems(scores, np.array([0]), np.array([1]), design)


@pytest.mark.parametrize(
    "parameters",
    [
        {"test": "u"},
        {"unpaired": True, "test": "sign"},
        {"welch": True},
        {"correction": "tukey", "unpaired": True},
        {"correction": "range", "alternative": "less"},
    ],
)
def test_what_does_not_go_together_is_refused(parameters: dict) -> None:
    with pytest.raises(InputError, match="expected"):
        Design(**parameters)


def test_comparisons_without_topics_are_missing() -> None:
    values = np.stack([SCORES[:3], SCORES[:3], np.full_like(SCORES[:3], np.nan)], axis=2)
    values[0, 1:, 0], values[1, 1:, 1] = np.nan, np.nan
    table = ScoreTable(("a", "b", "c"), tuple(map(str, range(12))), ("x", "y", "z"), values)
    found = compare_measures(table.select(measures=["x", "y"]), *pairs(3), Design())
    assert np.isnan(found["x"][0].pvalue).tolist() == [True, True, False]
    np.testing.assert_array_equal(np.isnan(found["y"][1]), [True, False, True])
    with pytest.raises(InputError, match="z: no comparison has two topics"):
        compare_measures(table, *pairs(3), Design())


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
        comparison, adjusted = compare_systems(scores, first, second, Design(test, n_resamples=200))
        results.append(np.array([*comparison, adjusted]))
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])
    assert np.isnan(results[0][-1]).sum() == 6


@pytest.mark.parametrize(("n_systems", "n_topics"), [(2, 1), (2, 4), (3, 3)])
def test_the_smallest_p_of_tukey_is_that_of_a_best_and_a_worst_system(n_systems: int, n_topics: int) -> None:
    """Of all permutations, whose ranges are compared here one by one."""
    rows = list(itertools.permutations(range(n_systems)))
    ranges = [np.ptp(np.sum(chosen, axis=0)) for chosen in itertools.product(rows, repeat=n_topics)]
    expected = np.mean(np.array(ranges) == n_topics * (n_systems - 1))
    assert Design(correction="tukey").smallest_pvalue(n_topics, n_systems, 1) == pytest.approx(expected)


# 32 resamples are enough to enumerate the 2^5 changes of signs
@pytest.mark.parametrize(("n", "n_resamples"), [(2, 99), (3, 99), (5, 99), (8, 99), (5, 32)])
@pytest.mark.parametrize("test", TESTS)
def test_no_test_gives_less_than_its_smallest_p(test: str, n: int, n_resamples: int) -> None:
    design = Design(test, alternative="less", n_resamples=n_resamples, seed=1)
    pvalue = float(compare_paired(-np.linspace(0.2, 0.9, n), np.zeros(n), design).pvalue)
    smallest = design.smallest_pvalue(n, 2, 1)
    assert pvalue >= smallest - 1e-12
    if test in ("wilcoxon", "sign", "permutation"):
        assert pvalue == pytest.approx(smallest)


def test_a_two_sided_bootstrap_has_no_larger_smallest_p() -> None:
    assert Design("bootstrap", n_resamples=99).smallest_pvalue(50, 2, 1) == pytest.approx(0.01)
    assert Design("permutation", n_resamples=99).smallest_pvalue(50, 2, 1) == pytest.approx(0.02)
