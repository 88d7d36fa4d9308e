"""Figures of the experiments of `stdeval meta`, and of the weights that measures give to ranks."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.errors import InputError
from stdeval.measures.names import publication_name
from stdeval.plots.layout import legend_below, new_figure, panel_axes, shown
from stdeval.plots.series import (
    COEFFICIENTS,
    Group,
    Rows,
    RowsLike,
    add_line,
    arrange,
    check_correlations,
    check_distinct,
    check_same,
    checked_rows,
    curves,
    draw_densities,
    draw_dots,
    draw_panels,
    groups,
    numbers,
    plain_log,
    shared_field,
    some_numbers,
    taken,
    whole_numbers,
)
from stdeval.plots.style import DASHES, NEUTRAL, THIN, WORSE, Size, colours_on_white, look, sheet, styled
from stdeval.table import Bools, Floats

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@styled
def power(rows: RowsLike, *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw discriminative power over levels of significance: Webber 2010, Table 1; Urbano 2019, Figures 2 and 3.

    Parameters
    ----------
    rows : data frame or mapping of columns
        ``alpha`` and ``power`` (share of system pairs, 0 to 1); optionally ``measure``, ``scheme``, ``test`` and
        ``type1`` (share of true null hypotheses that are rejected). Type I errors have panels of their own, with
        the diagonal on which a perfect test would lie.
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> rows = {"measure": ["map"] * 2, "scheme": ["raw"] * 2, "alpha": [0.01, 0.05], "power": [0.5, 0.68]}
    >>> power(rows).axes[0].get_lines()[0].get_ydata()
    array([0.5 , 0.68])
    """
    rows = checked_rows(rows, ("alpha", "power"), ("collection", "measure", "scheme", "test", "alpha"))
    if "test" in rows and any(test != "t" for test in rows["test"]):
        rows = {**rows, "test": [_TESTS.get(test, test) for test in rows["test"]]}
    alpha = numbers(rows, "alpha")
    if len(np.unique(alpha)) == 1 and "type1" not in rows:
        some_numbers(rows, "power")
        label = f"discriminative power (share of pairs, alpha {alpha[0]:g})"
        return draw_dots(rows, "power", label, size, title)
    long = _with_type1(rows)
    panels, series = arrange(long, ("rate", "measure"), ("collection", "scheme", "test"))
    x, y, rate = numbers(long, "alpha"), some_numbers(long, "value"), np.asarray(long["rate"])

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        if rate[chosen][0] != "power":
            # the diagonal: a perfect test rejects a share alpha of the true null hypotheses
            axes.plot(np.sort(x[chosen]), np.sort(x[chosen]), color=NEUTRAL, linewidth=THIN)
            # on both axes, so that the diagonal is straight
            if (y[rate != "power"] > 0).all() and plain_log(axes, x):
                plain_log(axes, x, "y")
        plain_log(axes, x)
        return add_line(axes, x[chosen], y[chosen], label, look(i))

    y_label = "rate (share of tests)" if "type1" in rows else "discriminative power (share of pairs)"
    sharey = "type1" not in rows
    return draw_panels(long, panels, series, draw, "significance level alpha", y_label, size, title, sharey)


_TESTS = {"t": "t, paired", "student": "Student's t, unpaired", "welch": "Welch's t, unpaired"}
"""The tests in words, if any of them is not that of paired topics."""


def _with_type1(rows: Rows) -> dict[str, Any]:
    """Return the rows of power, then those of Type I errors if there are any, as columns ``rate`` and ``value``."""
    rates = {"power": "power", **({"type1": "Type I error"} if "type1" in rows else {})}
    long: dict[str, Any] = {name: [*rows[name]] * len(rates) for name in rows if name not in rates}
    long["value"] = [value for name in rates for value in numbers(rows, name)]
    long["rate"] = [rate for name, rate in rates.items() for _ in rows[name]]
    return long


