"""Panels of series of tidy rows: lines, marks with whiskers, densities.

matplotlib and scipy.stats are imported inside the functions, so that `stdeval.plots` can be imported without them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.errors import InputError
from stdeval.noise import decimals, rounded
from stdeval.plots.fitting import LOG_TICKS
from stdeval.plots.layout import (
    balanced_columns,
    fit_labels,
    name_axes,
    new_figure,
    panel_axes,
    shown,
    span,
)
from stdeval.plots.legends import legend_below
from stdeval.plots.lines import LONGEST_WORD, in_lines, longest_part, width
from stdeval.plots.number_texts import plain
from stdeval.plots.style import Size, look, sheet, thin_line
from stdeval.plots.tidy_rows import Group, Rows, aligned, cells, groups, numbers, shared_field, unsaid
from stdeval.short_names import SEPARATOR, short_fields
from stdeval.table import Bools, Floats

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Draw = Callable[["Axes", Bools, int, str], "Artist"]
"""Draws the chosen rows as the i-th series, with its label, and returns its entry in the legend."""


TITLE_LINES = 3
"""Number of lines of the titles of panels, which would otherwise be higher than the panels."""


def draw_panels(
    rows: Rows,
    panels: Sequence[Group],
    series: Sequence[Group],
    draw: Draw,
    x: str,
    y: str,
    size: Size,
    title: str | None,
    sharey: bool = True,
    sharex: bool = False,
    legend: str = "",
) -> Figure:
    """Draw a grid of panels with the same series in each, one legend below and one label per axis.

    Conditions that all rows have stand above the only panel, or once for all panels beside the axis.

    Parameters
    ----------
    rows : mapping of columns
    panels, series : sequence of Group
        A series is drawn in each panel in which it has rows, and looks the same in all of them.
    draw : Draw
    x, y : str
        The labels of the axes.
    size, title
        The size, which is column, page, slide or in mm, and the title: as in `stdeval.plots.heatmap`.
    sharey : bool
        If True, all panels have the same limits of the vertical axis.
    sharex : bool
        If True, all panels have the same horizontal axis, with ticks at the lowest ones.
    legend : str
        The title of the legend, if the series have labels that do not speak for themselves.
    """
    where = sheet(size)
    names = [name for name, _ in panels]
    places, repeat = aligned(names)
    wide = balanced_columns(where, max(places) + 1, 25, repeat)
    # without a legend, the only series is named beside the conditions
    only = shown(series[0][0], 60) if len(series) == 1 else ""
    only = f"{legend} ({only})" if legend and only else only
    told = SEPARATOR.join(filter(None, [unsaid(rows, [*panels, *series]), only]))
    above, beside = (told, "") if len(panels) == 1 else ("", told)
    named = [", ".join(dict.fromkeys(filter(None, [name, above]))) for name in names]
    titles = _in_title_lines(named, where.fits(1.35 * wide))
    high, lines = ceil((max(places) + 1) / wide), max(name.count("\n") for name in titles)
    tall = high * ((0.62 if wide == 1 else 0.8) * where.width / wide + lines * where.line) + 4 * where.line
    figure = new_figure(where, tall, title, [*filter(None, [legend]), *(label for label, _ in series)])
    handles: dict[int, Artist] = {}
    grid = panel_axes(figure, len(panels), wide, places, sharex=sharex, sharey=sharey)
    for axes, panel, name in zip(grid, panels, titles, strict=True):
        for i, label, chosen in cells(panel, series):
            handles[i] = draw(axes, chosen, i, label)
        if name:
            axes.set_title(name)
    name_axes(figure, where, grid, wide, x, ": ".join(filter(None, [beside, y])), places)
    if len(series) > 1:
        legend_below(figure, where, [handles[i] for i in sorted(handles)], title=legend)
    return figure


def _in_title_lines(names: Sequence[str], limit: int) -> list[str]:
    r"""Return the names of panels in lines, with fields so short that none has more than `TITLE_LINES`.

    Examples
    --------
    >>> _in_title_lines(["monot5-base-title-rm3-expansion, AP", "monot5-base-title-expansion, AP"], 14)
    ['monot5-base-\ntitle-rm3-\nexpansion, AP', 'monot5-base-\ntitle-\nexpansion, AP']
    """
    for longest in range(60, 7, -2):
        texts = [in_lines(name, limit) for name in short_fields(names, longest)]
        lines = [text.split("\n") for text in texts]
        # the layout may break lines of this length again, but not shorter words
        has_whole_words = max(map(longest_part, texts)) <= max(LONGEST_WORD, limit - 2)
        fits = max(map(len, lines)) <= TITLE_LINES and max(width(line) for each in lines for line in each) <= limit
        if fits and has_whole_words:
            break
    return texts


def plain_log(axes: Axes, values: Floats, which: str = "x") -> bool:
    """Make an axis logarithmic if its values are positive and span over a power of ten; return True if it is."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = span(values)
    if low <= 0 or high <= 10 * low:
        return False
    axis = axes.xaxis if which == "x" else axes.yaxis
    axes.set(**{f"{which}scale": "log"})
    # powers of ten alone would be one or two ticks; the layout takes some away where labels would touch
    subs = LOG_TICKS[0] if high < 100 * low else LOG_TICKS[-1]
    axis.set_major_locator(LogLocator(subs=subs, numticks=5))
    axis.set_major_formatter(FuncFormatter(plain))
    # powers of ten without labels have small ticks, and over few of them their multiples too
    some = {"subs": range(1, 10)} if high < 10_000 * low else {"subs": (1.0,), "numticks": 99}
    axis.set_minor_locator(LogLocator(**some))
    axis.set_minor_formatter(NullFormatter())
    return True


