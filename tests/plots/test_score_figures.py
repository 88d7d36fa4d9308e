"""Figures of scores draw the scores that they are given."""

from __future__ import annotations

import dataclasses
from xml.etree import ElementTree

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


@pytest.mark.parametrize("sort", ["both", "systems", "topics", "none"])
def test_heatmap_sorts_as_told(sort, random_table):
    table = random_table(7, 5)
    scores = table.values[:, :, 0]
    rows, columns = sorted_slowly(scores)
    rows = rows if sort in ("both", "systems") else range(7)
    columns = columns if sort in ("both", "topics") else range(5)
    figure = plots.heatmap({"raw": table}, sort=sort)
    np.testing.assert_array_equal(image(figure).get_array(), scores[np.ix_(rows, columns)])
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert labels == [table.topics[i] for i in columns]


def test_heatmap_keeps_the_order_of_means_that_differ_by_noise():
    scores = np.array([[0.1, 0.6, 0.7, 0.3], [0.1, 0.3, 0.6, 0.7]])
    table = ScoreTable(("a", "b"), tuple("1234"), ("map",), scores[..., np.newaxis])
    axes = plots.heatmap({"raw": table}, sort="systems").axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]


def test_heatmap_has_incomplete_systems_below_the_others_with_their_numbers_of_topics():
    """The second system has only the topic on which all are good, and would be the first by its mean."""
    scores = np.array([[0.9, 0.1, 0.2], [0.95, np.nan, np.nan], [0.8, 0.3, 0.2], [0.7, 0.1, 0.1]])
    table = ScoreTable(tuple("abcd"), tuple("123"), ("map",), scores[..., np.newaxis])
    axes = plots.heatmap({"raw": table}).axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["c", "a", "d", "b (n=1)"]
    assert axes.get_lines()[0].get_ydata()[0] == 2.5
    unsorted = plots.heatmap({"raw": table}, sort="topics").axes[0]
    assert [label.get_text() for label in unsorted.get_yticklabels()] == ["a", "b", "c", "d"]
    assert not unsorted.get_lines()


def test_heatmap_is_lighter_where_higher_and_empty_where_missing(random_table):
    table = random_table(9, 8, missing=0.2)
    figure = plots.heatmap({"raw": table}, sort="none")
    drawn = image(figure)
    missing = np.isnan(table.values[:, :, 0])
    np.testing.assert_array_equal(np.ma.getmaskarray(drawn.get_array()), missing)
    light = drawn.cmap(np.linspace(0, 1, 50))[:, :3] @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(light) > 0).all()
    assert "hatched: no score" in figure.axes[0].get_xlabel()
    assert drawn.to_rgba(drawn.get_array())[missing][:, 3].max() == 0


@pytest.mark.parametrize(("letter", "span", "unit"), [("N", (0, 1), "score"), ("Z", (-3, 3), "sd")])
def test_stored_standardized_scores_look_like_those_standardized_here(robust2004, by_scheme, letter, span, unit):
    here = by_scheme(robust2004, (letter,))
    stored = {"raw": here[letter]}
    assert image(plots.heatmap(stored)).get_cmap().name == image(plots.heatmap(here)).get_cmap().name == "RdBu"
    assert image(plots.heatmap(stored)).get_clim() == span
    boxes = plots.topics(here[letter], stored)
    assert boxes.axes[0].get_ylabel() == f"{letter}-AP ({unit})"
    assert f"by mean {letter} score" in (boxes.get_supxlabel() or boxes.axes[0].get_xlabel())


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


def test_means_of_systems_that_are_not_ranked_stand_below_in_another_color():
    mean, ranked = np.array([0.2, 0.9, 0.3]), np.array([True, False, True])
    axes = plots.means(["a", "b", "c"], mean, mean, mean, measure="map", ranked=ranked, topics="7 topics").axes[0]
    first, second = axes.get_lines()
    assert (list(first.get_xdata()), list(second.get_xdata())) == ([0.3, 0.2], [0.9])
    assert first.get_color() != second.get_color()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["c", "a", "b"]
    assert axes.get_xlabel().endswith("\ngray: incomplete")
    assert axes.get_xlabel().replace("\n", " ").startswith("mean AP (score), 7 topics, 95% t intervals gray")


