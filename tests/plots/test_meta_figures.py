"""Figures of meta-evaluation draw the rows that they are given."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import trapezoid

from stdeval import plots
from stdeval.errors import InputError
from stdeval.plots.series import arrange, density, groups


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
    same = [axes.get_lines()[-1].get_color() for axes in figure.axes]
    assert same[0] == same[1]


def test_power_at_one_alpha_has_one_row_per_measure():
    # Webber 2010, Table 1: AP on the TREC 2004 topics
    rows = {"measure": ["map", "P_10"] * 2, "scheme": ["raw"] * 2 + ["N"] * 2, "alpha": [0.05] * 4}
    axes = plots.power({**rows, "power": [0.680, 0.6, 0.7, 0.65]}).axes[0]
    assert [line.get_xdata().tolist() for line in axes.get_lines()] == [[0.680, 0.6], [0.7, 0.65]]
    assert np.round([line.get_ydata() for line in axes.get_lines()]).tolist() == [[0, 1], [0, 1]]
    assert "alpha 0.05" in axes.get_xlabel()


def test_power_by_two_tests_is_two_curves():
    rows = {"test": ["t", "t", "student", "student"], "alpha": [0.01, 0.05] * 2, "power": [0.5, 0.6, 0.4, 0.5]}
    figure = plots.power(rows)
    assert [xy(line) for line in figure.axes[0].get_lines()] == [
        [[0.01, 0.5], [0.05, 0.6]],
        [[0.01, 0.4], [0.05, 0.5]],
    ]
    assert legend(figure) == ["t, paired", "Student's t, unpaired"]
    alone = plots.power({name: [column[0], column[2]] for name, column in rows.items()})
    assert legend(alone) == ["t, paired", "Student's t, unpaired"]


@pytest.mark.parametrize(
    "draw, rows",
    [
        (plots.power, {"alpha": [0.01, 0.05], "power": [0.5, 0.6]}),
        (plots.power, {"alpha": [0.05], "power": [0.6]}),
        (plots.split, {"trial": [1, 2, 3], "tau": [0.7, 0.8, 0.9]}),
        (plots.split, {"epsilon": [0.01, 0.1], "tau": [0.7, 0.8]}),
        (plots.split, {"epsilon": [""], "tau": [0.7]}),
        (plots.references, {"size": [5, 10], "median": [0.8, 0.9]}),
        (plots.drmse, {"pair": ["x/y", "x/z"], "drmse": [0.5, 0.4]}),
        (plots.depth, {"pool_depth": [5, 5], "depth": [5, 10], "power": [0.6, 0.7]}),
        (plots.aggregates, {"aggregate": ["egm"], "aggregate_b": ["am"], "low": [0.5], "difference": [0.1]}),
    ],
)
def test_rows_of_two_experiments_are_not_one_curve(draw, rows):
    n = len(next(iter(rows.values())))
    twice = {name: column * 2 for name, column in rows.items()}
    draw({**twice, "collection": ["a"] * n + ["b"] * n})
    with pytest.raises(InputError, match=r"a second row for .*, expected one, or NAME=FILE"):
        draw({**twice, "measure": ["map"] * 2 * n})


def test_type1_errors_have_their_diagonal():
    figure = plots.power({"alpha": [0.1, 0.01], "power": [0.6, 0.5], "type1": [0.11, 0.012]})
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["power", "Type I error"]
    diagonal, line = figure.axes[1].get_lines()
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


def test_no_density_beyond_a_correlation_of_1():
    points, _ = density(np.array([0.9, 0.95, 0.999]))
    assert points.max() == 1
    with pytest.raises(InputError, match="expected several trials"):
        density(np.array([0.9, np.nan, 0.9]))


def test_split_over_epsilon_and_over_trials():
    rows = {"aggregate": ["egm", "egm", "am"], "epsilon": ["1", "0.01", ""], "tau": ["0.75", "0.819", "0.748"]}
    egm, am = plots.split(rows).axes[0].get_lines()
    assert xy(egm) == [[0.01, 0.819], [1.0, 0.75]]  # Ravana 2009, Table 3: 0.819 and 0.748
    assert am.get_ydata() == [0.748, 0.748]
    trials = {"aggregate": ["am", "am", "md", "md"], "trial": [0, 1, 0, 1], "tau": [0.7, 0.8, 0.6, 0.7]}
    figure = plots.split(trials)
    assert legend(figure) == ["am", "md"]
    assert [line.get_xdata()[0] for line in figure.axes[0].get_lines()[1::2]] == pytest.approx([0.75, 0.65])


def test_split_of_two_collections_and_by_r():
    rows = {"aggregate": ["egm"] * 4, "epsilon": [0.1, 1, 0.1, 1], "tau": [0.8, 0.7, 0.6, 0.5], "r": [0.9] * 4}
    named = {**rows, "collection": ["TREC8", "TREC8", "TREC2001", "TREC2001"]}
    figure = plots.split(named)
    assert legend(figure) == ["TREC8", "TREC2001"]
    assert [xy(line) for line in figure.axes[0].get_lines()] == [[[0.1, 0.8], [1, 0.7]], [[0.1, 0.6], [1, 0.5]]]
    figure = plots.split(named, "r")
    assert figure.axes[0].get_lines()[0].get_ydata().tolist() == [0.9, 0.9]


def test_collections_are_series_or_panels_of_every_figure():
    rows = {"collection": ["a", "a", "b", "b"], "scheme": ["raw"] * 4}
    of_two = {**rows, "measure": ["map", "P_10"] * 2}
    assert legend(plots.power({**rows, "alpha": [0.01, 0.05] * 2, "power": [0.4, 0.5, 0.6, 0.7]})) == ["a", "b"]
    assert legend(plots.power({**of_two, "alpha": [0.05] * 4, "power": [0.4, 0.5, 0.6, 0.7]})) == ["a", "b"]
    assert legend(plots.tau({**rows, "value": [0.4, 0.5, 0.6, 0.7]})) == ["a", "b"]
    assert legend(plots.drmse({**of_two, "drmse": [0.4, 0.5, 0.6, 0.7]})) == ["a", "b"]
    for figure in (
        plots.depth({**rows, "pool_depth": [5] * 4, "depth": [5, 10] * 2, "power": [0.4, 0.5, 0.6, 0.7]}),
        plots.references({**rows, "size": [5, 10] * 2, "median": [0.4, 0.5, 0.6, 0.7]}),
    ):
        assert [axes.get_title(loc="left") for axes in figure.axes] == ["a", "b"]


def test_aggregates_have_a_panel_for_two_aggregates_and_a_point_for_each_collection():
    """Ravana & Moffat 2009, Table 3: AM, eGM and trec_eval's GM of AP and SP on TREC9, and of AP on TREC8."""
    cells = [
        ("TREC9", "raw", "egm", "am", 0.819 - 0.748, 0.56),
        ("TREC9", "raw", "egm", "egm-trec", 0.819 - 0.798, 0.56),
        ("TREC9", "N", "egm", "am", 0.805 - 0.798, 0.04),
        ("TREC8", "raw", "egm", "am", 0.755 - 0.773, 0.36),
    ]
    names = ("collection", "scheme", "aggregate", "aggregate_b", "difference", "low")
    rows = dict(zip(names, zip(*cells, strict=True), strict=True))
    rows |= {"epsilon": ["0.01"] * 4, "scheme_b": rows["scheme"]}
    other = {name: [*rows[name], rows[name][0]] for name in rows} | {"scheme_b": [*rows["scheme"], "N"]}
    figure = plots.aggregates(other)
    minus = "\N{MINUS SIGN}"
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        f"egm 0.01 {minus} {b}" for b in ("am", "egm-trec")
    ]
    zero, *points = figure.axes[0].get_lines()
    assert set(zero.get_ydata()) == {0}
    drawn = {(line.get_fillstyle(), *np.round(line.get_xydata()[0], 3).tolist()) for line in points}
    assert drawn == {("full", 56, 0.071), ("full", 4, 0.007), ("none", 36, -0.018)}
    assert legend(figure) == ["raw", "N", "TREC9", "TREC8"]


