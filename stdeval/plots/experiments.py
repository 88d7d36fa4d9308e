"""Figures of the experiments of `stdeval meta`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.plots import tidy
from stdeval.plots.style import DASHES, NEUTRAL, THIN, WORSE, Page, colours_on_white, look, sheet, styled
from stdeval.plots.tidy import COEFFICIENTS, Group, Rows, RowsLike, groups, numbers, shared_field
from stdeval.table import Bools, Floats

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from typing_extensions import Unpack

_CURVE = ("collection", "measure", "scheme")


def _level(rows: Rows) -> str:
    """Return the significance level of all rows in words; empty if they differ."""
    level = shared_field(rows, "alpha")
    return f"alpha {float(level):g}" if level else ""


@styled
def power(rows: RowsLike, **page: Unpack[Page]) -> Figure:
    """Draw discriminative power over levels of significance: Webber 2010, Table 1; Urbano 2019, Figures 2 and 3.

    The columns are ``alpha`` and ``power``, shares of pairs, optionally ``test`` and ``type1``, of true hypotheses.

    Examples
    --------
    >>> power({"alpha": [0.01, 0.05], "power": [0.5, 0.68]}).axes[0].get_lines()[0].get_ydata()
    array([0.5 , 0.68])
    """
    rows = tidy.checked_rows(rows, ("alpha", "power"), (*_CURVE, "test", "alpha"))
    if any(test != "t" for test in rows.get("test", ())):
        rows = {**rows, "test": [_TESTS.get(test, test) for test in rows["test"]]}
    alpha, _ = tidy.drawable(rows, "alpha", "power")
    if len(np.unique(alpha)) == 1 and "type1" not in rows:
        return tidy.draw_dots(rows, "power", f"discriminative power, alpha {alpha[0]:g}", sheet(**page))
    # the rows of power, and then those of Type I errors
    rates = {"power": "power", **({"type1": "Type I error"} if "type1" in rows else {})}
    long: dict[str, Any] = {name: [*rows[name]] * len(rates) for name in rows if name not in rates}
    long["rate"] = [rate for rate in rates.values() for _ in alpha]
    x, y = np.tile(alpha, len(rates)), np.concatenate([numbers(rows, name) for name in rates])
    panels, series = tidy.arrange(long, ("rate", "measure"), ("collection", "scheme", "test"))

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        if not chosen[: len(alpha)].any():
            # the diagonal: a perfect test rejects a share alpha of the true null hypotheses
            axes.plot(np.sort(x[chosen]), np.sort(x[chosen]), color=NEUTRAL, linewidth=THIN)
            # on both axes, so that the diagonal is straight
            if (y[len(alpha) :] > 0).all() and tidy.plain_log(axes, x):
                tidy.plain_log(axes, x, "y")
        tidy.plain_log(axes, x)
        return tidy.add_line(axes, x[chosen], y[chosen], label, look(i))

    y_label, sharey = ("share of tests", False) if "type1" in rows else ("discriminative power", True)
    return tidy.draw_panels(long, panels, series, draw, "alpha", y_label, sheet(**page), sharey=sharey)


_TESTS = {"t": "t, paired", "student": "Student's t, unpaired", "welch": "Welch's t, unpaired"}


@styled
def depth(rows: RowsLike, value: str = "power", **page: Unpack[Page]) -> Figure:
    """Draw discriminative power over evaluation depth, one curve per pool depth: Webber 2010, Figures 3 and 4.

    The columns are ``pool_depth``, ``depth`` (crossed where it is that of the pool) and `value`: ``power``, the
    share of system pairs, or another such as ``mean``.
    """
    panel = ("collection", "measure", "form", "scheme")
    rows = tidy.checked_rows(rows, ("pool_depth", "depth", value), (*panel, "alpha", "pool_depth", "depth"))
    pool, k, y = tidy.drawable(rows, "pool_depth", "depth", value)
    pools = sorted(set(pool))
    series: list[Group] = [(f"pool {d:g}", pool == d) for d in pools]
    series.append(("pool as deep", pool == k))
    shades = colours_on_white()(np.linspace(0, 1, len(pools)))

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        tidy.plain_log(axes, k)
        full = {"color": WORSE, "marker": "x", "zorder": 3}
        kind = full if i == len(pools) else {"color": shades[i], "linestyle": DASHES[i % len(DASHES)]}
        return tidy.add_line(axes, k[chosen], y[chosen], label, kind)

    # powers are comparable between panels, means of raw and standardized scores are not
    is_power, level = value == "power", _level(rows)
    y_label, said = ("discriminative power", level) if is_power else (value, "")
    share, panels = {"sharex": True, "sharey": is_power}, groups(rows, panel if level else (*panel, "alpha"))
    return tidy.draw_panels(rows, panels, series, draw, "evaluation depth", y_label, sheet(**page), said, **share)


@styled
def drmse(rows: RowsLike, value: str = "drmse", **page: Unpack[Page]) -> Figure:
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


_LEVELS = {"tau_raw": "raw scores", "tau_collection": "raw scores, two collections"}
"""The columns of correlations that do not depend on the number of references, and their labels."""


@styled
def references(rows: RowsLike, **page: Unpack[Page]) -> Figure:
    """Draw how close rankings by few reference systems come to that by all: Webber 2008, Figure 4.

    The columns are ``size`` (number of reference systems) and ``median``, optionally ``p5``, ``p1`` (percentiles of
    tau with the ranking by all), ``tau_raw`` and ``tau_collection`` (of rankings by raw scores).
    """
    rows = tidy.checked_rows(rows, ("size", "median"), (*_CURVE, "size"))
    n, _ = tidy.drawable(rows, "size", "median")
    names = {"median": "median", "p5": "5th percentile", "p1": "1st percentile"} | _LEVELS
    curves = {label: numbers(rows, name) for name, label in names.items() if name in rows}
    series: list[Group] = [(label, ~np.isnan(y)) for label, y in curves.items()]

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        tidy.whole_numbers(axes)
        if label in _LEVELS.values():
            return axes.axhline(curves[label][chosen][0], label=label, **{**look(i), "marker": ""})
        return tidy.add_line(axes, n[chosen], curves[label][chosen], label, look(i))

    y = f"{COEFFICIENTS['tau_b']} with all references"
    return tidy.draw_panels(rows, groups(rows, _CURVE), series, draw, "reference systems", y, sheet(**page))


@styled
def tau(rows: RowsLike, **page: Unpack[Page]) -> Figure:
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
def split(rows: RowsLike, value: str = "tau", **page: Unpack[Page]) -> Figure:
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
def aggregates(rows: RowsLike, **page: Unpack[Page]) -> Figure:
    """Draw which aggregate is more self-consistent, by the share of low scores: Ravana 2009, Figures 9 and 10.

    The columns are ``difference`` (of the mean tau of two halves of the topics; above 0, ``aggregate`` is the more
    self-consistent one), ``low`` (share of scores of at most 0.1), ``aggregate`` and ``aggregate_b``.
    """
    required = ("low", "difference", "aggregate", "aggregate_b")
    rows = tidy.checked_rows(rows, required, ("collection", "how", "measure", *_METHODS))
    pairs, signs = _aggregate_pairs(rows)
    drawn = pairs != ""
    kind = "row of two aggregates by one scheme"
    low, difference = tidy.drawable(rows, "low", "difference", among=drawn, kind=kind)
    low, difference = 100 * low[drawn], (signs * difference)[drawn]
    kept = tidy.taken({**rows, "pair": pairs.tolist()}, drawn)
    # the only pair stands above all, where it explains the sign
    pair = shared_field(kept, "pair")
    panels = groups(kept, [name for name in ("pair", "how") if not shared_field(kept, name)])
    kinds, collections = groups(kept, ("measure", "scheme")), groups(kept, ("collection",))
    # a collection has an entry of its own in the legend, which shows how its points are filled
    everywhere = np.ones(len(low), dtype=np.bool_)
    filled = [(name, everywhere) for name, _ in collections] if len(collections) > 1 else []

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        # large enough to see which half of a point is filled
        kind: dict[str, Any] = {**look(i), "linestyle": "", "markersize": 6, "markerfacecoloralt": "white"}
        if not axes.get_lines():
            axes.axhline(0, color=NEUTRAL, linewidth=THIN)
        if i >= len(kinds):
            kind |= {"color": NEUTRAL, "marker": "o", "fillstyle": FILLS[(i - len(kinds)) % len(FILLS)]}
        else:
            for j, (_, mask) in enumerate(collections):
                here = chosen & mask
                axes.plot(low[here], difference[here], fillstyle=FILLS[j % len(FILLS)], **kind)
        (entry,) = axes.plot([], [], label=label, **kind)
        return entry

    x, y = "low scores (%)", f"difference of {COEFFICIENTS['tau']}"
    others = {name: column for name, column in kept.items() if name not in _METHODS or name == "scheme"}
    return tidy.draw_panels(others, panels, [*kinds, *filled], draw, x, y, sheet(**page), pair, sharey=False)


FILLS: tuple[Any, ...] = ("full", "none", "left", "top", "right", "bottom")  # of the points of each collection

_METHODS = ("aggregate", "epsilon", "scheme", "aggregate_b", "epsilon_b", "scheme_b")
"""The columns of two methods that are compared."""


def _aggregate_pairs(rows: Rows) -> tuple[Any, Floats]:
    """Return the two aggregates of each row, as ``egm 0.01 - am`` or empty, and the sign of its difference."""
    absent = [""] * len(rows["aggregate"])
    known: set[tuple[str, str]] = set()
    pairs, signs = [], []
    for a, e, scheme, b, f, other in zip(*(rows.get(name, absent) for name in _METHODS), strict=True):
        pair = (f"{a} {e}".strip(), f"{b} {f}".strip())
        signs.append(-1.0 if pair[::-1] in known else 1.0)
        pair = pair[::-1] if pair[::-1] in known else pair
        known.add(pair)
        pairs.append(" \N{MINUS SIGN} ".join(pair) if scheme == other and pair[0] != pair[1] else "")
    return np.array(pairs), np.array(signs)


QUANTITIES = {
    "erho2": "E\N{GREEK SMALL LETTER RHO}\N{SUPERSCRIPT TWO}",
    "phi": "\N{GREEK CAPITAL LETTER PHI}",
    "tau": "expected \N{GREEK SMALL LETTER TAU}",
    "tau_ap": f"expected {COEFFICIENTS['tau_ap']}",
    "power": "expected power",
    "sensitivity": "relative sensitivity",
}


@styled
def reliability(rows: RowsLike, value: str = "erho2", **page: Unpack[Page]) -> Figure:
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

_SPREADS = {"median": "median sd of the pairs", "p95": "95th percentile of the sds", "residual": "residual sd"}


@styled
def plan(rows: RowsLike, value: str = "difference", **page: Unpack[Page]) -> Figure:
    """Draw the smallest difference that numbers of topics find, or the width of its interval (Sakai 2016).

    The columns are ``n`` (number of topics) and `value` - ``difference``, ``width``, or ``pairs``, the share of
    pairs that differ so much - and optionally ``spread``, ``test``, ``power`` and ``alpha``.
    """
    rows = tidy.checked_rows(rows, ("n", value))
    draw = tidy.curves(*tidy.drawable(rows, "n", value))
    settings = _settings(rows)
    # settings that differ stand above panels
    rows = {name: column for name, column in {**rows, **settings}.items() if name != "test"}
    panels = groups(rows, (*_CURVE, *(name for name in settings if not shared_field(rows, name))))
    series = [(_SPREADS.get(name, name), mask) for name, mask in groups(rows, ("spread",))]
    said = ", ".join(filter(None, (shared_field(rows, name) for name in settings)))
    share = {"sharey": value == "pairs"}
    return tidy.draw_panels(rows, panels, series, draw, "topics", PLANNED[value], sheet(**page), said, **share)


def _settings(rows: Rows) -> dict[str, list[str]]:
    """Return test, power and level in words, as columns; a field is empty if the rows do not have it."""
    absent = [""] * len(rows["n"])
    tests, systems, levels = (rows.get(name, absent) for name in ("test", "planned_systems", "alpha"))
    words = {"t": "paired t test", "anova": "analysis of variance of {} systems"}
    kinds = [words.get(test, "").format(m) for test, m in zip(tests, systems, strict=True)]
    # the power of whole numbers of topics varies, and is named by its lower bound
    powers, power = list(absent), numbers(rows, "power") if "power" in rows else np.full(len(absent), np.nan)
    for _, mask in groups(rows, ("collection",)):
        known = power[mask & ~np.isnan(power)]
        if known.size:
            least = math.floor(100 * known.min() + 1e-9) / 100
            text = f"power {known.min():g}" if known.min() == known.max() else f"power at least {least:g}"
            powers = [text if here else other for here, other in zip(mask, powers, strict=True)]
    alphas = [f"alpha {float(level):g}" if level else "" for level in levels]
    return {"planned test": kinds, "planned power": powers, "level": alphas}
