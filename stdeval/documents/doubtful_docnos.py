"""Docnos that reveal a mistake: in another form, judged twice, of queries, without their judgments, or repeated.

In some collections, queries are documents as well. A run that was not told to leave them out has them at the top.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice

from stdeval.display import excerpt
from stdeval.documents.changed_docnos import ChangedDocnos
from stdeval.documents.docno_forms import bare_form, plain_form
from stdeval.trec.doubtful_runs import sampled
from stdeval.trec.doubts import Doubt
from stdeval.trec.lines import excerpt_of_docno
from stdeval.trec.reading import Judgments, Qrels, sorted_topics

_LEAST = 3
"""So many documents or topics are not a coincidence."""

_LEAST_JUDGED = 10
"""If a topic has this many judged documents, a run with as many documents should have a judged one."""


_FIRST = 10
"""The query of a topic is at most at this rank among the documents retrieved for it."""

_FEWEST_ELSEWHERE = 10
"""So many documents that are judged for other topics only are no coincidence if no document is judged for two."""

_MANY_SAME = 0.1
"""Fewer topics with the same documents may have the same query."""


_MANY_TWINS = 0.05
"""A smaller share of the judged documents of the topics that are looked at may have similar docnos by chance."""


def about_twins(qrels: Qrels) -> Iterator[str]:
    """Yield a message if the same documents are probably judged under docnos in two forms, such as 17 and D17.

    The topics that are looked at are those of `stdeval.trec.doubtful_runs.sampled`.

    Examples
    --------
    >>> print(*about_twins({"1": {"17": 1, "17.0": 1, "18": 0, "18.0": 0, "19": 1, "19.0": 1}}))
    documents are judged under docnos in two forms (e.g. topic '1': '17' and '17.0'): each counts as two documents
    """
    twins: list[str] = []
    n_judged = 0
    for topic, judgments in sampled(qrels).items():
        first: dict[tuple[str, int], str] = {}
        n_judged += len(judgments)
        plain = {plain_form(docno) for docno in judgments}
        for docno, judgment in judgments.items():
            bare = bare_form(docno)
            other = first.setdefault((bare if bare in plain else plain_form(docno), judgment), docno)
            if other != docno:
                twins.append(
                    f"topic '{excerpt(topic)}': '{excerpt_of_docno(other)}' and '{excerpt_of_docno(docno)}'"
                )
    if len(twins) >= max(_LEAST, _MANY_TWINS * n_judged):
        found = f"documents are judged under docnos in two forms (e.g. {twins[0]})"
        yield f"{found}: each counts as two documents"


class JudgedDocnos:
    """The docnos that are judged, by which mistakes in the docnos of a run are found.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.

    Examples
    --------
    >>> judged = JudgedDocnos({"1": {"0017": 1, "0018": 0, "1000": 1}, "2": {"0019": 1}})
    >>> judged.doubts({"1": ["17", "1000", "18"], "2": ["19"]})
    (Doubt(kind='docnos', example="topic '1': '17' is judged as '0017'", common='', ranks=(0, 0), chance=0),)
    """

    def __init__(self, qrels: Qrels) -> None:
        self._qrels = qrels
        self._changed = ChangedDocnos(qrels)

    def doubts(self, first: Mapping[str, Iterable[str]]) -> tuple[Doubt, ...]:
        """Return doubts about docnos in another form, retrieved queries, and removed judgments.

        Parameters
        ----------
        first : mapping of str to iterable of str
            The docnos of the first documents of a run for some judged topics, in their order.
        """
        return (
            *self._changed.doubts(first),
            *self._doubts_of_own_names(first),
            *self._doubts_of_removed_judgments(first),
        )

    def _doubts_of_own_names(self, first: Mapping[str, Iterable[str]]) -> Iterator[Doubt]:
        """Yield a doubt if most topics have a document of their own name among the first ones."""
        own = [topic for topic, docnos in first.items() if has_own_name(topic, docnos, self._qrels[topic])]
        if are_own_names(len(own), len(first)):
            yield Doubt("own name", f"topic '{excerpt(min(own))}'")

    def _doubts_of_removed_judgments(self, first: Mapping[str, Iterable[str]]) -> Iterator[Doubt]:
        """Yield a doubt if many first documents are judged for other topics only, and none is judged for two.

        Pools of different topics have documents in common if runs retrieve the same ones for them. In a search for
        known items, whose judgments are of relevant documents only, each document may be judged once.
        """
        with_other = sum(0 in self._qrels[topic].values() for topic in first)
        if not first or 2 * with_other < len(first) or not self._topic_of:
            return
        elsewhere = [
            f"topic '{excerpt(topic)}': '{excerpt_of_docno(docno)}' is judged for '{excerpt(judged_for)}'"
            for topic in sorted_topics(first)
            for docno in islice(first[topic], _FIRST)
            if (judged_for := self._topic_of.get(docno, topic)) != topic
        ]
        if len(elsewhere) >= _FEWEST_ELSEWHERE:
            yield Doubt("judged once", elsewhere[0])

    @cached_property
    def _topic_of(self) -> dict[str, str]:
        """The topic of each judged document; empty if any document is judged for two topics."""
        topics: dict[str, str] = {}
        for topic, judgments in self._qrels.items():
            if not topics.keys().isdisjoint(judgments):
                return {}
            topics.update(dict.fromkeys(judgments, topic))
        return topics


def doubts_of_same_documents(first: Mapping[str, int], leading: Collection[str]) -> tuple[Doubt, ...]:
    """Return a doubt if a tenth of the topics have the same first documents, or most the same one above all others.

    Parameters
    ----------
    first : mapping of str to int
        Topic to the checksum of its first documents, 0 if it has few.
    leading : collection of str
        The very first document of each topic; empty if it is judged relevant.

    Examples
    --------
    >>> doubts_of_same_documents({"1": 77, "2": 88, "3": 0, "4": 77, "5": 0}, "abcde")
    (Doubt(kind='same', example="2 of 5 topics, such as '1' and '4'", common='', ranks=(0, 0), chance=0),)
    """
    topics_of: dict[int, list[str]] = {}
    for topic, checksum in first.items():
        topics_of.setdefault(checksum, []).append(topic)
    same = [topics for checksum, topics in topics_of.items() if checksum and len(topics) > 1]
    n = sum(map(len, same))
    if same and n >= _MANY_SAME * len(first):
        one, other, *_ = same[0]
        return (Doubt("same", f"{n} of {len(first)} topics, such as '{excerpt(one)}' and '{excerpt(other)}'"),)
    docno, n = max(Counter(leading).items(), key=lambda each: (each[0] != "", each[1]), default=("", 0))
    if docno and 2 * n > len(leading) >= _FEWEST_LED:
        return (Doubt("same", f"'{excerpt_of_docno(docno)}' is the first of {n} of {len(leading)} topics"),)
    return ()


_FEWEST_LED = 10
"""The least number of topics: of fewer, most may be about the same document."""


def has_own_name(topic: str, docnos: Iterable[str], judgments: Judgments) -> bool:
    """Return whether a document with the name of the topic is among its first ones: perhaps the query itself.

    In a search for known items, topics may have the names of the only relevant documents.

    Examples
    --------
    >>> has_own_name("17", ["q17", "17"], {"18": 1}), has_own_name("17", map(str, range(1, 100)), {})
    (True, False)
    >>> has_own_name("17", ["17"], {"17": 1}), has_own_name("17", ["17"], {"17": 1, "18": 1})
    (False, True)
    """
    if topic not in islice(docnos, _FIRST):
        return False
    relevant = {docno for docno, judgment in judgments.items() if judgment > 0}
    return relevant != {topic}


def are_own_names(n_topics: int, n_looked_at: int) -> bool:
    """Return whether too many topics have a document of their own name for a coincidence."""
    return n_topics >= _LEAST and 2 * n_topics >= n_looked_at


def should_be_judged(docnos: Collection[str], judgments: Judgments) -> bool:
    """Return whether a run should have at least one judged document for a topic.

    Even a bad run has a document of the pool. But it may miss all judged documents if there are only a few, or if
    the judgments list relevant documents only.

    Examples
    --------
    >>> ten = [f"d{n}" for n in range(10)]
    >>> should_be_judged(ten, dict.fromkeys(ten, 0)), should_be_judged(ten, dict.fromkeys(ten, 1))
    (True, False)
    """
    judged = islice((judgment for judgment in judgments.values() if judgment >= 0), _LEAST_JUDGED)
    return min(len(docnos), len(list(judged))) >= _LEAST_JUDGED and 0 in judgments.values()
