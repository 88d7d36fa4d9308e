"""Style of figures and their files: sizes in mm, fonts, colours, formats.

matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it. Only its object
interface is used: no pyplot, no display, and no global setting is changed. Everything is drawn and saved under
`style`, whatever a matplotlibrc says, so that the same input gives the same bytes.
"""

from __future__ import annotations

import functools
import io
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from math import ceil
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ParamSpec, cast

import numpy as np

from stdeval.errors import InputError
from stdeval.plots.layout import crowded, fit
from stdeval.table import Ints

if TYPE_CHECKING:
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure



def setting(name: str) -> float:
    """Return a setting of matplotlib."""
    import matplotlib

    settings: Any = matplotlib.rcParams
    return float(settings[name])


def pixels(figure: Figure, points: float) -> float:
    """Return a length in points as a number of pixels of a figure."""
    return points * figure.dpi / 72


def text_width(text: str, size: float, dpi: float = 72.0) -> float:
    """Return the width of a text in pixels; at the default resolution a pixel is a point."""
    import matplotlib

    families: Any = matplotlib.rcParams["font.family"]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        return _width(text, size, dpi, tuple(families))


@lru_cache(maxsize=10_000)
def _width(text: str, size: float, dpi: float, families: tuple[str, ...]) -> float:
    """Return the width of a text in pixels; panels and passes ask for the same ones."""
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.font_manager import FontProperties

    renderer = cast(Any, RendererAgg)(1, 1, dpi)
    width, _, _ = renderer.get_text_width_height_descent(text, FontProperties(family=families, size=size), False)
    return float(width)

FONT = "DejaVu Sans"

PREFERRED = ("Noto Sans CJK", "Noto Sans", "Source Han Sans", "WenQuanYi", "Droid Sans Fallback", "FreeSans")
"""Beginnings of the names of fonts that look well beside DejaVu Sans; others come after them."""


def characters(figure: Figure) -> set[str]:
    """Return the characters of all texts of a figure."""
    from matplotlib.text import Text

    return {c for text in figure.findobj(Text) for c in text.get_text() if not c.isspace()}


def without_font(wanted: Iterable[str], families: Iterable[str] = (FONT,)) -> set[str]:
    """Return the characters that are in no font of the given families."""
    from matplotlib.font_manager import fontManager

    chosen = set(families)
    files = sorted(entry.fname for entry in fontManager.ttflist if entry.name in chosen)
    left = {c for c in wanted if ord(c) > 0x7E}
    for file in files if left else ():
        left = {c for c in left if ord(c) not in _code_points(file)}
    return left


def other_fonts(wanted: Iterable[str]) -> tuple[str, ...]:
    """Return the installed families of fonts that have the characters missing from DejaVu Sans."""
    from matplotlib.font_manager import fontManager

    left = without_font(wanted)
    chosen: list[str] = []
    # a font of last resort, such as the one in matplotlib, has a box for every character
    families = {entry.name for entry in fontManager.ttflist if not entry.name.startswith("Last Resort")}
    for family in sorted(families, key=_rank) if left else ():
        rest = without_font(left, [family])
        if len(rest) < len(left):
            chosen.append(family)
            left = rest
    return tuple(chosen)


def _rank(family: str) -> tuple[int, str]:
    """Sort preferred families first."""
    places = [i for i, start in enumerate(PREFERRED) if family.startswith(start)]
    return (min(places, default=len(PREFERRED)), family)


@cache
def _code_points(file: str) -> frozenset[int]:
    """Return the code points of the characters that a font file has; none if its characters cannot be scaled."""
    from matplotlib.ft2font import FT2Font

    try:
        font = FT2Font(str(Path(file)))
    except (OSError, RuntimeError):
        return frozenset()
    return frozenset(font.get_charmap()) if font.scalable else frozenset()

MINUS = "\N{MINUS SIGN}"


def with_minus(text: str) -> str:
    """Return the text of a number with a true minus instead of a hyphen, as matplotlib writes it at ticks."""
    return text.replace("-", MINUS)


