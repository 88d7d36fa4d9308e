"""Break texts of figures into lines."""

from __future__ import annotations

import re
from math import ceil
from unicodedata import east_asian_width

LONGEST_WORD = 12
"""Words of at most so many characters are never broken."""

_PARTS = re.compile(r"…?[^-_…]*[-_…]+,?|…?[^-_…]+")
"""A part of a name up to a hyphen or the like, with a comma, after which a line may end."""


def in_lines(text: str, limit: int) -> str:
    r"""Return a text in lines of at most `limit` characters, broken at spaces.

    A word that is longer than a line and than `LONGEST_WORD`, such as the name of a run, is broken after its
    hyphens; a part without hyphens that is still longer is broken anywhere.

    Examples
    --------
    >>> in_lines("by N-AP, over re-partitions", 13)
    'by N-AP, over\nre-partitions'
    >>> in_lines("from monot5-base-title", 12)
    'from\nmonot5-base-\ntitle'
    >>> in_lines("monot5-base-msmarco-10k", 14)
    'monot5-base-\nmsmarco-10k'
    >>> in_lines("measure", 6)
    'measure'
    """
    lines = [""]
    for word in text.split():
        between = " " if lines[-1] else ""
        for piece in _pieces(word, max(limit, LONGEST_WORD)):
            if lines[-1] and width(lines[-1] + between + piece) > limit:
                lines.append(piece)
            else:
                lines[-1] += between + piece
            between = ""
    return "\n".join(lines)


def _pieces(word: str, limit: int) -> list[str]:
    """Return a word in pieces of at most `limit` characters, which end at its hyphens wherever that is possible."""
    pieces = [""]
    for part in [word] if width(word) <= limit else _PARTS.findall(word):
        # in pieces of equal length, so that no hyphen stands alone
        step = ceil(len(part) / ceil(width(part) / limit))
        for some in (part[at : at + step] for at in range(0, len(part), step)):
            if width(pieces[-1] + some) > limit:
                pieces.append("")
            pieces[-1] += some
    return pieces


def longest_part(text: str) -> int:
    """Return the width of the longest part of a text between spaces and hyphens, within which no line should end.

    Examples
    --------
    >>> longest_part("…description-rm3, AP")
    13
    """
    return max((width(part) for word in text.split() for part in _PARTS.findall(word)), default=0)


def width(text: str) -> int:
    """Return the width of a text in characters; Chinese, Japanese and Korean ones have the width of two."""
    return sum(2 if east_asian_width(character) in "FW" else 1 for character in text)
