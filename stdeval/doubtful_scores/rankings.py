"""How scores were made: with -J, or with --leave-out group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stdeval.measures.names import split_scheme
from stdeval.origins import have_option

if TYPE_CHECKING:
    from stdeval.table import ScoreTable

ABOUT_JUDGED_ONLY = "-J leaves out the unjudged documents: a run with many of them may only seem good"


def is_judged_only(table: ScoreTable) -> bool:
    """Return True if the scores of any part were made with -J, according to their origins."""
    return any(have_option("-J", part.origins) for part in table.parts)


FLATTERING = "each group has other reference runs, which flatters a strong group"
"""The reason why --leave-out group does not show which run is the best."""


def leaves_out_groups(table: ScoreTable) -> bool:
    """Return True if some stored scores were standardized with --leave-out group."""
    return any(
        part.standardization is not None
        and part.standardization.leaves_out_groups
        and any(split_scheme(name)[0] for name in part.measures)
        for part in table.parts
    )


def _nothing(*_: Any, **__: Any) -> list[str]:
    """Stand for the former warnings, until no module asks for them."""
    return []


about_compared = _nothing
about_counted_zeros = _nothing
about_few = _nothing
about_ranked = _nothing
about_retrieved = _nothing
about_unknown_direction = _nothing
