"""Figures of trials and of splits of the topics: correlations of rankings, and which aggregate has the higher ones.

The rows are as for `stdeval.plots.meta_figures`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.errors import InputError
from stdeval.plots.series_panels import add_line, draw_densities, draw_panels, plain_log
from stdeval.plots.style import NEUTRAL, Size, look, styled, thin_line
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
