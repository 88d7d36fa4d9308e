"""Legends below the axes: as many columns as fit, and shorter labels rather than many rows."""

from __future__ import annotations

from itertools import product

import pytest

from stdeval import plots


def long_rows() -> dict[str, tuple]:
    """Return rows of four collections with long names and three schemes."""
    parts = product(("title", "description"), ("doc2query", "rm3"), ("raw", "N", "U"))
    cells = [(f"monot5-base-msmarco-10k-{a}-{b}-expansion-rrf60", scheme) for a, b, scheme in parts]
    return dict(zip(("collection", "scheme"), zip(*cells, strict=True), strict=True))


@pytest.mark.parametrize(("size", "share"), [("column", 0.4), ("page", 0.25), ("slide", 0.35)])
def test_the_legend_of_many_long_names_leaves_room_for_the_axes(size, share, check_texts):
    rows = {**long_rows(), "measure": ["map"] * 12, "alpha": [0.05] * 12, "power": [0.5] * 12}
    figure = plots.power(rows, size=size)
    check_texts(figure)
    (legend,) = figure.legends
    assert len({text.get_text() for text in legend.get_texts()}) == 12
    assert [text.get_text().split(", ")[1:] for text in legend.get_texts()] == [["raw"], ["N"], ["U"]] * 4
    assert legend.get_window_extent().height < share * figure.bbox.height


def test_a_legend_of_few_rows_keeps_its_labels():
    names = [f"monot5-base-title-{i}-expansion" for i in range(3)]
    figure = plots.drmse({"collection": names, "measure": ["map"] * 3, "drmse": [0.5, 0.4, 0.3]})
    assert [text.get_text() for text in figure.legends[0].get_texts()] == names
