"""Where things stand on a figure: panels, legends outside the axes, labels that do not overlap."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.plots.style import MM_PER_INCH, MOST_AUTOMATIC_HEIGHT, POINTS_PER_INCH, Sheet, lay_out

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

STEPS = [step * power for power in (1, 10, 100, 1000) for step in (1, 2, 5)]
LEGEND_LIMIT = 40
LINE = 1.4
"""Distance of labels that stand above each other, in sizes of their font."""


def shown(label: str, limit: int = 24) -> str:
    """A label that can be drawn: shortened in the middle, bytes that are no text replaced."""
    text = "".join(c if c.isprintable() else "\ufffd" for c in label)
    if len(text) <= limit:
        return text
    tail = (limit - 1) // 2
    return f"{text[: limit - 1 - tail]}…{text[len(text) - tail :]}"


def new_figure(where: Sheet, height: float, title: str | None = None, legend: Sequence[str] = ()) -> Figure:
    """An empty figure; ``height`` in mm holds where the sheet leaves it open, and a legend and title add to it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    lines = textwrap.wrap(shown(title or "", 300), where.fits(1.2))
    rows = ceil(len(legend) / legend_columns(where, legend)) + 1.5 * len(lines) if legend or lines else 0
    tall = where.height or min(MOST_AUTOMATIC_HEIGHT, height + rows * where.line)
    figure = Figure(figsize=(where.width / MM_PER_INCH, tall / MM_PER_INCH), layout="constrained")
    FigureCanvasAgg(figure)
    if lines:
        figure.suptitle("\n".join(lines))
    return figure


def legend_columns(where: Sheet, labels: Sequence[str]) -> int:
    """In how many columns a legend of these labels fits below the axes."""
    longest = max((len(shown(label, LEGEND_LIMIT)) for label in labels), default=0)
    n = max(1, len(labels))
    return ceil(n / ceil(n / where.fits(longest + 8)))


def legend_below(figure: Figure, where: Sheet, handles: Sequence[Artist], markerscale: float = 1.0) -> None:
    """A legend outside the axes, where it covers no data."""
    labels = [str(handle.get_label()) for handle in handles]
    figure.legend(
        handles=list(handles),
        labels=[shown(label, LEGEND_LIMIT) for label in labels],
        loc="outside lower center",
        ncols=legend_columns(where, labels),
        markerscale=markerscale,
    )


def balanced_columns(n: int, most: int) -> int:
    """Columns of a grid of n places, at most so many, with rows as full as can be; 3 places in 2 are 1."""
    columns = ceil(n / ceil(n / max(1, most)))
    return 1 if (n, columns) == (3, 2) else columns


def panel_axes(figure: Figure, n: int, columns: int, **share: Any) -> list[Axes]:
    """The n panels of a figure, row by row; those above an empty place keep their tick labels.

    The number of ticks is the same at any height, for their labels' width decides on the layout.
    """
    rows = ceil(n / columns)
    grid = figure.subplots(rows, columns, squeeze=False, **share).ravel()
    for empty in grid[n:]:
        empty.remove()
    for above in grid[max(0, n - columns) : n]:
        above.tick_params(labelbottom=True)
    for axes in grid[:n]:
        axes.locator_params(nbins=5 if columns > 1 else 7)
    return list(grid[:n])


def name_axes(figure: Figure, where: Sheet, grid: Sequence[Axes], columns: int, x: str, y: str = "") -> None:
    """One label for all vertical axes, and one below each column, in lines that fit.

    Below each column, for matplotlib draws a legend outside the axes over a label of the whole figure.
    """
    for axes in grid[-columns:]:
        axes.set_xlabel(textwrap.fill(x, where.fits(1.15 * columns)))
    if y:
        figure.supylabel(fill_height(figure, where, y))


def fill_height(figure: Figure, where: Sheet, text: str, rows: int = 1) -> str:
    """A label in lines that fit beside one of so many rows of panels, when turned upright."""
    tall = figure.get_figheight() * MM_PER_INCH / where.width
    limit = max(10, int(0.65 * tall * where.fits(1) / rows))
    lines = [text] if len(text) <= limit else text.replace(" (", "\n(").split("\n")
    return "\n".join(textwrap.fill(line, limit) for line in lines)


def fit_labels(figure: Figure, *named: tuple[Axis, Sequence[str]]) -> None:
    """Name the places 0, 1, ... of axes, as many of them as there is room for.

    The labels of one axis take room from the others, so that all are placed twice.
    """
    for _ in range(2):
        lay_out(figure)
        for axis, labels in named:
            _name_places(axis, labels)


def _name_places(axis: Axis, labels: Sequence[str]) -> None:
    import matplotlib

    box = axis.axes.get_window_extent()
    flat = axis is axis.axes.xaxis
    length = (box.width if flat else box.height) * POINTS_PER_INCH / axis.axes.figure.dpi
    font = float(matplotlib.rcParams["xtick.labelsize"])
    texts = [shown(label, max(8, int(0.3 * _figure_points(axis) / font / 0.6))) for label in labels]
    level = flat and len(labels) * font * (0.65 * max(map(len, texts), default=0) + 1) <= length
    step = 1 if level else _step(len(labels), length / (LINE * font))
    places = range(0, len(labels), step)
    axis.set_ticks(places, [texts[i] for i in places], rotation=90 if flat and not level else 0)


def _figure_points(axis: Axis) -> float:
    return axis.axes.figure.bbox.width * POINTS_PER_INCH / axis.axes.figure.dpi


def _step(n: int, room: float) -> int:
    """The least round step with which n labels take no more places than there is room for."""
    return next((step for step in STEPS if n / step <= room), max(n, 1))


def padded(low: float, high: float) -> tuple[float, float]:
    """Limits of an axis of scores: 0 to 1 where they all lie there, else a little beyond them."""
    if low >= 0 and high <= 1:
        return (-0.02, 1.02)
    margin = 0.03 * (high - low) or 0.5
    return (low - margin, high + margin)


def span(values: Any) -> tuple[float, float]:
    """The least and the greatest of the values that are there; 0 and 1 where there are none."""
    present = np.asarray(values)[~np.isnan(values)]
    return (float(present.min()), float(present.max())) if present.size else (0.0, 1.0)
