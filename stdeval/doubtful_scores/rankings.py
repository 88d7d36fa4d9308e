"""Comparisons of runs that may mislead: runs of different depths, unjudged documents, and unknown measures."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from stdeval.display import counted, listed, shown_name
from stdeval.documents.retrieved import N_FIRST, Retrieved
from stdeval.documents.runs_and_judgments import about_zeros
from stdeval.measures.names import (
    cutoff_of,
    favours_short,
    is_better_higher,
    is_by_relevance,
    is_known,
    looks_beyond,
    resolve,
    split_scheme,
)

if TYPE_CHECKING:
    from stdeval.origins import Origins
    from stdeval.table import ScoreTable

ABOUT_JUDGED_ONLY = "-J leaves out the unjudged documents: a run with many of them may only seem good"

REFERENCES = "references (mean)"
"""The name, in messages, of the references from which factors were made."""

JUDGED_DIFFERENCE = 0.1
"""Shares of judged documents matter if they differ by more than this."""

_LEAST_JUDGED = 0.5
"""If no run has this share of judged documents, the qrels may list relevant documents only."""

_SHORTER = 0.8
"""A run is shorter than another if it has at most this share of its documents.

Documents beyond the cutoff of a measure do not count.
"""


def is_judged_only(table: ScoreTable) -> bool:
    """Return True if the scores of any part were made with -J, according to their origins."""
    return any(_have_option("-J", part.origins) for part in table.parts)


def _have_option(name: str, origins: Origins) -> bool:
    return any(name in (origin.options or "").split() for origin in origins.values())


def about_ranked(measures: Sequence[str], *tables: ScoreTable) -> Iterator[str]:
    """Yield messages about tables whose systems are ranked or compared by measures, raw or standardized."""
    raw = [split_scheme(name)[1] for name in measures]
    yield from about_unknown_direction(raw)
    judged_only = any(map(is_judged_only, tables))
    yield from about_retrieved(raw, *(table.retrieved for table in tables), judged_only=judged_only)


_WITHOUT_RELEVANCE = re.compile(
    "(?:.*:)?(?:num_ret|num_q|judged_[0-9]+|unj_[0-9]+|(?:(?:gm_)?bpref|num_nonrel_judged_ret)(?:_rel=[0-9]+)?|rbp_resid.*)"
)
"""The names of measures that do not count unjudged documents as not relevant."""


def count_unjudged(measures: Iterable[str]) -> bool:
    """Return True if unjudged documents count as not relevant by one of the measures.

    Examples
    --------
    >>> count_unjudged(["num_ret", "bpref"]), count_unjudged(["bpref", "map"])
    (False, True)
    """
    return not all(map(_WITHOUT_RELEVANCE.fullmatch, measures))


def about_retrieved(
    measures: Sequence[str], *retrieved: Mapping[str, Retrieved], judged_only: bool, tell_shares: bool = True
) -> Iterator[str]:
    """Yield messages about runs whose scores depend on how many documents, or judged ones, they retrieved.

    Parameters
    ----------
    measures, retrieved, judged_only
        As for `about_depths`.
    tell_shares : bool
        False leaves out the message of `about_judged`.
    """
    yield from about_depths(measures, *retrieved, judged_only=judged_only)
    if tell_shares:
        yield from about_judged(*retrieved, measures=measures)
    if judged_only:
        yield ABOUT_JUDGED_ONLY


def about_compared(table: ScoreTable) -> Iterator[str]:
    """Yield the messages of `about_retrieved` about a table, and one about topics that count as 0 (-c)."""
    measures = [measure for measure in table.measures if is_by_relevance(measure)]
    yield from about_retrieved(measures, table.retrieved, judged_only=is_judged_only(table))
    yield from about_counted_zeros(table)


def about_counted_zeros(table: ScoreTable) -> Iterator[str]:
    """Yield a message about topics that count as 0 (-c), and one if the scores do not tell which these are.

    Examples
    --------
    >>> from stdeval.origins import Origin
    >>> from stdeval.table import ScoreTable
    >>> table = ScoreTable(("a",), ("1", "2"), ("map",), [[[0.25], [0]]], {"1": Origin(options="-c")})
    >>> print(*about_counted_zeros(table))  # doctest: +NORMALIZE_WHITESPACE
    the scores were computed with -c, and the files do not tell which topics have no documents: all scores are 0 for
    1 of 2 topics by some run (num_ret, stored with the scores, tells)
    """
    for part in table.parts:
        yield from _about_zeros_of_part(part)


def _about_zeros_of_part(table: ScoreTable) -> Iterator[str]:
    yield from about_zeros(table.unretrieved, len(table.topics))
    unknown = [place for place, system in enumerate(table.systems) if system not in table.unretrieved]
    if not unknown or not _have_option("-c", table.origins):
        return
    found = "the scores were computed with -c, and the files do not tell which topics have no documents"
    # By rbp_resid the worst score is 1. The standardized score of a raw score of 0 is above 0.
    telling = [k for k, name in enumerate(table.measures) if not split_scheme(name)[0] and is_better_higher(name)]
    zeros = (table.values[unknown][:, :, telling] == 0).all(axis=2).any(axis=0)
    if not telling:
        yield f"{found}: these count as 0 (num_ret, stored with the scores, tells)"
    elif zeros.any():
        number = f"{int(zeros.sum())} of {counted(len(table.topics), 'topic')}"
        yield f"{found}: all scores are 0 for {number} by some run (num_ret, stored with the scores, tells)"


_LEAVING_OUT = re.compile("(?:.*:)?[NZUEM]?(?:(?:gm_)?bpref|num_nonrel_judged_ret)(?:_rel=[0-9]+)?")
"""The names of measures that look at judged documents only."""


def leaving_out_unjudged(measures: Iterable[str]) -> list[str]:
    """Return the measures that leave out unjudged documents.

    Examples
    --------
    >>> leaving_out_unjudged(["map", "Nbpref", "infAP"])
    ['Nbpref']
    """
    return [name for name in measures if _LEAVING_OUT.fullmatch(name)]


def about_judged(*retrieved: Mapping[str, Retrieved], measures: Collection[str] = ("map",)) -> Iterator[str]:
    """Yield a message if runs have different or small shares of judged documents among their first ones.

    An unjudged document counts as not relevant, and so a run unlike those that were pooled may be better than its
    scores. Another message says that less than half are judged in all runs. Nothing is told if the judgments list
    relevant documents only, or if they may do so and few documents of any run are judged: their share is the
    precision then. If no document is judged, there is a message of its own.

    By measures that leave unjudged documents out, a run with many of them is as good as its judged documents are.

    Parameters
    ----------
    *retrieved : mapping of str to Retrieved
        The shares of the runs by name, and of a baseline that is not among them.
    measures : collection of str
        The measures by which the runs are compared.

    Examples
    --------
    >>> print(*about_judged({"bm25": Retrieved(100, 0.98), "dense": Retrieved(100, 0.625)}))  # doctest: +ELLIPSIS
    of the first 10 documents, 62.5% of 'dense' are judged, and 98.0% of 'bm25': unjudged documents count as ...
    """
    leaving_out = leaving_out_unjudged(measures)
    if not leaving_out and not count_unjudged(measures):
        return
    all_known = [(each, name) for name, each in _by_name(retrieved) if each.judged >= 0]
    deepest = max((each.depth for each, _ in all_known if each.depth > 0), default=math.inf)
    n_first = round(min(N_FIRST, deepest))
    is_short = {name: each.depth < _SHORTER * n_first for each, name in all_known}
    # A Boolean query that finds a few documents chooses relevant ones, so that many of them are judged.
    usual = min((each.judged for each, name in all_known if not is_short[name]), default=0.0)
    known = sorted((each.judged, name) for each, name in all_known if not is_short[name] or each.judged < usual)
    if any(each.of_pool is False for each, _ in all_known):
        return
    of_pool = any(each.of_pool for each, _ in all_known)
    yield from _about_all_judged([name for each, name in all_known if each.judged == 1], known)
    if not known or known[-1][0] == 0 or (known[-1][0] < _LEAST_JUDGED and not of_pool):
        return
    (least, unlike), (most, best) = known[0], known[-1]
    if round(most - least, 9) <= JUDGED_DIFFERENCE:
        if most < _LEAST_JUDGED and count_unjudged(measures):
            of_runs = f"of '{shown_name(best)}'" if len(known) == 1 else "of any run"
            found = f"at most {most:.1%} of the first {n_first} documents {of_runs} are judged"
            yield f"{found}: unjudged documents count as not relevant, so scores may be much too low"
        return
    shares = f"{least:.1%} of '{shown_name(unlike)}' are judged, and {most:.1%} of '{shown_name(best)}'"
    found = f"of the first {n_first} documents{' or fewer' if is_short[unlike] else ''}, {shares}"
    which, their = "the first", "its"
    if len(known) > 2:
        found += f" (the median of {len(known)} runs is {statistics.median_low(share for share, _ in known):.1%})"
        which, their = "runs with fewer", "their"
    told = [f"unjudged documents count as not relevant, so {which} may be better than {their} scores"]
    left_out = f"{listed(leaving_out)} {'leaves' if len(leaving_out) == 1 else 'leave'} out unjudged documents"
    seem_good = [f"{left_out}, so {which} may only seem good"] if leaving_out else []
    yield f"{found}: {'; '.join((told if count_unjudged(measures) else []) + seem_good)}"


_HARDLY_ANY = 0.1
"""With so few judged documents, scores by themselves say little, even if no run is compared with another."""


def about_hardly_judged(measures: Collection[str], retrieved: Mapping[str, Retrieved]) -> Iterator[str]:
    """Yield a message if hardly any of the first documents of any run are judged, as `about_judged` does, or none.

    The judgments may be those of another round or collection. If no document of a run is judged at all, there is a
    message of its own.

    Examples
    --------
    >>> list(about_hardly_judged(["map"], {"bm25": Retrieved(100, 0.3, of_pool=True)}))
    []
    >>> print(*about_hardly_judged(["map"], {"bm25": Retrieved(100, 0.04, of_pool=True)}))  # doctest: +ELLIPSIS
    at most 4.0% of the first 10 documents of 'bm25' are judged: unjudged documents count as not relevant, so ...
    """
    if not count_unjudged(measures) or not all(each.judged < _HARDLY_ANY for each in retrieved.values()):
        return
    yield from about_judged(retrieved, measures=measures)
    if any(each.of_pool for each in retrieved.values()) and all(each.judged == 0 for each in retrieved.values()):
        of_runs = f"'{shown_name(next(iter(retrieved)))}'" if len(retrieved) == 1 else "any run"
        yield f"none of the first documents of {of_runs} is judged: scores may be much too low"


def _about_all_judged(all_judged: Sequence[str], known: Sequence[tuple[float, str]]) -> Iterator[str]:
    """Yield a message about short runs that have only judged documents, although others have many unjudged ones.

    Parameters
    ----------
    all_judged : sequence of str
        The runs all of whose first documents are judged.
    known : sequence of (float, str)
        The shares of judged documents, rising, and the names of runs that are not short.
    """
    names = [name for _, name in known]
    short = [name for name in all_judged if name not in names]
    if short and known and known[-1][0] < 1 - JUDGED_DIFFERENCE:
        which = (
            f"'{shown_name(short[0])}'" if len(short) == 1 else f"{len(short)} runs (e.g. '{shown_name(short[0])}')"
        )
        share, name = known[-1]
        least = f"{share:.1%} of those of '{shown_name(name)}'"
        others = least if len(known) == 1 else f"at most {share:.1%} of those of other runs"
        yield f"all first documents of {which} are judged, and {others}: were unjudged ones removed, as by -J?"


_FEWEST = 10
"""With fewer systems or topics, results depend much on which ones these are.