def exponential(x: float, position: int | None = None) -> str:
    """Return the shortest text of a number with an exponent; matplotlib passes the position of the tick."""
    mantissa, _, exponent = f"{x:.9e}".partition("e")
    short = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}" if x else "0"
    return with_minus(short)


def plain(x: float, position: int | None = None) -> str:
    """Return the shortest text of a number, with an exponent only if it is very small or large."""
    text = f"{x:g}"
    return exponential(x) if "e" in text else with_minus(text)

TAU = "\N{GREEK SMALL LETTER TAU}"

_SUBSCRIPT = re.compile(f"{TAU}_(AP,b|AP|b)")
"""The coefficients with subscripts, as the labels of figures have them."""


def print_subscripts(figure: Figure) -> None:
    """Replace the underscores of coefficients by subscripts."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        written = text.get_text()
        if _SUBSCRIPT.search(written) and not without_font({*written}, [FONT]):
            text.set_parse_math(True)
            text.set_text(_SUBSCRIPT.sub(_formula, written.replace("$", r"\$")))


def _formula(coefficient: re.Match[str]) -> str:
    """Return a coefficient as matplotlib takes formulas; a comma in braces has no space behind it."""
    below = coefficient[1].replace(",", "{,}")
    return rf"$\mathregular{{{TAU}_{{{below}}}}}$"

P = ParamSpec("P")

Size = str | float | tuple[float, float]
"""The size of a figure, as `sheet` takes it."""

CHARACTER_WIDTH = 0.6
"""Average width of a character, as a multiple of the font size."""

MM_PER_INCH = 25.4
POINTS_PER_INCH = 72.0
SIZES: dict[str, tuple[float, float | None]] = {
    "column": (85.0, None),
    "page": (175.0, None),
    "slide": (254.0, 142.875),
}
"""Width and height in mm; a height of None is chosen to fit the content."""

MIN_MM, MAX_MM = 40.0, 2000.0
MAX_AUTOMATIC_HEIGHT = 230.0
"""Height of the text on a page, in mm."""

NOTEBOOK_DPI = 100.0
"""Pixels per inch of the pictures that notebooks show."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#E69F00", "#56B4E9", "#CC79A7")
"""Okabe and Ito's colours, without their yellow, which is too light for lines on white."""

DASHES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v")
BETTER, WORSE, NEUTRAL = COLOURS[0], COLOURS[1], "#666666"
BAND = "#CCCCCC"

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

    @property
    def font(self) -> float:
        """Font size in points, by the width alone: 7 in a column, 8 on a page, 14 on a slide."""
        return 7.0 if self.width <= 110 else 8.0 if self.width <= 200 else 14.0

    @property
    def line(self) -> float:
        """Height of a line of tick labels, in mm."""
        return 1.3 * self.font * MM_PER_INCH / POINTS_PER_INCH

    def fits(self, characters: float) -> int:
        """Return the number of texts of this many characters that fit beside each other, at least 1."""
        return max(1, int(self.width * POINTS_PER_INCH / MM_PER_INCH / (CHARACTER_WIDTH * self.font * characters)))


def sheet(size: Size) -> Sheet:
    """Return the sheet of a size."""
    if isinstance(size, str) and size in SIZES:
        return Sheet(*SIZES[size])
    sides = size.split("x") if isinstance(size, str) else size if isinstance(size, tuple) else (size,)
    try:
        lengths = [float(side) for side in sides]
    except ValueError:
        lengths = []
    if len(lengths) not in (1, 2) or not all(MIN_MM <= length <= MAX_MM for length in lengths):
        raise InputError(
            f"size '{size}', expected {', '.join(SIZES)}, WIDTH or WIDTHxHEIGHT in mm ({MIN_MM:g} to {MAX_MM:g})"
        )
    return Sheet(*lengths)