@pytest.mark.parametrize("size", ["column", "page", "slide"])
def test_several_panels_of_one_measure_name_it_once(size, check_texts):
    one = {"measure": ["map"] * 4, "scheme": ["N"] * 4, "scheme_b": ["N"] * 4}
    levels = [0.01, 0.02, 0.05, 0.1]
    drawn = {
        "aggregates": {
            "aggregate": ["egm", "gm"] * 2,
            "aggregate_b": ["am"] * 4,
            "low": levels,
            "difference": levels,
        },
        "power": {"alpha": levels, "power": [0.3, 0.4, 0.5, 0.6], "type1": levels},
        "tau": {"coefficient": ["tau_b", "tau_ap_b"] * 2, "value": [0.7, 0.8, 0.75, 0.85]},
    }
    drawn["aggregates"] |= {"low": levels, "how": ["odd"] * 2 + ["random"] * 2}
    for name, rows in drawn.items():
        figure = getattr(plots, name)({**one, **rows}, size=size)
        check_texts(figure)
        assert len(figure.axes) > 1
        assert figure.get_supylabel().replace("\n", " ").startswith("N-AP: ")
    references = {"collection": ["a", "b"], "size": [5, 5], "median": [0.4, 0.5]}
    assert plots.references(references, size=size).get_supylabel().startswith("median: ")


