"""Figures of meta-evaluation: the tidy rows that the meta-evaluation commands write.

Each function takes columns by name, as read from CSV, or a data frame. Columns that only tell series apart
(``measure``, ``scheme`` and so on) may be missing. One of them, in every figure, is ``collection``, the name that a
row's file was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.plots.lines import in_lines
from stdeval.plots.number_texts import plain
from stdeval.plots.series_panels import add_line, draw_dots, draw_panels, plain_log, whole_numbers
from stdeval.plots.style import DASHES, NEUTRAL, WORSE, Size, colours_on_white, look, sheet, styled, thin_line
from stdeval.plots.tidy_rows import (
    COEFFICIENTS,
    Group,
    Rows,
    RowsLike,
    arrange,
    check_distinct,
    check_same,
    checked_rows,
    groups,
    numbers,
    shared_field,
    some_numbers,
)
from stdeval.table import Bools

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
    if "test" in rows and any(test != "t" for test in rows["test"]):
        rows = {**rows, "test": [_TESTS.get(test, test) for test in rows["test"]]}
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
    trials = "; dots: random re-partitions of the topics" if "trial" in rows else ""
    if value in ("drmse", "mean"):
        label = f"{'mean ' if value == 'mean' else ''}dRMSE (standard deviations), lower is better"
        has_band = "low" in rows and bool(np.isfinite(numbers(rows, "low")).any())
        told = "; bands: 95% of the re-partitions" if has_band else trials
        return draw_dots(rows, value, in_lines(label + told, sheet(size).fits(1.5)), size, title, has_band)
    label = value.replace("_", " ")
    label += " of dRMSE" if value in ("low", "high", "percentile") else ""
    ignored = {"low", "high"} - {value}
    if value.startswith(_COUNTS):
        level = shared_field(rows, "alpha")
        label += f" (alpha {float(level):g})" if level else ""
    else:
        ignored.add("alpha")
    shown = {name: rows[name] for name in rows if name not in ignored}
    return draw_dots(shown, value, in_lines(label + trials, sheet(size).fits(1.5)), size, title)


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
