"""Until nothing imports it."""

from __future__ import annotations

from stdeval.display import counted
from stdeval.stats.coverage import Coverage


def common_topics_told(facts: Coverage) -> str:
    """Return the number of topics that all ranked runs have, in words; the smallest number of any measure."""
    runs = "runs" if facts.ranked.all() else "complete runs"
    return f"{counted(facts.n_common, 'topic')} that all {runs} have"
