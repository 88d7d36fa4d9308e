"""Figure of the differences of systems from a baseline, with intervals and effect sizes.

matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.plots.layout import fill_height, fit_labels, new_figure, row_height, shown
from stdeval.plots.marked_runs import marked_colours
from stdeval.plots.score_panels import check_lengths, score_label
from stdeval.plots.style import BETTER, NEUTRAL, Size, sheet, styled
from stdeval.stats.noise import decimals, rounded
from stdeval.table import Bools, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@styled
def forest(
    systems: Sequence[str],
    difference: Floats,
    low: Floats,
    high: Floats,
    effect_size: Floats,
    *,
    baseline: str,
    measure: str,
    scheme: str = "raw",
    intervals: str = "95% intervals",
    topics: str = "",
    marked: Sequence[int] = (),
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Draw the differences of systems from a baseline with their intervals, and the effect sizes beside them.

    Parameters
    ----------
    systems : sequence of str
        The systems that are compared with the baseline.
    difference, low, high : ndarray, shape (n_systems,)
        The mean differences, system minus baseline, and the ends of their intervals; NaN is missing.
    effect_size : ndarray, shape (n_systems,)
        The differences divided by their standard deviations over topics.
    baseline : str
        The name of the baseline.
    measure, scheme
        As in `stdeval.plots.means`.
    intervals : str
        The kind of the intervals in words; for the label only.
    topics : str
        The topics of the differences, such as ``"188 of 225 topics"``; for the label only.
    marked : sequence of int
        The systems that are marked by a colour.
    size, title
        As in `stdeval.plots.heatmap`.

    Returns
    -------
    Figure
        The greatest difference is at the top. Upright lines are at no difference; points of systems whose interval
        contains 0 are hollow.

    Raises
    ------
    InputError
        If the arrays do not have one value per system, or if there is no difference.

    Examples
    --------
    >>> ends = np.array([-0.1, 0.1]), np.array([0.2, 0.3])
    >>> effects = np.array([0.2, 0.7])
    >>> figure = forest(["a", "b"], np.array([0.05, 0.2]), *ends, effects, baseline="c", measure="map")
    >>> [axes.get_lines()[1].get_xdata().tolist() for axes in figure.axes]
    [[0.2], [0.7]]
    """
    check_lengths("systems", len(systems), difference, low, high, effect_size)
    order = np.argsort(-rounded(difference, decimals(difference)), kind="stable")
    n, where = len(order), sheet(size)
    tall = min((n + 6) * 1.2 * where.line, 2 * where.width)
    figure = new_figure(where, max(0.4 * where.width, tall), title)
    grid = figure.subplots(1, 2, sharey=True, gridspec_kw={"width_ratios": [2, 1]})
    differs = ((low > 0) | (high < 0))[order]
    colours = marked_colours(marked, order)
    tall_row = row_height(figure, n)
    thickness = float(np.clip(0.3 * tall_row, 0.05 * where.font, 0.2 * where.font))
    shades = [colours.get(i, NEUTRAL) for i in range(n)]
    grid[0].hlines(np.arange(n), low[order], high[order], color=shades, linewidth=thickness)
    for axes, values in zip(grid, (difference, effect_size), strict=True):
        _draw_points(axes, values[order], differs, colours, tall_row, where.font)
        axes.grid(axis="y", color="#DDDDDD", linewidth=0.06 * where.font)
    # the labels of a narrow panel need more room than they have at every step
    for axes, nbins in zip(grid, (4, 2), strict=True):
        axes.locator_params(axis="x", nbins=nbins)
    grid[0].set_ylim(n - 0.5, -0.5)
    difference_told = f"difference in {score_label(measure, scheme)} from {shown(baseline)}"
    told = ", ".join(filter(None, [difference_told, topics, intervals, "hollow: with 0"]))
    grid[0].set_xlabel(textwrap.fill(told, where.fits(2.6)))
    grid[1].set_xlabel(textwrap.fill("effect size (difference / sd)", where.fits(5)))
    grid[1].tick_params(left=False)
    grid[0].set_ylabel(fill_height(figure, where, "system, highest first"))
    names = [systems[i] for i in order]
    fit_labels(figure, (grid[0].yaxis, names), colours=colours)
    return figure


def _draw_points(
    axes: Axes, values: Floats, differs: Bools, colours: dict[int, str], tall: float, font: float
) -> None:
    """Draw a line at 0 and the values in the order given, full where systems differ and hollow elsewhere."""
    axes.axvline(0, color="black", linewidth=0.08 * font, zorder=1)
    dot = float(np.clip(0.8 * tall, 0.15 * font, font / 2))
    places = np.arange(len(values))
    is_plain = np.array([place not in colours for place in places])
    for fill, part in (("full", differs), ("none", ~differs)):
        kind: dict[str, Any] = {
            "linestyle": "",
            "marker": "o",
            "markersize": dot,
            "markeredgewidth": 0.2 * dot,
            "zorder": 3,
        }
        shape: dict[str, Any] = {**kind, "markerfacecolor": None if fill == "full" else "white"}
        if (part & is_plain).any():
            axes.plot(values[part & is_plain], places[part & is_plain], color=BETTER, **shape)
        for place in (place for place in colours if part[place]):
            axes.plot(values[place], place, color=colours[place], **{**shape, "markersize": max(dot, 0.4 * font)})
