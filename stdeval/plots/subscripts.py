"""Print the subscripts of coefficients, such as that of τ_b.

matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stdeval.plots.fonts import FONT, without_font

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TAU = "\N{GREEK SMALL LETTER TAU}"

_SUBSCRIPT = re.compile(f"{TAU}_(AP,b|AP|b)")
"""The coefficients with subscripts, as the labels of figures have them."""


def print_subscripts(figure: Figure) -> None:
    """Replace the underscores of coefficients by subscripts.

    Only labels with coefficients become formulas: other texts, such as the tags of runs, may contain dollar signs.
    Formulas have only one font, so that labels with characters of other fonts keep their underscores.
    """
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
