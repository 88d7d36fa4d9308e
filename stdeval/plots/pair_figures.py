"""Figures of two systems topic by topic.

matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from stdeval.plots.layout import fill_height, fit_labels, legend_below, new_figure, panel_axes, shown
from stdeval.plots.score_panels import check_lengths, score_label
from stdeval.plots.style import BETTER, NEUTRAL, WORSE, Size, sheet, styled
from stdeval.table import Floats

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@styled
def compare(
    topics: Sequence[str],
    differences: Floats,
    interval: tuple[float, float] | None = None,
    *,
    measure: str,
    scheme: str = "raw",
    systems: tuple[str, str] = ("A", "B"),
    confidence: float = 0.95,
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Draw the differences of two systems per topic in descending order, their mean and its confidence interval.

    Parameters
    ----------
    topics : sequence of str
    differences : ndarray, shape (n_topics,)
        Scores of the first system minus scores of the second; topics with NaN are left out.
    interval : (float, float), optional
        The ends of the interval of the mean difference.
    measure, scheme
        As in `means`.
    systems : (str, str)
        The names of the two systems.
    confidence : float
        The confidence level of the interval, in (0, 1); for the label only.
    size, title
        As in `stdeval.plots.heatmap`.

    Raises
    ------
    InputError
        If there is not one difference per topic, or if there is no difference.

    Examples
    --------
    >>> figure = compare(["1", "2"], np.array([-0.1, 0.3]), (-0.05, 0.25), measure="map")
    >>> [round(float(bar.get_height()), 2) for bar in figure.axes[0].patches[:2]]
    [0.3, -0.1]
    """
    check_lengths("topics", len(topics), differences)
    present = np.flatnonzero(~np.isnan(differences))
    order = present[np.argsort(-differences[present], kind="stable")]
    ordered = differences[order]
    where = sheet(size)
    figure = new_figure(where, 0.6 * where.width, title, [*systems, "mean"])
    (axes,) = panel_axes(figure, 1, 1)
    axes.bar(np.arange(len(order)), ordered, width=0.9, color=np.where(ordered > 0, BETTER, WORSE))
    axes.axhline(0, color="black", linewidth=0.08 * where.font)
    handles = [*_sides(ordered, systems), *_draw_mean(axes, float(ordered.mean()), interval, confidence)]
    axes.set_xlim(-0.5 - 0.01 * len(order), len(order) - 0.5 + 0.01 * len(order))
    axes.set_xlabel("topic, by difference")
    axes.set_ylabel(fill_height(figure, where, f"difference in {score_label(measure, scheme)}", 2))
    legend_below(figure, where, handles)
    fit_labels(figure, (axes.xaxis, [topics[i] for i in order]))
    return figure


def _sides(differences: Floats, systems: tuple[str, str]) -> list[Artist]:
    """Return the legend of the two colours: on how many topics each system is higher."""
    from matplotlib.patches import Patch

    n_higher = (int((differences > 0).sum()), int((differences < 0).sum()))
    return [
        Patch(color=colour, label=f"{shown(name, 22)} higher: {n}")
        for colour, name, n in zip((BETTER, WORSE), systems, n_higher, strict=True)
    ]


def _draw_mean(axes: Axes, mean: float, interval: tuple[float, float] | None, confidence: float) -> list[Artist]:
    """Draw the mean and, if it is given, the interval; return them for the legend."""
    line = axes.axhline(mean, color="black", linestyle="--", label=f"mean {mean:.4f}")
    if interval is None:
        return [line]
    band = axes.axhspan(*interval, color=NEUTRAL, alpha=0.35, label=f"its {100 * confidence:g}% interval")
    return [line, band]
