"""Systems ranked by their means: which of them can be compared, on which topics, in which order; and the best.

A topic is usual if more than half of the systems have it, and a system is complete if it has every usual topic.
Only complete systems are ranked, or all systems on the topics that they share if fewer than two are complete.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from stdeval.stats import aggregates
from stdeval.table import Bools, Floats

# As in `stdeval.noise`, which needs numpy.
_DIGITS, _MOST_DECIMALS = 12, 300


@dataclass(frozen=True, eq=False)
class Coverage:
    """The systems that can be ranked by their means, and the topics to rank them on; see `coverage`.

    No system is ranked if no topic is common to them. ``common``, shape (n_topics, ...), are the topics for which
    every ranked system has a score, except systems without any score by the measure. ``is_reduced`` is True if
    some, but not all, ranked systems have a score for another topic, which the ranking leaves out.
    """

    complete: Bools
    ranked: Bools
    common: Bools
    is_reduced: bool

    @property
    def n_common(self) -> int:
        """The number of common topics; the smallest of those by the measures for which there are any."""
        numbers = self.common.sum(axis=0)
        return int(numbers[numbers > 0].min()) if numbers.any() else 0

    def set_aside(self, systems: Sequence[str]) -> list[str]:
        """Return the names of the systems that are not ranked although others are."""
        return list(compress(systems, ~self.ranked)) if self.ranked.any() else []

    def comparable(self, scores: Floats) -> Floats:
        """Return the scores; those of ranked systems for topics that are not common become NaN."""
        kept = scores.copy()
        kept[self.ranked.reshape(-1, *[1] * self.common.ndim) & ~self.common] = math.nan
        return kept


def coverage(scores: Floats, among: Bools | None = None, *, unpaired: bool = False) -> Coverage:
    """Return the systems that can be ranked by their means, and the topics to rank them on.

    The scores have the shape (n_systems, n_topics, ...); a topic by each measure counts as a topic of its own. A
    system without any score by a measure, as one of another collection, does not count by this measure. Systems
    that are not ``among`` those that may be ranked count as systems without any score. Systems that keep their own
    topics, because they are ``unpaired``, are not ranked if that needs common topics.
    """
    has = ~np.isnan(scores)
    if among is not None:
        has &= among.reshape(-1, *[1] * (has.ndim - 1))
    absent = ~has.any(axis=1, keepdims=True)
    usual = 2 * has.sum(axis=0) > (~absent).sum(axis=0)
    others = tuple(range(1, has.ndim))
    has_scores: Bools = has.any(axis=others)
    complete: Bools = has_scores & (has | ~usual | absent).all(axis=others)
    ranked = complete if complete.sum() > 1 else has_scores
    common: Bools = (has | absent)[ranked].all(axis=0) & has[ranked].any(axis=0)
    is_reduced = bool((has[ranked] & ~common).any())
    if not common.any() or (unpaired and is_reduced):
        return Coverage(complete, ranked & False, common, False)
    return Coverage(complete, ranked, common, is_reduced)


def number_of_best(best: str, n: int) -> int:
    """Return how many of n systems are the best: ``"10"``, or ``"75%"``, not below the 25% quantile (type 7)."""
    if not best.endswith("%"):
        return min(int(best), n)
    # The quantile lies between two means, or is one: the systems above it, and this one, are counted.
    whole, _, fraction = best[:-1].partition(".")
    return (n - 1) * int(whole + fraction) // (100 * 10 ** len(fraction)) + 1 if n else 0


def best_systems(scores: Floats, facts: Coverage, best: str, *, better_higher: bool = True) -> Bools:
    """Return True for the best ranked systems by their mean scores; for ``best`` see `number_of_best`.

    Systems with the same mean as the last of the best are among them, too.
    """
    means = aggregates.overall_scores(facts.comparable(scores), aggregates.arithmetic_mean)
    if not better_higher:
        means = -means
    n = number_of_best(best, int(facts.ranked.sum()))
    return facts.ranked & (means >= sorted(means[facts.ranked], reverse=True)[n - 1]) if n else facts.ranked & False


def complete_systems(topics: Sequence[Collection[Hashable]]) -> list[bool]:
    """Return True for each system that has every usual topic; systems without any topic are not counted."""
    n_scored = sum(len(own) > 0 for own in topics)
    counts = Counter(topic for own in topics for topic in own)
    usual = {topic for topic, n in counts.items() if 2 * n > n_scored}
    return [len(own) > 0 and usual.issubset(own) for own in topics]


def ranked_systems(topics: Sequence[Collection[Hashable]]) -> list[bool]:
    """Return True for each system that is ranked: the complete ones, or all with a score if fewer than two are."""
    complete = complete_systems(topics)
    return complete if sum(complete) > 1 else [len(own) > 0 for own in topics]


def best_means(
    means: Sequence[float], comparable: Sequence[bool], largest: float, *, better_higher: bool = True
) -> list[int]:
    """Return the indices of the best comparable means, all of them if some are equal; see `order_by_means`."""
    keys = _sort_keys(means, comparable, largest, better_higher)
    best = min(keys, default=(True,))
    return [] if any(best[:2]) else [i for i, key in enumerate(keys) if key == best]


def order_by_means(
    means: Sequence[float], comparable: Sequence[bool], largest: float, *, better_higher: bool = True
) -> list[int]:
    """Return the indices of the means from the best to the worst; equal ones keep their order.

    Means that are not ``comparable`` follow the others, and missing ones (NaN) are last. ``largest`` is the largest
    absolute value of the scores that are averaged. If not ``better_higher``, the lowest means are the best.
    """
    keys = _sort_keys(means, comparable, largest, better_higher)
    return sorted(range(len(means)), key=keys.__getitem__)


def _sort_keys(
    means: Sequence[float], comparable: Sequence[bool], largest: float, better_higher: bool
) -> list[tuple[bool, bool, float]]:
    """Return whether each mean is missing or set aside, and its rank as a multiple of what is not noise."""
    exponent = math.ceil(math.log10(largest)) if 0 < largest < math.inf else 0
    scale = 10.0 ** max(-_MOST_DECIMALS, min(_MOST_DECIMALS, _DIGITS - exponent)) * (-1 if better_higher else 1)
    return [
        (True, not fair, 0.0) if math.isnan(mean) else (False, not fair, float(round(mean * scale)))
        for mean, fair in zip(means, comparable, strict=True)
    ]
