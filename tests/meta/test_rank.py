"""Discriminative power and correlations of rankings against scipy, pair by pair, and Webber 2010."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from stdeval.meta.ttests import discriminative_power, pair_pvalues, pvalue_correlations
from stdeval.stats.correlation import correlations, rank_correlations

pytestmark = pytest.mark.oracle

DESIGNS = [{}, {"unpaired": True}, {"unpaired": True, "welch": True}]
TESTS = [scipy.stats.ttest_rel, scipy.stats.ttest_ind, lambda a, b: scipy.stats.ttest_ind(a, b, equal_var=False)]


@pytest.mark.parametrize(("design", "test"), list(zip(DESIGNS, TESTS, strict=True)))
def test_pvalues_of_pairs_are_scipys_and_significant_up_to_alpha(design, test):
    scores = np.random.default_rng(1).random((6, 15))
    found = pair_pvalues(scores, **design)
    np.testing.assert_allclose(found, [test(a, b).pvalue for a, b in combinations(scores, 2)], rtol=1e-10)
    eighth = np.sort(found)[7]
    alphas = (np.nextafter(eighth, 0), eighth, np.nextafter(eighth, 1))
    assert list(discriminative_power(scores, alphas, **design).shares) == [8 / 15] * 3


def test_power_of_ap_on_the_2004_topics(robust):
    # Webber 2010, Table 1, T04 Rob, AP@1000: 0.680
    found = discriminative_power(robust[:, 50:], (0.05,))
    assert found.shares[0] == pytest.approx(0.680, abs=0.0005)
    assert found.n_pairs == 110 * 109 / 2


@pytest.mark.parametrize("unpaired", [True, False])
def test_systems_without_variance_differ_if_their_means_do(unpaired):
    identical = np.tile(np.random.default_rng(1).random(9), (4, 1))
    assert discriminative_power(identical, (0.999,), unpaired=unpaired).shares[0] == 0
    constant = np.repeat([[0.1], [0.3], [0.7]], 9, axis=1)
    assert discriminative_power(constant, (1e-9,), unpaired=unpaired).shares[0] == 1


def test_every_two_vectors_are_correlated():
    vectors = np.random.default_rng(2).random((4, 12))
    found = rank_correlations(vectors)
    for i, j in combinations(range(4), 2):
        assert found.tau[i, j] == found.tau[j, i]
        assert found.tau[i, j] == pytest.approx(scipy.stats.kendalltau(vectors[i], vectors[j]).statistic)
        assert found.tau_ap[i, j] == correlations(vectors[i], vectors[j]).tau_ap
        assert found.r[j, i] == pytest.approx(scipy.stats.pearsonr(vectors[i], vectors[j]).statistic)
    assert np.diag(found.tau) == pytest.approx(np.ones(4))


def test_pairs_are_ordered_by_pvalue():
    tables = np.random.default_rng(2).random((2, 7, 10))
    p = [[scipy.stats.ttest_rel(a, b).pvalue for a, b in combinations(table, 2)] for table in tables]
    found = pvalue_correlations(tables)
    assert found.tau[0, 1] == pytest.approx(scipy.stats.kendalltau(*p).statistic)
    assert found.r[0, 1] == pytest.approx(scipy.stats.pearsonr(*p).statistic)
    assert found.tau_ap[0, 1] == pytest.approx(correlations(*(1 - np.array(p))).tau_ap)  # small p-values rank first
