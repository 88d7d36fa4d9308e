"""Labels beside single points of a figure, as far as there is room.

matplotlib is used through the objects that are passed in, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stdeval.plots.fitting import lay_out
from stdeval.short_names import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

Point = tuple[float, float, str]
"""The place of a point, and its label."""


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
        room = axes.get_window_extent()
        taken: list[Bbox] = []
        for label in labels:
            box = label.get_window_extent()
            inside = room.x0 <= box.x0 and room.y0 <= box.y0 and box.x1 <= room.x1 and box.y1 <= room.y1
            if not inside or any(box.overlaps(other) for other in taken):
                label.remove()
            else:
                taken.append(box)


def _write(axes: Axes, x: float, y: float, text: str, font: float) -> Annotation:
    """Write a label towards the middle of the axes, and return it."""
    low, high = axes.get_xlim()
    right = x < (low + high) / 2
    return axes.annotate(
        text,
        (x, y),
        xytext=((0.4 if right else -0.4) * font, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="center",
        fontsize=0.8 * font,
    )
