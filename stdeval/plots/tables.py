"""Figures of score tables: all scores, their distribution, systems by mean, two systems compared."""

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
    panel_axes,
    shown,
    span,
)
from stdeval.plots.panels import Panel, scheme_panels, score_label
from stdeval.plots.style import BETTER, NEUTRAL, WORSE, Size, look, sheet, styled
from stdeval.stats.moments import moments
from stdeval.table import Factors, Floats, Ints, ScoreTable

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SORTS = ("both", "systems", "topics", "none")


@styled
def heatmap(
    table: ScoreTable,
    measure: str | None = None,
    schemes: Sequence[str] = ("raw",),
    factors: Factors | None = None,
    *,
    sort: str = "both",
    uniform: Mapping[str, Any] | None = None,
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Systems x topics, lighter is higher: Webber 2008, Figure 1; one panel a scheme.

    Parameters
    ----------
    table : ScoreTable
        Raw scores, or any others.
    measure : str, optional
        None: the table's first.
    schemes : sequence of {"raw", "Z", "N", "U", "E"}
        The panels, from left to right.
    factors : Factors, optional
        What to standardize with; None: the table is its own reference.
    sort : {"both", "systems", "topics", "none"}
        Which axes are in the order of their means in the first panel, the best system at the top and the
        easiest topic at the left; the others keep the order of the table.
    uniform : mapping, optional
        A, B and censor of scheme U, as `stdeval.standardize` takes them.
    size : "column", "page", "slide", or mm
        See `stdeval.plots.style.sheet`.
    title : str, optional

    Returns
    -------
    Figure
        Cells without a score are white and hatched. Colours go from 0 to 1, those of raw scores to the greatest,
        and those of Z end at 3 standard deviations.

    Raises
    ------
    InputError
        If ``sort`` is unknown, there is no such measure, or there is nothing to draw.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.array([[[0.1], [0.2]], [[0.3], [0.9]]]))
    >>> image = heatmap(table).axes[0].images[0]
    >>> image.get_array()
    masked_array(
      data=[[0.9, 0.3],
            [0.2, 0.1]],
      mask=False,
      fill_value=1e+20)
    """
    if sort not in SORTS:
        raise InputError(f"sort '{sort}', expected one of: {', '.join(SORTS)}")
    panels = scheme_panels(table, measure, schemes, factors, uniform)
    rows, columns = (
        _by_mean(scores) if sort in ("both", name) else np.arange(scores.shape[0])
        for name, scores in (("systems", panels[0].scores), ("topics", panels[0].scores.T))
    )
    where = sheet(size)
    wide = balanced_columns(len(panels), where.fits(28))
    cells = np.clip(len(rows) * where.line, 0.45 * where.width, 1.2 * where.width)
    figure = new_figure(where, float(cells + 10 * where.line) * -(-len(panels) // wide), title)
    axes = panel_axes(figure, len(panels), wide, sharey=True)
    for axis, panel in zip(axes, panels, strict=True):
        narrow = where.fits(1.5 * len(panel.label)) < wide
        label = panel.label.replace(" (", "\n(") if narrow else panel.label
        _draw_cells(figure, axis, panel, panel.scores[np.ix_(rows, columns)], label)
    system = "system" if sort in ("none", "topics") else "system, best first"
    name_axes(figure, where, axes, wide, _topic_label(sort, panels), system)
    topics = [table.topics[i] for i in columns]
    systems = (axes[0].yaxis, [table.systems[i] for i in rows])
    fit_labels(figure, systems, *((axis.xaxis, topics) for axis in axes))
    return figure


def _topic_label(sort: str, panels: Sequence[Panel]) -> str:
    order = "topic" if sort in ("none", "systems") else "topic, easiest first"
    missing = any(np.isnan(panel.scores).any() for panel in panels)
    return f"{order} (white: no score)" if missing else order


def _by_mean(scores: Floats) -> Ints:
    """Rows in descending order of their means; those without scores last."""
    return np.argsort(-moments(scores.T)[0], kind="stable")


def _draw_cells(figure: Figure, axes: Axes, panel: Panel, scores: Floats, label: str) -> None:
    low, high = _colour_span(panel)
    axes.patch.set(hatch="////", facecolor="white", edgecolor=NEUTRAL)
    image = axes.imshow(scores, cmap="cividis", aspect="auto", interpolation="none", vmin=low, vmax=high)
    bar = figure.colorbar(image, ax=axes, location="top", aspect=30, pad=0.02, extend=_beyond(scores, low, high))
    bar.set_label(label)
    bar.ax.locator_params(nbins=5)


def _colour_span(panel: Panel) -> tuple[float, float]:
    """From where to where colours go: raw scores in 0 to 1 seldom fill it, standardized ones do."""
    if panel.scheme.upper() == "Z":
        return -3.0, 3.0
    low, high = _common_span([panel])
    greatest = span(panel.scores)[1]
    return (low, greatest) if panel.scheme == "raw" and low == 0 and greatest > 0 else (low, high)


def _beyond(scores: Floats, low: float, high: float) -> str:
    """The ends of a colour bar beyond which there are scores."""
    least, most = span(scores)
    return ("neither", "min", "max", "both")[(least < low) + 2 * (most > high)]


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
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Systems by mean with confidence intervals, the best at the top: Webber 2008, Figure 2.

    Parameters
    ----------
    systems : sequence of str
    mean, low, high : ndarray, shape (n_systems,)
        The means and the ends of their intervals; NaN where there is none.
    measure : str
    scheme : {"raw", "Z", "N", "U", "E"}
        The measure and the scheme that the means are of; for the label only.
    confidence : float
        What the intervals are of, in (0, 1); for the label only.
    size, title
        As in `heatmap`.

    Raises
    ------
    InputError
        If the arrays do not fit the systems, or no mean is there.

    Examples
    --------
    >>> figure = means(["a", "b"], np.array([0.2, 0.3]), np.array([0.1, 0.2]), np.array([0.3, 0.4]), measure="map")
    >>> figure.axes[0].get_lines()[0].get_xdata()
    array([0.3, 0.2])
    """
    _check_lengths("systems", len(systems), mean, low, high)
    order = np.argsort(-mean, kind="stable")
    places = np.arange(len(order))
    where = sheet(size)
    tall = min((len(order) + 6) * 1.2 * where.line, 2 * where.width)
    figure = new_figure(where, max(0.4 * where.width, tall), title)
    (axes,) = panel_axes(figure, 1, 1)
    axes.hlines(places, low[order], high[order], color=NEUTRAL, linewidth=_thickness(len(order), where.font))
    dot = min(where.font / 2, 150 * where.font / 7 / len(order))
    axes.plot(mean[order], places, "o", color=BETTER, markersize=max(dot, 0.15 * where.font))
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.set_xlabel(f"mean {score_label(measure, scheme)}, {100 * confidence:g}% intervals")
    axes.set_ylabel("system, best first")
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.06 * where.font)
    fit_labels(figure, (axes.yaxis, [systems[i] for i in order]))
    return figure


