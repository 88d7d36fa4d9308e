"""Scores that seem to be rounded, and those that have few digits by nature or by chance."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stdeval.arrays import Floats
from stdeval.stats.rounding import are_short, as_printed, few_decimals, rounding_of


@given(arrays(np.float64, (3, 4), elements=st.floats(-10, 10, width=64)), st.integers(0, 15))
def test_scores_as_printed_are_the_nearest_decimals_to_the_exact_numbers(scores: Floats, digits: int):
    """The fractions module knows the exact value of a 64-bit float."""
    for score, printed in zip(scores.flat, as_printed(scores, digits).flat, strict=True):
        exact = Fraction(score) * 10**digits
        assert printed == float(Fraction(round(exact), 10**digits))


def test_scores_of_few_decimals_are_told_if_there_are_many_different_ones_or_topics():
    exact = np.random.default_rng(1).random((2, 60))
    for decimals in (1, 2, 3):
        assert few_decimals(exact.round(decimals)) == decimals
    assert few_decimals(exact.round(4)) == 0
    assert few_decimals(exact.round(2)[:1, :29]) == 0
    assert few_decimals(np.append(exact.round(2), [[1 / 3], [0.5]], axis=1)) == 0
    assert few_decimals(np.full((200, 1), 0.5)) == 0
    assert few_decimals(np.tile([0.0, 1.0, np.nan], (3, 50))) == 0


def test_few_scores_equal_to_rounded_ones_are_chance():
    """Only on one topic does the second system have a long score, whose rounding the first one has."""
    assert rounding_of(np.array([[0.17, 0.5, 0.25, 1.0], [1 / 6, 0.5, 0.5, 1.0]])) == ["", ""]


def test_short_binary_fractions_do_not_tell_the_precision():
    assert not are_short(np.array([[1 / 1024, 3 / 1024, 5 / 1024]])).any()


def test_two_different_scores_tell_if_all_are_equal_once_rounded():
    exact = np.array([1 / 3, 2 / 3, 2 / 3, 1.0, 2 / 3, 1 / 3, 2 / 3])
    for digits in (2, 3, 4):
        assert rounding_of(np.array([exact.round(digits), exact])) == [f"{digits} decimals", ""]


def test_a_measure_with_few_values_shows_rounded_scores_of_other_systems():
    exact = np.array([1 / 3, 2 / 3, 1.0, 1.0])
    assert rounding_of(np.array([[0.6667, 1.0, 0.6667, 0.0], exact])) == ["4 decimals", ""]
    assert rounding_of(np.array([[0.6667, 1.0, 0.6667, 0.0], exact]), is_share=True) == ["", ""]


def test_exact_scores_of_four_decimals_are_not_rounded():
    """0.0625 is 1/16, and 0.06247 is near to it."""
    assert rounding_of(np.array([[0.0625, 0.5, 0.3125], [0.06247, 1 / 3, 5 / 7]]).repeat(2, axis=1)) == ["", ""]


def test_scores_of_one_decimal_beside_exact_ones_are_told():
    exact = np.random.default_rng(2).random((2, 50))
    assert rounding_of(np.stack([exact[0].round(1), exact[1]])) == ["1 decimal", ""]
    by_rank = 1 / np.random.default_rng(3).integers(1, 12, (2, 50))
    assert rounding_of(np.stack([np.where(by_rank[0] > 0.3, 0.5, 0.2), by_rank[1]])) == ["", ""]
