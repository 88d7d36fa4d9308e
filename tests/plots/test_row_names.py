"""The first, the last and the marked rows of a figure have their names, which do not touch and stay in order."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("matplotlib")

from matplotlib.path import Path

from stdeval import plots
from stdeval.plots.layout import spread
from stdeval.table import ScoreTable
from tests.plots.text_boxes import faults

N_ROWS = 126
MARKED = ([1], [123, 124], [60, 1, 61, 2, 62, 124])


def equal_scores(n: int = N_ROWS) -> ScoreTable:
    """Return scores that leave the rows in the order of the table, and long names that say which row it is."""
    names = tuple(f"monot5-large-msmarco-100k-title-rm3-expansion-r{i:03d}" for i in range(n))
    return ScoreTable(names, tuple("abcdefgh"), ("map",), np.full((n, 8, 1), 0.5))


def heatmap(table: ScoreTable, **look):
    return plots.heatmap({"raw": table, "N": table}, **look)


def means(table: ScoreTable, **look):
    mean = table.values[:, :, 0].mean(axis=1)
    letters = ["ab"] * len(mean)
    return plots.means(table.systems, mean, mean - 0.1, mean + 0.1, measure="map", groups=letters, **look)


def forest(table: ScoreTable, **look):
    mean = table.values[:, :, 0].mean(axis=1)
    ends = mean - 0.1, mean + 0.1
    return plots.forest(table.systems, mean, *ends, 2 * mean, baseline="bm25", measure="map", **look)


def named_rows(figure) -> list[int]:
    """Return the rows that have names, from the top, where the names must lie inside the axes."""
    axes = figure.axes[0]
    labels = axes.get_yticklabels()
    boxes = [label.get_window_extent() for label in labels]
    middles = [(box.y0 + box.y1) / 2 for box in boxes]
    assert all(high > low for high, low in pairwise(middles))
    whole = axes.get_window_extent()
    # the letters of a name are not exactly in the middle of its box
    assert whole.y0 - 2 <= min(middles) <= max(middles) <= whole.y1 + 2
    return [int(re.search(r"\d+$", label.get_text())[0]) for label in labels]


@pytest.mark.parametrize("size", ["column", "page", "slide"])
@pytest.mark.parametrize("draw", [heatmap, means, forest])
def test_first_last_and_marked_rows_have_their_names(draw, size):
    for marked in MARKED:
        figure = draw(equal_scores(), marked=marked, size=size)
        assert faults(figure) == []
        rows = named_rows(figure)
        assert rows == sorted(rows)
        assert {0, N_ROWS - 1, *marked} <= {*rows}


@pytest.mark.parametrize("marked", [1, 2])
def test_the_first_row_has_its_name_beside_a_marked_one(marked, random_table):
    table = random_table(200, 6)
    figure = plots.heatmap({"raw": numbered(table)}, sort="none", marked=[marked], size="slide")
    assert named_rows(figure)[:2] == [0, marked]


@pytest.mark.parametrize("marked", [197, 198])
def test_the_last_row_has_its_name_beside_a_marked_one(marked, random_table):
    table = random_table(200, 6)
    figure = plots.heatmap({"raw": numbered(table)}, sort="none", marked=[marked], size="slide")
    assert named_rows(figure)[-2:] == [marked, 199]


def numbered(table: ScoreTable) -> ScoreTable:
    """Return a table whose systems are named by their rows."""
    return ScoreTable(tuple(f"r{i}" for i in range(len(table.systems))), table.topics, table.measures, table.values)


@given(st.integers(0, 300), st.integers(1, 12), st.sets(st.integers(0, 299), max_size=30))
def test_names_of_the_ends_and_of_marked_rows_are_spread(n: int, step: int, drawn: Collection[int]):
    marked = {i for i in drawn if i < n}
    placed = spread(n, step, marked)
    assert list(placed) == sorted(placed)
    at = list(placed.values())
    assert all(high - low > step - 1e-9 for low, high in pairwise(at))
    wanted = marked | ({0, n - 1} if n else set())
    if (len(wanted) - 1) * step < n:
        assert wanted <= {*placed}
        assert all(-1e-9 < place < n - 1 + 1e-9 for place in at)
        # the names of the ends stand at their rows, and so do all names that are not marked
        assert all(placed[i] == i for i in placed if i not in marked or i in (0, n - 1))


@given(st.integers(2, 120), st.integers(1, 5), st.sets(st.integers(0, 119), max_size=12))
def test_names_of_marked_rows_move_as_little_as_possible(n: int, step: int, drawn: Collection[int]):
    wanted = sorted({i for i in drawn if i < n} | {0, n - 1})
    if (len(wanted) - 1) * step >= n:
        return
    placed = spread(n, step, wanted)
    at = np.array([placed[i] for i in wanted])
    # the sum of squares is convex: if no neighbours can move together and lower it, nothing can
    for first, last in combinations(range(len(wanted) + 1), 2):
        for by in (-0.001, 0.001):
            other = at.copy()
            other[first:last] += by
            inside = other.min() > -1e-9 and other.max() < n - 1 + 1e-9
            if inside and np.diff(other).min() > step - 1e-9:
                assert ((at - wanted) ** 2).sum() <= ((other - wanted) ** 2).sum() + 1e-9


@pytest.mark.parametrize("dpi", [72, 300])
def test_names_are_as_far_apart_in_files_of_any_resolution(dpi):
    """Files of svg and pdf are drawn at 72 dpi, those of png at 300."""
    figure = heatmap(equal_scores(), marked=[60, 61, 62], size="slide")
    at_first = middles(figure)
    figure.set_dpi(dpi)
    np.testing.assert_allclose(middles(figure) * 100 / dpi, at_first, atol=2)


def middles(figure) -> np.ndarray:
    """Return the heights of the names of rows, in pixels."""
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in figure.axes[0].get_yticklabels()]
    return np.array([(box.y0 + box.y1) / 2 for box in boxes])


@pytest.mark.parametrize("draw", [heatmap, means, forest])
def test_a_line_leads_from_a_row_to_its_name_that_was_moved(draw):
    figure = draw(equal_scores(), marked=[1, 61, 62], size="slide")
    leaders = {}
    for tick, name in zip(figure.axes[0].yaxis.get_major_ticks(), middles(figure), strict=True):
        line = tick.tick1line
        path = line.get_marker()
        if not isinstance(path, Path):
            continue
        # markers are as high and as wide as their size, in points, on both sides of the place
        points = path.vertices * line.get_markersize() / 2 / np.abs(path.vertices).max()
        start, end = line.get_transform().transform(line.get_xydata())[0] + points[[0, -1]] * figure.dpi / 72
        assert end[1] == pytest.approx(name, abs=3)
        assert end[0] < start[0]
        assert line.get_markeredgecolor() == tick.label1.get_color() != "black"
        leaders[int(tick.get_loc())] = name - start[1]
    assert {1, 61, 62} == {*leaders}
    # the first one and the last one of a group are moved down and up
    assert leaders[1] < 0 < leaders[61]
    assert leaders[62] < 0
