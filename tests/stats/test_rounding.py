"""Scores that seem to be rounded, and those that have few digits by nature or by chance."""

from __future__ import annotations

import numpy as np

from stdeval.stats.rounding import is_single_precision, rounding_of


def test_few_scores_equal_to_rounded_ones_are_chance():
    """Only on one topic does the second system have a long score, whose rounding the first one has."""
    assert rounding_of(np.array([[0.17, 0.5, 0.25, 1.0], [1 / 6, 0.5, 0.5, 1.0]])) == ["", ""]


def test_short_binary_fractions_do_not_tell_the_precision():
    assert not is_single_precision(np.array([[1 / 1024, 3 / 1024, 5 / 1024]])).any()
