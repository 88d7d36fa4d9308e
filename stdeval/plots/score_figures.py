"""Figures of scores: all scores, their distribution, the means of systems by several measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from stdeval.display import counted
from stdeval.errors import InputError
from stdeval.measures.names import is_better_higher, publication_name, split_scheme
from stdeval.noise import decimals, rounded
from stdeval.plots import layout
from stdeval.plots.layout import shown, span
from stdeval.plots.style import BETTER, NEUTRAL, WORSE, Page, look, marked_colours, sheet, styled, with_minus
from stdeval.plots.tidy import COEFFICIENTS
from stdeval.stats.aggregates import moments
from stdeval.stats.correlation import tau_b
from stdeval.stats.ranking import comparable, on_common_topics
from stdeval.table import Bools, Floats, Ints, ScoreTable

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from typing_extensions import Unpack


@dataclass(frozen=True, eq=False)
class Panel:
    """Scores by one measure and scheme."""

    scheme: str
    label: str
    scores: Floats


def shown_scheme(measure: str, scheme: str = "raw") -> str:
    """Return the scheme of scores, which were standardized before they were read if the measure has such a name."""
    return (split_scheme(measure)[0] or scheme) if scheme == "raw" else scheme


def score_label(measure: str, scheme: str = "raw") -> str:
    """Return the name of a measure with its unit: standard deviations for scheme Z, or scores."""
    letter = shown_scheme(measure, scheme).upper()
    return f"{shown(publication_name(measure), 60)} ({'sd' if letter == 'Z' else 'score'})"


def with_direction(label: str, measure: str) -> str:
    """Return a label that says so if lower is better by the measure."""
    return label if is_better_higher(measure) else f"{label}, lower is better"


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
    tables: Mapping[str, ScoreTable], *, sort: Sort = "both", marked: Sequence[int] = (), **page: Unpack[Page]
) -> Figure:
    """Draw all scores, systems x topics: Webber 2008, Figure 1; one panel per scheme.

    Axes are sorted by the means in the first panel, highest first. Colours of Z end at -3 and 3. Incomplete
    systems, without a topic that most systems have, stand below a line.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.array([[[0.1], [0.2]], [[0.3], [0.9]]]))
    >>> heatmap({"raw": table}).axes[0].images[0].get_array().data.tolist()
    [[0.9, 0.3], [0.2, 0.1]]
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
    systems, topics = [names[i] for i in rows], [table.topics[i] for i in columns]
    wide, high = layout.grid_shape(where, len(panels), 28)
    # the names of the systems leave less room for the panels
    characters = layout.characters_beside(where, systems) / wide
    room = where.width * characters / where.characters
    tall = (max(len(rows) * where.line, 0.45 * where.width) + 10 * where.line) * high
    figure, axes = layout.new_panels(where, tall, len(panels), wide, sharey=True)
    for axis, panel in zip(axes, panels, strict=True):
        label = panel.label.replace(" (", "\n(") if 1.3 * len(panel.label) > characters else panel.label
        _draw_cells(figure, axis, panel, panel.scores[np.ix_(rows, columns)], label)
        if by_system and aside.any():
            axis.axhline(kept.sum() - 0.5, color=WORSE, linewidth=0.15 * where.font)
    below = ", incomplete below" if aside.any() else ""
    # all panels have the order of the first one
    order = f"highest first by {panels[0].label.rpartition(' (')[0]}" if len(panels) > 1 else "highest first"
    system = with_direction(f"system, {order}", table.measures[0]) + below if by_system else "system"
    topic = f"topic, {order}" if sort in ("both", "topics") else "topic"
    topic += " (hatched: no score)" if any(np.isnan(panel.scores).any() for panel in panels) else ""
    layout.name_axes(figure, where, axes, wide, topic, system, characters)
    colours = marked_colours(marked, rows)
    for axis in axes[::wide]:
        layout.name_places(axis.yaxis, systems, where, layout.height_of(figure) / high - 10 * where.line, colours)
    for axis in axes:
        layout.name_places(axis.xaxis, topics, where, 0.9 * room)
        # a triangle at the right of each marked row
        for place, colour in colours.items():
            shape: dict[str, Any] = {"marker": "<", "color": colour, "markersize": 0.5 * where.font}
            beyond: dict[str, Any] = {"clip_on": False, "scalex": False, "scaley": False, "markeredgewidth": 0}
            axis.plot(1.012 * len(topics) - 0.5, place, **beyond, **shape)
    return figure


