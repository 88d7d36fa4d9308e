"""Grids of panels, legends and names at ticks: numbers of panels and lines; matplotlib's layout does the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import count
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.plots.style import MAX_MM, MM_PER_INCH, POINTS_PER_MM, Sheet, notebook_png
from stdeval.table import Floats

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

LONGEST_NAME, LONGEST_ENTRY = 24, 40
"""Characters of names of topics and in labels, and of the entries of legends: longer ones are shortened."""

MOST_NAMED = 3
"""Points that have names in a panel, on either side of the line that the others lie near."""


def printable(name: str) -> str:
    """Return a name with each unprintable character replaced by U+FFFD."""
    return "".join(c if c.isprintable() else "\ufffd" for c in name)


def shown(label: str, limit: int = LONGEST_NAME) -> str:
    """Return a printable label of at most `limit` characters: the middle of a longer one becomes an ellipsis."""
    label, tail = printable(label), (limit - 1) // 2
    return label if len(label) <= limit else f"{label[: limit - 1 - tail]}…{label[len(label) - tail :]}"


def short_names(names: Sequence[str], limit: int = LONGEST_NAME) -> list[str]:
    """Return names as `shown` does, with numbers where different names would be the same."""
    chosen: dict[str, str] = {}
    used: set[str] = set()
    # names that stay as they are come first, and numbers go to the others
    for name in sorted(dict.fromkeys(names), key=lambda name: shown(name, limit) != name):
        label, numbers = shown(name, limit), count(2)
        while label in used:
            number = f" ({next(numbers)})"
            label = shown(name, limit)[: limit - len(number)] + number
        chosen[name] = label
        used.add(label)
    return [chosen[name] for name in names]


def new_panels(
    where: Sheet, height: float, n: int = 1, columns: int = 1, **share: Any
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its n panels, row by row; those with none below keep their tick labels.

    If the sheet has no height, it is this one in mm, and that of the title; a legend will add its own.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    title = shown(where.title, 300)
    above = 1.5 * ceil(1.2 * len(title) / where.characters) * where.line
    tall = where.height or min(MAX_MM, height + above)
    figure = Figure(figsize=(where.width / MM_PER_INCH, tall / MM_PER_INCH), layout="constrained")
    FigureCanvasAgg(figure)
    # Notebooks show a figure of matplotlib only if pyplot was imported; they call this for any other object.
    vars(figure)["_repr_png_"] = partial(notebook_png, figure)
    if title:
        figure.suptitle(title, wrap=True)
    grid = figure.subplots(ceil(n / columns), columns, squeeze=False, **share).ravel()
    for axes in grid[n:]:
        axes.remove()
    for axes in grid[max(0, n - columns) : n]:
        axes.tick_params(labelbottom=True)
    return figure, list(grid[:n])


def row_panels(where: Sheet, n_rows: int, n: int = 1, **panels: Any) -> tuple[Figure, list[Axes], float]:
    """Return a figure of n panels that grows with its rows, which have names, the panels, and the size of dots."""
    figure, grid = new_panels(where, max(0.4 * where.width, (n_rows + 3) * 1.2 * where.line), n, n, **panels)
    row = (figure.get_figheight() * MM_PER_INCH - 3 * where.line) / n_rows
    return figure, grid, float(np.clip(0.8 * row * POINTS_PER_MM, 0.1 * where.font, 0.5 * where.font))


def grid_shape(where: Sheet, n: int, characters: float) -> tuple[int, int]:
    """Return the numbers of columns and rows of n panels that are wide enough for lines of so many characters."""
    most = max(1, int(where.characters / characters))
    columns = 1 if (n, most) == (3, 2) else ceil(n / ceil(n / most))
    return columns, ceil(n / columns)


def legend_below(
    figure: Figure, where: Sheet, handles: Sequence[Artist], title: str = "", markerscale: float = 1.0
) -> None:
    """Add a legend, if there is anything to say, below the axes, where it covers no data; the figure grows."""
    labels = short_names([str(handle.get_label()) for handle in handles], LONGEST_ENTRY)
    if not labels and not title:
        return
    # in sizes of the font: the characters, the line beside them, and the space around both
    most = where.width * POINTS_PER_MM / (0.9 * where.font * (0.53 * max(map(len, labels), default=1) + 4.2))
    rows = ceil(len(labels) / max(1, int(most)))
    if where.height is None:
        figure.set_figheight(figure.get_figheight() + (rows + 1 + bool(title)) * where.line / MM_PER_INCH)
    how: dict[str, Any] = {"ncols": ceil(len(labels) / max(1, rows)), "markerscale": markerscale}
    figure.legend(list(handles), labels, loc="outside lower center", title=title or None, **how)


def name_rows(
    axis: Axis, names: Sequence[str], where: Sheet, marked: Mapping[int, str] = MappingProxyType({}), high: int = 1
) -> None:
    """Name rows in up to 45% of the width, the marked ones in colours; `high` panels stand above each other."""
    figure: Any = axis.get_figure()
    tall = figure.get_figheight() * MM_PER_INCH / high - 3 * where.line
    _name_places(axis, short_names(names, int(where.characters / 2)), where, tall, marked)


def name_columns(axis: Axis, names: Sequence[str], where: Sheet, share: float = 0.85) -> None:
    """Name columns, topics mostly, upright; the axis has this share of the width."""
    _name_places(axis, short_names(names), where, share * where.width, {}, rotation=90)


def _name_places(
    axis: Axis, labels: Sequence[str], where: Sheet, length: float, marked: Mapping[int, str], **how: Any
) -> None:
    """Name the places 0, 1, ... of an axis of some mm: all, or every k-th, the last and the marked ones."""
    step = max(1, ceil(0.85 * len(labels) * where.line / length))
    always = {len(labels) - 1, *marked}
    chosen = sorted({*(i for i in range(0, len(labels), step) if all(abs(i - k) >= step for k in always)), *always})
    axis.set_ticks(chosen, [labels[i] for i in chosen], **how)
    for i, text in zip(chosen, axis.get_ticklabels(), strict=True):
        if i in marked:
            text.set(color=marked[i], fontweight="bold")


def name_points(axes: Axes, x: Floats, y: Floats, apart: Floats, names: Sequence[str], where: Sheet) -> None:
    """Name the points that are furthest above the line that others lie near, and below it: by values of `apart`."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    order = np.argsort(np.nan_to_num(apart), kind="stable").tolist()
    named: list[int] = []
    for i in (place for pair in zip(order[:MOST_NAMED], order[::-1], strict=False) for place in pair):
        near = [j for j in named if abs(y[i] - y[j]) < 0.05 * (top - bottom)]
        if abs(apart[i]) > 0 and not any(abs(x[i] - x[j]) < 0.3 * (right - left) for j in near):
            named.append(i)
            # away from the line, and not over the ticks
            side = -1 if apart[i] > 0 and x[i] > 0.6 * left + 0.4 * right else 1
            text: dict[str, Any] = {"fontsize": 0.8 * where.font, "textcoords": "offset points"}
            is_above = apart[i] > 0 or y[i] < 0.95 * bottom + 0.05 * top
            text |= {"ha": "left" if side > 0 else "right", "va": "bottom" if is_above else "top"}
            axes.annotate(shown(names[i]), (x[i], y[i]), xytext=(0.3 * side * where.font, 0), **text)


def padded(low: float, high: float) -> tuple[float, float]:
    """Limits of an axis of scores: about 0 to 1 if all scores lie there, otherwise a little beyond the scores."""
    if low >= 0 and high <= 1:
        return (-0.02, 1.02)
    margin = 0.03 * (high - low) or 0.5
    return (low - margin, high + margin)


def span(values: Any) -> tuple[float, float]:
    """Least and greatest of some values, ignoring NaN; 0 and 1 if there are none."""
    present = np.asarray(values)[~np.isnan(values)]
    return (float(present.min()), float(present.max())) if present.size else (0.0, 1.0)
