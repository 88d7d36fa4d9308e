"""Matrices of correlations against scipy, pair by pair."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from stdeval.errors import InputError
from stdeval.meta.rank import pvalue_correlations, rank_correlations
from stdeval.stats.correlation import correlations

pytestmark = pytest.mark.oracle


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


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="2 systems"):
        rank_correlations(np.zeros((3, 2)))
    with pytest.raises(InputError, match="1 score of systems missing"):
        rank_correlations(np.array([[0.1, np.nan, 0.3]]))
    with pytest.raises(InputError, match="infinite scores, expected finite numbers"):
        rank_correlations(np.array([[0.1, np.inf, 0.3]]))


@pytest.mark.parametrize("shape", [(3,), (2, 3, 4)])
def test_what_is_not_one_score_per_system_is_refused(shape: tuple[int, ...]):
    with pytest.raises(InputError, match="expected"):
        rank_correlations(np.zeros(shape))
