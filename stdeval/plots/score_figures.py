"""Figures of scores: all scores, their distribution, the means of systems by several measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.display import counted
from stdeval.errors import InputError
from stdeval.measures.names import is_better_higher, publication_name, split_scheme
from stdeval.noise import decimals, rounded
from stdeval.plots.layout import (
    characters_beside,
    grid_columns,
    height_of,
    legend_below,
    name_axes,
    name_places,
    new_figure,
    panel_axes,
    short_names,
    shown,
    span,
    upright,
    wrapped,
)
from stdeval.plots.series import COEFFICIENTS
from stdeval.plots.style import BETTER, NEUTRAL, WORSE, Size, look, marked_colours, sheet, styled, with_minus
from stdeval.stats.aggregates import moments
from stdeval.stats.correlation import tau_b
from stdeval.stats.ranking import coverage
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


def score_label(measure: str, scheme: str = "raw") -> str:
    """Return the name of a measure with its unit: standard deviations for scheme Z, or scores."""
    letter = shown_scheme(measure, scheme).upper()
    return f"{shown(publication_name(measure), 60)} ({'sd' if letter == 'Z' else 'score'})"


def with_direction(label: str, measure: str) -> str:
    """Return a label that says so if lower is better by the measure."""
    return label if is_better_higher(measure) else f"{label}, lower is better"


def score_panels(tables: Mapping[str, ScoreTable], raw: ScoreTable | None = None) -> list[Panel]:
    """Return one panel per scheme, in the order of the mapping."""
    if not tables:
        raise InputError("no scores to draw")
    if raw is not None:
        check_drawable(raw)
    first = next(iter(tables.values())) if raw is None else raw
    panels = []
    for scheme, table in tables.items():
        check_one_measure(table)
        if (table.systems, table.topics) != (first.systems, first.topics):
            raise InputError(
                f"scores by scheme '{scheme}' of other systems or topics, expected the same in all panels"
            )
        # standardized scores may all be missing, for lack of factors: their panel is empty then
        if scheme == "raw":
            check_drawable(table)
        measure = table.measures[0]
        panels.append(Panel(shown_scheme(measure, scheme), score_label(measure, scheme), table.values[:, :, 0]))
    return panels


def check_one_measure(table: ScoreTable) -> None:
    """Refuse a table with no measure or with several."""
    if not table.measures:
        raise InputError("no measure to draw")
    if len(table.measures) > 1:
        raise InputError(f"scores by {len(table.measures)} measures, expected one: select(measures=[NAME])")


def check_drawable(raw: ScoreTable) -> None:
    """Refuse raw scores of which some are infinite or all are missing, and a table without exactly one measure."""
    check_one_measure(raw)
    if np.isinf(raw.values).any() or np.isnan(raw.values).all():
        raise InputError(f"no scores by '{raw.measures[0]}' that can be drawn, expected finite numbers")


def check_lengths(kind: str, n: int, *arrays: Floats) -> None:
    """Refuse arrays that do not have n values, and a first array without any value that is not NaN."""
    wrong = [array.shape for array in arrays if array.shape != (n,)]
    if wrong:
        raise InputError(f"an array of shape {wrong[0]} for {n} {kind}, expected ({n},)")
    if not n or np.isnan(arrays[0]).all():
        raise InputError(f"no {kind} to draw")


def with_topic_counts(systems: Sequence[str], counts: Sequence[int]) -> Sequence[str]:
    """Return the names of systems, with the number of topics where it is not that of most."""
    (usual, number), *_ = Counter(counts).most_common(1) or [(0, 0)]
    told = {usual} if 2 * number > len(counts) else set()
    return [name if n in told else f"{name} (n={n})" for name, n in zip(systems, counts, strict=True)]


SORTS = ("both", "systems", "topics", "none")


@styled
def heatmap(
    tables: Mapping[str, ScoreTable],
    *,
    sort: str = "both",
    marked: Sequence[int] = (),
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Draw all scores, systems x topics: Webber 2008, Figure 1; one panel per scheme.

    Cells without a score are white and hatched. Colours of raw scores go from 0 to the greatest score, those of
    Z from -3 to 3 standard deviations, and all others from 0 to 1. Scores outside 0 to 1, except those of Z,
    have colours from the least to the greatest score. Lighter is higher for raw scores; standardized scores
    are blue above the middle of the colours and red below it.

    Parameters
    ----------
    tables : mapping of str to ScoreTable
        The panels, from left to right: scores by one measure, under ``"raw"`` or the letter of their scheme; all of
        the same systems and topics.
    sort : {"both", "systems", "topics", "none"}
        The axes that are in the order of the means in the first panel, the highest at the top and at the left; the
        others keep the order of the tables. Incomplete systems, without a topic that more than half of the systems
        have, stand below the others, under a line; the names of all have the numbers of topics then.
    marked : sequence of int
        The systems that are marked by a colour, with a triangle at the right of their rows.
    size : str, float or (float, float)
        ``"column"`` (85 mm wide), ``"page"`` (175 mm wide), ``"slide"`` (254 mm x 142.875 mm), a width in mm, or a
        width and a height in mm. A height that is not given fits the content.
    title : str, optional
        Stands above the figure.

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
    counts = (~np.isnan(comparable)).sum(axis=1).tolist()
    names = with_topic_counts(table.systems, counts) if by_system else table.systems
    systems = [names[i] for i in rows]
    wide = grid_columns(where, len(panels), 28)
    # the names of the systems leave less room for the panels
    characters = characters_beside(where, systems) / wide
    room = where.width * characters / where.characters
    cells, high = max(len(rows) * where.line, 0.45 * where.width), ceil(len(panels) / wide)
    figure = new_figure(where, (cells + 10 * where.line) * high, title)
    axes = panel_axes(figure, len(panels), wide, sharey=True)
    for axis, panel in zip(axes, panels, strict=True):
        label = panel.label.replace(" (", "\n(") if 1.3 * len(panel.label) > characters else panel.label
        _draw_cells(figure, axis, panel, panel.scores[np.ix_(rows, columns)], label)
        if by_system and aside.any():
            axis.axhline(facts.ranked.sum() - 0.5, color=WORSE, linewidth=0.15 * where.font)
    below = ", incomplete below" if aside.any() else ""
    # all panels have the order of the first one
    order = f"highest first by {panels[0].label.rpartition(' (')[0]}" if len(panels) > 1 else "highest first"
    system = with_direction(f"system, {order}", table.measures[0]) + below if by_system else "system"
    topic = f"topic, {order}" if sort in ("both", "topics") else "topic"
    missing = any(np.isnan(panel.scores).any() for panel in panels)
    name_axes(figure, where, axes, wide, f"{topic} (hatched: no score)" if missing else topic, system, characters)
    topics = [table.topics[i] for i in columns]
    colours = marked_colours(marked, rows)
    for axis in axes[::wide]:
        name_places(axis.yaxis, systems, where, height_of(figure) / high - 10 * where.line, colours)
    for axis in axes:
        name_places(axis.xaxis, topics, where, 0.9 * room)
        _mark_rows(axis, colours, len(topics), where.font)
    return figure


def _mark_rows(axes: Axes, colours: Mapping[int, str], n_topics: int, font: float) -> None:
    """Draw a triangle at the right of each marked row."""
    for place, colour in colours.items():
        shape: dict[str, Any] = {"marker": "<", "color": colour, "markersize": 0.5 * font, "markeredgewidth": 0}
        axes.plot(n_topics - 0.5 + 0.012 * n_topics, place, clip_on=False, scalex=False, scaley=False, **shape)


def _by_mean(scores: Floats, aside: Bools | None = None) -> Ints:
    """Return the rows in descending order of their means, rows that are set aside or have no scores last."""
    order: Ints = np.argsort(-rounded(moments(scores.T)[0], decimals(scores)), kind="stable")
    return order if aside is None else order[np.argsort(aside[order], kind="stable")]


def _draw_cells(figure: Figure, axes: Axes, panel: Panel, scores: Floats, label: str) -> None:
    """Draw the scores of a panel, in the order given, with a colour bar above."""
    low, high = _colour_span(panel)
    # the hatched background shows through where a score is missing
    axes.patch.set(hatch="////", facecolor="white", edgecolor=NEUTRAL)
    colours = "cividis" if panel.scheme == "raw" else "RdBu"
    least, greatest = span(scores)
    extend = ("neither", "min", "max", "both")[(least < low) + 2 * (greatest > high)]
    image = axes.imshow(scores, cmap=colours, aspect="auto", interpolation="none", vmin=low, vmax=high)
    bar = figure.colorbar(image, ax=axes, location="top", aspect=30, pad=0.02, extend=extend)
    bar.set_label(label)


def _colour_span(panel: Panel) -> tuple[float, float]:
    """Scores of the first and the last colour."""
    # z scores are not bounded, and a few extreme ones would leave all others one colour
    if panel.scheme.upper() == "Z":
        return -3.0, 3.0
    low, high = _common_span([panel])
    greatest = span(panel.scores)[1]
    # raw scores seldom fill 0 to 1, standardized scores do
    return (low, greatest) if panel.scheme == "raw" and low == 0 and greatest > 0 else (low, high)


@styled
def scores(
    tables: Mapping[str, ScoreTable],
    *,
    bins: int = 25,
    marked: Sequence[int] = (),
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Draw the distribution of all scores: Webber 2008, Figure 3; Ravana 2009, Figures 4, 6 and 8.

    Bars are percentages of scores in each interval: a histogram rather than a density, because many scores are
    exactly 0. If there are such scores, and none is negative, they have an interval of their own, left of 0.

    Parameters
    ----------
    tables : mapping of str to ScoreTable
        As in `heatmap`, but by one or more measures. Scores that all lie in 0 to 1 share a panel, all others have a
        panel of their own.
    bins : int
        Number of intervals of equal width.
    marked : sequence of int
        The systems that have histograms of their own, and are not part of the others; each measure and scheme
        then has a panel of its own.
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> table = ScoreTable(("a",), ("1", "2"), ("map",), np.array([[[0.1], [0.9]]]))
    >>> scores({"raw": table}, bins=2).axes[0].patches[0].get_data().values
    array([50., 50.])
    """
    panels = _panels_by_measure(tables)
    systems = next(iter(tables.values())).systems
    groups = [_parts(panel, marked, systems) for panel in panels] if marked else _by_scale(panels)
    # marked systems look the same in every panel
    labels = [part.label for part in (groups[0] if marked else panels)]
    # a histogram that has a panel of its own is named by its axis
    in_legend = labels if marked or max(map(len, groups)) > 1 else []
    where = sheet(size)
    wide = grid_columns(where, len(groups), 40 if marked else 28)
    rows = ceil(len(groups) / wide)
    figure = new_figure(where, rows * 0.55 * where.width / min(wide, 1.25), title, in_legend)
    handles: dict[str, Artist] = {}
    grid = panel_axes(figure, len(groups), wide)
    name_axes(figure, where, grid, wide, "", "share of scores (%)")
    for k, (axes, group) in enumerate(zip(grid, groups, strict=True)):
        low, high = _common_span(group)
        # 0.04 * 7 is a little more than 0.28, and would put a score of 0.28 into the interval below
        edges = rounded(np.linspace(low, high, bins + 1), decimals(np.array([low, high])))
        has_zeros = low == 0 and any((part.scores == 0).any() for part in group)
        for part in group:
            handles[part.label] = _draw_histogram(axes, part, edges, labels.index(part.label), has_zeros)
        label = panels[k].label if marked else group[0].label if len(group) == 1 else "score"
        axes.set_xlabel(f"{label}, left of 0: exactly 0" if has_zeros else label)
        axes.set_ylim(bottom=0)
    if in_legend:
        legend_below(figure, where, [handles[label] for label in in_legend])
    return figure


