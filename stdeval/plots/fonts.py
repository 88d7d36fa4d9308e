"""Fonts for the characters that DejaVu Sans, the font of all pictures, does not have: those of other scripts.

matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