@styled
def depth(rows: RowsLike, value: str = "power", *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw discriminative power over evaluation depth, one curve per pool depth: Webber 2010, Figures 3 and 4.

    The crossed line is full assessment: evaluation as deep as the pool.

    Parameters
    ----------
    rows : data frame or mapping of columns
        ``pool_depth``, ``depth`` (of the evaluation) and the column named by `value`; optionally ``measure``,
        ``form`` (raw, expanded, abbreviated, standardized), ``scheme`` and ``alpha``, each in panels of its own.
    value : str
        The column drawn: ``power`` (share of system pairs), or another such as ``mean``.
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> rows = {"pool_depth": [5, 5, 10, 10], "depth": [5, 10, 5, 10], "power": [0.6, 0.65, 0.61, 0.66]}
    >>> depth(rows).axes[0].get_lines()[-1].get_xydata()
    array([[ 5.  ,  0.6 ],
           [10.  ,  0.66]])
    """
    curve = ("collection", "measure", "form", "scheme", "alpha")
    rows = checked_rows(rows, ("pool_depth", "depth", value), (*curve, "pool_depth", "depth"))
    pool, k, y = numbers(rows, "pool_depth"), numbers(rows, "depth"), some_numbers(rows, value)
    pools = sorted(set(pool))
    series: list[Group] = [(f"pool {d:g}", pool == d) for d in pools]
    series.append(("pool as deep", pool == k))
    shades = colours_on_white()(np.linspace(0, 1, len(pools)))

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        plain_log(axes, k)
        full = {"color": WORSE, "marker": "x", "zorder": 3}
        kind = full if i == len(pools) else {"color": shades[i], "linestyle": DASHES[i % len(DASHES)]}
        return add_line(axes, k[chosen], y[chosen], label, kind)

    level = shared_field(rows, "alpha")
    of = f"share of pairs, alpha {float(level):g}" if level else "share of pairs"
    y_label = f"discriminative power ({of})" if value == "power" else f"{value} (score)"
    panels = groups(rows, ("collection", "measure", "form", "scheme", *(() if level else ("alpha",))))
    # powers are comparable between panels, means of raw and standardized scores are not
    sharey = value == "power"
    return draw_panels(
        rows, panels, series, draw, "evaluation depth (rank)", y_label, size, title, sharey, sharex=True
    )


@styled
def drmse(rows: RowsLike, value: str = "drmse", *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw dRMSE, the difference of collections, by measure and scheme: Webber 2008, Figures 5 to 7.

    dRMSE is the root mean squared difference of the systems' mean scores on two collections, divided by the mean of
    the standard deviations of these means.

    Parameters
    ----------
    rows : data frame or mapping of columns
        The column named by `value`; optionally ``measure``, ``scheme``, ``pair`` (of collections), and for dRMSE
        ``low`` and ``high`` (percentiles over re-partitions of the topics, drawn as bands).
    value : str
        The column drawn: ``drmse``, ``mean`` (of dRMSE over the re-partitions), or another such as
        ``false_positives_high``.
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> figure = drmse({"measure": ["map"] * 2, "scheme": ["raw", "N"], "drmse": [0.583, 0.4]})
    >>> [line.get_xdata().tolist() for line in figure.axes[0].get_lines()]
    [[0.583], [0.4]]
    """
    same = ("alpha",) if value.startswith(_COUNTS) else ()
    rows = checked_rows(rows, (value,), same=same, within=("collection", "pair"))
    some_numbers(rows, value)
    if {"measure", "scheme", "pair"} & {*rows}:
        check_distinct(rows, ("collection", "measure", "scheme", "pair", "trial"))
    trials = "; dots: random re-partitions of the topics" if "trial" in rows else ""
    if value in ("drmse", "mean"):
        label = f"{'mean ' if value == 'mean' else ''}dRMSE (standard deviations), lower is better"
        has_band = "low" in rows and bool(np.isfinite(numbers(rows, "low")).any())
        told = "; bands: 95% of the re-partitions" if has_band else trials
        return draw_dots(rows, value, label + told, size, title, has_band)
    label = value.replace("_", " ")
    label += " of dRMSE" if value in ("low", "high", "percentile") else ""
    level = shared_field(rows, "alpha")
    if value.startswith(_COUNTS) and level:
        label += f" (alpha {float(level):g})"
    ignored = {"low", "high", *(() if value.startswith(_COUNTS) else ("alpha",))} - {value}
    kept = {name: rows[name] for name in rows if name not in ignored}
    return draw_dots(kept, value, label + trials, size, title)


_COUNTS = ("first_better", "second_better", "false_positives")
"""The columns of numbers of systems that differ significantly, which depend on alpha."""

_LEVELS = {"tau_raw": "raw scores", "tau_collection": "raw scores, two collections"}
"""The columns of correlations that do not depend on the number of references, and their labels."""


@styled
def references(rows: RowsLike, *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw how close rankings by few reference systems come to that by all: Webber 2008, Figure 4.

    Parameters
    ----------
    rows : data frame or mapping of columns
        ``size`` (number of reference systems) and ``median``; optionally ``p5`` and ``p1`` (percentiles of tau with
        the ranking by all references), ``measure`` and ``scheme``; and ``tau_raw`` and ``tau_collection`` (tau with
        the ranking by raw scores, and of those on two collections), which are the same for all sizes of a measure
        and scheme, and are drawn as level lines.
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> figure = references({"size": [5, 10], "median": [0.9, 0.95], "p5": [0.8, 0.9]})
    >>> [line.get_ydata().tolist() for line in figure.axes[0].get_lines()]
    [[0.9, 0.95], [0.8, 0.9]]
    """
    rows = checked_rows(rows, ("size", "median"), ("collection", "measure", "scheme", "size"))
    some_numbers(rows, "median")
    names = {"median": "median", "p5": "5th percentile", "p1": "1st percentile"} | _LEVELS
    curves = {label: numbers(rows, name) for name, label in names.items() if name in rows}
    n = numbers(rows, "size")
    series: list[Group] = [(label, ~np.isnan(y)) for label, y in curves.items()]

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        whole_numbers(axes)
        if label in _LEVELS.values():
            return axes.axhline(curves[label][chosen][0], label=label, **{**look(i), "marker": ""})
        return add_line(axes, n[chosen], curves[label][chosen], label, look(i))

    y = f"{COEFFICIENTS['tau_b']} with the ranking by all references"
    panels = groups(rows, ("collection", "measure", "scheme"))
    return draw_panels(rows, panels, series, draw, "reference systems", y, size, title)


FILLS: tuple[Any, ...] = ("full", "none", "left", "top", "right", "bottom")
"""How the points of each collection are filled."""


@styled
def tau(rows: RowsLike, *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw the distribution of correlations of system rankings over trials: Urbano 2019, Figures 2 and 3.

    Parameters
    ----------
    rows : data frame or mapping of columns
        ``value`` of each trial; optionally ``coefficient`` (``tau_b``, ``tau_ap_b``, ``r``), ``measure``,
        ``scheme``, ``trial`` and ``experiment`` (``within``, ``between``).
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> figure = tau({"scheme": ["raw"] * 3, "value": [0.7, 0.8, 0.75]})
    >>> round(float(figure.axes[0].get_lines()[-1].get_xdata()[0]), 3)
    0.75
    """
    rows = checked_rows(rows, ("value",))
    check_correlations(rows, "value")
    if "trial" in rows:
        check_distinct(rows, ("collection", "coefficient", "measure", "scheme", "trial"))
    panels, series = arrange(rows, ("coefficient", "measure"), ("collection", "experiment", "scheme"))
    kinds = {str(kind) for kind in rows.get("coefficient", ["correlation"])}
    kind = kinds.pop() if len(kinds) == 1 else "correlation"
    x = f"{COEFFICIENTS.get(kind, kind)} {_CORRELATED.get(shared_field(rows, 'experiment'), 'of system rankings')}"
    return draw_densities(rows, "value", panels, series, x, size, title)


_CORRELATED = {"within": "with raw scores", "between": "on two sets of topics"}
"""The end of the axis label, by experiment: it says what the trials correlate."""


@styled
def split(rows: RowsLike, value: str = "tau", *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw the self-consistency of aggregates over topic splits: Ravana 2009, Figures 1 to 3, 5, 7 and 11.

    Parameters
    ----------
    rows : data frame or mapping of columns
        The column named by `value`, and either ``trial`` (densities over trials, Figure 2) or ``epsilon`` (the mean
        over epsilon, Figure 1; rows without epsilon are level lines); optionally ``method``, ``measure``,
        ``scheme``, ``aggregate`` and ``how``.
    value : {"tau", "tau_ap_b", "r"}
        The correlation of the two halves that is drawn.
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> rows = {"aggregate": ["egm"] * 2, "epsilon": [0.01, 0.1], "tau": [0.8, 0.78]}
    >>> split(rows).axes[0].get_lines()[0].get_xydata()
    array([[0.01, 0.8 ],
           [0.1 , 0.78]])
    """
    rows = checked_rows(rows, (value,))
    what = "overall scores" if value == "r" else "rankings"
    label, trials = f"{COEFFICIENTS.get(value, value)} of the {what} on two halves of the topics", "trial" in rows
    if not trials:
        checked_rows(rows, ("epsilon", value))
    methods = ("collection", "method", "scheme", "aggregate", *(("epsilon",) if trials else ()))
    check_distinct(rows, (*methods, "how", "measure", "trial" if trials else "epsilon"))
    panels, series = arrange(rows, ("how", "measure"), methods)
    if trials:
        return draw_densities(rows, value, panels, series, label, size, title)
    # an aggregate without epsilon, such as am, is the same for all epsilons
    draw = curves(numbers(rows, "epsilon"), some_numbers(rows, value))
    others = {name: column for name, column in rows.items() if name != "epsilon"}
    return draw_panels(others, panels, series, draw, "epsilon", f"mean {label}", size, title)


@styled
def aggregates(rows: RowsLike, *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw which aggregate is more self-consistent, by the share of low scores: Ravana 2009, Figures 9 and 10.

    A panel for every two aggregates has a point per measure, scheme and collection. Above 0 the first aggregate is
    the more self-consistent one. Points of one collection are filled alike.

    Parameters
    ----------
    rows : data frame or mapping of columns
        For every two methods the ``difference`` of their mean tau of two halves of the topics, ``low``, the share
        of scores that are at most 0.1, ``aggregate`` and ``aggregate_b``; optionally ``epsilon``, ``epsilon_b``,
        ``scheme``, ``scheme_b``, ``measure``, ``collection`` and ``how``. Rows of two schemes are left out.
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> rows = {"aggregate": ["egm"], "aggregate_b": ["am"], "low": [0.56], "difference": [0.071]}
    >>> aggregates(rows).axes[0].get_lines()[1].get_xydata()
    array([[56.   ,  0.071]])
    """
    required = ("low", "difference", "aggregate", "aggregate_b")
    rows = checked_rows(rows, required, ("collection", "how", "measure", *_METHODS))
    pairs, signs = _aggregate_pairs(rows)
    low, difference = 100 * some_numbers(rows, "low"), signs * some_numbers(rows, "difference")
    drawn = np.array([bool(pair) for pair in pairs])
    if not drawn.any():
        raise InputError("no rows of two aggregates by the same scheme")
    low, difference, kept = low[drawn], difference[drawn], taken({**rows, "pair": pairs}, drawn)
    # the only pair stands beside the axis, where it explains the sign
    pair = shared_field(kept, "pair")
    panels = groups(kept, [name for name in ("pair", "how") if not shared_field(kept, name)])
    kinds, collections = groups(kept, ("measure", "scheme")), groups(kept, ("collection",))
    # a collection has an entry of its own in the legend, which shows how its points are filled
    everywhere = np.ones(len(low), dtype=np.bool_)
    filled = [(name, everywhere) for name, _ in collections] if len(collections) > 1 else []

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        return _draw_points(axes, low, difference, chosen, i, label, collections, len(kinds))

    x, y = "scores of at most 0.1 (%)", f"difference of mean {COEFFICIENTS['tau']}{f' ({pair})' if pair else ''}"
    others = {name: column for name, column in kept.items() if name not in _METHODS or name == "scheme"}
    return draw_panels(others, panels, [*kinds, *filled], draw, x, y, size, title, sharey=False)


_METHODS = ("aggregate", "epsilon", "scheme", "aggregate_b", "epsilon_b", "scheme_b")
"""The columns of two methods that are compared."""


def _aggregate_pairs(rows: Rows) -> tuple[list[str], Floats]:
    """Return the two aggregates of each row, as ``egm 0.01 - am``, and the sign of its difference."""
    absent = [""] * len(rows["aggregate"])
    known: set[tuple[str, str]] = set()
    pairs, signs = [], []
    for a, e, scheme, b, f, other in zip(*(rows.get(name, absent) for name in _METHODS), strict=True):
        pair = (f"{a} {e}".strip(), f"{b} {f}".strip())
        is_turned = pair[::-1] in known
        pair = pair[::-1] if is_turned else pair
        known.add(pair)
        is_drawn = scheme == other and pair[0] != pair[1]
        pairs.append(" \N{MINUS SIGN} ".join(pair) if is_drawn else "")
        signs.append(-1.0 if is_turned and is_drawn else 1.0)
    return pairs, np.array(signs)


def _draw_points(
    axes: Axes, x: Floats, y: Floats, chosen: Bools, i: int, label: str, collections: Sequence[Group], n_kinds: int
) -> Artist:
    """Draw the points of the i-th measure and scheme, filled by collection; or only the entry of a collection."""
    from matplotlib.lines import Line2D

    # large enough to see which half of a point is filled
    kind: dict[str, Any] = {"linestyle": "", "markersize": 6, "markerfacecoloralt": "white"}
    if i >= n_kinds:
        fill = FILLS[(i - n_kinds) % len(FILLS)]
        return Line2D([], [], color=NEUTRAL, marker="o", fillstyle=fill, label=label, **kind)
    if not axes.get_lines():
        axes.axhline(0, color=NEUTRAL, linewidth=THIN)
    kind = {**look(i), **kind}
    for j, (_, mask) in enumerate(collections):
        here = chosen & mask
        if here.any():
            axes.plot(x[here], y[here], fillstyle=FILLS[j % len(FILLS)], **kind)
    return Line2D([], [], label=label, **kind)


QUANTITIES = {
    "erho2": "E\N{GREEK SMALL LETTER RHO}\N{SUPERSCRIPT TWO} (reliability of differences)",
    "phi": "\N{GREEK CAPITAL LETTER PHI} (reliability of mean scores)",
    "tau": "expected \N{GREEK SMALL LETTER TAU} of two rankings",
    "tau_ap": f"expected {COEFFICIENTS['tau_ap']} of two rankings",
    "power": "expected power (share of pairs)",
    "sensitivity": "expected relative sensitivity",
}
"""The quantities over numbers of topics that can be drawn, and their labels."""

PLANNED = {
    "difference": "difference found",
    "width": "width of the interval of the difference",
    "pairs": "share of pairs that differ so much",
}
"""The columns of plans that can be drawn over the number of topics, and their labels."""

_SPREADS = {"median": "median of all pairs", "p95": "95th percentile"}
"""Names of the standard deviations in plans, written out where the CSV abbreviates them."""

_CURVE = ("collection", "measure", "scheme")


@styled
def reliability(rows: RowsLike, value: str = "erho2", *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw the reliability of collections over the number of topics: Urbano 2013.

    Parameters
    ----------
    rows : data frame or mapping of columns
        ``quantity``, ``at`` (the number of topics) and ``value``; optionally ``low`` and ``high``, the ends of its
        interval, ``confidence``, the level of the intervals, ``measure`` and ``scheme``.
    value : {"erho2", "phi", "tau", "tau_ap", "power", "sensitivity"}
        The quantity that is drawn: E rho^2, the reliability of the differences between systems; Phi, that of the
        mean scores; the Kendall's tau or AP correlation of the rankings by two sets of topics that is expected; the
        share of pairs of systems that is expected to differ significantly; or the smallest relative difference that
        other topics are expected to confirm.
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> from stdeval.meta import coefficient, relative_signal, variance_components
    >>> scores = np.array([[0.1, 0.5, 0.2, 0.9], [0.3, 0.6, 0.2, 0.9], [0.4, 0.9, 0.3, 0.8]])
    >>> signal = relative_signal(variance_components(scores), 0.95)
    >>> estimates = [coefficient(signal, at) for at in (25, 50)]
    >>> rows = {"quantity": ["erho2"] * 2, "at": [25, 50], "value": [each.value for each in estimates]}
    >>> rows |= {"low": [each.low for each in estimates], "high": [each.high for each in estimates]}
    >>> reliability(rows).axes[0].get_lines()[0].get_xydata().round(2)
    array([[25.  ,  0.88],
           [50.  ,  0.94]])
    """
    rows = checked_rows(rows, ("quantity", "at", "value"))
    # other quantities leave their cells empty rather than out, so that an error names the line of its row
    is_drawn = np.array([name == value for name in rows["quantity"]])
    cells = {name: np.where(is_drawn, np.asarray(rows[name], dtype=object), "").tolist() for name in rows}
    x, y = numbers(cells, "at"), numbers(cells, "value")
    drawn = is_drawn & ~np.isnan(x) & ~np.isnan(y)
    if not drawn.any():
        raise InputError(f"no rows with a value of '{value}'")
    kept = taken(rows, drawn)
    if len(np.unique(x[drawn])) == 1:
        label = _with_level(f"{QUANTITIES[value]}, {x[drawn][0]:g} topics", kept)
        return draw_dots(kept, "value", label, size, title)
    x, y = x[drawn], y[drawn]
    low, high = (numbers(kept, end) if end in kept else y for end in ("low", "high"))
    check_distinct(kept, ("collection", "measure", "scheme", "at"))
    panels, series = arrange(kept, ("measure",), ("collection", "scheme", "confidence"))
    draw = curves(x, y, low, high)
    return draw_panels(kept, panels, series, draw, "topics", _with_level(QUANTITIES[value], kept), size, title)


def _with_level(label: str, rows: Rows) -> str:
    """Return the label of an axis with the level of the intervals, if it is known, and the same for all."""
    levels = groups(rows, ("confidence",)) if {"confidence", "low", "high"} <= {*rows} else []
    return f"{label}, {levels[0][0]}" if len(levels) == 1 else label


@styled
def plan(rows: RowsLike, value: str = "difference", *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw the smallest difference that numbers of topics find, or the width of its interval (Sakai 2016).

    Parameters
    ----------
    rows : data frame or mapping of columns
        ``n`` (number of topics) and the column named by `value`; optionally ``measure``, ``scheme``, ``spread``,
        the standard deviation for which the plan was made, ``test``, ``planned_systems``, ``power`` and ``alpha``.
    value : {"difference", "width", "pairs"}
        The column that is drawn: the difference that is found, the width of its interval, or the share of pairs of
        systems that differ so much.
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> axes = plan({"n": [10, 50], "difference": [0.21, 0.084]}).axes[0]
    >>> axes.get_lines()[0].get_ydata()
    array([0.21 , 0.084])
    """
    rows = checked_rows(rows, ("n", value), within=(*_CURVE, "spread"))
    # where differences are given, the power is that of a whole number of topics, and varies
    power = () if "difference" in rows.get("given", ()) else ("power",)
    check_same(rows, ("test", "planned_systems", "alpha", *power), (*_CURVE, "spread"))
    # of a plan that needs too many topics, n is infinite
    planned = {**rows, "n": ["" if str(cell) == "inf" else cell for cell in rows["n"]]}
    n, y = (numbers(planned, name) for name in ("n", value))
    if np.isnan(n + y).all():
        raise InputError(f"no plan with n and {value}")
    planned |= _settings(rows)
    told = {name: shared_field(planned, name) for name in _SETTINGS}
    panels = groups(planned, (*_CURVE, *(name for name in _SETTINGS if not told[name])))
    series = [(_SPREADS.get(name, name), mask) for name, mask in groups(rows, ("spread",))]
    draw = curves(n, y)
    sharey, legend = value == "pairs", "standard deviation"
    settings = ", ".join(filter(None, told.values()))
    y_label = f"{PLANNED[value]} ({settings})" if settings else PLANNED[value]
    others = {name: column for name, column in planned.items() if name != "test"}
    return draw_panels(others, panels, series, draw, "topics", y_label, size, title, sharey, legend=legend)


_SETTINGS = ("planned test", "planned power", "level")
"""Columns of settings, which stand beside the axis, or above panels if they differ."""


def _settings(rows: Rows) -> dict[str, list[str]]:
    """Return the columns `_SETTINGS` in words; a field is empty if the rows do not have it."""
    n = len(rows["n"])
    tests, systems, levels = (rows.get(name, [""] * n) for name in ("test", "planned_systems", "alpha"))
    anova = [f"analysis of variance of {m} systems" for m in systems]
    kinds = [
        anova[i] if test == "anova" else "paired t test" if test == "t" else "" for i, test in enumerate(tests)
    ]
    alphas = [f"alpha {float(level):g}" if level else "" for level in levels]
    return dict(zip(_SETTINGS, (kinds, _planned_power(rows), alphas), strict=True))


def _planned_power(rows: Rows) -> list[str]:
    """Return the power of each row; that of whole numbers of topics varies, and is named by its lower bound."""
    if "power" not in rows:
        return [""] * len(rows["n"])
    texts, power = [""] * len(rows["n"]), numbers(rows, "power")
    for _, mask in groups(rows, ("collection",)):
        known = power[mask & ~np.isnan(power)]
        if known.size:
            least = math.floor(100 * known.min() + 1e-9) / 100
            text = f"power {known.min():g}" if known.min() == known.max() else f"power at least {least:g}"
            texts = [text if here else other for here, other in zip(mask, texts, strict=True)]
    return texts


MOST_LINEAR = 100
"""Beyond this number of ranks, the axis of ranks is logarithmic."""


@styled
def weights(
    names: Sequence[str],
    rank_weights: Floats,
    right: Collection[str] = (),
    *,
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Draw the rank weights of measures: Webber 2010, Figure 1.

    Parameters
    ----------
    names : sequence of str
        The measures.
    rank_weights : ndarray, shape (n_measures, depth)
        The weights of ranks 1, 2, ...
    right : collection of str
        The measures drawn on a second axis, at the right: DCG in the paper, which has RBP at the left.
    size, title : as in `stdeval.plots.heatmap`

    Examples
    --------
    >>> figure = weights(["rbp_p=0.8"], np.array([[0.2, 0.16, 0.128]]))
    >>> figure.axes[0].get_lines()[0].get_xydata()
    array([[1.   , 0.2  ],
           [2.   , 0.16 ],
           [3.   , 0.128]])
    """
    if rank_weights.ndim != 2 or len(rank_weights) != len(names) or not rank_weights.size:
        raise InputError(f"weights of shape {rank_weights.shape}, expected a row for each of {len(names)} measures")
    where = sheet(size)
    printed = [shown(publication_name(name)) for name in names]
    labels = [f"{label} (right)" if name in right else label for name, label in zip(names, printed, strict=True)]
    figure = new_figure(where, 0.65 * where.width, title, labels)
    (left,) = panel_axes(figure, 1, 1)
    axes = [left.twinx() if set(right) & set(names) else left, left]
    ranks = np.arange(1, rank_weights.shape[1] + 1)
    is_long = len(ranks) > MOST_LINEAR
    # marks at even distances of the axis
    spaced = np.geomspace(1, len(ranks), 8).astype(int) - 1
    marked = np.unique(spaced).tolist() if is_long else max(1, len(ranks) // 8)
    handles = []
    for i, (name, label) in enumerate(zip(names, labels, strict=True)):
        kind = {**look(i), "markevery": marked}
        handles.append(add_line(axes[name not in right], ranks, rank_weights[i], label, kind))
    if is_long:
        plain_log(left, ranks.astype(float))
    else:
        whole_numbers(left)
    for side in axes:
        side.set_ylim(bottom=0)
    left.set(xlabel="rank", ylabel="weight of the rank")
    if axes[0] is not left:
        axes[0].spines["right"].set_visible(True)
        on_the_right = ", ".join(label for name, label in zip(names, printed, strict=True) if name in right)
        axes[0].set_ylabel(f"weight of the rank, {shown(on_the_right)}")
    legend_below(figure, where, handles)
    return figure