def test_aggregates_of_two_schemes_only_are_refused():
    rows = {"aggregate": ["am"], "aggregate_b": ["am"], "low": [0.1], "difference": [0.1]}
    for schemes in ({"scheme": ["raw"], "scheme_b": ["N"]}, {}):
        with pytest.raises(InputError, match="no rows of two aggregates by the same scheme"):
            plots.aggregates({**rows, **schemes})


def test_depth_crosses_where_the_pool_is_as_deep():
    cells = [(f, d, k, d / 100 + k) for f in ("raw", "expanded") for d in (5, 10) for k in (5, 10, 100)]
    rows = dict(zip(("form", "pool_depth", "depth", "mean"), zip(*cells, strict=True), strict=True))
    figure = plots.depth(rows, "mean")
    assert len(figure.axes) == 2
    five, ten, full = figure.axes[0].get_lines()
    assert xy(five) == [[5, 5.05], [10, 10.05], [100, 100.05]]
    assert xy(ten) == [[5, 5.1], [10, 10.1], [100, 100.1]]
    assert xy(full) == [[5, 5.05], [10, 10.1]]
    assert full.get_marker() == "x"
    assert legend(figure) == ["pool 5", "pool 10", "pool as deep"]


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


def test_correlations_that_are_the_same_but_for_rounding_are_a_line():
    rows = {"scheme": ["raw"] * 3 + ["N"] * 3, "value": [1.0, 1.0 - 2e-16, 1.0, 0.8, 0.9, 0.85]}
    lines = plots.tau(rows).axes[0].get_lines()
    assert lines[0].get_xdata() == pytest.approx([1, 1])
    assert len(lines) == 3


def test_equal_values_have_no_densities_below_0():
    axes = plots.tau({"value": [0.9] * 3}).axes[0]
    assert axes.get_ylim()[0] == 0


def test_drmse_says_that_lower_is_better():
    label = plots.drmse({"scheme": ["raw", "N"], "drmse": [1, 2]}).axes[0].get_xlabel()
    assert label.replace("\n", " ") == "dRMSE (standard deviations), lower is better"


def test_drmse_draws_another_column():
    rows = {"scheme": ["raw", "N"], "drmse": [1, 2], "low": [0, 1], "high": [2, 3], "mean": [1.5, 2.5], "n": [7, 9]}
    for value, whiskers, label in (("mean", 2, "mean dRMSE (standard deviations)"), ("n", 0, "n")):
        axes = plots.drmse(rows, value).axes[0]
        assert [line.get_xdata().tolist() for line in axes.get_lines()] == [[x] for x in rows[value]]
        lengths = [np.ptp(path.vertices[:, 0]) for each in axes.collections for path in each.get_paths()]
        assert sum(length > 0 for length in lengths) == whiskers
        assert axes.get_xlabel().startswith(label)


def test_labels_of_drmse_name_what_the_rows_show():
    rows = {"measure": ["map", "P_10"], "pair": ["a/b", "a/b"], "false_positives": [1, 2]}
    axes = plots.drmse(rows, "false_positives").axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("false positives", "measure")
    two = {"measure": ["map", "map"], "pair": ["a/b", "a/c"], "drmse": [1, 2]}
    assert plots.drmse(two).axes[0].get_ylabel() == "pair"
    many = {"measure": ["map", "P_10"] * 2, "pair": ["a/b"] * 2 + ["a/c"] * 2, "drmse": [1, 2, 3, 4]}
    assert plots.drmse(many).axes[0].get_ylabel().replace("\n", " ") == "measure, pair"


