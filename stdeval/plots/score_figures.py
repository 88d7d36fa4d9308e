"""Figures of scores: all scores, their distribution, the means of systems by several measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from stdeval.display import counted
from stdeval.errors import InputError
from stdeval.measures.names import is_better_higher, publication_name, split_scheme
from stdeval.noise import decimals, rounded
from stdeval.plots import layout
from stdeval.plots.layout import shown, span
from stdeval.plots.style import BETTER, NEUTRAL, WORSE, look, marked_colours, sheet, styled, with_minus
from stdeval.plots.tidy import COEFFICIENTS
from stdeval.stats.aggregates import moments
from stdeval.stats.correlation import tau_b
from stdeval.stats.ranking import comparable, on_common_topics
from stdeval.table import Bools, Floats, Ints, ScoreTable

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Panel:
    """Scores by one measure and scheme."""

    scheme: str
    label: str
    scores: Floats


def shown_scheme(measure: str, scheme: str = "raw") -> str:
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
    colours = marked_colours(marked, rows)
    for k, (axes, panel) in enumerate(zip(grid, panels, strict=True)):
        _draw_cells(figure, axes, panel, panel.scores[np.ix_(rows, columns)])
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
    order: Ints = np.argsort(-rounded(moments(scores.T)[0], decimals(scores)), kind="stable")
    return order if aside is None else order[np.argsort(aside[order], kind="stable")]


def _draw_cells(figure: Figure, axes: Axes, panel: Panel, scores: Floats) -> None:
    """Draw the scores of a panel, in the order given, with a colour bar above."""
    least, greatest = span(scores)
    low, high = _scale(scores)
    # z scores are not bounded, and a few extreme ones would leave all others one colour; raw ones seldom reach 1
    if panel.scheme.upper() == "Z":
        low, high = -3.0, 3.0
    elif panel.scheme == "raw":
        high = greatest or high
    # the hatched background shows through where a score is missing
    axes.patch.set(hatch="////", facecolor="white", edgecolor=NEUTRAL)
    colours = "cividis" if panel.scheme == "raw" else "RdBu"
    extend = ("neither", "min", "max", "both")[(least < low) + 2 * (greatest > high)]
    image = axes.imshow(scores, cmap=colours, aspect="auto", interpolation="none", vmin=low, vmax=high)
    figure.colorbar(image, ax=axes, location="top", aspect=30, pad=0.02, extend=extend, label=panel.label)


@styled
def scores(tables: Mapping[str, ScoreTable], *, bins: int = 25, marked: Sequence[int] = (), **page: Any) -> Figure:
    """Draw the distribution of all scores: Webber 2008, Figure 3; Ravana 2009, Figures 4, 6 and 8.

    Left of the intervals, which have equal widths, are scores of exactly 0 if none is negative.
    """
    first = next(iter(tables.values()))
    panels = [
        panel
        for i in range(len(first.measures))
        for panel in score_panels({s: each.select(measures=each.measures[i : i + 1]) for s, each in tables.items()})
    ]
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
        has_zeros = low == 0 and (panel.scores == 0).any()
        ends = np.concatenate([[edges[0] - (edges[1] - edges[0])], edges]) if has_zeros else edges
        handles: list[Artist] = []
        for k, (label, own) in enumerate(parts.items()):
            known = panel.scores[own][~np.isnan(panel.scores[own])]
            present = rounded(known, decimals(edges)).clip(edges[0], edges[-1])
            counts = np.histogram(present[present != 0] if has_zeros else present, edges)[0]
            counts = np.concatenate([[np.sum(present == 0)], counts]) if has_zeros else counts
            kind = {key: value for key, value in look(k).items() if key != "marker"}
            handles.append(axes.stairs(100 * counts / max(1, len(present)), ends, label=label, **kind))
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
        tau = tau_b(means[i, comparable], means[j, comparable])
        said = "undefined" if np.isnan(tau) else with_minus(f"{sign * tau:.3f}")
        axes.set_title(", ".join(filter(None, [f"{COEFFICIENTS['tau_b']} {said}", topics])))
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
