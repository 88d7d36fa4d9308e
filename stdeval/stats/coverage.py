"""Rank systems by their means if scores are missing: which systems can be ranked, and on which topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from stdeval.table import Bools, Floats


@dataclass(frozen=True, eq=False)
class Coverage:
    """The systems that can be ranked by their means, and the topics to rank them on.

    Parameters
    ----------
    complete : ndarray of bool, shape (n_systems,)
        Systems that have every usual topic. A topic is usual if more than half of the systems have it. A system
        without any score by some measure is complete if it is so by the others.
    ranked : ndarray of bool, shape (n_systems,)
        Systems that can be ranked on the same topics: the complete ones; all with a score if fewer than two are
        complete; none if no topic is common to them.
    common : ndarray of bool, shape (n_topics, ...)
        Topics for which every ranked system has a score, except systems without any score by the measure.
    is_reduced : bool
        True if some, but not all, ranked systems have a score for another topic, which the ranking leaves out.
    """

    complete: Bools
    ranked: Bools
    common: Bools
    is_reduced: bool

    @property
    def n_common(self) -> int:
        """The number of common topics; the smallest of those by the measures for which there are any."""
        numbers = self.common.sum(axis=0)
        return int(np.min(numbers, where=numbers > 0, initial=len(self.common))) if numbers.any() else 0

    def set_aside(self, systems: Sequence[str]) -> list[str]:
        """Return the names of the systems that are not ranked although others are."""
        return list(compress(systems, ~self.ranked)) if self.ranked.any() else []

    def comparable(self, scores: Floats) -> Floats:
        """Return the scores; those of ranked systems for topics that are not common become NaN.

        Parameters
        ----------
        scores : ndarray, shape (n_systems, n_topics, ...)
            Scores of the systems and topics of the coverage.
        """
        ranked = self.ranked.reshape(-1, *[1] * self.common.ndim)
        return np.where(ranked & ~self.common, np.nan, scores)


def share_only_common(scores: Floats, ranked: Bools) -> Bools:
    """Return True for pairs of systems of which both have just the topics that all ranked systems have in common.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        NaN is missing.
    ranked : ndarray of bool, shape (n_systems,)

    Returns
    -------
    ndarray of bool, shape (n_systems, n_systems)

    Examples
    --------
    >>> share_only_common(np.array([[0.1, 0.2], [0.3, 0.4], [0.5, np.nan]]), np.array([True, True, True]))[0]
    array([False, False,  True])
    """
    has = (~np.isnan(scores)).astype(np.float64)
    n_common = int(np.all(has[ranked], axis=0).sum())
    are_equal: Bools = has @ has.T == n_common
    return are_equal & np.logical_and.outer(ranked, ranked)


def takes_part(scores: Floats) -> Bools:
    """Return True for the systems with any score by each measure, shape (n_systems, ...).

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics, ...)
        NaN is missing.
    """
    some: Bools = np.any(~np.isnan(scores), axis=1)
    return some


def coverage_of_unpaired(scores: Floats) -> Coverage:
    """Return the systems that can be ranked if each keeps its own topics: none if they would need common topics.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics, ...)
        See `coverage`.

    Examples
    --------
    Only the first system has the third topic, so that its mean is over other topics than that of the second.

    >>> facts = coverage_of_unpaired(np.array([[0.1, 0.2, 0.3], [0.3, 0.4, np.nan]]))
    >>> facts.ranked, facts.comparable(np.array([[0.1, 0.2, 0.3], [0.3, 0.4, np.nan]]))
    (array([False, False]), array([[0.1, 0.2, 0.3],
           [0.3, 0.4, nan]]))
    """
    facts = coverage(scores)
    return replace(facts, ranked=np.zeros_like(facts.ranked), is_reduced=False) if facts.is_reduced else facts


def coverage(scores: Floats, among: Bools | None = None) -> Coverage:
    """Return the systems that can be ranked by their means, and the topics to rank them on.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics, ...)
        NaN is missing. If there are further axes, such as measures, each combination of a topic and a measure
        counts as a topic of its own. A system without any score by a measure, as one of another collection, does
        not count by this measure.
    among : ndarray of bool, shape (n_systems,), optional
        The systems that may be ranked; the others count as systems without any score.

    Examples
    --------
    The third system has no score for the second topic, but the others have; only the first has the third topic.

    >>> nan = np.nan
    >>> facts = coverage(np.array([[0.1, 0.2, 0.3], [0.3, 0.4, nan], [0.5, nan, nan]]))
    >>> facts.complete, facts.common
    (array([ True,  True, False]), array([ True,  True, False]))
    """
    has = ~np.isnan(scores)
    if among is not None:
        has &= among.reshape(-1, *[1] * (has.ndim - 1))
    absent = ~has.any(axis=1, keepdims=True)
    usual = 2 * has.sum(axis=0) > (~absent).sum(axis=0)
    has_scores: Bools = np.any(has.reshape(len(scores), -1), axis=1)
    complete: Bools = has_scores & np.all((has | ~usual | absent).reshape(len(scores), -1), axis=1)
    ranked = complete if complete.sum() > 1 else has_scores
    common: Bools = np.all((has | absent)[ranked], axis=0) & np.any(has[ranked], axis=0)
    if not common.any():
        return Coverage(complete, np.zeros_like(ranked), common, False)
    return Coverage(complete, ranked, common, bool((has[ranked] & ~common).any()))
