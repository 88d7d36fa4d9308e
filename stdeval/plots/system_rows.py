"""Figures with one row for each system: the order of the rows, their names, and their intervals.

matplotlib is imported by the callers, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stdeval.noise import decimals, rounded
from stdeval.plots.layout import fill_height, new_figure, row_height
from stdeval.plots.score_panels import with_direction
from stdeval.plots.style import NEUTRAL, Sheet
from stdeval.table import Bools, Floats, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def row_order(values: Floats, ranked: Bools) -> Ints:
    """Return the systems in descending order of their values, those that are not ranked last.

    Examples
    --------
    >>> row_order(np.array([0.2, 0.3, 0.4]), np.array([True, True, False]))
    array([1, 0, 2])
    """
    return np.lexsort((-rounded(values, decimals(values)), ~ranked))


def with_topic_counts(systems: Sequence[str], counts: Sequence[int]) -> Sequence[str]:
    """Return the names of systems, with the number of topics where it is not that of most.

    Names have little room, so those of most stay as they are.

    Examples
    --------
    >>> with_topic_counts(["a", "b", "c"], [50, 50, 48]), with_topic_counts(["a", "b"], [50, 48])
    (['a', 'b', 'c (n=48)'], ['a (n=50)', 'b (n=48)'])
    """
    (usual, number), *_ = Counter(counts).most_common(1) or [(0, 0)]
    told = {usual} if 2 * number > len(counts) else set()
    return [name if n in told else f"{name} (n={n})" for name, n in zip(systems, counts, strict=True)]


def rows_figure(where: Sheet, n: int, title: str | None) -> Figure:
    """Return an empty figure that is high enough for n rows."""
    return new_figure(where, max(0.4 * where.width, min((n + 6) * 1.2 * where.line, 2 * where.width)), title)


def name_rows(figure: Figure, where: Sheet, axes: Axes, n: int, measure: str) -> None:
    """Put the first of n rows at the top, and label their axis with their order."""
    axes.set_ylim(n - 0.5, -0.5)
    axes.set_ylabel(fill_height(figure, where, with_direction("system, highest first", measure)))


def draw_intervals(
    figure: Figure, axes: Axes, low: Floats, high: Floats, colours: Mapping[int, str], font: float
) -> None:
    """Draw the interval of each row; the lower the rows are, the thinner, so that intervals do not touch."""
    thickness = float(np.clip(0.3 * row_height(figure, len(low)), 0.05 * font, 0.2 * font))
    shades = [colours.get(i, NEUTRAL) for i in range(len(low))]
    axes.hlines(np.arange(len(low)), low, high, color=shades, linewidth=thickness)