def _parameters(font: float, families: Sequence[str]) -> dict[str, Any]:
    """Return matplotlib's settings for a font size in points, and families beside DejaVu Sans."""
    small = 0.9 * font
    return {
        "font.family": [FONT, *families],
        "font.size": font,
        "axes.titlesize": font,
        "axes.labelsize": font,
        "figure.titlesize": 1.15 * font,
        "figure.labelsize": font,
        "xtick.labelsize": small,
        "ytick.labelsize": small,
        "legend.fontsize": small,
        "legend.frameon": False,
        "legend.handlelength": 2.6,
        "lines.linewidth": 0.14 * font,
        "lines.markersize": 0.45 * font,
        "axes.linewidth": 0.08 * font,
        "hatch.linewidth": 0.05 * font,
        **{f"{side}tick.major.width": 0.08 * font for side in ("x", "y")},
        **{f"{side}tick.major.size": 0.35 * font for side in ("x", "y")},
        **{f"{side}tick.minor.size": 0.2 * font for side in ("x", "y")},
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlelocation": "left",
        "axes.formatter.useoffset": False,
        "text.parse_math": False,  # the tag of a run may contain dollar signs
        "pdf.fonttype": 42,  # TrueType, as publishers ask for
        "svg.fonttype": "none",  # text that can be searched, and edited
        "svg.hashsalt": "stdeval",  # without it ids are random
    }


def require_matplotlib() -> None:
    """Refuse to draw if matplotlib is not installed."""
    try:
        import matplotlib.style  # noqa: F401
    except ImportError as error:
        raise InputError("pictures need matplotlib: pip install 'stdeval[plot]'") from error


@contextmanager
def style(font: float, families: Sequence[str] = ()) -> Iterator[None]:
    """Use matplotlib's defaults and then this project's settings inside the context."""
    require_matplotlib()
    import matplotlib.style

    with matplotlib.style.context(["default", _parameters(font, families)]):
        yield


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Make a function draw under `style`, with the font of its keyword argument ``size``."""

    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        def at(size: Size) -> tuple[Figure, str]:
            return _drawn(draw, args, {**kwargs, "size": size})

        asked = cast(Size, kwargs.get("size", "column"))
        figure, fault = at(asked)
        where = sheet(asked)
        tall = where.height or figure.get_figheight() * MM_PER_INCH
        for height in (1.2 * tall, 1.5 * tall, MAX_AUTOMATIC_HEIGHT) if fault and where.height is None else ():
            if fault and tall < height <= MAX_AUTOMATIC_HEIGHT:
                figure, fault = at((where.width, height))
        if fault:
            raise InputError(_too_small(where, tall, fault, lambda size: not at(size)[1]))
        return figure

    return drawn


def _drawn(draw: Callable[..., Figure], args: Any, kwargs: dict[str, Any]) -> tuple[Figure, str]:
    """Draw a figure, and return it with a description of its parts that do not fit."""
    font = sheet(kwargs["size"]).font
    with style(font):
        figure = draw(*args, **kwargs)
        families = other_fonts(characters(figure))
    with style(font, families):
        figure = draw(*args, **kwargs) if families else figure
        fit(figure)
        print_subscripts(figure)
        # Otherwise matplotlib would lay it out again, slightly differently, each time it is saved. With "none"
        # instead of None it would still draw it twice, the first time for a layout.
        figure.set_layout_engine(None)
        return figure, crowded(figure)


def _too_small(where: Sheet, tall: float, fault: str, fits: Callable[[tuple[float, float]], bool]) -> str:
    """Return the message of a picture that is too small, with a size at which it fits."""
    # each is drawn to see whether it fits, which takes seconds for many panels
    sizes = [(1.0, 1.3), (1.0, 1.7), (1.0, 2.4), (1.3, 1.3), (1.7, 1.7), (2.4, 2.4)]
    millimetres = [(float(ceil(x * where.width)), float(ceil(y * tall))) for x, y in sizes]
    least = next((size for size in millimetres if max(size) <= MAX_MM and fits(size)), None)
    given = f"{where.width:g}" if where.height is None else f"{where.width:g}x{where.height:g}"
    expected = "fewer series or panels" if least is None else f"more, such as {least[0]:g}x{least[1]:g}"
    return f"size {given} mm is too small for the picture: there is no room for {fault}, expected {expected}"


def look(i: int) -> dict[str, Any]:
    """Colour, dashes and marker of the i-th series, which differ in greyscale too."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": DASHES[i % len(DASHES)],
        "marker": MARKERS[i % len(MARKERS)],
    }


