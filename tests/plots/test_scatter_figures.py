"""Scatter plots have a panel for every two measures, and scipy's tau."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from stdeval import plots
from stdeval.errors import InputError

TAU_B = r"$\mathregular{τ_{b}}$"
"""Kendall's tau_b with a subscript, as matplotlib takes it."""


def test_every_two_measures_have_a_panel():
    means = np.random.default_rng(4).integers(1, 6, size=(3, 20)) / 10
    figure = plots.scatter(means, ["shallow:ndcg", "extended:ndcg", "deep:ndcg"])
    for axes, (i, j) in zip(figure.axes, [(0, 1), (0, 2), (1, 2)], strict=True):
        (points,) = axes.get_lines()
        assert points.get_xydata().tolist() == np.stack([means[i], means[j]], axis=1).tolist()
        tau = f"{scipy.stats.kendalltau(means[i], means[j]).statistic:.3f}"
        assert axes.get_title(loc="left") == f"{TAU_B} {tau}".replace("-", "\N{MINUS SIGN}")
    names = ["mean shallow:nDCG (score)"] * 2 + ["mean extended:nDCG (score)"]
    assert [axes.get_xlabel().replace(":\n", ":").replace("\n", " ") for axes in figure.axes] == names


@pytest.mark.parametrize(
    ("means", "measures", "message"),
    [
        (np.ones((1, 3)), ["map"], "means by 1 measure, 1 named"),
        (np.ones((2, 3)), ["map"], "means by 2 measures, 1 named"),
        (np.ones((2, 1)), ["map", "P_10"], "1 system to compare, expected at least two"),
    ],
)
def test_nothing_to_compare_is_refused(means, measures, message: str):
    with pytest.raises(InputError, match=message):
        plots.scatter(means, measures)


def test_tau_is_of_rankings_that_begin_with_the_best():
    means = np.array([[0.1, 0.2, 0.3, 0.4], [0.9, 0.8, 0.6, 0.7], [0.9, 0.7, 0.8, 0.6]])
    one, both = plots.scatter(means[:2], ["map", "unj_10"]), plots.scatter(means[1:], ["unj_5", "shallow:unj_10"])
    assert (
        one.axes[0].get_title(loc="left") == f"{TAU_B} {-scipy.stats.kendalltau(means[0], means[1]).statistic:.3f}"
    )
    assert (
        both.axes[0].get_title(loc="left") == f"{TAU_B} {scipy.stats.kendalltau(means[1], means[2]).statistic:.3f}"
    )
    assert one.axes[0].get_ylabel().replace("\n", " ") == "mean Unj@10 (score), lower is better"
    assert "lower" not in one.axes[0].get_xlabel()
