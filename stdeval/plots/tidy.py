"""Figures of tidy rows: panels of series as lines, marks with whiskers, or densities."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from stdeval.errors import InputError
from stdeval.measures.names import publication_name
from stdeval.noise import decimals, rounded
from stdeval.plots import layout
from stdeval.plots.layout import NEUTRAL, THIN, Sheet, look, shown
from stdeval.results import Frame, columns_of, is_frame
from stdeval.table import Bools, Floats

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Rows = Mapping[str, Sequence[Any]]  # columns by name, a value per row: strings as read from CSV, or numbers
RowsLike = Rows | Frame

COEFFICIENTS = {"tau": "τ-b", "tau_b": "τ-b", "tau_ap": "τ-AP", "tau_ap_b": "τ-AP,b"}
"""Coefficients of rank correlation as papers print them; others are printed as they are named."""

DEFAULTS = {"collection": "", "experiment": "", "how": "random", "form": "raw", "method": "", "scheme": "raw"}
DEFAULTS |= {"aggregate": "am", "epsilon": "", "test": "t"}
"""The columns of conditions that a picture names, and those that go without saying if all rows have them."""

Group = tuple[str, Bools]
Groups = Sequence[Group]  # labels, each with a mask of the rows that it names


def checked_rows(given: RowsLike, required: Sequence[str], distinct: Sequence[str] = ()) -> Rows:
    """Return rows, which may be given as a data frame, as columns by name.

    Two rows must differ in the `distinct` columns, if there is a column of the last name: they are of one curve.
    """
    rows: Any = columns_of(given) if is_frame(given) else given
    for name in required:
        if name not in rows:
            raise InputError(f"no column '{name}', expected: {', '.join(required)}")
    names = [name for name in distinct if name in rows and distinct[-1] in rows]
    seen: set[tuple[str, ...]] = set()
    for i, key in enumerate(zip(*(map(str, rows[name]) for name in names), strict=True)):
        if key in seen:
            what = f"a second row for {', '.join(filter(None, key))}"
            raise InputError(f"{what}, expected one, or NAME=FILE for the files of several experiments", line=i + 2)
        seen.add(key)
    return dict(rows)


def numbers(rows: Rows, name: str) -> Floats:
    """Return a column as float64, with NaN for fields that are empty or infinite, which cannot be drawn."""
    values = np.full(len(rows[name]), np.nan)
    for i, field in enumerate(rows[name]):
        try:
            values[i] = float(field) if field not in ("", None) else np.nan
        except ValueError:
            raise InputError(f"'{field}' in column '{name}', expected a number", line=i + 2) from None
    return np.where(np.isfinite(values), values, np.nan)


def drawable(rows: Rows, *names: str, among: Bools | bool = True, kind: str = "row") -> list[Floats]:
    """Return columns of `numbers`, NaN in rows of other kinds; refuse them if no row has a number in all."""
    columns = [np.where(among, numbers(rows, name), np.nan) for name in names]
    if np.isnan(np.sum(columns, axis=0)).all():
        raise InputError(f"no {kind} with a number in {', '.join(names)}, expected some to draw")
    return columns


def taken(rows: Rows, chosen: Bools) -> Rows:
    """Return some of the rows."""
    return {name: np.asarray(column, dtype=object)[chosen].tolist() for name, column in rows.items()}


def groups(rows: Rows, names: Sequence[str]) -> list[Group]:
    """Group the rows that agree in some columns, in the order in which the groups first appear."""
    present = [name for name in names if name in rows]
    fields = zip(*(map(str, rows[name]) for name in present), strict=True)
    keys = list(fields) or [()] * len(next(iter(rows.values())))
    codes = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    code = np.array([codes[key] for key in keys])
    varied = [len({key[i] for key in codes}) > 1 for i in range(len(present))]
    said = [i for i, name in enumerate(present) if varied[i] or name == "measure" or len(codes) == 1]
    labels = [joined(*(_printed(present[i], key[i]) for i in said)) for key in codes]
    return [(label, code == i) for i, label in enumerate(labels)]


def joined(*texts: str) -> str:
    """Return the parts of texts with commas between them; what is empty or repeated is left out."""
    return ", ".join(dict.fromkeys(filter(None, ", ".join(texts).split(", "))))


def shared_conditions(rows: Rows) -> str:
    """Return the conditions that all rows have, except the `DEFAULTS`."""
    shared = {name: shared_field(rows, name) for name in DEFAULTS}
    return joined(*(_printed(name, field) for name, field in shared.items() if field != DEFAULTS[name]))


def shared_field(rows: Rows, name: str) -> str:
    """Return the field that all rows have in a column; empty if they differ, or if there is no such column."""
    fields = {str(field) for field in rows.get(name, ())}
    return fields.pop() if len(fields) == 1 else ""


def _printed(name: str, field: str) -> str:
    """Return a field of a column as labels have it."""
    return shown(_PRINTED[name](field) if field and name in _PRINTED else field, 60)


_PRINTED: Mapping[str, Callable[[str], str]] = {
    "measure": publication_name,
    "coefficient": lambda name: COEFFICIENTS.get(name, name),
    "alpha": lambda level: f"alpha {float(level):g}",
    "experiment": lambda name: f"meta {name}",
    "confidence": lambda level: f"{100 * float(level):g}% intervals",
    "test": lambda name: {"student": "Student's t, unpaired", "welch": "Welch's t, unpaired"}.get(name, name),
    "spread": lambda name: {"median": "median sd", "p95": "95th percentile of sds"}.get(name, f"{name} sd"),
}


def melted(rows: Rows, names: Mapping[str, str], kind: str) -> tuple[Rows, Floats]:
    """Return the rows once for each column of `names`, whose label is their `kind`, and its numbers."""
    kept = [name for name in names if name in rows]
    long = {name: [*column] * len(kept) for name, column in rows.items() if name not in names}
    long[kind] = [names[name] for name in kept for _ in rows[name]]
    return long, np.concatenate([numbers(rows, name) for name in kept])


def arrange(rows: Rows, panels: Sequence[str], series: Sequence[str]) -> tuple[list[Group], list[Group]]:
    """Group rows into panels by some columns, and into series within the panels by others."""
    if "measure" in panels and len(groups(rows, series)) == 1:
        panels = [name for name in panels if name != "measure"]
        series = ["measure", *series]
    return groups(rows, panels), groups(rows, series)


Draw = Callable[["Axes", Bools, int, str], "Artist"]
"""Draws the chosen rows as the i-th series, with its label, and returns its entry in the legend."""


def draw_panels(
    rows: Rows, panels: Groups, series: Groups, draw: Draw, x: str, y: str, where: Sheet, said: str = "", **how: Any
) -> Figure:
    """Draw a grid of panels with the same series in each, one legend below and one label per axis.

    The conditions of all rows, after those in `said`, stand above the only panel, or else above the legend.
    """
    wide, high = layout.grid_shape(where, len(panels), 25)
    # without a legend, the only series is named beside the conditions
    said = joined(said, shared_conditions(rows), series[0][0] if len(series) == 1 else "")
    above, below = (said, "") if len(panels) == 1 else ("", said)
    titles = [textwrap.fill(joined(name, above), int(where.characters / (1.2 * wide))) for name, _ in panels]
    tall = high * (0.62 if wide == 1 else 0.8) * where.width / wide + 3 * where.line
    figure, grid = layout.new_panels(where, tall, len(panels), wide, **{"sharey": True, **how})
    handles: dict[int, Artist] = {}
    for axes, panel, title in zip(grid, panels, titles, strict=True):
        axes.set_title(title)
        for i, (label, mask) in enumerate(series):
            chosen = mask & panel[1]
            if chosen.any():
                handles[i] = draw(axes, chosen, i, label)
    for axes in grid[-wide:]:
        axes.set_xlabel(x)
    figure.supylabel(y)
    entries = [handles[i] for i in sorted(handles)] if len(series) > 1 else []
    layout.legend_below(figure, where, entries, textwrap.fill(below, int(where.characters)))
    return figure


def plain_log(axes: Axes, values: Floats, which: str = "x") -> bool:
    """Make an axis logarithmic if its values are positive and span over a power of ten; return True if it is."""
    low, high = layout.span(values)
    if low <= 0 or high <= 10 * low:
        return False
    axes.set(**{f"{which}scale": "log"})
    axis: Any = axes.xaxis if which == "x" else axes.yaxis
    # powers of ten alone would be one or two ticks
    axis.get_major_locator().set_params(subs=(1.0, 2.0, 5.0) if high < 100 * low else (1.0,))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter("")
    return True


def curves(x: Floats, y: Floats, low: Floats | None = None, high: Floats | None = None) -> Draw:
    """Return a function that draws y over x, level lines for series without x, and bands from low to high."""

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        plain_log(axes, x)
        if np.isnan(x[chosen]).all():
            return axes.axhline(y[chosen][0], label=label, **{**look(i), "marker": ""})
        order = np.flatnonzero(chosen)[np.argsort(x[chosen], kind="stable")]
        if low is not None and high is not None:
            axes.fill_between(x[order], low[order], high[order], color=look(i)["color"], alpha=0.15, linewidth=0)
        (line,) = axes.plot(x[order], y[order], label=label, **look(i))
        return line

    return draw


def draw_dots(rows: Rows, value: str, label: str, where: Sheet, mark: str = "", band: str = "") -> Figure:
    """Draw a row of marks per measure (and pair of collections), one mark per scheme, whiskers from low to high.

    The legend says what a `mark` is, and a `band`, which stands instead of whiskers.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    named = [name for name in ("measure", "pair") if len({*rows.get(name, ())}) > 1] or ["measure"]
    level = () if shared_field(rows, "alpha") else ("alpha",)
    kinds, series = groups(rows, named), groups(rows, ("collection", "scheme", "test", "confidence", *level))
    shared = groups(rows, [name for name in ("measure", "pair") if name not in named])[0][0]
    above = joined(shared, shared_conditions(rows))
    tall = max((len(kinds) * max(1.3, 0.5 * len(series)) + 7) * where.line, 0.3 * where.width)
    figure, (axes,) = layout.new_panels(where, tall)
    ends = ("low", "high") if "low" in rows and "high" in rows else (value, value)
    # percentiles are not errors of the value, which may lie outside them: a band rather than whiskers
    wide, alpha = (0.6, 0.35) if band else (0.1, 1.0)
    handles: list[Artist] = []
    for i, (name, mask) in enumerate(series):
        y = np.array([k for k, (_, kind) in enumerate(kinds) for _ in range(int((kind & mask).sum()))])
        chosen = np.concatenate([np.flatnonzero(kind & mask) for _, kind in kinds])
        # the marks of one measure stand side by side, so that none hides another
        y = y + 0.6 * ((i + 0.5) / len(series) - 0.5)
        x, low, high = (numbers(rows, column)[chosen] for column in (value, *ends))
        axes.hlines(y, low, high, color=look(i)["color"], linewidth=wide * where.font, alpha=alpha)
        handles += axes.plot(x, y, label=name, **{**look(i), "linestyle": ""})
    handles = handles if len(series) > 1 else []
    handles += [Line2D([], [], marker="o", linestyle="", color=NEUTRAL, label=mark)] if mark else []
    handles += [Patch(color=NEUTRAL, alpha=0.35, linewidth=0, label=band)] if band else []
    axes.set_title(textwrap.fill(above, int(where.characters / 1.5)))
    axes.set(ylim=(len(kinds) - 0.5, -0.5), xlabel=label)
    axes.grid(axis="y")
    layout.legend_below(figure, where, handles)
    layout.name_rows(axes.yaxis, [name for name, _ in kinds], where)
    return figure


