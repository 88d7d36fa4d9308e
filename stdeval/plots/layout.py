"""What figures share: sheets in mm and their style, grids of panels, legends, names at ticks, and files.

Everything is drawn and saved under `style`, without pyplot, so that the same input gives the same bytes. Here are
numbers of panels and lines; matplotlib's layout does the rest.
"""

from __future__ import annotations

import functools
import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from math import ceil
from pathlib import Path, PurePath
from types import MappingProxyType, ModuleType
from typing import IO, TYPE_CHECKING, Any, ParamSpec, cast

import numpy as np

from stdeval.errors import InputError
from stdeval.table import Floats, Ints

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

P = ParamSpec("P")

Size = str | float | tuple[float, float]

MM_PER_INCH = 25.4
POINTS_PER_MM = 72 / MM_PER_INCH
MIN_MM, MAX_MM = 40.0, 2000.0

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#E69F00", "#56B4E9", "#CC79A7")
"""Okabe and Ito's colours, without their yellow, which is too light for lines on white."""

BETTER, WORSE, NEUTRAL = COLOURS[0], COLOURS[1], "#666666"
THIN = 0.5  # width in points of lines that are thinner than those of the data

OTHER_FONTS = ("Noto Sans CJK JP", "Noto Sans CJK SC", "WenQuanYi Zen Hei", "Droid Sans Fallback", "Noto Sans")
"""Fonts with characters that DejaVu Sans, which comes with matplotlib, lacks; those that are installed are used."""

METADATA = {"png": ["Software"], "svg": ["Date", "Creator", "Format", "Type"]}
METADATA["pdf"] = ["CreationDate", "Creator", "Producer"]
"""Metadata on time and program, left out of each format so that the same input gives the same bytes."""

LONGEST_NAME, LONGEST_ENTRY = 24, 40
"""Characters of names of topics and in labels, and of the entries of legends: longer ones are shortened."""


@dataclass(frozen=True)
class Sheet:
    """The area of a figure: width and height in mm; a height of None is chosen to fit the content."""

    width: float
    height: float | None = None
    title: str = ""

    @property
    def font(self) -> float:
        """Font size in points, by the width alone: 7 in a column, 8 on a page, 14 on a slide."""
        return 7.0 if self.width <= 110 else 8.0 if self.width <= 200 else 14.0

    @property
    def line(self) -> float:
        """Height of a line of tick labels, in mm."""
        return 1.3 * self.font / POINTS_PER_MM

    @property
    def characters(self) -> float:
        """Number of characters, 0.6 times as wide as high, in a line of text."""
        return self.width * POINTS_PER_MM / (0.6 * self.font)


SIZES = {"column": Sheet(85.0), "page": Sheet(175.0), "slide": Sheet(254.0, 142.875)}


def sheet(size: Size = "column", title: str | None = None) -> Sheet:
    """Return the sheet of a figure."""
    if isinstance(size, str) and size in SIZES:
        return replace(SIZES[size], title=title or "")
    sides = size.split("x") if isinstance(size, str) else size if isinstance(size, tuple) else (size,)
    try:
        lengths = [float(side) for side in sides]
    except ValueError:
        lengths = []
    if len(lengths) not in (1, 2) or not all(MIN_MM <= length <= MAX_MM for length in lengths):
        expected = f"{', '.join(SIZES)}, WIDTH or WIDTHxHEIGHT in mm ({MIN_MM:g} to {MAX_MM:g})"
        raise InputError(f"size '{size}', expected {expected}")
    return Sheet(lengths[0], lengths[1] if len(lengths) == 2 else None, title or "")


def require_matplotlib() -> ModuleType:
    """Return matplotlib; refuse to draw if it is not installed."""
    try:
        import matplotlib.font_manager
        import matplotlib.style
    except ImportError as error:
        raise InputError("pictures need matplotlib: pip install 'stdeval[plot]'") from error
    return matplotlib