def _panels_by_measure(tables: Mapping[str, ScoreTable]) -> list[Panel]:
    """Return one panel per measure and scheme."""
    n_measures = max((len(table.measures) for table in tables.values()), default=0)
    return [
        replace(panel, label=with_direction(panel.label, next(iter(tables.values())).measures[i]))
        for i in range(max(1, n_measures))
        for panel in score_panels(
            {scheme: table.select(measures=table.measures[i : i + 1]) for scheme, table in tables.items()}
        )
    ]


def _parts(panel: Panel, marked: Sequence[int], systems: Sequence[str]) -> list[Panel]:
    """Return the scores of the systems that are not marked, and then those of each marked one."""
    others = np.setdiff1d(np.arange(len(systems)), marked)
    groups = [(f"{counted(len(others), 'other run')}", others)] if len(others) else []
    names = short_names([systems[i] for i in marked], 24)
    groups += [(name, np.array([i])) for name, i in zip(names, marked, strict=True)]
    return [Panel(panel.scheme, name, panel.scores[rows]) for name, rows in groups]


def _by_scale(panels: Sequence[Panel]) -> list[list[Panel]]:
    """Group panels that can share a scale: first those with scores in 0 to 1, then each other one by itself."""
    unit = [panel for panel in panels if _common_span([panel]) == (0.0, 1.0)]
    return ([unit] if unit else []) + [[panel] for panel in panels if panel not in unit]


