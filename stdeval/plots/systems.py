"""Figures of systems: by mean, their differences from a baseline, and two systems topic by topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.noise import decimals, rounded, shown_pvalue, without_noise
from stdeval.plots import layout
from stdeval.plots.layout import BETTER, NEUTRAL, THIN, WORSE, name_rows, sheet, styled, with_minus
from stdeval.plots.score_figures import require_some, score_label
from stdeval.stats.pairwise import topic_differences
from stdeval.table import Bools, Floats, Ints

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def _in_rows(values: Floats, ranked: Bools | None) -> tuple[Ints, Bools]:
    """Return the systems in descending order of their values, those that are not ranked last, and who is ranked."""
    require_some("systems", values)
    comparable = np.ones(len(values), dtype=bool) if ranked is None else ranked
    return np.lexsort((-rounded(values, decimals(values)), ~comparable)), comparable


def _draw_intervals(
    axes: Axes, low: Floats, high: Floats, colours: Mapping[int, str], dot: float, label: str
) -> list[Artist]:
    """Draw the interval of each row, and return the entry of the legend, if there is any interval."""
    shades = [colours.get(i, NEUTRAL) for i in range(len(low))]
    # the smaller the dots, the thinner, so that intervals do not touch
    lines = axes.hlines(np.arange(len(low)), low, high, color=shades, linewidth=0.4 * dot, label=label)
    axes.set_ylim(len(low) - 0.5, -0.5)
    axes.grid(axis="y")
    return [lines] if np.isfinite(high - low).any() else []


def _dots(axes: Axes, x: Any, y: Any, colours: Any, faces: Any, dot: float, label: str = "") -> Artist:
    shape: dict[str, Any] = {"s": dot**2, "linewidths": 0.2 * dot, "zorder": 3}
    return axes.scatter(x, y, edgecolors=colours, facecolors=faces, label=label, **shape)


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
    **page: Any,
) -> Figure:
    """Draw systems by mean with confidence intervals, the best at the top: Webber 2008, Figure 2.

    Missing means and ends of intervals are NaN. ``interval``, for the label only, is ``marginal``, ``paired`` or
    ``all-pairs``, by ``test``; ``pivot`` is the system that paired ones compare with, ``groups`` are letters.
    """
    order, comparable = _in_rows(mean, ranked)
    where = sheet(**page)
    figure, (axes,), dot = layout.row_panels(where, len(order))
    colours = layout.marked_colours(marked, order)
    kind = {"marginal": "t interval", "paired": "interval of the difference", "all-pairs": "interval of all pairs"}
    said = f"{100 * confidence:g}% {kind[interval]}" + (f" ({test})" if test else "")
    legend = _draw_intervals(axes, low[order], high[order], colours, dot, said)
    shades = [colours.get(place, BETTER if comparable[i] else NEUTRAL) for place, i in enumerate(order)]
    _dots(axes, mean[order], range(len(order)), shades, shades, dot)
    if pivot is not None:
        named = f"mean of {layout.shown(systems[pivot])}"
        legend.append(axes.axvline(mean[pivot], color="black", linewidth=THIN, zorder=1, label=named))
    if not comparable.all():
        legend.append(_dots(axes, [], [], NEUTRAL, NEUTRAL, dot, "incomplete"))
    axes.set_xlabel("\n".join(filter(None, [score_label(measure, scheme, "mean "), topics])))
    name_rows(axes.yaxis, [systems[i] for i in order], where, colours)
    if groups:
        right = axes.twinx()
        right.set_ylim(axes.get_ylim())
        right.tick_params(length=0)
        name_rows(right.yaxis, [groups[i] for i in order], where, colours)
    layout.legend_below(figure, where, legend)
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
    **page: Any,
) -> Figure:
    """Draw the differences of systems from a baseline with their intervals, and the effect sizes beside them.

    Differences are those of system minus baseline; NaN is missing. Those that are not ``significant``, by default
    because their intervals include 0, are hollow.
    """
    order, comparable = _in_rows(difference, ranked)
    where = sheet(**page)
    differs = (low > 0) | (high < 0) if significant is None else significant
    wide: dict[str, Any] = {"gridspec_kw": {"width_ratios": [2, 1]}}
    figure, grid, dot = layout.row_panels(where, len(order), 2, sharey=True, **wide)
    colours = layout.marked_colours(marked, order)
    legend = _draw_intervals(grid[0], low[order], high[order], colours, dot, intervals)
    shades = [colours.get(place, BETTER if comparable[i] else NEUTRAL) for place, i in enumerate(order)]
    faces = [shade if differs[i] else "white" for shade, i in zip(shades, order, strict=True)]
    named = f"baseline {layout.short_names([baseline, *systems], 30)[0]}"
    for axes, values in zip(grid, (difference, effect_size), strict=True):
        line = axes.axvline(0, color="black", linewidth=THIN, zorder=1, label=named)
        _dots(axes, values[order], range(len(order)), shades, faces, dot)
    legend.append(line)
    if not differs.all():
        legend.append(_dots(axes, [], [], BETTER, "white", dot, "not significant"))
    if not comparable.all():
        legend.append(_dots(axes, [], [], NEUTRAL, NEUTRAL, dot, "incomplete"))
    grid[0].set_xlabel("\n".join(filter(None, [score_label(measure, scheme, "difference in "), topics])))
    grid[1].set_xlabel("effect size")
    grid[1].tick_params(left=False)
    grid[1].grid(axis="y")
    name_rows(grid[0].yaxis, [systems[i] for i in order], where, colours)
    layout.legend_below(figure, where, legend)
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
    **page: Any,
) -> Figure:
    """Draw the differences of two systems per topic in descending order, their mean and its confidence interval.

    Differences are those of first system minus second; topics with NaN are left out. The interval is that of the
    mean difference; ``pvalue`` and ``effect_size``, the result of a test, stand above the bars.
    """
    require_some("topics", differences)
    present = np.flatnonzero(~np.isnan(differences))
    order = present[np.argsort(-differences[present], kind="stable")]
    # differences that are only noise would fill the axes
    ordered = without_noise(differences[order], decimals(1.0))
    where, edges, n_equal = sheet(**page), np.arange(len(order) + 1) - 0.5, int((ordered == 0).sum())
    figure, (axes,) = layout.new_panels(where, 0.65 * where.width + 3 * where.line)
    legend: list[Artist] = []
    for name, colour, sign in zip(layout.short_names(systems), (BETTER, WORSE), (1, -1), strict=True):
        part = sign * ordered > 0
        how: dict[str, Any] = {"fill": True, "color": colour, "label": f"{name} higher: {part.sum()}"}
        legend.append(axes.stairs(np.where(part, ordered, 0.0), edges, **how))
    axes.axhline(0, color="black", linewidth=THIN)
    if ordered.any():
        mean = float(ordered.mean())
        form = ".4f" if mean == 0 or 0.001 <= abs(mean) < 100 else ".2g" if abs(mean) < 1 else ".6g"
        said = f"mean {with_minus(format(mean, form))}"
        legend.append(axes.axhline(mean, color="black", linestyle="--", label=said))
        if interval is not None and np.isfinite(interval).all():
            # behind the bars, whose colours are those of the legend; its ends are before them
            said = f"its {100 * confidence:g}% interval"
            legend.append(axes.axhspan(*interval, facecolor="#CCCCCC", edgecolor="none", zorder=0, label=said))
            for end in interval:
                axes.axhline(end, color=NEUTRAL, linewidth=THIN)
    else:
        axes.set_ylim(-1, 1)
    result = [f"n = {len(order)}", f"{n_equal} equal"][: 1 + (n_equal > 0)]
    if pvalue is not None and not np.isnan(pvalue):
        # the p-value must not seem to be at most alpha if the interval holds 0
        alpha = 1 - confidence
        result.append("p < 0.0001" if pvalue < min(alpha, 0.0001) else f"p = {shown_pvalue(pvalue, alpha)}")
    if effect_size is not None and np.isfinite(effect_size):
        result.append(with_minus(f"d = {effect_size:.2f}"))
    axes.set_title(", ".join(result))
    axes.margins(x=0.01)
    axes.set(xlabel="topic", ylabel=score_label(measure, scheme, "difference in "))
    layout.name_columns(axes.xaxis, [topics[i] for i in order], where)
    layout.legend_below(figure, where, legend)
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
    **page: Any,
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
        limits = layout.padded([x, y])
        axes.set(xlim=limits, ylim=limits, aspect="equal")
        axes.plot(limits, limits, color=NEUTRAL, linewidth=THIN, zorder=1)
        parts = {BETTER: differences > 0, WORSE: differences < 0, NEUTRAL: differences == 0}
        for color, part in parts.items():
            axes.plot(x[part], y[part], "o", color=color, markersize=dot, fillstyle="none")
        higher, lower, equal = (int(part.sum()) for part in parts.values())
        axes.set_title(f"higher {higher}, lower {lower}, equal {equal}")
        axes.set(
            xlabel=score_label(measure, scheme, f"{second}: "), ylabel=score_label(measure, scheme, f"{first}: ")
        )
        layout.name_points(axes, x, y, differences, topics, where)
    return figure
