"""Warn of topics that two collections share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from stdeval.commands.messages import warn
from stdeval.display import counted
from stdeval.origins import Origins, shared_topics


def warn_of_shared_topics(named: Iterable[tuple[Sequence[str], Origins, str]], harm: str) -> None:
    """Warn of topics that two collections share.

    Parameters
    ----------
    named : iterable of (sequence of str, Origins, str)
        The topics of each collection, their origins, and the name of the collection.
    harm : str
        The fault if they are the same topics.
    """
    shared = []
    for (a, origins_a, name_a), (b, origins_b, name_b) in combinations(named, 2):
        topics = shared_topics(a, origins_a, b, origins_b)
        if topics:
            shared.append((len(topics), name_a, name_b))
    if shared:
        n, name_a, name_b = max(shared)
        more = counted(len(shared) - 1, "more pair")
        pairs = "" if len(shared) == 1 else f" (and {more} of files have such topics)"
        same = "the same judgments, or the same name and unknown judgments"
        told = f"{name_a} and {name_b} have {counted(n, 'topic')} with {same}{pairs}"
        warn(f"{told}: if they are the same topics, {harm}")
