"""What stored scores know of retrieved documents, until nothing reads it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

N_FIRST = 10


class Retrieved(NamedTuple):
    """Means over topics."""

    depth: float = math.nan
    judged: float = math.nan
    relevant: float = math.nan
    of_pool: bool | None = None
    judged_at: tuple[float, ...] = ()
    depths: tuple[tuple[int, int], ...] = ()

    def depth_within(self, rank: float) -> float:
        """Return the mean number of documents that topics have down to a rank."""
        if not self.depths:
            return min(self.depth, rank)
        n_topics = sum(n for _, n in self.depths)
        return sum(min(depth, rank) * n for depth, n in self.depths) / n_topics


def depths_of_topics(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return each number of documents that some topic has, and how many topics have it."""
    return tuple(sorted(Counter(numbers).items()))


def mean_retrieved(_: Iterable[object]) -> Retrieved:
    """Return unknown means."""
    return Retrieved()
