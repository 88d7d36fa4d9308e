"""Until nothing imports it."""

from __future__ import annotations

from typing import Any

from stdeval.arrays import Floats


def about_rounded(*_: Any, **__: Any) -> list[str]:
    """Return nothing."""
    return []


def about_rounded_means(*_: Any, **__: Any) -> list[str]:
    """Return nothing."""
    return []


def exact_scores(scores: Floats, measure: str) -> tuple[Floats, str]:
    """Return the scores."""
    return scores, ""
