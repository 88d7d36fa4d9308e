"""Figures of meta-evaluation: the tidy rows that the meta-evaluation commands write.

Each function takes columns by name, as read from CSV, or a data frame. Columns that only tell series apart
(``measure``, ``scheme`` and so on) may be missing. One of them, in every figure, is ``collection``, the name that a
row's file was given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.errors import InputError
from stdeval.plots.lines import in_lines
from stdeval.plots.number_texts import plain
from stdeval.plots.series_panels import add_line, draw_densities, draw_dots, draw_panels, plain_log, whole_numbers
from stdeval.plots.style import DASHES, NEUTRAL, WORSE, Size, colours_on_white, look, sheet, styled, thin_line
from stdeval.plots.tidy_rows import (
    COEFFICIENTS,
    Group,
    Rows,
    RowsLike,
    arrange,
    check_correlations,
    check_distinct,
    check_same,
    checked_rows,
    groups,
    numbers,
    shared_field,
    some_numbers,
    taken,
)
from stdeval.table import Bools, Floats

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FILLS: tuple[Any, ...] = ("full", "none", "left", "top", "right", "bottom")
"""How the points of each collection are filled."""


@styled
def power(rows: RowsLike, *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw discriminative power over levels of significance: Webber 2010, Table 1; Urbano 2019, Figures 2 and 3.

    Parameters
    ----------
    rows : data frame or mapping of columns
        ``alpha`` and ``power`` (share of system pairs, 0 to 1); optionally ``measure``, ``scheme``, ``test`` and
        ``type1`` (share of true null hypotheses that are rejected). Type I errors have panels of their own, with
        the diagonal on which a perfect test would lie.
    size, title
        The size, which is column, page, slide or in mm, and the title: as in `stdeval.plots.heatmap`.

    Returns
    -------
    Figure
        Curves over alpha; if there is only one alpha, one row per measure and one mark per scheme.

    Examples
    --------
    >>> rows = {"measure": ["map"] * 2, "scheme": ["raw"] * 2, "alpha": [0.01, 0.05], "power": [0.5, 0.68]}
    >>> power(rows).axes[0].get_lines()[0].get_ydata()
    array([0.5 , 0.68])
    """
    rows = checked_rows(rows, ("alpha", "power"))
    check_same(rows)
    check_distinct(rows, ("collection", "measure", "scheme", "test", "alpha"))
    alpha = numbers(rows, "alpha")
    if len(np.unique(alpha)) == 1 and "type1" not in rows:
        some_numbers(rows, "power")
        level = plain(alpha[0])
        return draw_dots(rows, "power", f"discriminative power (share of pairs, alpha {level})", size, title)
    long = _with_type1(rows)
    panels, series = arrange(long, ("rate", "measure"), ("collection", "scheme", "test"))
    x, y, rate = numbers(long, "alpha"), some_numbers(long, "value"), np.asarray(long["rate"])

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        if rate[chosen][0] != "power":
            # the diagonal: a perfect test rejects a share alpha of the true null hypotheses
            axes.plot(np.sort(x[chosen]), np.sort(x[chosen]), color=NEUTRAL, linewidth=thin_line())
            # on both axes, so that the diagonal is straight
            if (y[rate != "power"] > 0).all() and plain_log(axes, x):
                plain_log(axes, x, "y")
        plain_log(axes, x)
        return add_line(axes, x[chosen], y[chosen], label, look(i))

    y_label = "rate (share of tests)" if "type1" in rows else "discriminative power (share of pairs)"
    sharey = "type1" not in rows
    return draw_panels(long, panels, series, draw, "significance level alpha", y_label, size, title, sharey)


def _with_type1(rows: Rows) -> dict[str, Any]:
    """Return the rows of power, then those of Type I errors if there are any, as columns ``rate`` and ``value``."""
    rates = {"power": "power", **({"type1": "Type I error"} if "type1" in rows else {})}
    long: dict[str, Any] = {name: [*rows[name]] * len(rates) for name in rows if name not in rates}
    long["value"] = [value for name in rates for value in numbers(rows, name)]
    long["rate"] = [rate for name, rate in rates.items() for _ in rows[name]]
    return long


