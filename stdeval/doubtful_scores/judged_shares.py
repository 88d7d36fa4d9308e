"""Runs with few judged documents among their first ones, whose scores may be too low or too high."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence

from stdeval.display import listed, shown_name
from stdeval.documents.retrieved import N_FIRST, Retrieved
from stdeval.doubtful_scores.depths import SHORTER, by_name
from stdeval.measures.facts import counts_unjudged, leaves_out_unjudged, main_ranks_of

JUDGED_DIFFERENCE = 0.1
"""Shares of judged documents matter if they differ by more than this."""

_LEAST_JUDGED = 0.5
"""If no run has this share of judged documents, the qrels may list relevant documents only."""

_HARDLY_ANY = 0.1
"""Below this share of judged documents, the scores of a run say little even by themselves."""


def about_judged(measures: Sequence[str], *retrieved: Mapping[str, Retrieved]) -> Iterator[str]:
    """Yield a message if runs have different or small shares of judged documents among their first ones.

    By most measures an unjudged document counts as not relevant, and so a run unlike those that were pooled may be
    better than its scores. Other measures leave unjudged documents out: by them a run with many may only seem good.
    Another message says that less than half are judged in all runs. Nothing is told if the judgments list relevant
    documents only, or may do so while few documents of any run are judged: the share is then the precision.
    If no document is judged, there is a message of its own.

    Parameters
    ----------
    measures : sequence of str
        The measures by which runs are compared.
    *retrieved : mapping of str to Retrieved
        The shares of the runs by name, and of a baseline that is not among them.

    Examples
    --------
    >>> shares = {"bm25": Retrieved(100, 0.98), "dense": Retrieved(100, 0.625)}
    >>> print(*about_judged(["map"], shares))  # doctest: +ELLIPSIS
    of the first 10 documents, 62.5% of 'dense' are judged, and 98.0% of 'bm25': unjudged documents count as ...
    """
    given = [(each, name) for name, each in by_name(retrieved) if each.judged >= 0]
    if not _consequences(measures, 2) or any(each.of_pool is False for each, _ in given):
        return
    deepest = max((each.depth for each, _ in given if each.depth > 0), default=math.inf)
    n_first = round(min(N_FIRST, deepest))
    short = {name for each, name in given if each.depth < SHORTER * n_first}
    # A Boolean query finds few documents. Most of them are relevant, and so most of them are judged.
    usual = min((each.judged for each, name in given if name not in short), default=0.0)
    known = sorted((each.judged, name) for each, name in given if name not in short or each.judged < usual)
    yield from _about_all_judged([name for each, name in given if each.judged == 1], known)
    if not known or known[-1][0] == 0 or (known[-1][0] < _LEAST_JUDGED and not _are_pooled(retrieved)):
        return
    (least, unlike), (most, best) = known[0], known[-1]
    if round(most - least, 9) > JUDGED_DIFFERENCE:
        shares = f"{least:.1%} of '{shown_name(unlike)}' are judged, and {most:.1%} of '{shown_name(best)}'"
        found = f"of the first {n_first} documents{' or fewer' if unlike in short else ''}, {shares}"
        if len(known) > 2:
            median = statistics.median_low(share for share, _ in known)
            found += f" (the median of {len(known)} runs is {median:.1%})"
        yield f"{found}: {'; '.join(_consequences(measures, len(known)))}"
    elif most < _LEAST_JUDGED and any(map(counts_unjudged, measures)):
        of_runs = f"of '{shown_name(best)}'" if len(known) == 1 else "of any run"
        found = f"at most {most:.1%} of the first {n_first} documents {of_runs} are judged"
        yield f"{found}: unjudged documents count as not relevant, so scores may be much too low"
    else:
        yield from about_first_ranks(measures, *retrieved)


def about_first_ranks(measures: Sequence[str], *retrieved: Mapping[str, Retrieved]) -> Iterator[str]:
    """Yield a message if the shares of judged documents differ at the few ranks that decide a measure.

    Parameters are those of `about_judged`. Only runs that were evaluated have shares by rank.

    Examples
    --------
    >>> old = Retrieved(100, 1.0, of_pool=True, judged_at=(1.0,) * 9)
    >>> runs = {"old": old, "new": old._replace(judged=0.9, judged_at=(0.2,) * 9)}
    >>> print(*about_first_ranks(["map", "recip_rank"], runs))  # doctest: +NORMALIZE_WHITESPACE
    of the documents at the first rank, 20.0% of 'new' are judged, and 100.0% of 'old': by recip_rank unjudged
    documents count as not relevant, so the first may be better than its scores
    """
    given = [(each, name) for name, each in by_name(retrieved) if each.judged_at and each.judged >= 0]
    ranks = {name: main_ranks_of(name) for name in dict.fromkeys(measures) if counts_unjudged(name)}
    for k in sorted({*ranks.values()} & {*range(1, N_FIRST)}) if _are_pooled(retrieved) else ():
        known = sorted((each.judged_at[k - 1], name) for each, name in given)
        if len(known) > 1 and round(known[-1][0] - known[0][0], 9) > JUDGED_DIFFERENCE:
            (least, unlike), (most, best) = known[0], known[-1]
            shares = f"{least:.1%} of '{shown_name(unlike)}' are judged, and {most:.1%} of '{shown_name(best)}'"
            which = "documents at the first rank" if k == 1 else f"first {k} documents"
            by = listed([name for name, main in ranks.items() if main == k])
            because = f"by {by} unjudged documents count as not relevant, so the first"
            yield f"of the {which}, {shares}: {because} may be better than its scores"
            return


def _are_pooled(retrieved: Sequence[Mapping[str, Retrieved]]) -> bool:
    return any(each.of_pool for _, each in by_name(retrieved))


def _consequences(measures: Sequence[str], n_runs: int) -> list[str]:
    """Return in words what unjudged documents do to the scores of runs; nothing if they do not matter."""
    which, their = ("the first", "its") if n_runs == 2 else ("runs with fewer", "their")
    told = []
    if any(map(counts_unjudged, measures)):
        told.append(f"unjudged documents count as not relevant, so {which} may be better than {their} scores")
    leaving = [name for name in dict.fromkeys(measures) if leaves_out_unjudged(name)]
    if leaving:
        verb = "leaves" if len(leaving) == 1 else "leave"
        told.append(f"{listed(leaving)} {verb} out unjudged documents, so {which} may only seem good")
    return told


def about_hardly_judged(measures: Sequence[str], retrieved: Mapping[str, Retrieved]) -> Iterator[str]:
    """Yield a message if hardly any of the first documents of runs are judged, or none of them.

    The judgments may be those of another round or collection. If no document of a run is judged at all, there is a
    message of its own.

    Examples
    --------
    >>> list(about_hardly_judged(["map"], {"bm25": Retrieved(100, 0.3, of_pool=True)}))
    []
    >>> print(*about_hardly_judged(["map"], {"bm25": Retrieved(100, 0.04, of_pool=True)}))  # doctest: +ELLIPSIS
    at most 4.0% of the first 10 documents of 'bm25' are judged: unjudged documents count as not relevant, so ...
    """
    shares = [each.judged for each in retrieved.values()]
    if not all(share < _HARDLY_ANY for share in shares) or not any(map(counts_unjudged, measures)):
        return
    yield from about_judged(measures, retrieved)
    if max(shares, default=1) == 0 and _are_pooled([retrieved]):
        of_runs = f"'{shown_name(next(iter(retrieved)))}'" if len(retrieved) == 1 else "any run"
        yield f"none of the first documents of {of_runs} is judged: scores may be much too low"


def about_unjudged_first(retrieved: Mapping[str, Retrieved]) -> str | None:
    """Return a message about a run without a judged document among its first ones on any topic, or None.

    If the judgments list relevant documents only, such a run may simply be bad, and there is no message.

    Examples
    --------
    >>> print(about_unjudged_first({"bm25": Retrieved(100, 0.3), "dense": Retrieved(100, 0.0)}))
    none of the first documents of 'dense' is judged (judged_10 is 0)
    """
    unjudged = [name for name, each in retrieved.items() if each.judged == 0 and each.of_pool is not False]
    return (
        f"none of the first documents of '{shown_name(unjudged[0])}' is judged (judged_10 is 0)"
        if unjudged
        else None
    )


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
