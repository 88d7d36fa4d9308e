"""Show names and numbers in messages, tables and figures: names on one line, without control characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil, inf, log10

# C0, DEL and C1 (as characters, and as the single bytes that surrogates stand for), the separators of lines and
# paragraphs, and characters without width or that change the direction of text, which can make one name look like
# another
_UNSAFE = (
    "\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f\udc80-\udc9f"
)
# texts, which are compiled when they are first used
_CONTROLS = f"[{_UNSAFE}]"
_BYTES = "[\udc80-\udcff]"
_CONTROLS_IN_LINES = rf"(?![\t\n])[{_UNSAFE}]"


def displayed(text: str) -> str:
    """Return text on one line, with control characters escaped as in a Python string."""
    return re.sub(_CONTROLS, _escaped, text)


def displayed_lines(text: str) -> str:
    """Return text as `displayed` does, but keep newlines and tabs."""
    return re.sub(_CONTROLS_IN_LINES, _escaped, text)


def with_escaped_bytes(text: str) -> str:
    """Return text with the bytes that are not UTF-8, which are surrogates in it, escaped as in a Python literal."""
    return re.sub(_BYTES, _escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    # a surrogate stands for the byte in its last two digits
    return f"\\x{ord(character) - 0xDC00:02x}" if "\udc80" <= character <= "\udcff" else ascii(character)[1:-1]


def excerpt(text: str, most: int = 40) -> str:
    """Return the beginning of a text as messages show it, on one line, with ``...`` if there is more."""
    return with_escaped_bytes(displayed(text[:most])) + ("..." if len(text) > most else "")


def shown_name(name: str, most: int = 60) -> str:
    """Return a name as messages show it, without the middle of a long one: names often differ at the end."""
    if len(name) <= most:
        return name
    n_last = (most - len("...")) // 2
    return f"{name[: most - len('...') - n_last]}...{name[-n_last:]}"


def listed(names: Sequence[str], most: int = 8) -> str:
    """Return names separated by commas; if there are more than `most`, only the first ones and ``...``."""
    return ", ".join([*map(displayed, names[:most]), *(["..."] if len(names) > most else [])])


def counted(n: int, noun: str, most: float = inf) -> str:
    """Return a number with its noun, in the plural unless it is 1; one above `most` only as more than that."""
    return f"{n} {noun}" if n == 1 else f"{n if n <= most else f'more than {most}'} {noun}s"


def unscored(measures: Sequence[str]) -> str:
    """Return the message of the error about measures without a score per topic; there may be none."""
    verb = "has" if len(measures) == 1 else "have"
    found = f"{listed(measures)} {verb} no score per topic, only a count or a summary"
    found = found if measures else "no measure has a score per topic"
    return f"{found}; expected a measure that has, such as map"


def shown_pvalue(pvalue: float, alpha: float) -> str:
    """Return a p-value with three significant digits, or with more until they show whether it is at most alpha."""
    texts = (f"{pvalue:.{digits}g}" for digits in range(3, 13))
    # Twelve digits decide, see `stdeval.noise.is_significant`.
    is_at_most = float(f"{pvalue:.12g}") <= alpha
    return next((text for text in texts if (float(text) <= alpha) == is_at_most), f"{pvalue:.12g}")


def shown_decimals(number: float, least: int = 3) -> int:
    """Return how many decimals show that a number is not 0, `least` of them or more."""
    size = abs(number)
    return ceil(-log10(size)) if 0 < size < 0.5 * 10**-least else least
