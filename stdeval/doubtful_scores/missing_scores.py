"""Messages about topics on which systems have no score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stdeval.arrays import Bools
from stdeval.display import counted, excerpt
from stdeval.stats.coverage import Coverage


def about_missing_scores(
    systems: Sequence[str], topics: Sequence[str], measures: Sequence[str], missing: Bools
) -> str | None:
    """Return a message about topics on which systems have no score, which are left out; None if there are none.

    Parameters
    ----------
    systems, topics, measures : sequence of str
    missing : ndarray of bool, shape (n_systems, n_topics, n_measures)

    Examples
    --------
    >>> print(about_missing_scores("ab", "12", ["map"], np.array([[[False], [True]], [[False], [False]]])))
    1 of 4 pairs of run and topic has no score (e.g. 'a' on topic '2'): left out
    """
    number = int(missing.any(axis=2).sum())
    if not number:
        return None
    run, topic, measure = (int(place) for place in np.argwhere(missing)[0])
    by = "" if len(measures) == 1 else f" by {measures[measure]}"
    example = f"(e.g. '{excerpt(systems[run])}' on topic '{excerpt(topics[topic])}'{by})"
    verb = "has" if number == 1 else "have"
    return f"{number} of {len(systems) * len(topics)} pairs of run and topic {verb} no score {example}: left out"


def common_topics_told(facts: Coverage) -> str:
    """Return the number of topics that all ranked runs have, in words; the smallest number of any measure."""
    runs = "runs" if facts.ranked.all() else "complete runs"
    return f"{counted(facts.n_common, 'topic')} that all {runs} have"
