"""Comparisons against scipy and a published count, on real scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stdeval.errors import InputError
from stdeval.stats.paired_tests import ALTERNATIVES, TESTS
from stdeval.stats.significance import compare, compare_unpaired, pairs

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def robust(shared: Path) -> np.ndarray:
    """AP of 110 systems on 99 topics: 50 of 2003, 49 of 2004."""
    return np.loadtxt(shared / "urbano2019" / "robust2004_ap.csv", delimiter=",", skiprows=1).T


def generator() -> np.random.Generator:
    return np.random.default_rng(2)


def test_all_pairs_t_is_scipys(robust: np.ndarray) -> None:
    first, second = pairs(len(robust))
    a, b = robust[first], robust[second]
    found, expected = compare(a, b), scipy.stats.ttest_rel(a, b, axis=1)
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


def test_discriminative_power_of_2004(robust: np.ndarray) -> None:
    """Webber 2010, Table 1: 0.680 of the pairs differ (AP, 2004 topics, paired two-tailed t, alpha 0.05)."""
    first, second = pairs(len(robust))
    found = compare(robust[first, 50:], robust[second, 50:])
    assert np.mean(found.pvalue < 0.05).round(3) == 0.680


def test_systems_against_themselves_on_other_topics(robust: np.ndarray) -> None:
    """Webber 2008, Table 4: 2 systems are significantly better on 2003 than on 2004 topics, 0 the other way."""
    topics_2003, topics_2004 = robust[:, :50], robust[:, 50:]
    better = compare_unpaired(topics_2003, topics_2004, alternative="greater")
    worse = compare_unpaired(topics_2003, topics_2004, alternative="less")
    assert np.sum(better.pvalue < 0.025) == 2
    assert np.sum(worse.pvalue < 0.025) == 0


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("welch", [False, True])
def test_unpaired_is_scipys(robust: np.ndarray, welch: bool, alternative: str) -> None:
    a, b = robust[:20, :50].copy(), robust[20:40, 50:].copy()
    a[::3, ::4] = np.nan
    found = compare_unpaired(a, b, welch=welch, alternative=alternative, level=0.9)
    kinds = {"equal_var": not welch, "nan_policy": "omit", "axis": 1}
    expected = scipy.stats.ttest_ind(a, b, alternative=alternative, **kinds)
    np.testing.assert_allclose(found.statistic, expected.statistic, rtol=1e-10)
    np.testing.assert_allclose(found.pvalue, expected.pvalue, rtol=1e-10)
    for i in range(20):  # its interval of several rows with gaps is not to be had at once
        there = a[i, ~np.isnan(a[i])]
        interval = scipy.stats.ttest_ind(there, b[i], equal_var=not welch).confidence_interval(0.9)
        np.testing.assert_allclose([found.low[i], found.high[i]], interval, rtol=1e-9)
        assert found.n_a[i] == len(there)
        assert found.n_b[i] == 49


def test_unpaired_effect_sizes() -> None:
    """By hand: variances 4 and 16, of 3 and 5 scores, means 2 and 6."""
    a, b = np.array([0.0, 2.0, 4.0]), np.array([6.0, 6.0, 6.0 - 32**0.5, 6.0 + 32**0.5, 6.0])
    assert compare_unpaired(a, b).effect_size == pytest.approx(-4 / np.sqrt((2 * 4 + 4 * 16) / 6))
    assert compare_unpaired(a, b, welch=True).effect_size == pytest.approx(-4 / np.sqrt(10))


@pytest.mark.parametrize("test", TESTS)
def test_missing_topics_leave_the_common_ones(robust: np.ndarray, test: str) -> None:
    a, b = robust[:4, :12].copy(), robust[4:8, :12].copy()
    a[0, 3], b[0, 7], a[2, :2] = np.nan, np.nan, np.nan
    found = compare(a, b, test, rng=generator(), n_resamples=5000)  # permutation: enumerated, 2^12 = 4096
    for i in range(4):
        common = ~np.isnan(a[i] + b[i])
        alone = compare(a[i, common], b[i, common], test, rng=generator(), n_resamples=5000)
        assert found.n_a[i] == found.n_b[i] == common.sum() == alone.n_a
        assert found.mean_a[i] == alone.mean_a
        assert found.mean_b[i] == alone.mean_b
        assert found.statistic[i] == pytest.approx(alone.statistic)
        assert found.pvalue[i] == pytest.approx(alone.pvalue, abs=0.05 if test == "bootstrap" else 1e-12)
        assert found.wins[i] + found.ties[i] + found.losses[i] == common.sum()


def test_what_is_told_of_a_pair(robust: np.ndarray) -> None:
    a, b = robust[0], robust[1]
    found = compare(a, b)
    assert found.mean_a == pytest.approx(np.mean(a))
    assert found.difference == pytest.approx(np.mean(a) - np.mean(b))
    assert found.effect_size == pytest.approx(np.mean(a - b) / np.std(a - b, ddof=1))
    plain = [sum(x > y for x, y in zip(a, b, strict=True)), sum(x < y for x, y in zip(a, b, strict=True))]
    assert [found.wins, found.losses] == plain
    assert found.ties == 99 - sum(plain)


def test_measures_and_broadcasting(robust: np.ndarray) -> None:
    both = np.stack([robust[:5], robust[5:10] ** 2], axis=1)  # systems, measures, topics
    found = compare(both, both[0])
    assert found.pvalue.shape == (5, 2)
    alone = compare(robust[8] ** 2, robust[5] ** 2).pvalue
    assert found.pvalue[3, 1] == pytest.approx(float(alone))
    np.testing.assert_array_equal(found.pvalue[0], [1.0, 1.0])


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("test", TESTS)
def test_identical_runs_have_p_1(test: str, alternative: str) -> None:
    scores = np.array([[0.3, 0.3, 0.3], [0.1, np.nan, 0.9]])
    found = compare(scores, scores, test, alternative=alternative, rng=generator(), n_resamples=99)
    np.testing.assert_array_equal(found.pvalue, [1.0, 1.0])
    np.testing.assert_array_equal(found.effect_size, [0.0, 0.0])
    np.testing.assert_array_equal(found.statistic, [0.0, 0.0])
    np.testing.assert_array_equal(found.ties, [3, 2])


@pytest.mark.parametrize("welch", [False, True])
def test_identical_constant_samples_have_p_1(welch: bool) -> None:
    found = compare_unpaired(np.full(3, 0.3), np.full(4, 0.3), welch=welch)
    assert (found.pvalue, found.statistic, found.low, found.high, found.effect_size) == (1.0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("test", TESTS)
def test_a_constant_difference(test: str) -> None:
    """No variance, yet a difference: never NaN, and in favour of the better system."""
    better, worse = np.full((2, 8), 0.5), np.full((2, 8), 0.2)
    pvalues = {
        alternative: compare(better, worse, test, alternative=alternative, rng=generator(), n_resamples=2000).pvalue
        for alternative in ALTERNATIVES
    }
    assert (pvalues["two-sided"] < 0.01).all()
    assert (pvalues["greater"] < 0.01).all()
    assert (pvalues["less"] > 0.99).all()
    assert np.isposinf(compare(better, worse, "t").statistic).all()
    assert np.isneginf(compare(worse, better, "t").effect_size).all()
    assert compare_unpaired(better, worse).pvalue.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("test", TESTS)
def test_too_few_topics_are_not_tested(test: str) -> None:
    nan = np.nan
    a, b = np.array([[0.1, nan, 0.2], [0.3, 0.4, 0.6]]), np.array([[0.2, 0.4, nan], [0.1, 0.5, 0.7]])
    found = compare(a, b, test, rng=generator(), n_resamples=99)
    assert np.isnan(found.pvalue).tolist() == [True, False]
    assert found.n_a.tolist() == [1, 3]
    with pytest.raises(InputError, match="no comparison has two topics"):
        compare(a[:1], b[:1], test, rng=generator())


def test_unpaired_with_too_few_topics() -> None:
    nan = np.nan
    found = compare_unpaired(np.array([[0.1, nan], [0.1, 0.2]]), np.array([[0.1, 0.4, 0.3], [0.1, 0.2, 0.6]]))
    assert np.isnan(found.pvalue).tolist() == [True, False]
    with pytest.raises(InputError, match="no comparison has two topics"):
        compare_unpaired(np.array([0.1]), np.array([0.1, 0.2]))


def test_what_is_not_understood_is_refused() -> None:
    scores = np.arange(6.0).reshape(2, 3)
    with pytest.raises(InputError, match="no test 'z', expected one of: t, wilcoxon, sign, permutation, bootstrap"):
        compare(*scores, "z")
    for comparison in (compare, compare_unpaired):
        with pytest.raises(InputError, match="no alternative 'better', expected one of: two-sided, greater, less"):
            comparison(*scores, alternative="better")
    with pytest.raises(InputError, match="the bootstrap test is random; expected a generator"):
        compare(*scores, "bootstrap")


def test_pairs_with_a_baseline() -> None:
    assert [array.tolist() for array in pairs(4, baseline=2)] == [[0, 1, 3], [2, 2, 2]]


two_runs = hnp.arrays(float, st.tuples(st.just(2), st.integers(2, 6)), elements=st.sampled_from(np.arange(11) / 10))


@settings(deadline=None)  # scipy's first call is slow
@given(two_runs, st.sampled_from(["t", "wilcoxon", "sign"]))
def test_the_other_way_round(scores: np.ndarray, test: str) -> None:
    """Two-sided p stays, greater and less change places, and every p is a probability."""
    a, b = scores
    there, back = compare(a, b, test), compare(b, a, test)
    assert there.pvalue == pytest.approx(float(back.pvalue), abs=1e-9)
    assert there.difference == pytest.approx(-float(back.difference))
    assert (there.wins, there.losses) == (back.losses, back.wins)
    greater, less = compare(a, b, test, alternative="greater"), compare(b, a, test, alternative="less")
    assert greater.pvalue == pytest.approx(float(less.pvalue), abs=1e-9)
    assert 0 <= there.pvalue <= 1


@pytest.mark.parametrize("welch", [False, True])
def test_the_unpaired_interval_of_few_topics_is_scipys(welch: bool) -> None:
    rng = np.random.default_rng(6)
    a, b = rng.random(5), rng.random(4)
    found = compare_unpaired(np.append(a, np.nan), b, welch=welch, level=0.9)
    expected = scipy.stats.ttest_ind(a, b, equal_var=not welch).confidence_interval(0.9)
    np.testing.assert_allclose([found.low, found.high], [expected.low, expected.high], rtol=1e-12)
