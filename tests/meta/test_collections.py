"""Comparisons of collections against Webber 2008 and plain formulas."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from stdeval.meta.collections import compare_collections, repartition

pytestmark = pytest.mark.oracle


def test_the_2003_against_the_2004_topics(robust):
    found = compare_collections(robust[:, :50], robust[:, 50:])
    assert found.drmse[0] == pytest.approx(0.583, abs=0.0005)  # Webber 2008, Table 3
    assert found.drmse_gm[0] == pytest.approx(0.583, abs=0.002)  # "almost identical" by the geometric mean
    assert (found.first_better[0], found.second_better[0]) == (2, 0)  # Table 4
    assert found.tau[0] == pytest.approx(0.742, abs=0.0005)  # Section 4
    assert found.r[0] == pytest.approx(0.943, abs=0.0005)


@pytest.mark.parametrize("alpha", [0.025, 0.2])
def test_statistics_are_those_of_the_formulas(alpha):
    rng = np.random.default_rng(2)
    a, b = rng.random((7, 9)), rng.random((7, 14)) + rng.normal(0, 0.3, (7, 1))
    found = compare_collections(a, b, alpha=alpha)
    ma, mb = a.mean(axis=1), b.mean(axis=1)
    rmse = np.sqrt(np.mean((ma - mb) ** 2))
    assert found.rmse[0] == pytest.approx(rmse)
    sds = np.std(ma, ddof=1), np.std(mb, ddof=1)
    assert found.drmse[0] == pytest.approx(rmse / np.mean(sds))
    assert found.drmse_gm[0] == pytest.approx(rmse / scipy.stats.gmean(sds))
    for better, side in ((found.first_better, "greater"), (found.second_better, "less")):
        p = scipy.stats.ttest_ind(a, b, axis=1, equal_var=False, alternative=side).pvalue
        assert better[0] == np.count_nonzero(p <= alpha)
    assert found.false_positive_rate[0] == (found.first_better[0] + found.second_better[0]) / 7


def test_a_repartition_says_where_the_real_pair_falls(robust):
    a, b = robust[:30, :50], robust[:30, 50:]
    found = repartition(a, b, n_trials=120, rng=np.random.default_rng(3))
    assert found.trials.tau.shape == (120,)
    assert found.real.drmse == compare_collections(a, b).drmse
    for name in ("rmse", "tau", "first_better"):
        trials, real = getattr(found.trials, name), getattr(found.real, name)[0]
        assert getattr(found.mean, name)[0] == pytest.approx(np.mean(trials))
        assert getattr(found.low, name)[0] == pytest.approx(np.quantile(trials, 0.025))
        assert getattr(found.high, name)[0] == pytest.approx(np.quantile(trials, 0.975))
        expected = scipy.stats.percentileofscore(trials, real, "mean")
        assert getattr(found.percentile, name)[0] == pytest.approx(expected)


def test_percentiles_of_tenths_are_those_of_whole_numbers():
    """Where the means of whole scores have no noise, many divisions have exactly the RMSE of the collections."""
    whole = np.random.default_rng(6).integers(0, 3, (8, 12)).astype(float)
    by_tenths, by_whole = (
        repartition(scores[:, :4], scores[:, 4:], n_trials=300, rng=np.random.default_rng(3))
        for scores in (whole / 10, whole)
    )
    assert np.count_nonzero(by_whole.trials.rmse == by_whole.real.rmse) > 2
    assert by_tenths.percentile.rmse == by_whole.percentile.rmse


def test_systems_without_spread_have_no_drmse():
    found = compare_collections(np.full((3, 4), 0.5), np.full((3, 4), 0.4))
    assert np.isnan([found.drmse[0], found.drmse_gm[0]]).all()
    assert found.first_better[0] == 3
