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
