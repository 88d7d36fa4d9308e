"""How series of tidy rows are drawn: lines, marks with whiskers, densities, in a grid of panels."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.errors import InputError
from stdeval.plots.layout import (
    balanced_columns,
    fit_labels,
    legend_below,
    name_axes,
    new_figure,
    panel_axes,
    shown,
    span,
)
from stdeval.plots.rows import Group, Rows, cells, groups, numbers
from stdeval.plots.style import Size, look, sheet
from stdeval.table import Bools, Floats

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SAME = 1e-12
"""What correlations that are the same differ by in the last digits."""

Draw = Callable[["Axes", Bools, int, str], "Artist"]
"""Draws rows as the i-th series, with its label, and returns what the legend shows."""


def panelled(
    panels: Sequence[Group],
    series: Sequence[Group],
    draw: Draw,
    x: str,
    y: str,
    size: Size,
    title: str | None,
    sharey: bool = True,
) -> Figure:
    """A grid of panels with the same series in each, one legend below, one label an axis."""
    where = sheet(size)
    wide = balanced_columns(len(panels), where.fits(25))
    tall = -(-len(panels) // wide) * (0.62 if wide == 1 else 0.8) * where.width / wide + 4 * where.line
    figure = new_figure(where, tall, title, [label for label, _ in series])
    handles: dict[int, Artist] = {}
    grid = panel_axes(figure, len(panels), wide, sharey=sharey)
    for axes, panel in zip(grid, panels, strict=True):
        for i, label, chosen in cells(panel, series):
            handles[i] = draw(axes, chosen, i, label)
        if len(panels) > 1:
            axes.set_title(textwrap.fill(shown(panel[0], 60), where.fits(1.35 * wide)))
    name_axes(figure, where, grid, wide, x, y)
    if len(series) > 1:
        legend_below(figure, where, [handles[i] for i in sorted(handles)])
    return figure


def plain_log(axes: Axes, values: Floats) -> None:
    """A logarithmic horizontal axis with plain numbers, where positive values span more than a power of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = span(values)
    if low <= 0 or high <= 10 * low:
        return
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(numticks=5))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())


def add_line(axes: Axes, x: Floats, y: Floats, label: str, kind: dict[str, Any]) -> Artist:
    """A line through points in the order of x, and the line for the legend."""
    order = np.argsort(x, kind="stable")
    (line,) = axes.plot(x[order], y[order], label=label, **kind)
    return line


def dots(rows: Rows, value: str, label: str, size: Size, title: str | None) -> Figure:
    """A row for each measure (and pair of collections), a mark for each scheme, whiskers from low to high."""
    kinds, series = groups(rows, ("measure", "pair")), groups(rows, ("scheme",))
    where = sheet(size)
    tall = (len(kinds) * max(1.3, 0.5 * len(series)) + 7) * where.line
    figure = new_figure(
        where, float(np.clip(tall, 0.35 * where.width, 2 * where.width)), title, [s for s, _ in series]
    )
    (axes,) = panel_axes(figure, 1, 1)
    ends = ("low", "high") if "low" in rows and "high" in rows else (value, value)
    handles = []
    for i, (name, mask) in enumerate(series):
        y = np.array([k for k, (_, kind) in enumerate(kinds) for _ in range(int((kind & mask).sum()))])
        chosen = np.concatenate([np.flatnonzero(kind & mask) for _, kind in kinds])
        y = y + 0.6 * ((i + 0.5) / len(series) - 0.5)
        x, low, high = (numbers(rows, column)[chosen] for column in (value, *ends))
        axes.hlines(y, low, high, color=look(i)["color"], linewidth=0.1 * where.font)
        handles += axes.plot(x, y, label=name, **{**look(i), "linestyle": ""})
    axes.set(ylim=(len(kinds) - 0.5, -0.5), xlabel=label, ylabel="measure, pair" if "pair" in rows else "measure")
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.5)
    if len(series) > 1:
        legend_below(figure, where, handles)
    fit_labels(figure, (axes.yaxis, [name for name, _ in kinds]))
    return figure


def densities(
    rows: Rows, column: str, panels: list[Group], series: list[Group], x: str, size: Size, title: str | None
) -> Figure:
    """Panels of densities of a column, each with its mean as an upright line; equal values are that line only."""
    values = numbers(rows, column)

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        kind = {**look(i), "marker": ""}
        least, most = span(values[chosen])
        if most - least <= SAME:  # such as the correlation of raw scores with raw scores
            return axes.axvline(least, label=label, **kind)
        points, height = density(values[chosen])
        (line,) = axes.plot(points, height, label=label, **kind)
        mean = float(np.nanmean(values[chosen]))
        axes.plot([mean, mean], [0, np.interp(mean, points, height)], **{**kind, "linewidth": 0.6})
        axes.set_ylim(bottom=0, auto=True)
        return line

    return panelled(panels, series, draw, x, "density", size, title, sharey=False)


def density(values: Floats) -> tuple[Floats, Floats]:
    """A Gaussian kernel estimate of the density of the values that are there, at 200 points (Scott's rule).

    Raises
    ------
    InputError
        If fewer than two values are there or all are equal.
    """
    from scipy.stats import gaussian_kde

    present = values[~np.isnan(values)]
    if len(present) < 2 or present.min() == present.max():
        raise InputError("values that are all equal, or fewer than two, have no density: expected several trials")
    margin = 0.15 * (present.max() - present.min())
    ends = np.array([present.min() - margin, present.max() + margin])
    if np.abs(present).max() <= 1:  # correlations
        ends = ends.clip(-1, 1)
    points = np.linspace(ends[0], ends[1], 200)
    return points, gaussian_kde(present)(points)
