"""Figures of two systems topic by topic: the result of the test, and the topics that are named."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from stdeval import plots


@pytest.mark.parametrize(
    "pvalue, told",
    [
        (0.00009, "p < 0.0001"),
        (0.0001, "p = 0.0001"),
        (0.0312, "p = 0.0312"),
        (0.050004, "p = 0.050004"),
        (0.049996, "p = 0.05"),
        (np.nan, None),
    ],
)
def test_the_result_of_the_test_stands_above_the_differences(pvalue: float, told: str | None):
    figure = plots.compare(["1", "2"], np.array([0.1, 0.3]), measure="map", pvalue=pvalue, effect_size=1.414)
    assert figure.axes[0].get_title(loc="left").split(", ") == ["n = 2", *([told] if told else []), "d = 1.41"]


def test_the_topics_with_the_greatest_differences_are_named_where_their_points_are():
    b = np.linspace(0.05, 0.95, 12)
    a = np.where(np.arange(12) == 3, b + 0.3, np.where(np.arange(12) == 9, b - 0.4, b))
    names = [f"t{i}" for i in range(12)]
    told = {"measures": ["map"], "systems": ("first", "second"), "size": "page"}
    axes = plots.topic_scatter(a[:, None], b[:, None], names, **told).axes[0]
    assert {label.get_text(): tuple(label.xy) for label in axes.texts} == {f"t{i}": (b[i], a[i]) for i in (3, 9)}
    assert axes.get_title(loc="left") == "first higher 1, lower 1, equal 10"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("second: AP (score)", "first: AP (score)")


@pytest.mark.parametrize("names", [("covidex.r5.d2q.2s", "CSIROmedFR-a-run"), ("group00-run0", "group41-run2")])
def test_the_label_of_the_differences_does_not_break_within_a_name(names, check_texts):
    figure = plots.compare(["1", "2"], np.array([0.1, 0.3]), (0, 0.4), measure="map", systems=names)
    check_texts(figure)
    lines = figure.axes[0].get_ylabel().split("\n")
    assert lines == [f"{names[0]} \N{MINUS SIGN}", f"{names[1]},", "AP (score)"]


@pytest.mark.parametrize(
    ("names", "lines"),
    [
        (("a", "b"), ["a \N{MINUS SIGN} b, AP (score)"]),
        (("bm25-title", "bm25-all"), ["bm25-title − bm25-all,", "AP (score)"]),
        (("bm25-title-rm3", "bm25-all-rm3-x"), ["bm25-title-rm3 −", "bm25-all-rm3-x,", "AP (score)"]),
    ],
)
def test_the_label_of_the_differences_breaks_only_where_it_must(names, lines, check_texts):
    figure = plots.compare(["1", "2"], np.array([0.1, -0.1]), measure="map", systems=names)
    assert figure.axes[0].get_ylabel().split("\n") == lines
    check_texts(figure)


@pytest.mark.parametrize("size", ["column", "page", "slide"])
@pytest.mark.parametrize(("measure", "is_told"), [("unj_10", True), ("Nunj_10", True), ("map", False)])
def test_figures_of_two_systems_say_if_lower_is_better(measure, is_told, size, check_texts):
    a, b = np.array([[0.1], [0.3]]), np.array([[0.2], [0.2]])
    systems = ("covidex.r5.d2q.2s", "CSIROmedFR-a-run")
    differences = plots.compare(["1", "2"], (a - b)[:, 0], measure=measure, systems=systems, size=size)
    points = plots.topic_scatter(a, b, ["1", "2"], measures=[measure], systems=systems, size=size)
    for figure in (differences, points):
        check_texts(figure)
        assert ("lower is better" in " ".join(figure.axes[0].get_ylabel().split())) == is_told


def test_bars_of_many_topics_leave_no_gaps():
    figure = plots.compare([str(i) for i in range(500)], np.linspace(1, 0.5, 500), measure="map", size="column")
    figure.set_dpi(100)
    figure.canvas.draw()
    box = figure.axes[0].get_window_extent()
    row = int(figure.bbox.height - box.y0 - 0.1 * box.height)
    pixels = np.asarray(figure.canvas.buffer_rgba())[
        row, int(box.x0 + 0.05 * box.width) : int(box.x1 - 0.05 * box.width)
    ]
    assert len(np.unique(pixels, axis=0)) == 1


def test_panels_of_two_runs_stand_below_each_other_in_a_column_and_no_number_has_a_line_of_its_own():
    scores = np.random.default_rng(1).random((2, 50, 2))
    names = ("monot5-base-msmarco-10k-title-rrf60", "monot5-3b-msmarco-10k-title-rrf60")
    told = {"measures": ["map", "P_10"], "systems": names}
    figure = plots.topic_scatter(*scores, [str(i) for i in range(50)], **told)
    assert len({axes.get_position().y0 for axes in figure.axes}) == 2
    for axes in figure.axes:
        assert axes.get_title(loc="left").split("\n")[1].startswith("lower ")


def test_the_band_of_the_interval_does_not_change_the_colours_of_the_bars():
    axes = plots.compare(["1", "2"], np.array([0.3, -0.1]), (-0.05, 0.25), measure="map").axes[0]
    bars = [patch for patch in axes.patches if patch.get_label() == "_nolegend_"]
    (band,) = (patch for patch in axes.patches if "interval" in patch.get_label())
    assert band.get_zorder() < min(bar.get_zorder() for bar in bars)
    ends = [line.get_ydata()[0] for line in axes.get_lines() if line.get_linestyle() == "-"]
    assert {-0.05, 0.25} <= set(ends)


@pytest.mark.parametrize(
    ("differences", "told"),
    [
        ([0.1, 0.3], "mean 0.2000"),
        ([9e-6, -1e-6], "mean 4e−6"),
        ([1050012.4, 0.1], "mean 525006"),
        ([1, -1], "mean 0.0000"),
        ([-0.4, 0.1], "mean −0.1500"),
        ([-0.0005, -0.0004], "mean −0.00045"),
        ([3.2e6, 3.3e6], "mean 3.25e6"),
    ],
)
def test_the_mean_of_small_and_large_differences_is_told_in_their_digits(differences, told):
    figure = plots.compare(["1", "2"], np.array(differences), measure="map")
    assert told in [text.get_text() for text in figure.legends[0].get_texts()]


def test_labels_cover_no_other_points():
    """The topic with the greatest difference is left of another one, so that its label moves."""
    a, b = np.array([[0.9], [0.9], [0.2], [0.7]]), np.array([[0.1], [0.16], [0.2], [0.7]])
    figure = plots.topic_scatter(a, b, ["topic-1", "topic-2", "topic-3", "topic-4"], measures=["map"], size="page")
    (axes,) = figure.axes
    figure.draw_without_rendering()
    points = axes.transData.transform(np.column_stack([b[:, 0], a[:, 0]]))
    assert [label.get_text() for label in axes.texts] == ["topic-1", "topic-2"]
    assert [label.get_window_extent().count_contains(points) for label in axes.texts] == [0, 0]


@pytest.mark.parametrize(("differences", "bold"), [([0.1, 0.0, -0.2], ["1", "3"]), ([0.0, 0.0, 0.0], [])])
def test_the_topics_with_the_greatest_differences_are_bold_if_there_are_differences(differences, bold):
    figure = plots.compare(["1", "2", "3"], np.array(differences), measure="map")
    labels = figure.axes[0].get_xticklabels()
    assert [label.get_text() for label in labels] == ["1", "2", "3"]
    assert [label.get_text() for label in labels if label.get_fontweight() == "bold"] == bold


@pytest.mark.parametrize("size", ["column", "page", "slide"])
@pytest.mark.parametrize("names", [("monot5-base-title-doc2query-rrf60", "monot5-3b-all-rrf60"), ("a" * 20, "b")])
def test_a_run_has_the_same_name_in_the_legend_and_beside_the_axis(names, size, check_texts):
    figure = plots.compare(["1", "2"], np.array([0.1, -0.1]), measure="map", systems=names, size=size)
    check_texts(figure)
    (first, second) = (text.get_text().split(" higher")[0] for text in figure.legends[0].get_texts()[:2])
    assert " ".join(figure.axes[0].get_ylabel().split()).startswith(f"{first} \N{MINUS SIGN} {second}, AP")


@pytest.mark.parametrize("size", ["column", "page", "slide"])
@pytest.mark.parametrize(("n", "name"), [(50, "{}"), (50, "clueweb-2012-topic-{}-of-the-track"), (500, "{}")])
def test_labels_stand_at_their_own_points_and_touch_no_others(n, name, size):
    scores = np.round(np.random.default_rng(n).random((2, n, 2)), 2)
    topics = [name.format(301 + i) for i in range(n)]
    figure = plots.topic_scatter(*scores, topics, measures=["map", "P_10"], size=size)
    figure.draw_without_rendering()
    for k, axes in enumerate(figure.axes):
        points = axes.transData.transform(np.column_stack([scores[1, :, k], scores[0, :, k]]))
        radius = max(line.get_markersize() for line in axes.get_lines()) / 2 * figure.dpi / 72
        boxes = [label.get_window_extent() for label in axes.texts]
        for i, (label, box) in enumerate(zip(axes.texts, boxes, strict=True)):
            own = axes.transData.transform(label.xy)
            outside = np.maximum(0, np.maximum([box.x0, box.y0] - points, points - [box.x1, box.y1]))
            distance = np.hypot(*outside.T)
            is_own = np.hypot(*(points - own).T) < 1e-6
            assert distance.min() > radius
            assert distance[~is_own].min() > 1.2 * distance[is_own].min()
            assert not any(box.overlaps(other) for other in boxes[:i])


def test_labels_without_room_are_left_out():
    b, a = np.stack(np.meshgrid(np.linspace(0, 1, 51), np.linspace(0, 1, 51)), -1).reshape(-1, 2).T
    names = [f"t{i}" for i in range(len(a))]
    axes = plots.topic_scatter(a[:, None], b[:, None], names, measures=["map"]).axes[0]
    assert list(axes.texts) == []


def test_a_negative_effect_size_has_a_true_minus():
    figure = plots.compare(["1", "2"], np.array([-0.1, -0.3]), measure="map", effect_size=-1.414)
    assert figure.axes[0].get_title(loc="left") == "n = 2, d = −1.41"
