"""Figures for planning a collection: reliability, and the differences found, by number of topics.

The functions take the tidy rows that `stdeval meta reliability` and `stdeval meta plan` write, see
`stdeval.plots.meta_figures`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stdeval.errors import InputError
from stdeval.plots.number_texts import plain
from stdeval.plots.series_panels import add_line, draw_dots, draw_panels, plain_log
from stdeval.plots.style import Size, look, styled
from stdeval.plots.tidy_rows import (
    COEFFICIENTS,
    Rows,
    RowsLike,
    arrange,
    check_distinct,
    check_same,
    checked_rows,
    groups,
    numbers,
    shared_field,
    taken,
)
from stdeval.table import Bools

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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

_LEVEL = ("confidence",)
"""The column of the level of the intervals; it is in the legend if the files differ in it."""

_SPREADS = {"median": "median of all pairs", "p95": "95th percentile"}
"""Names of the standard deviations in plans, written out where the CSV abbreviates them."""

_CURVE = ("collection", "measure", "scheme")
"""The columns that tell the curves of different files and measures apart."""


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
    size, title
        The size, which is column, page, slide or in mm, and the title: as in `stdeval.plots.heatmap`.

    Returns
    -------
    Figure
        Curves over the number of topics with their intervals; a row per measure if there is only one number.

    Raises
    ------
    InputError
        If there are no rows of this quantity.

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
    check_same(rows)
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
    panels, series = arrange(kept, ("measure",), ("collection", "scheme", *_LEVEL))

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        order = np.flatnonzero(chosen)[np.argsort(x[chosen], kind="stable")]
        axes.fill_between(x[order], low[order], high[order], color=look(i)["color"], alpha=0.15, linewidth=0)
        plain_log(axes, x)
        return add_line(axes, x[chosen], y[chosen], label, look(i))

    return draw_panels(kept, panels, series, draw, "topics", _with_level(QUANTITIES[value], kept), size, title)


def _with_level(label: str, rows: Rows) -> str:
    """Return the label of an axis with the level of the intervals, if it is known, and the same for all."""
    levels = groups(rows, _LEVEL) if all(name in rows for name in (*_LEVEL, "low", "high")) else []
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
    size, title
        The size, which is column, page, slide or in mm, and the title: as in `stdeval.plots.heatmap`.

    Returns
    -------
    Figure
        A panel per measure and scheme, which have units of their own, and a curve per spread. The test, the power
        and the level stand beside the axis, or above the panels if they differ.

    Examples
    --------
    >>> axes = plan({"n": [10, 50], "difference": [0.21, 0.084]}).axes[0]
    >>> axes.get_lines()[0].get_ydata()
    array([0.21 , 0.084])
    """
    rows = checked_rows(rows, ("n", value))
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

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        known = chosen & ~np.isnan(n) & ~np.isnan(y)
        plain_log(axes, n)
        return add_line(axes, n[known], y[known], label, look(i))

    sharey, legend = value == "pairs", "standard deviation"
    settings = ", ".join(filter(None, told.values()))
    y_label = f"{PLANNED[value]} ({settings})" if settings else PLANNED[value]
    others = {name: column for name, column in planned.items() if name != "test"}
    return draw_panels(others, panels, series, draw, "topics", y_label, size, title, sharey, legend=legend)


_SETTINGS = ("planned test", "planned power", "level")
"""Columns of settings, which stand beside the axis, or above panels if they differ."""


def _settings(rows: Rows) -> dict[str, list[str]]:
    """Return the columns `_SETTINGS` in words; a field is empty if the rows do not tell it."""
    n = len(rows["n"])
    tests, systems, levels = (rows.get(name, [""] * n) for name in ("test", "planned_systems", "alpha"))
    anova = [f"analysis of variance of {m} systems" for m in systems]
    kinds = [
        anova[i] if test == "anova" else "paired t test" if test == "t" else "" for i, test in enumerate(tests)
    ]
    alphas = [f"alpha {plain(float(level))}" if level else "" for level in levels]
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