def _thickness(n: int, font: float) -> float:
    """Width of n lines beside each other, in points."""
    return float(np.clip(14 * font / n, 0.05 * font, 0.2 * font))


def _check_lengths(kind: str, n: int, *arrays: Floats) -> None:
    wrong = [array.shape for array in arrays if array.shape != (n,)]
    if wrong:
        raise InputError(f"an array of shape {wrong[0]} for {n} {kind}, expected ({n},)")
    if not n or np.isnan(arrays[0]).all():
        raise InputError(f"no {kind} to draw")


@styled
def scores(
    table: ScoreTable,
    measure: str | None = None,
    schemes: Sequence[str] = ("raw", "N"),
    factors: Factors | None = None,
    *,
    bins: int = 25,
    uniform: Mapping[str, Any] | None = None,
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """How all scores of all systems on all topics are distributed: Webber 2008, Figure 3; Ravana 2009, Figure 4.

    Parameters
    ----------
    table, measure, schemes, factors
        As in `heatmap`; schemes whose scores all lie in 0 to 1 share a panel, the others have their own.
    bins : int
        Number of intervals of equal width.
    uniform, size, title
        As in `heatmap`.

    Returns
    -------
    Figure
        Share of the scores (%) in each interval: a histogram, which shows the scores that are 0 as they are.

    Examples
    --------
    >>> table = ScoreTable(("a",), ("1", "2"), ("map",), np.array([[[0.1], [0.9]]]))
    >>> scores(table, schemes=["raw"], bins=2).axes[0].patches[0].get_data().values
    array([50., 50.])
    """
    panels = scheme_panels(table, measure, schemes, factors, uniform)
    groups = _by_scale(panels)
    where = sheet(size)
    wide = balanced_columns(len(groups), where.fits(28))
    rows = -(-len(groups) // wide)
    labels = [panel.label for panel in panels]
    figure = new_figure(where, rows * 0.55 * where.width / min(wide, 1.25), title, labels)
    handles = []
    grid = panel_axes(figure, len(groups), wide)
    name_axes(figure, where, grid, wide, "", "share of scores (%)")
    for axes, group in zip(grid, groups, strict=True):
        edges = np.linspace(*_common_span(group), bins + 1)
        handles += [_draw_histogram(axes, panel, edges, panels.index(panel)) for panel in group]
        axes.set_xlabel(group[0].label if len(group) == 1 else "score")
        axes.set_ylim(bottom=0)
    legend_below(figure, where, handles)
    return figure


def _by_scale(panels: Sequence[Panel]) -> list[list[Panel]]:
    unit = [panel for panel in panels if _common_span([panel]) == (0.0, 1.0)]
    return ([unit] if unit else []) + [[panel] for panel in panels if panel not in unit]


def _common_span(panels: Sequence[Panel]) -> tuple[float, float]:
    low, high = span([span(panel.scores) for panel in panels])
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high) if low < high else (low - 0.5, high + 0.5)


def _draw_histogram(axes: Axes, panel: Panel, edges: Floats, i: int) -> Artist:
    present = panel.scores[~np.isnan(panel.scores)]
    share = 100 * np.histogram(present, edges)[0] / max(1, len(present))
    kind = {key: value for key, value in look(i).items() if key != "marker"}
    return axes.stairs(share, edges, label=panel.label, linewidth=1.5, **kind)


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
    """Per-topic differences of two systems in descending order, their mean and its confidence interval.

    Parameters
    ----------
    topics : sequence of str
    differences : ndarray, shape (n_topics,)
        First system less second; topics with NaN are left out.
    interval : (float, float), optional
        The ends of the interval of the mean difference.
    measure : str
    scheme : {"raw", "Z", "N", "U", "E"}
        Of the scores; for the label only.
    systems : (str, str)
        The names of the two.
    confidence : float
        What the interval is of, for the label only.
    size, title
        As in `heatmap`.

    Examples
    --------
    >>> figure = compare(["1", "2"], np.array([-0.1, 0.3]), (-0.05, 0.25), measure="map")
    >>> [round(float(bar.get_height()), 2) for bar in figure.axes[0].patches[:2]]
    [0.3, -0.1]
    """
    _check_lengths("topics", len(topics), differences)
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
    from matplotlib.patches import Patch

    won = (int((differences > 0).sum()), int((differences < 0).sum()))
    return [
        Patch(color=colour, label=f"{shown(name, 22)} higher: {n}")
        for colour, name, n in zip((BETTER, WORSE), systems, won, strict=True)
    ]


def _draw_mean(axes: Axes, mean: float, interval: tuple[float, float] | None, confidence: float) -> list[Artist]:
    line = axes.axhline(mean, color="black", linestyle="--", label=f"mean {mean:.4f}")
    if interval is None:
        return [line]
    band = axes.axhspan(*interval, color=NEUTRAL, alpha=0.35, label=f"its {100 * confidence:g}% interval")
    return [line, band]
