"""Figure 1 of Urbano 2019, from the same scores: the figures against scipy, and against the paper's text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from stdeval import plots
from stdeval.errors import InputError
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.schemes import mapping_curves, standardize
from stdeval.table import ScoreTable


def expected(scheme, raw, reference):
    mean, sd = reference.mean(axis=0), reference.std(axis=0, ddof=1)
    z = (raw - mean) / sd
    if scheme == "E":
        return np.stack(
            [stats.ecdf(column).cdf.evaluate(x) for column, x in zip(reference.T, raw.T, strict=True)], axis=1
        )
    if scheme == "M":
        columns = zip(reference.T, raw.T, strict=True)
        return np.stack([stats.percentileofscore(column, x, "mean") / 100 for column, x in columns], axis=1)
    return {"raw": raw, "Z": z, "N": stats.norm.cdf(z), "U": np.clip(0.15 * z + 0.5, 0, 1)}[scheme]


def test_mapping_draws_the_observed_scores_and_the_curves_they_lie_on(robust2004, draw_mapping):
    raw = robust2004.measure("map")
    figure = draw_mapping(robust2004)
    for axes, scheme in zip(figure.axes, "NUE", strict=False):
        curves, points = axes.collections
        x, y = points.get_offsets().data.T
        np.testing.assert_array_equal(x, raw.ravel())
        np.testing.assert_allclose(y, expected(scheme, raw, raw).ravel(), atol=1e-12)
        assert len(curves.get_segments()) == 49
        np.testing.assert_allclose(curves.get_array(), raw.mean(axis=0))
    assert [axes.get_ylabel() for axes in figure.axes[:3]] == ["N-AP (score)", "U-AP (score)", "E-AP (score)"]


@pytest.mark.parametrize("scheme", ["Z", "N", "U", "E", "M"])
def test_curves_are_the_whole_mapping(scheme, robust2004):
    raw = robust2004.measure("map")
    curves = np.array(mapping_curves(robust2004, fit_factors(robust2004), scheme))
    assert curves[:, 0, 0].tolist() == [0] * 49
    assert curves[:, -1, 0].tolist() == [1] * 49
    np.testing.assert_allclose(curves[:, :, 1].T, expected(scheme, curves[:, :, 0].T, raw), atol=1e-12)
    assert (np.diff(curves, axis=1) >= 0).all()


def test_midranks_have_a_point_halfway_up_each_step():
    """One score of 0.2, and two of 0.4: steps from 0 to 1/3, and from 1/3 to 1; E has no point between the ends."""
    table = ScoreTable(("a", "b", "c"), ("1",), ("map",), np.array([0.2, 0.4, 0.4]).reshape(3, 1, 1))
    by_letter = {
        letter: [y for x, y in mapping_curves(table, fit_factors(table), letter)[0].tolist() if x in (0.2, 0.4)]
        for letter in "EM"
    }
    assert by_letter["E"] == [1 / 3, 1, 1]
    assert by_letter["M"] == [1 / 6, 2 / 3, 2 / 3]
    levels = [round(y, 9) for _, y in mapping_curves(table, fit_factors(table), "M")[0].tolist()]
    assert list(dict.fromkeys(levels)) == [0, 0.166666667, 0.333333333, 0.666666667, 1]


@pytest.mark.parametrize("scheme", ["E", "M"])
def test_steps_are_upright_beyond_the_scores_that_are_mapped(scheme):
    """References at 1, 3, 3 and 9, scores from 2 to 5: between any two points the curve is level or upright."""
    scores, references = (
        ScoreTable(names, ("1",), ("sp",), np.array(values).reshape(-1, 1, 1))
        for names, values in ((("a", "b"), [2.0, 5.0]), (("a", "b", "c", "d"), [1.0, 3.0, 3.0, 9.0]))
    )
    (curve,) = mapping_curves(scores, fit_factors(references), scheme)
    across, up = np.diff(curve, axis=0).T
    assert (across >= 0).all()
    assert (up >= 0).all()
    assert (np.minimum(across, up) < 1e-9).all()


@pytest.mark.parametrize("value", [0.5, 0.123, 0.0, 1.0])
@pytest.mark.parametrize("scheme", ["N", "U"])
def test_curves_of_equal_references_are_upright_steps(scheme, value):
    """The first topic has a step at its common score, and the second one a curve as before."""
    values = np.array([[value, 0.2], [value, 0.4]])
    table = ScoreTable(("a", "b"), ("1", "2"), ("map",), values[:, :, None])
    step, curve = mapping_curves(table, fit_factors(table), scheme)
    across, up = np.diff(step, axis=0).T
    assert (across >= 0).all() and (up >= 0).all() and (np.minimum(across, up) < 1e-9).all()
    assert step[step[:, 0] == value, 1].tolist() == [0.5] * int(np.sum(step[:, 0] == value))
    assert (step[0, 0], step[-1, 0]) == (0, 1)
    alone = mapping_curves(table.select(topics=["2"]), fit_factors(table), scheme)[0]
    np.testing.assert_array_equal(np.unique(curve, axis=0), np.unique(alone, axis=0))


def test_mapping_shows_what_the_paper_sees_in_it(robust2004, draw_mapping):
    """Section 2: E covers [0, 1] by design, N and U do not; U alone is censored."""
    figure = draw_mapping(robust2004)
    reach = {}
    for axes, scheme in zip(figure.axes, "NUE", strict=False):
        y = axes.collections[1].get_offsets().data[:, 1].reshape(110, 49)
        reach[scheme] = (y.min(axis=0), y.max(axis=0))
    assert (reach["E"][1] == 1).all()
    assert (reach["E"][0] >= 1 / 110).all()
    assert (reach["N"][1] < 1).all()
    assert (reach["U"][1] < 1).any()
    assert (reach["U"][0] == 0).any()
    assert (reach["U"][1] == 1).any()


def test_mapping_with_the_factors_of_others(robust2004, draw_mapping):
    half = robust2004.select(systems=robust2004.systems[:55])
    others = robust2004.select(systems=robust2004.systems[55:], topics=robust2004.topics[:40])
    x, y = draw_mapping(half, "E", fit_factors(others)).axes[0].collections[1].get_offsets().data.T
    raw = half.measure("map")[:, :40]
    np.testing.assert_array_equal(x, raw.ravel())
    np.testing.assert_allclose(y, expected("E", raw, others.measure("map")).ravel())


def test_boxes_of_topics_are_the_quartiles_in_the_order_of_the_mean(robust2004, by_scheme):
    raw = robust2004.measure("map")
    order = np.argsort(raw.mean(axis=0), kind="stable")
    figure = plots.topics(robust2004, by_scheme(robust2004, ("raw", "N", "U", "E", "M")))
    means = {}
    for axes, scheme in zip(figure.axes, ("raw", "N", "U", "E", "M"), strict=True):
        scores = expected(scheme, raw, raw)[:, order]
        whiskers, boxes, medians = axes.collections
        marks = axes.get_lines()[1]
        assert whiskers.get_zorder() < boxes.get_zorder() < medians.get_zorder() < marks.get_zorder()
        edges = np.array([path.vertices[:4, 1] for path in boxes.get_paths()])
        np.testing.assert_allclose(edges[:, 0], np.percentile(scores, 25, axis=0), atol=1e-12)
        np.testing.assert_allclose(edges[:, 1], np.percentile(scores, 75, axis=0), atol=1e-12)
        middle = np.array(medians.get_segments())[:, 0, 1]
        np.testing.assert_allclose(middle, np.median(scores, axis=0), atol=1e-12)
        means[scheme] = axes.get_lines()[1].get_ydata()
        np.testing.assert_allclose(means[scheme], scores.mean(axis=0), atol=1e-12)
        drawn = len(axes.get_lines()[0].get_ydata())
        low, high = np.array(whiskers.get_segments())[:, :, 1].T
        assert drawn == ((scores < low - 1e-9) | (scores > high + 1e-9)).sum()
    assert (np.diff(means["raw"]) >= 0).all()
    # Urbano 2019, Section 2: N means lie between 0.45 and 0.55, U's at 0.5 but for censoring, E's nearly constant
    assert 0.445 < means["N"].min() < means["N"].max() < 0.555
    assert np.abs(means["U"] - 0.5).max() < 0.01
    assert np.ptp(means["E"]) < 0.05
    np.testing.assert_allclose(means["M"], 0.5, atol=1e-12)


@pytest.mark.parametrize("n_topics", [5, 50, 500])
def test_marks_of_boxes_can_be_told_apart(random_table, n_topics: int):
    table = random_table(20, n_topics)
    axes = plots.topics(table, {"raw": table}).axes[0]
    whiskers, _, medians = axes.collections
    outliers, means = axes.get_lines()
    line = whiskers.get_linewidth()[0]
    # in points; an 8-point letter is about 4 wide
    assert 2 * line > medians.get_linewidth()[0] > line
    assert 4 > means.get_markersize() > outliers.get_markersize() > line
    assert outliers.get_markeredgewidth() == means.get_markeredgewidth() == 0


def test_boxes_keep_the_order_of_topics_whose_means_differ_by_noise():
    scores = np.array([[0.1, 0.3, 0.6, 0.7], [0.1, 0.6, 0.7, 0.3]]).T
    table = ScoreTable(tuple("abcd"), ("1", "2"), ("map",), scores[..., np.newaxis])
    axes = plots.topics(table, {"raw": table}).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2"]


def test_topics_without_scores_have_no_box(random_table):
    table = random_table(5, 4)
    scores = table.values.copy()
    scores[:, 2] = np.nan
    table = replace(table, values=scores)
    figure = plots.topics(table, {"raw": table})
    means = figure.axes[0].get_lines()[1].get_ydata()
    assert np.isnan(means).tolist() == [False, False, False, True]


def test_equal_scores_are_drawn(by_scheme, draw_mapping):
    table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.full((2, 2, 1), 0.25))
    offsets = draw_mapping(table).axes[2].collections[1].get_offsets()
    assert offsets.data[:, 1].tolist() == [1.0] * 4
    figure = plots.topics(table, by_scheme(table, ("raw", "N")))
    assert figure.axes[1].get_lines()[1].get_ydata().tolist() == [0.5, 0.5]


def test_many_points_are_an_image(random_table, draw_mapping):
    few, many = (draw_mapping(random_table(n, 50), "N").axes[0].collections for n in (10, 500))
    assert not few[1].get_rasterized()
    assert many[1].get_rasterized()


def test_mapping_without_curves_is_refused(random_table, by_scheme):
    table = random_table(5, 4)
    with pytest.raises(InputError, match="no curves of scheme 'U', expected those of: N, U"):
        plots.mapping(table, by_scheme(table, "NU"), {"N": mapping_curves(table, fit_factors(table), "N")})


def test_unknown_schemes_and_missing_reference_scores_have_no_curves(random_table):
    table = random_table(5, 4)
    factors = fit_factors(table)
    for scheme in ("q", "raw"):
        with pytest.raises(InputError, match=f"no scheme '{scheme}'"):
            mapping_curves(table, factors, scheme)
    with pytest.raises(InputError, match="needs the reference scores"):
        mapping_curves(table, replace(factors, reference=None), "E")


def test_marked_systems_are_points_over_the_boxes_of_the_others(random_table):
    table = random_table(9, 12)
    scores = table.values[:, :, 0]
    axes = plots.topics(table, {"raw": table}, marked=[4, 2]).axes[0]
    others = np.delete(scores, [4, 2], axis=0)
    order = np.argsort(others.mean(axis=0))
    best, first, second = axes.get_lines()[-3:]
    np.testing.assert_array_equal(best.get_ydata(), others.max(axis=0)[order])
    np.testing.assert_array_equal(first.get_ydata(), scores[4, order])
    np.testing.assert_array_equal(second.get_ydata(), scores[2, order])
    with pytest.raises(InputError, match="all 9 systems are marked"):
        plots.topics(table, {"raw": table}, marked=range(9))


@pytest.mark.parametrize("size", ["column", "page", "slide"])
def test_the_legend_says_that_boxes_and_best_scores_are_those_of_the_others(size, random_table, check_texts):
    table = random_table(9, 12)
    figure = plots.topics(table, {"raw": table}, marked=[4], size=size)
    check_texts(figure)
    told = [text.get_text() for text in figure.legends[0].get_texts()]
    assert told[:3] == ["middle half of the others", "median of the others", "best of the others"]
    assert len(told) == 5


def of_measure(measure: str) -> ScoreTable:
    scores = np.array([[0.5, 0.1], [0.7, 0.3], [0.2, 0.4], [0.6, 0.2]])
    return ScoreTable(tuple("abcd"), ("1", "2"), (measure,), scores[..., np.newaxis])


@pytest.mark.parametrize(("measure", "best"), [("map", [0.3, 0.7]), ("unj_10", [0.1, 0.5])])
def test_the_best_of_the_other_runs_is_the_lowest_if_lower_is_better(measure, best):
    table = of_measure(measure)
    figure = plots.topics(table, {"raw": table}, marked=[2])
    (marks,) = [line for line in figure.axes[0].get_lines() if line.get_marker() == "_"]
    np.testing.assert_allclose(marks.get_ydata(), best)


@pytest.mark.parametrize("size", ["column", "page", "slide"])
@pytest.mark.parametrize(("measure", "is_told"), [("unj_10", True), ("map", False)])
def test_boxes_and_curves_say_if_lower_is_better(measure, is_told, size, check_texts):
    table = of_measure(measure)
    curves = {"N": mapping_curves(table, fit_factors(table), "N")}
    tables = {"N": standardize(table, scheme="N")}
    boxes = plots.topics(table, {"raw": table, **tables}, size=size)
    mapped = plots.mapping(table, tables, curves, size=size)
    labels = [axes.get_ylabel() for axes in boxes.axes] + [mapped.get_supxlabel() or mapped.axes[0].get_xlabel()]
    for label in labels:
        assert ("lower is better" in " ".join(label.split())) == is_told
    for figure in (boxes, mapped):
        check_texts(figure)


def test_the_legend_has_only_what_is_drawn():
    def entries(scores: list[list[float]]) -> list[str]:
        values = np.array(scores)
        table = ScoreTable(tuple("abcdefgh"[: len(values)]), ("1", "2"), ("map",), values[:, :, None])
        return [text.get_text() for text in plots.topics(table, {"raw": table}).legends[0].get_texts()]

    assert entries([[0.1, 0.2]]) == ["median", "mean"]
    assert entries([[0.1, 0.2], [0.3, 0.4]]) == ["middle half", "median", "mean"]
    outlier = [[0.1, 0.2], [0.12, 0.2], [0.11, 0.2], [0.13, 0.2], [0.9, 0.2]]
    assert entries(outlier) == ["middle half", "median", "mean", "beyond the whiskers"]
