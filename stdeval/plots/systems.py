"""Figures of systems: by mean, their differences from a baseline, and two systems topic by topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.display import shown_pvalue
from stdeval.noise import decimals, rounded, without_noise
from stdeval.plots import layout, style
from stdeval.plots.layout import shown, wrapped
from stdeval.plots.score_figures import require_some, score_label, with_direction
from stdeval.plots.style import BETTER, NEUTRAL, THIN, WORSE, Page, Sheet, sheet, styled, with_minus
from stdeval.stats.pairwise import topic_differences
from stdeval.table import Bools, Floats, Ints

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from typing_extensions import Unpack


def _in_rows(values: Floats, ranked: Bools | None) -> tuple[Ints, Bools]:
    """Return the systems in descending order of their values, those that are not ranked last, and who is ranked."""
    require_some("systems", values)
    comparable = np.ones(len(values), dtype=bool) if ranked is None else ranked
    return np.lexsort((-rounded(values, decimals(values)), ~comparable)), comparable


def _row_panels(where: Sheet, n_rows: int, **panels: Any) -> tuple[Figure, list[Axes], float, float]:
    """Return a figure for n rows, its panels, the height of the rows in mm, and the size of dots side by side."""
    figure, grid = layout.new_panels(where, max(0.4 * where.width, (n_rows + 6) * 1.2 * where.line), **panels)
    tall = layout.height_of(figure) - 7 * where.line
    dot = np.clip(0.8 * tall * style.POINTS_PER_MM / n_rows, 0.1 * where.font, 0.5 * where.font)
    return figure, grid, tall, float(dot)


def _draw_intervals(axes: Axes, low: Floats, high: Floats, colours: Mapping[int, str], dot: float) -> None:
    """Draw the interval of each row; the smaller the dots, the thinner, so that intervals do not touch."""
    shades = [colours.get(i, NEUTRAL) for i in range(len(low))]
    axes.hlines(np.arange(len(low)), low, high, color=shades, linewidth=0.4 * dot)
    axes.set_ylim(len(low) - 0.5, -0.5)
    axes.grid(axis="y")


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
    test: str = "",
    pivot: int | None = None,
    groups: Sequence[str] = (),
    marked: Sequence[int] = (),
    ranked: Bools | None = None,
    topics: str = "",
    **page: Unpack[Page],
) -> Figure:
    """Draw systems by mean with confidence intervals, the best at the top: Webber 2008, Figure 2.

    Missing means and ends of intervals are NaN. ``interval``, for the label only, is ``marginal``, ``paired`` or
    ``all-pairs``, by ``test``; ``pivot`` is the system that paired ones compare with, ``groups`` are letters.
    """
    order, comparable = _in_rows(mean, ranked)
    n, n_ranked, where, ordered = len(order), int(comparable.sum()), sheet(**page), mean[order]
    figure, (axes,), tall, dot = _row_panels(where, n)
    colours = style.marked_colours(marked, order)
    _draw_intervals(axes, low[order], high[order], colours, dot)
    # dots of systems that are not ranked are gray
    for part, color in ((slice(n_ranked), BETTER), (slice(n_ranked, None), NEUTRAL)):
        if len(ordered[part]):
            axes.plot(ordered[part], np.arange(n)[part], "o", color=color, markersize=dot)
    for place, color in colours.items():
        axes.plot(ordered[place], place, "o", color=color, markersize=max(dot, 0.4 * where.font))
    if pivot is not None:
        axes.axvline(mean[pivot], color="black", linewidth=THIN, zorder=1)
    against = "" if pivot is None else shown(systems[pivot])
    letters = "; runs with a letter in common do not" if groups else ""
    kind = {
        "marginal": "t intervals",
        "paired": f"intervals of the difference from {against} (line; {test})",
        "all-pairs": f"intervals of all pairs ({test}): two that do not meet differ{letters}",
    }[interval]
    kind = f"{100 * confidence:g}% {kind}" if np.isfinite(high - low).any() else ""
    said = [f"mean {score_label(measure, scheme)}", topics, kind]
    label = wrapped(", ".join(filter(None, said)), layout.characters_beside(where, systems))
    axes.set_xlabel(label + ("" if n_ranked == n else "\ngray: incomplete"))
    axes.set_ylabel(layout.upright(figure, where, with_direction("system, highest first", measure)))
    layout.name_places(axes.yaxis, [systems[i] for i in order], where, tall, colours)
    if groups:
        right = axes.twinx()
        right.set_ylim(axes.get_ylim())
        right.tick_params(length=0)
        layout.name_places(right.yaxis, [groups[i] for i in order], where, tall, colours)
    return figure


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
    significant: Bools | None = None,
    marked: Sequence[int] = (),
    ranked: Bools | None = None,
    **page: Unpack[Page],
) -> Figure:
    """Draw the differences of systems from a baseline with their intervals, and the effect sizes beside them.

    Differences are those of system minus baseline; NaN is missing. Those that are not ``significant``, by default
    because their intervals include 0, are hollow.
    """
    order, comparable = _in_rows(difference, ranked)
    n, where = len(order), sheet(**page)
    name = layout.short_names([baseline, *systems])[0]
    is_tested, differs = ~np.isnan(low), (low > 0) | (high < 0) if significant is None else significant
    said = [f"difference in {score_label(measure, scheme)} from {name}", topics, intervals]
    said += ["hollow: not significant"] * bool((is_tested & ~differs).any()) + ["x: not tested"] * (
        not is_tested.all()
    )
    characters = layout.characters_beside(where, systems)
    wide: dict[str, Any] = {"gridspec_kw": {"width_ratios": [2, 1]}}
    figure, grid, tall, dot = _row_panels(where, n, n=2, columns=2, sharey=True, **wide)
    colours = style.marked_colours(marked, order)
    _draw_intervals(grid[0], low[order], high[order], colours, dot)
    for axes, values in zip(grid, (difference, effect_size), strict=True):
        axes.axvline(0, color="black", linewidth=THIN, zorder=1)
        for place, i in enumerate(order):
            color = colours.get(place, BETTER if comparable[i] else NEUTRAL)
            size = max(dot, 0.4 * where.font) if place in colours else dot
            shape: dict[str, Any] = {"color": color, "markersize": size, "markeredgewidth": 0.2 * size, "zorder": 3}
            face = color if differs[i] else "white"
            axes.plot(values[i], place, "o" if is_tested[i] else "x", markerfacecolor=face, **shape)
    label = wrapped(", ".join(filter(None, said)), 0.55 * characters)
    grid[0].set_xlabel(label + ("" if comparable.all() else "\ngray: incomplete"))
    grid[1].set_xlabel(wrapped("effect size (difference / sd)", 0.3 * characters))
    grid[1].tick_params(left=False)
    grid[1].grid(axis="y")
    grid[0].set_ylabel(layout.upright(figure, where, with_direction("system, highest first", measure)))
    layout.name_places(grid[0].yaxis, [systems[i] for i in order], where, tall, colours)
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
    **page: Unpack[Page],
) -> Figure:
    """Draw the differences of two systems per topic in descending order, their mean and its confidence interval.

    Differences are those of first system minus second; topics with NaN are left out. The interval is that of the
    mean difference; ``pvalue`` and ``effect_size``, the result of a test, stand above the bars.
    """
    from matplotlib.patches import Patch

    require_some("topics", differences)
    present = np.flatnonzero(~np.isnan(differences))
    order = present[np.argsort(-differences[present], kind="stable")]
    # differences that are only noise would fill the axes
    ordered = without_noise(differences[order], decimals(1.0))
    where, names = sheet(**page), layout.short_names(systems)
    legend = [*(f"{name} higher: {len(order)}" for name in names), "equal: 0", "mean", "its interval"]
    figure, (axes,) = layout.new_panels(where, 0.65 * where.width + 3 * where.line, legend=legend)
    # bars of less than a pixel leave gaps of several topics if they snap, and stripes if they are smoothed
    tiled = {"width": 1.0, "snap": False, "antialiased": False}
    shape: dict[str, Any] = {"width": 0.9} if len(order) <= 100 else tiled
    axes.bar(np.arange(len(order)), ordered, color=np.where(ordered > 0, BETTER, WORSE), **shape)
    axes.axhline(0, color="black", linewidth=THIN)
    sides = [(BETTER, f"{names[0]} higher", ordered > 0), (WORSE, f"{names[1]} higher", ordered < 0)]
    sides.append((NEUTRAL, "equal", ordered == 0))
    handles: list[Artist] = [Patch(color=colour, label=f"{said}: {part.sum()}") for colour, said, part in sides]
    if ordered.any():
        mean = float(ordered.mean())
        form = ".4f" if mean == 0 or 0.001 <= abs(mean) < 100 else ".2g" if abs(mean) < 1 else ".6g"
        said = f"mean {with_minus(format(mean, form))}"
        handles.append(axes.axhline(mean, color="black", linestyle="--", label=said))
        if interval is not None and np.isfinite(interval).all():
            # behind the bars, whose colours are those of the legend; its ends are before them
            said = f"its {100 * confidence:g}% interval"
            handles.append(axes.axhspan(*interval, facecolor=style.BAND, edgecolor="none", zorder=0, label=said))
            for end in interval:
                axes.axhline(end, color=NEUTRAL, linewidth=THIN)
    else:
        axes.set_ylim(-1, 1)
        axes.text(0.5, 0.75, "all differences are 0", transform=axes.transAxes, ha="center")
    result = [f"n = {len(order)}"]
    if pvalue is not None and not np.isnan(pvalue):
        # the p-value must not seem to be at most alpha if the interval holds 0
        alpha = 1 - confidence
        result.append("p < 0.0001" if pvalue < min(alpha, 0.0001) else f"p = {shown_pvalue(pvalue, alpha)}")
    if effect_size is not None and np.isfinite(effect_size):
        result.append(with_minus(f"d = {effect_size:.2f}"))
    axes.set_title(", ".join(result))
    axes.set_xlim(-0.5 - 0.01 * len(order), len(order) - 0.5 + 0.01 * len(order))
    axes.set_xlabel("topic, by difference")
    scores = with_direction(score_label(measure, scheme), measure)
    axes.set_ylabel(wrapped(f"{names[0]} \N{MINUS SIGN} {names[1]}, {scores}", layout.LONGEST_NAME + 2))
    layout.legend_below(figure, where, handles)
    # the two topics with the greatest differences are always named
    greatest = {0: "black", len(order) - 1: "black"} if ordered.any() else {}
    layout.name_places(axes.xaxis, [topics[i] for i in order], where, 0.85 * where.width, greatest)
    return figure


@styled
def topic_scatter(
    a: Floats,
    b: Floats,
    topics: Sequence[str],
    *,
    measures: Sequence[str],
    scheme: str = "raw",
    systems: tuple[str, str] = ("A", "B"),
    **page: Unpack[Page],
) -> Figure:
    """Draw the scores of two systems against each other, a point per topic; the second is on the horizontal axis.

    The scores, ``a`` and ``b``, have the shape (n_topics, n_measures); topics with NaN are left out.
    """
    where = sheet(**page)
    wide, rows = layout.grid_shape(where, len(measures), 34)
    tall = rows * (0.8 * where.width / max(wide, 1.3) + 3 * where.line)
    figure, grid = layout.new_panels(where, tall, len(measures), wide)
    first, second = layout.short_names(systems)
    dot = float(np.clip(30 * where.font / len(topics), 0.25 * where.font, 0.45 * where.font))
    for axes, measure, x, y in zip(grid, measures, b.T, a.T, strict=True):
        differences = topic_differences(y, x)
        require_some("topics that both systems have", differences)
        limits = layout.padded(*layout.span([x, y]))
        axes.set(xlim=limits, ylim=limits, aspect="equal")
        axes.plot(limits, limits, color=NEUTRAL, linewidth=THIN, zorder=1)
        parts = {BETTER: differences > 0, WORSE: differences < 0, NEUTRAL: differences == 0}
        for color, part in parts.items():
            axes.plot(x[part], y[part], "o", color=color, markersize=dot, fillstyle="none")
        higher, lower, equal = (int(part.sum()) for part in parts.values())
        said = f"{first} higher {higher}, lower {lower}, equal {equal}"
        axes.set_title(wrapped(said, where.characters / (1.25 * wide)))
        label = with_direction(score_label(measure, scheme), measure)
        axes.set_xlabel(wrapped(f"{second}: {label}", where.characters / (1.5 * wide)))
        axes.set_ylabel(layout.upright(figure, where, f"{first}: {label}", rows))
        order = np.argsort(np.nan_to_num(differences), kind="stable").tolist()
        # the topics that differ most, three in either direction, are named
        for i in {*order[:3], *order[-3:]}:
            if abs(differences[i]) > 0:
                # beside the point, towards the middle
                side, direction = ("left", 1) if x[i] < sum(limits) / 2 else ("right", -1)
                text: dict[str, Any] = {"fontsize": 0.8 * where.font, "textcoords": "offset points", "va": "center"}
                offset = (0.4 * direction * where.font, 0)
                axes.annotate(shown(topics[i], 10), (x[i], y[i]), xytext=offset, ha=side, **text)
    return figure
