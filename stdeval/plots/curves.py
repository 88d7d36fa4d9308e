"""Figures of tidy rows: rank weights, and what the meta-evaluation commands compute.

Each function takes columns by name, one row a cell, as read from CSV. Of the columns that tell series apart
(``measure``, ``scheme`` and so on) any may be left out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.errors import InputError
from stdeval.plots.layout import legend_below, new_figure, panel_axes, shown
from stdeval.plots.rows import Group, Rows, arrange, check_columns, groups, numbers
from stdeval.plots.series import add_line, densities, dots, panelled, plain_log
from stdeval.plots.style import DASHES, NEUTRAL, WORSE, Size, colours_on_white, look, sheet, styled
from stdeval.table import Bools, Floats

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@styled
def weights(
    names: Sequence[str],
    rank_weights: Floats,
    right: Collection[str] = (),
    *,
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Rank weights of measures: Webber 2010, Figure 1.

    Parameters
    ----------
    names : sequence of str
        The measures.
    rank_weights : ndarray, shape (n_measures, depth)
        The weight of ranks 1, 2, ...
    right : collection of str
        The measures with a scale of their own, at the right: the paper's has DCG there and RBP at the left.
    size, title
        As in `stdeval.plots.heatmap`.

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
    labels = [f"{name} (right)" if name in right else name for name in names]
    figure = new_figure(where, 0.65 * where.width, title, labels)
    (left,) = panel_axes(figure, 1, 1)
    axes = [left.twinx() if set(right) & set(names) else left, left]
    ranks = np.arange(1, rank_weights.shape[1] + 1)
    handles = []
    for i, (name, label) in enumerate(zip(names, labels, strict=True)):
        kind = {**look(i), "markevery": max(1, len(ranks) // 8)}
        handles.append(add_line(axes[name not in right], ranks, rank_weights[i], label, kind))
    for side in axes:
        side.set_ylim(bottom=0)
        side.locator_params(axis="y", nbins=5)
    left.set(xlabel="rank", ylabel="weight of the rank")
    if axes[0] is not left:
        axes[0].spines["right"].set_visible(True)
        axes[0].set_ylabel(f"weight of the rank, {shown(', '.join(n for n in names if n in right))}")
    legend_below(figure, where, handles)
    return figure


@styled
def power(rows: Rows, *, size: Size = "column", title: str | None = None) -> Figure:
    """Discriminative power: Webber 2010, Table 1; Urbano 2019, Figures 2 and 3.

    Parameters
    ----------
    rows : mapping of columns
        ``alpha``, ``power`` (share of system pairs, 0 to 1), and where there are ``measure``, ``scheme`` and
        ``type1`` (share of true null hypotheses rejected), which has panels of its own with its diagonal.
    size, title
        As in `stdeval.plots.heatmap`.

    Returns
    -------
    Figure
        Curves over alpha; with one alpha, a row a measure and a mark a scheme.

    Examples
    --------
    >>> rows = {"measure": ["map"] * 2, "scheme": ["raw"] * 2, "alpha": [0.01, 0.05], "power": [0.5, 0.68]}
    >>> power(rows).axes[0].get_lines()[0].get_ydata()
    array([0.5 , 0.68])
    """
    check_columns(rows, ("alpha", "power"))
    alpha = numbers(rows, "alpha")
    if len(np.unique(alpha)) == 1 and "type1" not in rows:
        return dots(rows, "power", f"discriminative power (share of pairs, alpha {alpha[0]:g})", size, title)
    long = _with_type1(rows)
    panels, series = arrange(long, ("rate", "measure"), ("scheme",))
    x, y, rate = numbers(long, "alpha"), numbers(long, "value"), np.asarray(long["rate"])

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        if rate[chosen][0] != "power":
            axes.plot(np.sort(x[chosen]), np.sort(x[chosen]), color=NEUTRAL, linewidth=0.5)
        plain_log(axes, x)
        return add_line(axes, x[chosen], y[chosen], label, look(i))

    what = "rate (share of tests)" if "type1" in rows else "discriminative power (share of pairs)"
    return panelled(panels, series, draw, "significance level alpha", what, size, title, "type1" not in rows)


def _with_type1(rows: Rows) -> dict[str, Any]:
    """Rows with the columns ``rate`` and ``value`` for power, and again for Type I errors where there are."""
    rates = {"power": "power", **({"type1": "Type I error"} if "type1" in rows else {})}
    keep = [name for name in rows if name not in rates]
    long: dict[str, Any] = {name: [*rows[name]] * len(rates) for name in keep}
    long["value"] = [value for name in rates for value in numbers(rows, name)]
    long["rate"] = [rate for name, rate in rates.items() for _ in rows[name]]
    return long


@styled
def tau(rows: Rows, *, size: Size = "column", title: str | None = None) -> Figure:
    """How correlations of system rankings are distributed over trials: Urbano 2019, Figures 2 and 3.

    Parameters
    ----------
    rows : mapping of columns
        ``value`` of each trial, and where there are ``coefficient`` (``tau_b``, ``tau_ap_b``, ``r``), ``measure``,
        ``scheme`` and ``trial``.
    size, title
        As in `stdeval.plots.heatmap`.

    Returns
    -------
    Figure
        Densities by a Gaussian kernel, their means as upright lines.

    Examples
    --------
    >>> figure = tau({"scheme": ["raw"] * 3, "value": [0.7, 0.8, 0.75]})
    >>> round(float(figure.axes[0].get_lines()[-1].get_xdata()[0]), 3)
    0.75
    """
    check_columns(rows, ("value",))
    panels, series = arrange(rows, ("coefficient", "measure"), ("scheme",))
    kinds = {str(kind) for kind in rows.get("coefficient", ["correlation"])}
    x = f"{kinds.pop() if len(kinds) == 1 else 'correlation'} of system rankings"
    return densities(rows, "value", panels, series, x, size, title)


@styled
def split(rows: Rows, *, size: Size = "column", title: str | None = None) -> Figure:
    """Self-consistency of aggregates over topic splits: Ravana 2009, Figures 1 to 3 and 11.

    Parameters
    ----------
    rows : mapping of columns
        ``tau``, and either ``trial`` (densities over trials, Figure 2) or ``epsilon`` (mean tau over epsilon,
        Figure 1; rows without epsilon are level lines); ``measure``, ``scheme``, ``aggregate`` and ``how``
        where there are.
    size, title
        As in `stdeval.plots.heatmap`.

    Examples
    --------
    >>> rows = {"aggregate": ["egm"] * 2, "epsilon": [0.01, 0.1], "tau": [0.8, 0.78]}
    >>> split(rows).axes[0].get_lines()[0].get_xydata()
    array([[0.01, 0.8 ],
           [0.1 , 0.78]])
    """
    check_columns(rows, ("tau",))
    label, trials = "tau of the rankings on two halves of the topics", "trial" in rows
    if not trials:
        check_columns(rows, ("epsilon", "tau"))
    methods = ("method", "scheme", "aggregate", *(("epsilon",) if trials else ()))
    panels, series = arrange(rows, ("how", "measure"), methods)
    if trials:
        return densities(rows, "tau", panels, series, label, size, title)
    epsilon, value = numbers(rows, "epsilon"), numbers(rows, "tau")

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        plain_log(axes, epsilon)
        if np.isnan(epsilon[chosen]).all():
            return axes.axhline(value[chosen][0], label=label, **{**look(i), "marker": ""})
        return add_line(axes, epsilon[chosen], value[chosen], label, look(i))

    return panelled(panels, series, draw, "epsilon", f"mean {label}", size, title)


@styled
def depth(rows: Rows, value: str = "power", *, size: Size = "column", title: str | None = None) -> Figure:
    """Discriminative power by evaluation depth, a curve a pool depth: Webber 2010, Figures 3 and 4.

    Parameters
    ----------
    rows : mapping of columns
        ``pool_depth``, ``depth`` (of the evaluation), that of ``value``, and where there are ``measure``, ``form``
        (raw, expanded, abbreviated, standardized), ``scheme`` and ``alpha``: a panel each.
    value : str
        The column drawn: ``power`` (share of system pairs), or another such as ``mean``.
    size, title
        As in `stdeval.plots.heatmap`.

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
    check_columns(rows, ("pool_depth", "depth", value))
    pool, k, y = (numbers(rows, name) for name in ("pool_depth", "depth", value))
    pools = sorted(set(pool))
    series: list[Group] = [(f"pool {d:g}", pool == d) for d in pools]
    series.append(("pool as deep", pool == k))
    shades = colours_on_white()(np.linspace(0, 1, len(pools)))

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        plain_log(axes, k)
        full = {"color": WORSE, "marker": "x", "zorder": 3}
        kind = full if i == len(pools) else {"color": shades[i], "linestyle": DASHES[i % len(DASHES)]}
        return add_line(axes, k[chosen], y[chosen], label, kind)

    what = "discriminative power (share of pairs)" if value == "power" else f"{value} (score)"
    panels = groups(rows, ("measure", "form", "scheme", "alpha"))
    # powers compare between panels, means of raw and normalized scores do not
    return panelled(panels, series, draw, "evaluation depth (rank)", what, size, title, sharey=value == "power")


