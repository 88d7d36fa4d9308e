"""Figures of what standardization does: Urbano 2019, Figure 1.

References
----------
J. Urbano, H. Lima, A. Hanjalic. A new perspective on score standardization. SIGIR 2019.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.errors import InputError
from stdeval.plots.layout import (
    balanced_columns,
    fill_height,
    fit_labels,
    legend_below,
    name_axes,
    new_figure,
    padded,
    panel_axes,
    span,
)
from stdeval.plots.panels import Panel, one_measure, scheme_panels, score_label
from stdeval.plots.style import NEUTRAL, WORSE, Sheet, Size, colours_on_white, sheet, styled
from stdeval.standardization import SCHEMES, align, apply_scheme, fit_factors
from stdeval.stats.moments import moments
from stdeval.table import Factors, Floats, ScoreTable

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GRID = 101
MANY_POINTS, MANY_VERTICES = 2_000, 20_000
"""With more, a panel's points or curves are one image in svg and pdf, which would take megabytes else."""


@styled
def mapping(
    table: ScoreTable,
    measure: str | None = None,
    schemes: Sequence[str] = ("N", "U", "E"),
    factors: Factors | None = None,
    *,
    uniform: Mapping[str, Any] | None = None,
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Raw to standardized scores, a curve a topic, the observed scores as points: Urbano 2019, Figure 1 top.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    measure : str, optional
        None: the table's first.
    schemes : sequence of {"Z", "N", "U", "E"}
        The panels.
    factors : Factors, optional
        What to standardize with; None: the table is its own reference.
    uniform, size, title
        As in `stdeval.plots.heatmap`.

    Returns
    -------
    Figure
        Curves and points bear the colour of the topic's mean raw score.

    Raises
    ------
    InputError
        If a scheme is unknown or needs reference scores that the factors lack, there is no such measure,
        or there is nothing to draw.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1",), ("map",), np.array([[[0.25]], [[0.75]]]))
    >>> points = mapping(table, schemes=["Z"]).axes[0].collections[1]
    >>> points.get_offsets().data.round(3)
    array([[ 0.25 , -0.707],
           [ 0.75 ,  0.707]])
    """
    one = one_measure(table, measure)
    used = fit_factors(one) if factors is None else factors
    panels = scheme_panels(one, None, schemes, used, uniform)
    where = sheet(size)
    wide = balanced_columns(len(panels), where.fits(22))
    rows = -(-len(panels) // wide)
    figure = new_figure(where, rows * 0.75 * where.width / max(wide, 1.4) + 12 * where.line, title)
    grid = panel_axes(figure, len(panels), wide, sharex=True)
    raw = one.values[:, :, 0]
    topic_means = moments(raw)[0]
    shades = {"cmap": colours_on_white(), "norm": _norm(topic_means)}
    for axes, panel in zip(grid, panels, strict=True):
        paths = mapping_curves(one, used, panel.scheme, uniform)
        _draw_mapping(axes, panel, raw, paths, topic_means, shades)
        axes.set_ylabel(fill_height(figure, where, panel.label, rows))
    name_axes(figure, where, grid, wide, score_label(one.measures[0]))
    points = grid[0].collections[1]
    bar = figure.colorbar(points, ax=grid, location="top", aspect=30 * wide, pad=0.02)
    bar.set_label(f"topic mean of {score_label(one.measures[0])}")
    return figure


def _norm(values: Floats) -> Any:
    from matplotlib.colors import Normalize

    return Normalize(*span(values))


def _draw_mapping(
    axes: Axes, panel: Panel, raw: Floats, paths: Sequence[Floats], means: Floats, shades: dict[str, Any]
) -> None:
    from matplotlib.collections import LineCollection

    curves = LineCollection(list(paths), array=means, alpha=0.5, **shades)
    curves.set(linewidth=0.5, rasterized=len(paths) * len(paths[0]) > MANY_VERTICES)
    axes.add_collection(curves)
    seen = ~np.isnan(raw) & ~np.isnan(panel.scores)
    shade = np.broadcast_to(means, raw.shape)[seen]
    points = axes.scatter(raw[seen], panel.scores[seen], s=2, c=shade, linewidths=0, **shades)
    points.set_rasterized(raw.size > MANY_POINTS)
    axes.set_xlim(*padded(*span(raw)))
    axes.set_ylim(*padded(*span(panel.scores)))


def mapping_curves(
    table: ScoreTable, factors: Factors, scheme: str, uniform: Mapping[str, Any] | None = None
) -> list[Floats]:
    """The full mapping of each topic from raw to standardized scores, of a table's one measure.

    Parameters
    ----------
    table : ScoreTable
        Its range of scores, 0 to 1 where it lies there, is what is mapped.
    factors : Factors
    scheme : {"Z", "N", "U", "E"}
    uniform : mapping, optional
        A, B and censor of scheme U.

    Returns
    -------
    list of n_topics ndarrays, shape (n_points, 2)
        Raw and standardized score, as the observed scores are mapped; E with its steps upright.
    """
    letter = scheme.upper()
    if letter not in SCHEMES:
        raise InputError(f"no scheme '{scheme}', expected one of: z, n, u, e")
    mean, sd = (align(array, factors, table.topics, table.measures) for array in (factors.mean, factors.sd))
    low, high = span(table.values)
    ends = (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)
    grid = np.broadcast_to(np.linspace(*ends, GRID)[:, None, None], (GRID, *mean.shape))
    reference = None
    if factors.reference is not None:
        reference = align(factors.reference.values, factors, table.topics, table.measures)
        grid = _with_steps(reference, ends) if letter == "E" else grid
    mapped = apply_scheme(letter, grid, mean, sd, reference, **(uniform or {}))
    return list(np.stack([grid[:, :, 0].T, mapped[:, :, 0].T], axis=-1))


def _with_steps(reference: Floats, ends: tuple[float, float]) -> Floats:
    """Where the empirical distribution steps: both sides of each reference score."""
    edges = np.broadcast_to(np.array(ends)[:, None, None], (2, *reference.shape[1:]))
    known = np.where(np.isnan(reference), ends[0], reference)
    below = np.maximum(np.nextafter(known, -np.inf), ends[0])
    return np.sort(np.concatenate([edges, known, below]), axis=0)


@styled
def topics(
    table: ScoreTable,
    measure: str | None = None,
    schemes: Sequence[str] = ("raw", "N", "U", "E"),
    factors: Factors | None = None,
    *,
    uniform: Mapping[str, Any] | None = None,
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """A box for each topic's scores, in the order of the mean raw score: Urbano 2019, Figure 1 bottom.

    Boxes hold the middle half with the median, whiskers reach to the last score within 1.5 times the box's
    height, scores beyond are small points, and the means are marked.

    Parameters
    ----------
    table, measure, factors, uniform, size, title
        As in `mapping`.
    schemes : sequence of {"raw", "Z", "N", "U", "E"}
        The panels.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.array([[[0.5], [0.1]], [[0.7], [0.3]]]))
    >>> topics(table, schemes=["raw"]).axes[0].get_lines()[1].get_ydata().round(3)
    array([0.2, 0.6])
    """
    panels = scheme_panels(table, measure, schemes, factors, uniform)
    order = np.argsort(moments(one_measure(table, measure).values[:, :, 0])[0], kind="stable")
    where = sheet(size)
    wide = balanced_columns(len(panels), where.fits(40))
    rows = -(-len(panels) // wide)
    tall = rows * 0.4 * where.width / wide + 6 * where.line
    labels = ("middle half", "median", "mean", "beyond the whiskers")
    figure = new_figure(where, tall, title, labels)
    grid = panel_axes(figure, len(panels), wide, sharex=True)
    for axes, panel in zip(grid, panels, strict=True):
        marks = _draw_boxes(axes, panel.scores[:, order], where)
        axes.set_ylabel(fill_height(figure, where, panel.label, rows))
        axes.set_ylim(*padded(*span(panel.scores)))
    name_axes(figure, where, grid, wide, "topic, by mean raw score")
    for mark, label in zip(marks, labels, strict=True):
        mark.set_label(label)
    legend_below(figure, where, marks, markerscale=2)
    fit_labels(figure, *((axes.xaxis, [table.topics[i] for i in order]) for axes in grid[-wide:]))
    return figure


def _draw_boxes(axes: Axes, scores: Floats, where: Sheet) -> list[Artist]:
    from matplotlib.cbook import boxplot_stats
    from matplotlib.collections import PolyCollection

    boxes = boxplot_stats([column[~np.isnan(column)] for column in scores.T])
    low, q1, median, q3, high, mean = (
        np.array([box[key] for box in boxes]) for key in ("whislo", "q1", "med", "q3", "whishi", "mean")
    )
    x = np.arange(len(boxes))
    fine = float(np.clip(12 * where.font / len(x), 0.03 * where.font, 0.12 * where.font))
    axes.vlines(x, low, high, color=NEUTRAL, linewidth=fine)
    corners = [(x + side, edge) for side, edge in ((-0.38, q1), (-0.38, q3), (0.38, q3), (0.38, q1))]
    body = PolyCollection(list(np.stack([np.stack(corner, -1) for corner in corners], 1)), facecolor="#A6CEE8")
    body.set(edgecolor=NEUTRAL, linewidth=0.5 * fine if len(x) <= 100 else 0, zorder=2.1)
    axes.add_collection(body)
    middle = axes.hlines(median, x - 0.38, x + 0.38, color="black", linewidth=1.5 * fine, zorder=2.2)
    fliers = np.concatenate([np.full(len(box["fliers"]), i) for i, box in zip(x, boxes, strict=True)])
    beyond = np.concatenate([box["fliers"] for box in boxes])
    (points,) = axes.plot(fliers, beyond, ".", color=NEUTRAL, markersize=1.2 * fine + 0.6, markeredgewidth=0)
    marks = axes.plot(x, mean, "o", color=WORSE, markersize=2.5 * fine + 0.4, markeredgewidth=0, zorder=2.3)[0]
    axes.set_xlim(-1, len(x))
    return [body, middle, marks, points]
