"""The best runs without numpy: the same as by the rules of coverage and noise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from stdeval.noise import decimals, rounded
from stdeval.stats.ranking import best_means, complete_systems, coverage, order_by_means, ranked_systems
from stdeval.table import Floats

pytestmark = pytest.mark.oracle

# Tenths, whose sums carry noise, and missing scores.
SCORES = st.one_of(
    st.just(math.nan), st.builds(lambda n, power: n * 10.0**power / 10, st.integers(-9, 9), st.integers(-3, 3))
)
TABLES = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=SCORES)


def largest(scores: Floats) -> float:
    return float(np.fmax.reduce(np.abs(scores), axis=None, initial=0.0))


@given(TABLES)
def test_the_same_systems_are_complete_and_ranked(scores: Floats):
    topics = [set(np.flatnonzero(~np.isnan(row)).tolist()) for row in scores]
    facts = coverage(scores)
    assert complete_systems(topics) == facts.complete.tolist()
    # Without a common topic, the means are over different topics, and coverage ranks no system.
    if facts.common.any():
        assert ranked_systems(topics) == facts.ranked.tolist()


@given(TABLES, st.sampled_from([1, -1]))
def test_the_same_means_are_the_best_and_order_is_that_of_a_stable_sort(scores: Floats, sign: int):
    means = scores.sum(axis=1)
    numbers = sign * rounded(means, decimals(scores))
    asked = (means.tolist(), [True] * len(means), largest(scores))
    best = best_means(*asked, better_higher=sign == 1)
    assert best == np.flatnonzero(numbers == np.fmax.reduce(numbers)).tolist()
    # numpy sorts NaN last.
    assert order_by_means(*asked, better_higher=sign == 1) == np.argsort(-numbers, kind="stable").tolist()


def test_means_that_cannot_be_compared_follow_and_missing_ones_are_last():
    assert order_by_means([math.nan, 0.9, 0.2, 0.3], [True, False, True, True], 1.0) == [3, 2, 1, 0]
    assert best_means([math.nan, 0.9], [True, False], 1.0) == []
