"""Warn of runs of different depths: a measure without a cutoff favours the run with more documents."""

from __future__ import annotations

from stdeval.commands.messages import warn
from stdeval.display import listed
from stdeval.measures.names import looks_at_all_ranks
from stdeval.table import ScoreTable

_LEAST_DEPTH = 20
"""The smallest depth of the deepest run that is worth a warning: examples have a few documents per topic."""


def warn_of_depths(*tables: ScoreTable) -> None:
    """Warn if a run has at most half as many documents per topic as another, and a measure has no cutoff.

    Parameters
    ----------
    *tables : ScoreTable
        The scores of the runs, and of a baseline that is not among them. Stored scores have no depths.
    """
    depths = [(depth, name) for table in tables for name, depth in table.depths.items() if name in table.systems]
    measures = [name for name in tables[0].measures if looks_at_all_ranks(name)]
    if not depths or not measures:
        return
    (least, shallow), (most, deep) = min(depths), max(depths)
    if most >= _LEAST_DEPTH and 2 * least <= most:
        warn(
            f"'{shallow[:60]}' has at most {least} documents per topic, and '{deep[:60]}' {most}: by "
            f"{listed(measures)} the longer run may only seem better (-M {least} cuts all runs to one depth)"
        )