def draw_densities(rows: Rows, column: str, panels: Groups, series: Groups, x: str, where: Sheet) -> Figure:
    """Draw the density of a column, with its mean as an upright line; equal values are only that line."""
    (values,) = drawable(rows, column)

    def draw(axes: Axes, chosen: Bools, i: int, label: str) -> Artist:
        kind = {**look(i), "marker": ""}
        low, high = layout.span(values[chosen])
        # equal values, such as correlations of the raw ranking with itself, have no density
        if rounded(high - low, decimals(1.0)) == 0:  # correlations, which are at most 1
            line = axes.axvline(low, label=label, **kind)
            if len(axes.get_lines()) == 1:  # a line of any height would leave densities below 0 on the axis
                axes.set_ylim(0, 1, auto=True)
            return line
        points, height = density(values[chosen])
        (line,) = axes.plot(points, height, label=label, **kind)
        mean = float(values[chosen].mean())
        axes.plot([mean, mean], [0, np.interp(mean, points, height)], **{**kind, "linewidth": THIN})
        axes.set_ylim(bottom=0, auto=True)
        return line

    known = [(label, mask & ~np.isnan(values)) for label, mask in series]
    return draw_panels(rows, panels, known, draw, x, "density and mean", where, sharey=False)


def density(values: Floats) -> tuple[Floats, Floats]:
    """Estimate a density with a Gaussian kernel (Scott's rule) of values that differ, without NaN."""
    margin = 0.15 * (values.max() - values.min())
    ends = np.array([values.min() - margin, values.max() + margin])
    # values in [-1, 1] are correlations, and no correlation lies outside
    if np.abs(values).max() <= 1:
        ends = ends.clip(-1, 1)
    points = np.linspace(ends[0], ends[1], 200)
    return points, scipy.stats.gaussian_kde(values)(points)
