"""Sizes of texts: in points as matplotlib has them, and in pixels.

matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
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
