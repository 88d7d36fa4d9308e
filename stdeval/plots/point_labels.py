"""Labels beside single points of a figure, as far as there is room.

matplotlib is used through the objects that are passed in, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from stdeval.plots.fitting import lay_out
from stdeval.short_names import short_names
from stdeval.table import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

Point = tuple[float, float, str]
"""The place of a point, and its label."""

Place = tuple[tuple[float, float], str, str]
"""The distance of a label from its point, in points of a font, and its horizontal and vertical alignment."""


def label_points(figure: Figure, grid: Sequence[Axes], points: Sequence[Sequence[Point]], font: float) -> None:
    """Write labels beside points, the most important first.

    Long names are shortened so that they stay different. Labels that would leave their panel, or cover an earlier
    one, are left out.

    Parameters
    ----------
    figure : Figure
    grid : sequence of Axes
    points : sequence of sequence of Point
        The points of each panel.
    font : float
        Font size of the figure, in points.
    """
    names = list(dict.fromkeys(name for of_axes in points for _, _, name in of_axes))
    short = dict(zip(names, short_names(names, 12), strict=True))
    written = [
        (axes, [_write(axes, x, y, short[name], font) for x, y, name in of_axes])
        for axes, of_axes in zip(grid, points, strict=True)
    ]
    lay_out(figure)
    for axes, labels in written:
        dots = _drawn_points(axes)
        taken: list[Bbox] = []
        for label in labels:
            box = _placed(label, axes, taken, dots, 0.4 * font)
            if box is None:
                label.remove()
            else:
                taken.append(box)


def _write(axes: Axes, x: float, y: float, text: str, font: float) -> Annotation:
    """Write a label at a point, and return it."""
    return axes.annotate(text, (x, y), xytext=(0, 0), textcoords="offset points", fontsize=0.8 * font)


def _drawn_points(axes: Axes) -> Floats:
    """Return the places in pixels of the points that are drawn with markers."""
    drawn = [line.get_xydata() for line in axes.get_lines() if line.get_marker() != "None"]
    return axes.transData.transform(np.concatenate(drawn)) if drawn else np.empty((0, 2))


def _placed(label: Annotation, axes: Axes, taken: Sequence[Bbox], points: Floats, gap: float) -> Bbox | None:
    """Put a label beside, above or below its point, and return where it is; None if there is no room for it.

    It covers no other point if that is possible.
    """
    left, right = ((-gap, 0), "right", "center"), ((gap, 0), "left", "center")
    room, x = axes.get_window_extent(), axes.transData.transform(label.xy)[0]
    # first towards the middle
    beside = (right, left) if x < (room.x0 + room.x1) / 2 else (left, right)
    free = []
    for place in (*beside, ((0, gap), "center", "bottom"), ((0, -gap), "center", "top")):
        _move(label, place)
        box = label.get_window_extent()
        inside = room.x0 <= box.x0 and room.y0 <= box.y0 and box.x1 <= room.x1 and box.y1 <= room.y1
        if inside and not any(box.overlaps(other) for other in taken):
            free.append((box.count_contains(points), place, box))
    if not free:
        return None
    _, place, box = min(free, key=lambda each: each[0])
    _move(label, place)
    return box


def _move(label: Annotation, place: Place) -> None:
    """Move a label from its point by some points of a font, with this side of it at the place."""
    offset, horizontal, vertical = place
    label.set(position=offset, ha=horizontal, va=vertical)
