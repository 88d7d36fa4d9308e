"""Runs that have different depths on two collections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from stdeval.doubtful_scores.rankings import about_depths, is_judged_only
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
