"""The places of the relevant documents of a topic in a ranking: its halves and its fifths.

Good rankings have most relevant documents near the top, and random ones have as many everywhere. If many stand at
the end, the documents are in reverse order, or the best ones were re-ranked and got lower scores than the others.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection
from typing import NamedTuple


class RelevantPlaces(NamedTuple):
    """The places of the relevant documents of a topic.

    Parameters
    ----------
    half_is : int
        1 or -1 if more or fewer of them are in the upper half than in the lower; 0 if there are as many.
    end_is : int
        1 or -1 if fewer or more of them are in the last fifth than in the one before it; 0 if there are as many.
    are_at_end : bool
        True if the last fifth has so many more of them than the first that this is hardly chance.
    """

    half_is: int = 0
    end_is: int = 0
    are_at_end: bool = False


def relevant_places(scores: Collection[float], relevant: Collection[float]) -> RelevantPlaces:
    """Return the places of the relevant documents of a topic.

    A relevant document does not count for a part if a document of the next part has the same score.

    Parameters
    ----------
    scores : collection of float
        The scores of all documents.
    relevant : collection of float
        The scores of those that are relevant.

    Examples
    --------
    >>> relevant_places(range(100), range(60))
    RelevantPlaces(half_is=-1, end_is=0, are_at_end=True)
    >>> relevant_places(range(100), [*range(10), *range(50, 90)])
    RelevantPlaces(half_is=1, end_is=-1, are_at_end=False)
    """
    n, n_relevant = len(scores), len(relevant)
    if not n_relevant or n < _FEWEST_RANKED:
        return RelevantPlaces()
    rising, found = sorted(scores), sorted(relevant)
    fifth = n // 5
    n_above = n_relevant - bisect_right(found, rising[n // 2 - 1])
    n_below = bisect_left(found, rising[n // 2])
    n_first = n_relevant - bisect_right(found, rising[n - fifth - 1])
    n_last = bisect_left(found, rising[fifth])
    n_before = bisect_left(found, rising[2 * fifth]) - n_last
    return RelevantPlaces(
        _sign(n_above - n_below),
        _sign(n_before - n_last),
        n_last - n_first > _SURELY * math.sqrt(n_last + n_first),
    )


_FEWEST_RANKED = 4
"""The halves of a shorter ranking say nothing."""

_SURELY = 2.5
"""A random ranking exceeds so many standard deviations on 6 topics of 1,000; no real run here does on any."""


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
