"""Where the texts of a finished figure lie: which overlap, which cover axes, and which leave the figure.

The boxes are those of the renderer. A rotated text has a rotated box, so that slanted labels that stand beside each
other do not count as overlapping because their bounding boxes do.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Tick
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from stdeval.plots.style import MM_PER_INCH, Sheet, style
from stdeval.table import Floats

TOLERANCE = 0.5
"""Pixels, of 1/100 inch, by which texts may touch."""

LEAST = 30
"""Pixels, of 1/100 inch: axes that are narrower or lower show nothing."""


def faults(figure: Figure) -> list[str]:
    """Return one sentence per pair of texts that overlap, text outside the figure, legend or title over axes."""
    # as save_figure does: the number of ticks that matplotlib chooses depends on the font size
    font = Sheet(figure.get_figwidth() * MM_PER_INCH).font
    with style(font), warnings.catch_warnings():
        # characters that no installed font has
        warnings.filterwarnings("ignore", "Glyph .* missing")
        figure.draw_without_rendering()
        return _faults(figure)


def _faults(figure: Figure) -> list[str]:
    texts = list(visible_texts(figure))
    corners = [box(text) for text in texts]
    bounds = [(c.min(axis=0), c.max(axis=0)) for c in corners]
    found = []
    for (one, a), (other, b) in combinations(enumerate(texts), 2):
        (low, high), (low_b, high_b) = bounds[one], bounds[other]
        near = (np.minimum(high, high_b) - np.maximum(low, low_b) > TOLERANCE).all()
        if near and meet(corners[one], corners[other]):
            found.append(f"{a.get_text()!r} overlaps {b.get_text()!r}")
    page = np.array([figure.bbox.x1, figure.bbox.y1])
    for text, (low, high) in zip(texts, bounds, strict=True):
        if (low < -1).any() or (high > page + 1).any():
            found.append(f"{text.get_text()!r} leaves the figure")
    found += [f"the legend covers {n} axes" for n in covered_axes(figure) if n]
    return [*found, *_titles_over_axes(figure), *_without_room(figure)]


def _titles_over_axes(figure: Figure) -> Iterator[str]:
    """Titles of panels that reach into the axes above."""
    boxes = [axes.get_window_extent() for axes in figure.axes]
    for axes in figure.axes:
        title = axes._left_title
        where = title.get_window_extent()
        if title.get_text().strip() and any(_overlap(where, box) for box in boxes):
            yield f"the title {title.get_text()!r} covers axes"


def _overlap(a: Bbox, b: Bbox) -> bool:
    """Return whether two upright boxes overlap."""
    over = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
    return min(over) > TOLERANCE


def _without_room(figure: Figure) -> list[str]:
    """Axes for whose data the labels leave no room."""
    boxes = [axes.get_window_extent() for axes in figure.axes if not axes.get_label().startswith("<colorbar")]
    return [f"axes of {b.width:.0f} x {b.height:.0f} pixels" for b in boxes if min(b.width, b.height) < LEAST]


def covered_axes(figure: Figure) -> Iterator[int]:
    """Number of axes that each legend covers."""
    for legend in figure.findobj(Legend):
        where = legend.get_window_extent()
        boxes = [axes.get_window_extent() for axes in figure.axes]
        yield sum(_overlap(where, box) for box in boxes)


def visible_texts(figure: Figure) -> Iterator[Text]:
    """Texts that are drawn: not empty, not hidden, and no labels of ticks beyond the limits of their axes."""
    hidden = {id(label) for tick in figure.findobj(Tick) for label in (tick.label1, tick.label2)}
    hidden -= set(_labels_within(figure))
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and id(text) not in hidden:
            yield text


def _labels_within(figure: Figure) -> Iterator[int]:
    """Ids of the labels of ticks within the limits of their axes: matplotlib does not draw the others."""
    for axis in (axis for axes in figure.findobj(Axes) for axis in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        slack = 1e-9 * (high - low)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if low - slack <= tick.get_loc() <= high + slack and axis.get_visible():
                yield from (id(tick.label1), id(tick.label2))


def box(text: Text) -> Floats:
    """The four corners of a text in pixels, turned as the text is."""
    upright = text.get_window_extent()
    angle = text.get_rotation()
    # the bounding box of the turned text has the same centre as the text
    centre = np.array([upright.x0 + upright.x1, upright.y0 + upright.y1]) / 2
    text.set_rotation(0)
    level = text.get_window_extent()
    text.set_rotation(angle)
    half = np.array([level.width, level.height]) / 2
    sine, cosine = np.sin(np.radians(angle)), np.cos(np.radians(angle))
    turned = np.array([[cosine, sine], [-sine, cosine]])
    return centre + np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half @ turned


def meet(one: Floats, other: Floats) -> bool:
    """Return whether two rectangles overlap: no line along one of their sides separates them."""
    for corners in (one, other):
        for side in (corners[1] - corners[0], corners[3] - corners[0]):
            length = np.hypot(*side)
            if not length:
                return False
            a, b = one @ side / length, other @ side / length
            if min(a.max(), b.max()) - max(a.min(), b.min()) <= TOLERANCE:
                return False
    return True
