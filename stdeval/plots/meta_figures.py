"""Figures of meta-evaluation: the tidy rows that the meta-evaluation commands write.

Each function takes columns by name, as read from CSV. Columns that only tell series apart (``measure``, ``scheme``
and so on) may be missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.plots.series_panels import add_line, draw_densities, draw_dots, draw_panels, plain_log
from stdeval.plots.style import DASHES, NEUTRAL, WORSE, Size, colours_on_white, look, styled
from stdeval.plots.tidy_rows import Group, Rows, arrange, check_columns, groups, numbers
from stdeval.table import Bools

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@styled
def power(rows: Rows, *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw discriminative power over levels of significance: Webber 2010, Table 1; Urbano 2019, Figures 2 and 3.

    Parameters
    ----------
    rows : mapping of columns
        ``alpha`` and ``power`` (share of system pairs, 0 to 1); optionally ``measure``, ``scheme`` and ``type1``
        (share of true null hypotheses that are rejected). Type I errors have panels of their own, with the
        diagonal on which a perfect test would lie.
    size, title
        As in `stdeval.plots.heatmap`.

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
    check_columns(rows, ("alpha", "power"))
    alpha = numbers(rows, "alpha")
    if len(np.unique(alpha)) == 1 and "type1" not in rows:
        return draw_dots(rows, "power", f"discriminative power (share of pairs, alpha {alpha[0]:g})", size, title)
    long = _with_type1(rows)
    panels, series = arrange(long, ("rate", "measure"), ("scheme",))
    x, y, rate = numbers(long, "alpha"), numbers(long, "value"), np.asarray(long["rate"])

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        if rate[chosen][0] != "power":
            # the diagonal: a perfect test rejects a share alpha of the true null hypotheses
            axes.plot(np.sort(x[chosen]), np.sort(x[chosen]), color=NEUTRAL, linewidth=0.5)
        plain_log(axes, x)
        return add_line(axes, x[chosen], y[chosen], label, look(i))

    y_label = "rate (share of tests)" if "type1" in rows else "discriminative power (share of pairs)"
    return draw_panels(panels, series, draw, "significance level alpha", y_label, size, title, "type1" not in rows)


def _with_type1(rows: Rows) -> dict[str, Any]:
    """Return the rows of power, then those of Type I errors if there are any, as columns ``rate`` and ``value``."""
    rates = {"power": "power", **({"type1": "Type I error"} if "type1" in rows else {})}
    long: dict[str, Any] = {name: [*rows[name]] * len(rates) for name in rows if name not in rates}
    long["value"] = [value for name in rates for value in numbers(rows, name)]
    long["rate"] = [rate for name, rate in rates.items() for _ in rows[name]]
    return long


@styled
def tau(rows: Rows, *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw the distribution of correlations of system rankings over trials: Urbano 2019, Figures 2 and 3.

    Parameters
    ----------
    rows : mapping of columns
        ``value`` of each trial; optionally ``coefficient`` (``tau_b``, ``tau_ap_b``, ``r``), ``measure``,
        ``scheme`` and ``trial``.
    size, title
        As in `stdeval.plots.heatmap`.

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
    check_columns(rows, ("value",))
    panels, series = arrange(rows, ("coefficient", "measure"), ("scheme",))
    kinds = {str(kind) for kind in rows.get("coefficient", ["correlation"])}
    x = f"{kinds.pop() if len(kinds) == 1 else 'correlation'} of system rankings"
    return draw_densities(rows, "value", panels, series, x, size, title)


@styled
def split(rows: Rows, *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw the self-consistency of aggregates over topic splits: Ravana 2009, Figures 1 to 3 and 11.

    Parameters
    ----------
    rows : mapping of columns
        ``tau``, and either ``trial`` (densities over trials, Figure 2) or ``epsilon`` (mean tau over epsilon,
        Figure 1; rows without epsilon are level lines); optionally ``method``, ``measure``, ``scheme``,
        ``aggregate`` and ``how``.
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
        return draw_densities(rows, "tau", panels, series, label, size, title)
    epsilon, value = numbers(rows, "epsilon"), numbers(rows, "tau")

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        plain_log(axes, epsilon)
        # an aggregate without epsilon, such as am, is the same for all epsilons
        if np.isnan(epsilon[chosen]).all():
            return axes.axhline(value[chosen][0], label=label, **{**look(i), "marker": ""})
        return add_line(axes, epsilon[chosen], value[chosen], label, look(i))

    return draw_panels(panels, series, draw, "epsilon", f"mean {label}", size, title)


@styled
def depth(rows: Rows, value: str = "power", *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw discriminative power over evaluation depth, one curve per pool depth: Webber 2010, Figures 3 and 4.

    Parameters
    ----------
    rows : mapping of columns
        ``pool_depth``, ``depth`` (of the evaluation) and the column named by `value`; optionally ``measure``,
        ``form`` (raw, expanded, abbreviated, standardized), ``scheme`` and ``alpha``, each in panels of its own.
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

    y_label = "discriminative power (share of pairs)" if value == "power" else f"{value} (score)"
    panels = groups(rows, ("measure", "form", "scheme", "alpha"))
    # powers are comparable between panels, means of raw and standardized scores are not
    sharey = value == "power"
    return draw_panels(panels, series, draw, "evaluation depth (rank)", y_label, size, title, sharey)


@styled
def drmse(rows: Rows, value: str = "drmse", *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw dRMSE, the difference of collections, by measure and scheme: Webber 2008, Figures 5 to 7.

    Parameters
    ----------
    rows : mapping of columns
        The column named by `value`; optionally ``measure``, ``scheme``, ``pair`` (of collections), and for dRMSE
        ``low`` and ``high`` (percentiles over re-partitions of the topics, drawn as whiskers).
    value : str
        The column drawn: ``drmse``, ``mean`` (of dRMSE over the re-partitions), or another such as
        ``false_positives_high``.
    size, title
        As in `stdeval.plots.heatmap`.

    Examples
    --------
    >>> figure = drmse({"measure": ["map"] * 2, "scheme": ["raw", "N"], "drmse": [0.583, 0.4]})
    >>> [line.get_xdata().tolist() for line in figure.axes[0].get_lines()]
    [[0.583], [0.4]]
    """
    check_columns(rows, (value,))
    if value in ("drmse", "mean"):
        return draw_dots(
            rows, value, f"{'mean ' if value == 'mean' else ''}dRMSE (standard deviations)", size, title
        )
    others = {name: column for name, column in rows.items() if name not in ("low", "high")}
    return draw_dots(others, value, value, size, title)


