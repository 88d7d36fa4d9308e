"""Facts about judgments, until nothing asks for them."""

from __future__ import annotations

from typing import NamedTuple


class JudgedTopics(NamedTuple):
    """Whether judgments are those of a pool: unknown."""

    are_of_pool: bool | None = None


def judged_topics(_: object) -> JudgedTopics:
    """Return unknown facts."""
    return JudgedTopics()
