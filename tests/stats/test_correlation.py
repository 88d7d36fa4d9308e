"""Correlations against scipy and against plain loops over the definitions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from stdeval.stats.correlation import correlations, pearson, tau_b

pytestmark = pytest.mark.oracle

RANKINGS = st.integers(2, 12).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, n), min_size=n, max_size=n) for _ in "xy"))
)
"""Two score vectors with many ties."""


def one_sided_tau_ap(x, y):
    """Urbano & Marrero 2017: by x, items below the top group against those strictly above their own group."""
    shares = []
    for i in range(len(x)):
        above = [j for j in range(len(x)) if x[j] > x[i]]
        if above:
            shares.append(sum(y[j] > y[i] for j in above) / len(above))
    return 2 * sum(shares) / len(shares) - 1


def plain_tau_ap(x, y):
    return (one_sided_tau_ap(x, y) + one_sided_tau_ap(y, x)) / 2


def as_arrays(pair):
    x, y = (np.array(values, dtype=float) for values in pair)
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    return x, y


@given(RANKINGS)
def test_correlations_are_those_of_scipy_and_of_the_plain_loop_with_ties(pair):
    x, y = as_arrays(pair)
    found = correlations(x, y)
    assert found.tau == tau_b(x, y) == pytest.approx(scipy.stats.kendalltau(x, y).statistic, abs=1e-12)
    assert found.r == pearson(x, y) == pytest.approx(scipy.stats.pearsonr(x, y).statistic, abs=1e-12)
    assert found.tau_ap == pytest.approx(plain_tau_ap(x, y), abs=1e-12)
    assert found == pytest.approx(correlations(y, x), abs=1e-12)
    assert correlations(x, x) == pytest.approx((1, 1, 1), abs=1e-12)
    assert correlations(x, -x) == pytest.approx((-1, -1, -1), abs=1e-12)


def test_without_ties_it_is_the_mean_of_yilmaz_both_ways():
    # Yilmaz 2008: 2 / (N - 1) sum C(i) / (i - 1) - 1; C(i) worked out by hand for the lists abcdef and badefc.
    x, y = np.array([6.0, 5, 4, 3, 2, 1]), np.array([5.0, 6, 1, 4, 3, 2])
    y_by_x = 2 / 5 * (0 / 1 + 2 / 2 + 2 / 3 + 3 / 4 + 4 / 5) - 1
    x_by_y = 2 / 5 * (0 / 1 + 2 / 2 + 3 / 3 + 4 / 4 + 2 / 5) - 1
    assert correlations(x, y).tau_ap == pytest.approx((y_by_x + x_by_y) / 2)


@pytest.mark.parametrize("n_items", [40, 300, 700])
def test_batches_and_many_items_give_what_one_pair_gives(n_items):
    rng = np.random.default_rng(5)
    x = rng.integers(0, n_items, (7, n_items)).astype(float)
    y = x + rng.integers(0, n_items, (7, n_items))
    found = correlations(x, y)
    for i in range(7):
        assert found.tau[i] == pytest.approx(scipy.stats.kendalltau(x[i], y[i]).statistic, abs=1e-12)
        assert found.tau_ap[i] == correlations(x[i], y[i]).tau_ap
        assert found.r[i] == pytest.approx(scipy.stats.pearsonr(x[i], y[i]).statistic, abs=1e-12)
    assert found.tau_ap[0] == pytest.approx(plain_tau_ap(x[0], y[0]), abs=1e-12)


@pytest.mark.parametrize("y", [[0.3, 0.3, 0.3], [0.1, np.nan, 0.3]])
def test_a_vector_without_spread_or_with_a_gap_has_no_correlation(y):
    assert np.isnan(correlations(np.array([0.1, 0.2, 0.3]), np.array(y))).all()