_LEVELS = {"tau_raw": "raw scores", "tau_collection": "raw scores, two collections"}
"""The columns of correlations that do not depend on the number of references, and their labels."""


@styled
def references(rows: Rows, *, size: Size = "column", title: str | None = None) -> Figure:
    """Draw how close rankings by few reference systems come to that by all: Webber 2008, Figure 4.

    Parameters
    ----------
    rows : mapping of columns
        ``size`` (number of reference systems) and ``median``; optionally ``p5`` and ``p1`` (percentiles of tau with
        the ranking by all references), ``measure`` and ``scheme``; and ``tau_raw`` and ``tau_collection`` (tau with
        the ranking by raw scores, and of those on two collections), which are the same for all sizes of a measure
        and scheme, and are drawn as level lines.
    size, title
        As in `stdeval.plots.heatmap`.

    Examples
    --------
    >>> figure = references({"size": [5, 10], "median": [0.9, 0.95], "p5": [0.8, 0.9]})
    >>> [line.get_ydata().tolist() for line in figure.axes[0].get_lines()]
    [[0.9, 0.95], [0.8, 0.9]]
    """
    check_columns(rows, ("size", "median"))
    names = {"median": "median", "p5": "5th percentile", "p1": "1st percentile"} | _LEVELS
    curves = {label: numbers(rows, name) for name, label in names.items() if name in rows}
    n = numbers(rows, "size")
    series: list[Group] = [(label, ~np.isnan(y)) for label, y in curves.items()]

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        if label in _LEVELS.values():
            return axes.axhline(curves[label][chosen][0], label=label, **{**look(i), "marker": ""})
        return add_line(axes, n[chosen], curves[label][chosen], label, look(i))

    y = "tau with the ranking by all references"
    return draw_panels(groups(rows, ("measure", "scheme")), series, draw, "reference systems", y, size, title)