def _common_span(panels: Sequence[Panel]) -> tuple[float, float]:
    """Limits of a scale for all scores of some panels; a single score is put in the middle."""
    low, high = span([span(panel.scores) for panel in panels])
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high) if low < high else (low - 0.5, high + 0.5)


def _draw_histogram(axes: Axes, panel: Panel, edges: Floats, i: int, has_zeros: bool) -> Artist:
    """Draw the histogram of a panel's scores as the i-th series, and return it for the legend."""
    present = panel.scores[~np.isnan(panel.scores)]
    present = rounded(present, decimals(edges)).clip(edges[0], edges[-1])
    counts = np.histogram(present[present != 0] if has_zeros else present, edges)[0]
    if has_zeros:
        counts = np.concatenate([[np.sum(present == 0)], counts])
        edges = np.concatenate([[edges[0] - (edges[1] - edges[0])], edges])
    kind = {key: value for key, value in look(i).items() if key != "marker"}
    return axes.stairs(100 * counts / max(1, len(present)), edges, label=panel.label, **kind)


@styled
def scatter(
    means: Floats,
    measures: Sequence[str],
    *,
    scheme: str = "raw",
    ranked: Bools | None = None,
    topics: str = "",
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Draw the means of systems by every two measures, a point per system: Webber 2010, Figure 2.

    There is a panel for every two measures, with Kendall's tau_b of the two rankings above it. If lower is better
    by a measure, the lowest mean ranks first, and the label of the axis says so.

    Parameters
    ----------
    means : ndarray, shape (n_measures, n_systems)
        The mean of each system by each measure, rounded so that arithmetic noise splits no tie; NaN is missing.
    measures : sequence of str
        The names of the measures, such as ``"deep:ndcg"`` and ``"shallow:ndcg"``, at least two.
    scheme : str
        The letter of the scheme of the scores, or ``"raw"``; for the unit in the labels only.
    ranked : ndarray of bool, shape (n_systems,), optional
        The systems whose means can be compared; the others are gray, and not part of tau.
    topics : str
        The topics of their means, such as ``"58 of 225 topics"``; for the labels only.
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> axes = scatter(np.array([[0.1, 0.2, 0.3], [0.1, 0.3, 0.2]]), ["deep:map", "shallow:map"]).axes[0]
    >>> axes.get_title(loc="left").split()[-1], axes.get_lines()[0].get_ydata().tolist()
    ('0.333', [0.1, 0.3, 0.2])
    """
    if means.ndim != 2:
        raise InputError(f"means of shape {means.shape}, expected (n_measures, n_systems)")
    if len(measures) < 2 or len(means) != len(measures):
        found = f"means by {counted(len(means), 'measure')}, {len(measures)} named"
        raise InputError(f"{found}: expected the same two or more")
    comparable = np.ones(means.shape[1], dtype=bool) if ranked is None else ranked
    if np.count_nonzero(comparable) < 2:
        raise InputError(f"{counted(int(comparable.sum()), 'system')} to compare, expected at least two")
    pairs = list(combinations(range(len(measures)), 2))
    if all(np.isnan(means[i] + means[j]).all() for i, j in pairs):
        raise InputError("no system with means by two of the measures, expected two or more to draw")
    where = sheet(size)
    wide = grid_columns(where, len(pairs), 28)
    rows = ceil(len(pairs) / wide)
    figure = new_figure(where, rows * (0.75 * where.width / wide + 3 * where.line), title)
    dot = float(np.clip(20 * where.font / len(comparable), 0.25 * where.font, 0.45 * where.font))
    for axes, (i, j) in zip(panel_axes(figure, len(pairs), wide), pairs, strict=True):
        for part, color in ((comparable, BETTER), (~comparable, NEUTRAL)):
            if part.any():
                axes.plot(means[i, part], means[j, part], "o", color=color, markersize=dot, fillstyle="none")
        opposite = is_better_higher(measures[i]) != is_better_higher(measures[j])
        tau = tau_b(means[i, comparable], means[j, comparable])
        told = "undefined" if np.isnan(tau) else with_minus(f"{-tau if opposite else tau:.3f}")
        axes.set_title(f"{COEFFICIENTS['tau_b']} {told}")
        n_gray = int(np.count_nonzero(~np.isnan(means[i] + means[j]) & ~comparable))
        gray = f"\ngray: {n_gray} incomplete" if n_gray else ""
        over = f"\n{wrapped(topics, where.characters / (1.6 * wide))}" if topics else ""
        # a blank after the prefix lets a long label break there
        x, y = (
            with_direction(f"mean {score_label(measures[k], scheme)}", measures[k]).replace(":", ": ")
            for k in (i, j)
        )
        axes.set_xlabel(wrapped(x, where.characters / (1.6 * wide)).replace(": ", ":") + over + gray)
        axes.set_ylabel(upright(figure, where, y, rows).replace(": ", ":"))
    return figure
