"""Topic difficulty: what the systems achieved on each topic, and topics grouped by it.

The statistics are rows of ``STATISTICS``; every one is a pure function whose first axis is that of the systems.

References
----------
S. D. Ravana, A. Moffat. Score aggregation techniques in retrieval experimentation. ADC 2009, Sections 3, 5.2
and 5.4.

S. Mizzaro. The good, the bad, the difficult, and the easy: something wrong with information retrieval
evaluation? ECIR 2008. (1 - mean)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stdeval.errors import InputError
from stdeval.stats.aggregates import arithmetic_mean, median
from stdeval.stats.moments import moments
from stdeval.table import Floats

LOW = 0.1
"""A score up to this is low (Ravana & Moffat 2009, Table 2)."""


def greatest(values: Floats) -> Floats:
    """The greatest score over the first axis; NaN where there is none."""
    result: Floats = np.fmax.reduce(values, axis=0, initial=np.nan)
    return result


def least(values: Floats) -> Floats:
    """The least score over the first axis; NaN where there is none."""
    result: Floats = np.fmin.reduce(values, axis=0, initial=np.nan)
    return result


def surprise(values: Floats) -> Floats:
    """(max - mean) / sd: Ravana & Moffat 2009, equation 2.

    How far, in standard deviations, the best system stands out; from 0 up, and undefined (NaN) where the
    scores are all equal. A topic is the more difficult the greater it is.

    Examples
    --------
    >>> surprise(np.array([[0.0, 0.5], [0.0, 0.5], [0.3, 0.5]])).round(4)
    array([1.1547,    nan])
    """
    mean, sd, _ = moments(values)
    with np.errstate(invalid="ignore"):
        return (greatest(values) - mean) / np.where(sd == 0, np.nan, sd)


def share_zero(values: Floats) -> Floats:
    """The share of the scores that are 0, over the first axis, in [0, 1]; NaN where there are none."""
    return arithmetic_mean(np.where(np.isnan(values), np.nan, values == 0), axis=0)


def share_low(values: Floats) -> Floats:
    """The share of the scores that are at most 0.1, over the first axis, in [0, 1]; NaN where there are none.

    Ravana & Moffat 2009, Table 2, which counts all the scores of a collection: ``share_low(values.ravel())``.

    Examples
    --------
    >>> share_low(np.array([[0.0, 0.2], [0.1, 0.3], [0.5, np.nan]])).round(3)
    array([0.667, 0.   ])
    """
    return arithmetic_mean(np.where(np.isnan(values), np.nan, values <= LOW), axis=0)


@dataclass(frozen=True)
class Statistic:
    """A statistic of a topic: its column name, what it is, and the function over the systems' axis."""

    name: str
    title: str
    function: Callable[[Floats], Floats]


STATISTICS = {
    row.name: row
    for row in (
        Statistic("n", "systems with a score", lambda values: moments(values)[2].astype(np.float64)),
        Statistic("mean", "mean score", lambda values: moments(values)[0]),
        Statistic("sd", "sample standard deviation of the scores", lambda values: moments(values)[1]),
        Statistic("min", "least score", least),
        Statistic("median", "median score", lambda values: median(values, axis=0)),
        Statistic("max", "greatest score", greatest),
        Statistic("1-mean", "difficulty 1 - mean", lambda values: 1.0 - moments(values)[0]),
        Statistic("1-max", "difficulty 1 - max", lambda values: 1.0 - greatest(values)),
        Statistic("surprise", "difficulty (max - mean) / sd", surprise),
        Statistic("zero", "share of scores that are 0", share_zero),
        Statistic("low", "share of scores that are at most 0.1", share_low),
    )
}


def topic_statistics(values: Floats) -> dict[str, Floats]:
    """Every statistic of ``STATISTICS`` for each topic.

    Parameters
    ----------
    values : ndarray, shape (n_systems, n_topics, ...)
        Scores; NaN is missing, and left out.

    Returns
    -------
    dict of str to ndarray, shape (n_topics, ...)
        By the statistic's name; NaN where it is undefined, which ``n`` never is.

    Examples
    --------
    >>> found = topic_statistics(np.array([[0.0, 0.5], [0.2, np.nan], [0.7, 0.6]]))
    >>> found["n"], found["1-mean"].round(2), found["zero"].round(2)
    (array([3., 2.]), array([0.7 , 0.45]), array([0.33, 0.  ]))
    """
    return {name: row.function(values) for name, row in STATISTICS.items()}


def topic_groups(difficulty: Floats, groups: str = "hard-easy") -> list[str]:
    """The group of each topic, by falling difficulty: Ravana & Moffat 2009, Section 5.4.

    Parameters
    ----------
    difficulty : ndarray, shape (n_topics,)
        The greater the more difficult, such as `surprise`; of equal ones the earlier counts as the more
        difficult. NaN: not known, in no group.
    groups : str
        ``hard-easy`` are two halves. ``middle-rest`` are the half around the middle, and the others, the
        hardest and the easiest quarter. A number N, from 2 up: N groups from ``1``, the hardest, on. Where
        topics do not divide evenly the first-named or harder groups have one more, but of the rest the easy
        end: 12 hard, 25 middle and 13 easy of the paper's 50.

    Returns
    -------
    list of str
        A label a topic; empty where the difficulty is not known.

    Raises
    ------
    InputError
        If the grouping is unknown, or has more groups than there are topics.

    Examples
    --------
    >>> topic_groups(np.array([1.5, 3.0, 2.5, 2.0]))
    ['easy', 'hard', 'hard', 'easy']
    >>> topic_groups(np.array([1.5, 3.0, 2.5, 2.0]), "middle-rest")
    ['rest', 'rest', 'middle', 'middle']
    """
    order = np.argsort(-difficulty, kind="stable")[: int(np.sum(~np.isnan(difficulty)))]
    by_rank = _labels_by_rank(len(order), groups)
    labels = [""] * len(difficulty)
    for topic, label in zip(order, by_rank, strict=True):
        labels[topic] = label
    return labels


def _labels_by_rank(n: int, groups: str) -> list[str]:
    half = (n + 1) // 2
    if groups == "hard-easy":
        return ["hard"] * half + ["easy"] * (n - half)
    if groups == "middle-rest":
        hardest = (n - half) // 2
        return ["rest"] * hardest + ["middle"] * half + ["rest"] * (n - half - hardest)
    if not (groups.isascii() and groups.isdigit() and int(groups) >= 2):
        raise InputError(f"no grouping '{groups}', expected hard-easy, middle-rest or a number from 2 up")
    if int(groups) > n:
        raise InputError(f"{groups} groups of {n} topics, expected at most {n}")
    parts = np.array_split(np.arange(n), int(groups))
    return [str(label) for label, part in enumerate(parts, 1) for _ in part]
