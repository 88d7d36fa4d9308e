"""Figure 1 of Urbano 2019, from the same scores: the figures against scipy, and against the paper's text."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from stdeval import plots
from stdeval.plots.score_figures import boxes
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.schemes import mapping_curves


def expected(scheme, raw, reference):
    mean, sd = reference.mean(axis=0), reference.std(axis=0, ddof=1)
    z = (raw - mean) / sd
    if scheme in "EM":
        kind, columns = {"E": "weak", "M": "mean"}[scheme], zip(reference.T, raw.T, strict=True)
        return np.stack([stats.percentileofscore(column, x, kind) / 100 for column, x in columns], axis=1)
    return {"raw": raw, "Z": z, "N": stats.norm.cdf(z), "U": np.clip(0.15 * z + 0.5, 0, 1)}[scheme]


def test_mapping_draws_the_observed_scores_and_the_curves_they_lie_on(robust2004, draw_mapping):
    raw = robust2004.measure("map")
    figure = draw_mapping(robust2004, "NUE")
    for axes, scheme in zip(figure.axes, "NUE", strict=False):
        curves, points = axes.collections
        x, y = points.get_offsets().data.T
        np.testing.assert_array_equal(x, raw.ravel())
        np.testing.assert_allclose(y, expected(scheme, raw, raw).ravel(), atol=1e-12)
        assert len(curves.get_segments()) == 49
        np.testing.assert_allclose(curves.get_array(), raw.mean(axis=0))
    assert [axes.get_ylabel() for axes in figure.axes[:3]] == ["N-AP", "U-AP", "E-AP"]


@pytest.mark.parametrize("scheme", ["Z", "N", "U", "E", "M"])
def test_curves_are_the_whole_mapping(scheme, robust2004):
    raw = robust2004.measure("map")
    curves = np.array(mapping_curves(robust2004, fit_factors(robust2004), scheme))
    assert curves[:, 0, 0].tolist() == [0] * 49
    assert curves[:, -1, 0].tolist() == [1] * 49
    np.testing.assert_allclose(curves[:, :, 1].T, expected(scheme, curves[:, :, 0].T, raw), atol=1e-12)
    assert (np.diff(curves, axis=1) >= 0).all()


def test_boxes_are_those_of_matplotlib(robust2004):
    from matplotlib.cbook import boxplot_stats

    scores = robust2004.measure("map").copy()
    scores[np.random.default_rng(2).random(scores.shape) < 0.2] = np.nan
    scores[:, 3] = 0.5
    known = boxplot_stats([column[~np.isnan(column)] for column in scores.T])
    names = ("whislo", "q1", "med", "q3", "whishi")
    np.testing.assert_allclose(boxes(scores), [[box[name] for box in known] for name in names])
    outliers = plots.topics(robust2004, {"raw": robust2004}).axes[0].get_lines()[-1]
    complete = boxplot_stats(robust2004.measure("map"))
    assert sorted(outliers.get_ydata()) == sorted(np.concatenate([box["fliers"] for box in complete]))
