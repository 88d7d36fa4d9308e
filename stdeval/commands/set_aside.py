"""Warn of incomplete runs, which are set aside from rankings, or of means over fewer topics."""

from __future__ import annotations

from collections.abc import Sequence

from stdeval import notices
from stdeval.errors import warn
from stdeval.stats.coverage import Coverage


def warn_of_set_aside(facts: Coverage, systems: Sequence[str], treated: str = "not ranked") -> None:
    """Warn if incomplete runs are treated otherwise than the others, or if all runs are ranked on fewer topics."""
    if aside := facts.set_aside(systems):
        warn(notices.incomplete_runs(aside, len(systems), treated))
    elif facts.is_reduced or not facts.n_common:
        warn(notices.common_topics(facts.n_common, len(facts.common)))
