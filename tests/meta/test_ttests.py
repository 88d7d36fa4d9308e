"""The t tests of all pairs at once against scipy's, one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from stdeval.meta import ttests
from stdeval.meta.trials import membership, permutations

pytestmark = pytest.mark.oracle


@pytest.fixture
def scores():
    rng = np.random.default_rng(8)
    return rng.random((35, 20)) + rng.random((35, 1)) / 3  # 595 pairs: more than are computed together


@pytest.fixture
def samples():
    order = np.concatenate(list(permutations(20, 6, np.random.default_rng(9))))
    return membership(order[:, :12], 20)


def test_paired_counts_are_those_of_scipys_pvalues(scores, samples):
    p = [
        scipy.stats.ttest_rel(a[row == 1], b[row == 1]).pvalue
        for row in samples
        for a, b in combinations(scores, 2)
    ]
    expected = [np.count_nonzero(np.array(p) <= alpha) for alpha in ttests.ALPHAS]
    assert list(ttests.count_paired(scores, samples, ttests.ALPHAS)) == expected


def test_paired_tests_whose_p_is_alpha_in_twelve_digits_are_significant(scores):
    p = np.sort(ttests.paired_pvalues(scores))
    above = [x for x in p[p > 0.1] if x - round(x, 12) > 1e-13]
    assert len(above) > 100
    counts = ttests.count_paired(scores, np.ones((1, 20)), [round(x, 12) for x in above])
    assert list(counts) == [np.count_nonzero(p <= x) for x in above]


def test_welch_tests_whose_p_is_alpha_in_twelve_digits_are_significant():
    rng = np.random.default_rng(5)
    tsquared, df = rng.uniform(0.5, 2.5, 300), rng.uniform(7, 18, 300)
    p = ttests.pvalues(tsquared, df)
    above = [x for x in p if x - round(x, 12) > 1e-13]
    assert len(above) > 50
    counts = ttests.count_welch(tsquared, df, ttests.welch_levels([round(x, 12) for x in above], 8, 12))
    assert list(counts) == [np.count_nonzero(p <= x) for x in above]


def test_sample_means_and_errors_are_numpys(scores, samples):
    means = ttests.sample_means(np.stack([scores, scores**2]), samples)
    for i, row in enumerate(samples):
        part = scores[:, row == 1] ** 2
        np.testing.assert_allclose(means.mean[1, i], part.mean(axis=1), atol=5e-12)  # rounded to 11 decimals
        np.testing.assert_allclose(means.error[1, i], scipy.stats.sem(part, axis=1) ** 2, rtol=1e-10)
    assert means.n == 12


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e-6])
def test_equal_scores_in_another_order_are_a_tie(scale):
    values = np.random.default_rng(4).integers(0, 11, 60) / 10 * scale
    shuffled = np.stack([values, values[::-1], np.sort(values)])
    assert len(set(ttests.sample_means(shuffled, np.ones((1, 60))).mean[0])) == 1


@pytest.mark.parametrize(("n_a", "n_b"), [(12, 8), (3, 17), (2, 2)])
def test_welch_is_scipys(scores, n_a, n_b):
    a, b = scores[:, :n_a], scores[:, -n_b:]
    means = [ttests.sample_means(part, np.ones((1, part.shape[1]))) for part in (a, b)]
    tests = ttests.welch_t(means[0].mean[0] - means[1].mean[0], means[0].error[0], means[1].error[0], n_a, n_b)
    expected = scipy.stats.ttest_ind(a, b, axis=1, equal_var=False)
    np.testing.assert_allclose(tests[0], expected.statistic**2, rtol=1e-8)  # means are rounded
    np.testing.assert_allclose(tests[1], expected.df, rtol=1e-9)
    np.testing.assert_allclose(ttests.pvalues(*tests), expected.pvalue, rtol=1e-8)


@given(st.integers(2, 60), st.integers(2, 60), st.integers(0, 2**32))
def test_welch_counts_are_those_of_exact_pvalues(n_a, n_b, seed):
    rng = np.random.default_rng(seed)
    low, high = min(n_a, n_b) - 1, n_a + n_b - 2
    df = rng.uniform(low, high, 400)
    df[:2] = low, high
    p = np.repeat(ttests.ALPHAS, 20) * (1 + rng.choice([-1, 1], 380) * 10.0 ** rng.uniform(-9, 0.3, 380)).clip(1e-3)
    tsquared = np.concatenate([rng.uniform(0, 30, 20), scipy.stats.t.isf(p / 2, df[20:]) ** 2])
    expected = [np.count_nonzero(ttests.pvalues(tsquared, df) <= alpha) for alpha in ttests.ALPHAS]
    assert list(ttests.count_welch(tsquared, df, ttests.welch_levels(ttests.ALPHAS, n_a, n_b))) == expected


def test_welch_without_variance():
    tests = ttests.welch_t(np.array([0.0, 0.1]), np.zeros(2), np.zeros(2), 5, 5)
    assert list(ttests.pvalues(*tests)) == [1, 0]
    assert list(ttests.count_welch(*tests, ttests.welch_levels((0.1, 0.001), 5, 5))) == [1, 1]
