"""Figures of scores: all scores, their distribution, systems by mean, two systems compared.

matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from stdeval.errors import InputError
from stdeval.formats.listing import topic_counts
from stdeval.measures.names import is_better_higher
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
from stdeval.plots.score_panels import Panel, score_label, score_panels
from stdeval.plots.style import BETTER, NEUTRAL, WORSE, Size, look, sheet, styled
from stdeval.stats.coverage import coverage
from stdeval.stats.moments import moments
from stdeval.stats.noise import decimals, rounded
from stdeval.table import Bools, Floats, Ints, ScoreTable

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SORTS = ("both", "systems", "topics", "none")


@styled
def heatmap(
    tables: Mapping[str, ScoreTable], *, sort: str = "both", size: Size = "column", title: str | None = None
) -> Figure:
    """Draw all scores, systems x topics, lighter is higher: Webber 2008, Figure 1; one panel per scheme.

    Parameters
    ----------
    tables : mapping of str to ScoreTable
        The panels, from left to right: scores by one measure, under ``"raw"`` or the letter of their scheme; all of
        the same systems and topics.
    sort : {"both", "systems", "topics", "none"}
        The axes that are in the order of the means in the first panel, the best system at the top and the easiest
        topic at the left; the others keep the order of the tables. Incomplete systems, without a topic that more
        than half of the systems have, stand below the others, under a line; the names of all have the numbers of
        topics then.
    size : "column", "page", "slide", or mm
        See `stdeval.plots.style.sheet`.
    title : str, optional

    Returns
    -------
    Figure
        Cells without a score are white and hatched. Colours of raw scores go from 0 to the greatest score, those of
        Z from -3 to 3 standard deviations, and all others from 0 to 1. Scores outside 0 to 1, except those of Z,
        have colours from the least to the greatest score.

    Raises
    ------
    InputError
        If `sort` is unknown, or if the tables cannot be drawn: they differ in systems or topics, one has no measure
        or several, or raw scores are infinite or all missing.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.array([[[0.1], [0.2]], [[0.3], [0.9]]]))
    >>> image = heatmap({"raw": table}).axes[0].images[0]
    >>> image.get_array()
    masked_array(
      data=[[0.9, 0.3],
            [0.2, 0.1]],
      mask=False,
      fill_value=1e+20)
    """
    if sort not in SORTS:
        raise InputError(f"sort '{sort}', expected one of: {', '.join(SORTS)}")
    panels = score_panels(tables)
    table, first = next(iter(tables.values())), panels[0].scores
    facts = coverage(first)
    comparable, aside = facts.comparable(first), ~facts.ranked
    # without a common topic no system can be ranked
    by_system = sort in ("both", "systems") and not aside.all()
    rows = _by_mean(comparable, aside) if by_system else np.arange(len(table.systems))
    columns = _by_mean(first.T) if sort in ("both", "topics") else np.arange(len(table.topics))
    where = sheet(size)
    wide = balanced_columns(len(panels), where.fits(28))
    cells = float(np.clip(len(rows) * where.line, 0.45 * where.width, 1.2 * where.width))
    figure = new_figure(where, (cells + 10 * where.line) * ceil(len(panels) / wide), title)
    axes = panel_axes(figure, len(panels), wide, sharey=True)
    for axis, panel in zip(axes, panels, strict=True):
        narrow = where.fits(1.5 * len(panel.label)) < wide
        label = panel.label.replace(" (", "\n(") if narrow else panel.label
        _draw_cells(figure, axis, panel, panel.scores[np.ix_(rows, columns)], label)
        if by_system and aside.any():
            axis.axhline(facts.ranked.sum() - 0.5, color=WORSE, linewidth=0.15 * where.font)
    below = ", incomplete below" if aside.any() else ""
    system = f"system, highest first{below}" if by_system else "system"
    name_axes(figure, where, axes, wide, _topic_label(sort, panels), system)
    topics = [table.topics[i] for i in columns]
    names = _with_topic_counts(table.systems, comparable) if by_system else table.systems
    fit_labels(figure, (axes[0].yaxis, [names[i] for i in rows]), *((axis.xaxis, topics) for axis in axes))
    return figure


def _with_topic_counts(systems: Sequence[str], scores: Floats) -> Sequence[str]:
    """Return the names of systems, with the numbers of topics of their means if these differ."""
    counts = topic_counts((~np.isnan(scores)).sum(axis=1, keepdims=True).tolist())
    return systems if counts is None else [f"{name} (n={n})" for name, n in zip(systems, counts, strict=True)]


def _topic_label(sort: str, panels: Sequence[Panel]) -> str:
    """Label of the axis of topics: their order, and the meaning of white cells if there are any."""
    order = "topic" if sort in ("none", "systems") else "topic, highest first"
    missing = any(np.isnan(panel.scores).any() for panel in panels)
    return f"{order} (white: no score)" if missing else order


def _by_mean(scores: Floats, aside: Bools | None = None) -> Ints:
    """Return the rows in descending order of their means, rows that are set aside or have no scores last."""
    order: Ints = np.argsort(-rounded(moments(scores.T)[0], decimals(scores)), kind="stable")
    return order if aside is None else order[np.argsort(aside[order], kind="stable")]


def _draw_cells(figure: Figure, axes: Axes, panel: Panel, scores: Floats, label: str) -> None:
    """Draw the scores of a panel, in the order given, with a colour bar above."""
    low, high = _colour_span(panel)
    # the hatched background shows through where a score is missing
    axes.patch.set(hatch="////", facecolor="white", edgecolor=NEUTRAL)
    image = axes.imshow(scores, cmap="cividis", aspect="auto", interpolation="none", vmin=low, vmax=high)
    bar = figure.colorbar(image, ax=axes, location="top", aspect=30, pad=0.02, extend=_beyond(scores, low, high))
    bar.set_label(label)
    bar.ax.locator_params(nbins=5)


def _colour_span(panel: Panel) -> tuple[float, float]:
    """Scores of the first and the last colour."""
    # z scores are not bounded, and a few extreme ones would leave all others one colour
    if panel.scheme.upper() == "Z":
        return -3.0, 3.0
    low, high = _common_span([panel])
    greatest = span(panel.scores)[1]
    # raw scores seldom fill 0 to 1, standardized scores do
    return (low, greatest) if panel.scheme == "raw" and low == 0 and greatest > 0 else (low, high)


def _beyond(scores: Floats, low: float, high: float) -> str:
    """Return the ends of a colour bar beyond which there are scores, as matplotlib names them."""
    least, greatest = span(scores)
    return ("neither", "min", "max", "both")[(least < low) + 2 * (greatest > high)]


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
    ranked : ndarray of bool, shape (n_systems,), optional
        The systems whose means can be compared; the others stand below them, with gray dots.
    topics : str
        The topics of the means, such as ``"7 topics that all have"``; for the label only.
    size, title
        As in `heatmap`.

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
    _check_lengths("systems", len(systems), mean, low, high)
    comparable = np.ones(len(systems), dtype=bool) if ranked is None else ranked
    order = np.lexsort((-rounded(mean, decimals(mean)), ~comparable))
    places = np.arange(len(order))
    where = sheet(size)
    tall = min((len(order) + 6) * 1.2 * where.line, 2 * where.width)
    figure = new_figure(where, max(0.4 * where.width, tall), title)
    (axes,) = panel_axes(figure, 1, 1)
    # the more systems, the thinner the lines and the smaller the dots, so that they do not run into each other
    n, font = len(order), where.font
    thickness = float(np.clip(14 * font / n, 0.05 * font, 0.2 * font))
    axes.hlines(places, low[order], high[order], color=NEUTRAL, linewidth=thickness)
    dot = float(np.clip(150 * font / 7 / n, 0.15 * font, font / 2))
    n_ranked = int(comparable.sum())
    for part, color in ((slice(None, n_ranked), BETTER), (slice(n_ranked, None), NEUTRAL)):
        if len(order[part]):
            axes.plot(mean[order[part]], places[part], "o", color=color, markersize=dot)
    axes.set_ylim(n - 0.5, -0.5)
    told = [f"mean {score_label(measure, scheme)}", f"{100 * confidence:g}% intervals", *filter(None, [topics])]
    # the names of the systems leave at least 0.6 of the width to the label, which is in the middle of the axes
    label = textwrap.fill(", ".join(told), where.fits(1.65))
    axes.set_xlabel(label + ("" if n_ranked == n else "\ngray: incomplete"))
    first = "highest first" if is_better_higher(measure) else "highest first, lower is better"
    axes.set_ylabel(fill_height(figure, where, f"system, {first}"))
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.06 * font)
    fit_labels(figure, (axes.yaxis, [systems[i] for i in order]))
    return figure


def _check_lengths(kind: str, n: int, *arrays: Floats) -> None:
    """Refuse arrays that do not have n values, and a first array without any value that is not NaN."""
    wrong = [array.shape for array in arrays if array.shape != (n,)]
    if wrong:
        raise InputError(f"an array of shape {wrong[0]} for {n} {kind}, expected ({n},)")
    if not n or np.isnan(arrays[0]).all():
        raise InputError(f"no {kind} to draw")


@styled
def scores(
    tables: Mapping[str, ScoreTable], *, bins: int = 25, size: Size = "column", title: str | None = None
) -> Figure:
    """Draw the distribution of all scores: Webber 2008, Figure 3; Ravana 2009, Figures 4, 6 and 8.

    Parameters
    ----------
    tables : mapping of str to ScoreTable
        As in `heatmap`, but by one or more measures. Scores that all lie in 0 to 1 share a panel, all others have a
        panel of their own.
    bins : int
        Number of intervals of equal width.
    size, title
        As in `heatmap`.

    Returns
    -------
    Figure
        The percentage of the scores in each interval: a histogram rather than a density, because many scores are
        exactly 0.

    Examples
    --------
    >>> table = ScoreTable(("a",), ("1", "2"), ("map",), np.array([[[0.1], [0.9]]]))
    >>> scores({"raw": table}, bins=2).axes[0].patches[0].get_data().values
    array([50., 50.])
    """
    panels = _panels_by_measure(tables)
    groups = _by_scale(panels)
    where = sheet(size)
    wide = balanced_columns(len(groups), where.fits(28))
    rows = ceil(len(groups) / wide)
    labels = [panel.label for panel in panels]
    figure = new_figure(where, rows * 0.55 * where.width / min(wide, 1.25), title, labels)
    handles = []
    grid = panel_axes(figure, len(groups), wide)
    name_axes(figure, where, grid, wide, "", "share of scores (%)")
    for axes, group in zip(grid, groups, strict=True):
        low, high = _common_span(group)
        # 0.04 * 7 is a little more than 0.28, and would put a score of 0.28 into the interval below
        edges = rounded(np.linspace(low, high, bins + 1), decimals(np.array([low, high])))
        handles += [_draw_histogram(axes, panel, edges, panels.index(panel)) for panel in group]
        axes.set_xlabel(group[0].label if len(group) == 1 else "score")
        axes.set_ylim(bottom=0)
    legend_below(figure, where, handles)
    return figure


def _panels_by_measure(tables: Mapping[str, ScoreTable]) -> list[Panel]:
    """Return one panel per measure and scheme."""
    n_measures = max((len(table.measures) for table in tables.values()), default=0)
    return [
        panel
        for i in range(max(1, n_measures))
        for panel in score_panels(
            {scheme: table.select(measures=table.measures[i : i + 1]) for scheme, table in tables.items()}
        )
    ]


def _by_scale(panels: Sequence[Panel]) -> list[list[Panel]]:
    """Group panels that can share a scale: first those with scores in 0 to 1, then each other one by itself."""
    unit = [panel for panel in panels if _common_span([panel]) == (0.0, 1.0)]
    return ([unit] if unit else []) + [[panel] for panel in panels if panel not in unit]


def _common_span(panels: Sequence[Panel]) -> tuple[float, float]:
    """Limits of a scale for all scores of some panels; a single score is put in the middle."""
    low, high = span([span(panel.scores) for panel in panels])
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high) if low < high else (low - 0.5, high + 0.5)


def _draw_histogram(axes: Axes, panel: Panel, edges: Floats, i: int) -> Artist:
    """Draw the histogram of a panel's scores as the i-th series, and return it for the legend."""
    present = panel.scores[~np.isnan(panel.scores)]
    present = rounded(present, decimals(edges)).clip(edges[0], edges[-1])
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
        As in `heatmap`.

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
