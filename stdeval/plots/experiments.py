"""Figures of the experiments of `stdeval meta`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.plots import tidy
from stdeval.plots.layout import NEUTRAL, THIN, look, sheet, styled
from stdeval.plots.tidy import COEFFICIENTS, Group, Rows, RowsLike, groups, numbers, shared_field
from stdeval.table import Bools

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CURVE = ("collection", "measure", "scheme")


def _level(rows: Rows) -> str:
    """Return the significance level of all rows in words; empty if they differ."""
    level = shared_field(rows, "alpha")
    return f"alpha {float(level):g}" if level else ""


@styled
def power(rows: RowsLike, **page: Any) -> Figure:
    """Draw discriminative power over levels of significance: Webber 2010, Table 1; Urbano 2019, Figures 2 and 3.

    The columns are ``alpha`` and ``power``, shares of pairs, optionally ``test`` and ``type1``, of true hypotheses.
    """
    rows = tidy.checked_rows(rows, ("alpha", "power"), (*_CURVE, "test", "alpha"))
    alpha, _ = tidy.drawable(rows, "alpha", "power")
    if len(np.unique(alpha)) == 1 and "type1" not in rows:
        return tidy.draw_dots(rows, "power", f"discriminative power, alpha {alpha[0]:g}", sheet(**page))
    long, y = tidy.melted(rows, {"power": "power", "type1": "Type I error"}, "rate")
    x, has_errors = numbers(long, "alpha"), len(y) > len(alpha)
    panels, series = tidy.arrange(long, ("rate", "measure"), ("collection", "scheme", "test"))
    draw, y_label = tidy.curves(x, y), "share of tests" if has_errors else "discriminative power"
    figure = tidy.draw_panels(long, panels, series, draw, "alpha", y_label, sheet(**page), sharey=not has_errors)
    for axes, (_, chosen) in zip(figure.axes, panels, strict=True):
        if not chosen[: len(alpha)].any():
            # the diagonal: a perfect test rejects a share alpha of the true null hypotheses
            axes.plot(np.sort(x[chosen]), np.sort(x[chosen]), color=NEUTRAL, linewidth=THIN)
            # on both axes, so that the diagonal is straight
            if (y[len(alpha) :] > 0).all() and tidy.plain_log(axes, x):
                tidy.plain_log(axes, x, "y")
    return figure


@styled
def depth(rows: RowsLike, value: str = "power", **page: Any) -> Figure:
    """Draw discriminative power over evaluation depth, one curve per pool depth: Webber 2010, Figures 3 and 4.

    The columns are ``pool_depth``, ``depth`` and `value`: ``power``, the
    share of system pairs, or another such as ``mean``.
    """
    panel = ("collection", "measure", "form", "scheme")
    rows = tidy.checked_rows(rows, ("pool_depth", "depth", value), (*panel, "alpha", "pool_depth", "depth"))
    pool, k, y = tidy.drawable(rows, "pool_depth", "depth", value)
    series: list[Group] = [("pool as deep", pool == k)]
    series += [(f"pool {d:g}", pool == d) for d in sorted(set(pool))]
    # powers are comparable between panels, means of raw and standardized scores are not
    is_power, level = value == "power", _level(rows)
    y_label, said = ("discriminative power", level) if is_power else (value, "")
    share, panels = {"sharex": True, "sharey": is_power}, groups(rows, panel if level else (*panel, "alpha"))
    draw = tidy.curves(k, y)
    return tidy.draw_panels(rows, panels, series, draw, "evaluation depth", y_label, sheet(**page), said, **share)


@styled
def drmse(rows: RowsLike, value: str = "drmse", **page: Any) -> Figure:
    """Draw dRMSE, the difference of collections, by measure and scheme: Webber 2008, Figures 5 to 7.

    The columns are `value` - ``drmse``, ``mean`` (over the re-partitions), or another such as ``first_better`` -
    and optionally ``pair`` (of collections), ``low`` and ``high`` (of re-partitions).
    """
    rows = tidy.checked_rows(rows, (value,), (*_CURVE, "trial", "pair"))
    tidy.drawable(rows, value)
    mark = "random division" if "trial" in rows else ""
    if value in ("drmse", "mean"):
        is_band = "low" in rows and bool(np.isfinite(numbers(rows, "low")).any())
        mark = mark or ("observed division" if value == "drmse" else "mean of random divisions")
        band = "95% of random divisions" if is_band else ""
        return tidy.draw_dots(rows, value, "dRMSE (sd)", sheet(**page), mark, band)
    label = value.replace("_", " ") + (" of dRMSE" if value in ("low", "high", "percentile") else "")
    ignored = {"low", "high", "alpha"}
    # the numbers of systems that differ significantly, which depend on alpha
    if value.startswith(("first_better", "second_better", "false_positives")):
        ignored.remove("alpha")
        label = ", ".join(filter(None, [f"number of systems: {label}", _level(rows)]))
    kept = {name: rows[name] for name in rows if name not in ignored or name == value}
    return tidy.draw_dots(kept, value, label, sheet(**page), mark)


@styled
def references(rows: RowsLike, **page: Any) -> Figure:
    """Draw how close rankings by few reference systems come to that by all: Webber 2008, Figure 4.

    The columns are ``size`` (number of reference systems) and ``median``, optionally ``p5``, ``p1`` (percentiles of
    tau with the ranking by all), ``tau_raw`` and ``tau_collection`` (of rankings by raw scores).
    """
    rows = tidy.checked_rows(rows, ("size", "median"), (*_CURVE, "size"))
    tidy.drawable(rows, "size", "median")
    names = {"median": "median", "p5": "5th percentile", "p1": "1st percentile"}
    # these do not depend on the number of references
    levels = {"tau_raw": "raw scores", "tau_collection": "raw scores, two collections"}
    long, y = tidy.melted(rows, names | levels, "curve")
    known = ~np.isnan(y)
    series = [(label, mask & known) for label, mask in groups(long, ("curve",)) if (mask & known).any()]
    sizes = np.where(np.isin(long["curve"], list(levels.values())), np.nan, numbers(long, "size"))
    y_label, draw = f"{COEFFICIENTS['tau_b']} with all references", tidy.curves(sizes, y)
    panels = groups(long, _CURVE)
    return tidy.draw_panels(long, panels, series, draw, "reference systems", y_label, sheet(**page))


@styled
def tau(rows: RowsLike, **page: Any) -> Figure:
    """Draw the distribution of correlations of system rankings over trials: Urbano 2019, Figures 2 and 3.

    The columns are ``value``, optionally ``coefficient``, ``trial`` and ``experiment`` (``within``, ``between``).
    """
    rows = tidy.checked_rows(rows, ("value",), ("collection", "coefficient", "measure", "scheme", "trial"))
    panels, series = tidy.arrange(rows, ("coefficient", "measure"), ("collection", "experiment", "scheme"))
    kind = shared_field(rows, "coefficient") or "correlation"
    # the trials of an experiment correlate with these
    others = {"within": "with raw scores", "between": "on two sets of topics"}
    x = f"{COEFFICIENTS.get(kind, kind)} {others.get(shared_field(rows, 'experiment'), 'of system rankings')}"
    return tidy.draw_densities(rows, "value", panels, series, x, sheet(**page))


@styled
def split(rows: RowsLike, value: str = "tau", **page: Any) -> Figure:
    """Draw the self-consistency of aggregates over topic splits: Ravana 2009, Figures 1 to 3, 5, 7 and 11.

    The columns are `value`, the correlation of the two halves (``tau``, ``tau_ap_b`` or ``r``), and ``trial`` (for
    densities) or ``epsilon`` (empty for level lines).
    """
    rows = tidy.checked_rows(rows, (value,))
    at = "trial" if "trial" in rows else "epsilon"
    methods = ("collection", "method", "scheme", "aggregate", *(("epsilon",) if at == "trial" else ()))
    rows = tidy.checked_rows(rows, (value, at), (*methods, "how", "measure", at))
    label = f"{COEFFICIENTS.get(value, value)} of two halves"
    panels, series = tidy.arrange(rows, ("how", "measure"), methods)
    if at == "trial":
        return tidy.draw_densities(rows, value, panels, series, label, sheet(**page))
    # an aggregate without epsilon, such as am, is the same for all epsilons
    draw = tidy.curves(numbers(rows, "epsilon"), *tidy.drawable(rows, value))
    others = {name: column for name, column in rows.items() if name != "epsilon"}
    return tidy.draw_panels(others, panels, series, draw, "epsilon", f"mean {label}", sheet(**page))


@styled
def aggregates(rows: RowsLike, **page: Any) -> Figure:
    """Draw which aggregate is more self-consistent, by the share of low scores: Ravana 2009, Figures 9 and 10.

    The columns are ``difference`` (of the mean tau of two halves of the topics; above 0, ``aggregate`` is the more
    self-consistent one), ``low`` (share of scores of at most 0.1), ``aggregate`` and ``aggregate_b``.
    """
    methods = ("aggregate", "epsilon", "scheme", "aggregate_b", "epsilon_b", "scheme_b")
    required = ("low", "difference", "aggregate", "aggregate_b")
    rows = tidy.checked_rows(rows, required, ("collection", "how", "measure", *methods))
    known: set[tuple[str, ...]] = set()
    pairs, signs = [], []
    columns = (rows.get(name, [""] * len(rows["low"])) for name in methods)
    for a, e, scheme, b, f, other in zip(*columns, strict=True):
        pair: tuple[str, ...] = (f"{a} {e}".strip(), f"{b} {f}".strip())
        # a pair that is known in the other order has the other sign
        signs.append(-1 if pair[::-1] in known else 1)
        pair = pair[:: signs[-1]]
        known.add(pair)
        pairs.append(" \N{MINUS SIGN} ".join(pair) if scheme == other and pair[0] != pair[1] else "")
    drawn = np.array(pairs) != ""
    kind = "row of two aggregates by one scheme"
    low, difference = tidy.drawable(rows, "low", "difference", among=drawn, kind=kind)
    low, difference = 100 * low[drawn], (signs * difference)[drawn]
    kept = tidy.taken({**rows, "pair": pairs}, drawn)
    # the only pair stands above all, where it explains the sign
    only = shared_field(kept, "pair")
    panels = groups(kept, [name for name in ("pair", "how") if not shared_field(kept, name)])
    series = groups(kept, ("collection", "measure", "scheme"))

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        if not axes.get_lines():
            axes.axhline(0, color=NEUTRAL, linewidth=THIN)
        (points,) = axes.plot(low[chosen], difference[chosen], label=label, **{**look(i), "linestyle": ""})
        return points

    labels = ("low scores (%)", f"difference of {COEFFICIENTS['tau']}")
    others = {name: column for name, column in kept.items() if name not in methods or name == "scheme"}
    return tidy.draw_panels(others, panels, series, draw, *labels, sheet(**page), only, sharey=False)


QUANTITIES = {"erho2": "E\N{GREEK SMALL LETTER RHO}\N{SUPERSCRIPT TWO}", "phi": "\N{GREEK CAPITAL LETTER PHI}"}
QUANTITIES |= {"tau": "expected \N{GREEK SMALL LETTER TAU}", "tau_ap": f"expected {COEFFICIENTS['tau_ap']}"}
QUANTITIES |= {"power": "expected power", "sensitivity": "relative sensitivity"}


@styled
def reliability(rows: RowsLike, value: str = "erho2", **page: Any) -> Figure:
    """Draw the reliability of collections over the number of topics: Urbano 2013.

    The columns are ``quantity``, ``at`` (number of topics) and ``value``, optionally ``low``, ``high`` and
    ``confidence``. Drawn is one of the quantities: erho2, phi, tau, tau_ap, power or sensitivity.
    """
    rows = tidy.checked_rows(rows, ("quantity", "at", "value"), (*_CURVE, "quantity", "at"))
    is_quantity = np.array([name == value for name in rows["quantity"]])
    x, y = tidy.drawable(rows, "at", "value", among=is_quantity, kind=f"row of {value}")
    low, high = (numbers(rows, end) if end in rows else y for end in ("low", "high"))
    drawn = ~np.isnan(x + y)
    kept = tidy.taken(rows, drawn)
    levels = groups(kept, ("confidence",)) if {"confidence", "low", "high"} <= {*rows} else []
    n_topics = np.unique(x[drawn])
    at = f"{n_topics[0]:g} topics" if len(n_topics) == 1 else ""
    label = ", ".join(filter(None, [QUANTITIES[value], at, levels[0][0] if len(levels) == 1 else ""]))
    if at:
        return tidy.draw_dots(kept, "value", label, sheet(**page))
    panels, series = tidy.arrange(kept, ("measure",), ("collection", "scheme", "confidence"))
    draw = tidy.curves(x[drawn], y[drawn], low[drawn], high[drawn])
    return tidy.draw_panels(kept, panels, series, draw, "topics", label, sheet(**page))


PLANNED = {"difference": "difference found", "width": "width of the interval", "pairs": "share of pairs"}


@styled
def plan(rows: RowsLike, value: str = "difference", **page: Any) -> Figure:
    """Draw the smallest difference that numbers of topics find, or the width of its interval (Sakai 2016).

    The columns are ``n`` (number of topics) and `value` - ``difference``, ``width``, or ``pairs``, the share of
    pairs that differ so much - and optionally ``spread``, ``test``, ``power`` and ``alpha``.
    """
    rows = tidy.checked_rows(rows, ("n", value))
    draw = tidy.curves(*tidy.drawable(rows, "n", value))
    # the power of whole numbers of topics varies, and is named by its lower bound
    power = numbers(rows, "power") if "power" in rows else np.full(1, np.nan)
    least = "" if np.isnan(power).all() else f"power {math.floor(100 * np.nanmin(power) + 1e-9) / 100:g}"
    tests = {"t": "paired t test", "anova": f"ANOVA of {shared_field(rows, 'planned_systems')} systems"}
    test, level = (shared_field(rows, name) for name in ("test", "alpha"))
    said = tidy.joined(tests.get(test, ""), least, _level(rows))
    panels = groups(rows, (*_CURVE, *(() if test else ("test", "planned_systems")), *(() if level else ("alpha",))))
    rows, share = {name: column for name, column in rows.items() if name != "test"}, {"sharey": value == "pairs"}
    series = groups(rows, ("spread",))
    return tidy.draw_panels(rows, panels, series, draw, "topics", PLANNED[value], sheet(**page), said, **share)