@styled
def drmse(rows: Rows, *, size: Size = "column", title: str | None = None) -> Figure:
    """Difference of collections, dRMSE, by measure and scheme: Webber 2008, Figures 5 and 7.

    Parameters
    ----------
    rows : mapping of columns
        ``drmse``, and where there are ``measure``, ``scheme``, ``pair`` (of collections), ``low`` and ``high``
        (percentiles over re-partitions of the topics, drawn as whiskers).
    size, title
        As in `stdeval.plots.heatmap`.

    Examples
    --------
    >>> figure = drmse({"measure": ["map"] * 2, "scheme": ["raw", "N"], "drmse": [0.583, 0.4]})
    >>> [line.get_xdata().tolist() for line in figure.axes[0].get_lines()]
    [[0.583], [0.4]]
    """
    check_columns(rows, ("drmse",))
    return dots(rows, "drmse", "dRMSE (standard deviations)", size, title)


@styled
def references(rows: Rows, *, size: Size = "column", title: str | None = None) -> Figure:
    """How close rankings come with fewer reference systems: Webber 2008, Figure 4.

    Parameters
    ----------
    rows : mapping of columns
        ``size`` (number of reference systems), ``median``, and where there are ``p5`` and ``p1`` (percentiles of
        tau with the ranking by all references), ``measure`` and ``scheme``.
    size, title
        As in `stdeval.plots.heatmap`.

    Examples
    --------
    >>> figure = references({"size": [5, 10], "median": [0.9, 0.95], "p5": [0.8, 0.9]})
    >>> [line.get_ydata().tolist() for line in figure.axes[0].get_lines()]
    [[0.9, 0.95], [0.8, 0.9]]
    """
    check_columns(rows, ("size", "median"))
    names = {"median": "median", "p5": "5th percentile", "p1": "1st percentile"}
    curves = {label: numbers(rows, name) for name, label in names.items() if name in rows}
    n = numbers(rows, "size")
    series: list[Group] = [(label, ~np.isnan(y)) for label, y in curves.items()]

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        return add_line(axes, n[chosen], curves[label][chosen], label, look(i))

    y = "tau with the ranking by all references"
    return panelled(groups(rows, ("measure", "scheme")), series, draw, "reference systems", y, size, title)
