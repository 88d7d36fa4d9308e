"""Find runs whose documents are probably in the wrong order, by looking at some of their topics.

Looking at ten topics takes much less time than reading the run. They are chosen by the checksums of their names: so
they are spread over the run, and are the same ones if several processes read parts of it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import nsmallest
from itertools import chain, pairwise
from typing import TypeVar
from zlib import crc32

from stdeval.display import excerpt
from stdeval.trec.doubtful_order import doubts_of_topic
from stdeval.trec.doubts import Doubt, Kind
from stdeval.trec.lines import RUN_FORM

_N_TOPICS = 10
"""Largest number of topics that are looked at.

They reveal a mistake in 30% of the topics with a probability of 97%.
"""

_REASONS = {
    "top disorder": "top disorder",
    "ties": "ties",
    "top ties": "ties",
    "collisions": "collisions",
    "top collisions": "top collisions",
    "docnos": "docnos",
    "off by one": "docnos",
    "late": "late",
    "gaps": "gaps",
}
"""The reason of each kind of doubt; for all other kinds, ranks or lines contradict scores."""

_LEAST_SHARES = {"ties": 0.4, "top collisions": 0.4, "top disorder": 0.4}
"""The share of the topics that must have such a doubt: good runs have many ties on single topics."""

_FEWEST_LATE, _MANY_LATE, _LATE = 3, 0.4, 10
"""The first documents of a few topics may be missing for good reasons, and the first few of many topics."""

_LARGEST_CHANCE = 1 / 32
"""If topics have few documents, their doubts are reported if they occur together by chance in fewer runs than this.

