"""Figures of the effect of standardization: Urbano 2019, Figure 1.

References
----------
J. Urbano, H. Lima, A. Hanjalic. A new perspective on score standardization. SIGIR 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.errors import InputError
from stdeval.measures.names import is_better_higher
from stdeval.noise import decimals, rounded
from stdeval.plots.layout import (
    grid_columns,
    legend_below,
    name_axes,
    name_places,
    new_figure,
    padded,
    panel_axes,
    short_names,
    span,
    upright,
)
from stdeval.plots.score_figures import Panel, score_label, score_panels, shown_scheme, with_direction
from stdeval.plots.style import (
    BETTER,
    NEUTRAL,
    THIN,
    WORSE,
    Sheet,
    Size,
    colours_on_white,
    marked_look,
    sheet,
    styled,
)
from stdeval.stats.aggregates import moments
from stdeval.table import Floats, ScoreTable

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MANY_POINTS, MANY_VERTICES = 2_000, 20_000
"""Beyond these numbers, the points or the curves of a panel are drawn as one image in svg and pdf: as single shapes
they would take megabytes."""


@styled
def mapping(
    raw: ScoreTable,
    tables: Mapping[str, ScoreTable],
    curves: Mapping[str, Sequence[Floats]],
    *,
    topic_means: Floats | None = None,
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Draw raw to standardized scores, one curve per topic, observed scores as points: Urbano 2019, Figure 1 top.

    Curves and points have the colour of the topic's mean reference score.

    Parameters
    ----------
    raw : ScoreTable
        Raw scores by one measure.
    tables : mapping of str to ScoreTable
        The panels: the scores standardized by each scheme, as in `stdeval.plots.heatmap`.
    curves : mapping of str to sequence of n_topics ndarrays, shape (n_points, 2)
        The mapping of each topic by the same schemes, from `stdeval.standardization.schemes.mapping_curves`.
    topic_means : ndarray, shape (n_topics,), optional
        The means of the reference scores, if the systems are not their own references.
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> from stdeval.standardization.schemes import mapping_curves
    >>> from stdeval.standardization.factors import fit_factors
    >>> from stdeval.standardization.schemes import standardize
    >>> raw = ScoreTable(("a", "b"), ("1",), ("map",), np.array([[[0.25]], [[0.75]]]))
    >>> curves = mapping_curves(raw, fit_factors(raw), "z")
    >>> points = mapping(raw, {"z": standardize(raw, scheme="z")}, {"z": curves}).axes[0].collections[1]
    >>> points.get_offsets().data.round(3)
    array([[ 0.25 , -0.707],
           [ 0.75 ,  0.707]])
    """
    from matplotlib.colors import Normalize

    panels = score_panels(tables, raw)
    without = [scheme for scheme in tables if scheme not in curves]
    if without:
        raise InputError(f"no curves of scheme '{without[0]}', expected those of: {', '.join(tables)}")
    where = sheet(size)
    wide = grid_columns(where, len(panels), 22)
    rows = ceil(len(panels) / wide)
    figure = new_figure(where, rows * 0.75 * where.width / max(wide, 1.4) + 12 * where.line, title)
    grid = panel_axes(figure, len(panels), wide, sharex=True)
    raw_scores, label = raw.values[:, :, 0], score_label(raw.measures[0])
    means = moments(raw_scores)[0] if topic_means is None else topic_means
    # all panels share one scale of colours
    shades = {"cmap": colours_on_white(), "norm": Normalize(*span(means))}
    for axes, panel in zip(grid, panels, strict=True):
        _draw_mapping(axes, panel, raw_scores, curves[panel.scheme], means, shades)
        axes.set_ylabel(upright(figure, where, panel.label, rows))
    name_axes(figure, where, grid, wide, with_direction(label, raw.measures[0]))
    points = grid[0].collections[1]
    bar = figure.colorbar(points, ax=grid, location="top", aspect=30 * wide, pad=0.02)
    bar.set_label(f"topic mean of {label}" if topic_means is None else f"mean of the references, {label}")
    return figure


def _draw_mapping(
    axes: Axes, panel: Panel, raw: Floats, curves: Sequence[Floats], means: Floats, shades: dict[str, Any]
) -> None:
    """Draw the curves of a panel, and then the points over them."""
    from matplotlib.collections import LineCollection

    lines = LineCollection(list(curves), array=means, alpha=0.5, **shades)
    lines.set(linewidth=THIN, rasterized=len(curves) * len(curves[0]) > MANY_VERTICES)
    axes.add_collection(lines)
    present = ~np.isnan(raw) & ~np.isnan(panel.scores)
    shade = np.broadcast_to(means, raw.shape)[present]
    points = axes.scatter(raw[present], panel.scores[present], s=2, c=shade, linewidths=0, **shades)
    points.set_rasterized(raw.size > MANY_POINTS)
    axes.set_xlim(*padded(*span(raw)))
    axes.set_ylim(*padded(*span(panel.scores)))