@styled
def tau(rows: RowsLike, *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw the distribution of correlations of system rankings over trials: Urbano 2019, Figures 2 and 3.

    Parameters
    ----------
    rows : data frame or mapping of columns
        ``value`` of each trial; optionally ``coefficient`` (``tau_b``, ``tau_ap_b``, ``r``), ``measure``,
        ``scheme``, ``trial`` and ``experiment`` (``within``, ``between``).
    size, title
        The size, which is column, page, slide or in mm, and the title: as in `stdeval.plots.heatmap`.

    Returns
    -------
    Figure
        Densities by a Gaussian kernel, with their means as upright lines.

    Examples
    --------
    >>> figure = tau({"scheme": ["raw"] * 3, "value": [0.7, 0.8, 0.75]})
    >>> round(float(figure.axes[0].get_lines()[-1].get_xdata()[0]), 3)
    0.75
    """
    rows = checked_rows(rows, ("value",))
    check_correlations(rows, "value")
    check_same(rows)
    if "trial" in rows:
        check_distinct(rows, ("collection", "coefficient", "measure", "scheme", "trial"))
    panels, series = arrange(rows, ("coefficient", "measure"), ("collection", "experiment", "scheme"))
    kinds = {str(kind) for kind in rows.get("coefficient", ["correlation"])}
    kind = kinds.pop() if len(kinds) == 1 else "correlation"
    x = f"{COEFFICIENTS.get(kind, kind)} {_CORRELATED.get(shared_field(rows, 'experiment'), 'of system rankings')}"
    return draw_densities(rows, "value", panels, series, x, size, title)


_CORRELATED = {"within": "with raw scores", "between": "on two sets of topics"}
"""The correlations that the trials of each experiment have."""


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
    size, title
        The size, which is column, page, slide or in mm, and the title: as in `stdeval.plots.heatmap`.

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
        rows = checked_rows(rows, ("epsilon", value))
    check_same(rows)
    methods = ("collection", "method", "scheme", "aggregate", *(("epsilon",) if trials else ()))
    check_distinct(rows, (*methods, "how", "measure", "trial" if trials else "epsilon"))
    panels, series = arrange(rows, ("how", "measure"), methods)
    if trials:
        return draw_densities(rows, value, panels, series, label, size, title)
    epsilon, y = numbers(rows, "epsilon"), some_numbers(rows, value)

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        plain_log(axes, epsilon)
        # an aggregate without epsilon, such as am, is the same for all epsilons
        if np.isnan(epsilon[chosen]).all():
            return axes.axhline(y[chosen][0], label=label, **{**look(i), "marker": ""})
        return add_line(axes, epsilon[chosen], y[chosen], label, look(i))

    others = {name: column for name, column in rows.items() if name != "epsilon"}
    return draw_panels(others, panels, series, draw, "epsilon", f"mean {label}", size, title)


@styled
def aggregates(rows: RowsLike, *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw which aggregate is more self-consistent, by the share of low scores: Ravana 2009, Figures 9 and 10.

    Parameters
    ----------
    rows : data frame or mapping of columns
        For every two methods the ``difference`` of their mean tau of two halves of the topics, ``low``, the share
        of scores that are at most 0.1, ``aggregate`` and ``aggregate_b``; optionally ``epsilon``, ``epsilon_b``,
        ``scheme``, ``scheme_b``, ``measure``, ``collection`` and ``how``. Rows of two schemes are left out.
    size, title
        The size, which is column, page, slide or in mm, and the title: as in `stdeval.plots.heatmap`.

    Returns
    -------
    Figure
        A panel for every two aggregates, a point per measure, scheme and collection; above 0 the first aggregate is
        the more self-consistent one. Points of one collection are filled alike.

    Raises
    ------
    InputError
        If there are no rows of two aggregates by the same scheme.

    Examples
    --------
    >>> rows = {"aggregate": ["egm"], "aggregate_b": ["am"], "low": [0.56], "difference": [0.071]}
    >>> aggregates(rows).axes[0].get_lines()[1].get_xydata()
    array([[56.   ,  0.071]])
    """
    rows = checked_rows(rows, ("low", "difference", "aggregate", "aggregate_b"))
    check_same(rows)
    check_distinct(rows, ("collection", "how", "measure", *_METHODS))
    pairs, signs = _aggregate_pairs(rows)
    low, difference = 100 * some_numbers(rows, "low"), signs * some_numbers(rows, "difference")
    drawn = np.array([bool(pair) for pair in pairs])
    if not drawn.any():
        raise InputError("no rows of two aggregates by the same scheme")
    low, difference, kept = low[drawn], difference[drawn], taken({**rows, "pair": pairs}, drawn)
    # the only pair stands beside the axis, where it tells the sign
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
    """Return the two aggregates of each row, as ``egm 0.01 - am``, and the sign of its difference.

    The pair is empty where the schemes differ. The sign is -1 where an earlier row has the two the other way round.
    """
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
    import matplotlib
    from matplotlib.lines import Line2D

    # large enough to see which half of a point is filled
    large = 1.6 * matplotlib.rcParams["lines.markersize"]
    kind: dict[str, Any] = {"linestyle": "", "markersize": large, "markerfacecoloralt": "white"}
    if i >= n_kinds:
        fill = FILLS[(i - n_kinds) % len(FILLS)]
        return Line2D([], [], color=NEUTRAL, marker="o", fillstyle=fill, label=label, **kind)
    if not axes.get_lines():
        axes.axhline(0, color=NEUTRAL, linewidth=thin_line())
    kind = {**look(i), **kind}
    for j, (_, mask) in enumerate(collections):
        here = chosen & mask
        if here.any():
            axes.plot(x[here], y[here], fillstyle=FILLS[j % len(FILLS)], **kind)
    return Line2D([], [], label=label, **kind)


@styled
def depth(rows: RowsLike, value: str = "power", *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw discriminative power over evaluation depth, one curve per pool depth: Webber 2010, Figures 3 and 4.

    Parameters
    ----------
    rows : data frame or mapping of columns
        ``pool_depth``, ``depth`` (of the evaluation) and the column named by `value`; optionally ``measure``,
        ``form`` (raw, expanded, abbreviated, standardized), ``scheme`` and ``alpha``, each in panels of its own.
    value : str
        The column drawn: ``power`` (share of system pairs), or another such as ``mean``.
    size, title
        The size, which is column, page, slide or in mm, and the title: as in `stdeval.plots.heatmap`.

    Returns
    -------
    Figure
        The crossed line is full assessment: evaluation as deep as the pool.

    Examples
    --------
    >>> rows = {"pool_depth": [5, 5, 10, 10], "depth": [5, 10, 5, 10], "power": [0.6, 0.65, 0.61, 0.66]}
    >>> depth(rows).axes[0].get_lines()[-1].get_xydata()
    array([[ 5.  ,  0.6 ],
           [10.  ,  0.66]])
    """
    rows = checked_rows(rows, ("pool_depth", "depth", value))
    check_same(rows)
    check_distinct(rows, ("collection", "measure", "form", "scheme", "alpha", "pool_depth", "depth"))
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
    of = f"share of pairs, alpha {plain(float(level))}" if level else "share of pairs"
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
    size, title
        The size, which is column, page, slide or in mm, and the title: as in `stdeval.plots.heatmap`.

    Examples
    --------
    >>> figure = drmse({"measure": ["map"] * 2, "scheme": ["raw", "N"], "drmse": [0.583, 0.4]})
    >>> [line.get_xdata().tolist() for line in figure.axes[0].get_lines()]
    [[0.583], [0.4]]
    """
    rows = checked_rows(rows, (value,))
    some_numbers(rows, value)
    check_same(rows, within=("collection", "pair"))
    if value.startswith(_COUNTS):
        check_same(rows, ("alpha",), ("collection", "pair"))
    if {"measure", "scheme", "pair"} & {*rows}:
        check_distinct(rows, ("collection", "measure", "scheme", "pair", "trial"))
    if value in ("drmse", "mean"):
        label = f"{'mean ' if value == 'mean' else ''}dRMSE (standard deviations), lower is better"
        has_band = "low" in rows and bool(np.isfinite(numbers(rows, "low")).any())
        told = "; bands: 95% of the re-partitions" if has_band else ""
        return draw_dots(rows, value, in_lines(label + told, sheet(size).fits(1.5)), size, title, has_band)
    label = value.replace("_", " ")
    label += " of dRMSE" if value in ("low", "high", "percentile") else ""
    ignored = {"low", "high"} - {value}
    if value.startswith(_COUNTS):
        level = shared_field(rows, "alpha")
        label += f" (alpha {float(level):g})" if level else ""
    else:
        ignored.add("alpha")
    return draw_dots({name: rows[name] for name in rows if name not in ignored}, value, label, size, title)


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
    size, title
        The size, which is column, page, slide or in mm, and the title: as in `stdeval.plots.heatmap`.

    Examples
    --------
    >>> figure = references({"size": [5, 10], "median": [0.9, 0.95], "p5": [0.8, 0.9]})
    >>> [line.get_ydata().tolist() for line in figure.axes[0].get_lines()]
    [[0.9, 0.95], [0.8, 0.9]]
    """
    rows = checked_rows(rows, ("size", "median"))
    some_numbers(rows, "median")
    check_same(rows)
    check_distinct(rows, ("collection", "measure", "scheme", "size"))
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
