"""How many topics and documents a run retrieved, and how many of them are judged."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from heapq import nlargest
from itertools import islice
from operator import gt
from typing import NamedTuple
from zlib import crc32

from stdeval.documents.doubtful_docnos import should_be_judged
from stdeval.documents.judged_topics import JudgedTopic, docno_order
from stdeval.documents.relevant_places import RelevantPlaces, relevant_places
from stdeval.trec.reading import Documents, Judgments, has_judged

N_FIRST = 10
"""The number of documents at the top of a topic of which the judged ones are counted."""


class TopicRetrieved(NamedTuple):
    """Facts about the documents that a run retrieved for one topic.

    Parameters
    ----------
    depth : int
        The number of documents that count.
    judged : float
        The share of judged documents among the first ten, or among all if there are fewer. A negative judgment
        means that a document is not judged, unlike in ``judged_10``.
    is_judged : bool
        True if any document is judged.
    is_doubtful : bool
        True if no document is judged, although some should be: see `stdeval.documents.doubtful_docnos`.
    first : int
        The checksum of the first ten docnos in their order, or of all if there are fewer; see `checksums`.
    found : float
        The share of the judged documents that the run retrieved; NaN for fewer than 5 or more than 100 judged ones,
        or fewer than 10 retrieved ones.
    n_documents : int
        The number of all documents.
    unfound : int, optional
        The number of judged documents that it did not retrieve, if all of its documents are judged.
    leading : str
        The docno of the very first document; empty if it is judged relevant.
    all_relevant : int
        The number of relevant documents, if it retrieved all of them and also unjudged ones; otherwise 0. It is 0
        as well for a run that ranks the whole collection, with the documents that are judged for other topics.
    first_are : int
        1 or -1 if the judged ones among the first ten documents have a higher or a lower mean judgment than all
        judged documents; 0 if they have the same, if few documents are judged, or none is judged not relevant.
    is_sorted : bool, optional
        Whether the relevant ones of the first ten documents stand above the others; None if fewer than two are, if
        it retrieved fewer than four documents, or only relevant ones. If all ten are relevant, True if all relevant
        documents stand above all others, and otherwise None.
    n_elsewhere : int, optional
        The number of documents that are judged for other topics only; None if any is not judged at all.
    first_judged, first_other : int
        The number of judged documents among the first ten, and of those that are judged not relevant.
    other_expected : float
        The number of those if they had the same share as among all judged documents of the topic.
    beyond : int
        The number of documents among the first ten whose docnos come after all judged ones of the topic.
    beyond_expected : float
        Their number if judged and other docnos are in any order.
    first_relevant_are : int
        1 or -1 if the relevant ones among the first ten documents have a higher or a lower mean judgment than all
        relevant documents; 0 if they have the same.
    places : RelevantPlaces
        The places of the relevant documents.
    judged_first : tuple of bool
        Whether each of the first ten documents is judged, in their order.
    """

    depth: int
    judged: float
    is_judged: bool
    is_doubtful: bool
    first: int = 0
    found: float = math.nan
    n_documents: int = 0
    unfound: int | None = None
    leading: str = ""
    all_relevant: int = 0
    first_are: int = 0
    is_sorted: bool | None = None
    n_elsewhere: int | None = None
    first_judged: int = 0
    first_other: int = 0
    other_expected: float = 0
    beyond: int = 0
    beyond_expected: float = 0
    first_relevant_are: int = 0
    places: RelevantPlaces = RelevantPlaces()
    judged_first: tuple[bool, ...] = ()


class Retrieved(NamedTuple):
    """Means over the topics for which a run retrieved documents; NaN if unknown.

    Parameters
    ----------
    depth, judged : float
        See `TopicRetrieved`.
    relevant : float
        The number of relevant documents, retrieved or not. Only stored scores with ``num_rel`` have it.
    of_pool : bool, optional
        See `are_of_a_pool`; None if the judgments are not known, too.
    judged_at : tuple of float
        The shares of judged documents among the first one, the first two and so on, up to nine. Only runs that were
        evaluated have them.
    depths : tuple of pairs of int
        A number of documents, and how many topics have it; empty if unknown.
    """

    depth: float = math.nan
    judged: float = math.nan
    relevant: float = math.nan
    of_pool: bool | None = None
    judged_at: tuple[float, ...] = ()
    depths: tuple[tuple[int, int], ...] = ()

    def depth_within(self, rank: float) -> float:
        """Return the mean number of documents that topics have down to a rank.

        If only the mean of all documents is known, every topic counts as if it had so many.

        Examples
        --------
        >>> Retrieved(21, depths=((2, 1), (40, 1))).depth_within(10), Retrieved(21).depth_within(10)
        (6.0, 10)
        """
        if not self.depths:
            return min(self.depth, rank)
        n_topics = sum(n for _, n in self.depths)
        return sum(min(depth, rank) * n for depth, n in self.depths) / n_topics


def depths_of_topics(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return each number of documents that some topic has, and how many topics have it.

    Examples
    --------
    >>> depths_of_topics([100, 2, 100])
    ((2, 1), (100, 2))
    """
    return tuple(sorted(Counter(numbers).items()))


