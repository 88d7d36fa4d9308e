"""Which systems are ranked, and on which topics: against the definition, counted by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stdeval.stats.ranking import coverage, coverage_of_unpaired, takes_part

pytestmark = pytest.mark.oracle

scores = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 2)),
    elements=st.sampled_from([0.25, np.nan]),
)


@given(scores)
def test_definition(values: np.ndarray):
    systems, topics, measures = (range(n) for n in values.shape)
    has = {(s, t, m) for s in systems for t in topics for m in measures if values[s, t, m] == 0.25}
    takes_part = {m: {s for s in systems if any((s, t, m) in has for t in topics)} for m in measures}
    shares = {
        (t, m): sum((s, t, m) in has for s in systems) - len(takes_part[m]) / 2 for t in topics for m in measures
    }
    usual = {place for place, share in shares.items() if share > 0}
    scored = [s for s in systems if any(s in those for those in takes_part.values())]
    complete = [s for s in scored if all((s, t, m) in has for t, m in usual if s in takes_part[m])]
    ranked = complete if len(complete) >= 2 else scored
    rivals = {m: those.intersection(ranked) for m, those in takes_part.items()}
    common = {(t, m) for t in topics for m in measures if rivals[m] and all((s, t, m) in has for s in rivals[m])}
    facts = coverage(values)
    assert np.flatnonzero(facts.complete).tolist() == complete
    assert set(map(tuple, np.argwhere(facts.common).tolist())) == common
    assert np.flatnonzero(facts.ranked).tolist() == (ranked if common else [])
    others = {(t, m) for s, t, m in has if s in ranked} - common
    assert facts.is_reduced == (bool(common) and bool(others))


@given(scores)
def test_ranked_systems_are_compared_on_the_same_topics(values: np.ndarray):
    facts = coverage(values)
    comparable = facts.comparable(values)
    present = ~np.isnan(comparable)
    # A system without any score by a measure is not compared by it.
    takes_part = (~np.isnan(values)).any(axis=1, keepdims=True)
    assert (present[facts.ranked] == (facts.common & takes_part[facts.ranked])).all()
    np.testing.assert_array_equal(comparable[~facts.ranked], values[~facts.ranked])


def test_two_systems_are_always_compared_on_the_topics_that_both_have():
    facts = coverage(np.array([[0.1, 0.2, np.nan], [np.nan, 0.2, 0.3]]))
    assert facts.ranked.all()
    assert facts.is_reduced
    assert facts.common.tolist() == [False, True, False]


def test_a_few_incomplete_systems_do_not_shrink_the_topics_of_the_others():
    """The example of the issue: two of 48 systems have 7 of 52 topics."""
    values = np.full((48, 52), 0.5)
    values[:2, 7:] = np.nan
    facts = coverage(values)
    assert np.flatnonzero(~facts.ranked).tolist() == [0, 1]
    assert facts.common.all()


def test_a_system_without_any_score_by_a_measure_is_complete_by_the_others():
    values = np.full((3, 4, 2), 0.5)
    values[2, :, 1] = np.nan
    facts = coverage(values)
    assert facts.complete.all()
    assert facts.common.all()
    assert not facts.is_reduced
    assert facts.n_common == 4
    # by this measure alone it is not
    assert coverage(values[:, :, 1]).ranked.tolist() == [True, True, False]


def test_systems_that_may_not_be_ranked_have_no_say_about_the_topics():
    values = np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [np.nan, 0.2, 0.3], [np.nan, 0.2, 0.3]])
    assert coverage(values).common.tolist() == [False, True, True]
    facts = coverage(values, among=np.array([True, True, False, False]))
    assert facts.complete.tolist() == facts.ranked.tolist() == [True, True, False, False]
    assert facts.common.all()


@given(scores)
def test_systems_take_part_by_the_measures_that_they_have_a_score_of(values: np.ndarray):
    found = takes_part(values)
    for system, measure in np.ndindex(found.shape):
        assert found[system, measure] == any(not math.isnan(score) for score in values[system, :, measure])


@given(scores)
def test_systems_that_keep_their_topics_are_ranked_only_if_no_score_is_left_out(values: np.ndarray):
    paired, unpaired = coverage(values), coverage_of_unpaired(values)
    assert not unpaired.is_reduced
    assert unpaired.ranked.tolist() == [ranked and not paired.is_reduced for ranked in paired.ranked]
    np.testing.assert_array_equal(unpaired.complete, paired.complete)
    np.testing.assert_array_equal(unpaired.comparable(values), values)


@given(scores)
def test_the_number_of_common_topics_is_the_smallest_above_0(values: np.ndarray):
    facts = coverage(values)
    numbers = [n for n in (sum(topics) for topics in facts.common.T.tolist()) if n]
    assert facts.n_common == min(numbers, default=0)
