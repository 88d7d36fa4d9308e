"""Runs of different depths, and measures that look beyond the end of a run."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence

from stdeval.display import counted, listed, shown_name
from stdeval.documents.retrieved import Retrieved
from stdeval.measures.facts import counts_unjudged, cutoff_of, favoured_runs, looks_beyond, main_ranks_of
from stdeval.measures.names import resolve

REFERENCES = "references (mean)"
"""The name, in messages, of the references from which factors were made."""

SHORTER = 0.8
"""A run counts as shorter than another if it has at most this share of the other's documents.

Documents beyond the cutoff of a measure do not count.
"""


def about_depths(measures: Sequence[str], *retrieved: Mapping[str, Retrieved], judged_only: bool) -> Iterator[str]:
    """Yield messages about measures that look beyond the end of a run.

    If a run has at most four fifths as many documents as another, most such measures favour the longer one, and
    some the shorter one. Documents beyond the cutoff of a measure do not count. If no run has more than half of the
    documents down to a cutoff, the measure is one of fewer documents than its name says.

    Parameters
    ----------
    measures : sequence of str
        The raw measures by which runs are compared.
    *retrieved : mapping of str to Retrieved
        The depths of the runs by name, and of a baseline that is not among them.
    judged_only : bool
        Unjudged documents are left out, so that measures with a cutoff look further down, too.
    """
    known = _known_depths(retrieved)
    if known:
        yield from _about_uneven(measures, known, judged_only=judged_only)
        if not judged_only:
            yield from _about_uneven_topics(measures, retrieved)
        yield from about_cutoffs(measures, *retrieved)


def _known_depths(retrieved: Sequence[Mapping[str, Retrieved]]) -> list[tuple[float, str]]:
    return sorted((each.depth, name) for name, each in by_name(retrieved) if each.depth > 0)


def by_name(retrieved: Sequence[Mapping[str, Retrieved]]) -> Iterator[tuple[str, Retrieved]]:
    """Yield the name of each run and what it retrieved; a baseline with the name of a run is marked as such."""
    first, *others = retrieved
    yield from first.items()
    for one in others:
        yield from ((f"{name} (baseline)" if name in first else name, each) for name, each in one.items())


def about_cutoffs(measures: Sequence[str], *retrieved: Mapping[str, Retrieved]) -> Iterator[str]:
    """Yield messages about measures with a cutoff, or half of their weight, beyond twice the depth of all runs."""
    known = _known_depths(retrieved)
    if not known:
        return
    most, _ = known[-1]
    documents = counted(round(most), "document")
    has = f"the run has {documents}" if len(known) == 1 else f"no run has more than {documents}"
    named = dict.fromkeys(measures)
    if cut := [name for name in named if cutoff_of(name) >= 2 * most]:
        yield f"{has} per topic on average: {_look_at_fewer(cut)}"
    # A residual tells the weight of these ranks, and unjudged documents do not count as not relevant by it.
    endless = [name for name in named if not cutoff_of(name) and counts_unjudged(name)]
    if weighted := [name for name in endless if main_ranks_of(name) >= 2 * most]:
        verb, their = ("gives", "its") if len(weighted) == 1 else ("give", "their")
        yield f"{has} per topic on average: {listed(weighted)} {verb} most of {their} weight to ranks beyond"


def about_depth(measures: Sequence[str], depth: int | None) -> Iterator[str]:
    """Yield a message about measures whose cutoff is deeper than the last rank that is evaluated.

    Parameters
    ----------
    measures : sequence of str
        Measures as the user names them. Only names with a number count: nobody chose the cutoffs of P.
    depth : int or None
        The deepest rank that is evaluated (-M); None for all.

    Examples
    --------
    >>> print(*about_depth(["P@10", "P"], 8))
    -M 8: P_10 looks at fewer documents than its name says
    """
    chosen = resolve([name for name in measures if re.search("[0-9]", name)])
    beyond = [each.name for each in chosen if depth is not None and (each.cutoff or 0) > depth]
    if beyond:
        yield f"-M {depth}: {_look_at_fewer(beyond)}"


def about_stored_depth(measures: Sequence[str], options: Iterable[str]) -> Iterator[str]:
    """Yield a message if stored scores were computed from fewer documents than the cutoff of their measure.

    Parameters
    ----------
    measures : sequence of str
    options : iterable of str
        The options with which scores were computed, as a user types them.

    Examples
    --------
    >>> print(*about_stored_depth(["P_10", "P_5", "mine"], ["-l 2 -M 5"]))
    the scores were computed with -M 5: P_10 looks at fewer documents than its name says
    """
    found = (re.search("-M ([0-9]+)", text) for text in options)
    for depth in sorted({int(each[1]) for each in found if each is not None}):
        beyond = [name for name in measures if cutoff_of(name) > depth]
        if beyond:
            yield f"the scores were computed with -M {depth}: {_look_at_fewer(beyond)}"


def _look_at_fewer(measures: Sequence[str]) -> str:
    if len(measures) == 1:
        return f"{measures[0]} looks at fewer documents than its name says"
    return f"{listed(measures)} look at fewer documents than their names say"


def _about_uneven(
    measures: Sequence[str], known: Sequence[tuple[float, str]], *, judged_only: bool
) -> Iterator[str]:
    """Yield a message if a measure looks beyond the end of a run that is shorter than another."""
    (least, shallow), (most, deep) = known[0], known[-1]
    beyond = [name for name in dict.fromkeys(measures) if _is_uneven(name, least, most, judged_only=judged_only)]
    if beyond:
        documents = counted(round(least), "document")
        found = f"'{shown_name(shallow)}' has {documents} per topic on average, and '{shown_name(deep)}' {most:.0f}"
        # No measure looks at documents beyond the last cutoff.
        seen = max(math.inf if judged_only else cutoff_of(name) or math.inf for name in beyond)
        known = [(min(depth, seen), name) for depth, name in known]
        if len(known) > 2:
            found += f" ({_others([each for each in known if each[1] != REFERENCES], seen)})"
        yield f"{found}: {_which_seem_better(beyond, len(known))} ({_how_to_cut(known)})"


def _is_uneven(name: str, least: float, most: float, *, judged_only: bool) -> bool:
    """Return True for a measure that looks beyond the end of a run, if another run is longer by enough."""
    seen = math.inf if judged_only else cutoff_of(name) or math.inf
    return looks_beyond(name, least, judged_only=judged_only) and least <= SHORTER * min(most, seen)


def _about_uneven_topics(measures: Sequence[str], retrieved: Sequence[Mapping[str, Retrieved]]) -> Iterator[str]:
    """Yield a message for each cutoff down to which a run has few documents, though it has enough on average.

    Topics with many documents then hide others with few.
    """
    runs = [(each, name) for name, each in by_name(retrieved) if each.depth > 0]
    least, most = min(each.depth for each, _ in runs), max(each.depth for each, _ in runs)
    names = [name for name in dict.fromkeys(measures) if not _is_uneven(name, least, most, judged_only=False)]
    for rank in sorted({cutoff_of(name) for name in names} - {0}):
        known = sorted((each.depth_within(rank), name) for each, name in runs)
        (few, shallow), (many, deep) = known[0], known[-1]
        beyond = [
            name for name in names if cutoff_of(name) == rank and _is_uneven(name, few, many, judged_only=False)
        ]
        if beyond:
            found = f"'{shown_name(shallow)}' has {few:.1f} of the first {rank} documents per topic on average"
            yield f"{found}, and '{shown_name(deep)}' {many:.1f}: {_which_seem_better(beyond, len(known))}"


def _which_seem_better(measures: Sequence[str], n_runs: int) -> str:
    """Say which runs may only seem better, by measures that look beyond the end of some runs."""
    runs = "run" if n_runs == 2 else "runs"
    sides = {"long": "longer", "short": "shorter", "either": "longer or the shorter"}
    by_side = {side: [name for name in measures if favoured_runs(name) == key] for key, side in sides.items()}
    return ", and ".join(
        f"by {listed(by)} the {side} {runs} may only seem better" for side, by in by_side.items() if by
    )


def _others(known: Sequence[tuple[float, str]], seen: float) -> str:
    """Return in words how deep the other runs are, and how many are much shorter or longer than most.

    Documents beyond the rank `seen` have been left out.
    """
    usual = _usual(known)
    n_short, n_long = (sum(2 * depth <= usual for depth, _ in known), sum(depth >= 2 * usual for depth, _ in known))
    counts = [f"{n} at {bound}" for n, bound in ((n_short, "most half of it"), (n_long, "least twice")) if n]
    more = " or more" if usual == seen else ""
    return ", ".join([f"the median of {len(known)} runs is {usual:.0f}{more}", *counts])


def _usual(known: Sequence[tuple[float, str]]) -> float:
    return statistics.median_low(depth for depth, _ in known)


def _how_to_cut(known: Sequence[tuple[float, str]]) -> str:
    """Return advice on how to cut runs to the same depth, or to leave out very short ones."""
    (least, _), (most, _), usual = known[0], known[-1], _usual(known)
    if 2 * least <= usual and most >= 2 * usual:
        depth = min(depth for depth, _ in known if 2 * depth > usual)
        return f"-M {depth:.0f} cuts the longer ones to the depth of most"
    if any(name == REFERENCES for _, name in known):
        return f"evaluate references and runs with -M {max(1, int(least))}"
    cut = f"-M {max(1, int(least))} cuts the longer ones"
    return f"leave out the shorter ones; {cut}" if len(known) > 2 and 2 * least <= usual else cut