def test_intervals_are_thinner_where_there_are_more_systems_but_can_be_seen():
    def widths(n: int) -> tuple[float, float]:
        mean = np.linspace(0.1, 0.9, n)
        names = [f"s{i}" for i in range(n)]
        axes = plots.means(names, mean, mean - 0.05, mean + 0.05, measure="map").axes[0]
        return axes.collections[0].get_linewidth()[0], axes.get_lines()[0].get_markersize()

    # in points; printers draw lines from a quarter of a point on
    for few, fewer, many, more in zip(*map(widths, (5, 10, 600, 700)), strict=True):
        assert few >= fewer > many == more > 0.25
    assert widths(5) < (2, 4)


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


@pytest.mark.parametrize(("score", "bins"), [(0.7 - 0.4, 10), (0.3, 10)])
def test_scores_at_an_edge_are_counted_above_it(score: float, bins: int):
    """By noise, 0.7 - 0.4 is below 0.3, and 3 times 0.1 is above it."""
    table = ScoreTable(("a",), ("1",), ("map",), np.full((1, 1, 1), score))
    values, edges, _ = plots.scores({"raw": table}, bins=bins).axes[0].patches[0].get_data()
    assert edges[int(np.argmax(values))] == pytest.approx(score)


def test_scores_of_another_scale_have_their_own_panel(random_table, by_scheme):
    tables = by_scheme(random_table(5, 9), ("raw", "N", "Z"))
    figure = plots.scores(tables)
    assert [len(axes.patches) for axes in figure.axes] == [2, 1]
    z = tables["Z"].values
    assert figure.axes[1].patches[0].get_data().edges[[0, -1]] == pytest.approx([z.min(), z.max()])


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


def bold_labels(axis) -> dict[str, str]:
    """Return the colours of the labels that are bold."""
    labels = axis.get_ticklabels()
    return {label.get_text(): label.get_color() for label in labels if label.get_fontweight() == "bold"}


@pytest.mark.parametrize("marked", [[77, 3], [77, 78, 76], [0, 199, 1]])
def test_marked_rows_of_a_heatmap_have_their_labels(marked, random_table, check_texts):
    table = random_table(200, 6)
    table = dataclasses.replace(table, systems=tuple(f"r{i}" for i in range(200)))
    figure = plots.heatmap({"raw": table}, sort="none", marked=marked)
    axes = figure.axes[0]
    bold = bold_labels(axes.yaxis)
    triangles = {f"r{line.get_ydata()[0]}": line.get_color() for line in axes.get_lines()}
    assert triangles == bold
    assert set(bold) == {f"r{i}" for i in marked}
    assert len(set(bold.values())) == len(marked)
    check_texts(figure)


@pytest.mark.parametrize("size", ["column", "slide"])
def test_letters_of_groups_stand_beside_the_labels_of_marked_systems(size, check_texts):
    names = [f"run{i}" for i in range(126)]
    mean = np.linspace(0.9, 0.1, 126)
    letters = [f"{i}" for i in range(126)]
    look = {"interval": "tukey", "groups": letters, "marked": [61, 62], "size": size}
    figure = plots.means(names, mean, mean - 0.1, mean + 0.1, measure="map", **look)
    check_texts(figure)
    right = figure.axes[1]
    assert set(bold_labels(figure.axes[0].yaxis)) == {"run61", "run62"}
    labels, beside = (axes.get_yticklabels() for axes in (figure.axes[0], right))
    assert [label.get_text() for label in labels] == [f"run{label.get_text()}" for label in beside]
    heights = [[label.get_window_extent().y0 for label in side] for side in (labels, beside)]
    assert heights[0] == pytest.approx(heights[1], abs=2)


