"""Labels at the numbers of systems and topics that occur, from a column to a slide."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from stdeval import plots
from stdeval.plots.layout import balanced_columns, crowded, in_lines, shown, width
from stdeval.plots.style import Sheet
from tests.plots.text_boxes import faults


@pytest.mark.parametrize("n", [3, 126, 500])
@pytest.mark.parametrize("size", ["column", "slide"])
def test_systems_do_not_overlap(n, size, random_table, by_scheme, check_texts):
    table = random_table(n, 50)
    mean = table.values[:, :, 0].mean(axis=1)
    check_texts(plots.heatmap(by_scheme(table, ("raw", "N")), size=size, title="A title"))
    check_texts(plots.means(table.systems, mean, mean - 0.1, mean + 0.1, measure="ndcg_cut_10", size=size))


@pytest.mark.parametrize(("n", "size"), [(5, "page"), (49, "column"), (500, "column"), (500, "slide")])
def test_topics_do_not_overlap(n, size, random_table, by_scheme, check_texts):
    table = random_table(4, n)
    difference = table.values[0, :, 0] - table.values[1, :, 0]
    names = table.systems[:2]
    check_texts(plots.topics(table, by_scheme(table, ("raw", "N", "E", "M")), size=size))
    check_texts(plots.compare(table.topics, difference, (-0.1, 0.1), measure="map", systems=names, size=size))


def long_rows(n_measures: int, alphas: list[float]) -> dict[str, list]:
    schemes = ("raw", "Z", "N", "U", "E", "M")
    cells = [(f"measure_{m}", s, a) for m in range(n_measures) for s in schemes for a in alphas]
    measure, scheme, alpha = (list(column) for column in zip(*cells, strict=True))
    return {"measure": measure, "scheme": scheme, "alpha": alpha, "power": [a**0.2 for a in alpha]}


@pytest.mark.parametrize("size", ["column", "page", "slide"])
def test_labels_do_not_break_at_hyphens(size):
    cells = [("map", scheme, "a, b") for scheme in ("raw", "N", "U")]
    rows = dict(zip(("measure", "scheme", "pair"), map(list, zip(*cells, strict=True)), strict=True))
    drmse = plots.drmse({**rows, "drmse": [0.2] * 3, "low": [0.1] * 3, "high": [0.3] * 3}, size=size)
    numbers = np.array([[0.1], [0.0], [0.2], [0.5]])
    forest = plots.forest(["b"], *numbers, baseline="bm25-rm3", measure="map", size=size)
    texts = [text.get_text() for figure in (drmse, forest) for text in figure.findobj(Text)]
    assert any("\n" in text for text in texts)
    assert [text for text in texts if "-\n" in text] == []


@pytest.mark.parametrize("size", ["column", "slide"])
def test_curves_do_not_overlap(size, random_table, by_scheme, draw_mapping, check_texts):
    rng = np.random.default_rng(4)
    table = random_table(20, 30)
    rows = long_rows(4, [0.001, 0.01, 0.1])
    check_texts(draw_mapping(table, "ZNUEM", size=size, title="A title " * 12))
    check_texts(plots.scores(by_scheme(table, ("raw", "N", "U", "E", "M", "Z")), size=size))
    check_texts(plots.power(rows, size=size))
    check_texts(plots.power({**rows, "type1": rows["alpha"]}, size=size))
    check_texts(plots.power(long_rows(11, [0.05]), size=size))
    check_texts(plots.weights(["rbp_p=0.8", "dcg"], rng.random((2, 100)), ["dcg"], size=size))
    trials = {"measure": ["map"] * 99, "scheme": ["raw", "N", "U"] * 33, "trial": np.repeat(np.arange(33), 3)}
    trials["coefficient"] = np.repeat(["tau_b", "tau_ap_b", "r"], 33)
    check_texts(plots.tau({**trials, "value": rng.uniform(0.5, 1, 99)}, size=size))
    check_texts(plots.split({**trials, "tau": rng.uniform(0.5, 1, 99)}, size=size))
    epsilons = 10.0 ** np.arange(-6, 3)
    check_texts(plots.split({"aggregate": ["egm"] * 9, "epsilon": epsilons, "tau": rng.random(9)}, size=size))
    deep = {"form": ["raw", "expanded"] * 4, "pool_depth": [5] * 4 + [100] * 4, "depth": [5, 5, 1000, 1000] * 2}
    check_texts(plots.depth({**deep, "power": rng.random(8)}, size=size))
    errors = {"measure": ["map"] * 3, "scheme": ["raw", "N", "U"], "drmse": rng.random(3)}
    check_texts(plots.drmse(errors, size=size))
    ends = {"median": [0.98, 0.99], "p5": [0.9, 0.95], "p1": [0.8, 0.93]}
    check_texts(plots.references({"size": [10, 70], **ends}, size=size))


@pytest.mark.parametrize(("title", "found"), [("one line", ""), ("a\ntitle\nof\n5\nlines", "the titles of panels")])
def test_a_title_that_reaches_into_the_panel_above_does_not_fit(title, found):
    figure = Figure(figsize=(4, 4))
    FigureCanvasAgg(figure)
    figure.add_axes((0.2, 0.6, 0.7, 0.3)).tick_params(labelbottom=False, labelleft=False)
    figure.add_axes((0.2, 0.1, 0.7, 0.3)).set_title(title, loc="left")
    assert crowded(figure) == found
    assert [fault.startswith("the title ") for fault in faults(figure)] == [True] * bool(found)


def test_every_system_is_named_where_there_is_room(random_table):
    table = random_table(12, 10)
    figure = plots.heatmap({"raw": table})
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    best = np.argsort(-table.values[:, :, 0].mean(axis=1))
    assert [label[:8] for label in labels] == [table.systems[i][:8] for i in best]


@given(st.text(max_size=60), st.integers(8, 40))
def test_labels_can_be_drawn(label, limit):
    text = shown(label, limit)
    assert len(text) == min(len(label), limit)
    assert text.isprintable()


@pytest.mark.parametrize("name", ["清华大学-检索-一号", "서울대학교-검색", "msmarco_base-10k-expansion-rrf60"])
@pytest.mark.parametrize("limit", [6, 10, 14, 30])
def test_lines_break_wide_names_at_hyphens_and_add_no_spaces(name, limit):
    text = in_lines(f"{name}, AP", limit)
    assert text.replace("\n", "").replace(" ", "") == f"{name},AP"
    assert text.count(" ") + text.count("\nAP") == 1
    assert all(line[-1] in "-_," for line in text.split("\n")[:-1])
    assert all(width(line) <= max(limit, 12) for line in text.split("\n"))


def test_labels_keep_both_ends():
    assert shown("a-very-long-run-tag-of-some-group", 11) == "a-ver…group"
    assert shown("caf\udce9") == "caf\ufffd"


@given(st.integers(1, 30), st.integers(1, 30), st.integers(1, 6))
def test_columns_hold_all_panels(n, characters, period):
    where = Sheet(175.0)
    columns = balanced_columns(where, n, characters, period)
    rows = -(-n // columns)
    assert 1 <= columns <= max(where.fits(characters), 1)
    assert rows * columns - n < columns
    assert columns % period == 0 or period % columns == 0


def depth_rows(levels: list[tuple[str, str, int]]) -> dict[str, list]:
    """Return rows of an experiment about depths, one per measure, form and depth."""
    measure, form, depth = map(list, zip(*levels, strict=True))
    return {"measure": measure, "form": form, "depth": depth, "pool_depth": depth, "power": [0.5] * len(depth)}


def forms_by_column(figure) -> dict[float, set[str]]:
    """Return the forms of the panels in each column, by the left end of the column."""
    columns: dict[float, set[str]] = {}
    for axes in figure.axes:
        form = axes.get_title(loc="left").split()[-1]
        columns.setdefault(round(axes.get_position().x0, 2), set()).add(form)
    return columns


@pytest.mark.parametrize("size", ["column", "page", "slide"])
def test_panels_of_a_column_have_the_same_form_where_a_measure_lacks_one(size, check_texts):
    all_forms, few = ("raw", "expanded", "N"), ("raw", "N")
    forms = {"AP": all_forms, "DCG": few, "P": all_forms, "RBP": few}
    levels = [(name, form, k) for name, each in forms.items() for form in each for k in (5, 50)]
    figure = plots.depth(depth_rows(levels), size=size)
    check_texts(figure)
    columns = forms_by_column(figure)
    assert {len(forms) for forms in columns.values()} == {1} or len(columns) == 1


@pytest.mark.parametrize("n_measures", [3, 8, 9])
@pytest.mark.parametrize("size", ["column", "page", "slide"])
def test_panels_of_a_column_have_the_same_form(n_measures, size, check_texts):
    levels = [(f"m{i}", form, k) for i in range(n_measures) for form in ("raw", "expanded") for k in (5, 50)]
    figure = plots.depth(depth_rows(levels), size=size)
    check_texts(figure)
    columns = forms_by_column(figure)
    assert {len(forms) for forms in columns.values()} == {1}
