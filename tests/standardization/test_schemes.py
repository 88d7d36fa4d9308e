"""The functions of the schemes, against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from stdeval.standardization.schemes import (
    count_references,
    empirical_scores,
    midrank_scores,
    normal_scores,
    uniform_scores,
    zscores,
)

pytestmark = pytest.mark.oracle

# as scores of effectiveness are: four decimals, many ties
scores = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 8), st.integers(1, 5), st.integers(1, 2)),
    elements=st.integers(0, 10_000).map(lambda i: i / 10_000),
)


@given(scores, scores)
def test_empirical_is_the_ecdf_of_scipy(values: np.ndarray, reference: np.ndarray):
    column = reference[:, 0, 0]
    found = empirical_scores(*count_references(values[:, :1, :1], column.reshape(-1, 1, 1))).ravel()
    np.testing.assert_allclose(found, stats.ecdf(column).cdf.evaluate(values[:, 0, 0]))


# few levels, so that many scores are equal, and some are missing
tied = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 8), st.integers(1, 5), st.integers(1, 2)),
    elements=st.sampled_from([0.0, 0.1, 0.2, 0.3, np.nan]),
)


@given(tied, tied)
def test_midranks_are_the_mean_percentiles_of_scipy(values: np.ndarray, reference: np.ndarray):
    column = reference[:, 0, 0]
    found = midrank_scores(*count_references(values[:, :1, :1], column.reshape(-1, 1, 1))).ravel()
    percentiles = stats.percentileofscore(column[~np.isnan(column)], values[:, 0, 0], kind="mean")
    np.testing.assert_allclose(found, percentiles / 100)


def test_equal_references_are_the_limit_of_references_that_differ_ever_less():
    """SciPy's normal distribution with an sd that falls to 0 goes to 1, .5 and 0; a missing score stays missing."""
    x, mean, sd = np.array([0.6, 0.5, 0.4, np.nan]), np.full(4, 0.5), np.zeros(4)
    limit = stats.norm.cdf(x, mean, 1e-9)
    np.testing.assert_array_equal(normal_scores(x, mean, sd), limit)
    np.testing.assert_array_equal(uniform_scores(x, mean, sd), limit)
    np.testing.assert_array_equal(uniform_scores(x, mean, sd, B=0.4), [1, 0.4, 0, np.nan])


def test_equal_references_leave_a_topic_out_by_z_whatever_the_runs_score():
    x, mean, sd = np.array([0.6, 0.5, 0.4]), np.full(3, 0.5), np.zeros(3)
    assert np.isnan(zscores(x, mean, sd)).all()
    assert np.isnan(uniform_scores(x, mean, sd, censor=False)).all()


@pytest.mark.parametrize(
    ("score", "mean", "places", "expected"),
    [
        # half a unit of the fourth decimal is 0.00005
        *((0.33335, 0.3333, 4, 0.5), (0.33325, 0.3333, 4, 0.5), (0.3334, 0.3333, 4, 1), (0.3332, 0.3333, 4, 0)),
        # 0.1 + 0.2 is 0.3 and 5.6e-17, which is noise; 1e-11 is not
        *(
            (0.1 + 0.2, 0.3, None, 0.5),
            (0.3 - 1e-11, 0.3, None, 0),
            (0.3 + 1e-11, 0.3, None, 1),
            (1e-15, 0, None, 1),
        ),
    ],
)
def test_equal_means_within_half_a_unit_of_the_last_digit(score, mean, places, expected):
    arrays = (np.array([score]), np.array([mean]), np.zeros(1))
    assert normal_scores(*arrays, places=places) == [expected]
    assert uniform_scores(*arrays, places=places) == [expected]


def test_normal_scores_are_those_of_scipy():
    z = np.linspace(-37, 37, 801)
    np.testing.assert_allclose(normal_scores(z, np.zeros(801), np.ones(801)), stats.norm.cdf(z), rtol=1e-12)


def test_uniform_scores_are_censored():
    x, zero, one = np.array([-9.0, -1.0, 0.0, 9.0]), np.zeros(4), np.ones(4)
    np.testing.assert_allclose(uniform_scores(x, zero, one), [0, 0.35, 0.5, 1])
    np.testing.assert_allclose(uniform_scores(x, zero, one, censor=False), [-0.85, 0.35, 0.5, 1.85])