def retrieved_for_topic(
    documents: Documents, judged: JudgedTopic, deepest: int | None = None, known: Set[str] = frozenset()
) -> TopicRetrieved:
    """Return what a run retrieved for a topic; its depth and the share of judged documents end at a rank.

    Parameters
    ----------
    documents : mapping of str to float
        Docno to score.
    judged : JudgedTopic
    deepest : int, optional
        The last rank that counts.
    known : set of str
        The documents that are judged for any topic.

    Examples
    --------
    >>> from stdeval.documents.judged_topics import judged_topic
    >>> retrieved_for_topic({"a": 3.0, "b": 1.0, "c": 2.0}, judged_topic({"a": 0, "b": 1}), 2)[:4]
    (2, 0.5, True, False)
    """
    judgments = judged.judgments
    depth = len(documents) if deepest is None else min(len(documents), deepest)
    is_judged = has_judged(documents, judgments)
    # Documents that do not count tell as well what happened to a run.
    first = first_docnos(documents, min(len(documents), N_FIRST))
    are_judged = tuple(judgments.get(docno, -1) >= 0 for docno in first[:depth])
    grades = [judgments[docno] for docno in first if docno in judgments]
    found = judged.relevant.intersection(documents)
    unfound = len(judgments) - len(documents) if documents.keys() <= judgments.keys() else None
    return TopicRetrieved(
        depth,
        sum(are_judged) / len(are_judged),
        is_judged,
        not is_judged and should_be_judged(documents, judgments),
        crc32("\n".join(first).encode("latin-1", "replace")) if first else 0,
        _share_found(documents, judgments),
        len(documents),
        unfound,
        first[0] if first and judgments.get(first[0], 0) <= 0 else "",
        0 if unfound is not None else _n_all_relevant(documents, judged, len(found), known),
        _compared_with_judged(grades, judged),
        _is_sorted(documents, judged, first, len(found)),
        len(documents.keys() - judgments.keys()) if documents.keys() <= known else None,
        len(grades),
        sum(grade <= 0 for grade in grades),
        len(grades) * (1 - len(judged.relevant) / max(1, len(judgments))),
        sum(docno_order(docno) > judged.last for docno in first) if judgments else 0,
        len(first) / (len(judgments) + 1),
        _compared_with_relevant(grades, judged),
        relevant_places(documents.values(), [documents[docno] for docno in found]),
        are_judged,
    )


def _share_found(documents: Documents, judgments: Judgments) -> float:
    least, most = _FEW_JUDGED
    if not least <= len(judgments) <= most or len(documents) < N_FIRST:
        return math.nan
    return len(judgments.keys() & documents.keys()) / min(len(judgments), len(documents))


_FEW_JUDGED = 5, 100
"""Good runs retrieve most of so few judged documents, but not of those of a deep pool."""


def _n_all_relevant(documents: Documents, judged: JudgedTopic, n_found: int, known: Set[str]) -> int:
    """Return the number of relevant documents if the run has all of them, and does not rank all documents; or 0."""
    has_all = n_found == len(judged.relevant)
    ranks_collection = has_all and (known or judged.judgments.keys()) <= documents.keys()
    return 0 if ranks_collection or not has_all else n_found


def _compared_with_judged(grades: Sequence[int], judged: JudgedTopic) -> int:
    """Return the sign of the difference between the mean of some grades and that of all judgments of a topic."""
    return 0 if judged.total is None else _compared(grades, judged.total, len(judged.judgments))


def _compared_with_relevant(grades: Sequence[int], judged: JudgedTopic) -> int:
    """Return the sign of the difference between the means of the positive grades and of all positive judgments."""
    return _compared([grade for grade in grades if grade > 0], judged.relevant_total, len(judged.relevant))


def _compared(grades: Sequence[int], total: int, n: int) -> int:
    """Return the sign of the difference between the mean of some grades and that of all n, whose sum is given."""
    # compared as fractions, without rounding
    some, all_of_them = sum(grades) * n, total * len(grades)
    return (some > all_of_them) - (some < all_of_them)


