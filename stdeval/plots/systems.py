"""Figures of systems: by mean, their differences from a baseline, and two systems topic by topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.display import shown_pvalue
from stdeval.errors import InputError
from stdeval.noise import decimals, rounded, without_noise
from stdeval.plots.layout import (
    LONGEST_NAME,
    characters_beside,
    grid_columns,
    height_of,
    legend_below,
    name_places,
    new_figure,
    padded,
    panel_axes,
    short_names,
    shown,
    span,
    upright,
    wrapped,
)
from stdeval.plots.score_figures import check_lengths, score_label, with_direction
from stdeval.plots.style import (
    BAND,
    BETTER,
    NEUTRAL,
    POINTS_PER_MM,
    THIN,
    WORSE,
    Sheet,
    Size,
    marked_colours,
    sheet,
    styled,
    with_minus,
)
from stdeval.stats.pairwise import topic_differences
from stdeval.table import Bools, Floats, Ints

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def row_order(values: Floats, ranked: Bools) -> Ints:
    """Return the systems in descending order of their values, those that are not ranked last."""
    return np.lexsort((-rounded(values, decimals(values)), ~ranked))


def _rows_figure(where: Sheet, n: int, title: str | None) -> tuple[Figure, float]:
    """Return an empty figure that is high enough for n rows, and the height of the rows in mm."""
    figure = new_figure(where, max(0.4 * where.width, (n + 6) * 1.2 * where.line), title)
    return figure, height_of(figure) - 7 * where.line


def _name_rows(
    figure: Figure,
    where: Sheet,
    axes: Axes,
    names: Sequence[str],
    tall: float,
    colours: dict[int, str],
    measure: str,
) -> None:
    """Name rows, the first at the top, and label their axis with their order."""
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_ylabel(upright(figure, where, with_direction("system, highest first", measure)))
    axes.grid(axis="y")
    name_places(axes.yaxis, names, where, tall, colours)


def _draw_rows(axes: Axes, low: Floats, high: Floats, colours: Mapping[int, str], dot: float) -> None:
    """Draw the interval of each row; the smaller the dots, the thinner, so that intervals do not touch."""
    shades = [colours.get(i, NEUTRAL) for i in range(len(low))]
    axes.hlines(np.arange(len(low)), low, high, color=shades, linewidth=0.4 * dot)


def _dot_size(where: Sheet, n: int, tall: float) -> float:
    """Return the size in points of dots that do not overlap in n rows."""
    return float(np.clip(0.8 * tall * POINTS_PER_MM / n, 0.1 * where.font, 0.5 * where.font))


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
    measure, scheme : str
        The measure and the letter of the scheme of the scores, such as ``"map"`` and ``"n"``; for the label only.
    confidence, interval : float and {"marginal", "paired", "tukey"}
        The level and the kind of the intervals, see `stdeval.stats.pairwise`; for the label only.
    pivot : int, optional
        The system from which paired intervals show the difference; its mean is an upright line.
    groups : sequence of str
        The letters of each system's significance groups, which stand at the right; empty for none.
    marked : sequence of int
        The systems that are marked by a colour.
    ranked : ndarray of bool, shape (n_systems,), optional
        The systems whose means can be compared; the others stand below them, with gray dots.
    topics : str
        The topics of the means, such as ``"7 topics that all have"``; for the label only.
    size, title : as in `stdeval.plots.heatmap`

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
    figure, tall = _rows_figure(where, n, title)
    (axes,) = panel_axes(figure, 1, 1)
    colours, dot = marked_colours(marked, order), _dot_size(where, n, tall)
    _draw_rows(axes, low[order], high[order], colours, dot)
    # those of systems that are not ranked are gray
    for part, color in ((slice(None, n_ranked), BETTER), (slice(n_ranked, None), NEUTRAL)):
        if len(mean[order][part]):
            axes.plot(mean[order][part], np.arange(n)[part], "o", color=color, markersize=dot)
    for place, color in colours.items():
        axes.plot(mean[order][place], place, "o", color=color, markersize=max(dot, 0.4 * where.font))
    if pivot is not None:
        axes.axvline(mean[pivot], color="black", linewidth=THIN, zorder=1)
    against = "" if pivot is None else shown(systems[pivot])
    uncorrected = f", not corrected for {n_ranked - 1} pairs" if n_ranked > 2 else ""
    letters = "; runs with a letter in common do not" if groups else ""
    kind = (
        f"{100 * confidence:g}% "
        + {
            "marginal": "t intervals",
            "paired": f"paired t intervals of the difference from {against} (line){uncorrected}",
            "tukey": f"Tukey intervals: two that do not meet differ{letters}",
        }[interval]
    )
    told = [f"mean {score_label(measure, scheme)}", topics, kind if np.isfinite(high - low).any() else ""]
    label = wrapped(", ".join(filter(None, told)), characters_beside(where, systems))
    axes.set_xlabel(label + ("" if n_ranked == n else "\ngray: incomplete"))
    _name_rows(figure, where, axes, [systems[i] for i in order], tall, colours, measure)
    if groups:
        right = axes.twinx()
        right.set_ylim(axes.get_ylim())
        right.tick_params(length=0)
        name_places(right.yaxis, [groups[i] for i in order], where, tall, colours)
    return figure


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

    The greatest difference is at the top. Upright lines are at no difference. Points of systems whose interval
    includes 0 are hollow; those of systems without an interval are crosses.

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
    measure, scheme : str
        The measure and the letter of the scheme of the scores, such as ``"map"`` and ``"n"``; for the label only.
    intervals, topics : str
        The kind of the intervals and the topics of the differences in words; for the label only.
    marked : sequence of int
        The systems that are marked by a colour.
    ranked : ndarray of bool, shape (n_systems,), optional
        The systems whose differences can be compared; the others stand below them, in gray.
    size, title : as in `stdeval.plots.heatmap`

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
    name = short_names([baseline, *systems])[0]
    told = [f"difference in {score_label(measure, scheme)} from {name}", topics, intervals]
    told += [text for outcome, text in TOLD.items() if outcome in outcomes]
    label = wrapped(", ".join(filter(None, told)), 0.55 * characters_beside(where, systems))
    label += "" if comparable.all() else "\ngray: incomplete"
    figure, tall = _rows_figure(where, n, title)
    grid = figure.subplots(1, 2, sharey=True, gridspec_kw={"width_ratios": [2, 1]})
    colours = marked_colours(marked, order)
    dot = _dot_size(where, n, tall)
    _draw_rows(grid[0], low[order], high[order], colours, dot)
    shades = [colours.get(place, BETTER if comparable[i] else NEUTRAL) for place, i in enumerate(order)]
    sizes = [max(dot, 0.4 * where.font) if place in colours else dot for place in range(n)]
    for axes, values in zip(grid, (difference, effect_size), strict=True):
        axes.axvline(0, color="black", linewidth=THIN, zorder=1)
        for place, i in enumerate(order):
            shape = {"color": shades[place], "markersize": sizes[place], "markeredgewidth": 0.2 * sizes[place]}
            axes.plot(values[i], place, linestyle="", zorder=3, **OUTCOMES[outcomes[i]], **shape)
    grid[0].set_xlabel(label)
    grid[1].set_xlabel(wrapped("effect size (difference / sd)", 0.3 * characters_beside(where, systems)))
    grid[1].tick_params(left=False)
    grid[1].grid(axis="y")
    _name_rows(figure, where, grid[0], [systems[i] for i in order], tall, colours, measure)
    return figure


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
    pvalue: float | None = None,
    effect_size: float | None = None,
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
    measure, scheme : str
        The measure and the letter of the scheme of the scores, such as ``"map"`` and ``"n"``; for the label only.
    systems : (str, str)
        The names of the two systems.
    confidence : float
        The confidence level of the interval; for the label only.
    pvalue, effect_size : float, optional
        The result of the test, which stands above the bars with the number of topics.
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> figure = compare(["1", "2"], np.array([-0.1, 0.3]), (-0.05, 0.25), measure="map")
    >>> [round(float(bar.get_height()), 2) for bar in figure.axes[0].patches[:2]]
    [0.3, -0.1]

    From the rows of `stdeval.compare` to their figure:

    >>> import stdeval
    >>> scores = np.array([[[0.1], [0.2], [0.4]], [[0.2], [0.5], [0.5]]])
    >>> table = stdeval.ScoreTable(("a", "b"), ("1", "2", "3"), ("map",), scores)
    >>> pairs = stdeval.compare(table, baseline="a")
    >>> pair, scores_of = pairs[0], dict(zip(table.systems, table.measure("map"), strict=True))
    >>> figure = compare(
    ...     table.topics,
    ...     scores_of[pair.a] - scores_of[pair.b],
    ...     (pair.low, pair.high),
    ...     measure=pair.measure,
    ...     systems=(pair.a, pair.b),
    ...     pvalue=pair.pvalue,
    ...     effect_size=pair.effect_size,
    ... )
    >>> [round(float(bar.get_height()), 2) for bar in figure.axes[0].patches[:3]]
    [0.3, 0.1, 0.1]
    """
    from matplotlib.patches import Patch

    check_lengths("topics", len(topics), differences)
    present = np.flatnonzero(~np.isnan(differences))
    order = present[np.argsort(-differences[present], kind="stable")]
    # differences that are only noise would fill the axes
    ordered = without_noise(differences[order], decimals(1.0))
    where = sheet(size)
    names = short_names(systems)
    legend = [*(f"{name} higher: {len(order)}" for name in names), "equal: 0", "mean", "its interval"]
    figure = new_figure(where, 0.65 * where.width + 3 * where.line, title, legend)
    (axes,) = panel_axes(figure, 1, 1)
    # bars of less than a pixel leave gaps of several topics if they snap, and stripes if they are smoothed
    tiled = {"width": 1.0, "snap": False, "antialiased": False}
    shape: dict[str, Any] = {"width": 0.9} if len(order) <= 100 else tiled
    axes.bar(np.arange(len(order)), ordered, color=np.where(ordered > 0, BETTER, WORSE), **shape)
    axes.axhline(0, color="black", linewidth=THIN)
    sides = [(BETTER, f"{names[0]} higher", ordered > 0), (WORSE, f"{names[1]} higher", ordered < 0)]
    sides.append((NEUTRAL, "equal", ordered == 0))
    handles: list[Artist] = [Patch(color=colour, label=f"{told}: {part.sum()}") for colour, told, part in sides]
    if ordered.any():
        mean = float(ordered.mean())
        handles.append(axes.axhline(mean, color="black", linestyle="--", label=f"mean {_shown(mean)}"))
        if interval is not None and np.isfinite(interval).all():
            # behind the bars, whose colours are those of the legend; its ends are before them
            told = f"its {100 * confidence:g}% interval"
            handles.append(axes.axhspan(*interval, facecolor=BAND, edgecolor="none", zorder=0, label=told))
            for end in interval:
                axes.axhline(end, color=NEUTRAL, linewidth=THIN)
    else:
        axes.set_ylim(-1, 1)
        axes.text(0.5, 0.75, "all differences are 0", transform=axes.transAxes, ha="center")
    # The p-value must not seem to be at most alpha if the interval holds 0.
    axes.set_title(_result_told(len(order), pvalue, effect_size, 1 - confidence))
    axes.set_xlim(-0.5 - 0.01 * len(order), len(order) - 0.5 + 0.01 * len(order))
    axes.set_xlabel("topic, by difference")
    scores = with_direction(score_label(measure, scheme), measure)
    label = f"{names[0]} \N{MINUS SIGN} {names[1]}, {scores}"
    axes.set_ylabel(wrapped(label, LONGEST_NAME + 2))
    legend_below(figure, where, handles)
    # the two topics with the greatest differences are always named
    greatest = {0: "black", len(order) - 1: "black"} if ordered.any() else {}
    name_places(axes.xaxis, [topics[i] for i in order], where, 0.85 * where.width, greatest)
    return figure


