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


def test_tables_of_other_systems_or_of_several_measures_are_refused(random_table):
    table, other = random_table(3, 4), random_table(3, 5)
    two = ScoreTable(table.systems, table.topics, ("map", "P_10"), np.repeat(table.values, 2, axis=2))
    for tables in ({"raw": table, "N": other}, {"raw": two}):
        with pytest.raises(InputError, match="expected one measure"):
            plots.heatmap(tables)