@pytest.mark.parametrize("draw", [plots.scores, lambda tables, **look: plots.topics(tables["raw"], tables, **look)])
def test_marked_systems_with_long_names_are_told_apart(draw, random_table, by_scheme):
    table = random_table(4, 20)
    kinds = ("title", "rm3", "doc2query", "all-fields")
    names = tuple(f"monot5-base-msmarco-10k-{kind}-expansion-rrf60" for kind in kinds)
    table = ScoreTable(names, table.topics, table.measures, table.values)
    figure = draw(by_scheme(table, ("raw", "N")), marked=[1, 2])
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len({*labels}) == len(labels)
    assert [sum(word in label for label in labels) for word in ("rm3", "query")] == [1, 1]


def test_marked_systems_have_histograms_of_their_own(random_table, by_scheme):
    table = random_table(5, 40)
    figure = plots.scores(by_scheme(table, ("raw", "N")), bins=10, marked=[1])
    assert [len(axes.patches) for axes in figure.axes] == [2, 2]
    shares = figure.axes[0].patches[1].get_data().values
    np.testing.assert_allclose(shares, np.histogram(table.values[1, :, 0], 10, (0, 1))[0] / 0.4)
    others = np.delete(table.values[:, :, 0], 1, axis=0)
    np.testing.assert_allclose(
        figure.axes[0].patches[0].get_data().values, np.histogram(others, 10, (0, 1))[0] / 1.6
    )


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


def test_tables_that_do_not_fit_each_other_are_refused(random_table):
    table = random_table(3, 4)
    fewer = table.select(topics=table.topics[:2])
    with pytest.raises(InputError, match="scheme 'N' of other systems or topics"):
        plots.heatmap({"raw": table, "N": fewer})
    with pytest.raises(InputError, match="scheme 'N' of other systems or topics"):
        plots.topics(table, {"N": fewer})
    two = ScoreTable(("a",), ("1",), ("map", "P_10"), np.ones((1, 1, 2)))
    with pytest.raises(InputError, match="scores by 2 measures, expected one"):
        plots.heatmap({"raw": two})


def test_a_long_label_of_means_stays_inside_the_figure(check_texts):
    systems, mean = [f"team_with_a_long_name_run{i}" for i in range(5)], np.linspace(0.2, 0.6, 5)
    told = "41 topics that all complete runs have"
    check_texts(plots.means(systems, mean, mean - 0.1, mean + 0.1, measure="ndcg_cut_1000", topics=told))


def test_a_measure_whose_name_cannot_be_drawn(tmp_path):
    one = np.array([0.5, 0.2])
    figure = plots.means(["a", "b"], one, one, one, measure="x\x1b[31m\udcff")
    assert figure.axes[0].get_xlabel().startswith("mean x\ufffd[31m\ufffd (score)")
    plots.save_figure(figure, tmp_path / "means.svg")
    ElementTree.parse(tmp_path / "means.svg")


def test_means_say_if_lower_is_better():
    values = np.array([0.2, 0.3])
    for measure, is_told in (("unj_10", True), ("Nunj_10", True), ("map", False)):
        figure = plots.means(["a", "b"], values, values, values, measure=measure)
        assert ("lower is better" in " ".join(figure.axes[0].get_ylabel().split())) == is_told


@pytest.mark.parametrize("size", ["column", "page", "slide"])
@pytest.mark.parametrize(("measure", "is_told"), [("unj_10", True), ("Nunj_10", True), ("map", False)])
@pytest.mark.parametrize("marked", [[], [1]])
def test_histograms_say_if_lower_is_better(measure, is_told, marked, size, check_texts):
    table = ScoreTable(("a", "b"), ("1", "2"), (measure,), [[[0.1], [0.5]], [[0.2], [0.7]]])
    figure = plots.scores({"raw": table}, marked=marked, size=size)
    check_texts(figure)
    assert ("lower is better" in figure.axes[0].get_xlabel()) == is_told


@pytest.mark.parametrize("size", ["column", "page", "slide"])
@pytest.mark.parametrize(("measure", "is_told"), [("unj_10", True), ("Nunj_10", True), ("map", False)])
def test_heatmap_says_if_lower_is_better(measure, is_told, size, check_texts):
    values = np.array([[0.1, 0.5], [0.2, np.nan]])[:, :, np.newaxis]
    table = ScoreTable(("a", "b"), ("1", "2"), (measure,), values)
    figure = plots.heatmap({"raw": table}, size=size)
    check_texts(figure)
    assert ("lower is better" in " ".join(figure.get_supylabel().split())) == is_told


