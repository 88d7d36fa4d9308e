"""Figures of scores: all of them, raw and standardized; means by several measures; and the weights of ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from stdeval.errors import InputError, counted
from stdeval.measures.names import is_better_higher, publication_name, split_scheme
from stdeval.noise import decimals, rounded
from stdeval.plots import layout, tidy
from stdeval.plots.layout import BETTER, NEUTRAL, THIN, WORSE, Sheet, look, padded, sheet, shown, span, styled
from stdeval.stats import correlation
from stdeval.stats.aggregates import moments
from stdeval.stats.ranking import comparable, on_common_topics
from stdeval.table import Bools, Floats, Ints, ScoreTable

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Panel(NamedTuple):
    """Scores by one measure and scheme."""

    scheme: str
    label: str
    scores: Floats


def shown_scheme(measure: str, scheme: str) -> str:
    """Return the scheme of scores, which were standardized before they were read if the measure has such a name."""
    return (split_scheme(measure)[0] or scheme) if scheme == "raw" else scheme


def score_label(measure: str, scheme: str = "raw", what: str = "") -> str:
    """Return the name of a measure after some words; the unit of z scores; and whether lower is better."""
    unit = " (sd)" if shown_scheme(measure, scheme).upper() == "Z" else ""
    return f"{what}{shown(publication_name(measure))}{unit}" + "\nlower is better" * (not is_better_higher(measure))


def score_panels(tables: Mapping[str, ScoreTable]) -> list[Panel]:
    """Return one panel per scheme, in the order of the mapping."""
    panels, first = [], next(iter(tables.values()))
    for scheme, table in tables.items():
        if len(table.measures) != 1 or (table.systems, table.topics) != (first.systems, first.topics):
            expected = "one measure (select(measures=[NAME])), and the same systems and topics in all panels"
            raise InputError(f"a table of {counted(len(table.measures), 'measure')}, expected {expected}")
        measure = table.measures[0]
        panels.append(Panel(shown_scheme(measure, scheme), score_label(measure, scheme), table.values[:, :, 0]))
    return panels


def require_some(kind: str, values: Floats) -> None:
    """Refuse to draw values that are all missing."""
    if np.isnan(values).all():
        raise InputError(f"no {kind} to draw")


def with_topic_counts(systems: Sequence[str], counts: Sequence[int]) -> Sequence[str]:
    """Return the names of systems, with the number of topics where it is not that of most."""
    (usual, number), *_ = Counter(counts).most_common(1) or [(0, 0)]
    said = {usual} if 2 * number > len(counts) else set()
    return [name if n in said else f"{name} (n={n})" for name, n in zip(systems, counts, strict=True)]


Sort = Literal["both", "systems", "topics", "none"]


@styled
def heatmap(
    tables: Mapping[str, ScoreTable], *, sort: Sort = "both", marked: Sequence[int] = (), **page: Any
) -> Figure:
    """Draw all scores, systems x topics: Webber 2008, Figure 1; one panel per scheme.

    Axes are sorted by the means in the first panel, highest first. Colours of Z end at -3 and 3. Incomplete
    systems, without a topic that most systems have, stand below a line.
    """
    panels = score_panels(tables)
    table, first = next(iter(tables.values())), panels[0].scores
    kept, common = comparable(~np.isnan(first))
    compared, aside, by_system = on_common_topics(first, kept, common), ~kept, sort in ("both", "systems")
    rows = _by_mean(compared, aside) if by_system else np.arange(len(table.systems))
    columns = _by_mean(first.T) if sort in ("both", "topics") else np.arange(len(table.topics))
    where = sheet(**page)
    counts = (~np.isnan(compared)).sum(axis=1).tolist()
    names = with_topic_counts(table.systems, counts) if by_system else table.systems
    wide, high = layout.grid_shape(where, len(panels), 28)
    tall = (max(len(rows) * where.line, 0.45 * where.width) + 10 * where.line) * high
    figure, grid = layout.new_panels(where, tall, len(panels), wide)
    colours = layout.marked_colours(marked, rows)
    for k, (axes, panel) in enumerate(zip(grid, panels, strict=True)):
        cells = panel.scores[np.ix_(rows, columns)]
        (bottom, top), (least, greatest) = _scale(cells), span(cells)
        # z scores have no bounds, and a few extreme ones would leave all others one colour; raw ones seldom reach 1
        if panel.scheme.upper() == "Z":
            bottom, top = -3.0, 3.0
        elif panel.scheme == "raw":
            top = greatest or top
        # the hatched background shows through where a score is missing
        axes.patch.set(hatch="////", facecolor="white", edgecolor=NEUTRAL)
        colour_map = "cividis" if panel.scheme == "raw" else "RdBu"
        image = axes.imshow(cells, colour_map, aspect="auto", interpolation="none", vmin=bottom, vmax=top)
        extend = ("neither", "min", "max", "both")[(least < bottom) + 2 * (greatest > top)]
        figure.colorbar(image, ax=axes, location="top", aspect=30, pad=0.02, extend=extend, label=panel.label)
        if by_system and aside.any():
            axes.axhline(kept.sum() - 0.5, color=WORSE, linewidth=0.15 * where.font)
        axes.set_xlabel("topic")
        layout.name_columns(axes.xaxis, [table.topics[i] for i in columns], where, 0.6 / wide)
        # only the first panel of a row has names
        axes.set_yticks([])
        if k % wide == 0:
            layout.name_rows(axes.yaxis, [names[i] for i in rows], where, colours, high)
    return figure


def _by_mean(scores: Floats, aside: Bools | None = None) -> Ints:
    """Return the rows in descending order of their means, rows that are set aside or have no scores last."""
    means = rounded(moments(scores.T)[0], decimals(scores))
    return np.lexsort((-means, np.zeros(len(means)) if aside is None else aside))


@styled
def scores(tables: Mapping[str, ScoreTable], *, bins: int = 25, marked: Sequence[int] = (), **page: Any) -> Figure:
    """Draw the distribution of all scores: Webber 2008, Figure 3; Ravana 2009, Figures 4, 6 and 8.

    Left of the intervals, which have equal widths, are scores of exactly 0 if none is negative.
    """
    first = next(iter(tables.values()))
    panels = []
    for i in range(len(first.measures)):
        panels += score_panels({s: each.select(measures=each.measures[i : i + 1]) for s, each in tables.items()})
    others = np.setdiff1d(np.arange(len(first.systems)), marked)
    parts = {counted(len(others), "other run"): others} if len(others) else {}
    names = layout.short_names([first.systems[i] for i in marked])
    parts |= {name: np.array([i]) for name, i in zip(names, marked, strict=True)}
    where = sheet(**page)
    wide, rows = layout.grid_shape(where, len(panels), 28)
    tall = rows * 0.55 * where.width / min(wide, 1.25)
    figure, grid = layout.new_panels(where, tall, len(panels), wide)
    for axes, panel in zip(grid, panels, strict=True):
        low, high = _scale(panel.scores)
        # 0.04 * 7 is a little more than 0.28, and would put a score of 0.28 into the interval below
        edges = rounded(np.linspace(low, high, bins + 1), decimals(np.array([low, high])))
        ends, has_zeros = edges[[0, -1]], low == 0 and (panel.scores == 0).any()
        if has_zeros:
            edges = np.insert(edges, 0, -edges[1])
        handles: list[Artist] = []
        for k, (label, own) in enumerate(parts.items()):
            known = panel.scores[own][~np.isnan(panel.scores[own])]
            present = rounded(known, decimals(edges)).clip(*ends)
            if has_zeros:
                present[present == 0] = edges[0]
            counts = np.histogram(present, edges)[0]
            kind = {key: value for key, value in look(k).items() if key != "marker"}
            handles.append(axes.stairs(100 * counts / max(1, len(present)), edges, label=label, **kind))
        axes.set_xlabel(panel.label)
        axes.set_ylim(bottom=0)
    figure.supylabel("share of scores (%)")
    if marked:
        layout.legend_below(figure, where, handles)
    return figure


def _scale(scores: Floats) -> tuple[float, float]:
    """Limits of a scale for scores; a single score is put in the middle."""
    low, high = span(scores)
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high) if low < high else (low - 0.5, high + 0.5)


@styled
def scatter(
    means: Floats,
    measures: Sequence[str],
    *,
    systems: Sequence[str] = (),
    scheme: str = "raw",
    ranked: Bools | None = None,
    topics: str = "",
    **page: Any,
) -> Figure:
    """Draw the means of systems by every two measures, with Kendall's tau_b of the rankings: Webber 2010, Figure 2.

    The means have the shape (n_measures, n_systems), and are rounded so that arithmetic noise splits no tie. Up to
    three outliers on either side, beyond two standard deviations of a mean or of the difference, have their names.
    """
    comparable = np.ones(means.shape[1], dtype=bool) if ranked is None else ranked
    pairs = list(combinations(range(len(measures)), 2))
    require_some("systems with means by two measures", np.array([means[i] + means[j] for i, j in pairs]))
    where = sheet(**page)
    wide, rows = layout.grid_shape(where, len(pairs), 28)
    tall = rows * (0.75 * where.width / wide + 3 * where.line)
    figure, grid = layout.new_panels(where, tall, len(pairs), wide)
    labels = [score_label(name, scheme, "mean ") for name in measures]
    dot = float(np.clip(20 * where.font / len(comparable), 0.25 * where.font, 0.45 * where.font))
    for axes, (i, j) in zip(grid, pairs, strict=True):
        for part, color in ((comparable, BETTER), (~comparable, NEUTRAL)):
            if part.any():
                axes.plot(means[i, part], means[j, part], "o", color=color, markersize=dot, fillstyle="none")
        sign = 1 if is_better_higher(measures[i]) == is_better_higher(measures[j]) else -1
        tau = correlation.tau_b(means[i, comparable], means[j, comparable])
        said = "undefined" if np.isnan(tau) else layout.with_minus(f"{sign * tau:.3f}")
        axes.set_title(", ".join(filter(None, [f"{tidy.COEFFICIENTS['tau_b']} {said}", topics])))
        axes.set(xlabel=labels[i], ylabel=labels[j])
        if systems:
            x, y = (_in_sds(means[k]) for k in (i, j))
            apart = y - sign * x
            is_outlier = np.abs([x, y, _in_sds(apart)]).max(axis=0) > 2
            layout.name_points(axes, means[i], means[j], np.where(is_outlier, apart, 0.0), systems, where)
    return figure


def _in_sds(means: Floats) -> Floats:
    """Return means as distances from their mean in standard deviations, and 0 where they are all equal."""
    mean, sd, _ = moments(means)
    return rounded((means - mean) / sd if sd > 0 else 0 * means, 9)


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
    # many curves or points become one image in svg and pdf: as single shapes they would take megabytes
    for axes, panel, lines_of in zip(grid, panels, (curves[scheme] for scheme in tables), strict=True):
        lines = LineCollection(list(lines_of), array=means, alpha=0.5, cmap=colours, linewidth=THIN)
        lines.set(clim=(low, high), rasterized=len(lines_of) * len(lines_of[0]) > 20_000)
        axes.add_collection(lines)
        present = ~np.isnan(x) & ~np.isnan(panel.scores)
        shade = np.broadcast_to(means, x.shape)[present]
        kind: dict[str, Any] = {"s": 2, "linewidths": 0, "cmap": colours, "vmin": low, "vmax": high}
        points = axes.scatter(x[present], panel.scores[present], c=shade, **kind)
        points.set_rasterized(x.size > 2_000)
        axes.set(xlim=padded(x), ylim=padded(panel.scores), ylabel=panel.label)
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
        axes.set(ylim=padded(scores), ylabel=panel.label)
        marks = _draw_boxes(axes, scores[others], where)
        for k, i in enumerate(marked):
            look_of = {**look(k + 1), **kind}
            marks += axes.plot(np.arange(len(order)), scores[i], markeredgecolor="white", zorder=3, **look_of)
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
