"""Moments against numpy, and of equal and missing scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stdeval.stats.aggregates import moments

pytestmark = pytest.mark.oracle

# as scores of effectiveness are: four decimals, many ties
scores = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 8), st.integers(1, 5), st.integers(1, 2)),
    elements=st.integers(0, 10_000).map(lambda i: i / 10_000),
)


@given(scores)
def test_moments_are_those_of_numpy(values: np.ndarray):
    mean, sd, n = moments(values)
    np.testing.assert_allclose(mean, values.mean(axis=0), atol=1e-15)
    np.testing.assert_allclose(sd, values.std(axis=0, ddof=1), atol=1e-15)
    assert (n == len(values)).all()
    np.testing.assert_array_equal(sd == 0, values.max(axis=0) == values.min(axis=0))


@given(scores, st.data())
def test_missing_scores_are_left_out(values: np.ndarray, data: st.DataObject):
    gone = data.draw(hnp.arrays(np.bool_, values.shape))
    mean, sd, n = moments(np.where(gone, np.nan, values))
    for place in np.ndindex(values.shape[1:]):
        left = values[(slice(None), *place)][~gone[(slice(None), *place)]]
        assert n[place] == len(left)
        if len(left) > 1:
            assert mean[place] == pytest.approx(left.mean())
            assert sd[place] == pytest.approx(left.std(ddof=1), abs=1e-15)
        else:
            assert np.isnan(sd[place])


@pytest.mark.parametrize("value", [0.1, 0.3, 1 / 3, 0.7, 1e-9, 1e9])
@pytest.mark.parametrize("n", [2, 3, 7, 10, 126])
def test_equal_scores_have_no_spread(value: float, n: int):
    """numpy's sd of equal scores may be 1e-17; here it is 0, and the mean is the score itself."""
    mean, sd, _ = moments(np.full((n, 1), value))
    assert (mean[0], sd[0]) == (value, 0.0)