def thin_line() -> float:
    """Width in points of lines that are thinner than those of the data, under `style`."""
    import matplotlib

    settings: Any = matplotlib.rcParams
    return 0.07 * float(settings["font.size"])


def colours_on_white() -> Colormap:
    """Return viridis without its lightest part, for lines and points on white: darker is lower."""
    import matplotlib
    from matplotlib.colors import ListedColormap

    return ListedColormap(matplotlib.colormaps["viridis"](np.linspace(0.0, 0.85, 256)))


def save_figure(
    figure: Figure, target: str | Path | IO[bytes], format: str | None = None, dpi: float = 300.0
) -> None:
    """Write a figure as png, svg or pdf.

    Texts can be searched and copied. Their fonts are embedded in pdf (TrueType); a viewer of svg takes its own.
    The same figure gives the same bytes.

    Parameters
    ----------
    figure : Figure
        From a function of this package.
    target : str, Path or binary file
        The file to write.
    format : {"png", "svg", "pdf"}, optional
        The default is the ending of the path.
    dpi : float
        Pixels per inch of png, and of those parts of svg and pdf that are images.

    Raises
    ------
    InputError
        If the format is not one of these three, or dpi is not between 10 and 2400.

    Examples
    --------
    >>> import io, numpy as np
    >>> from stdeval.plots import weights
    >>> picture = io.BytesIO()
    >>> save_figure(weights(["dcg"], np.array([[1.0, 0.63, 0.5]])), picture, "png")
    >>> picture.getvalue()[1:4]
    b'PNG'
    """
    ending = Path(target).suffix[1:].lower() if isinstance(target, str | Path) else ""
    chosen = format or ending
    if chosen not in METADATA:
        raise InputError(f"picture format '{chosen}', expected one of: {', '.join(METADATA)}")
    if not 10 <= dpi <= 2400:
        raise InputError(f"dpi {dpi:g}, expected 10 to 2400")
    with style(Sheet(figure.get_figwidth() * MM_PER_INCH).font), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        if chosen == "svg":
            _save_svg(figure, target, dpi)
        else:
            figure.savefig(target, format=chosen, dpi=dpi, metadata=METADATA[chosen])


def _save_svg(figure: Figure, target: str | Path | IO[bytes], dpi: float) -> None:
    """Write a figure as svg, with fonts of the same width and kind where DejaVu Sans is not installed."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="svg", dpi=dpi, metadata=METADATA["svg"])
    svg = re.sub(rb"(style=\"[^\"]*)'DejaVu Sans'", rb"\1'DejaVu Sans', Verdana, sans-serif", drawn.getvalue())
    if isinstance(target, str | Path):
        Path(target).write_bytes(svg)
    else:
        target.write(svg)


def notebook_png(figure: Figure) -> bytes:
    """Return the picture of a figure that a notebook shows."""
    picture = io.BytesIO()
    save_figure(figure, picture, "png", NOTEBOOK_DPI)
    return picture.getvalue()


def marked_look(i: int) -> dict[str, Any]:
    """Colour, dashes and marker of the i-th marked run; the first colour is that of the other runs."""
    return look(i + 1)


def marked_colours(marked: Sequence[int], order: Ints) -> dict[int, str]:
    """Return the colours of marked runs by their places."""
    places = {run: place for place, run in enumerate(order.tolist())}
    return {places[run]: marked_look(i)["color"] for i, run in enumerate(marked)}
