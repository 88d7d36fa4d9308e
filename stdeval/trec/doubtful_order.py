"""Find topics whose documents are probably in the wrong order: ranks contradict scores, or scores are too close.

trec_eval ignores ranks, and compares scores as 32-bit floats.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Collection, Sequence
from heapq import nlargest, nsmallest
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

from stdeval.display import counted, excerpt
from stdeval.trec.doubts import Doubt, Kind
from stdeval.trec.lines import excerpt_of

_LEAST_DIFFERENT = 5
"""Fewer different scores or ranks of a single topic prove nothing: they may be in any order by chance."""

_LEAST_OF_SHORT = 2
"""They prove something if all topics have the same doubt, so that fewer suffice in short lists of documents."""

_N_SAMPLED = 20
"""Largest number of documents, evenly spaced among all of a topic, whose ranks are compared with their scores."""

_N_TOP = 10
"""Number of documents at the top of a topic, whose order matters most.

In topics of fewer documents, few different scores may be a coincidence.
"""

_MOST_PAIRS = 0.9
"""Scores rise with the ranks if they do for at least this share of the pairs of documents."""

_MANY_PAIRS = 0.1
"""If scores rise with the ranks for more than this share of the pairs, the two are in different orders."""

_NUMBERED = re.compile(rb"[^0-9]*([0-9]{1,18})")
"""A rank with a word before it."""

_MOST_REPEATED = 0.9
"""Ranks are repeated if at least this share of the documents have the rank of another one."""


class _Topic(NamedTuple):
    """The documents of a topic in the order of the file.

    Parameters
    ----------
    shown : str
        The topic as messages show it.
    docnos : sequence of str
    scores : sequence of float
    ranks : sequence of bytes
        The texts in the column of ranks; empty if the documents have none.
    order : sequence of float
        The ranks as numbers. If they are missing, nearly all the same or not whole numbers, the places of the
        documents in the file take their place.
    is_ranked : bool
        True if the order is that of the ranks.
    least : int
        How many different scores or ranks it must have for a doubt.
    """

    shown: str
    docnos: Sequence[str]
    scores: Sequence[float]
    ranks: Sequence[bytes]
    order: Sequence[float]
    is_ranked: bool
    least: int

    @property
    def is_short(self) -> bool:
        """True if the topic has so few documents that its doubts are weak."""
        return self.least < _LEAST_DIFFERENT

    def where(self, place: int) -> str:
        """Return the rank of a document in words, or its line."""
        if self.is_ranked:
            return f"at rank {excerpt_of(self.ranks[place])}"
        return f"on line {place + 1} of {len(self.scores)}"


def doubts_of_topic(
    topic: str, docnos: Sequence[str], scores: Sequence[float], ranks: Sequence[bytes] = ()
) -> tuple[Doubt, ...] | None:
    """Return the doubts about the order of the documents of a topic.

    Parameters
    ----------
    topic : str
    docnos : sequence of str
        In the order of the file.
    scores : sequence of float
        Those of the documents.
    ranks : sequence of bytes
        Those of the documents, as they are written; empty if they have none.

    Returns
    -------
    tuple of Doubt or None
        None if the topic has a single document.

    Examples
    --------
    >>> doubts_of_topic("301", list("abcdefghij"), [2.0**-n for n in range(150, 160)])
    (Doubt(kind='collisions', example="topic '301': 10 scores become 1", common='', ranks=(0, 0), chance=0),)
    """
    if len(scores) < _LEAST_OF_SHORT:
        return None
    is_short = len(scores) < _N_TOP and not _are_enough(scores, _LEAST_DIFFERENT)
    least = _LEAST_OF_SHORT if is_short else _LEAST_DIFFERENT
    numbers = _numbers(ranks)
    is_ranked = _are_enough(numbers, least) and all(map(float.is_integer, numbers))
    order = numbers if is_ranked else range(len(scores))
    one = _Topic(f"topic '{excerpt(topic)}'", docnos, scores, ranks, order, is_ranked, least)
    of_ranks = _doubt_of_order(one, numbers) or _doubt_of_start(one)
    found = [of_ranks, _doubt_of_ties(one), _doubt_of_collisions(one)]
    return tuple(doubt._replace(chance=_chance(doubt.kind, one)) for doubt in found if doubt is not None)


def _chance(kind: Kind, topic: _Topic) -> float:
    """Return the probability of a doubt if the documents are in any order, and half of the scores are equal."""
    n, is_of_lines = len(topic.scores), kind in ("rising lines", "low")
    if n >= _N_TOP or not (topic.is_short or is_of_lines):
        return 0
    if kind in ("ties", "top ties", "collisions", "top collisions"):
        return 2.0**-n
    # the number of orders in which scores rise at one place only is an Eulerian number
    return (2**n - n - 1 if kind == "low" else 1) / math.factorial(n)


def _are_enough(values: Collection[float], least: int) -> bool:
    return len(values) >= least and len(set(values)) >= least


def _numbers(texts: Sequence[bytes]) -> list[float]:
    """Return texts as numbers, also with a word before each, as in r1; an empty list if one is not finite."""
    try:
        numbers = list(map(float, texts))
    except ValueError:
        numbered = list(filter(None, map(_NUMBERED.fullmatch, texts)))
        return [float(match[1]) for match in numbered] if len(numbered) == len(texts) else []
    return numbers if all(map(math.isfinite, numbers)) else []


def _doubt_of_order(topic: _Topic, numbers: Sequence[float]) -> Doubt | None:
    """Return a doubt if the ranks of a topic, which are these numbers, contradict its scores."""
    # Most runs are in order, and testing that is faster than all other tests.
    if not _are_enough(topic.scores, topic.least) or (_are_rising(topic.order) and _are_falling(topic.scores)):
        return None
    if (exchanged := _doubt_of_exchange(topic, numbers)) is not None:
        return exchanged
    if not topic.is_ranked:
        has_other_words = len(set(topic.ranks)) >= topic.least
        return None if has_other_words else _doubt_of_lines(topic)
    return _doubt_of_rising("rising", topic) or _doubt_of_repetition(topic) or _doubt_of_disorder(topic)


def _doubt_of_start(topic: _Topic) -> Doubt | None:
    """Return a doubt if the ranks begin below the first place, or if some of the first ten are missing.

    Each topic begins at another rank if ranks go on from topic to topic. Its ranks are far apart if they are those
    of a file that is sorted by score. Other ranks are missing if documents, such as judged ones, were removed on
    purpose.
    """
    if not topic.is_ranked:
        return None
    first, last = min(topic.order), max(topic.order)
    if first > 1 and last - first > _FAR_APART * len(topic.order):
        return None
    if first > 1:
        return Doubt("late", f"{topic.shown}: ranks {first:.0f} to {last:.0f}", f"{first:.0f}", (first, last))
    expected = range(int(first), int(min(first + _N_TOP, last + 1)))
    missing = ", ".join(map(str, sorted(set(expected).difference(topic.order))))
    return Doubt("gaps", f"{topic.shown}: {missing}", missing, (first, last)) if missing else None


_FAR_APART = 5
"""If the ranks of a topic span more than this many times its documents, they are not places in a ranking of it."""


def _are_rising(values: Sequence[float]) -> bool:
    return list(values) == sorted(values)


def _are_falling(values: Sequence[float]) -> bool:
    return list(values) == sorted(values, reverse=True)


def _doubt_of_exchange(topic: _Topic, numbers: Sequence[float]) -> Doubt | None:
    """Return a doubt if the scores of a topic are places in a ranking, and its ranks cannot be."""
    if not topic.ranks or not _are_places(topic.scores) or _may_be_places(numbers):
        return None
    places = _sampled_places(topic)
    negated = [-number for number in numbers]
    falls = _are_enough(numbers, topic.least) and _share_rising(negated, topic.scores, places)
    if not _are_rising(topic.scores) and falls < _MOST_PAIRS:
        return None
    return Doubt("exchanged", f"{topic.shown}: rank {excerpt_of(topic.ranks[0])}, score {topic.scores[0]:g}")


def _are_places(scores: Sequence[float]) -> bool:
    """Return whether the scores are 1, 2, 3 and so on, or 0, 1, 2 and so on, in any order."""
    lowest = min(scores)
    return lowest in (0, 1) and sorted(scores) == [lowest + i for i in range(len(scores))]


def _may_be_places(ranks: Sequence[float]) -> bool:
    """Return whether the ranks of the documents of a topic may be their places in a ranking."""
    are_whole = all(map(float.is_integer, ranks))
    return 0 < len(ranks) == len(set(ranks)) and are_whole and min(ranks) >= 0 and max(ranks) <= len(ranks)


def _doubt_of_rising(kind: Literal["rising", "rising lines"], topic: _Topic) -> Doubt | None:
    """Return a doubt if scores rise with the order of the documents: of all, or of the first ten."""
    for places in (_sampled_places(topic), _first_places(topic)):
        scores = [topic.scores[place] for place in places]
        if _are_enough(scores, topic.least) and _share_rising(topic.order, topic.scores, places) >= _MOST_PAIRS:
            first, last = (choose(places, key=topic.order.__getitem__) for choose in (min, max))
            found = f"score {topic.scores[first]!r} {topic.where(first)}, "
            return Doubt(kind, f"{topic.shown}: {found}{topic.scores[last]!r} {topic.where(last)}")
    return None


def _doubt_of_lines(topic: _Topic) -> Doubt | None:
    """Return a doubt if the order of the lines of a topic without ranks contradicts the scores."""
    rising = _doubt_of_rising("rising lines", topic)
    if rising is not None:
        return rising
    # If only the first documents were re-ranked, on a lower scale, the scores rise at one place only.
    first = topic.scores[0]
    n_higher = sum(score > first for score in topic.scores)
    least = _LEAST_DIFFERENT if len(topic.scores) >= _N_TOP else _LEAST_OF_SHORT
    if n_higher < least or sum(above < below for above, below in pairwise(topic.scores)) != 1:
        return None
    return Doubt("low", f"{topic.shown}: score {first!r} of the first document, and {n_higher} higher ones")


def _doubt_of_repetition(topic: _Topic) -> Doubt | None:
    """Return a doubt if nearly all ranks are those of several documents, as in lists that were joined.

    If the lines are in the order of the ranks, each rank may be that of a group of documents.
    """
    scores_at: dict[float, list[float]] = {}
    for rank, score in zip(topic.order, topic.scores, strict=True):
        scores_at.setdefault(rank, []).append(score)
    repeated = {rank: scores for rank, scores in scores_at.items() if len(set(scores)) > 1}
    if _are_rising(topic.order) or sum(map(len, repeated.values())) < _MOST_REPEATED * len(topic.scores):
        return None
    rank, scores = min(repeated.items())
    found = f"scores {min(scores)!r} and {max(scores)!r} at rank {rank:.0f}"
    return Doubt("repeated", f"{topic.shown}: {found}")


def _doubt_of_disorder(topic: _Topic) -> Doubt | None:
    """Return a doubt if ranks have another order than scores: among all documents, or among the first ones.

    If only the first documents were re-ranked, on another scale, those that are first by rank are not those that
    are first by score.
    """
    for places in (_sampled_places(topic), sorted({*_first_places(topic), *_highest_places(topic)})):
        if _share_rising(topic.order, topic.scores, places) > _MANY_PAIRS:
            ranked = sorted(places, key=topic.order.__getitem__)
            rises = (pair for pair in pairwise(ranked) if topic.scores[pair[0]] < topic.scores[pair[1]])
            return Doubt("disorder", _example_of_rise(topic, *next(rises)))
    first = min(range(len(topic.order)), key=topic.order.__getitem__)
    highest = max(range(len(topic.scores)), key=topic.scores.__getitem__)
    if topic.scores[first] < topic.scores[highest]:
        return Doubt("top disorder", _example_of_rise(topic, first, highest))
    return None


def _example_of_rise(topic: _Topic, *places: int) -> str:
    return f"{topic.shown}: {', '.join(f'score {topic.scores[place]!r} {topic.where(place)}' for place in places)}"


def _sampled_places(topic: _Topic) -> Sequence[int]:
    n = len(topic.scores)
    return range(0, n, -(-n // _N_SAMPLED))


def _first_places(topic: _Topic) -> list[int]:
    """Return the places of the first ten documents by rank."""
    return nsmallest(_N_TOP, range(len(topic.order)), key=topic.order.__getitem__)


def _highest_places(topic: _Topic) -> list[int]:
    """Return the places of the first ten documents in trec_eval's order, first ones first."""
    return nlargest(_N_TOP, range(len(topic.scores)), key=lambda place: (topic.scores[place], topic.docnos[place]))