def _by_mean(scores: Floats, aside: Bools | None = None) -> Ints:
    """Return the rows in descending order of their means, rows that are set aside or have no scores last."""
    order: Ints = np.argsort(-rounded(moments(scores.T)[0], decimals(scores)), kind="stable")
    return order if aside is None else order[np.argsort(aside[order], kind="stable")]


def _draw_cells(figure: Figure, axes: Axes, panel: Panel, scores: Floats, label: str) -> None:
    """Draw the scores of a panel, in the order given, with a colour bar above."""
    low, high = _common_span([panel])
    least, greatest = span(scores)
    # z scores are not bounded, and a few extreme ones would leave all others one colour
    if panel.scheme.upper() == "Z":
        low, high = -3.0, 3.0
    # raw scores seldom fill 0 to 1, standardized scores do
    elif panel.scheme == "raw" and low == 0 and greatest > 0:
        high = greatest
    # the hatched background shows through where a score is missing
    axes.patch.set(hatch="////", facecolor="white", edgecolor=NEUTRAL)
    colours = "cividis" if panel.scheme == "raw" else "RdBu"
    extend = ("neither", "min", "max", "both")[(least < low) + 2 * (greatest > high)]
    image = axes.imshow(scores, cmap=colours, aspect="auto", interpolation="none", vmin=low, vmax=high)
    figure.colorbar(image, ax=axes, location="top", aspect=30, pad=0.02, extend=extend, label=label)


@styled
def scores(
    tables: Mapping[str, ScoreTable], *, bins: int = 25, marked: Sequence[int] = (), **page: Unpack[Page]
) -> Figure:
    """Draw the distribution of all scores: Webber 2008, Figure 3; Ravana 2009, Figures 4, 6 and 8.

    Left of the intervals, which have equal widths, are scores of exactly 0 if none is negative.
    """
    first = next(iter(tables.values()))
    panels = [
        replace(panel, label=with_direction(panel.label, measure))
        for i, measure in enumerate(first.measures)
        for panel in score_panels({s: each.select(measures=each.measures[i : i + 1]) for s, each in tables.items()})
    ]
    # panels with scores in 0 to 1 share a scale; each other one stands by itself
    unit = [panel for panel in panels if _common_span([panel]) == (0.0, 1.0)]
    groups = ([unit] if unit else []) + [[panel] for panel in panels if panel not in unit]
    groups = [_parts(panel, marked, first.systems) for panel in panels] if marked else groups
    # marked systems look the same in every panel
    labels = [part.label for part in (groups[0] if marked else panels)]
    # a histogram that has a panel of its own is named by its axis
    in_legend = labels if marked or max(map(len, groups)) > 1 else []
    where = sheet(**page)
    wide, rows = layout.grid_shape(where, len(groups), 40 if marked else 28)
    tall = rows * 0.55 * where.width / min(wide, 1.25)
    figure, grid = layout.new_panels(where, tall, len(groups), wide, in_legend)
    handles: dict[str, Artist] = {}
    layout.name_axes(figure, where, grid, wide, "", "share of scores (%)")
    for k, (axes, group) in enumerate(zip(grid, groups, strict=True)):
        low, high = _common_span(group)
        # 0.04 * 7 is a little more than 0.28, and would put a score of 0.28 into the interval below
        edges = rounded(np.linspace(low, high, bins + 1), decimals(np.array([low, high])))
        has_zeros = low == 0 and any((part.scores == 0).any() for part in group)
        ends = np.concatenate([[edges[0] - (edges[1] - edges[0])], edges]) if has_zeros else edges
        for part in group:
            present = rounded(part.scores[~np.isnan(part.scores)], decimals(edges)).clip(edges[0], edges[-1])
            counts = np.histogram(present[present != 0] if has_zeros else present, edges)[0]
            counts = np.concatenate([[np.sum(present == 0)], counts]) if has_zeros else counts
            kind = {key: value for key, value in look(labels.index(part.label)).items() if key != "marker"}
            shares = 100 * counts / max(1, len(present))
            handles[part.label] = axes.stairs(shares, ends, label=part.label, **kind)
        label = panels[k].label if marked else group[0].label if len(group) == 1 else "score"
        axes.set_xlabel(f"{label}, left of 0: exactly 0" if has_zeros else label)
        axes.set_ylim(bottom=0)
    if in_legend:
        layout.legend_below(figure, where, [handles[label] for label in in_legend])
    return figure


