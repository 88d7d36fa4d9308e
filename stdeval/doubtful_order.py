"""Find topics whose documents are probably in the wrong order: ranks contradict scores, or scores are too close.

trec_eval ignores ranks, and compares scores as 32-bit floats.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Callable, Sequence
from heapq import nlargest
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

from stdeval.display import counted, excerpt
from stdeval.trec_lines import excerpt_of

# At most 18 digits fit into 64 bits, and int() refuses thousands of them.
WHOLE_RANK = re.compile(rb"[+-]?[0-9]{1,18}")

RanksAt = Callable[[Sequence[int]], Sequence[bytes]]
"""A function that returns the texts in the column of ranks, for the documents at some places of a topic."""

_LEAST_DIFFERENT = 5
"""Fewer different scores or ranks prove nothing: they may be in any order by chance."""

_SAMPLE = 20
"""Largest number of documents whose ranks are compared with their scores."""

_N_TOP = 10
"""Number of documents at the top of a topic among which equal scores matter most.

In topics of fewer documents, few different scores may be a coincidence.
"""

_MOST_PAIRS = 0.9
"""Scores rise with the ranks if they do for at least this share of the pairs of documents."""

_MANY_PAIRS = 0.2
"""Ranks and scores are in different orders if they contradict each other for more than this share of the pairs."""


class Doubt(NamedTuple):
    """A reason to doubt the order of the documents of a run.

    Parameters
    ----------
    kind : {"rising", "rising lines", "low", "disorder", "exchanged", "ties", "top ties", "collisions", "docnos"}
        Scores rise with the ranks, or from line to line if there are no ranks; the first document by rank, or else
        by line, has a lower score than some others; ranks and scores are in different orders; the columns of ranks
        and scores are exchanged; most documents, or the first ones, have equal scores, and their ranks or lines are
        not in trec_eval's order; different scores are equal as 32-bit floats; or docnos are not written as in the
        judgments.
    example : str
        The topic, and what was found there.
    """

    kind: Literal[
        "rising", "rising lines", "low", "disorder", "exchanged", "ties", "top ties", "collisions", "docnos"
    ]
    example: str


def doubts_of_topic(
    topic: str, docnos: Sequence[str], scores: Sequence[float], ranks_at: RanksAt | None = None
) -> tuple[Doubt, ...] | None:
    """Return the doubts about the order of the documents of a topic.

    Parameters
    ----------
    topic : str
    docnos : sequence of str
    scores : sequence of float
        In the order of the docnos.
    ranks_at : callable, optional
        See `RanksAt`; None if documents have no ranks.

    Returns
    -------
    tuple of Doubt or None
        None if the topic has too few documents to tell.

    Examples
    --------
    >>> doubts_of_topic("301", list("abcdefghij"), [2.0**-n for n in range(150, 160)])
    (Doubt(kind='collisions', example="topic '301': 10 scores become 1"),)
    """
    if not _are_enough(scores) and len(scores) < _N_TOP:
        return None
    places = range(0, len(scores), -(-len(scores) // _SAMPLE))
    ranks = [] if ranks_at is None else ranks_at(places)
    found = [
        _doubt_of_ranks(topic, ranks, places, scores)
        or _doubt_of_head(topic, ranks_at, places, scores)
        or _doubt_of_disorder(topic, ranks, places, scores),
        _doubt_of_ties(topic, docnos, scores, places, ranks_at),
        _doubt_of_collisions(topic, scores),
    ]
    return tuple(doubt for doubt in found if doubt is not None)


def _are_enough(values: Sequence[float]) -> bool:
    return len(values) >= _LEAST_DIFFERENT and len(set(values)) >= _LEAST_DIFFERENT


def _doubt_of_ranks(
    topic: str, ranks: Sequence[bytes], places: Sequence[int], all_scores: Sequence[float]
) -> Doubt | None:
    """Return a doubt if the ranks of some documents of a topic contradict their scores.

    The order of the lines takes the place of ranks that are missing, or nearly all the same.

    Parameters
    ----------
    topic : str
    ranks : sequence of bytes
        Those of some documents; empty if there are none.
    places : sequence of int
        The places of the same documents, rising.
    all_scores : sequence of float
        Those of all documents, in the order of the file.
    """
    scores = [all_scores[place] for place in places]
    if not _are_enough(scores):
        return None
    numbers = _whole_ranks(ranks)
    if ranks and _are_places(all_scores) and not _may_be_places(numbers, len(all_scores)):
        in_order = sorted(all_scores) == list(all_scores)
        if in_order or _share_falling(_numbers(ranks), scores) >= _MOST_PAIRS:
            return Doubt("exchanged", f"{_shown(topic)}: rank {excerpt_of(ranks[0])}, score {scores[0]:g}")
    if _are_enough(numbers):
        where = [f"at rank {excerpt_of(rank)}" for rank in ranks]
        return _doubt_of_rising("rising", topic, numbers, scores, where)
    if len(set(ranks)) < _LEAST_DIFFERENT and len(all_scores) >= _N_TOP:
        where = [f"on line {place + 1} of {len(all_scores)}" for place in places]
        return _doubt_of_rising("rising lines", topic, places, scores, where)
    return None


def _doubt_of_rising(
    kind: Literal["rising", "rising lines"],
    topic: str,
    order: Sequence[float],
    scores: Sequence[float],
    where: Sequence[str],
) -> Doubt | None:
    """Return a doubt if the scores of some documents rise with their ranks or lines.

    For each document, `where` has its rank or line in words.
    """
    if _share_rising(order, scores) < _MOST_PAIRS:
        return None
    first, last = (choose(range(len(order)), key=order.__getitem__) for choose in (min, max))
    of_both = f"score {scores[first]!r} {where[first]}, {scores[last]!r} {where[last]}"
    return Doubt(kind, f"{_shown(topic)}: {of_both}")


def _doubt_of_head(
    topic: str, ranks_at: RanksAt | None, places: Sequence[int], scores: Sequence[float]
) -> Doubt | None:
    """Return a doubt if the first document has a lower score than others, and the documents are in order otherwise.

    This happens if only the first documents were re-ranked, on a lower scale. If all documents were re-ranked and
    kept their old ranks, they are not in order. If few documents have higher scores, the ones with the highest
    scores must be in order except at one place.
    """
    order = _order_at(ranks_at, places)
    if not _are_sorted(order):
        # The first document is on any line.
        places = range(len(scores))
        order = _order_at(ranks_at, places)
    first = min(zip(order, places, strict=True))[1]
    higher = [place for place, score in enumerate(scores) if score > scores[first]]
    if len(higher) < _LEAST_DIFFERENT or len(scores) < _N_TOP:
        return None
    if len(higher) < _N_TOP:
        some = nlargest(_SAMPLE, range(len(scores)), key=scores.__getitem__)
    else:
        some = [first, *higher[:: -(-len(higher) // _SAMPLE)]]
    ranked = [place for _, place in sorted(zip(_order_at(ranks_at, some), some, strict=True))]
    if ranked[0] != first or sum(scores[place] < scores[then] for place, then in pairwise(ranked)) != 1:
        return None
    found = f"score {scores[first]!r} of the first document, and {len(higher)} higher ones"
    return Doubt("low", f"{_shown(topic)}: {found}")


def _doubt_of_disorder(
    topic: str, ranks: Sequence[bytes], places: Sequence[int], all_scores: Sequence[float]
) -> Doubt | None:
    """Return a doubt if the ranks of some documents have another order than the scores: one of the two is old."""
    numbers, scores = _whole_ranks(ranks), [all_scores[place] for place in places]
    if not (_are_enough(numbers) and _are_enough(scores)) or _share_rising(numbers, scores) <= _MANY_PAIRS:
        return None
    ranked = sorted(range(len(numbers)), key=numbers.__getitem__)
    above, below = next(pair for pair in pairwise(ranked) if scores[pair[0]] < scores[pair[1]])
    of_both = (f"score {scores[each]!r} at rank {excerpt_of(ranks[each])}" for each in (above, below))
    return Doubt("disorder", f"{_shown(topic)}: {', '.join(of_both)}")


def _are_sorted(numbers: Sequence[float]) -> bool:
    return list(numbers) == sorted(numbers)


def _order_at(ranks_at: RanksAt | None, places: Sequence[int]) -> Sequence[float]:
    """Return the ranks of the documents at some places, or the places themselves.

    The places are returned if ranks are missing, or nearly all the same.
    """
    ranks = [] if ranks_at is None else _numbers(ranks_at(places))
    return ranks if len(set(ranks)) >= _LEAST_DIFFERENT else places


def _whole_ranks(ranks: Sequence[bytes]) -> list[float]:
    """Return ranks as numbers, or an empty list if one of them is not a whole number."""
    return _numbers(ranks) if all(map(WHOLE_RANK.fullmatch, ranks)) else []


def _numbers(texts: Sequence[bytes]) -> list[float]:
    """Return texts as numbers, or an empty list if one of them is not a finite number."""
    try:
        numbers = list(map(float, texts))
    except ValueError:
        return []
    return numbers if all(map(math.isfinite, numbers)) else []


def _share_rising(ranks: Sequence[float], scores: Sequence[float]) -> float:
    """Return the share of pairs of documents, without ties of either, whose scores rise with their ranks."""
    # Most runs are in order, and testing that is faster than counting pairs.
    if _are_sorted(ranks) and list(scores) == sorted(scores, reverse=True):
        return 0.0
    rises = [
        (rank < other_rank) == (score < other_score)
        for (rank, score), (other_rank, other_score) in combinations(zip(ranks, scores, strict=True), 2)
        if rank != other_rank and score != other_score
    ]
    return sum(rises) / len(rises)


def _share_falling(ranks: Sequence[float], scores: Sequence[float]) -> float:
    """Return the share of pairs of documents whose scores fall as ranks rise; 0 for too few different ranks."""
    return _share_rising([-rank for rank in ranks], scores) if _are_enough(ranks) else 0.0


def _are_places(scores: Sequence[float]) -> bool:
    """Return whether the scores are 1, 2, 3 and so on, or 0, 1, 2 and so on, in any order."""
    lowest = min(scores)
    return lowest in (0, 1) and sorted(scores) == [lowest + i for i in range(len(scores))]


def _may_be_places(ranks: Sequence[float], n_documents: int) -> bool:
    """Return whether the ranks of some documents of a topic may be their places in it."""
    return 0 < len(ranks) == len(set(ranks)) and min(ranks) >= 0 and max(ranks) <= n_documents


def _doubt_of_ties(
    topic: str, docnos: Sequence[str], scores: Sequence[float], places: Sequence[int], ranks_at: RanksAt | None
) -> Doubt | None:
    """Return a doubt if most documents, or the first ones, have equal scores, and trec_eval changes their order.

    Their order is that of their ranks, or of the lines if ranks are missing or nearly all the same. Documents at
    some places stand for all of them.
    """
    n = len(scores)
    if n < _N_TOP:
        return None
    if 2 * (n_different := len(set(scores))) <= n and _is_other_order(ranks_at, places, docnos, scores):
        return Doubt("ties", f"{_shown(topic)}: {counted(n_different, 'score')} for {n} documents")
    by_score = nlargest(_N_TOP, range(n), key=lambda place: (scores[place], docnos[place]))
    for top, most_different in ((by_score, _N_TOP // 2), (by_score[: _N_TOP // 2], 1)):
        n_different = len({scores[place] for place in top})
        if n_different <= most_different and _is_other_order(ranks_at, top, docnos, scores):
            n_tied = sum(score >= scores[top[-1]] for score in scores)
            found = f"{counted(n_different, 'score')} for the first {n_tied} documents"
            return Doubt("top ties", f"{_shown(topic)}: {found}")
    return None


def _is_other_order(
    ranks_at: RanksAt | None, places: Sequence[int], docnos: Sequence[str], scores: Sequence[float]
) -> bool:
    """Return whether trec_eval changes the order of the documents at some places."""
    rank_of = dict(zip(places, _order_at(ranks_at, places), strict=True))
    ranked = sorted(places, key=lambda place: (scores[place], docnos[place]), reverse=True)
    # Documents with equal scores may have equal ranks.
    return any(rank_of[place] > rank_of[then] for place, then in pairwise(ranked))


def _doubt_of_collisions(topic: str, scores: Sequence[float]) -> Doubt | None:
    """Return a doubt if 32-bit floats are at most half as many as different scores, of all documents or of ten."""
    n_singles = len(set(array("f", scores)))
    # The first test is cheaper, and usually decides.
    if 2 * n_singles <= len(scores) and 2 * n_singles <= (n := len(set(scores))) and _are_enough(scores):
        return Doubt("collisions", f"{_shown(topic)}: {n} scores become {n_singles}")
    highest = nlargest(_N_TOP, scores)
    n_singles = len(set(array("f", highest)))
    if 2 * n_singles <= len(set(highest)) and _are_enough(highest):
        return Doubt("collisions", f"{_shown(topic)}: the {len(highest)} highest scores become {n_singles}")
    return None


def _shown(topic: str) -> str:
    return f"topic '{excerpt(topic)}'"
