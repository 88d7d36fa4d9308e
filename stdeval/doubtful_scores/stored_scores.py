"""Until nothing imports it."""

from __future__ import annotations

from typing import Any

from stdeval.comparability import refuse_unscored_topics
from stdeval.table import ScoreTable

__all__ = ["refuse_unscored_topics"]

ABOUT_UNKNOWN_TOPICS = "the scores do not tell how many topics were judged: some may be missing from all runs"


def about_doubtful_scores(*_: Any, **__: Any) -> list[str]:
    """Return nothing."""
    return []


def about_mean_relevant(*_: Any, **__: Any) -> str | None:
    """Return nothing."""
    return None


def about_unscored_topics(table: ScoreTable) -> str | None:
    """Return what `refuse_unscored_topics` refuses."""
    whose, is_lacking = "signature" if table.qrels is None else "judgments", table.n_judged > len(table.topics)
    return f"scores of {len(table.topics)} of the {table.n_judged} topics of the {whose}" if is_lacking else None


def refuse_unjudged_systems(table: ScoreTable, where: str | None = None) -> None:
    """Do nothing."""
