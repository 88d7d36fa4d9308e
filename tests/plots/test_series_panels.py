"""Panels of series have axes that can be read."""

from __future__ import annotations

import numpy as np
import pytest

from stdeval import plots


def ticks(figure, panel: int = 0) -> list[float]:
    """Return the numbers that are drawn at the ticks of the horizontal axis of a panel."""
    axis = figure.axes[panel].xaxis
    low, high = axis.get_view_interval()
    return [float(label.get_text()) for label in axis.get_ticklabels() if low <= label.get_position()[0] <= high]


def plan(low: float, high: float, n_panels: int = 1, **look):
    """Draw a plan of numbers of topics in one panel per measure."""
    measures = [f"P_{k + 1}" for k in range(n_panels) for _ in range(2)]
    rows = {"n": [low, high] * n_panels, "difference": [0.3, 0.1] * n_panels, "measure": measures}
    return plots.plan(rows, **look)


@pytest.mark.parametrize("size", ["column", "page", "slide"])
@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (20, 250, [20, 50, 100, 200]),
        (6, 80, [10, 20, 50]),
        (5, 100, [5, 10, 20, 50, 100]),
        (10, 1000, [10, 100, 1000]),
        (2, 2000, [10, 100, 1000]),
    ],
)
def test_logarithmic_axes_of_less_than_two_powers_of_ten_have_ticks_between_them(
    low, high, expected, size, check_texts
):
    figure = plan(low, high, size=size)
    assert ticks(figure) == expected
    check_texts(figure)


@pytest.mark.parametrize(("n_panels", "expected"), [(12, [10, 30, 100, 300]), (24, [10, 100])])
def test_logarithmic_axes_of_narrow_panels_have_fewer_ticks(n_panels, expected, check_texts):
    figure = plan(6, 400, n_panels, size="slide")
    assert ticks(figure) == expected
    check_texts(figure)


@pytest.mark.parametrize("size", ["column", "page", "slide"])
def test_powers_of_ten_are_written_as_elsewhere_and_those_without_labels_have_small_ticks(size, check_texts):
    epsilon = 10.0 ** np.arange(-6, 3)
    rows = {"aggregate": ["egm"] * 9, "epsilon": epsilon, "tau": np.linspace(0.5, 0.9, 9)}
    figure = plots.split(rows, size=size)
    check_texts(figure)
    axis = figure.axes[0].xaxis
    assert axis.get_ticklabels()[list(axis.get_majorticklocs()).index(1e-6)].get_text() == "1e−6"
    ticks = np.concatenate([axis.get_majorticklocs(), axis.get_minorticklocs()])
    assert all(np.isclose(ticks, power, rtol=1e-9).sum() == 1 for power in epsilon)


@pytest.mark.parametrize("size", ["column", "page"])
def test_titles_of_panels_end_no_line_within_a_word(size, check_texts):
    kinds = [f"{field}-{terms}" for field in ("title", "description") for terms in ("doc2query", "rm3")]
    names = [f"monot5-base-msmarco-10k-{kind}-expansion-rrf60" for kind in kinds]
    measures = ("map", "ndcg_cut_10", "P_10")
    keys = [(name, measure, n) for name in names for measure in measures for n in (10, 1000)]
    rows = dict(zip(("collection", "measure", "n"), map(list, zip(*keys, strict=True)), strict=True))
    rows["spread"] = [spread for spread in (0.1, 0.2) for _ in keys]
    rows = {name: column * (2 if name != "spread" else 1) for name, column in rows.items()}
    figure = plots.plan({**rows, "difference": np.linspace(0.1, 0.9, 2 * len(keys))}, size=size)
    check_texts(figure)
    for axes in figure.axes:
        title = axes.get_title(loc="left")
        assert all(line[-1] in "-…," and line[0] != "," for line in title.split("\n")[:-1]), title
