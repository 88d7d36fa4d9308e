"""Figure of the differences of systems from a baseline, with intervals and effect sizes.

matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.plots.layout import fit_labels, row_height
from stdeval.plots.lines import in_lines
from stdeval.plots.marked_runs import marked_colours
from stdeval.plots.score_panels import check_lengths, score_label
from stdeval.plots.style import BETTER, NEUTRAL, Size, sheet, styled
from stdeval.plots.system_rows import draw_intervals, name_rows, row_order, rows_figure
from stdeval.short_names import short_names
from stdeval.table import Bools, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OUTCOMES: dict[str, dict[str, Any]] = {
    "differs": {"marker": "o"},
    "includes 0": {"marker": "o", "markerfacecolor": "white"},
    "untested": {"marker": "x"},
}
"""The points of systems by their intervals."""

TOLD = {"includes 0": "hollow: includes 0", "untested": "x: not tested"}
"""The meaning of points in the label, which has that of those that are drawn."""


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
    ranked: Bools | None = None,
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
    measure : str
        The measure of the scores, such as ``"map"`` or ``"Nmap"``; for the label only.
    scheme : {"raw", "z", "n", "u", "e", "m"}
        The scheme of the scores, in either case of letters; for the unit in the label only.
    intervals : str
        The kind of the intervals in words; for the label only.
    topics : str
        The topics of the differences, such as ``"188 of 225 topics"``; for the label only.
    marked : sequence of int
        The systems that are marked by a colour.
    ranked : ndarray of bool, shape (n_systems,), optional
        The systems whose differences can be compared; the others stand below them, in gray.
    size : str, float or (float, float)
        ``"column"`` (85 mm wide), ``"page"`` (175 mm), ``"slide"`` (254 mm x 142.875 mm), a width in mm, or a width
        and a height in mm.
    title : str, optional
        Stands above the figure.

    Returns
    -------
    Figure
        The greatest difference is at the top. Upright lines are at no difference. Points of systems whose interval
        includes 0 are hollow; those of systems without an interval are crosses.

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
    comparable = np.ones(len(systems), dtype=bool) if ranked is None else ranked
    order = row_order(difference, comparable)
    n, where = len(order), sheet(size)
    outcomes = np.where((low > 0) | (high < 0), "differs", np.where(np.isnan(low), "untested", "includes 0"))
    longest = where.fits(2.6)
    # with the names of the others, so that it keeps what tells it apart, and with a comma in one line
    name = short_names([baseline, *systems], min(24, longest - 1))[0]
    told = [f"difference in {score_label(measure, scheme)} from {name}", topics, intervals]
    told += [text for outcome, text in TOLD.items() if outcome in outcomes]
    label = in_lines(", ".join(filter(None, told)), longest)
    label += "" if comparable.all() else "\ngray: incomplete"
    # two labels side by side are narrow and have many lines
    figure = rows_figure(where, n + label.count("\n"), title)
    grid = figure.subplots(1, 2, sharey=True, gridspec_kw={"width_ratios": [2, 1]})
    colours = marked_colours(marked, order)
    draw_intervals(figure, grid[0], low[order], high[order], colours, where.font)
    shades = [colours.get(place, BETTER if comparable[i] else NEUTRAL) for place, i in enumerate(order)]
    dot = float(np.clip(0.8 * row_height(figure, n), 0.15 * where.font, where.font / 2))
    sizes = [max(dot, 0.4 * where.font) if place in colours else dot for place in range(n)]
    for axes, values in zip(grid, (difference, effect_size), strict=True):
        axes.axvline(0, color="black", linewidth=0.08 * where.font, zorder=1)
        _draw_points(axes, values[order], outcomes[order].tolist(), shades, sizes)
        axes.grid(axis="y", color="#DDDDDD", linewidth=0.06 * where.font)
    # a narrow panel has room for few labels
    for axes, nbins in zip(grid, (4, 2), strict=True):
        axes.locator_params(axis="x", nbins=nbins)
    grid[0].set_xlabel(label)
    grid[1].set_xlabel(in_lines("effect size (difference / sd)", where.fits(5)))
    grid[1].tick_params(left=False)
    name_rows(figure, where, grid[0], n, measure)
    names = [systems[i] for i in order]
    fit_labels(figure, (grid[0].yaxis, names), colours=colours)
    return figure


def _draw_points(
    axes: Axes, values: Floats, outcomes: Sequence[str], shades: Sequence[str], sizes: Sequence[float]
) -> None:
    """Draw the values in the order given, those that look alike at once."""
    looks: dict[tuple[str, str, float], list[int]] = {}
    for place, look in enumerate(zip(outcomes, shades, sizes, strict=True)):
        looks.setdefault(look, []).append(place)
    for (outcome, shade, dot), places in looks.items():
        shape = {**OUTCOMES[outcome], "linestyle": "", "color": shade, "zorder": 3}
        axes.plot(values[places], places, markersize=dot, markeredgewidth=0.2 * dot, **shape)
