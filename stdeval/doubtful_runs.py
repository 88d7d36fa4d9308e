"""Runs whose documents are probably not ordered as meant: ranks contradict scores, or scores are too close.

trec_eval ignores ranks, and compares scores as 32-bit floats. Mistakes of these kinds concern a whole run. So a few
documents of its first topic reveal them, in much less time than it takes to read the run.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

from stdeval.display import excerpt
from stdeval.trec_lines import RUN_FORM, Lines, excerpt_of

# int() refuses to convert thousands of digits.
WHOLE_RANK = re.compile(rb"[+-]?[0-9]{1,18}")

_LEAST = 5
"""Number of different scores of a topic, and of different ranks, from which on their order is no coincidence."""

_SAMPLE = 20
"""Largest number of documents whose ranks are compared with their scores."""

_LEAST_TIED = 10
"""Number of documents of a topic from which on few different scores are no coincidence."""

_MOST_PAIRS = 0.9
"""The share of the pairs of documents that must contradict: other orders than that of a re-ranked run."""


class Doubt(NamedTuple):
    """A reason to doubt the order of the documents of a run.

    Parameters
    ----------
    kind : {"rising", "low", "exchanged", "ties", "collisions"}
        Scores rise with the ranks; the document at the first rank has a lower score than some others; the
        columns of ranks and scores are exchanged; documents of different ranks have equal scores; or different
        scores are equal as 32-bit floats.
    example : str
        The topic, and what was found there.
    """

    kind: Literal["rising", "low", "exchanged", "ties", "collisions"]
    example: str


def doubts_of_lines(chunk: bytes, lines: Lines, first: int) -> tuple[Doubt, ...] | None:
    r"""Return the doubts about the order of documents in the first chunk of a run.

    Parameters
    ----------
    chunk : bytes
    lines : Lines
        The parsed lines of the chunk.
    first : int
        The number of its first line.

    Returns
    -------
    tuple of Doubt or None
        Those about the first topic with enough different scores; None if no topic has enough.

    Examples
    --------
    >>> from stdeval.trec_lines import run_lines
    >>> chunk = b"".join(b"301 Q0 d%d %d 0.%d dist\n" % (rank, rank, rank) for rank in range(1, 9))
    >>> (doubt,) = doubts_of_lines(chunk, run_lines(chunk, 1, "dist.run"), 1)
    >>> doubt.kind, doubt.example
    ('rising', "topic '301': score 0.1 at rank 1, 0.8 at rank 8")
    """
    places_of: dict[str, list[int]] = {}
    for topic, start, end in lines.groups:
        places_of.setdefault(topic, []).extend(range(start, end))
    for topic, places in places_of.items():
        scores = [lines.values[place] for place in places]
        if _are_enough(scores) or len(scores) >= _LEAST_TIED:
            step = -(-len(places) // _SAMPLE)
            numbers = [lines.numbers[place] - first for place in places[::step]]
            texts = chunk.split(b"\n", numbers[-1] + 1)
            ranks = [texts[number].split(None, 4)[3] for number in numbers]
            keys = [(lines.values[place], lines.docnos[place]) for place in places[::step]]
            found = (
                _doubt_of_ranks(topic, ranks, scores[::step], scores),
                _doubt_of_ties(topic, _numbers(ranks), keys, scores),
                _doubt_of_collisions(topic, scores),
            )
            return tuple(doubt for doubt in found if doubt is not None)
    return None


def doubts_of_scores(topics: Iterable[tuple[str, Iterable[float]]]) -> tuple[Doubt, ...]:
    """Return the doubts about a run in memory, which has no ranks, from pairs of a topic and its scores.

    Examples
    --------
    >>> doubts_of_scores([("301", [2.0**-n for n in range(145, 185)])])[0].example
    "topic '301': 40 scores become 6"
    """
    for topic, given in topics:
        scores = list(map(float, given))
        if _are_enough(scores):
            doubt = _doubt_of_collisions(topic, scores)
            return () if doubt is None else (doubt,)
    return ()


def about_doubts(found: Sequence[tuple[str, Doubt]], n_runs: int, double: str | None) -> Iterator[str]:
    """Yield a message about each kind of doubt.

    Parameters
    ----------
    found : sequence of (str, Doubt)
        The doubts, each with the tag of its run.
    n_runs : int
        The number of all runs.
    double : str or None
        The option that compares scores as 64-bit floats; None if they are compared so, since then there are no
        collisions.

    Examples
    --------
    >>> doubt = Doubt("rising", "topic '301': score 0.1 at rank 1, 0.8 at rank 8")
    >>> print(*about_doubts([("dist", doubt)], 1, None))  # doctest: +NORMALIZE_WHITESPACE
    'dist' has scores that rise with the ranks (topic '301': score 0.1 at rank 1, 0.8 at rank 8); documents are
    ordered by score, highest first: negate the scores if they are distances
    """
    ordered = "documents are ordered by score, highest first"
    messages = {
        "rising": ("scores that rise with the ranks", f"{ordered}: negate the scores if they are distances"),
        "low": (
            "a low score at the first rank",
            f"{ordered}: if only the first documents were re-ranked, lower the scores of the others",
        ),
        "exchanged": ("ranks in the column of scores", f"{ordered}: expected lines of: {RUN_FORM}"),
        "ties": (
            "equal scores for most documents",
            "they are ordered by docno, not by rank: expected scores with enough digits to tell them apart",
        ),
        "collisions": (
            "different scores that are equal as 32-bit floats",
            f"they are ordered by docno: {double} tells them apart",
        ),
    }
    for kind, (what, then) in messages.items():
        doubtful = [(tag, doubt.example) for tag, doubt in found if doubt.kind == kind]
        if doubtful and (kind != "collisions" or double is not None):
            tag, example = doubtful[0]
            have = "has" if len(doubtful) == 1 else "have"
            several = f"{len(doubtful)} of {n_runs} runs {have} {what} (e.g. '{excerpt(tag)}', {example})"
            one = f"'{excerpt(tag)}' has {what} ({example})"
            yield f"{one if n_runs == 1 else several}; {then}"


def scores_at_ranks(first: tuple[float, object], second: tuple[float, object]) -> str:
    """Return a text about two documents, each with its score and rank."""
    (score, rank), (other_score, other_rank) = first, second
    return f"score {score!r} at rank {rank}, {other_score!r} at rank {other_rank}"


def _are_enough(values: Sequence[float]) -> bool:
    return len(values) >= _LEAST and len(set(values)) >= _LEAST


def _doubt_of_ranks(
    topic: str, ranks: Sequence[bytes], scores: Sequence[float], all_scores: Sequence[float]
) -> Doubt | None:
    """Compare the ranks of some documents of a topic with their scores.

    Ranks that are not whole numbers are doubtful only if all scores of the topic are numbers of places.
    """
    numbers = _numbers(ranks)
    if not _are_enough(numbers) or not _are_enough(scores):
        return None
    if all(map(WHOLE_RANK.fullmatch, ranks)):
        by_rank = sorted(range(len(numbers)), key=numbers.__getitem__)
        first = by_rank[0]
        if _share_rising(numbers, scores) >= _MOST_PAIRS:
            return Doubt("rising", _example(topic, ranks, scores, first, by_rank[-1]))
        # Ranks from before a run was re-ranked are out of order everywhere, and not in one place only.
        n_rises = sum(scores[place] < scores[then] for place, then in pairwise(by_rank))
        if n_rises == 1 and 20 * sum(score > scores[first] for score in all_scores) > len(all_scores):
            return Doubt("low", _example(topic, ranks, scores, first, max(by_rank, key=scores.__getitem__)))
        return None
    falling = _share_rising([-number for number in numbers], scores)
    if falling < _MOST_PAIRS or not _are_places(all_scores):
        return None
    return Doubt("exchanged", f"{_shown(topic)}: rank {excerpt_of(ranks[0])}, score {scores[0]:g}")


def _example(topic: str, ranks: Sequence[bytes], scores: Sequence[float], one: int, other: int) -> str:
    first, second = ((scores[place], excerpt_of(ranks[place])) for place in (one, other))
    return f"{_shown(topic)}: {scores_at_ranks(first, second)}"


def _numbers(texts: Sequence[bytes]) -> list[float]:
    """Return finite numbers; none if a text is something else."""
    try:
        numbers = list(map(float, texts))
    except ValueError:
        return []
    return numbers if all(map(math.isfinite, numbers)) else []


def _share_rising(ranks: Sequence[float], scores: Sequence[float]) -> float:
    """Return the share of pairs of documents whose scores rise with their ranks, without ties of either."""
    # Most runs are in order, which is seen faster than pairs are counted.
    if list(ranks) == sorted(ranks) and list(scores) == sorted(scores, reverse=True):
        return 0.0
    rises = [
        (rank < other_rank) == (score < other_score)
        for (rank, score), (other_rank, other_score) in combinations(zip(ranks, scores, strict=True), 2)
        if rank != other_rank and score != other_score
    ]
    return sum(rises) / len(rises)


def _are_places(scores: Sequence[float]) -> bool:
    """Return whether the numbers are those from 1, or from 0, each once."""
    lowest = min(scores)
    return lowest in (0, 1) and sorted(scores) == [lowest + i for i in range(len(scores))]


def _doubt_of_ties(
    topic: str, ranks: Sequence[float], keys: Sequence[tuple[float, str]], scores: Sequence[float]
) -> Doubt | None:
    """Return a doubt if a topic has at most half as many different scores as documents, and ranks order them.

    Ranks order documents if they are different and another order than trec_eval's, which is that of the keys, the
    scores and docnos of the documents whose ranks are given, from high to low.
    """
    n_different = len(set(scores))
    if len(scores) < _LEAST_TIED or 2 * n_different > len(scores):
        return None
    by_rank = [key for _, key in sorted(zip(ranks, keys, strict=False))]
    if len(set(ranks)) < len(keys) or by_rank == sorted(keys, reverse=True):
        return None
    noun = "score" if n_different == 1 else "scores"
    return Doubt("ties", f"{_shown(topic)}: {n_different} {noun} for {len(scores)} documents")


def _doubt_of_collisions(topic: str, scores: Sequence[float]) -> Doubt | None:
    """Return a doubt if at most half of the different scores of a topic are different 32-bit floats."""
    n_singles = len(set(array("f", scores)))
    # Most often, this is known without counting the different scores.
    if 2 * n_singles > len(scores) or 2 * n_singles > (n := len(set(scores))):
        return None
    return Doubt("collisions", f"{_shown(topic)}: {n} scores become {n_singles}")


def _shown(topic: str) -> str:
    return f"topic '{excerpt(topic)}'"
