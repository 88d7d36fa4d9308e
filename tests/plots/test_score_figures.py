"""Figures of scores draw the scores that they are given."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from stdeval import plots
from stdeval.errors import InputError
from stdeval.table import ScoreTable


def image(figure, panel: int = 0):
    return [axes for axes in figure.axes if axes.images][panel].images[0]


def sorted_slowly(scores):
    rows = sorted(range(scores.shape[0]), key=lambda i: -np.nanmean(scores[i]))
    columns = sorted(range(scores.shape[1]), key=lambda j: -np.nanmean(scores[:, j]))
    return rows, columns


def test_heatmap_shows_the_scores_of_2004_raw_and_standardized(robust2004, by_scheme):
    figure = plots.heatmap(by_scheme(robust2004, ("raw", "N")))
    rows, columns = sorted_slowly(robust2004.measure("map"))
    raw = robust2004.measure("map")[np.ix_(rows, columns)]
    np.testing.assert_array_equal(image(figure).get_array(), raw)
    standard = stats.norm.cdf(stats.zscore(robust2004.measure("map"), ddof=1))[np.ix_(rows, columns)]
    np.testing.assert_allclose(image(figure, 1).get_array(), standard, atol=1e-12)
    assert [axes.get_xlabel() for axes in figure.axes if not axes.images] == ["AP (score)", "N-AP (score)"]


def test_heatmap_is_lighter_where_higher_and_empty_where_missing(random_table):
    table = random_table(9, 8, missing=0.2)
    figure = plots.heatmap({"raw": table}, sort="none")
    drawn = image(figure)
    missing = np.isnan(table.values[:, :, 0])
    np.testing.assert_array_equal(np.ma.getmaskarray(drawn.get_array()), missing)
    light = drawn.cmap(np.linspace(0, 1, 50))[:, :3] @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(light) > 0).all()
    assert "hatched: no score" in figure.axes[0].get_xlabel().replace("\n", " ")
    assert drawn.to_rgba(drawn.get_array())[missing][:, 3].max() == 0


def test_means_in_descending_order_with_their_intervals(robust2004):
    scores = robust2004.measure("map")
    mean, half = scores.mean(axis=1), stats.sem(scores, axis=1) * stats.t.ppf(0.975, scores.shape[1] - 1)
    axes = plots.means(robust2004.systems, mean, mean - half, mean + half, measure="map").axes[0]
    order = np.argsort(-mean, kind="stable")
    np.testing.assert_array_equal(axes.get_lines()[0].get_xdata(), mean[order])
    ends = np.array(axes.collections[0].get_segments())[:, :, 0]
    np.testing.assert_array_equal(ends, np.stack([mean - half, mean + half], axis=1)[order])
    assert axes.get_yticklabels()[0].get_text() == robust2004.systems[int(np.argmax(mean))]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the best at the top
    assert axes.get_xlabel() == "mean AP (score), 95% t intervals"


def test_scores_are_counted(robust2004, by_scheme):
    axes = plots.scores(by_scheme(robust2004, ("raw", "E")), bins=10).axes[0]
    raw = robust2004.measure("map").ravel()
    counts = [0] * 10
    for x in raw[raw > 0]:
        counts[min(int(x * 10 + 1e-9), 9)] += 1
    values, edges = axes.patches[0].get_data()[:2]
    np.testing.assert_allclose(values, 100 * np.array([sum(raw == 0), *counts]) / raw.size)
    np.testing.assert_allclose(edges, np.arange(-1, 11) / 10, atol=1e-12)
    assert "left of 0: exactly 0" in axes.get_xlabel()
    assert [patch.get_data().values.sum() for patch in axes.patches] == pytest.approx([100, 100])


def test_compare_shows_each_difference_once():
    differences = np.array([0.1, np.nan, -0.2, 0.0, 0.3])
    figure = plots.compare(list("abcde"), differences, (-0.1, 0.2), measure="map", systems=("new", "old"))
    axes = figure.axes[0]
    bars = axes.containers[0]
    assert [bar.get_height() for bar in bars] == [0.3, 0.1, 0.0, -0.2]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["e", "a", "d", "c"]
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["new higher: 2", "old higher: 1", "equal: 1", "mean 0.0500", "its 95% interval"]
    assert axes.get_ylabel().split() == ["new", "\N{MINUS SIGN}", "old,", "AP", "(score)"]
    band = axes.patches[-1].get_extents().transformed(axes.transData.inverted())
    assert (band.y0, band.y1) == pytest.approx((-0.1, 0.2))


def test_nothing_to_draw_is_refused(random_table):
    table = random_table(3, 4)
    empty = ScoreTable(table.systems, table.topics, ("map",), np.full((3, 4, 1), np.nan))
    with pytest.raises(InputError, match="no scores by 'map'"):
        plots.heatmap({"raw": empty})
    with pytest.raises(InputError, match="no scores by 'map'"):
        plots.topics(empty, {"N": empty})
    with pytest.raises(InputError, match="no scores to draw"):
        plots.scores({})
    with pytest.raises(InputError, match="no measure to draw"):
        plots.scores({"raw": ScoreTable(("a",), ("1",), (), np.ones((1, 1, 0)))})
    with pytest.raises(InputError, match="sort 'up', expected one of: both"):
        plots.heatmap({"raw": table}, sort="up")
    with pytest.raises(InputError, match="for 3 systems"):
        plots.means(table.systems, np.ones(3), np.ones(3), np.ones(2), measure="map")
    with pytest.raises(InputError, match="no topics to draw"):
        plots.compare([], np.ones(0), measure="map")
