"""Figure of differences from a baseline: the look and the order of its points."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from stdeval import plots
from stdeval.plots.style import BETTER, NEUTRAL

NAN = np.nan


def forest(**changes):
    low, high = np.array([0.1, -0.1, NAN, 0.2]), np.array([0.3, 0.2, NAN, 0.5])
    difference = np.array([0.2, 0.05, 0.4, 0.35])
    told = {"baseline": "base", "measure": "map", "size": "page"} | changes
    return plots.forest(["a", "b", "c", "d"], difference, low, high, difference / 0.2, **told)


def points(axes) -> dict[float, tuple[float, str, str, str]]:
    """Return place, marker, colour and filling by the value of each point; the first line is at 0."""
    found = {}
    for line in axes.get_lines()[1:]:
        for x, y in line.get_xydata():
            filling = "white" if line.get_markerfacecolor() == "white" else "full"
            found[round(float(x), 9)] = (float(y), line.get_marker(), line.get_color(), filling)
    return found


def test_points_show_whether_the_interval_includes_0_and_gray_ones_stand_below():
    figure = forest(ranked=np.array([True, True, False, False]))
    assert points(figure.axes[0]) == {
        0.2: (0, "o", BETTER, "full"),
        0.05: (1, "o", BETTER, "white"),
        0.4: (2, "x", NEUTRAL, "full"),
        0.35: (3, "o", NEUTRAL, "full"),
    }
    assert points(figure.axes[1]).keys() == {1, 0.25, 2, 1.75}
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["a", "b", "c", "d"]
    told = " ".join(figure.axes[0].get_xlabel().split())
    assert told.endswith("hollow: includes 0, x: not tested gray: incomplete")


def test_intervals_have_the_rows_of_their_points():
    figure = forest(marked=[1])
    (lines,) = figure.axes[0].collections
    ends = {float(segment[0, 1]): segment[:, 0].tolist() for segment in lines.get_segments() if segment.size}
    assert ends[1] == [0.2, 0.5] and ends[2] == [0.1, 0.3] and ends[3] == [-0.1, 0.2]
    assert points(figure.axes[0])[0.05][2] == "#D55E00"
    assert "gray" not in figure.axes[0].get_xlabel()