def test_random_repartitions_are_not_taken_for_results():
    rows = {
        "measure": ["map"] * 3,
        "pair": ["a/b"] * 3,
        "trial": [1, 2, 3],
        "drmse": [1, 2, 3],
        "tau_b": [0.1, 0.2, 0.3],
    }
    for value in ("drmse", "tau_b"):
        label = plots.drmse(rows, value).axes[0].get_xlabel()
        assert "; dots: random re-partitions of the topics" in " ".join(label.split())


@pytest.mark.parametrize("value", ["false_positives", "first_better_high", "second_better_mean"])
def test_counts_of_systems_that_differ_name_the_level(value: str):
    rows = {"collection": ["x", "y"], "measure": ["map"] * 2, "scheme": ["N"] * 2, value: [1, 2], "low": [0, 0]}
    figure = plots.drmse({**rows, "alpha": ["0.1", "0.025"]}, value)
    assert legend(figure) == ["x, alpha 0.1", "y, alpha 0.025"]
    assert figure.axes[0].get_xlabel() == value.replace("_", " ")
    figure = plots.drmse({**rows, "alpha": ["0.025"] * 2}, value)
    assert legend(figure) == ["x", "y"]
    assert figure.axes[0].get_xlabel() == f"{value.replace('_', ' ')} (alpha 0.025)"


def test_columns_of_drmse_that_do_not_name_it_are_labelled():
    rows = {"collection": ["x", "y"], "scheme": ["N"] * 2, "alpha": ["0.1", "0.025"], "tau_b_low": [0.5, 0.6]}
    rows |= {name: [1, 2] for name in ("low", "high", "percentile")}
    for value in ("low", "high", "percentile"):
        figure = plots.drmse(rows, value)
        assert figure.axes[0].get_xlabel() == f"{value} of dRMSE"
        assert legend(figure) == ["x", "y"]
    assert plots.drmse(rows, "tau_b_low").axes[0].get_xlabel() == "tau b low"


def test_drmse_has_whiskers():
    rows = {"pair": ["a/b", "a/c"] * 2, "scheme": ["raw"] * 2 + ["N"] * 2, "drmse": [1, 2, 3, 4]}
    axes = plots.drmse({**rows, "low": [0, 1, 2, 3], "high": [2, 3, 4, 5]}).axes[0]
    assert [line.get_xdata().tolist() for line in axes.get_lines()] == [[1, 2], [3, 4]]
    ends = [np.array(whiskers.get_segments())[:, :, 0].tolist() for whiskers in axes.collections]
    assert ends == [[[0, 2], [1, 3]], [[2, 4], [3, 5]]]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a/b", "a/c"]


def test_references_have_one_line_per_percentile():
    figure = plots.references({"size": [20, 10], "median": [0.97, 0.95], "p5": [0.9, 0.8], "p1": [0.85, 0.7]})
    ends = [[[10, 0.95], [20, 0.97]], [[10, 0.8], [20, 0.9]], [[10, 0.7], [20, 0.85]]]
    assert [xy(line) for line in figure.axes[0].get_lines()] == ends
    assert legend(figure) == ["median", "5th percentile", "1st percentile"]


@pytest.mark.parametrize("n", [(2,), (2, 3), (1, 2, 4)])
def test_ticks_of_reference_systems_are_whole_numbers(n):
    axes = plots.references({"size": [*n], "median": [0.9] * len(n)}).axes[0]
    low, high = axes.get_xlim()
    ticks = [tick for tick in axes.get_xticks() if low <= tick <= high]
    assert ticks and all(tick == round(tick) for tick in ticks)


def test_correlations_without_samples_are_level_lines():
    rows = {"size": [5, 10, 5, 10], "median": [0.9, 0.95, 0.8, 0.9], "measure": ["map"] * 2 + ["ndcg"] * 2}
    rows |= {"tau_raw": [0.92, 0.92, 0.91, 0.91], "tau_collection": [0.74, 0.74, 0.75, 0.75]}
    figure = plots.references(rows)
    for axes, median, levels in zip(
        figure.axes, ([0.9, 0.95], [0.8, 0.9]), ((0.92, 0.74), (0.91, 0.75)), strict=True
    ):
        curve, *lines = axes.get_lines()
        assert xy(curve) == [[5, median[0]], [10, median[1]]]
        assert [set(line.get_ydata()) for line in lines] == [{level} for level in levels]
    assert legend(figure) == ["median", "raw scores", "raw scores, two collections"]