def test_compare_says_that_all_differences_are_0():
    figure = plots.compare(
        ["1", "2"], np.array([0.0, 1e-17]), (0.0, 0.0), measure="map", pvalue=1.0, effect_size=0.0
    )
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.texts] == ["all differences are 0"]
    assert axes.get_title(loc="left") == "n = 2, p = 1, d = 0.00"
    assert axes.get_ylim() == (-1, 1)
    assert [text.get_text() for text in figure.legends[0].get_texts()][-1] == "equal: 2"


def test_means_of_one_topic_have_no_interval_to_speak_of():
    mean, none = np.array([0.2, 0.3]), np.full(2, np.nan)
    axes = plots.means(["a", "b"], mean, none, none, measure="map", topics="1 topic").axes[0]
    assert axes.get_xlabel() == "mean AP (score), 1 topic"


def test_labels_of_topics_with_long_names_differ():
    a, b = np.array([[0.1], [0.5], [0.9], [0.3]]), np.array([[0.4], [0.1], [0.5], [0.9]])
    names = [f"clueweb-2012-category-a-topic-{n}-of-the-web-track" for n in (301, 302, 303, 304)]
    figure = plots.topic_scatter(a, b, names, measures=["map"], size="page")
    labels = [text.get_text() for text in figure.axes[0].texts]
    assert len(labels) > 2
    assert len(labels) == len(set(labels))


def test_two_systems_by_topic():
    a = np.array([[0.2, 0.5], [0.9, 0.5], [0.4, np.nan], [0.1, 0.6]])
    b = np.array([[0.1, 0.5], [0.3, 0.4], [0.5, 0.2], [0.1 + 1e-17, 0.9]])
    first, second = plots.topic_scatter(a, b, list("wxyz"), measures=["map", "P_10"], systems=("new", "old")).axes
    assert first.get_title(loc="left").replace("\n", " ") == "new higher 2, lower 1, equal 1"
    assert second.get_title(loc="left").replace("\n", " ") == "new higher 1, lower 1, equal 1"
    above = first.get_lines()[1]
    assert above.get_xydata().tolist() == [[0.1, 0.2], [0.3, 0.9]]
    assert {text.get_text() for text in first.texts} <= set("wxy")
    assert "x" in {text.get_text() for text in first.texts}
    with pytest.raises(InputError, match="expected"):
        plots.topic_scatter(a, b, ["w"], measures=["map"])


def test_groups_of_means_stand_beside_the_labels_of_their_systems():
    n = 150
    mean = np.linspace(0.9, 0.1, n)
    groups = [f"g{i}" for i in range(n)]
    figure = plots.means(
        [f"s{i}" for i in range(n)], mean, mean - 0.1, mean + 0.1, measure="map", groups=groups, marked=[41]
    )
    left, right = ([label.get_text()[1:] for label in axes.get_yticklabels()] for axes in figure.axes)
    assert left == right
    assert "41" in left
    assert 5 < len(left) < n


def test_histograms_with_a_panel_each_have_no_legend(random_table, by_scheme):
    """The axes name them, and 16 panels fit on a slide only without one."""
    assert plots.scores(by_scheme(random_table(5, 9), ("Z",))).legends == []
    assert len(plots.scores(by_scheme(random_table(5, 9), ("raw", "N"))).legends) == 1


def test_a_heatmap_says_by_which_scores_its_panels_are_sorted(random_table, by_scheme, check_texts):
    table = random_table(9, 8)
    for schemes, order in ((("raw", "N"), "highest first by nDCG@10"), (("N",), "highest first")):
        figure = plots.heatmap(by_scheme(table, schemes), size="page")
        check_texts(figure)
        assert {" ".join(axes.get_xlabel().split()) for axes in figure.axes[: len(schemes)]} == {f"topic, {order}"}
        assert " ".join(figure.get_supylabel().split()) == f"system, {order}"