def _result_told(n: int, pvalue: float | None, effect_size: float | None, alpha: float) -> str:
    """Return the number of topics, and the result of the test if it is known."""
    told = [f"n = {n}"]
    if pvalue is not None and not np.isnan(pvalue):
        told.append("p < 0.0001" if pvalue < min(alpha, 0.0001) else f"p = {shown_pvalue(pvalue, alpha)}")
    if effect_size is not None and np.isfinite(effect_size):
        told.append(with_minus(f"d = {effect_size:.2f}"))
    return ", ".join(told)


def _shown(mean: float) -> str:
    """Return a mean with four decimals; below 0.001 with two digits, and from 100 on with six."""
    if mean == 0 or 0.001 <= abs(mean) < 100:
        return with_minus(f"{mean:.4f}")
    return with_minus(f"{mean:.2g}" if abs(mean) < 1 else f"{mean:.6g}")


LABELLED = 3
"""Number of topics at either end of the differences whose names stand beside their points."""


@styled
def topic_scatter(
    a: Floats,
    b: Floats,
    topics: Sequence[str],
    *,
    measures: Sequence[str],
    scheme: str = "raw",
    systems: tuple[str, str] = ("A", "B"),
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Draw the scores of two systems against each other, a point per topic.

    The second system is on the horizontal axis, so that points above the line are of topics on which the first
    one is higher. The topics with the greatest differences have labels.

    Parameters
    ----------
    a, b : ndarray, shape (n_topics, n_measures)
        Scores of the two systems; topics with NaN are left out.
    topics : sequence of str
    measures : sequence of str
        The names of the measures, which have a panel each.
    scheme : {"raw", "z", "n", "u", "e", "m"}
        The scheme of the scores, in either case of letters; for the unit in the labels only.
    systems : (str, str)
        The names of the two systems.
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> a, b = np.array([[0.2], [0.5], [0.4]]), np.array([[0.1], [0.6], [0.4]])
    >>> axes = topic_scatter(a, b, ["1", "2", "3"], measures=["map"]).axes[0]
    >>> axes.get_title(loc="left")
    'A higher 1, lower 1, equal 1'
    """
    if a.shape != b.shape or a.shape != (len(topics), len(measures)):
        raise InputError(f"scores of shape {a.shape} and {b.shape}, expected ({len(topics)}, {len(measures)})")
    where = sheet(size)
    wide = grid_columns(where, len(measures), 34)
    rows = ceil(len(measures) / wide)
    figure = new_figure(where, rows * (0.8 * where.width / max(wide, 1.3) + 3 * where.line), title)
    grid = panel_axes(figure, len(measures), wide)
    first, second = short_names(systems)
    for k, (axes, measure) in enumerate(zip(grid, measures, strict=True)):
        differences = topic_differences(a[:, k], b[:, k])
        check_lengths("topics that both systems have", len(topics), differences)
        _draw_topics(axes, b[:, k], a[:, k], differences, where.font)
        higher, lower, equal = (int(part.sum()) for part in (differences > 0, differences < 0, differences == 0))
        told = f"{first} higher {higher}, lower {lower}, equal {equal}"
        axes.set_title(wrapped(told, where.characters / (1.25 * wide)))
        label = with_direction(score_label(measure, scheme), measure)
        axes.set_xlabel(wrapped(f"{second}: {label}", where.characters / (1.5 * wide)))
        axes.set_ylabel(upright(figure, where, f"{first}: {label}", rows))
        order = np.argsort(np.nan_to_num(differences), kind="stable").tolist()
        for i in {*order[:LABELLED], *order[-LABELLED:]}:
            if abs(differences[i]) > 0:
                _name_point(axes, (float(b[i, k]), float(a[i, k])), shown(topics[i], 10), 0.8 * where.font)
    return figure


def _name_point(axes: Axes, point: tuple[float, float], name: str, size: float) -> None:
    """Write the name of a point beside it, towards the middle."""
    is_left = point[0] < sum(axes.get_xlim()) / 2
    offset = (0.5 * size if is_left else -0.5 * size, 0)
    where: dict[str, Any] = {"ha": "left" if is_left else "right", "va": "center", "textcoords": "offset points"}
    axes.annotate(name, point, xytext=offset, fontsize=size, **where)


def _draw_topics(axes: Axes, x: Floats, y: Floats, differences: Floats, font: float) -> None:
    """Draw a point per topic, coloured by the sign of the difference, and the line of equal scores."""
    limits = padded(*span(np.concatenate([x, y])))
    axes.set(xlim=limits, ylim=limits, aspect="equal")
    axes.plot(limits, limits, color=NEUTRAL, linewidth=THIN, zorder=1)
    dot = float(np.clip(30 * font / len(x), 0.25 * font, 0.45 * font))
    for part, color in ((differences > 0, BETTER), (differences < 0, WORSE), (differences == 0, NEUTRAL)):
        if part.any():
            axes.plot(x[part], y[part], "o", color=color, markersize=dot, fillstyle="none")
