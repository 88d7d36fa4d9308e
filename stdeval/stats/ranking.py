"""Systems ranked by their means: which of them are compared, on which topics, in which order; and the best.

A system that lacks a topic which more than half of the systems have is set aside, if at least half of them remain.
The others are compared on the topics that all of them have.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Sequence

import numpy as np

from stdeval import noise
from stdeval.stats import aggregates
from stdeval.table import Bools, Floats


def comparable(has: Bools) -> tuple[Bools, Bools]:
    """Return which systems are compared, shape (n_systems,), and the topics common to them, (n_topics, ...).

    ``has``, shape (n_systems, n_topics, ...), says where a system has a score. A topic by each measure is a topic
    of its own, and a system without any score by a measure, as one of another collection, does not count by it.
    """
    takes_part, others = has.any(axis=1, keepdims=True), tuple(range(1, has.ndim))
    usual = 2 * has.sum(axis=0) > takes_part.sum(axis=0)
    scored: Bools = has.any(axis=others)
    complete: Bools = scored & (has | ~usual | ~takes_part).all(axis=others)
    kept = complete if 2 * complete.sum() >= scored.sum() else scored
    return kept, (has | ~takes_part)[kept].all(axis=0) & has[kept].any(axis=0)


def on_common_topics(scores: Floats, kept: Bools, common: Bools) -> Floats:
    """Return the scores; those of systems that are compared become NaN for topics that are not common."""
    return np.where(kept.reshape(-1, *[1] * common.ndim) & ~common, np.nan, scores)


def number_of_best(best: str, n: int) -> int:
    """Return how many of n systems are the best: ``"10"``, or ``"75%"``, not below the 25% quantile (type 7)."""
    if not best.endswith("%"):
        return min(int(best), n)
    # The quantile lies between two means, or is one: the systems above it, and this one, are counted.
    whole, _, fraction = best[:-1].partition(".")
    return (n - 1) * int(whole + fraction) // (100 * 10 ** len(fraction)) + 1 if n else 0


def best_systems(scores: Floats, kept: Bools, best: str, *, better_higher: bool = True) -> Bools:
    """Return True for the best of the systems that are compared, by their mean scores; see `number_of_best`.

    Systems with the same mean as the last of the best are among them, too.
    """
    means = aggregates.overall_scores(scores, aggregates.arithmetic_mean)
    if not better_higher:
        means = -means
    n = number_of_best(best, int(kept.sum()))
    return kept & (means >= sorted(means[kept], reverse=True)[n - 1]) if n else kept & False


def ranked_systems(topics: Sequence[Collection[Hashable]]) -> list[bool]:
    """Return what `comparable` does, without numpy, for systems with some topics each."""
    n_scored = sum(len(own) > 0 for own in topics)
    counts = Counter(topic for own in topics for topic in own)
    usual = {topic for topic, n in counts.items() if 2 * n > n_scored}
    complete = [len(own) > 0 and usual.issubset(own) for own in topics]
    return complete if 2 * sum(complete) >= n_scored else [len(own) > 0 for own in topics]


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
    places = max(-noise.MOST_DECIMALS, min(noise.MOST_DECIMALS, noise.DIGITS - exponent))
    scale = -(10.0**places) if better_higher else 10.0**places
    return [
        (True, not fair, 0.0) if math.isnan(mean) else (False, not fair, float(round(mean * scale)))
        for mean, fair in zip(means, comparable, strict=True)
    ]
