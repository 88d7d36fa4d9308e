"""Figure of systems by mean, with intervals: Webber 2008, Figure 2.

matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from stdeval.plots.layout import fit_labels, panel_axes, row_height, shown
from stdeval.plots.lines import in_lines
from stdeval.plots.marked_runs import marked_colours
from stdeval.plots.score_panels import check_lengths, score_label
from stdeval.plots.style import BETTER, NEUTRAL, Size, sheet, styled
from stdeval.plots.system_rows import draw_intervals, name_rows, row_order, rows_figure
from stdeval.table import Bools, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@styled
def means(
    systems: Sequence[str],
    mean: Floats,
    low: Floats,
    high: Floats,
    *,
    measure: str,
    scheme: str = "raw",
    confidence: float = 0.95,
    interval: str = "marginal",
    pivot: int | None = None,
    groups: Sequence[str] = (),
    marked: Sequence[int] = (),
    ranked: Bools | None = None,
    topics: str = "",
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Draw systems by mean with confidence intervals, the best at the top: Webber 2008, Figure 2.

    Parameters
    ----------
    systems : sequence of str
    mean, low, high : ndarray, shape (n_systems,)
        The means and the ends of their intervals; NaN is missing.
    measure : str
        The measure of the scores, such as ``"map"`` or ``"Nmap"``; for the label only.
    scheme : {"raw", "z", "n", "u", "e", "m"}
        The scheme of the scores, in either case of letters; for the unit in the label only.
    confidence : float
        The confidence level of the intervals, in (0, 1); for the label only.
    interval : {"marginal", "paired", "tukey"}
        The kind of the intervals, see `stdeval.stats.comparison_intervals`; for the label only.
    pivot : int, optional
        The system from which paired intervals tell the difference; its mean is an upright line.
    groups : sequence of str
        The letters of each system's significance groups, which stand at the right; empty for none.
    marked : sequence of int
        The systems that are marked by a colour.
    ranked : ndarray of bool, shape (n_systems,), optional
        The systems whose means can be compared; the others stand below them, with gray dots.
    topics : str
        The topics of the means, such as ``"7 topics that all have"``; for the label only.
    size, title
        The size, which is column, page, slide or in mm, and the title: as in `stdeval.plots.heatmap`.

    Raises
    ------
    InputError
        If the arrays do not have one value per system, or if there is no mean.

    Examples
    --------
    >>> figure = means(["a", "b"], np.array([0.2, 0.3]), np.array([0.1, 0.2]), np.array([0.3, 0.4]), measure="map")
    >>> figure.axes[0].get_lines()[0].get_xdata()
    array([0.3, 0.2])
    """
    check_lengths("systems", len(systems), mean, low, high)
    comparable = np.ones(len(systems), dtype=bool) if ranked is None else ranked
    order = row_order(mean, comparable)
    n, n_ranked = len(order), int(comparable.sum())
    where = sheet(size)
    figure = rows_figure(where, n, title)
    (axes,) = panel_axes(figure, 1, 1)
    colours = marked_colours(marked, order)
    draw_intervals(figure, axes, low[order], high[order], colours, where.font)
    _draw_means(axes, mean[order], n_ranked, colours, row_height(figure, n), where.font)
    if pivot is not None:
        axes.axvline(mean[pivot], color="black", linewidth=0.08 * where.font, zorder=1)
    against = "" if pivot is None else shown(systems[pivot])
    kind = _interval_label(interval, confidence, against, n_ranked - 1, has_letters=bool(groups))
    told = [f"mean {score_label(measure, scheme)}", topics, kind if np.isfinite(high - low).any() else ""]
    # the names of the systems leave at least 0.6 of the width to the label, which is in the middle of the axes
    label = in_lines(", ".join(filter(None, told)), where.fits(1.65))
    axes.set_xlabel(label + ("" if n_ranked == n else "\ngray: incomplete"))
    name_rows(figure, where, axes, n, measure)
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.06 * where.font)
    names = [systems[i] for i in order]
    fit_labels(figure, (axes.yaxis, names), colours=colours)
    if groups:
        _draw_groups(figure, axes, [groups[i] for i in order], colours)
    return figure


def _interval_label(interval: str, confidence: float, pivot: str, n_pairs: int, *, has_letters: bool) -> str:
    """Return the kind of the intervals in words."""
    uncorrected = f", not corrected for {n_pairs} pairs" if n_pairs > 1 else ""
    percent = f"{100 * confidence:g}%"
    letters = "; runs with a letter in common do not" if has_letters else ""
    return {
        "marginal": f"{percent} t intervals",
        "paired": f"{percent} paired t intervals of the difference from {pivot} (line){uncorrected}",
        "tukey": f"{percent} Tukey intervals: two that do not meet differ{letters}",
    }[interval]


def _draw_means(axes: Axes, mean: Floats, n_ranked: int, colours: dict[int, str], tall: float, font: float) -> None:
    """Draw means in the order given; those of systems that are not ranked are gray."""
    places = np.arange(len(mean))
    # dots are smaller where rows are lower, so that they do not overlap
    dot = float(np.clip(0.8 * tall, 0.1 * font, font / 2))
    for part, color in ((slice(None, n_ranked), BETTER), (slice(n_ranked, None), NEUTRAL)):
        if len(mean[part]):
            axes.plot(mean[part], places[part], "o", color=color, markersize=dot)
    for place, color in colours.items():
        axes.plot(mean[place], place, "o", color=color, markersize=max(dot, 0.4 * font))


def _draw_groups(figure: Figure, axes: Axes, groups: Sequence[str], colours: dict[int, str]) -> None:
    """Write the significance groups at the right, at the places whose labels are drawn."""
    right = axes.twinx()
    right.set_ylim(axes.get_ylim())
    right.tick_params(length=0)
    fit_labels(figure, (right.yaxis, groups), colours=colours)
