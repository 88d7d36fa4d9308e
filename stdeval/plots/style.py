"""Style of figures and their files: sizes in mm, fonts, colours, formats.

Everything is drawn and saved under `style`, without pyplot, so that the same input gives the same bytes.
"""

from __future__ import annotations

import functools
import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from types import ModuleType
from typing import IO, TYPE_CHECKING, Any, ParamSpec, cast

from stdeval.errors import InputError
from stdeval.table import Ints

if TYPE_CHECKING:
    from matplotlib.figure import Figure

P = ParamSpec("P")

Size = str | float | tuple[float, float]

MM_PER_INCH = 25.4
POINTS_PER_MM = 72 / MM_PER_INCH
MIN_MM, MAX_MM = 40.0, 2000.0

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#E69F00", "#56B4E9", "#CC79A7")
"""Okabe and Ito's colours, without their yellow, which is too light for lines on white."""

DASHES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v")
BETTER, WORSE, NEUTRAL = COLOURS[0], COLOURS[1], "#666666"
BAND = "#CCCCCC"

THIN = 0.5  # width in points of lines that are thinner than those of the data

OTHER_FONTS = ("Noto Sans CJK JP", "Noto Sans CJK SC", "WenQuanYi Zen Hei", "Droid Sans Fallback", "Noto Sans")
"""Fonts with characters that DejaVu Sans, which comes with matplotlib, lacks; those that are installed are used."""

METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
    "pdf": dict.fromkeys(("CreationDate", "Creator", "Producer")),
}
"""Metadata on time and program, left out of each format so that the same input gives the same bytes."""


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
            assert engine is not None  # see `stdeval.plots.layout.new_panels`
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
    kinds = {"color": COLOURS, "linestyle": DASHES, "marker": MARKERS}
    return {name: known[i % len(known)] for name, known in kinds.items()}


def marked_colours(marked: Sequence[int], order: Ints) -> dict[int, str]:
    """Return the colours of marked runs by their places; the first colour is that of the other runs."""
    return {order.tolist().index(run): look(i + 1)["color"] for i, run in enumerate(marked)}


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
        figure.savefig(target, format=chosen, dpi=dpi, metadata=METADATA[chosen])


def notebook_png(figure: Figure) -> bytes:
    """Return the picture of a figure that a notebook shows."""
    picture = io.BytesIO()
    save_figure(figure, picture, "png", dpi=100)
    return picture.getvalue()