Two scores rise on all of five topics in 1 of 32 runs.
"""

_Found = TypeVar("_Found")


def may_be_sampled(topic: str, sample: Collection[str]) -> bool:
    """Return whether a topic belongs to the sample of all topics so far."""
    return topic in sample or len(sample) < _N_TOPICS or _checksum(topic) < max(map(_checksum, sample))


def sampled(found: Mapping[str, _Found]) -> dict[str, _Found]:
    """Return what was found for the topics with the ten lowest checksums, in the order given.

    Examples
    --------
    >>> list(sampled(dict.fromkeys(map(str, range(301, 351)))))
    ['304', '308', '320', '324', '328', '330', '334', '338', '341', '345']
    """
    lowest = set(nsmallest(_N_TOPICS, found, key=_checksum))
    return {topic: each for topic, each in found.items() if topic in lowest}


@lru_cache(maxsize=10_000)
def _checksum(topic: str) -> int:
    return crc32(topic.encode("utf-8", "surrogateescape"))


def doubts_of_run(by_topic: Mapping[str, Sequence[Doubt]]) -> tuple[Doubt, ...]:
    """Return at most one doubt for each reason, with an example, from the doubts about sampled topics.

    Examples
    --------
    >>> tied, rising = Doubt("ties", "topic '2': A"), Doubt("rising", "topic '3': B")
    >>> doubts_of_run({"1": [], "2": [tied], "3": [rising]})
    (Doubt(kind='rising', example="topic '3': B", common='', ranks=(0, 0), chance=0),)
    """
    found: dict[str, list[Doubt]] = {}
    for doubt in chain.from_iterable(by_topic.values()):
        found.setdefault(_REASONS.get(doubt.kind, "order"), []).append(doubt)
    return tuple(
        _most_frequent(doubts) for reason, doubts in found.items() if _are_enough(reason, doubts, len(by_topic))
    )


def _are_enough(reason: str, doubts: Sequence[Doubt], n_topics: int) -> bool:
    if reason == "late":
        return _are_late(doubts, n_topics)
    if reason == "gaps":
        return len(doubts) >= _FEWEST_LATE and _are_the_same(doubts, n_topics)
    chance = math.prod(doubt.chance for doubt in doubts)
    if chance > _LARGEST_CHANCE:
        return False
    are_weak = all(doubt.chance for doubt in doubts)
    return len(doubts) >= _LEAST_SHARES.get(reason, 1 if are_weak else 0) * n_topics


def _are_the_same(doubts: Sequence[Doubt], n_topics: int) -> bool:
    """Return whether all topics have the same doubt, of which each would have another one by chance."""
    return len(doubts) == n_topics and len({doubt.common for doubt in doubts}) == 1


def _are_late(doubts: Sequence[Doubt], n_topics: int) -> bool:
    """Return whether the ranks of all topics begin at the same place, or those of many topics far below the first.

    Ranks that go on from topic to topic begin below the first place as well, but no rank occurs twice.
    """
    if len(doubts) < _FEWEST_LATE:
        return False
    if _are_the_same(doubts, n_topics):
        return True
    far = sorted(doubt.ranks for doubt in doubts if doubt.ranks[0] > _LATE)
    occur_twice = any(later[0] <= earlier[1] for earlier, later in pairwise(far))
    return occur_twice and len(far) >= max(_FEWEST_LATE, _MANY_LATE * n_topics)


def _most_frequent(doubts: Sequence[Doubt]) -> Doubt:
    doubts = [doubt for doubt in doubts if not doubt.chance] or doubts
    (kind, _), *_ = Counter(doubt.kind for doubt in doubts).most_common()
    return next(doubt for doubt in doubts if doubt.kind == kind)


def doubts_of_documents(
    documents: Mapping[str, Mapping[str, float]], ranks: Mapping[str, Sequence[object]] | None = None
) -> tuple[Doubt, ...]:
    """Return the doubts about a run in memory.

    Parameters
    ----------
    documents : mapping of topic to docno to score
    ranks : mapping of topic to sequence, optional
        The ranks of the documents, if they have any.

    Examples
    --------
    >>> doubts_of_documents({"301": {f"d{n}": 2.0**-n for n in range(145, 185)}})[0].example
    "topic '301': 40 scores become 6"
    """
    by_topic: dict[str, tuple[Doubt, ...]] = {}
    for topic, scored in documents.items():
        if may_be_sampled(topic, by_topic):
            texts = [] if ranks is None else list(map(_text_of, ranks[topic]))
            found = doubts_of_topic(topic, list(scored), list(map(float, scored.values())), texts)
            if found is not None:
                by_topic = sampled({**by_topic, topic: found})
    return doubts_of_run(by_topic)


def _text_of(rank: object) -> bytes:
    """Return a rank as in a file; data frames hold whole numbers as floats beside missing ones."""
    try:
        return str(rank).removesuffix(".0").encode()
    except ValueError:
        # a number of thousands of digits, or a text that is not Unicode
        return b""


_ORDERED = "documents are ordered by score, highest first"
_BY_DOCNO = "they are ordered by docno, not by rank or line: expected scores with enough digits to tell them apart"

_MESSAGES: dict[Kind, tuple[str, str]] = {
    "rising": ("scores that rise with the ranks", f"{_ORDERED}: negate the scores if they are distances"),
    "rising lines": (
        "no ranks, and scores that rise from line to line",
        f"{_ORDERED}: negate the scores if they are distances",
    ),
    "repeated": (
        "ranks that several documents have",
        f"{_ORDERED}: if the run joins several lists, their scores must be on the same scale",
    ),
    "disorder": (
        "ranks in another order than the scores",
        f"{_ORDERED}: expected scores that fall with the ranks, also if only the first documents were re-ranked",
    ),
    "top disorder": (
        "a first rank that is not that of the highest score",
        f"{_ORDERED}: expected scores that fall with the ranks, also if only the first documents were re-ranked",
    ),
    "low": (
        "no ranks, and a low score for the first document",
        f"{_ORDERED}: if only the first documents were re-ranked, lower the scores of the others",
    ),
    "exchanged": ("ranks in the column of scores", f"{_ORDERED}: expected lines of: {RUN_FORM}"),
    "late": (
        "no documents at the first ranks",
        "those below count as the first ones: expected whole rankings",
    ),
    "gaps": (
        "no documents at some of the first ranks, the same ones on all topics",
        "those below count as the next ones: were ranks sorted as text, 1, 10, 100, before the run was cut?",
    ),
    "ties": ("equal scores for most documents", _BY_DOCNO),
    "top ties": ("equal scores for the first documents", _BY_DOCNO),
    "docnos": (
        "docnos in another form than the qrels",
        "such documents count as not judged: write docnos as the qrels do",
    ),
    "off by one": (
        "docnos that are probably off by one",
        "such documents count as others: were they counted from 0?",
    ),
    "own name": (
        "documents with the names of their topics among the first ones",
        "if these are the queries themselves, leave them out of runs and qrels",
    ),
    "judged once": (
        "first documents that are judged only for other topics",
        "no document is judged for two topics: were repeated docnos removed from the qrels?",
    ),
    "same": (
        "the same first documents for several topics",
        "expected documents that were retrieved for each of them",
    ),
    "collisions": (
        "different scores that are equal as 32-bit floats",
        "they are ordered by docno: {double} tells them apart",
    ),
    "top collisions": (
        "highest scores that are different, but equal as 32-bit floats",
        "they are ordered by docno: {double} tells them apart",
    ),
}
"""For each kind of doubt, a fact about the run and its consequence; ``double`` is the option of 64-bit floats."""


def about_doubts(found: Sequence[tuple[str, Doubt]], n_runs: int, double: str | None) -> Iterator[str]:
    """Yield a message about each kind of doubt.

    Parameters
    ----------
    found : sequence of (str, Doubt)
        The doubts, each with the name of its run.
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
    for kind, (what, then) in _MESSAGES.items():
        doubtful = [(tag, doubt.example) for tag, doubt in found if doubt.kind == kind]
        if doubtful and (double is not None or not kind.endswith("collisions")):
            tag, example = doubtful[0]
            have = "has" if len(doubtful) == 1 else "have"
            several = f"{len(doubtful)} of {n_runs} runs {have} {what} (e.g. '{excerpt(tag)}', {example})"
            one = f"'{excerpt(tag)}' has {what} ({example})"
            yield f"{one if n_runs == 1 else several}; {then.format(double=double)}"
