"""Topic difficulty: statistics of the systems' scores on each topic, and groups of topics by difficulty.

Ravana, Moffat, ADC 2009 (surprise); Webber, Moffat, Zobel, SIGIR 2008 (item_total); Mizzaro, ECIR 2008 (1 - mean).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stdeval.errors import InputError, counted
from stdeval.noise import decimals, rounded, without_noise
from stdeval.stats import aggregates, correlation, ranking
from stdeval.table import Floats, Ints

LOW = 0.1  # the greatest score that counts as low (Ravana & Moffat 2009, Table 2)


def quantile(values: Floats, share: float) -> Floats:
    """Return the quantile over the first axis, linear between two scores (type 7 of R); NaN if all are missing."""
    ordered = np.sort(values, axis=0)  # NaN comes last, so the quantile is that of the first n.
    place = share * np.maximum(np.sum(~np.isnan(values), axis=0, keepdims=True) - 1, 0)
    below = np.floor(place).astype(np.int64)
    low, high = (np.take_along_axis(ordered, at, axis=0)[0] for at in (below, np.ceil(place).astype(np.int64)))
    return np.asarray(low + (place - below)[0] * (high - low))


def surprise(values: Floats, *, better_higher: bool = True) -> Floats:
    """Return the difficulty (max - mean) / sd over the first axis (Ravana & Moffat 2009, equation 2).

    If lower scores are better, it is (mean - min) / sd. It is at least 0, and undefined (NaN) where all scores are
    equal, and where there are fewer than three: for two different scores it is always sqrt(1/2).
    """
    mean, sd, n = aggregates.moments(values)
    with np.errstate(invalid="ignore"):
        ahead: Floats = quantile(values, 1) - mean if better_higher else mean - quantile(values, 0)
        return ahead / np.where((sd == 0) | (n < 3), np.nan, sd)


def share_low(values: Floats, low: float = LOW) -> Floats:
    """Return the share of scores that are at most `low`, over the first axis; NaN if all scores are missing."""
    is_low = rounded(values, decimals(values)) <= low
    return aggregates.arithmetic_mean(np.where(np.isnan(values), np.nan, is_low), axis=0)


def item_total(values: Floats) -> Floats:
    """Return the item-total correlation of each topic: how well it separates good systems from bad ones.

    It is Pearson's correlation of the systems' scores on the topic with their mean scores on all other topics
    (Webber 2008, Section 2), over the systems and topics of `comparable`. It is NaN if all scores on the topic are
    equal or all means are, if there are fewer than three systems, or if there is no other topic.
    """
    by_measure = values.reshape(*values.shape[:2], -1)
    result = np.full(by_measure.shape[1:], np.nan)
    for k in range(by_measure.shape[2]):
        scores = by_measure[:, :, k]
        places, has = decimals(scores), ~np.isnan(scores)
        kept, common = ranking.comparable(has)
        is_counted = kept[:, np.newaxis] & has
        # Subtracting a topic from the sum over all gives the sum over the others, in time linear in the topics.
        sums, n_others = scores[:, common].sum(axis=1), common.sum() - common
        has_others = np.flatnonzero(n_others > 0)
        # Topics on which the same systems count are correlated at once.
        kept = is_counted[:, has_others]
        patterns, pattern, sizes = np.unique(kept, axis=1, return_inverse=True, return_counts=True)
        by_pattern = has_others[np.argsort(pattern.ravel(), kind="stable")]
        # split() returns one part more, which is empty
        for systems, topics in zip(patterns.T, np.split(by_pattern, np.cumsum(sizes)), strict=False):
            if systems.sum() > 2:
                on_topic = np.ascontiguousarray(scores[np.ix_(systems, topics)].T)
                own = np.where(common[topics, np.newaxis], on_topic, 0.0)
                others = (sums[systems] - own) / n_others[topics, np.newaxis]
                result[topics, k] = correlation.pearson(rounded(on_topic, places), rounded(others, places))
    return result.reshape(values.shape[1:])


STATISTICS: dict[str, Callable[[Floats], Floats]] = {
    "n": lambda values: aggregates.moments(values)[2].astype(np.float64),
    "mean": lambda values: aggregates.moments(values)[0],
    "sd": lambda values: aggregates.moments(values)[1],
    "min": lambda values: quantile(values, 0),
    "p25": lambda values: quantile(values, 0.25),
    "median": lambda values: aggregates.median(values, axis=0),
    "p75": lambda values: quantile(values, 0.75),
    "max": lambda values: quantile(values, 1),
    "1-mean": lambda values: 1.0 - aggregates.moments(values)[0],
    "1-max": lambda values: 1.0 - quantile(values, 1),
    "surprise": surprise,
    "zero": lambda values: aggregates.arithmetic_mean(np.where(np.isnan(values), np.nan, values == 0), axis=0),
    "low": share_low,
    "item_total": item_total,
}
"""The functions of the columns, over the axis of the systems; item_total needs that of the topics as well."""


def topic_statistics(values: Floats, *, better_higher: bool = True, low: float = LOW) -> dict[str, Floats]:
    """Return every statistic of ``STATISTICS`` for each topic, by its name; NaN where it is undefined."""
    found = {name: function(values) for name, function in STATISTICS.items()} | {"low": share_low(values, low)}
    return found if better_higher else found | {"surprise": surprise(values, better_higher=False)}


def pooled_statistics(values: Floats, low: float = LOW) -> dict[str, Floats]:
    """Return the statistics of ``STATISTICS`` over all scores together; those of a single topic are NaN."""
    scores = values[~np.isnan(values)]
    pooled = {name: np.array(np.nan) for name in STATISTICS} | {"n": np.array(float(len(scores)))}
    if len(scores):
        for name in ("min", "p25", "median", "p75", "max", "zero"):
            pooled[name] = STATISTICS[name](scores)
        pooled["mean"], pooled["low"] = aggregates.arithmetic_mean(scores), share_low(scores, low)
    if len(scores) > 1:
        pooled["sd"] = without_noise(scores.std(ddof=1), decimals(scores))
    return pooled


SPLITS = {"hard-easy": ("hard", "easy"), "middle-rest": ("middle", "rest")}
"""The splits of topics into two parts by difficulty, and the labels of the parts."""


def split_by_difficulty(difficulty: Floats, how: str) -> tuple[Ints, Ints]:
    """Split topics into two parts by their difficulty, such as `surprise` (Ravana & Moffat 2009, Section 5.4).

    ``hard-easy`` splits into the harder and the easier half, ``middle-rest`` into the half in the middle and the
    rest. The result is the indices of the topics of both parts, the hardest first. Of equally difficult topics, the
    earlier one counts as more difficult; topics with NaN are in neither part. If the topics do not divide evenly,
    the second part has one topic more, and so has the easy end of the rest.
    """
    # With fewer topics, the hard half is empty, or the middle is the hardest.
    order = _hardest_first(difficulty, how, fewest=2 if how == "hard-easy" else 3)
    half = len(order) // 2
    start = 0 if how == "hard-easy" else (len(order) - half) // 2
    return order[start : start + half], np.delete(order, slice(start, start + half))


def _hardest_first(difficulty: Floats, how: str, fewest: int) -> Ints:
    """Return the indices of the topics, hardest first; topics of unknown difficulty are left out."""
    n = int(np.sum(~np.isnan(difficulty)))
    if n < fewest:
        known = f"{counted(n, 'topic')} on which the scores of three runs or more differ"
        raise InputError(f"{how}: {known}, expected at least {fewest}")
    return np.argsort(-rounded(difficulty, decimals(difficulty)), kind="stable")[:n]


def topic_groups(difficulty: Floats, groups: str = "hard-easy") -> list[str]:
    """Return the group of difficulty of each topic, in the order of the topics; empty if its difficulty is NaN.

    ``groups`` is ``hard-easy`` or ``middle-rest``, see `split_by_difficulty`; or a number N, at least 2, for N
    groups named ``1``, the hardest, to ``N``. If the topics do not divide evenly, the harder groups have one more.
    """
    # isdigit alone accepts digits such as a superscript two, which int refuses.
    n = int(groups) if groups.isascii() and groups.isdigit() else 0
    if groups in SPLITS:
        names, parts = list(SPLITS[groups]), list(split_by_difficulty(difficulty, groups))
    elif n >= 2:
        names = [str(group) for group in range(1, n + 1)]
        parts = np.array_split(_hardest_first(difficulty, f"{groups} groups", fewest=n), n)
    else:
        raise InputError(f"no grouping '{groups}', expected hard-easy, middle-rest or a number of at least 2")
    group_of = {topic: name for name, part in zip(names, parts, strict=True) for topic in part.tolist()}
    return [group_of.get(topic, "") for topic in range(len(difficulty))]