def whole_numbers(axes: Axes) -> None:
    """Put the ticks of a horizontal axis of numbers of systems, topics and so on at whole numbers."""
    locator: Any = axes.xaxis.get_major_locator()
    locator.set_params(integer=True, min_n_ticks=1)


def add_line(axes: Axes, x: Floats, y: Floats, label: str, kind: dict[str, Any]) -> Artist:
    """Draw a line through points in the order of x, and return it for the legend."""
    order = np.argsort(x, kind="stable")
    (line,) = axes.plot(x[order], y[order], label=label, **kind)
    return line


def draw_dots(
    rows: Rows, value: str, label: str, size: Size, title: str | None, percentiles: bool = False
) -> Figure:
    """Draw a row of marks per measure (and pair of collections), one mark per scheme, whiskers from low to high."""
    named = [name for name in ("measure", "pair") if len({*rows.get(name, ())}) > 1] or ["measure"]
    level = () if shared_field(rows, "alpha") else ("alpha",)
    conditions = ("collection", "scheme", "test", "confidence", *level)
    kinds, series = groups(rows, named), groups(rows, conditions)
    where = sheet(size)
    tall = (len(kinds) * max(1.3, 0.5 * len(series)) + 7) * where.line
    shared = groups(rows, [name for name in ("measure", "pair") if name not in named])[0][0]
    told = unsaid(rows, [*kinds, *(series if len(series) > 1 else [])])
    above = SEPARATOR.join(filter(None, [shared, told]))
    height = float(np.clip(tall, 0.35 * where.width, 2 * where.width)) + (1.5 * where.line if above else 0)
    figure = new_figure(where, height, title, [name for name, _ in series])
    (axes,) = panel_axes(figure, 1, 1)
    ends = ("low", "high") if "low" in rows and "high" in rows else (value, value)
    # percentiles are not errors of the value, which may lie outside them: a band rather than whiskers
    band: dict[str, Any] = (
        {"linewidth": 0.6 * where.font, "alpha": 0.35} if percentiles else {"linewidth": 0.1 * where.font}
    )
    handles = []
    for i, (name, mask) in enumerate(series):
        y = np.array([k for k, (_, kind) in enumerate(kinds) for _ in range(int((kind & mask).sum()))])
        chosen = np.concatenate([np.flatnonzero(kind & mask) for _, kind in kinds])
        # the marks of one measure stand side by side, so that none hides another
        y = y + 0.6 * ((i + 0.5) / len(series) - 0.5)
        x, low, high = (numbers(rows, column)[chosen] for column in (value, *ends))
        axes.hlines(y, low, high, color=look(i)["color"], **band)
        handles += axes.plot(x, y, label=name, **{**look(i), "linestyle": ""})
    axes.set_title(above)
    axes.set(ylim=(len(kinds) - 0.5, -0.5), xlabel=label, ylabel=", ".join(named))
    axes.grid(axis="y", color="#DDDDDD", linewidth=thin_line())
    if len(series) > 1:
        legend_below(figure, where, handles)
    fit_labels(figure, (axes.yaxis, [name for name, _ in kinds]))
    return figure


def draw_densities(
    rows: Rows, column: str, panels: list[Group], series: list[Group], x: str, size: Size, title: str | None
) -> Figure:
    """Draw the density of a column, with its mean as an upright line; equal values are only that line."""
    values = numbers(rows, column)

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        kind = {**look(i), "marker": ""}
        low, high = span(values[chosen])
        # equal values, such as correlations of the raw ranking with itself, have no density
        if rounded(high - low, decimals(1.0)) == 0:  # correlations, which are at most 1
            line = axes.axvline(low, label=label, **kind)
            if len(axes.get_lines()) == 1:  # a line of any height would leave densities below 0 on the axis
                axes.set_ylim(0, 1, auto=True)
            return line
        points, height = density(values[chosen])
        (line,) = axes.plot(points, height, label=label, **kind)
        mean = float(np.nanmean(values[chosen]))
        axes.plot([mean, mean], [0, np.interp(mean, points, height)], **{**kind, "linewidth": thin_line()})
        axes.set_ylim(bottom=0, auto=True)
        return line

    return draw_panels(rows, panels, series, draw, x, "density and mean", size, title, sharey=False)


def density(values: Floats) -> tuple[Floats, Floats]:
    """Estimate a density with a Gaussian kernel (Scott's rule), ignoring NaN.

    Returns
    -------
    points, heights : ndarray, shape (200,)
        The points reach a little beyond the values, but not beyond -1 and 1 if no value does.

    Raises
    ------
    InputError
        If there are fewer than two values, or if all values are equal.
    """
    from scipy.stats import gaussian_kde

    present = values[~np.isnan(values)]
    if len(present) < 2 or present.min() == present.max():
        raise InputError(
            "values that are all equal or undefined, or fewer than two, have no density: expected several trials"
        )
    margin = 0.15 * (present.max() - present.min())
    ends = np.array([present.min() - margin, present.max() + margin])
    # values in [-1, 1] are correlations, and no correlation lies outside
    if np.abs(present).max() <= 1:
        ends = ends.clip(-1, 1)
    points = np.linspace(ends[0], ends[1], 200)
    return points, gaussian_kde(present)(points)
