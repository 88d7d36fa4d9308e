"""Figures of meta-evaluation draw the rows that they are given."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import trapezoid

from stdeval import plots
from stdeval.errors import InputError
from stdeval.plots.tidy import density


def legend(figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def xy(line) -> list[list[float]]:
    return line.get_xydata().tolist()


def test_power_has_one_panel_per_measure_and_one_curve_per_scheme():
    rows = {
        "measure": ["map", "map", "map", "map", "ndcg", "ndcg"],
        "scheme": ["raw", "raw", "N", "N", "N", "N"],
        "alpha": ["0.05", "0.01", "0.01", "0.05", "0.01", "0.05"],
        "power": ["0.6", "0.5", "0.7", "0.8", "0.75", ""],
    }
    figure = plots.power(rows)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["AP", "nDCG"]
    assert [xy(line) for line in figure.axes[0].get_lines()] == [
        [[0.01, 0.5], [0.05, 0.6]],
        [[0.01, 0.7], [0.05, 0.8]],
    ]
    assert figure.axes[1].get_lines()[0].get_ydata()[0] == 0.75
    assert np.isnan(figure.axes[1].get_lines()[0].get_ydata()[1])
    assert legend(figure) == ["raw", "N"]


def test_type1_errors_have_their_diagonal():
    figure = plots.power({"alpha": [0.1, 0.01], "power": [0.6, 0.5], "type1": [0.11, 0.012]})
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["power", "Type I error"]
    line, diagonal = figure.axes[1].get_lines()
    assert xy(diagonal) == [[0.01, 0.01], [0.1, 0.1]]
    assert xy(line) == [[0.01, 0.012], [0.1, 0.11]]


def test_densities_are_densities():
    rng = np.random.default_rng(3)
    values = rng.normal(0.75, 0.02, 400)
    points, height = density(values)
    assert trapezoid(height, points) == pytest.approx(1, abs=0.01)
    np.testing.assert_allclose(height, stats.gaussian_kde(values)(points))
    rows = {"coefficient": np.repeat(["tau_b", "r"], 400), "value": np.concatenate([values, values + 0.1])}
    figure = plots.tau(rows)
    for axes, moved in zip(figure.axes, (0, 0.1), strict=True):
        curve, mean = axes.get_lines()
        np.testing.assert_allclose(curve.get_ydata(), height)
        np.testing.assert_allclose(mean.get_xdata(), values.mean() + moved)
        assert axes.get_ylim()[0] == 0
        assert axes.get_ylim()[1] > height.max()


def test_split_over_epsilon_and_over_trials():
    rows = {"aggregate": ["egm", "egm", "am"], "epsilon": ["1", "0.01", ""], "tau": ["0.75", "0.819", "0.748"]}
    egm, am = plots.split(rows).axes[0].get_lines()
    assert xy(egm) == [[0.01, 0.819], [1.0, 0.75]]  # Ravana 2009, Table 3: 0.819 and 0.748
    assert am.get_ydata() == [0.748, 0.748]
    trials = {"aggregate": ["am", "am", "md", "md"], "trial": [0, 1, 0, 1], "tau": [0.7, 0.8, 0.6, 0.7]}
    figure = plots.split(trials)
    assert legend(figure) == ["am", "md"]
    assert [line.get_xdata()[0] for line in figure.axes[0].get_lines()[1::2]] == pytest.approx([0.75, 0.65])


def test_depth_has_one_panel_per_form_scheme_and_level_and_means_have_their_own_axes():
    rows = {
        "form": ["raw", "raw", "standardized", "standardized"],
        "scheme": ["raw", "raw", "N", "N"],
        "pool_depth": [5, 5, 5, 5],
        "depth": [5, 10, 5, 10],
        "mean": [10.0, 30.0, 0.4, 0.5],
        "power": [0.4, 0.5, 0.6, 0.7],
    }
    means, powers = plots.depth(rows, "mean").axes, plots.depth(rows).axes
    assert [axes.get_title(loc="left") for axes in means] == ["raw", "standardized, N"]
    assert means[1].get_ylim()[1] < 1 < means[0].get_ylim()[1]
    assert powers[0].get_ylim() == powers[1].get_ylim()


def test_drmse_has_whiskers():
    rows = {"pair": ["a/b", "a/c"] * 2, "scheme": ["raw"] * 2 + ["N"] * 2, "drmse": [1, 2, 3, 4]}
    axes = plots.drmse({**rows, "low": [0, 1, 2, 3], "high": [2, 3, 4, 5]}).axes[0]
    assert [line.get_xdata().tolist() for line in axes.get_lines()] == [[1, 2], [3, 4]]
    ends = [np.array(whiskers.get_segments())[:, :, 0].tolist() for whiskers in axes.collections]
    assert ends == [[[0, 2], [1, 3]], [[2, 4], [3, 5]]]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a/b", "a/c"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"power": [0.5]}, "no column 'alpha', expected: alpha, power"),
        ({"power": [], "alpha": []}, "no row"),
        ({"power": ["", "inf"], "alpha": [0.1, 0.2]}, "no row with a number"),
        ({"power": [0.5, 0.6], "alpha": ["0.1", "high"]}, r"^3: 'high' in column 'alpha', expected a number"),
        ({"power": [0.5, 0.6], "alpha": ["0.1", "0.1"]}, r"^3: a second row"),
    ],
)
def test_rows_that_cannot_be_read_are_refused(rows, message):
    with pytest.raises(InputError, match=message):
        plots.power(rows)


def test_reliability_has_a_band_from_the_low_to_the_high_end():
    rows = {"quantity": ["erho2"] * 2, "at": [25, 50], "value": [0.8, 0.9], "low": [0.7, 0.85]}
    (band,) = plots.reliability({**rows, "high": [0.86, 0.95]}).axes[0].collections
    corners = {(float(x), float(y)) for x, y in band.get_paths()[0].vertices}
    assert corners == {(25, 0.7), (25, 0.86), (50, 0.85), (50, 0.95)}


def test_a_pair_of_aggregates_in_the_other_order_has_the_other_sign():
    rows = {
        "collection": ["A", "B"],
        "aggregate": ["egm", "am"],
        "aggregate_b": ["am", "egm"],
        "low": [0.5, 0.25],
        "difference": [0.1, 0.2],
    }
    _, first, second, *_ = plots.aggregates(rows).axes[0].get_lines()
    assert [xy(first), xy(second)] == [[[50, 0.1]], [[25, -0.2]]]


def test_drmse_says_which_divisions_are_random_and_series_without_a_value_are_not_drawn():
    rows = {"scheme": ["raw", "N"], "drmse": [1, 2], "mean": [1.5, 2.5], "low": [1, 2], "high": [2, 3]}
    assert legend(plots.drmse(rows)) == ["raw", "N", "observed division", "95% of random divisions"]
    assert legend(plots.drmse(rows, "mean"))[2:] == ["mean of random divisions", "95% of random divisions"]
    assert legend(plots.drmse({"trial": [1, 2], "drmse": [1, 2]})) == ["random division"]
    trials = {"aggregate": ["am", "am", "hm", "hm"], "trial": [0, 1, 0, 1], "tau": [0.7, 0.8, "", ""]}
    assert len(plots.split(trials).axes[0].get_lines()) == 2
