"""The error and the warning about input, and how they show names: on one line, without control characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf
from warnings import warn as give_warning


class InputError(Exception):
    """Input that cannot be used: one line that says what is wrong and what was expected, after ``path:line:``.

    Lines are counted from 1, blank lines and comments included.
    """

    def __init__(self, message: str, path: str | None = None, line: int | None = None) -> None:
        super().__init__(message, path, line)
        self.message, self.path, self.line = message, path, line

    def __str__(self) -> str:
        where = f"{self.path}:" if self.path is not None else ""
        where += f"{self.line}:" if self.line is not None else ""
        return f"{where} {self.message}" if where else self.message

    def at(self, path: str, line: int | None = None) -> InputError:
        """Return the error with a place, or unchanged if it already names a file; None keeps its line."""
        if self.path is not None:
            return self
        return InputError(self.message, path, self.line if line is None else line)


class InputWarning(UserWarning):
    """Input that is used, but perhaps not as the user expects. The message is one line, with a count."""


def warn(*notices: str | None, stacklevel: int = 3) -> None:
    """Give the warnings of `stdeval.notices` that there is a reason for, in their order."""
    for notice in notices:
        if notice is not None:
            # by default, the caller of the function that warns
            give_warning(notice, InputWarning, stacklevel=stacklevel)


# --- names in messages ---

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