def _is_sorted(documents: Documents, judged: JudgedTopic, first: Sequence[str], n_found: int) -> bool | None:
    """Return whether the relevant ones of the first documents stand above the others; None if few are relevant."""
    n_relevant = len(judged.relevant.intersection(first))
    if len(documents) < _FEWEST_RANKED or n_relevant < 2:
        return None
    if n_relevant < len(first):
        return judged.relevant.issuperset(first[:n_relevant])
    is_sorted = judged.relevant.issuperset(_first_in_any_order(documents, n_found))
    return True if is_sorted and n_found < len(documents) else None


_FEWEST_RANKED = 4
"""With fewer documents, good runs have two relevant ones above all others on most topics."""


def first_docnos(documents: Documents, n: int) -> list[str]:
    """Return the docnos of the first n documents of a topic in their order, or of all if there are fewer.

    Examples
    --------
    >>> first_docnos({"a": 3.0, "b": 1.0, "c": 2.0}, 2)
    ['a', 'c']
    """
    first = _first_in_any_order(documents, n)
    scores = [documents[docno] for docno in first]
    if all(map(gt, scores, scores[1:])):
        return first
    return sorted(first, key=lambda docno: (documents[docno], docno), reverse=True)


def _first_in_any_order(documents: Documents, n: int) -> list[str]:
    scores = documents.values()
    # Most runs list documents in their order, so that nothing has to be sorted.
    if len(documents) <= n or min(islice(scores, n)) > max(islice(scores, n, None)):
        return list(islice(documents, n))
    return nlargest(n, documents, key=lambda docno: (documents[docno], docno))


def checksums(topics: Mapping[str, TopicRetrieved]) -> dict[str, int]:
    """Return the checksums of the first documents of topics; 0 where other topics may have the same by chance.

    A run may give the same placeholder to all topics for which it finds nothing, so that lists of fewer than ten
    documents count as well if those of most topics have ten. If most are shorter, those count that are as long as
    most, if there are ten topics.

    Examples
    --------
    >>> one = TopicRetrieved(1, 1.0, is_judged=True, is_doubtful=False, first=77)
    >>> some = {str(n): one._replace(n_documents=n) for n in (1, 10, 20)}
    >>> checksums(some), checksums({"1": some["1"], "10": some["10"]})
    ({'1': 77, '10': 77, '20': 77}, {'1': 0, '10': 77})
    """
    usual = statistics.median_low([each.n_documents for each in topics.values()]) if topics else 0
    are_few = len(topics) < _FEWEST_LISTS
    least = 0 if usual >= N_FIRST else N_FIRST if are_few else max(usual, _FEWEST_RANKED)
    return {topic: each.first if each.n_documents >= least else 0 for topic, each in topics.items()}


_FEWEST_LISTS = 10
"""Short lists of fewer topics may be the same by chance."""


def leading_documents(topics: Mapping[str, TopicRetrieved]) -> list[str]:
    """Return the very first document of each topic; empty texts for documents that are judged relevant."""
    return [each.leading for each in topics.values()]


def mean_retrieved(topics: Collection[TopicRetrieved]) -> Retrieved:
    """Return the means of what a run retrieved, over one or more topics."""
    depths, judged = [each.depth for each in topics], [each.judged for each in topics]
    firsts = [each.judged_first for each in topics]
    at = (math.fsum(sum(first[:k]) / len(first[:k]) for first in firsts) / len(topics) for k in range(1, N_FIRST))
    # An exact sum does not depend on the order of the topics.
    means = sum(depths) / len(topics), math.fsum(judged) / len(topics)
    return Retrieved(*means, judged_at=tuple(at) if all(firsts) else (), depths=depths_of_topics(depths))


_GOOD = 0.6
"""A run is good if it retrieves at least this share of the judged documents, on average over topics with any."""

_MANY_WITHOUT = 0.1
"""Good runs have at most this share of topics without a judged document."""


def n_doubtful_topics(topics: Collection[TopicRetrieved]) -> int:
    """Return the number of topics without a judged document that should have one.

    These are topics that have many judged documents, and, if there are few, all topics of a run that retrieves most
    of those of other topics: its docnos or topics are probably not written as in the judgments.

    Examples
    --------
    >>> good = TopicRetrieved(100, 0.4, is_judged=True, is_doubtful=False, found=0.7)
    >>> none = TopicRetrieved(100, 0.0, is_judged=False, is_doubtful=False, found=0.0)
    >>> n_doubtful_topics([good] * 8 + [none]), n_doubtful_topics([good] * 10 + [none])
    (1, 0)
    """
    known = [each.found for each in topics if each.found >= 0]
    some = [found for found in known if found > 0]
    is_good = bool(some) and math.fsum(some) >= _GOOD * len(some)
    if is_good and len(known) - len(some) > _MANY_WITHOUT * len(known):
        return sum(not each.is_judged for each in topics)
    return sum(each.is_doubtful for each in topics)