def test_labels_say_what_differs():
    rows = {"measure": ["map", "ndcg"], "scheme": ["N", "N"]}
    assert [label for label, _ in groups(rows, ["measure", "scheme"])] == ["N-AP", "N-nDCG"]
    assert [label for label, _ in groups({"measure": ["map"], "scheme": ["N"]}, ["measure", "scheme"])] == ["N-AP"]
    panels, series = arrange(rows, ("measure",), ("scheme",))
    assert (len(panels), [label for label, _ in series]) == (1, ["N-AP", "N-nDCG"])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"power": [0.5]}, "no column 'alpha', expected: alpha, power"),
        ({"power": [0.5], "alpha": [0.1, 0.2]}, "different lengths"),
        ({"power": [], "alpha": []}, "no rows to draw"),
        ({"power": [0.5, 0.6], "alpha": ["0.1", "high"]}, r"^3: 'high' in column 'alpha', expected a number"),
    ],
)
def test_rows_that_cannot_be_read_are_refused(rows, message):
    with pytest.raises(InputError, match=message):
        plots.power(rows)


@pytest.mark.parametrize(
    ("draw", "column", "others"),
    [
        (plots.power, "power", {"alpha": [0.05] * 2}),
        (plots.drmse, "drmse", {}),
        (plots.references, "median", {"size": [5, 10], "tau_raw": [0.7] * 2}),
        (plots.aggregates, "difference", {"low": [0.1] * 2, "aggregate": ["egm"] * 2, "aggregate_b": ["am", "gm"]}),
    ],
)
def test_a_column_without_numbers_is_refused_rather_than_drawn_as_empty_panels(draw, column, others):
    with pytest.raises(InputError, match=f"no number in column '{column}', expected some to draw"):
        draw({column: ["", ""], "measure": ["map", "P_10"], **others})


def test_both_axes_of_type_1_errors_are_logarithmic():
    rows = {"alpha": [0.001, 0.01, 0.1], "power": [0.2, 0.4, 0.6], "type1": [0.002, 0.01, 0.09]}
    power, type1 = plots.power(rows).axes
    assert (power.get_xscale(), power.get_yscale()) == ("log", "linear")
    assert (type1.get_xscale(), type1.get_yscale()) == ("log", "log")


def test_percentiles_of_repartitions_are_bands_not_errors():
    rows = {"measure": ["map"], "scheme": ["raw"], "drmse": [0.9], "low": [0.3], "high": [0.7]}
    axes = plots.drmse(rows).axes[0]
    assert "95% of the re-partitions" in axes.get_xlabel().replace("\n", " ")
    assert "re-partitions" not in plots.drmse({**rows, "low": [""], "high": [""]}).axes[0].get_xlabel()


def test_reliability_has_a_band_from_the_low_to_the_high_end():
    rows = {
        "quantity": ["erho2"] * 2,
        "at": [25, 50],
        "value": [0.8, 0.9],
        "low": [0.7, 0.85],
        "high": [0.86, 0.95],
    }
    (band,) = plots.reliability(rows).axes[0].collections
    corners = {(float(x), float(y)) for x, y in band.get_paths()[0].vertices}
    assert corners == {(25, 0.7), (25, 0.86), (50, 0.85), (50, 0.95)}


@pytest.mark.parametrize("size", ["column", "page"])
def test_titles_of_long_names_are_lower_than_their_panels_and_break_at_hyphens(size, check_texts):
    parts = product(("title", "narrative"), ("doc2query", "rm3"), ("map", "ndcg_cut_10", "P_10"), (10, 50))
    cells = [(f"monot5-base-msmarco-10k-{a}-{b}-expansion-rrf60", m, n, 1 / n) for a, b, m, n in parts]
    rows = dict(zip(("collection", "measure", "n", "difference"), zip(*cells, strict=True), strict=True))
    figure = plots.plan(rows, size=size)
    check_texts(figure)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert len(set(titles)) == 12
    assert all(line.endswith(("-", "…", ",")) for title in titles for line in title.split("\n")[:-1])
    for axes in figure.axes:
        assert axes._left_title.get_window_extent().height < axes.get_window_extent().height


