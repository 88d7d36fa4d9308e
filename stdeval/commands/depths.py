"""Warn of runs of different depths: measures that look beyond the shorter run favour the longer one."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from stdeval.commands.messages import warn
from stdeval.display import listed
from stdeval.measures.names import favours_short, looks_beyond

_LEAST_DEPTH = 20
"""The smallest depth of the deepest run that is worth a warning: examples have a few documents per topic."""


def warn_of_depths(measures: Sequence[str], *depths: Mapping[str, float], judged_only: bool) -> None:
    """Warn if a run has at most half as many documents as another, and a measure looks beyond them.

    Parameters
    ----------
    measures : sequence of str
        The raw measures by which runs are compared.
    *depths : mapping of str to float
        The depths of the runs by name, see `ScoreTable`, and of a baseline that is not among them.
    judged_only : bool
        Unjudged documents are left out, so that measures with a cutoff look further down, too.
    """
    known = sorted((depth, name) for each in depths for name, depth in each.items())
    if not known:
        return
    (least, shallow), (most, deep) = known[0], known[-1]
    beyond = [name for name in dict.fromkeys(measures) if looks_beyond(name, least, judged_only=judged_only)]
    if beyond and most >= _LEAST_DEPTH and 2 * least <= most:
        found = f"'{shallow[:60]}' has {least:.0f} documents per topic on average, and '{deep[:60]}' {most:.0f}"
        if len(known) > 2:
            found += f" ({_others(known)})"
        runs = "run" if len(known) == 2 else "runs"
        short = [name for name in beyond if favours_short(name)]
        sides = {"longer": [name for name in beyond if name not in short], "shorter": short}
        told = [f"by {listed(by)} the {side} {runs} may only seem better" for side, by in sides.items() if by]
        warn(f"{found}: {', and '.join(told)} ({_how_to_cut(known)})")


def _others(known: Sequence[tuple[float, str]]) -> str:
    """Return in words how deep the other runs are, and how many are much shorter or longer than most."""
    usual = _usual(known)
    n_short, n_long = (sum(2 * depth <= usual for depth, _ in known), sum(depth >= 2 * usual for depth, _ in known))
    counts = [f"{n} at {bound}" for n, bound in ((n_short, "most half of it"), (n_long, "least twice")) if n]
    return ", ".join([f"the median of {len(known)} runs is {usual:.0f}", *counts])


def _usual(known: Sequence[tuple[float, str]]) -> float:
    return statistics.median_low(depth for depth, _ in known)


def _how_to_cut(known: Sequence[tuple[float, str]]) -> str:
    """Return the option that cuts runs to one depth; if some are very short and others very long, the long ones."""
    (least, _), (most, _), usual = known[0], known[-1], _usual(known)
    if 2 * least <= usual and most >= 2 * usual:
        depth = min(depth for depth, _ in known if 2 * depth > usual)
        return f"-M {depth:.0f} cuts the longer ones to the depth of most"
    return f"-M {max(1, int(least))} cuts all to one depth"
