"""Labels beside single points of a figure, as far as there is room.

matplotlib is used through the objects that are passed in, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

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

GAP = 0.4
"""Distance of a label from its point, as a multiple of the font size."""

CLEARANCE = 1.3
"""Least distance of a label from other points, as a multiple of that from its own."""

_LABELS = "_stdeval_point_labels"


class _Labels(NamedTuple):
    """The labels of the points of a panel, the most important first, and the font size of the figure in points."""

    axes: Axes
    labels: Sequence[Annotation]
    font: float


def label_points(figure: Figure, grid: Sequence[Axes], points: Sequence[Sequence[Point]], font: float) -> None:
    """Write labels beside points, the most important first; `place_point_labels` puts them where there is room.

    Long names are shortened so that they stay different.

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
    short = dict(zip(names, short_names(names, 10), strict=True))
    vars(figure)[_LABELS] = [
        _Labels(axes, [_write(axes, x, y, short[name], font) for x, y, name in of_axes], font)
        for axes, of_axes in zip(grid, points, strict=True)
    ]


def place_point_labels(figure: Figure) -> None:
    """Put the labels of points beside, above or below them, after the last layout.

    Labels that would leave their panel, cover an earlier one, or be about as near to another point as to their own,
    are left out.
    """
    written: list[_Labels] = vars(figure).pop(_LABELS, [])
    for axes, labels, font in written:
        dots = _drawn_points(axes)
        taken: list[Bbox] = []
        for label in labels:
            box = _placed(label, axes, taken, dots, font)
            if box is None:
                label.remove()
            else:
                taken.append(box)


def _write(axes: Axes, x: float, y: float, text: str, font: float) -> Annotation:
    """Write a label at a point, and return it; no room is made for it."""
    label = axes.annotate(text, (x, y), xytext=(0, 0), textcoords="offset points", fontsize=0.8 * font)
    label.set_in_layout(False)
    return label


def _drawn_points(axes: Axes) -> Floats:
    """Return the places in pixels of the points that are drawn with markers."""
    drawn = [line.get_xydata() for line in axes.get_lines() if line.get_marker() != "None"]
    return axes.transData.transform(np.concatenate(drawn)) if drawn else np.empty((0, 2))


def _placed(label: Annotation, axes: Axes, taken: Sequence[Bbox], points: Floats, font: float) -> Bbox | None:
    """Put a label beside, above or below its point, and return where it is; None if there is no room for it."""
    gap = GAP * font
    left, right = ((-gap, 0), "right", "center"), ((gap, 0), "left", "center")
    room, point = axes.get_window_extent(), axes.transData.transform(label.xy)
    # first towards the middle
    beside = (right, left) if point[0] < (room.x0 + room.x1) / 2 else (left, right)
    for place in (*beside, ((0, gap), "center", "bottom"), ((0, -gap), "center", "top")):
        _move(label, place)
        box = label.get_window_extent()
        inside = room.x0 <= box.x0 and room.y0 <= box.y0 and box.x1 <= room.x1 and box.y1 <= room.y1
        if inside and not any(box.overlaps(other) for other in taken) and _is_own(box, point, points):
            return box
    return None


def _is_own(box: Bbox, point: Floats, points: Floats) -> bool:
    """Return True if a label is nearest to its own point; others at the same place count as its own."""

    def distances(to: Floats) -> Floats:
        beyond = np.maximum(np.array([box.x0, box.y0]) - to, to - np.array([box.x1, box.y1]))
        return np.asarray(np.hypot(*np.maximum(beyond, 0).T))

    others = points[np.abs(points - point).max(axis=1) > 1]
    return bool((distances(others) > CLEARANCE * distances(point)).all())


def _move(label: Annotation, place: Place) -> None:
    """Move a label from its point by some points of a font, with this side of it at the place."""
    offset, horizontal, vertical = place
    label.set(position=offset, ha=horizontal, va=vertical)