@pytest.mark.parametrize("size", ["column", "page", "slide"])
def test_the_legend_of_a_plan_says_that_its_curves_are_standard_deviations(size, check_texts):
    n, difference = [10] * 3 + [50] * 3, [0.2] * 3 + [0.1] * 3
    rows = {"spread": ["median", "p95", "residual"] * 2, "n": n, "difference": difference}
    figure = plots.plan(rows, size=size)
    check_texts(figure)
    assert figure.legends[0].get_title().get_text() == "standard deviation"
    assert legend(figure) == ["median of all pairs", "95th percentile", "residual"]


def test_the_marks_of_one_measure_stand_beside_each_other_in_its_row():
    rows = {"measure": ["map", "P_10"] * 2, "scheme": ["raw", "raw", "N", "N"], "drmse": [0.5, 0.6, 0.5, 0.6]}
    places = [line.get_ydata().tolist() for line in plots.drmse(rows).axes[0].get_lines()]
    assert places == [[-0.15, 0.85], [0.15, 1.15]]


@pytest.mark.parametrize("condition", ["systems", "topics", "seed", "trials"])
@pytest.mark.parametrize("kind", ["trials", "epsilons", "pairs", "depths", "collections"])
def test_rows_of_different_experiments_are_not_mixed(kind, condition):
    """Every two rows differ in the columns that tell them apart, so that only the condition shows it."""
    draw, rows = {
        "trials": (plots.split, {"trial": [1, 1], "aggregate": ["am", "gm"], "tau": [0.5, 0.6]}),
        "epsilons": (plots.split, {"epsilon": [0.01, 0.1], "aggregate": ["egm", "egm"], "tau": [0.5, 0.6]}),
        "pairs": (
            plots.aggregates,
            {"aggregate": ["am"] * 2, "aggregate_b": ["gm", "md"], "low": [0.1] * 2, "difference": [0.2] * 2},
        ),
        "depths": (plots.depth, {"pool_depth": [5, 5], "depth": [5, 10], "power": [0.5, 0.6]}),
        "collections": (plots.drmse, {"measure": ["map", "P_10"], "drmse": [0.5, 0.4]}),
    }[kind]
    draw({**rows, condition: ["7", "7"]})
    draw({**rows, condition: ["7", "8"], "collection": ["a", "b"]})
    with pytest.raises(InputError, match=rf"{condition} 8, and 7 above, expected the same, or NAME=FILE"):
        draw({**rows, condition: ["7", "8"]})


def test_aggregates_in_another_order_are_in_the_same_panel():
    """One command line has -a am -a egm, the other -a egm -a am."""
    rows = {
        "collection": ["a", "b"],
        "aggregate": ["am", "egm"],
        "epsilon": ["", "0.01"],
        "aggregate_b": ["egm", "am"],
        "epsilon_b": ["0.01", ""],
        "low": [0.5, 0.4],
        "difference": [0.07, 0.02],
    }
    (axes,) = plots.aggregates(rows).axes
    points = [line.get_xydata()[0].tolist() for line in axes.get_lines()[1:]]
    assert points == [[50.0, 0.07], [40.0, -0.02]]


TWO = {"measure": ["map", "P_10"] * 2, "scheme": ["E"] * 4}
LEVELS = [0.1, 0.1, 0.2, 0.2]
FIGURES = {
    "power": {"alpha": LEVELS, "power": LEVELS},
    "power at one level": {
        "measure": ["map", "P_10"],
        "scheme": ["E"] * 2,
        "alpha": [0.05] * 2,
        "power": [0.1, 0.2],
    },
    "tau": {"value": LEVELS},
    "split": {"trial": [1, 1, 2, 2], "tau": LEVELS},
    "split over epsilon": {"aggregate": ["egm"] * 4, "epsilon": LEVELS, "tau": LEVELS},
    "aggregates": {"aggregate": ["egm"] * 4, "aggregate_b": ["am"] * 2 + ["gm"] * 2, "low": LEVELS}
    | {"difference": LEVELS, "scheme_b": ["E"] * 4},
    "depth": {"form": ["standardized"] * 4, "pool_depth": [5] * 4, "depth": [5, 5, 9, 9], "power": LEVELS},
    "drmse": {"pair": ["a/b"] * 2 + ["a/c"] * 2, "drmse": LEVELS},
    "drmse of one measure": {"measure": ["map"], "scheme": ["E"], "pair": ["a/b"], "drmse": [0.5]},
    "references": {"size": [5, 5, 9, 9], "median": LEVELS},
    "reliability": {"quantity": ["erho2"] * 4, "at": [5, 5, 9, 9], "value": LEVELS},
    "plan": {"n": [5, 5, 9, 9], "difference": LEVELS},
}


