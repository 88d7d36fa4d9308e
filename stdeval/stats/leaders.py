"""The best runs by the means that are printed, without numpy, since `stdeval eval` runs through this module.

The rules are those of `stdeval.stats.coverage` and `stdeval.noise`: means over different topics are not
ranked, and numbers that differ only by noise are equal.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Sequence

DIGITS = 12
"""Number of significant digits of the largest score that are kept, as in `stdeval.noise`."""

_MOST_DECIMALS = 300
"""Greatest number of decimals: 10 to this power is a finite float, also times a number this small."""


def complete_systems(topics: Sequence[Collection[Hashable]]) -> list[bool]:
    """Return True for each system that has every usual topic; more than half of the systems have a usual topic.

    Parameters
    ----------
    topics : sequence of collections, one per system
        The topics for which the system has a score by a measure. Systems without any are not counted.

    Examples
    --------
    >>> complete_systems([{"1", "2", "3"}, {"1", "2"}, {"1"}, set()])
    [True, True, False, False]
    """
    n_scored = sum(len(own) > 0 for own in topics)
    counts = Counter(topic for own in topics for topic in own)
    usual = {topic for topic, n in counts.items() if 2 * n > n_scored}
    return [len(own) > 0 and usual.issubset(own) for own in topics]


def ranked_systems(topics: Sequence[Collection[Hashable]]) -> list[bool]:
    """Return True for each system that is ranked: the complete ones, or all with a score if fewer than two are.

    Parameters
    ----------
    topics : sequence of collections, one per system
        See `complete_systems`.

    Examples
    --------
    >>> ranked_systems([{"1", "2", "3"}, {"1", "2"}, {"1"}]), ranked_systems([{"1", "2"}, {"2", "3"}, {"3", "1"}])
    ([True, True, False], [True, True, True])
    """
    complete = complete_systems(topics)
    return complete if sum(complete) > 1 else [len(own) > 0 for own in topics]


def without_noise(means: Sequence[float], largest: float) -> list[float]:
    """Return the means as whole numbers of the smallest difference that is not noise; NaN stays NaN.

    Parameters
    ----------
    means : sequence of float
    largest : float
        The largest absolute value of the scores that are averaged.

    Examples
    --------
    >>> first, second = without_noise([0.1 + 0.2, 0.3], 0.5)
    >>> first == second
    True
    """
    exponent = math.ceil(math.log10(largest)) if 0 < largest < math.inf else 0
    scale = 10.0 ** max(-_MOST_DECIMALS, min(_MOST_DECIMALS, DIGITS - exponent))
    return [mean if math.isnan(mean) else float(round(mean * scale)) for mean in means]


def best_means(
    means: Sequence[float], comparable: Sequence[bool], largest: float, *, better_higher: bool = True
) -> list[int]:
    """Return the indices of the best means, all of them if some are equal.

    Parameters
    ----------
    means : sequence of float
        NaN is missing.
    comparable : sequence of bool
        The means that can be compared; others are never the best.
    largest, better_higher
        See `without_noise` and `order_by_means`.

    Examples
    --------
    >>> best_means([0.2, 0.3, 0.1 + 0.2, 0.9], [True, True, True, False], 1.0)
    [1, 2]
    """
    numbers = without_noise(means, largest)
    rivals = [i for i, mean in enumerate(numbers) if comparable[i] and not math.isnan(mean)]
    best = (max if better_higher else min)((numbers[i] for i in rivals), default=math.nan)
    return [i for i in rivals if numbers[i] == best]


def order_by_means(
    means: Sequence[float], comparable: Sequence[bool], largest: float, *, better_higher: bool = True
) -> list[int]:
    """Return the indices of the means from the best to the worst; equal ones keep their order.

    Means that cannot be compared follow the others, and missing ones are last.

    Parameters
    ----------
    means, comparable, largest
        See `best_means`.
    better_higher : bool
        False if a lower mean is better.

    Examples
    --------
    >>> order_by_means([0.2, 0.3, 0.1 + 0.2, 0.9], [True, True, True, False], 1.0)
    [1, 2, 0, 3]
    """
    sign = -1 if better_higher else 1
    numbers = without_noise(means, largest)
    keys = [
        (math.isnan(mean), not fair, 0.0 if math.isnan(mean) else sign * mean)
        for mean, fair in zip(numbers, comparable, strict=True)
    ]
    return sorted(range(len(means)), key=keys.__getitem__)
