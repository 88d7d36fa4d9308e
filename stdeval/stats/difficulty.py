"""Topic difficulty: statistics of the systems' scores on each topic, and groups of topics by difficulty.

The statistics are the entries of ``STATISTICS``. Each is a pure function of an array whose first axis is that of
the systems.

References
----------
S. D. Ravana, A. Moffat. Score aggregation techniques in retrieval experimentation. ADC 2009, Sections 3, 5.2
and 5.4.

W. Webber, A. Moffat, J. Zobel. Score standardization for inter-collection comparison of retrieval
systems. SIGIR 2008, Sections 2 and 3. (item-total correlation, quartiles)

S. Mizzaro. The good, the bad, the difficult, and the easy: something wrong with information retrieval
evaluation? ECIR 2008. (1 - mean)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stdeval.display import counted
from stdeval.errors import InputError
from stdeval.noise import decimals, rounded, without_noise
from stdeval.stats.aggregates import arithmetic_mean, median, moments
from stdeval.stats.correlation import pearson
from stdeval.stats.ranking import coverage
from stdeval.table import Floats, Ints

LOW = 0.1
"""The greatest score that counts as low (Ravana & Moffat 2009, Table 2)."""


def greatest(values: Floats) -> Floats:
    """Return the greatest score over the first axis; NaN if all scores are missing."""
    return np.asarray(np.fmax.reduce(values, axis=0, initial=np.nan))


def least(values: Floats) -> Floats:
    """Return the least score over the first axis; NaN if all scores are missing."""
    return np.asarray(np.fmin.reduce(values, axis=0, initial=np.nan))


def quantile(values: Floats, share: float) -> Floats:
    """Return the quantile over the first axis, linear between two scores (type 7 of R); NaN if all are missing.

    Examples
    --------
    >>> quantile(np.array([[0.0, 0.5], [0.4, np.nan], [0.1, np.nan]]), 0.75)
    array([0.25, 0.5 ])
    """
    ordered = np.sort(values, axis=0)  # NaN comes last, so the quantile is that of the first n.
    place = share * np.maximum(np.sum(~np.isnan(values), axis=0, keepdims=True) - 1, 0)
    below = np.floor(place).astype(np.int64)
    low, high = (np.take_along_axis(ordered, at, axis=0)[0] for at in (below, np.ceil(place).astype(np.int64)))
    between: Floats = low + (place - below)[0] * (high - low)
    return between


def surprise(values: Floats, *, better_higher: bool = True) -> Floats:
    """Return the difficulty (max - mean) / sd over the first axis (Ravana & Moffat 2009, equation 2).

    It is the distance of the best system from the mean, in standard deviations; if lower scores are better, it is
    (mean - min) / sd. It is at least 0, and undefined (NaN) where all scores are equal, and where there are fewer
    than three: for two different scores it is always sqrt(1/2). The greater it is, the more difficult is the topic.

    Examples
    --------
    >>> surprise(np.array([[0.0, 0.5], [0.0, 0.5], [0.3, 0.5]])).round(4)
    array([1.1547,    nan])
    """
    mean, sd, n = moments(values)
    with np.errstate(invalid="ignore"):
        ahead = greatest(values) - mean if better_higher else mean - least(values)
        return ahead / np.where((sd == 0) | (n < 3), np.nan, sd)


def share_zero(values: Floats) -> Floats:
    """Return the share of scores that are 0, over the first axis, in [0, 1]; NaN if all scores are missing."""
    return arithmetic_mean(np.where(np.isnan(values), np.nan, values == 0), axis=0)


def share_low(values: Floats) -> Floats:
    """Return the share of scores that are at most 0.1, over the first axis, in [0, 1]; NaN if all are missing.

    Ravana & Moffat 2009, Table 2, counts all scores of a collection together: ``share_low(values.ravel())``.

    Examples
    --------
    >>> share_low(np.array([[0.0, 0.2], [0.1, 0.3], [0.5, np.nan]])).round(3)
    array([0.667, 0.   ])
    """
    low = rounded(values, decimals(values)) <= LOW
    return arithmetic_mean(np.where(np.isnan(values), np.nan, low), axis=0)


def item_total(values: Floats) -> Floats:
    """Return the item-total correlation of each topic: how well it separates good systems from bad ones.

    It is Pearson's correlation of the systems' scores on the topic with their mean scores on all other topics
    (Webber 2008, Section 2). It is NaN if all scores on the topic are equal or all means are, if fewer than three
    systems count (the correlation over two is 1 or -1, whatever their scores), or if there is no other topic.

    Parameters
    ----------
    values : ndarray, shape (n_systems, n_topics, ...)
        Scores; NaN is missing. Only the systems and topics of `stdeval.stats.ranking.coverage` count, because means
        over different topics cannot be compared.

    Examples
    --------
    On the last topic, the systems score in the opposite order.

    >>> item_total(np.array([[0.1, 0.2, 0.3], [0.3, 0.5, 0.2], [0.4, 0.6, 0.1]])).round(3)
    array([ 0.945,  0.971, -0.971])
    """
    by_measure = values.reshape(*values.shape[:2], -1)
    correlations = [_item_total(by_measure[:, :, i]) for i in range(by_measure.shape[2])]
    return np.stack(correlations, axis=-1).reshape(values.shape[1:])


def _item_total(scores: Floats) -> Floats:
    facts, places = coverage(scores), decimals(scores)
    result = np.full(scores.shape[1], np.nan)
    counted = facts.ranked[:, np.newaxis] & ~np.isnan(scores)
    # Subtracting a topic from the sum over all gives the sum over the others, in time linear in the topics.
    sums, n_others = scores[:, facts.common].sum(axis=1), facts.common.sum() - facts.common
    # Topics on which the same systems count are correlated at once.
    patterns, pattern, sizes = np.unique(counted[:, n_others > 0], axis=1, return_inverse=True, return_counts=True)
    by_pattern = np.flatnonzero(n_others > 0)[np.argsort(pattern.ravel(), kind="stable")]
    # split() returns one part more, which is empty
    for systems, topics in zip(patterns.T, np.split(by_pattern, np.cumsum(sizes)), strict=False):
        if systems.sum() > 2:
            on_topic = np.ascontiguousarray(scores[np.ix_(systems, topics)].T)
            is_common = facts.common[topics, np.newaxis]
            others = (sums[systems] - np.where(is_common, on_topic, 0.0)) / n_others[topics, np.newaxis]
            result[topics] = pearson(rounded(on_topic, places), rounded(others, places))
    return result


# Each statistic is computed over the axis of the systems; item_total needs that of the topics as well.
STATISTICS: dict[str, Callable[[Floats], Floats]] = {
    "n": lambda values: moments(values)[2].astype(np.float64),
    "mean": lambda values: moments(values)[0],
    "sd": lambda values: moments(values)[1],
    "min": least,
    "p25": lambda values: quantile(values, 0.25),
    "median": lambda values: median(values, axis=0),
    "p75": lambda values: quantile(values, 0.75),
    "max": greatest,
    "1-mean": lambda values: 1.0 - moments(values)[0],
    "1-max": lambda values: 1.0 - greatest(values),
    "surprise": surprise,
    "zero": share_zero,
    "low": share_low,
    "item_total": item_total,
}
"""The function of each statistic, by the name of its column."""


def topic_statistics(values: Floats, *, better_higher: bool = True) -> dict[str, Floats]:
    """Return every statistic of ``STATISTICS`` for each topic, by its name; NaN where it is undefined.

    Parameters
    ----------
    values : ndarray, shape (n_systems, n_topics, ...)
        Scores; NaN is missing and left out.
    better_higher : bool
        False if lower scores are better, which `surprise` depends on.

    Examples
    --------
    >>> statistics = topic_statistics(np.array([[0.0, 0.5], [0.2, np.nan], [0.7, 0.6]]))
    >>> statistics["n"], statistics["1-mean"].round(2), statistics["zero"].round(2)
    (array([3., 2.]), array([0.7 , 0.45]), array([0.33, 0.  ]))
    """
    found = {name: statistic(values) for name, statistic in STATISTICS.items()}
    return found if better_higher else found | {"surprise": surprise(values, better_higher=False)}


def pooled_statistics(values: Floats) -> dict[str, Floats]:
    """Return the statistics of ``STATISTICS`` over all scores together, of all systems on all topics.

    The difficulties and the item-total correlation, which belong to a single topic, are NaN. The quartiles of
    standardized scores are about 0.26, 0.50 and 0.74 (Webber 2008, Section 3). Parameters are those of
    `topic_statistics`, and the values have the shape ().

    Examples
    --------
    >>> statistics = pooled_statistics(np.array([[0.0, 0.5], [0.2, np.nan], [0.7, 0.6]]))
    >>> [round(float(statistics[name]), 2) for name in ("n", "mean", "p25", "median", "p75", "surprise")]
    [5.0, 0.4, 0.2, 0.5, 0.6, nan]
    """
    scores = values[~np.isnan(values)]
    pooled = {name: np.array(np.nan) for name in STATISTICS} | {"n": np.array(float(len(scores)))}
    if len(scores):
        for name in ("min", "p25", "median", "p75", "max", "zero", "low"):
            pooled[name] = STATISTICS[name](scores)
        pooled["mean"] = arithmetic_mean(scores)
    if len(scores) > 1:
        pooled["sd"] = without_noise(scores.std(ddof=1), decimals(scores))
    return pooled


SPLITS = {"hard-easy": ("hard", "easy"), "middle-rest": ("middle", "rest")}
"""The splits of topics into two parts by difficulty, and the labels of the parts."""

FEWEST_TOPICS = {"hard-easy": 2, "middle-rest": 3}
"""The least number of topics of each split; with fewer, the hard half is empty, or the middle is the hardest."""


def split_by_difficulty(difficulty: Floats, how: str) -> tuple[Ints, Ints]:
    """Split topics into two parts by their difficulty (Ravana & Moffat 2009, Section 5.4).

    Parameters
    ----------
    difficulty : ndarray, shape (n_topics,)
        The difficulty of each topic, such as `surprise`; greater is more difficult. Of equally difficult topics,
        the earlier one counts as more difficult. A topic with NaN is in neither part.
    how : {"hard-easy", "middle-rest"}
        ``hard-easy`` splits into the harder and the easier half, ``middle-rest`` into the half in the middle and
        the rest, which consists of the hardest and the easiest quarter. At least `FEWEST_TOPICS` must be known.

    Returns
    -------
    first, second : ndarray of int
        The indices of the topics of both parts, the hardest first. If the topics do not divide evenly, the second
        part has one topic more, and so has the easy end of the rest: of the paper's 50 topics, the rest are the 12
        hardest and the 13 easiest.

    Examples
    --------
    >>> split_by_difficulty(np.array([0.1, 3.0, 2.0, 1.0, 0.5]), "hard-easy")
    (array([1, 2]), array([3, 4, 0]))
    >>> split_by_difficulty(np.array([0.1, 3.0, 2.0, 1.0, 0.5]), "middle-rest")
    (array([2, 3]), array([1, 4, 0]))
    """
    if how not in SPLITS:
        raise InputError(f"no split '{how}', expected one of: {', '.join(SPLITS)}")
    order = _hardest_first(difficulty)
    if len(order) < FEWEST_TOPICS[how]:
        found = f"the split {how} of {counted(len(order), 'topic')} whose difficulty is known"
        raise InputError(f"{found}, expected at least {FEWEST_TOPICS[how]} topics")
    half = len(order) // 2
    start = 0 if how == "hard-easy" else (len(order) - half) // 2
    first = slice(start, start + half)
    return order[first], np.delete(order, first)


def _hardest_first(difficulty: Floats) -> Ints:
    """Return the indices of the topics, hardest first; topics of unknown difficulty are left out."""
    if np.isnan(difficulty).all():
        expected = "expected three runs or more, and topics on which their scores differ"
        raise InputError(f"no topic whose difficulty is known, {expected}")
    ranked = rounded(difficulty, decimals(difficulty))
    return np.argsort(-ranked, kind="stable")[: int(np.sum(~np.isnan(difficulty)))]


def topic_groups(difficulty: Floats, groups: str = "hard-easy") -> list[str]:
    """Return the group of difficulty of each topic, in the order of the topics; empty if its difficulty is NaN.

    Parameters
    ----------
    difficulty : ndarray, shape (n_topics,)
        As for `split_by_difficulty`.
    groups : str
        ``hard-easy`` or ``middle-rest``, see `split_by_difficulty`; or a number N, at least 2, for N groups named
        ``1``, the hardest, to ``N``. If the topics do not divide evenly, the harder groups have one topic more.

    Examples
    --------
    >>> topic_groups(np.array([1.5, 3.0, 2.5, 2.0])), topic_groups(np.array([1.5, 3.0, 2.5, 2.0]), "middle-rest")
    (['easy', 'hard', 'hard', 'easy'], ['rest', 'rest', 'middle', 'middle'])
    """
    check_grouping(groups)
    if groups in SPLITS:
        names, parts = list(SPLITS[groups]), list(split_by_difficulty(difficulty, groups))
    else:
        order = _hardest_first(difficulty)
        if int(groups) > len(order):
            known = f"{counted(len(order), 'topic')} whose difficulty is known"
            raise InputError(f"{groups} groups of {known}, expected fewer groups")
        names, parts = [str(i + 1) for i in range(int(groups))], np.array_split(order, int(groups))
    labels = [""] * len(difficulty)
    for name, part in zip(names, parts, strict=True):
        for topic in part:
            labels[topic] = name
    return labels


def check_grouping(groups: str) -> None:
    """Refuse what is not a grouping of topics, see `topic_groups`."""
    # isdigit alone accepts digits such as a superscript two, which int refuses.
    is_number = groups.isascii() and groups.isdigit() and int(groups) >= 2
    if groups not in SPLITS and not is_number:
        raise InputError(f"no grouping '{groups}', expected hard-easy, middle-rest or a number of at least 2")
