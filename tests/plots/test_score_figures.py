"""Figures of scores draw the scores that they are given."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from stdeval import plots
from stdeval.errors import InputError


def images(figure):
    return [axes.images[0] for axes in figure.axes if axes.images]


def test_heatmap_shows_the_scores_of_2004_raw_and_standardized(robust2004, by_scheme):
    figure, raw = plots.heatmap(by_scheme(robust2004, ("raw", "N"))), robust2004.measure("map")
    order = np.ix_(*(np.argsort(-raw.mean(axis=axis), kind="stable") for axis in (1, 0)))
    np.testing.assert_array_equal(images(figure)[0].get_array(), raw[order])
    standard = stats.norm.cdf(stats.zscore(raw, ddof=1))[order]
    np.testing.assert_allclose(images(figure)[1].get_array(), standard, atol=1e-12)


def test_heatmap_is_lighter_where_higher_and_empty_where_missing(robust2004):
    values = robust2004.values.copy()
    values[np.random.default_rng(1).random(values.shape) < 0.2] = np.nan
    (drawn,) = images(plots.heatmap({"raw": replace(robust2004, values=values)}, sort="none"))
    missing = np.isnan(values[:, :, 0])
    np.testing.assert_array_equal(np.ma.getmaskarray(drawn.get_array()), missing)
    light = drawn.cmap(np.linspace(0, 1, 50))[:, :3] @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(light) > 0).all()
    assert drawn.to_rgba(drawn.get_array())[missing][:, 3].max() == 0


def test_scores_are_counted(robust2004, by_scheme):
    axes, other = plots.scores(by_scheme(robust2004, ("raw", "E")), bins=10).axes
    raw = robust2004.measure("map").ravel()
    counts = [0] * 10
    for x in raw[raw > 0]:
        counts[min(int(x * 10 + 1e-9), 9)] += 1
    values, edges = axes.patches[0].get_data()[:2]
    np.testing.assert_allclose(values, 100 * np.array([sum(raw == 0), *counts]) / raw.size)
    np.testing.assert_allclose(edges, np.arange(-1, 11) / 10, atol=1e-12)
    assert [each.patches[0].get_data().values.sum() for each in (axes, other)] == pytest.approx([100, 100])


def test_tables_of_other_systems_or_of_several_measures_are_refused(robust2004):
    two = replace(robust2004, measures=("map", "P_10"), values=np.repeat(robust2004.values, 2, axis=2))
    for tables in ({"raw": robust2004, "N": robust2004.select(topics=["51"])}, {"raw": two}):
        with pytest.raises(InputError, match="expected one measure"):
            plots.heatmap(tables)