def _parts(panel: Panel, marked: Sequence[int], systems: Sequence[str]) -> list[Panel]:
    """Return the scores of the systems that are not marked, and then those of each marked one."""
    others = np.setdiff1d(np.arange(len(systems)), marked)
    names = [counted(len(others), "other run"), *layout.short_names([systems[i] for i in marked])]
    rows = [others, *(np.array([i]) for i in marked)]
    parts = [Panel(panel.scheme, name, panel.scores[own]) for name, own in zip(names, rows, strict=True)]
    return parts if len(others) else parts[1:]


def _common_span(panels: Sequence[Panel]) -> tuple[float, float]:
    """Limits of a scale for all scores of some panels; a single score is put in the middle."""
    low, high = span([span(panel.scores) for panel in panels])
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high) if low < high else (low - 0.5, high + 0.5)


@styled
def scatter(
    means: Floats,
    measures: Sequence[str],
    *,
    scheme: str = "raw",
    ranked: Bools | None = None,
    topics: str = "",
    **page: Unpack[Page],
) -> Figure:
    """Draw the means of systems by every two measures, with Kendall's tau_b of the rankings: Webber 2010, Figure 2.

    The means have the shape (n_measures, n_systems), and are rounded so that arithmetic noise splits no tie.
    """
    comparable = np.ones(means.shape[1], dtype=bool) if ranked is None else ranked
    pairs = list(combinations(range(len(measures)), 2))
    require_some("systems with means by two measures", np.array([means[i] + means[j] for i, j in pairs]))
    where = sheet(**page)
    wide, rows = layout.grid_shape(where, len(pairs), 28)
    tall = rows * (0.75 * where.width / wide + 3 * where.line)
    figure, grid = layout.new_panels(where, tall, len(pairs), wide)
    # a blank after the prefix lets a long label break there
    labels = [with_direction(f"mean {score_label(name, scheme)}", name).replace(":", ": ") for name in measures]
    dot = float(np.clip(20 * where.font / len(comparable), 0.25 * where.font, 0.45 * where.font))
    for axes, (i, j) in zip(grid, pairs, strict=True):
        for part, color in ((comparable, BETTER), (~comparable, NEUTRAL)):
            if part.any():
                axes.plot(means[i, part], means[j, part], "o", color=color, markersize=dot, fillstyle="none")
        opposite = is_better_higher(measures[i]) != is_better_higher(measures[j])
        tau = tau_b(means[i, comparable], means[j, comparable])
        said = "undefined" if np.isnan(tau) else with_minus(f"{-tau if opposite else tau:.3f}")
        axes.set_title(f"{COEFFICIENTS['tau_b']} {said}")
        n_gray = int(np.count_nonzero(~np.isnan(means[i] + means[j]) & ~comparable))
        gray = f"\ngray: {n_gray} incomplete" if n_gray else ""
        over = f"\n{layout.wrapped(topics, where.characters / (1.6 * wide))}" if topics else ""
        axes.set_xlabel(layout.wrapped(labels[i], where.characters / (1.6 * wide)).replace(": ", ":") + over + gray)
        axes.set_ylabel(layout.upright(figure, where, labels[j], rows).replace(": ", ":"))
    return figure