See `stdeval.standardization.schemes.FEW_REFERENCES`.
"""


def about_few(n: int, noun: str, results: str) -> list[str]:
    """Return a message if there are so few runs or topics that results depend much on which ones these are.

    Examples
    --------
    >>> print(*about_few(3, "run", "correlations"))
    3 runs are few for correlations: others may give other results (expected 10 or more)
    """
    if n >= _FEWEST:
        return []
    few = f"{counted(n, noun)} {'is' if n == 1 else 'are'} few for {results}"
    return [f"{few}: others may give other results (expected {_FEWEST} or more)"]


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
        yield from about_cutoffs(measures, *retrieved)


def _known_depths(retrieved: Sequence[Mapping[str, Retrieved]]) -> list[tuple[float, str]]:
    return sorted((each.depth, name) for name, each in _by_name(retrieved) if each.depth > 0)


def _by_name(retrieved: Sequence[Mapping[str, Retrieved]]) -> Iterator[tuple[str, Retrieved]]:
    """Yield the name of each run and what it retrieved; a baseline with the name of a run gets another one."""
    first, *others = retrieved
    yield from first.items()
    for one in others:
        yield from ((f"{name} (baseline)" if name in first else name, each) for name, each in one.items())


def about_cutoffs(measures: Sequence[str], *retrieved: Mapping[str, Retrieved]) -> Iterator[str]:
    """Yield a message about cutoffs that are at least twice the number of documents of every run."""
    known = _known_depths(retrieved)
    if not known:
        return
    most, _ = known[-1]
    beyond = [name for name in dict.fromkeys(measures) if cutoff_of(name) >= 2 * most]
    if beyond:
        documents = counted(round(most), "document")
        has = f"the run has {documents}" if len(known) == 1 else f"no run has more than {documents}"
        yield f"{has} per topic on average: {_look_at_fewer(beyond)}"


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


def _look_at_fewer(measures: Sequence[str]) -> str:
    if len(measures) == 1:
        return f"{measures[0]} looks at fewer documents than its name says"
    return f"{listed(measures)} look at fewer documents than their names say"


def _about_uneven(
    measures: Sequence[str], known: Sequence[tuple[float, str]], *, judged_only: bool
) -> Iterator[str]:
    """Yield a message if a measure looks beyond the end of a run that is shorter than another."""
    (least, shallow), (most, deep) = known[0], known[-1]
    beyond = [
        name
        for name in dict.fromkeys(measures)
        if looks_beyond(name, least, judged_only=judged_only)
        and least <= _SHORTER * min(most, math.inf if judged_only else cutoff_of(name) or math.inf)
    ]
    if beyond:
        documents = counted(round(least), "document")
        found = f"'{shown_name(shallow)}' has {documents} per topic on average, and '{shown_name(deep)}' {most:.0f}"
        # No measure looks at documents beyond the last cutoff.
        seen = max(math.inf if judged_only else cutoff_of(name) or math.inf for name in beyond)
        known = [(min(depth, seen), name) for depth, name in known]
        if len(known) > 2:
            found += f" ({_others(known, seen)})"
        runs = "run" if len(known) == 2 else "runs"
        short = [name for name in beyond if favours_short(name)]
        sides = {"longer": [name for name in beyond if name not in short], "shorter": short}
        told = [f"by {listed(by)} the {side} {runs} may only seem better" for side, by in sides.items() if by]
        yield f"{found}: {', and '.join(told)} ({_how_to_cut(known)})"


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
    """Return how to get runs of one depth, or how to cut the long ones if others are very short."""
    (least, _), (most, _), usual = known[0], known[-1], _usual(known)
    if 2 * least <= usual and most >= 2 * usual:
        depth = min(depth for depth, _ in known if 2 * depth > usual)
        return f"-M {depth:.0f} cuts the longer ones to the depth of most"
    if any(name == REFERENCES for _, name in known):
        return f"evaluate references and runs with -M {max(1, int(least))}"
    cut = f"-M {max(1, int(least))} cuts the longer ones"
    return f"leave out the shorter ones; {cut}" if len(known) > 2 and 2 * least <= usual else cut


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


def about_unknown_direction(measures: Iterable[str]) -> Iterator[str]:
    """Yield a message about measures of which it is not known whether higher or lower scores are better."""
    unknown = [name for name in dict.fromkeys(measures) if not is_known(name)]
    if unknown:
        name = f"'{shown_name(unknown[0])}'"
        several = f"{len(unknown)} measures are not known (e.g. {name})"
        found = f"{name} is not a known measure" if len(unknown) == 1 else several
        yield f"{found}: higher is taken as better"
