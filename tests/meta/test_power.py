"""Discriminative power against scipy's tests and Webber 2010."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from stdeval.errors import InputError
from stdeval.meta.power import discriminative_power, pair_pvalues

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize(
    ("design", "test"),
    [
        ({}, scipy.stats.ttest_rel),
        ({"unpaired": True}, scipy.stats.ttest_ind),
        ({"unpaired": True, "welch": True}, lambda a, b: scipy.stats.ttest_ind(a, b, equal_var=False)),
    ],
)
def test_pvalues_of_pairs_are_scipys(design, test):
    scores = np.random.default_rng(1).random((6, 15))
    expected = [test(a, b).pvalue for a, b in combinations(scores, 2)]
    np.testing.assert_allclose(pair_pvalues(scores, **design), expected, rtol=1e-10)


def test_power_of_ap_on_the_2004_topics(robust):
    # Webber 2010, Table 1, T04 Rob, AP@1000: 0.680
    found = discriminative_power(robust[:, 50:], (0.05,))
    assert found.shares[0] == pytest.approx(0.680, abs=0.0005)
    assert found.n_pairs == 110 * 109 / 2


def test_power_rises_with_alpha_and_is_the_share_of_pvalues(robust):
    alphas = (0.01, 0.05, 0.1)
    p = pair_pvalues(robust, unpaired=True)
    found = discriminative_power(robust, alphas, unpaired=True)
    assert list(found.shares) == [np.mean(p <= alpha) for alpha in alphas]
    assert (np.diff(found.shares) > 0).all()


@pytest.mark.parametrize("design", [{}, {"unpaired": True}, {"unpaired": True, "welch": True}])
def test_p_equal_to_alpha_is_significant(design):
    scores = np.random.default_rng(1).random((6, 15))
    pairs = np.sort(pair_pvalues(scores, **design))
    alphas = (np.nextafter(pairs[7], 0), pairs[7], np.nextafter(pairs[7], 1))
    assert list(discriminative_power(scores, alphas, **design).shares) == [8 / 15] * 3


@pytest.mark.parametrize("unpaired", [True, False])
def test_identical_systems_are_never_significant(unpaired):
    scores = np.tile(np.random.default_rng(1).random(9), (4, 1))
    assert discriminative_power(scores, (0.999,), unpaired=unpaired).shares[0] == 0


@pytest.mark.parametrize("unpaired", [True, False])
def test_no_variance_and_another_mean_is_significant(unpaired):
    scores = np.repeat([[0.1], [0.3], [0.7]], 9, axis=1)
    assert discriminative_power(scores, (1e-9,), unpaired=unpaired).shares[0] == 1


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="2 systems"):
        pair_pvalues(np.zeros((2, 9)))
    with pytest.raises(InputError, match="alpha 2"):
        discriminative_power(np.zeros((3, 9)), (2,))
