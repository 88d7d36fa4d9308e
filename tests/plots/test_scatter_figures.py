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


def test_incomplete_systems_are_gray_and_not_part_of_tau():
    means = np.array([[0.1, 0.2, 0.3, 0.9, 0.5], [0.1, 0.2, 0.3, 0.0, np.nan]])
    ranked = np.array([True, True, True, False, False])
    axes = plots.scatter(means, ["map", "P_10"], ranked=ranked).axes[0]
    blue, gray = axes.get_lines()
    assert (len(blue.get_xdata()), gray.get_xdata().tolist()) == (3, [0.9, 0.5])
    assert axes.get_title(loc="left") == f"{TAU_B} 1.000"
    assert axes.get_xlabel().endswith("gray: 1 incomplete")


def test_means_that_are_all_missing_or_equal_have_no_tau():
    axes = plots.scatter(np.array([[0.5, 0.5, 0.5], [0.1, 0.2, 0.3]]), ["map", "P_10"]).axes[0]
    assert axes.get_title(loc="left") == f"{TAU_B} undefined"
    with pytest.raises(InputError, match="no system with means by two of the measures, expected two or more"):
        plots.scatter(np.full((2, 3), np.nan), ["map", "P_10"])


def test_dots_are_smaller_where_there_are_more_but_can_be_seen():
    def dot(n: int) -> float:
        axes = plots.scatter(np.random.default_rng(1).random((2, n)), ["map", "P_10"]).axes[0]
        return axes.get_lines()[0].get_markersize()

    # in points; an 8-point letter is about 4 wide
    assert 4 > dot(5) == dot(10) > dot(60) > dot(600) == dot(700) > 1


@pytest.mark.parametrize(("n", "size"), [(2, "column"), (3, "page"), (4, "column"), (4, "page"), (4, "slide")])
def test_texts_do_not_overlap(n: int, size: str, check_texts):
    means = np.random.default_rng(1).random((n, 126))
    check_texts(plots.scatter(means, [f"extended{i}:ndcg_cut_100" for i in range(n)], size=size, title="A title"))


def test_points_of_many_collections_do_not_overlap_the_legend(check_texts):
    n = 24
    rows = {
        "collection": [f"TREC{i % 4}" for i in range(n)],
        "measure": [f"measure_{i // 4}" for i in range(n)],
        "aggregate": ["egm"] * n,
        "aggregate_b": ["am", "egm-trec", "md"] * 8,
        "epsilon": ["0.01"] * n,
        "low": np.linspace(0, 1, n),
        "difference": np.linspace(-0.1, 0.1, n),
    }
    for size in ("column", "slide"):
        check_texts(plots.aggregates(rows, size=size))
    one = {name: column[::3] for name, column in rows.items()}
    check_texts(plots.aggregates(one, title="A title"))


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
