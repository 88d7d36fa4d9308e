"""Grids of panels, legends and names at ticks: numbers of panels and lines; matplotlib's layout does the rest."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import count
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.plots.style import MM_PER_INCH, POINTS_PER_MM, Sheet, notebook_png

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

LONGEST_NAME, LONGEST_ENTRY = 24, 40
"""Characters of names at ticks and in labels, and of the entries of legends: longer ones are shortened."""


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


def wrapped(text: str, characters: float) -> str:
    """Return a text in lines of about this many characters, broken at spaces, and within words that are longer."""
    limit = max(12, int(characters))
    return "\n".join(textwrap.fill(line, limit, break_on_hyphens=False) for line in text.split("\n"))


def new_panels(
    where: Sheet, height: float, n: int = 1, columns: int = 1, legend: Sequence[str] = (), **share: Any
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its n panels, row by row; those with none below keep their tick labels.

    If the sheet has no height, it is this one in mm, and that of title and legend.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    above = wrapped(shown(where.title, 300), where.characters / 1.2)
    lines = 1.5 * above.count("\n") + (2 if above else 0) + ceil(len(legend) / _legend_columns(where, legend))
    # 400 mm are about 110 rows with names in a column
    tall = where.height or min(400.0, height + lines * where.line)
    figure = Figure(figsize=(where.width / MM_PER_INCH, tall / MM_PER_INCH), layout="constrained")
    FigureCanvasAgg(figure)
    # Notebooks show a figure of matplotlib only if pyplot was imported; they call this for any other object.
    vars(figure)["_repr_png_"] = partial(notebook_png, figure)
    if above:
        figure.suptitle(above)
    grid = figure.subplots(ceil(n / columns), columns, squeeze=False, **share).ravel()
    for axes in grid[n:]:
        axes.remove()
    for axes in grid[max(0, n - columns) : n]:
        axes.tick_params(labelbottom=True)
    return figure, list(grid[:n])


def grid_shape(where: Sheet, n: int, characters: float) -> tuple[int, int]:
    """Return the numbers of columns and rows of n panels that are wide enough for lines of so many characters."""
    most = max(1, int(where.characters / characters))
    if where.height is not None:  # each row of panels needs the height of some lines
        most = max(most, ceil(n / max(1.0, where.height // (9 * where.line))))
    columns = 1 if (n, most) == (3, 2) else ceil(n / ceil(n / most))
    return columns, ceil(n / columns)


def name_axes(
    figure: Figure, where: Sheet, grid: Sequence[Axes], columns: int, x: str, y: str = "", characters: float = 0.0
) -> None:
    """Add one label for all vertical axes, and one, in lines of some characters, below each column of panels."""
    # one label per column, because matplotlib would draw a legend outside the axes over figure.supxlabel
    for axes in grid[-columns:]:
        axes.set_xlabel(wrapped(x, (characters or where.characters / columns) / 1.2))
    if y:
        figure.supylabel(upright(figure, where, y))


def height_of(figure: Figure) -> float:
    """Return the height of a figure in mm."""
    return float(figure.get_figheight() * MM_PER_INCH)


def upright(figure: Figure, where: Sheet, text: str, rows: int = 1) -> str:
    """Break an upright label into lines that fit beside a panel, in a grid with this number of rows."""
    return wrapped(text, 0.65 * height_of(figure) / where.width * where.characters / rows)


def characters_beside(where: Sheet, names: Sequence[str]) -> float:
    """Return the number of characters in a line beside an axis with names and a label."""
    taken = 0.5 * where.font * max(map(len, short_names(names)), default=0) / POINTS_PER_MM + 4 * where.line
    return where.characters * max(0.4, 1 - taken / where.width)


def _legend_columns(where: Sheet, labels: Sequence[str]) -> int:
    """Return the number of columns of a legend, whose rows are as full as possible."""
    longest = min(LONGEST_ENTRY, max(map(len, labels), default=0))
    # in sizes of the font: the characters, the line beside them, and the space around both
    most = max(1, int(where.width * POINTS_PER_MM / (0.9 * where.font * (0.53 * longest + 4.2))))
    return ceil(len(labels) / ceil(len(labels) / most)) if labels else 1


def legend_below(
    figure: Figure, where: Sheet, handles: Sequence[Artist], markerscale: float = 1.0, title: str = ""
) -> None:
    """Add a legend below the axes, where it covers no data."""
    labels = short_names([str(handle.get_label()) for handle in handles], LONGEST_ENTRY)
    how: dict[str, Any] = {"ncols": _legend_columns(where, labels), "markerscale": markerscale}
    figure.legend(list(handles), labels, loc="outside lower center", title=title or None, **how)


def name_places(
    axis: Axis, names: Sequence[str], where: Sheet, length: float, marked: Mapping[int, str] = MappingProxyType({})
) -> None:
    """Name the places 0, 1, ... of an axis of about `length` mm, or every k-th and the marked ones, in colours."""
    labels, is_flat = short_names(names), axis is axis.axes.xaxis
    widest = max(map(len, labels), default=0) + 2
    is_upright = is_flat and len(names) * widest > where.characters * length / where.width
    step = max(1, ceil(0.85 * len(names) * where.line / length)) if is_upright or not is_flat else 1
    free = [i for i in range(0, len(names), step) if all(abs(i - place) >= step for place in marked)]
    chosen = sorted({*free, *marked})
    axis.set_ticks(chosen, [labels[i] for i in chosen], rotation=90 if is_upright else 0)
    for i, text in zip(chosen, axis.get_ticklabels(), strict=True):
        if i in marked:
            text.set(color=marked[i], fontweight="bold")


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
