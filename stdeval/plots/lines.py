"""Break texts of figures into lines."""

from __future__ import annotations

import textwrap

_LONGEST_WORD = 12
"""Number of characters of a word that is never broken, as it would be in labels of two or three rows."""


def in_lines(text: str, limit: int) -> str:
    r"""Return a text in lines of at most `limit` characters, broken at spaces.

    A word that is longer than a line and than `_LONGEST_WORD`, such as the name of a run, is broken after one of
    its hyphens, or if it has none in this place, anywhere.

    Examples
    --------
    >>> in_lines("by N-AP, over re-partitions", 13)
    'by N-AP, over\nre-partitions'
    >>> in_lines("from monot5-base-title", 12)
    'from\nmonot5-base-\ntitle'
    >>> in_lines("measure", 6)
    'measure'
    """
    pieces = [piece for word in text.split() for piece in textwrap.wrap(word, max(limit, _LONGEST_WORD))]
    return textwrap.fill(" ".join(pieces), limit, break_on_hyphens=False, break_long_words=False)
