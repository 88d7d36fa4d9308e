"""Every kind of picture and every content in every size: no two texts overlap or leave the picture."""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib")

from stdeval.errors import InputError
from tests.plots.matrix import CONTENTS, KINDS, SIZES, draw
from tests.plots.text_boxes import faults

EVERY = 4
"""Each kind is drawn with every fourth content; all of them take minutes: python -m tests.plots.matrix."""


def choice() -> list[tuple[str, str, str]]:
    """Return cells that have every kind, and every content, in every size."""
    return [
        (kind, content, SIZES[(i + j // EVERY) % len(SIZES)])
        for i, kind in enumerate(KINDS)
        for j, content in enumerate(CONTENTS)
        if (i + j) % EVERY == 0
    ]


def test_the_choice_has_every_kind_and_every_content_in_every_size():
    chosen = choice()
    assert {(kind, size) for kind, _, size in chosen} == {(kind, size) for kind in KINDS for size in SIZES}
    assert {(content, size) for _, content, size in chosen} == {(c, size) for c in CONTENTS for size in SIZES}


@pytest.mark.parametrize(("kind", "content", "size"), choice())
def test_texts_do_not_overlap(kind, content, size):
    try:
        figure = draw(kind, content, size)
    except InputError as error:
        assert content == "all missing" or "too small for the picture" in str(error)
    else:
        assert faults(figure) == []


@pytest.mark.parametrize("content", ["48 runs", "large scores", "small scores"])
def test_the_interval_of_a_comparison_is_that_of_its_differences(content):
    (axes,) = draw("compare", content, "page").axes
    heights = [bar.get_height() for bar in axes.patches if bar.get_width() < 1]
    mean, *ends = (line.get_ydata()[0] for line in axes.get_lines()[1:])
    assert min(heights) < min(ends) < mean < max(ends) < max(heights)
    assert max(ends) - mean == pytest.approx(mean - min(ends))


@pytest.mark.parametrize("size", ["column", "slide"])
def test_labels_of_panels_beside_each_other_do_not_read_as_one(size: str) -> None:
    figure = draw("heatmap, marked", "long names", size)
    left, right = (axes.xaxis.label.get_window_extent() for axes in figure.axes[:2])
    assert right.x0 - left.x1 > figure.dpi / 72 * 5  # the width of a letter
