"""Warn of two collections that share topics, or whose runs have different depths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from stdeval.commands.messages import warn
from stdeval.display import counted
from stdeval.doubtful_scores.rankings import about_depths, is_judged_only
from stdeval.origins import Origins, shared_topics
from stdeval.table import ScoreTable


def about_depths_of_collections(
    tables: Sequence[ScoreTable], names: Sequence[str], systems: Sequence[str]
) -> Iterator[str]:
    """Yield a message if most systems retrieved fewer documents per topic on one collection than on another.

    Parameters
    ----------
    tables : sequence of ScoreTable
        The raw scores on each collection.
    names : sequence of str
        The names of the collections.
    systems : sequence of str
        The systems that took part in all of them.
    """
    judged_only = any(map(is_judged_only, tables))
    for (a, name_a), (b, name_b) in combinations(zip(tables, names, strict=True), 2):
        known = [system for system in systems if system in a.retrieved and system in b.retrieved]
        ratios = {system: a.retrieved[system].depth / b.retrieved[system].depth for system in known}
        ordered = sorted((ratio, system) for system, ratio in ratios.items() if ratio > 0)
        if ordered:
            _, system = ordered[len(ordered) // 2]
            depths = {f"{system} on {name}": table.retrieved[system] for table, name in ((a, name_a), (b, name_b))}
            yield from about_depths(a.measures, depths, judged_only=judged_only)


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
        names = "name" if n == 1 else "names"
        told = f"{name_a} and {name_b} have {counted(n, 'topic')} of the same {names}{pairs}"
        warn(f"{told}: if they are the same topics, {harm}")
