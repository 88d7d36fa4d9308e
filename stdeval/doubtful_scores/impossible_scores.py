"""Until nothing imports it."""

from __future__ import annotations

from stdeval.table import ScoreTable


def refuse_impossible_scores(table: ScoreTable, where: str | None = None) -> None:
    """Do nothing."""