def texts(figure) -> str:
    """Return all texts of a figure, each on a line."""
    found = figure.findobj(lambda artist: hasattr(artist, "get_text"))
    return "\n".join(text.get_text().replace("\n", " ") for text in found)


@pytest.mark.parametrize("name", FIGURES)
def test_no_figure_of_standardized_scores_looks_like_one_of_raw_scores(name):
    rows = TWO | FIGURES[name]
    draw = getattr(plots, name.split()[0])
    told = texts(draw(rows))
    assert "E-AP" in told
    assert "E-P@10" in told or "P_10" not in rows["measure"]
    raw = {column: ["raw"] * len(rows[column]) for column in ("scheme", "scheme_b") if column in rows}
    assert "E-" not in texts(draw(rows | raw))


@pytest.mark.parametrize(
    ("name", "column", "value"),
    [
        ("split", "how", "hard-easy"),
        ("split", "aggregate", "md"),
        ("power", "test", "Student's t, unpaired"),
        ("power at one level", "test", "Student's t, unpaired"),
        ("depth", "form", "expanded"),
        *((name, "collection", "trec-8") for name in FIGURES),
    ],
)
def test_a_condition_that_all_rows_share_is_named_once(name, column, value):
    rows = TWO | FIGURES[name]
    raw = ["raw"] * len(rows["scheme"])
    rows |= {"scheme": raw, "scheme_b": raw, column: [value] * len(raw)}
    assert texts(getattr(plots, name.split()[0])(rows)).count(value) == 1


@pytest.mark.parametrize("name", FIGURES)
def test_a_condition_with_a_long_or_unprintable_name_is_drawn_like_other_labels(name, check_texts):
    rows = TWO | FIGURES[name]
    draw = getattr(plots, name.split()[0])
    n = len(rows["scheme"])
    for given, label in (("a\tb", "a\ufffdb"), ("monot5-base-msmarco-100k-description-doc2query-" * 3, "…")):
        figure = draw({**rows, "collection": [given] * n, "how": ["hard-easy"] * n})
        check_texts(figure)
        told = texts(figure)
        assert label in told and "\t" not in told
        assert "hard-easy" in told


def test_depth_names_the_level_of_its_power_as_power_does():
    rows = {**TWO, **FIGURES["depth"], "alpha": ["0.01"] * 4}
    assert plots.depth(rows).get_supylabel().replace("\n", " ").endswith("(share of pairs, alpha 0.01)")
    assert "0.01" not in texts(plots.depth({**rows, "mean": LEVELS}, "mean"))
    titles = [axes.get_title(loc="left") for axes in plots.depth({**rows, "alpha": ["0.01", "0.05"] * 2}).axes]
    assert titles == ["E-AP, alpha 0.01", "E-P@10, alpha 0.05"]


def test_the_p_of_rbp_is_named_only_if_it_is_given():
    """Without it, p depends on the depth."""
    rows = {"pool_depth": [5] * 4, "depth": [5, 10] * 2, "power": [0.4, 0.5, 0.6, 0.7]}
    figure = plots.depth({**rows, "measure": ["rbp"] * 2 + ["rbp_p=0.8"] * 2, "form": ["raw"] * 4})
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["RBP", "RBP(p=0.8)"]


def test_the_only_pair_of_aggregates_is_named_whatever_the_panels():
    rows = {
        "how": ["random", "hard-easy"],
        "measure": ["map"] * 2,
        "scheme": ["raw"] * 2,
        "aggregate": ["am"] * 2,
        "aggregate_b": ["egm"] * 2,
        "epsilon_b": ["0.01"] * 2,
        "scheme_b": ["raw"] * 2,
        "low": [0.1, 0.2],
        "difference": [0.1, 0.2],
    }
    pair = "am \N{MINUS SIGN} egm 0.01"
    for kept in (slice(2), slice(1)):
        figure = plots.aggregates({name: column[kept] for name, column in rows.items()})
        assert texts(figure).count(pair) == 1
        assert "AP" in texts(figure)
    # rows of two schemes are not drawn, and do not count
    other = {name: [*column, column[0]] for name, column in rows.items()} | {"scheme_b": ["raw", "raw", "N"]}
    assert texts(plots.aggregates(other)).count(pair) == 1


