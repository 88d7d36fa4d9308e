"""Runs whose documents were probably removed, added or sorted by their judgments, or are in reverse order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from stdeval.documents.retrieved import N_FIRST, TopicRetrieved

_FEWEST_TOPICS = 10
"""The least number of topics: on fewer, all documents of a run may be judged by chance."""


class TopicSigns(NamedTuple):
    """The numbers of topics on which one number is lower than another one, and on which it is higher."""

    lower: int = 0
    higher: int = 0

    def are_low(self, deviations: float = 3) -> bool:
        """Return whether it is lower on significantly more topics.

        Random signs differ by 3 standard deviations with a probability of about 0.001.
        """
        return self.lower - self.higher > deviations * math.sqrt(self.lower + self.higher)


class DoubtfulDocuments(NamedTuple):
    """Doubts about the documents of a run, which their judgments reveal; 0 or False if there are none.

    Parameters
    ----------
    n_only_judged : int
        The number of its documents, if unjudged ones were probably removed.
    n_all_relevant : int
        The number of topics with all relevant documents, if these were probably added.
    n_sorted : int
        The number of topics whose first documents are sorted by their judgments, if these are nearly all.
    first : TopicSigns
        The mean judgment of its first documents, compared with that of all judged ones.
    first_relevant : TopicSigns
        The mean judgment of the relevant ones among them, compared with that of all relevant ones.
    is_upside_down : bool
        True if its relevant documents are in the lower half of the rankings.
    is_joined : bool
        True if more of them are in the last fifth of the rankings than in the fifth before it.
    n_reversed : int
        The number of topics with far more of them in the last fifth than in the first, if there are several.
    is_known : bool
        True if all of its documents are judged for some topic, but many not for theirs.
    n_without_others : int
        The number of judged documents among the first ten of all topics, if none of many is judged not relevant.
    n_beyond : int
        The number of documents among the first ten whose docnos come after all judged ones of their topic, if these
        are many.
    """

    n_only_judged: int = 0
    n_all_relevant: int = 0
    n_sorted: int = 0
    first: TopicSigns = TopicSigns()
    first_relevant: TopicSigns = TopicSigns()
    is_upside_down: bool = False
    is_joined: bool = False
    n_reversed: int = 0
    is_known: bool = False
    n_without_others: int = 0
    n_beyond: int = 0


def doubtful_documents(topics: Collection[TopicRetrieved], *, judged_only: bool) -> DoubtfulDocuments:
    """Return what is doubtful about the documents of a run.

    Parameters
    ----------
    topics : collection of TopicRetrieved
        What it retrieved for each topic.
    judged_only : bool
        True if unjudged documents were removed on purpose.
    """
    return DoubtfulDocuments(
        0 if judged_only else n_only_judged(topics),
        n_all_relevant(topics),
        n_sorted_topics(topics),
        topic_signs(each.first_are for each in topics),
        topic_signs(each.first_relevant_are for each in topics),
        are_upside_down(topics),
        topic_signs(each.places.end_is for each in topics).are_low(_MORE_DEVIATIONS),
        n_reversed_topics(topics),
        are_all_known(topics),
        n_without_others(topics),
        n_beyond(topics),
    )


def n_only_judged(topics: Collection[TopicRetrieved]) -> int:
    """Return the number of documents of a run from which unjudged ones were probably removed; otherwise 0.

    All documents of such a run are judged, and their number differs between topics. In contrast, a run that was cut
    at the depth of the pool has the same number for most topics, and a run that ranks the judged documents has all
    of them. Documents beyond the rank at which runs are cut count as well.

    Examples
    --------
    >>> judged = TopicRetrieved(5, 1.0, is_judged=True, is_doubtful=False, unfound=9)
    >>> some = [judged._replace(n_documents=n) for n in range(5, 15)]
    >>> n_only_judged(some), n_only_judged([each._replace(n_documents=10) for each in some])
    (95, 0)
    """
    if len(topics) < _FEWEST_TOPICS or any(each.unfound is None for each in topics):
        return 0
    depths = Counter(each.n_documents for each in topics)
    usual, n = depths.most_common(1)[0][1], depths.total()
    n_documents = sum(each.n_documents for each in topics)
    ranks_judged = sum(each.unfound == 0 for each in topics) > n / 2
    return 0 if usual > n / 2 or ranks_judged or n_documents < _FEWEST_ONLY_JUDGED * n else n_documents


_FEWEST_ONLY_JUDGED = 5
"""The least number of documents per topic: all documents of a shorter run may be in the pool."""


def n_all_relevant(topics: Collection[TopicRetrieved]) -> int:
    """Return the number of topics with all relevant documents, if these were probably added to a run; otherwise 0.

    Some benchmarks add the relevant documents to the candidates of a re-ranker.

    Examples
    --------
    >>> some = [TopicRetrieved(100, 0.4, is_judged=True, is_doubtful=False, all_relevant=n) for n in range(5, 15)]
    >>> n_all_relevant(some), n_all_relevant([*some, some[0]._replace(all_relevant=0)])
    (10, 0)
    """
    numbers = [each.all_relevant for each in topics if each.all_relevant]
    if len(numbers) < max(_FEWEST_TOPICS, _NEARLY_ALL * len(topics)):
        return 0
    return len(numbers) if sum(numbers) >= _FEWEST_RELEVANT * len(numbers) else 0


_NEARLY_ALL, _FEWEST_RELEVANT = 0.95, 5
"""For so many of the topics, hardly any run retrieves all relevant documents, if they are this many on average, or
has them above all others."""


def n_sorted_topics(topics: Collection[TopicRetrieved]) -> int:
    """Return the number of topics whose relevant documents stand above all others; 0 if it is not nearly all.

    Of real runs, at most half of the topics have the relevant ones of their first ten documents above the others.

    Examples
    --------
    >>> leaked = TopicRetrieved(100, 0.4, is_judged=True, is_doubtful=False, is_sorted=True)
    >>> n_sorted_topics([leaked] * 10), n_sorted_topics([leaked] * 10 + [leaked._replace(is_sorted=False)] * 3)
    (10, 0)
    """
    known = [each.is_sorted for each in topics if each.is_sorted is not None]
    n = sum(known)
    return n if n >= max(_FEWEST_TOPICS, _NEARLY_ALL * len(known)) else 0


def topic_signs(signs: Iterable[int]) -> TopicSigns:
    """Return the numbers of signs below 0 and above 0.

    Examples
    --------
    >>> topic_signs([-1, 0, -1, 1])
    TopicSigns(lower=2, higher=1)
    """
    counts = Counter(signs)
    return TopicSigns(counts[-1], counts[1])


def are_upside_down(topics: Collection[TopicRetrieved]) -> bool:
    """Return whether relevant documents are in the lower half of the ranking on significantly many topics.

    If they are, the scores are probably distances.

    Examples
    --------
    >>> from stdeval.documents.relevant_places import RelevantPlaces
    >>> low = TopicRetrieved(100, 0.4, is_judged=True, is_doubtful=False, places=RelevantPlaces(-1))
    >>> are_upside_down([low] * 10), are_upside_down([low] * 9)
    (True, False)
    """
    return topic_signs(each.places.half_is for each in topics).are_low()


_MORE_DEVIATIONS = 4
"""Some real runs, whose lists are joined on purpose, reach 3 standard deviations."""


def n_reversed_topics(topics: Collection[TopicRetrieved]) -> int:
    """Return the number of topics whose relevant documents stand at the end; 0 if this may be chance.

    Examples
    --------
    >>> from stdeval.documents.relevant_places import RelevantPlaces
    >>> usual = TopicRetrieved(100, 0.4, is_judged=True, is_doubtful=False)
    >>> at_end = usual._replace(places=RelevantPlaces(-1, -1, are_at_end=True))
    >>> n_reversed_topics([usual] * 40 + [at_end] * 3), n_reversed_topics([usual] * 40 + [at_end] * 2)
    (3, 0)
    """
    n = sum(each.places.are_at_end for each in topics)
    return n if n >= max(_FEWEST_REVERSED, _MANY_REVERSED * len(topics)) else 0


_FEWEST_REVERSED, _MANY_REVERSED = 3, 0.03
"""Random rankings of 50 topics have so many such topics with a probability of about 0.004."""


def are_all_known(topics: Collection[TopicRetrieved]) -> bool:
    """Return whether all documents of a run are judged for some topic, and many of them not for theirs.

    Examples
    --------
    >>> judged = TopicRetrieved(100, 0.9, is_judged=True, is_doubtful=False, n_documents=100)
    >>> known = judged._replace(n_elsewhere=40)
    >>> are_all_known([known] * 10), are_all_known([*[known] * 10, judged])
    (True, False)
    """
    numbers = [each.n_elsewhere for each in topics if each.n_elsewhere is not None]
    if len(numbers) < max(_FEWEST_TOPICS, len(topics)):
        return False
    n_documents = sum(each.n_documents for each in topics)
    return n_documents >= _FEWEST_KNOWN * len(topics) and sum(numbers) >= _MANY_ELSEWHERE * n_documents


_FEWEST_KNOWN = 10
"""A shorter run may have only judged documents by chance, if most documents of a collection are judged."""

_MANY_ELSEWHERE = 0.02
"""A run may be of a part of the collection if this share of its documents are judged for other topics only."""


def n_without_others(topics: Collection[TopicRetrieved]) -> int:
    """Return the number of judged first documents, if none of many is judged not relevant; otherwise 0.

    Examples
    --------
    >>> usual = TopicRetrieved(100, 0.9, is_judged=True, is_doubtful=False)
    >>> filtered = usual._replace(first_judged=9, other_expected=3.6)
    >>> n_without_others([filtered] * 12), n_without_others([*[filtered] * 12, filtered._replace(first_other=1)])
    (108, 0)
    """
    are_expected = math.fsum(each.other_expected for each in topics) >= _MANY_OTHERS
    if not are_expected or any(each.first_other for each in topics):
        return 0
    return sum(each.first_judged for each in topics)


_MANY_OTHERS = 40
"""The best real runs have a twelfth of the number that is expected: of 40, none with a probability of 4%."""


def n_beyond(topics: Collection[TopicRetrieved]) -> int:
    """Return the number of first documents after the last judged docno of their topics, if there are many; or 0.

    Examples
    --------
    >>> cut = TopicRetrieved(100, 0.6, is_judged=True, is_doubtful=False, n_documents=100, first_judged=6)
    >>> cut = cut._replace(beyond=4, beyond_expected=0.05)
    >>> n_beyond([cut] * 10), n_beyond([cut._replace(beyond_expected=2)] * 10), n_beyond([cut] * 4)
    (40, 0, 0)
    """
    if len(topics) < _FEWEST_TOPICS:
        return 0
    n = sum(each.beyond for each in topics)
    n_others = sum(min(each.n_documents, N_FIRST) for each in topics) - n
    are_others_judged = n_others >= _MANY_BEYOND and 2 * sum(each.first_judged for each in topics) >= n_others
    are_many = n >= max(_MANY_BEYOND, _MORE_BEYOND * math.fsum(each.beyond_expected for each in topics))
    return n if are_many and are_others_judged else 0


_MANY_BEYOND, _MORE_BEYOND = 20, 4
"""Of real pools and runs, hardly any document is after the last judged one. If pools were cut at a docno, these are
six times as many as in any order, or more."""