@styled
def topics(
    raw: ScoreTable,
    tables: Mapping[str, ScoreTable],
    *,
    marked: Sequence[int] = (),
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Draw a box for the scores of each topic, in the order of the mean raw score: Urbano 2019, Figure 1 bottom.

    A box holds the middle half of the scores with their median, whiskers reach to the last score within 1.5 times
    the height of the box, scores beyond are small points, and the means are marked. With `marked` systems, boxes
    are those of all others; the best score of these on each topic is marked instead of the mean.

    Parameters
    ----------
    raw : ScoreTable
        Raw scores by one measure, which order the topics; they are drawn only if `tables` has them too.
    tables : mapping of str to ScoreTable
        The panels: scores by one measure, under ``"raw"`` or the letter of their scheme; all of the same systems
        and topics as ``raw``.
    marked : sequence of int
        The systems whose scores are drawn as points over the boxes of the others.
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.array([[[0.5], [0.1]], [[0.7], [0.3]]]))
    >>> topics(table, {"raw": table}).axes[0].get_lines()[-1].get_ydata().round(3)
    array([0.2, 0.6])
    """
    panels = score_panels(tables, raw)
    others = np.setdiff1d(np.arange(len(raw.systems)), marked)
    if not len(others):
        raise InputError(f"all {len(raw.systems)} systems are marked, expected others to mark them among")
    boxed = raw.values[others, :, 0]
    order = np.argsort(rounded(moments(boxed)[0], decimals(boxed)), kind="stable")
    where = sheet(size)
    wide = grid_columns(where, len(panels), 40)
    rows = ceil(len(panels) / wide)
    tall = rows * 0.4 * where.width / wide + 6 * where.line
    whose = " of the others" if marked else ""
    labels = [f"{mark}{whose}" for mark in ("middle half", "median", "best" if marked else "mean")]
    labels += ["beyond the whiskers", *short_names([raw.systems[i] for i in marked], 24)]
    figure = new_figure(where, tall, title, labels)
    grid = panel_axes(figure, len(panels), wide, sharex=True)
    best = (np.nanmax if is_better_higher(raw.measures[0]) else np.nanmin) if marked else None
    for axes, panel in zip(grid, panels, strict=True):
        scores = panel.scores[:, order]
        marks = _draw_boxes(axes, scores[others], where, best)
        marks += [_draw_points(axes, scores[i], where, marked_look(k)) for k, i in enumerate(marked)]
        axes.set_ylabel(upright(figure, where, with_direction(panel.label, raw.measures[0]), rows))
        axes.set_ylim(*padded(*span(panel.scores)))
    name_axes(figure, where, grid, wide, f"topic, by mean {shown_scheme(raw.measures[0])} score{whose}")
    for mark, label in zip(marks, labels, strict=True):
        mark.set_label(label)
    legend_below(figure, where, marks, markerscale=1 if marked else 2)
    for axes in grid[-wide:]:
        name_places(axes.xaxis, [raw.topics[i] for i in order], where, 0.85 * where.width / wide)
    return figure


def _draw_points(axes: Axes, scores: Floats, where: Sheet, look: dict[str, Any]) -> Artist:
    """Draw the scores of a marked system, a point per topic, and return them for the legend."""
    large = float(np.clip(40 * where.font / len(scores), 0.18 * where.font, 0.4 * where.font))
    kind = {**look, "linestyle": "", "markersize": large, "markeredgewidth": 0.03 * where.font}
    (points,) = axes.plot(np.arange(len(scores)), scores, markeredgecolor="white", zorder=2.5, **kind)
    return points


def _draw_boxes(axes: Axes, scores: Floats, where: Sheet, best: Callable[[Floats], float] | None) -> list[Artist]:
    """Draw a box per column of scores; return boxes, medians, means or best scores, and outliers for the legend."""
    from matplotlib.cbook import boxplot_stats

    n, font = scores.shape[1], where.font
    fine = float(np.clip(12 * font / n, 0.03 * font, 0.12 * font))
    boxes = boxplot_stats([column[~np.isnan(column)] for column in scores.T])
    # the edges of very narrow boxes would hide their insides
    edge = {"edgecolor": NEUTRAL, "linewidth": 0.5 * fine if n <= 100 else 0}
    point = {"marker": ".", "markerfacecolor": NEUTRAL, "markeredgewidth": 0, "markersize": fine + 0.1 * font}
    drawn = axes.bxp(
        boxes,
        positions=range(n),
        widths=0.76,
        patch_artist=True,
        showcaps=False,
        manage_ticks=False,
        boxprops={"facecolor": "#A6CEE8", **edge},
        whiskerprops={"color": NEUTRAL, "linewidth": fine},
        medianprops={"color": "black", "linewidth": 1.5 * fine},
        flierprops=point,
    )
    if best is None:
        kind: dict[str, Any] = {"marker": "o", "color": WORSE, "markersize": 2.5 * fine + 0.06 * font}
        marked = [box["mean"] for box in boxes]
    else:
        kind = {"marker": "_", "color": BETTER, "markersize": 5 * fine + 0.14 * font}
        marked = [np.nan if np.isnan(column).all() else best(column) for column in scores.T]
    kind["markeredgewidth"] = 0 if best is None else 0.08 * font
    (marks,) = axes.plot(range(n), marked, linestyle="", **kind)
    axes.set_xlim(-1, n)
    return [drawn["boxes"][0], drawn["medians"][0], marks, drawn["fliers"][0]]
