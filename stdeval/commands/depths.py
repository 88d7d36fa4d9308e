"""Warn of runs of different depths: measures that look beyond the shorter run favour the longer one."""

from __future__ import annotations

from stdeval.commands.messages import warn
from stdeval.display import listed
from stdeval.measures.names import looks_beyond
from stdeval.table import ScoreTable

_LEAST_DEPTH = 20
"""The smallest depth of the deepest run that is worth a warning: examples have a few documents per topic."""


def warn_of_depths(*tables: ScoreTable) -> None:
    """Warn if a run has at most half as many documents as another, and a measure looks beyond them.

    Parameters
    ----------
    *tables : ScoreTable
        The scores of the runs, and of a baseline that is not among them. Stored scores have no depths.
    """
    depths = [(depth, name) for table in tables for name, depth in table.depths.items() if name in table.systems]
    if not depths:
        return
    (least, shallow), (most, deep) = min(depths), max(depths)
    measures = [name for name in tables[0].measures if looks_beyond(name, least)]
    if measures and most >= _LEAST_DEPTH and 2 * least <= most:
        found = f"'{shallow[:60]}' has {least:.0f} documents per topic on average, and '{deep[:60]}' {most:.0f}"
        hint = f"(-M {max(1, int(least))} cuts all to one depth)"
        warn(f"{found}: by {listed(measures)} the longer run may only seem better {hint}")
