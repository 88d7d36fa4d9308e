"""Figures of the effect of standardization (Urbano, Lima, Hanjalic, SIGIR 2019), and of the weights of ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.measures.names import publication_name
from stdeval.noise import decimals, rounded
from stdeval.plots import layout, tidy
from stdeval.plots.layout import padded, span
from stdeval.plots.score_figures import require_some, score_label, score_panels
from stdeval.plots.style import NEUTRAL, THIN, WORSE, Sheet, look, sheet, styled
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
    **page: Any,
) -> Figure:
    """Draw raw to standardized scores, one curve per topic, observed scores as points: Urbano 2019, Figure 1 top.

    The curves by scheme are from `stdeval.standardization.schemes.mapping_curves`; ``topic_means`` are those of the
    reference scores, unless the systems are the references.
    """
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection
    from matplotlib.colors import ListedColormap

    panels = score_panels({"": raw, **tables})[1:]
    where = sheet(**page)
    wide, rows = layout.grid_shape(where, len(panels), 22)
    tall = rows * 0.75 * where.width / max(wide, 1.4) + 12 * where.line
    figure, grid = layout.new_panels(where, tall, len(panels), wide, sharex=True)
    x = raw.values[:, :, 0]
    means = moments(x)[0] if topic_means is None else topic_means
    # all panels share one scale of colours, without the lightest of viridis, which would vanish on white
    (low, high), colours = span(means), ListedColormap(colormaps["viridis"](np.linspace(0.0, 0.85, 256)))
    for axes, panel, lines_of in zip(grid, panels, (curves[scheme] for scheme in tables), strict=True):
        lines = LineCollection(list(lines_of), array=means, alpha=0.5, cmap=colours, linewidth=THIN)
        lines.set(clim=(low, high), rasterized=len(lines_of) * len(lines_of[0]) > MANY_VERTICES)
        axes.add_collection(lines)
        present = ~np.isnan(x) & ~np.isnan(panel.scores)
        shade = np.broadcast_to(means, x.shape)[present]
        kind: dict[str, Any] = {"s": 2, "linewidths": 0, "cmap": colours, "vmin": low, "vmax": high}
        points = axes.scatter(x[present], panel.scores[present], c=shade, **kind)
        points.set_rasterized(x.size > MANY_POINTS)
        axes.set(xlim=padded(*span(x)), ylim=padded(*span(panel.scores)))
        axes.set_ylabel(panel.label)
    for axes in grid[-wide:]:
        axes.set_xlabel(score_label(raw.measures[0]))
    whose = "topic mean" if topic_means is None else "mean of the references"
    figure.colorbar(points, ax=grid, location="top", aspect=30 * wide, pad=0.02, label=whose)
    return figure


@styled
def topics(raw: ScoreTable, tables: Mapping[str, ScoreTable], *, marked: Sequence[int] = (), **page: Any) -> Figure:
    """Draw a box for the scores of each topic, in the order of the mean raw score: Urbano 2019, Figure 1 bottom.

    Topics are in the order of ``raw``, which is drawn only if `tables` has it too. If systems are marked, they have
    points, and boxes are of all others.
    """
    panels = score_panels({"": raw, **tables})[1:]
    others = np.setdiff1d(np.arange(len(raw.systems)), marked)
    boxed = raw.values[others, :, 0]
    require_some("scores of other runs", boxed)
    order = np.argsort(rounded(moments(boxed)[0], decimals(boxed)), kind="stable")
    where = sheet(**page)
    wide, rows = layout.grid_shape(where, len(panels), 40)
    labels = ["middle half", "median", "mean", "beyond the whiskers"]
    labels += layout.short_names([raw.systems[i] for i in marked])
    tall = rows * 0.4 * where.width / wide + 6 * where.line
    figure, grid = layout.new_panels(where, tall, len(panels), wide, sharex=True)
    # the size of the points of marked systems
    large = float(np.clip(40 * where.font / len(order), 0.18 * where.font, 0.4 * where.font))
    kind: dict[str, Any] = {"linestyle": "", "markersize": large, "markeredgewidth": 0.03 * where.font}
    for axes, panel in zip(grid, panels, strict=True):
        scores = panel.scores[:, order]
        marks = _draw_boxes(axes, scores[others], where)
        for k, i in enumerate(marked):
            look_of = {**look(k + 1), **kind}
            marks += axes.plot(np.arange(len(order)), scores[i], markeredgecolor="white", zorder=3, **look_of)
        axes.set_ylabel(panel.label)
        axes.set_ylim(*padded(*span(panel.scores)))
    for mark, label in zip(marks, labels, strict=True):
        mark.set_label(label)
    layout.legend_below(figure, where, marks, markerscale=1 if marked else 2)
    for axes in grid[-wide:]:
        axes.set_xlabel("topic")
        layout.name_columns(axes.xaxis, [raw.topics[i] for i in order], where, 0.85 / wide)
    return figure


def boxes(scores: Floats) -> Floats:
    """Return five numbers of each column: quartiles, and the furthest scores within 1.5 interquartile ranges."""
    low, middle, high = np.nanpercentile(scores, (25, 50, 75), axis=0)
    beyond = 1.5 * (high - low)
    inside = np.where((scores >= low - beyond) & (scores <= high + beyond), scores, np.nan)
    ends = np.nanmin(inside, axis=0), np.nanmax(inside, axis=0)
    return np.stack([np.fmin(ends[0], low), low, middle, high, np.fmax(ends[1], high)])


def _draw_boxes(axes: Axes, scores: Floats, where: Sheet) -> list[Artist]:
    """Draw a box per column of scores; return boxes, medians, means and outliers for the legend."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    n, font = scores.shape[1], where.font
    fine = float(np.clip(12 * font / n, 0.03 * font, 0.12 * font))
    at, gap, (least, low, middle, high, greatest) = np.arange(n), np.full(n, np.nan), boxes(scores)

    def draw(x: Sequence[Any], y: Sequence[Floats], **how: Any) -> Artist:
        # one line for all topics, with gaps between them, is drawn much faster than many
        (line,) = axes.plot(np.stack([*x, gap], axis=1).ravel(), np.stack([*y, gap], axis=1).ravel(), **how)
        line.set_solid_capstyle("butt")
        return line

    draw((at, at), (least, greatest), color=NEUTRAL, linewidth=fine, zorder=1)
    sides = [at - 0.38, at + 0.38]
    corners = np.stack([[*sides, *sides[::-1]], [low, low, high, high]], axis=-1).swapaxes(0, 1)
    shapes = Path.make_compound_path_from_polys(corners[~np.isnan(low)])
    # the edges of very narrow boxes would hide their insides
    edge: dict[str, Any] = {"facecolor": "#A6CEE8", "edgecolor": NEUTRAL, "linewidth": 0.5 * fine * (n <= 100)}
    box = axes.add_patch(PathPatch(shapes, zorder=2, **edge))
    median = draw(sides, (middle, middle), color="black", linewidth=1.5 * fine, zorder=2.5)
    shape: dict[str, Any] = {"color": WORSE, "markeredgewidth": 0, "markersize": 2.5 * fine + 0.06 * font}
    (mean,) = axes.plot(at, moments(scores)[0], "o", zorder=2.7, **shape)
    outside = np.nonzero((scores < least) | (scores > greatest))
    point: dict[str, Any] = {"color": NEUTRAL, "markeredgewidth": 0, "markersize": fine + 0.1 * font}
    (outliers,) = axes.plot(outside[1], scores[outside], ".", **point)
    axes.set_xlim(-1, n)
    return [box, median, mean, outliers]


@styled
def weights(names: Sequence[str], rank_weights: Floats, **page: Any) -> Figure:
    """Draw the rank weights of measures, shape (n_measures, depth): Webber 2010, Figure 1."""
    where = sheet(**page)
    labels = [publication_name(name) for name in names]
    figure, (axes,) = layout.new_panels(where, 0.65 * where.width)
    ranks = np.arange(1, rank_weights.shape[1] + 1)
    lines: list[Artist] = []
    for i, weight in enumerate(rank_weights):
        lines += axes.plot(ranks, weight, label=labels[i], markevery=0.1, **look(i))
    if len(ranks) > 100:
        tidy.plain_log(axes, ranks.astype(float))
    axes.set(xlabel="rank", ylabel="weight")
    axes.set_ylim(bottom=0)
    layout.legend_below(figure, where, lines)
    return figure
