"""Figure of systems by mean: the line of the system that others are compared with, and the groups."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from stdeval import plots

MEAN = np.array([0.2, 0.5, 0.3])


def means(**changes):
    return plots.means(["a", "b", "c"], MEAN, MEAN - 0.05, MEAN + 0.05, measure="map", size="page", **changes)


def test_a_line_stands_at_the_mean_of_the_system_that_others_are_compared_with():
    axes = means(interval="paired", pivot=2).axes[0]
    lines = [line for line in axes.get_lines() if line.get_marker() == "None"]
    assert [list(line.get_xdata()) for line in lines] == [[0.3, 0.3]]
    told = "95% paired t intervals of the difference from c (line), not corrected for 2 pairs"
    assert told in " ".join(axes.get_xlabel().split())
    assert all(line.get_marker() == "o" for line in means().axes[0].get_lines())


def test_groups_stand_beside_their_systems():
    left, right = means(interval="tukey", groups=["c", "a", "b"]).axes
    assert [label.get_text() for label in left.get_yticklabels()] == ["b", "c", "a"]
    assert [label.get_text() for label in right.get_yticklabels()] == ["a", "b", "c"]
    assert "runs with a letter in common do not" in " ".join(left.get_xlabel().split())


def test_systems_whose_means_differ_by_noise_keep_the_order_given():
    mean = np.array([0.3, 0.1 + 0.2, 0.9])
    (axes,) = plots.means(["a", "b", "c"], mean, mean - 0.05, mean + 0.05, measure="map", size="page").axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["c", "a", "b"]


def test_the_topics_stand_before_the_meaning_of_the_intervals():
    axes = means(interval="tukey", groups=["c", "a", "b"], topics="50 topics").axes[0]
    told = " ".join(axes.get_xlabel().split())
    assert told.startswith("mean AP (score), 50 topics, 95% Tukey intervals: two that do not meet differ; ")
    assert told.endswith("; runs with a letter in common do not")
