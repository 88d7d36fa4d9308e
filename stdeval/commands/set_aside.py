"""Warn of incomplete runs, which are set aside from rankings, and of means over fewer topics."""

from __future__ import annotations

from collections.abc import Sequence

from stdeval.commands.messages import warn
from stdeval.display import shown_name
from stdeval.doubtful_scores.missing_scores import common_topics_told
from stdeval.stats.coverage import Coverage


def warn_of_set_aside(
    facts: Coverage, systems: Sequence[str], shown: str = "not ranked, and listed below the others"
) -> None:
    """Warn if incomplete runs are not ranked, or if all runs are ranked on fewer topics.

    Parameters
    ----------
    facts : Coverage
    systems : sequence of str
    shown : str
        How the output shows runs that are not ranked.
    """
    if not facts.ranked.any():
        told = "the runs have different topics" if facts.common.any() else "no topic is common to all runs"
        warn(f"{told}, so no run is ranked")
        return
    incomplete = [name for name, complete in zip(systems, facts.complete, strict=True) if not complete]
    if incomplete:
        verb = "is missing" if len(incomplete) == 1 else "are missing"
        number = f"{len(incomplete)} of {len(systems)} runs (e.g. '{shown_name(incomplete[0])}')"
        treated = shown
        if (facts.ranked & ~facts.complete).any():
            which = "all" if facts.ranked.all() else "those with scores"
            treated = f"{which} are ranked, because fewer than two runs are complete"
        warn(f"{number} {verb} topics that more than half of the runs have: {treated}")
    if facts.is_reduced:
        warn(f"means are over the {common_topics_told(facts)}")
