"""Legends below the axes, in as many columns as fit.

matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from stdeval.plots.style import MM_PER_INCH, POINTS_PER_INCH, Sheet
from stdeval.plots.text_sizes import text_width
from stdeval.short_names import short_fields, short_names

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

LONGEST, SHORTEST = 40, 20
"""Characters of a label: longer labels are shortened, down to the second number if that saves rows."""

SHORT = 28
"""Characters of labels that stay as they are: names of marked runs are short already, and must be told apart."""

MANY_ROWS, ENOUGH_ROWS = 6, 4
"""Labels of legends with as many rows as the first number are shortened, for more columns and fewer rows, but no
further than for the second number."""

_AROUND = 6.4
"""Width of the line beside a label and of the space around both, with some to spare, in sizes of the font."""


def legend_layout(where: Sheet, labels: Sequence[str]) -> tuple[list[str], int]:
    """Return the labels of a legend, shortened if need be, and the number of columns in which they fit.

    Labels of a legend of `MANY_ROWS` lose no more than it takes to have `ENOUGH_ROWS`, or the fewest rows that are
    possible.
    """
    choices, is_short = [], max(map(len, labels), default=0) <= SHORT
    for limit in range(LONGEST, SHORTEST - 1, -4):
        short = _short_labels(labels, limit)
        columns = _columns(where, short)
        rows = ceil(len(short) / columns)
        choices.append((rows, short, columns))
        if is_short or rows <= ENOUGH_ROWS or choices[0][0] < MANY_ROWS:
            break
    _, chosen, columns = min(choices, key=lambda choice: choice[0])
    return chosen, columns


def _short_labels(labels: Sequence[str], limit: int) -> list[str]:
    """Return labels of at most `limit` characters, with all of their fields if shorter fields suffice."""
    for longest in range(limit, 7, -1):
        texts = short_fields(labels, longest)
        if max(map(len, texts), default=0) <= limit:
            return texts
    return short_names(labels, limit)


def _columns(where: Sheet, labels: Sequence[str]) -> int:
    """Return the number of columns in which labels fit beside each other, in rows that are as full as possible."""
    import matplotlib

    settings: Any = matplotlib.rcParams
    size = float(settings["legend.fontsize"])
    widest = max((text_width(label, size) for label in labels), default=0.0) + _AROUND * size
    n = max(1, len(labels))
    fitting = max(1, int(where.width / MM_PER_INCH * POINTS_PER_INCH / widest))
    return ceil(n / ceil(n / fitting))


def legend_rows(where: Sheet, labels: Sequence[str]) -> int:
    """Return the number of rows of a legend below the axes; 0 without labels."""
    return ceil(len(labels) / legend_layout(where, labels)[1])


def legend_below(
    figure: Figure, where: Sheet, handles: Sequence[Artist], markerscale: float = 1.0, title: str = ""
) -> None:
    """Add a legend below the axes, where it covers no data."""
    labels, columns = legend_layout(where, [str(handle.get_label()) for handle in handles])
    figure.legend(
        handles=list(handles),
        labels=labels,
        loc="outside lower center",
        ncols=columns,
        markerscale=markerscale,
        title=title or None,
    )
