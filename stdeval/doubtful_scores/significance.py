"""Nothing: the former warnings, until no module asks for them."""

from typing import Any


def _nothing(*_: Any, **__: Any) -> list[str]:
    return []


about_chosen_baseline = _nothing
about_disagreement = _nothing
about_near_alpha = _nothing
about_pairs = _nothing
about_tukey = _nothing
about_unreachable_by_tukey = _nothing
