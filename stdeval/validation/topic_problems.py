"""Find the problems of single topics of a run: of their docnos, ranks and scores."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Sequence, Set
from itertools import pairwise

from stdeval.display import counted
from stdeval.trec.lines import excerpt_of
from stdeval.validation.problems import Findings
from stdeval.validation.run_entries import Topic, named

# At most 18 digits fit into 64 bits, and int() refuses thousands of them.
_WHOLE_NUMBER = re.compile(rb"[+-]?[0-9]{1,18}")


def check_topic(topic: Topic, most: int, unlisted: Set[str], findings: Findings) -> None:
    """Add the problems of a topic to the findings.

    Parameters
    ----------
    topic : Topic
    most : int
        The greatest number of documents.
    unlisted : set of str
        Docnos that the collection does not have.
    findings : Findings
    """
    _check_repeats(topic, findings)
    _check_number(topic, most, findings)
    _check_docnos(topic, unlisted, findings)
    ranks = _checked_ranks(topic, findings)
    if ranks:
        _check_sequence(topic, ranks, findings)
        _check_order(topic, ranks, findings)
    _check_equal_scores(topic, ranks, findings)


def _check_repeats(topic: Topic, findings: Findings) -> None:
    if len(set(topic.docnos)) == len(topic.docnos):
        return
    first: dict[str, int] = {}
    for docno, number in zip(topic.docnos, topic.numbers, strict=True):
        if first.setdefault(docno, number) != number:
            findings.add("duplicates", number, f"{named(topic, docno)} is also in line {first[docno]}")


def _check_number(topic: Topic, most: int, findings: Findings) -> None:
    n = len(topic.docnos)
    if n > most:
        detail = f"{topic.shown} has {counted(n, 'document')}, expected at most {most}"
        findings.add("max-docs", topic.numbers[most], detail)


def _check_docnos(topic: Topic, unlisted: Set[str], findings: Findings) -> None:
    if not unlisted.isdisjoint(topic.docnos):
        places = [place for place, docno in enumerate(topic.docnos) if docno in unlisted]
        detail = f"{named(topic, topic.docnos[places[0]])} is not in the list"
        findings.add("unknown-docnos", topic.numbers[places[0]], detail, len(places))


def _checked_ranks(topic: Topic, findings: Findings) -> list[int] | None:
    """Return the ranks as numbers, or None if one is not a number."""
    others = [place for place, rank in enumerate(topic.ranks) if not _WHOLE_NUMBER.fullmatch(rank)]
    if others:
        detail = f"rank '{excerpt_of(topic.ranks[others[0]])}', expected a whole number"
        findings.add("rank", topic.numbers[others[0]], detail, len(others))
        return None
    return list(map(int, topic.ranks))


def _check_sequence(topic: Topic, ranks: list[int], findings: Findings) -> None:
    """Look for ranks that occur twice, and for ranks that are left out."""
    if min(ranks) in (0, 1) and all(below == rank + 1 for rank, below in pairwise(ranks)):
        return
    line_of: dict[int, int] = {}
    for rank, number in zip(ranks, topic.numbers, strict=True):
        if line_of.setdefault(rank, number) != number:
            detail = f"rank {rank} of {topic.shown} is also in line {line_of[rank]}"
            findings.add("repeated-ranks", number, detail)
    distinct = sorted(line_of)
    if distinct[0] not in (0, 1):
        detail = f"the first rank of {topic.shown} is {distinct[0]}"
        findings.add("rank-gaps", line_of[distinct[0]], detail)
        return
    gap = next(((rank, below) for rank, below in pairwise(distinct) if below != rank + 1), None)
    if gap:
        detail = f"rank {gap[1]} follows rank {gap[0]} in {topic.shown}"
        findings.add("rank-gaps", line_of[gap[1]], detail)


def _check_order(topic: Topic, ranks: list[int], findings: Findings) -> None:
    """Look for documents that the rank column puts below one with a lower score."""
    scores = topic.scores
    # Of documents with the same rank any may come first, so only the lowest of them can be below the next rank.
    by_rank = sorted(range(len(ranks)), key=lambda place: (ranks[place], -scores[place]))
    risen = [
        (above, below)
        for above, below in pairwise(by_rank)
        if scores[above] < scores[below] and ranks[above] < ranks[below]
    ]
    if risen:
        above, below = min(risen, key=lambda pair: topic.numbers[pair[1]])
        found = f"score {scores[below]!r} at rank {ranks[below]}, {scores[above]!r} at rank {ranks[above]}"
        detail = f"{topic.shown}: {found}; trec_eval ignores ranks"
        findings.add("rank-order", topic.numbers[below], detail, len(risen))


def _check_equal_scores(topic: Topic, ranks: list[int] | None, findings: Findings) -> None:
    """Look for documents that trec_eval orders by docno, because their scores are equal as 32-bit floats."""
    singles = array("f", topic.scores)
    if len(set(singles)) == len(singles):
        return
    groups: dict[float, list[int]] = {}
    for place, score in enumerate(singles):
        groups.setdefault(score, []).append(place)
    for places in groups.values():
        if len(places) > 1:
            _check_group(topic, places, findings)
            if ranks:
                _check_places(topic, places, ranks, findings)


def _check_group(topic: Topic, places: Sequence[int], findings: Findings) -> None:
    """Count documents with the same 32-bit score: those that are equal as 64-bit floats, and those that are not."""
    sizes = Counter(topic.scores[place] for place in places)
    tied = [place for place in places if sizes[topic.scores[place]] > 1]
    if tied:
        score = topic.scores[tied[0]]
        detail = f"{topic.shown}: {sizes[score]} documents have the score {score!r}"
        findings.add("ties", topic.numbers[tied[0]], detail, len(tied))
    if len(sizes) > 1:
        one, other = list(sizes)[:2]
        detail = f"{topic.shown}: {one!r} and {other!r} are one 32-bit float"
        findings.add("collisions", topic.numbers[places[0]], detail, len(places))


def _check_places(topic: Topic, places: Sequence[int], ranks: list[int], findings: Findings) -> None:
    """Count the documents that trec_eval puts at other places than the rank column does."""
    by_rank = sorted(places, key=ranks.__getitem__)
    by_docno = sorted(places, key=topic.docnos.__getitem__, reverse=True)
    moved = [ranked for ranked, evaluated in zip(by_rank, by_docno, strict=True) if ranked != evaluated]
    # Equal ranks say nothing about the order.
    if moved and len({ranks[place] for place in places}) == len(places):
        first = min(moved, key=topic.numbers.__getitem__)
        detail = f"{named(topic, topic.docnos[first])} has rank {ranks[first]}, where trec_eval puts another"
        findings.add("reordered", topic.numbers[first], detail, len(moved))
