"""Runs that have different depths, or shares of judged documents, on two collections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from stdeval.doubtful_scores.depths import about_depths
from stdeval.doubtful_scores.judged_shares import about_judged
from stdeval.doubtful_scores.rankings import is_judged_only
from stdeval.table import ScoreTable


def about_documents_of_collections(
    tables: Sequence[ScoreTable], names: Sequence[str], systems: Sequence[str]
) -> Iterator[str]:
    """Yield messages if most systems have fewer documents, or judged ones, on one collection than on another.

    The system that is named is that with the median ratio of depths, or difference of shares.

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
        known = [
            (system, {f"{system} on {name_a}": a.retrieved[system], f"{system} on {name_b}": b.retrieved[system]})
            for system in systems
            if system in a.retrieved and system in b.retrieved
        ]
        ratios = sorted((a.retrieved[system].depth / b.retrieved[system].depth, system) for system, _ in known)
        if ordered := [system for ratio, system in ratios if ratio > 0]:
            retrieved = dict(known)[ordered[len(ordered) // 2]]
            yield from about_depths(a.measures, retrieved, judged_only=judged_only)
        shares = [(system, a.retrieved[system].judged, b.retrieved[system].judged) for system, _ in known]
        differences = sorted((one - other, system) for system, one, other in shares if min(one, other) >= 0)
        if differences and not judged_only:
            yield from about_judged(a.measures, dict(known)[differences[len(differences) // 2][1]])
