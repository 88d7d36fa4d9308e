"""Layout of a figure: panels, and labels that do not overlap.

matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil, log
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.plots.fitting import label_places
from stdeval.plots.legends import legend_rows
from stdeval.plots.lines import in_lines
from stdeval.plots.place_labels import Places
from stdeval.plots.style import (
    MAX_AUTOMATIC_HEIGHT,
    MM_PER_INCH,
    POINTS_PER_INCH,
    Sheet,
    notebook_png,
)
from stdeval.short_names import printable, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

BEST_SHAPE = 1.6
"""Width of panels over their height, where there is a choice."""

MOST_MEASURED = 50
"""The number of labels of places that the first layout measures."""


def shown(label: str, limit: int = 24) -> str:
    """Return a label that can be drawn: shortened in the middle, unprintable characters replaced."""
    return shortened(printable(label), limit)


def new_figure(where: Sheet, height: float, title: str | None = None, legend: Sequence[str] = ()) -> Figure:
    """Return an empty figure.

    Parameters
    ----------
    where : Sheet
    height : float
        Height of the panels in mm, to which that of the legend and the title is added. It is ignored if the sheet
        has a height.
    title : str, optional
    legend : sequence of str
        The labels of the legend that will be drawn.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    lines = in_lines(shown(title or "", 300), where.fits(1.2)).splitlines()
    rows = legend_rows(where, legend) + 1.5 * len(lines)
    tall = where.height or min(MAX_AUTOMATIC_HEIGHT, height + rows * where.line)
    figure = Figure(figsize=(where.width / MM_PER_INCH, tall / MM_PER_INCH), layout="constrained")
    FigureCanvasAgg(figure)
    # Notebooks show a figure of matplotlib only if pyplot was imported; they call this for any other object.
    vars(figure)["_repr_png_"] = partial(notebook_png, figure)
    if lines:
        figure.suptitle("\n".join(lines))
    return figure


def balanced_columns(where: Sheet, n: int, characters: float, period: int = 1) -> int:
    """Return the number of columns of a grid of n panels whose rows are as full as possible.

    Three panels are stacked rather than drawn as two and one. On a sheet of a given height, panels are neither very
    wide nor very high.

    Parameters
    ----------
    where : Sheet
    n : int
    characters : float
        The usual width of a panel, in characters.
    period : int
        The number of panels after which they repeat, such as one per form for each measure: the panels of a column
        are alike then.

    Examples
    --------
    >>> [balanced_columns(Sheet(175), n, 25) for n in (3, 4, 5, 6)], balanced_columns(Sheet(175), 6, 25, period=2)
    ([3, 4, 3, 3], 4)
    """
    limit = where.fits(characters)
    choices = [c for c in range(1, n + 1) if c % period == 0 or period % c == 0]
    columns = min((c for c in choices if c <= limit), key=lambda c: ceil(n / c))
    if where.height is not None:
        # each panel has a title of one line, and there are five lines around all panels
        room = where.height - 5 * where.line
        shapes = {c: where.width / c / max(1.0, room / ceil(n / c) - where.line) for c in choices}
        narrow = [c for c in choices if c <= where.fits(characters / 2)]
        columns = min(narrow, key=lambda c: abs(log(shapes[c] / BEST_SHAPE)) + (0.5 if n % c else 0.0))
    return 1 if (n, columns, limit) == (3, 2, 2) else columns


def row_height(figure: Figure, n: int) -> float:
    """Return the approximate height in points of each of n rows."""
    return 0.8 * figure.get_figheight() * POINTS_PER_INCH / n


def lowest(places: Sequence[int], columns: int) -> list[int]:
    """Return which of the panels at some places of a grid have no panel below them.

    Examples
    --------
    >>> lowest([0, 1, 2, 3], columns=3), lowest([0, 1, 2, 3, 5], columns=3)
    ([1, 2, 3], [1, 3, 4])
    """
    last = {place % columns: k for k, place in enumerate(places)}
    return sorted(last.values())


def panel_axes(
    figure: Figure, n: int, columns: int, places: Sequence[int] | None = None, **share: Any
) -> list[Axes]:
    """Add n panels to a figure, row by row or at the given places; those with none below keep their tick labels.

    The number of ticks does not depend on the height of a panel, because the width of their labels decides on the
    layout.
    """
    chosen = range(n) if places is None else places
    rows = ceil((max(chosen) + 1) / columns)
    grid = figure.subplots(rows, columns, squeeze=False, **share).ravel()
    for place, axes in enumerate(grid):
        if place not in chosen:
            axes.remove()
    panels = [grid[place] for place in chosen]
    for k in lowest(chosen, columns):
        panels[k].tick_params(labelbottom=True)
    for axes in panels:
        axes.locator_params(nbins=5 if columns > 1 else 7)
    return panels


def name_axes(
    figure: Figure,
    where: Sheet,
    grid: Sequence[Axes],
    columns: int,
    x: str,
    y: str = "",
    places: Sequence[int] | None = None,
) -> None:
    """Add one label for all vertical axes, and one below each column of panels."""
    # one label per column, because matplotlib would draw a legend outside the axes over figure.supxlabel
    for k in lowest(range(len(grid)) if places is None else places, columns):
        grid[k].set_xlabel(in_lines(x, where.fits(1.15 * columns)))
    if y:
        figure.supylabel(fill_height(figure, where, y))


def fill_height(figure: Figure, where: Sheet, text: str, rows: int = 1) -> str:
    """Break an upright label into lines that fit beside a panel, in a grid with this number of rows."""
    tall = figure.get_figheight() * MM_PER_INCH / where.width
    limit = max(10, int(0.65 * tall * where.fits(1) / rows))
    lines = [text] if len(text) <= limit else text.replace(" (", "\n(").split("\n")
    return "\n".join(in_lines(line, limit) for line in lines)


def fit_labels(
    figure: Figure, *named: tuple[Axis, Sequence[str]], colours: Mapping[int, str] | None = None
) -> None:
    """Label the places 0, 1, ... of axes, with as many labels as there is room for.

    The first and the last place are labelled, unless that leaves no room for places with `colours` on the first
    axis, which always are, in bold. Labels of these are moved apart where they would touch; lines lead to them.
    """
    for i, (axis, labels) in enumerate(named):
        # some of them, to measure how much room the labels of places take
        some = range(0, len(labels), ceil(len(labels) / MOST_MEASURED) or 1)
        axis.set_ticks(some, [shown(labels[i], 8) for i in some])
        label_places(figure, Places(axis, labels, colours or {} if i == 0 else {}))


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