def _share_rising(order: Sequence[float], scores: Sequence[float], places: Sequence[int]) -> float:
    """Return the share of pairs of documents at some places, without ties, whose scores rise with their order."""
    rises = [
        (order[place] < order[other]) == (scores[place] < scores[other])
        for place, other in combinations(places, 2)
        if order[place] != order[other] and scores[place] != scores[other]
    ]
    return sum(rises) / len(rises) if rises else 0.0


def _doubt_of_ties(topic: _Topic) -> Doubt | None:
    """Return a doubt if most documents, or the first ones, have equal scores, and trec_eval changes their order.

    Some documents stand for all of them.
    """
    n, n_different = len(topic.scores), len(set(topic.scores))
    if n_different == n or (n < _N_TOP and not topic.is_short):
        return None
    if 2 * n_different <= n and _is_changed(topic, _sampled_places(topic)):
        return Doubt("ties", f"{topic.shown}: {counted(n_different, 'score')} for {n} documents")
    highest = _highest_places(topic)
    first = [place for place in highest if topic.scores[place] == topic.scores[highest[0]]]
    for top, most_different in ((highest, _N_TOP // 2), (first, 1)):
        n_different = len({topic.scores[place] for place in top})
        if len(top) > 1 and n_different <= most_different and _is_changed(topic, top):
            n_tied = sum(score >= topic.scores[top[-1]] for score in topic.scores)
            found = f"{counted(n_different, 'score')} for the first {n_tied} documents"
            return Doubt("top ties", f"{topic.shown}: {found}")
    return None


def _is_changed(topic: _Topic, places: Sequence[int]) -> bool:
    """Return whether trec_eval changes the order of the documents at some places."""
    ranked = sorted(places, key=lambda place: (topic.scores[place], topic.docnos[place]), reverse=True)
    # Documents with equal scores may have equal ranks.
    return any(topic.order[place] > topic.order[then] for place, then in pairwise(ranked))


def _doubt_of_collisions(topic: _Topic) -> Doubt | None:
    """Return a doubt if 32-bit floats are at most half as many as different scores, or equal for the highest."""
    highest = nlargest(_N_TOP, topic.scores)
    of_highest = "the {} highest scores"
    for scores, shown in (
        (topic.scores, "{} scores"),
        (highest, of_highest),
        (highest[: _N_TOP // 2], of_highest),
    ):
        n_different, n_singles = len(set(scores)), len(set(array("f", scores)))
        if n_different >= topic.least and 2 * n_singles <= n_different:
            return Doubt("collisions", f"{topic.shown}: {shown.format(n_different)} become {n_singles}")
    single = array("f", highest)
    n_different = len(set(highest[: single.count(single[0])]))
    if n_different > 1:
        # Good runs have some close scores on single topics, but none that are infinite as 32-bit floats.
        kind: Kind = "collisions" if math.isinf(single[0]) else "top collisions"
        return Doubt(kind, f"{topic.shown}: {of_highest.format(n_different)} become 1")
    return None
