"""Confidence intervals against scipy on real scores."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from stdeval.errors import InputError
from stdeval.stats.aggregates import bootstrap_interval, t_interval, t_lower_bound

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_t_interval_is_scipys(robust: np.ndarray, level: float) -> None:
    expected = scipy.stats.ttest_1samp(robust, 0, axis=1).confidence_interval(level)
    np.testing.assert_allclose(t_interval(robust, level=level), [expected.low, expected.high], rtol=1e-12)
    np.testing.assert_allclose(t_interval(robust.T, axis=0, level=level), [expected.low, expected.high], rtol=1e-12)


@pytest.mark.parametrize("level", [0.95, 0.8, 0.5])
def test_the_lower_bound_is_scipys(robust: np.ndarray, level: float) -> None:
    test = scipy.stats.ttest_1samp(robust, 0, axis=1, alternative="greater")
    np.testing.assert_allclose(t_lower_bound(robust, level=level), test.confidence_interval(level).low, rtol=1e-12)


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_bootstrap_interval_is_scipys(robust: np.ndarray, level: float) -> None:
    found = bootstrap_interval(robust[3], np.random.default_rng(7), level=level, n_resamples=2000)
    bound = np.sqrt(99 / 98) * scipy.stats.t.ppf((1 + level) / 2, 98)
    expected = scipy.stats.bootstrap(
        (robust[3],),
        np.mean,
        n_resamples=2000,
        confidence_level=1 - 2 * scipy.stats.norm.cdf(-bound),
        method="percentile",
        rng=np.random.default_rng(7),
    ).confidence_interval
    np.testing.assert_allclose(found, [expected.low, expected.high], rtol=1e-12)


def test_axes_before_and_after_that_of_the_topics(robust: np.ndarray) -> None:
    stacked = np.stack([robust[:3], robust[3:6]], axis=-1)  # systems, topics, measures
    found = bootstrap_interval(stacked, np.random.default_rng(7), axis=1, n_resamples=500)
    rows = np.moveaxis(stacked, 1, -1).reshape(6, -1)
    np.testing.assert_array_equal(
        np.reshape(found, (2, 6)), bootstrap_interval(rows, np.random.default_rng(7), n_resamples=500)
    )
    np.testing.assert_allclose(np.reshape(t_interval(stacked, axis=1), (2, 6)), t_interval(rows), rtol=1e-12)


def test_missing_topics_are_left_out(robust: np.ndarray) -> None:
    holed = robust[:4].copy()
    holed[1, ::3] = np.nan
    there = robust[1, ~np.isnan(holed[1])]
    np.testing.assert_allclose(np.array(t_interval(holed))[:, 1], t_interval(there), rtol=1e-12)
    low, high = bootstrap_interval(holed, np.random.default_rng(7), n_resamples=20_000)
    alone = bootstrap_interval(there, np.random.default_rng(8), n_resamples=20_000)
    np.testing.assert_allclose([low[1], high[1]], alone, atol=0.005)  # other draws: sd of the mean is 0.03


def test_too_few_topics_are_missing() -> None:
    values = np.array([[np.nan, np.nan], [0.5, np.nan]])
    assert np.isnan(t_interval(values)).all()
    assert np.isnan(t_lower_bound(values)).all()
    assert np.isnan(bootstrap_interval(values, np.random.default_rng(1), n_resamples=10)).all()


@pytest.mark.parametrize("level", [0.0, 0.05, 1.0, 95.0, -0.5, np.nan])
def test_levels_below_a_half_or_from_1_on_are_refused(level: float) -> None:
    with pytest.raises(InputError, match=r"expected a number from 0\.5 and below 1"):
        t_interval(np.arange(4.0), level=level)