@contextmanager
def style(font: float) -> Iterator[None]:
    """Use matplotlib's defaults and then this project's settings inside the context."""
    matplotlib = require_matplotlib()
    installed = matplotlib.font_manager.get_font_names()
    settings = {
        "font.family": ["sans-serif", *(name for name in OTHER_FONTS if name in installed)],
        "font.sans-serif": ["DejaVu Sans", "Verdana"],  # Verdana is as wide, for viewers of svg
        **dict.fromkeys(("font.size", "axes.titlesize", "figure.labelsize"), font),
        **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize"), 0.9 * font),
        **dict.fromkeys(("axes.spines.top", "axes.spines.right", "legend.frameon"), False),
        "axes.formatter.useoffset": False,
        "figure.titlesize": 1.15 * font,
        "legend.handlelength": 2.4,
        "legend.columnspacing": 1.0,
        "lines.linewidth": 0.14 * font,
        "lines.markersize": 0.45 * font,
        "axes.linewidth": 0.08 * font,
        "hatch.linewidth": 0.05 * font,
        "grid.color": "#DDDDDD",
        "grid.linewidth": 0.06 * font,
        "axes.titlelocation": "left",
        "text.parse_math": False,  # the tag of a run may contain dollar signs
        "pdf.fonttype": 42,  # TrueType, as publishers ask for
        "svg.fonttype": "none",  # text that can be searched, and edited
        "svg.hashsalt": "stdeval",  # without it ids are random
    }
    with matplotlib.style.context(["default", settings]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing|All-NaN")
        yield


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Make a function, which has the parameters of `sheet` too, draw under `style`, and lay the figure out."""

    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        where = sheet(cast(Size, kwargs.get("size", "column")))
        with style(where.font):
            figure = draw(*args, **kwargs)
            engine = figure.get_layout_engine()
            assert engine is not None  # see `new_panels`
            warnings.filterwarnings("ignore", "constrained_layout not applied|.*collapsed to zero")
            engine.execute(figure)
            # a figure that is saved twice would be laid out twice, and slightly differently
            figure.set_layout_engine(None)
        panels = [axes.get_window_extent() for axes in figure.axes if axes.get_label() != "<colorbar>"]
        if any(min(box.width, box.height) < 3 * where.font * figure.dpi / 72 for box in panels):
            sides = [f"{MM_PER_INCH * side:.0f}" for side in figure.get_size_inches()]
            raise InputError(f"size {'x'.join(sides)} mm is too small for the picture, expected more")
        return figure

    return drawn


def with_minus(text: str) -> str:
    """Return the text of a number with a true minus instead of a hyphen, as matplotlib writes it at ticks."""
    return text.replace("-", "\N{MINUS SIGN}")


def look(i: int) -> dict[str, Any]:
    """Colour, dashes and marker of the i-th series, which differ in greyscale too."""
    kinds = {"color": COLOURS, "linestyle": ("-", "--", "-.", ":"), "marker": ("o", "s", "^", "D", "v")}
    return {name: known[i % len(known)] for name, known in kinds.items()}


def marked_colours(marked: Sequence[int], order: Ints) -> dict[int, str]:
    """Return the colours of marked runs by their places; the first colour is that of the other runs."""
    return {order.tolist().index(run): look(i + 1)["color"] for i, run in enumerate(marked)}


def printable(name: str) -> str:
    """Return a name with each unprintable character replaced by U+FFFD."""
    return "".join(c if c.isprintable() else "\ufffd" for c in name)


def shown(label: str, limit: int = LONGEST_NAME) -> str:
    """Return a printable label of at most `limit` characters: the middle of a longer one becomes an ellipsis."""
    label, tail = printable(label), (limit - 1) // 2
    return label if len(label) <= limit else f"{label[: limit - 1 - tail]}…{label[len(label) - tail :]}"


def short_names(names: Sequence[str], limit: int = LONGEST_NAME) -> list[str]:
    """Return names as `shown` does, with numbers where different names would be the same."""
    chosen: dict[str, str] = {}
    used: set[str] = set()
    # names that stay as they are come first, and numbers go to the others
    for name in sorted(dict.fromkeys(names), key=lambda name: shown(name, limit) != name):
        label, numbers = shown(name, limit), count(2)
        while label in used:
            number = f" ({next(numbers)})"
            label = shown(name, limit)[: limit - len(number)] + number
        chosen[name] = label
        used.add(label)
    return [chosen[name] for name in names]


def new_panels(
    where: Sheet, height: float, n: int = 1, columns: int = 1, **share: Any
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its n panels, row by row; those with none below keep their tick labels.

    If the sheet has no height, it is this one in mm, and that of the title; a legend will add its own.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    title = shown(where.title, 300)
    above = 1.5 * ceil(1.2 * len(title) / where.characters) * where.line
    tall = where.height or min(MAX_MM, height + above)
    figure = Figure(figsize=(where.width / MM_PER_INCH, tall / MM_PER_INCH), layout="constrained")
    FigureCanvasAgg(figure)
    # Notebooks show a figure of matplotlib only if pyplot was imported; they call this for any other object.
    vars(figure)["_repr_png_"] = functools.partial(notebook_png, figure)
    if title:
        figure.suptitle(title, wrap=True)
    grid = figure.subplots(ceil(n / columns), columns, squeeze=False, **share).ravel()
    for axes in grid[n:]:
        axes.remove()
    for axes in grid[max(0, n - columns) : n]:
        axes.tick_params(labelbottom=True)
    return figure, list(grid[:n])


def row_panels(where: Sheet, n_rows: int, n: int = 1, **panels: Any) -> tuple[Figure, list[Axes], float]:
    """Return a figure of n panels that grows with its rows, which have names, the panels, and the size of dots."""
    figure, grid = new_panels(where, max(0.4 * where.width, (n_rows + 3) * 1.2 * where.line), n, n, **panels)
    row = (figure.get_figheight() * MM_PER_INCH - 3 * where.line) / n_rows
    return figure, grid, float(np.clip(0.8 * row * POINTS_PER_MM, 0.1 * where.font, 0.5 * where.font))


def grid_shape(where: Sheet, n: int, characters: float) -> tuple[int, int]:
    """Return the numbers of columns and rows of n panels that are wide enough for lines of so many characters."""
    most = max(1, int(where.characters / characters))
    columns = 1 if (n, most) == (3, 2) else ceil(n / ceil(n / most))
    return columns, ceil(n / columns)


def legend_below(
    figure: Figure, where: Sheet, handles: Sequence[Artist], title: str = "", markerscale: float = 1.0
) -> None:
    """Add a legend, if there is anything to say, below the axes, where it covers no data; the figure grows."""
    labels = short_names([str(handle.get_label()) for handle in handles], LONGEST_ENTRY)
    if not labels and not title:
        return
    # in sizes of the font: the characters, the line beside them, and the space around both
    most = where.width * POINTS_PER_MM / (0.9 * where.font * (0.53 * max(map(len, labels), default=1) + 4.2))
    rows = ceil(len(labels) / max(1, int(most)))
    if where.height is None:
        figure.set_figheight(figure.get_figheight() + (rows + 1 + bool(title)) * where.line / MM_PER_INCH)
    how: dict[str, Any] = {"ncols": ceil(len(labels) / max(1, rows)), "markerscale": markerscale}
    figure.legend(list(handles), labels, loc="outside lower center", title=title or None, **how)


def name_rows(
    axis: Axis, names: Sequence[str], where: Sheet, marked: Mapping[int, str] = MappingProxyType({}), high: int = 1
) -> None:
    """Name rows in up to 45% of the width, the marked ones in colours; `high` panels stand above each other."""
    figure: Any = axis.get_figure()
    tall = figure.get_figheight() * MM_PER_INCH / high - 3 * where.line
    _name_places(axis, short_names(names, int(where.characters / 2)), where, tall, marked)


def name_columns(axis: Axis, names: Sequence[str], where: Sheet, share: float = 0.85) -> None:
    """Name columns, topics mostly, upright; the axis has this share of the width."""
    _name_places(axis, short_names(names), where, share * where.width, {}, rotation=90)


def _name_places(
    axis: Axis, labels: Sequence[str], where: Sheet, length: float, marked: Mapping[int, str], **how: Any
) -> None:
    """Name the places 0, 1, ... of an axis of some mm: all, or every k-th, the last and the marked ones."""
    step = max(1, ceil(0.85 * len(labels) * where.line / length))
    always = {len(labels) - 1, *marked}
    chosen = sorted({*(i for i in range(0, len(labels), step) if all(abs(i - k) >= step for k in always)), *always})
    axis.set_ticks(chosen, [labels[i] for i in chosen], **how)
    for i, text in zip(chosen, axis.get_ticklabels(), strict=True):
        if i in marked:
            text.set(color=marked[i], fontweight="bold")


def name_points(axes: Axes, x: Floats, y: Floats, apart: Floats, names: Sequence[str], where: Sheet) -> None:
    """Name three points that are furthest above the line that others lie near, and three below: by `apart`."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    order = np.argsort(np.nan_to_num(apart), kind="stable").tolist()
    named: list[int] = []
    for i in (place for pair in zip(order[:3], order[::-1], strict=False) for place in pair):
        near = [j for j in named if abs(y[i] - y[j]) < 0.05 * (top - bottom)]
        if abs(apart[i]) > 0 and not any(abs(x[i] - x[j]) < 0.3 * (right - left) for j in near):
            named.append(i)
            # away from the line, and not over the ticks
            side = -1 if apart[i] > 0 and x[i] > 0.6 * left + 0.4 * right else 1
            text: dict[str, Any] = {"fontsize": 0.8 * where.font, "textcoords": "offset points"}
            is_above = apart[i] > 0 or y[i] < 0.95 * bottom + 0.05 * top
            text |= {"ha": "left" if side > 0 else "right", "va": "bottom" if is_above else "top"}
            axes.annotate(shown(names[i]), (x[i], y[i]), xytext=(0.3 * side * where.font, 0), **text)


def padded(scores: Any) -> tuple[float, float]:
    """Limits of an axis of scores: about 0 to 1 if all scores lie there, otherwise a little beyond the scores."""
    low, high = span(scores)
    if low >= 0 and high <= 1:
        return (-0.02, 1.02)
    margin = 0.03 * (high - low) or 0.5
    return (low - margin, high + margin)


def span(values: Any) -> tuple[float, float]:
    """Least and greatest of some values, ignoring NaN; 0 and 1 if there are none."""
    present = np.asarray(values)[~np.isnan(values)]
    return (float(present.min()), float(present.max())) if present.size else (0.0, 1.0)


def picture_format(path: str, format: str | None = None) -> str:
    """Return the format of a picture, by default the ending of its path."""
    chosen = format or PurePath(path).suffix[1:].lower()
    if chosen not in METADATA:
        raise InputError(f"picture format '{chosen}', expected one of: {', '.join(METADATA)}", path or None)
    return chosen


def save_figure(
    figure: Figure, target: str | Path | IO[bytes], format: str | None = None, dpi: float = 300.0
) -> None:
    """Write a figure as png, svg or pdf; the same figure gives the same bytes, and texts can be searched.

    The format is by default the ending of the path. In svg and pdf, ``dpi`` is that of parts that are images.
    """
    chosen = picture_format(str(target) if isinstance(target, str | Path) else "", format)
    with style(Sheet(figure.get_figwidth() * MM_PER_INCH).font):
        figure.savefig(target, format=chosen, dpi=dpi, metadata=dict.fromkeys(METADATA[chosen]))


def notebook_png(figure: Figure) -> bytes:
    """Return the picture of a figure that a notebook shows."""
    picture = io.BytesIO()
    save_figure(figure, picture, "png", dpi=100)
    return picture.getvalue()
