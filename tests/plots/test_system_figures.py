"""Figures of systems draw what they are given."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.stats

pytest.importorskip("matplotlib")

from matplotlib.colors import to_rgb

from stdeval import plots
from stdeval.plots.layout import BETTER, NEUTRAL, WORSE
from stdeval.table import ScoreTable

NAN = np.nan
COLOURS = {name: (*to_rgb(name), 1.0) for name in (BETTER, WORSE, NEUTRAL, "white")}


def title(axes) -> str:
    return axes.get_title(loc="left")


def test_forest_shows_whether_the_interval_includes_0_and_gray_points_stand_below():
    low, high = np.array([0.1, -0.1, NAN, 0.2]), np.array([0.3, 0.2, NAN, 0.5])
    difference, ranked = np.array([0.2, 0.05, 0.4, 0.35]), np.array([True, True, False, False])
    told = {"baseline": "base", "measure": "map", "ranked": ranked, "marked": [1], "size": "page"}
    figure = plots.forest(["a", "b", "c", "d"], difference, low, high, difference / 0.2, **told)
    for axes, scale in zip(figure.axes, (1, 0.2), strict=True):
        dots = axes.collections[int(scale == 1)]
        places = [(round(float(x) * scale, 9), int(y)) for x, y in dots.get_offsets().data]
        assert places == [(0.2, 0), (0.05, 1), (0.4, 2), (0.35, 3)]
        assert [tuple(edge) for edge in dots.get_edgecolors()] == [
            COLOURS[c] for c in (BETTER, WORSE, NEUTRAL, NEUTRAL)
        ]
        assert [tuple(face) for face in dots.get_facecolors()] == [
            COLOURS[c] for c in (BETTER, "white", "white", NEUTRAL)
        ]
    lines = figure.axes[0].collections[0]
    ends = {float(segment[0, 1]): segment[:, 0].tolist() for segment in lines.get_segments() if segment.size}
    assert (ends[0], ends[1], ends[3]) == ([0.1, 0.3], [-0.1, 0.2], [0.2, 0.5])
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["a", "b", "c", "d"]


def test_means_in_descending_order_with_their_intervals_and_a_line_at_the_pivot(robust2004):
    scores = robust2004.measure("map")
    mean, half = scores.mean(axis=1), scipy.stats.sem(scores, axis=1)
    figure = plots.means(
        robust2004.systems, mean, mean - half, mean + half, measure="map", interval="paired", pivot=3
    )
    (line,) = figure.axes[0].get_lines()
    order = np.argsort(-mean, kind="stable")
    np.testing.assert_array_equal(figure.axes[0].collections[1].get_offsets().data[:, 0], mean[order])
    assert list(line.get_xdata()) == [mean[3]] * 2
    ends = np.array(figure.axes[0].collections[0].get_segments())[:, :, 0]
    np.testing.assert_array_equal(ends, np.stack([mean - half, mean + half], axis=1)[order])
    assert figure.axes[0].get_yticklabels()[0].get_text() == robust2004.systems[int(np.argmax(mean))]
    assert figure.axes[0].get_ylim()[0] > figure.axes[0].get_ylim()[1]  # the best at the top


def test_compare_shows_each_difference_once():
    differences = np.array([0.1, NAN, -0.2, 0.0, 0.3])
    figure = plots.compare(list("abcde"), differences, (-0.1, 0.2), measure="map", systems=("new", "old"))
    axes = figure.axes[0]
    higher, lower = (bars.get_data().values.tolist() for bars in axes.patches[:2])
    assert (higher, lower) == ([0.3, 0.1, 0, 0], [0, 0, 0, -0.2])
    assert title(axes) == "n = 4, 1 equal"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["e", "a", "d", "c"]
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["new higher: 2", "old higher: 1", "mean 0.0500", "its 95% interval"]
    band = axes.patches[-1].get_extents().transformed(axes.transData.inverted())
    assert (band.y0, band.y1) == pytest.approx((-0.1, 0.2))


@pytest.mark.parametrize("pvalue, told", [(0.00009, "p < 0.0001"), (0.050004, "p = 0.050004"), (NAN, None)])
def test_the_result_of_the_test_stands_above_the_differences(pvalue: float, told: str | None):
    figure = plots.compare(["1", "2"], np.array([0.1, 0.3]), measure="map", pvalue=pvalue, effect_size=1.414)
    assert title(figure.axes[0]).split(", ") == ["n = 2", *([told] if told else []), "d = 1.41"]


def test_every_two_measures_have_a_panel_with_the_tau_of_scipy():
    means = np.random.default_rng(4).integers(1, 6, size=(3, 20)) / 10
    figure = plots.scatter(means, ["shallow:ndcg", "extended:ndcg", "deep:ndcg"])
    for axes, (i, j) in zip(figure.axes, [(0, 1), (0, 2), (1, 2)], strict=True):
        (points,) = axes.get_lines()
        assert points.get_xydata().tolist() == np.stack([means[i], means[j]], axis=1).tolist()
        tau = f"{scipy.stats.kendalltau(means[i], means[j]).statistic:.3f}"
        assert title(axes) == "τ-b " + tau.replace("-", "\N{MINUS SIGN}")


def test_tau_is_of_rankings_that_begin_with_the_best():
    means = np.array([[0.1, 0.2, 0.3, 0.4], [0.9, 0.8, 0.6, 0.7], [0.9, 0.7, 0.8, 0.6]])
    one, both = plots.scatter(means[:2], ["map", "unj_10"]), plots.scatter(means[1:], ["unj_5", "shallow:unj_10"])
    assert title(one.axes[0]) == f"τ-b {-scipy.stats.kendalltau(means[0], means[1]).statistic:.3f}"
    assert title(both.axes[0]) == f"τ-b {scipy.stats.kendalltau(means[1], means[2]).statistic:.3f}"


def names_in(axes) -> set[str]:
    return {text.get_text() for text in axes.texts}


def test_the_most_extreme_topics_are_named_in_every_corner():
    x = np.array([0.0, 1.0, 0.5, 0.52, 0.51, 0.0, 1.0])
    y = np.array([1.0, 0.0, 0.5, 0.50, 0.52, 0.0, 1.0])
    axes = plots.topic_scatter(y[:, None], x[:, None], list("abcdefg"), measures=["map"]).axes[0]
    assert {"a", "b"} <= names_in(axes) <= set("abde")


def test_outliers_among_systems_are_named():
    means = np.tile(np.linspace(0.3, 0.5, 20), (2, 1))
    means[:, 0], means[1, 7] = 0.0, 0.5
    axes = plots.scatter(means, ["map", "P_10"], systems=[f"run{i}" for i in range(20)]).axes[0]
    assert names_in(axes) == {"run0", "run7"}


NAMES = [f"a-rather-long-name-of-a-run-of-ours-{i}" for i in range(126)]


@pytest.mark.parametrize("size", ["column", "page"])
@pytest.mark.parametrize("kind", ["means", "forest", "heatmap"])
def test_every_row_has_its_name_and_no_text_is_cut_or_over_another(kind, size):
    mean = np.linspace(0.5, 0.1, len(NAMES))
    if kind == "means":
        figure = plots.means(NAMES, mean, mean - 0.1, mean + 0.1, measure="map", size=size, title="A title " * 12)
    elif kind == "forest":
        how = {"baseline": NAMES[0], "measure": "unj_10", "topics": "21 to 225 of 225 topics", "size": size}
        figure = plots.forest(NAMES, mean - 0.3, mean - 0.4, mean - 0.2, mean, **how)
    else:
        scores = np.add.outer(mean, np.linspace(0, 0.4, 60))
        table = ScoreTable(tuple(NAMES), tuple(map(str, range(60))), ("map",), scores[:, :, None])
        figure = plots.heatmap({"raw": table, "N": table}, size=size)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert len(labels) == len(set(labels)) == len(NAMES)
    drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert min(drawn.x0, drawn.y0, width - drawn.x1, height - drawn.y1) >= 0
    rows = sorted((label.get_window_extent() for label in figure.axes[0].get_yticklabels()), key=lambda b: b.y0)
    assert all(low.y1 - high.y0 < 0.25 * low.height for low, high in pairwise(rows))
    panel = figure.axes[0].get_position()
    assert panel.x0 < 0.55
