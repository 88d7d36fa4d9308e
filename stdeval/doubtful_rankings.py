"""Rankings that may mislead: of runs of different depths, and by measures that are not known."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from stdeval.display import listed
from stdeval.measures.names import cutoff_of, favours_short, is_known, looks_beyond, split_scheme

if TYPE_CHECKING:
    from stdeval.origins import Origins
    from stdeval.table import ScoreTable

ABOUT_JUDGED_ONLY = "-J leaves out the unjudged documents: a run with many of them may only seem good"

_LEAST_DEPTH, _LEAST_CUT = 20, 10
"""Smallest depths of the deepest run that are worth a warning, if runs have different depths, and if all are
shorter than a cutoff: examples have a few documents per topic."""


def is_judged_only(origins: Origins) -> bool:
    """Return whether scores were made with -J, as their origins say."""
    return any("-J" in (origin.options or "").split() for origin in origins.values())


def about_ranked(measures: Sequence[str], *tables: ScoreTable) -> Iterator[str]:
    """Yield messages about tables whose systems are ranked, or compared, by raw or standardized measures."""
    raw = [split_scheme(name)[1] for name in measures]
    yield from about_unknown_direction(raw)
    judged_only = any(is_judged_only(table.origins) for table in tables)
    if judged_only:
        yield ABOUT_JUDGED_ONLY
    yield from about_depths(raw, *(table.depths for table in tables), judged_only=judged_only)


def about_depths(measures: Sequence[str], *depths: Mapping[str, float], judged_only: bool) -> Iterator[str]:
    """Yield messages about measures that look beyond the end of a run that is shorter than another, or of all runs.

    Shorter means at most half as many documents. Such measures favour the longer run, or some of them the shorter
    one. The end of all runs is before half of a measure's cutoff.

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
    yield from _about_uneven(measures, known, judged_only=judged_only)
    yield from about_cutoffs(measures, *depths)


def about_cutoffs(measures: Sequence[str], *depths: Mapping[str, float]) -> Iterator[str]:
    """Yield a message about measures of at least twice as many documents as any run has; see `about_depths`."""
    known = [depth for each in depths for depth in each.values()]
    most = max(known, default=0)
    beyond = [name for name in dict.fromkeys(measures) if cutoff_of(name) >= 2 * most]
    if beyond and most >= _LEAST_CUT:
        has = f"the run has {most:.0f}" if len(known) == 1 else f"no run has more than {most:.0f}"
        verb = "is" if len(beyond) == 1 else "are"
        yield f"{has} documents per topic on average: {listed(beyond)} {verb} of fewer documents than named"


def _about_uneven(
    measures: Sequence[str], known: Sequence[tuple[float, str]], *, judged_only: bool
) -> Iterator[str]:
    """Yield a message if a run has at most half as many documents as another, and a measure looks beyond them."""
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
        yield f"{found}: {', and '.join(told)} ({_how_to_cut(known)})"


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


def about_unknown_direction(measures: Iterable[str]) -> Iterator[str]:
    """Yield a message about unknown measures by which runs are ranked or compared: their direction is not known."""
    unknown = [name for name in dict.fromkeys(measures) if not is_known(name)]
    if unknown:
        name = f"'{unknown[0][:60]}'"
        several = f"{len(unknown)} measures are not known (e.g. {name})"
        found = f"{name} is not a known measure" if len(unknown) == 1 else several
        yield f"{found}: higher is taken as better"