@pytest.mark.parametrize(
    ("experiment", "label"),
    [("within", "with raw scores"), ("between", "on two sets of topics")],
)
def test_correlations_name_their_experiment(experiment, label):
    rows = {"measure": ["map"] * 3, "value": [0.5, 0.6, 0.7], "coefficient": ["tau_b"] * 3}
    for given in (rows, {**rows, "measure": ["map", "P_10", "map"]}, {**rows, "coefficient": ["tau_b", "r", "r"]}):
        figure = plots.tau({**given, "experiment": [experiment] * 3})
        assert figure.axes[-1].get_xlabel().replace("\n", " ").endswith(label)
        assert texts(figure).count(f"meta {experiment}") == 1
    two = {name: column * 2 for name, column in rows.items()} | {"collection": ["a"] * 3 + ["b"] * 3}
    figure = plots.tau({**two, "experiment": ["within"] * 3 + ["between"] * 3})
    assert legend(figure) == ["a, meta within", "b, meta between"]


PLAN = {"measure": ["map"] * 2, "n": [10, 50], "difference": [0.2, 0.1], "given": ["n"] * 2}
PLANNED = {"power": [0.8] * 2, "test": ["t"] * 2, "planned_systems": [2] * 2, "alpha": [0.05] * 2}


def test_a_plan_names_its_test_power_and_level():
    label = plots.plan(PLAN | PLANNED).get_supylabel().replace("\n", " ")
    assert label == "difference found (paired t test, power 0.8, alpha 0.05)"
    anova = PLANNED | {"test": ["anova"] * 2, "planned_systems": [10] * 2}
    assert "(analysis of variance of 10 systems, power 0.8" in plots.plan(PLAN | anova).get_supylabel().replace(
        "\n", " "
    )
    # the power of a whole number of topics is at least what was asked for
    reached = {"given": ["difference"] * 2, "power": [0.8053, 0.8012]}
    assert "power at least 0.8," in plots.plan(PLAN | PLANNED | reached).get_supylabel().replace("\n", " ")
    assert plots.plan(PLAN).get_supylabel() == "difference found"


@pytest.mark.parametrize(
    ("column", "values", "labels"),
    [
        ("power", [0.8, 0.9], ["power 0.8", "power 0.9"]),
        ("alpha", [0.01, 0.05], ["alpha 0.01", "alpha 0.05"]),
        ("test", ["t", "anova"], ["paired t test", "analysis of variance of 2 systems"]),
        (
            "planned_systems",
            [3, 10],
            ["analysis of variance of 3 systems", "analysis of variance of 10 systems"],
        ),
    ],
)
def test_plans_of_two_files_that_differ_are_told_apart(column, values, labels):
    tests = {"test": ["anova"] * 2} if column == "planned_systems" else {}
    rows = {name: [*given, *given] for name, given in (PLAN | PLANNED | tests).items()}
    rows |= {"collection": ["a", "a", "b", "b"], column: [value for value in values for _ in range(2)]}
    titles = [axes.get_title(loc="left").replace("\n", " ") for axes in plots.plan(rows).axes]
    assert titles == [f"{name}, AP, {label}" for name, label in zip("ab", labels, strict=True)]


def test_the_axis_of_rows_names_what_their_labels_hold():
    def told(**columns: list[str]) -> tuple[str, list[str], str]:
        axes = plots.drmse({**columns, "drmse": [0.1] * len(columns["pair"])}).axes[0]
        labels = [label.get_text() for label in axes.get_yticklabels()]
        return axes.get_ylabel(), labels, axes.get_title(loc="left")

    assert told(measure=["map", "map"], pair=["a, b", "a, c"]) == ("pair", ["a, b", "a, c"], "AP")
    assert told(measure=["map", "P_10"], pair=["a, b", "a, b"]) == ("measure", ["AP", "P@10"], "a, b")
    assert told(measure=["map", "P_10"], pair=["a, b", "a, c"])[:2] == ("measure, pair", ["AP, a, b", "P@10, a, c"])
    assert told(measure=["map"], pair=["a, b"]) == ("measure", ["AP"], "a, b")
