"""Docnos of a run that are not judged, but would be if they were written as the judgments write them.

Some topics reveal such a mistake; if it concerns few of them, the number of those without a judged document does.
In some collections, queries are documents as well, and a run that was not told to leave them out has them at the
top.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, islice, takewhile

from stdeval.display import excerpt
from stdeval.docno_forms import FEWEST_CUT, INEXACT_FORMS, TopicDocnos, bare_form, plain_form
from stdeval.docno_shapes import DocnoShape, is_foreign, is_rare, shape_of
from stdeval.doubtful_runs import sampled
from stdeval.doubts import Doubt
from stdeval.trec import Judgments, Qrels, sorted_topics
from stdeval.trec_lines import excerpt_of_docno

ENOUGH_DOCUMENTS = 100
"""This many documents of a topic show whether docnos are in another form, or whether any should be judged."""

_LEAST = 3
"""This many documents in the same form, over all topics that are looked at, are not a coincidence."""

_LEAST_JUDGED = 10
"""If a topic has this many judged documents, a run with as many documents should have a judged one."""


_FIRST = 10
"""The query of a topic is at most at this rank among the documents retrieved for it."""

_FEWEST_ELSEWHERE = 10
"""So many documents that are judged for other topics only are no coincidence if no document is judged for two."""

_MANY_SAME = 0.1
"""Fewer topics with the same documents may have the same query."""


_MANY_MORE, _STANDARD_ERRORS = 2, 3
"""Docnos are off by one if so many times as many are judged otherwise, and this is so many standard errors."""

_ENOUGH_JUDGED = 20_000
"""So many docnos show what all have in common."""

_MANY_TWINS = 0.05
"""A smaller share of the judged documents of the topics that are looked at may have similar docnos by chance."""


def about_twins(qrels: Qrels) -> Iterator[str]:
    """Yield a message if the same documents are probably judged under docnos in two forms, such as 17 and D17.

    The topics that are looked at are those of `stdeval.doubtful_runs.sampled`.

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
    """The docnos that are judged, by which docnos in another form are found.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.

    Examples
    --------
    >>> judged = JudgedDocnos({"1": {"0017": 1, "0018": 0, "1000": 1}, "2": {"0019": 1}})
    >>> judged.doubts({"1": ["17", "1000", "18"], "2": ["19"]})
    (Doubt(kind='docnos', example="topic '1': '17' is judged as '0017'", common='', ranks=(0, 0), is_weak=False),)
    """

    def __init__(self, qrels: Qrels) -> None:
        self._qrels = qrels
        # Most runs have the same topics, and the same ten of them are looked at.
        self._topics: dict[str, TopicDocnos] = {}

    def doubts(self, first: Mapping[str, Iterable[str]]) -> tuple[Doubt, ...]:
        """Return a doubt if docnos are in another form or off by one, one about queries, and one about judgments.

        Parameters
        ----------
        first : mapping of str to iterable of str
            The docnos of the first documents of a run for some judged topics, in their order.
        """
        return (
            *self._doubts_of_changed_docnos(first),
            *self._doubts_of_numbers(sampled(first)),
            *self._doubts_of_own_names(first),
            *self._doubts_of_removed_judgments(first),
        )

    def _doubts_of_changed_docnos(self, first: Mapping[str, Iterable[str]]) -> tuple[Doubt, ...]:
        """Return a doubt if docnos are in another form, cut, rounded or foreign: the first that is found."""
        ways = (
            self._doubts_of_form,
            self._doubts_of_cut_docnos,
            self._doubts_of_cut_judgments,
            self._doubts_of_rounded_numbers,
            self._doubts_of_foreign_docnos,
        )
        return next(filter(None, (tuple(way(first)) for way in ways)), ())

    def _doubts_of_form(self, first: Mapping[str, Iterable[str]]) -> Iterator[Doubt]:
        """Yield a doubt with an example if several documents are judged under docnos in another form."""
        found: dict[str, list[str]] = {}
        for topic in sorted_topics(first):
            for docno, judged, around in self._in_other_form(topic, islice(first[topic], ENOUGH_DOCUMENTS)):
                of_form = found.setdefault(around, [])
                of_form.append(_judged_as(topic, docno, judged))
                if len(of_form) == _LEAST:
                    yield Doubt("docnos", of_form[0])
                    return

    def _doubts_of_rounded_numbers(self, first: Mapping[str, Iterable[str]]) -> Iterator[Doubt]:
        """Yield a doubt if large whole numbers were rounded in a run, but not in the judgments, or the reverse.

        Every second number above 2^24 (32 bits) or 2^53 (64 bits) is no float, and few end in zeros.
        """
        for form, digits in INEXACT_FORMS.items():
            found = {topic: _large_numbers(docnos, digits) for topic, docnos in first.items()}
            judged = {topic: _large_numbers(self._qrels[topic], digits) for topic in first}
            if any(all(form(docno) == docno for docno in chain(*each.values())) for each in (found, judged)):
                rounded = [pair for topic in sorted_topics(found) for pair in _rounded(topic, found, judged, form)]
                if len(rounded) >= _LEAST:
                    yield Doubt("docnos", rounded[0])
                    return

    def _doubts_of_foreign_docnos(self, first: Mapping[str, Iterable[str]]) -> Iterator[Doubt]:
        """Yield a doubt if many unjudged docnos have another length or other characters than all judged ones."""
        unjudged = [
            (topic, docno)
            for topic in sorted_topics(first)
            for docno in islice(first[topic], ENOUGH_DOCUMENTS)
            if docno not in self._qrels[topic]
        ]
        foreign = [(topic, docno) for topic, docno in unjudged if is_foreign(docno, self._shape)]
        if is_rare(len(foreign), len(unjudged), self._shape):
            topic, docno = foreign[0]
            yield Doubt("docnos", f"topic '{excerpt(topic)}': '{excerpt_of_docno(docno)}' is like no judged docno")

    @cached_property
    def _shape(self) -> DocnoShape:
        return shape_of(islice(chain.from_iterable(self._qrels.values()), _ENOUGH_JUDGED))

    def _doubts_of_cut_docnos(self, first: Mapping[str, Iterable[str]]) -> Iterator[Doubt]:
        """Yield a doubt if the longest docnos of a run are the beginnings of judged ones, as in a narrow column.

        Where all judged docnos are longer, `TopicDocnos` finds those that were cut on some lines only.
        """
        docnos = {topic: list(islice(found, ENOUGH_DOCUMENTS)) for topic, found in first.items()}
        longest = max((len(docno) for found in docnos.values() for docno in found), default=0)
        cut = [pair for topic in sorted_topics(docnos) for pair in self._cut(topic, docnos[topic], longest)]
        if longest >= FEWEST_CUT and len(cut) >= _LEAST:
            yield Doubt("docnos", cut[0])

    def _cut(self, topic: str, docnos: Iterable[str], longest: int) -> Iterator[str]:
        """Yield an example for each unjudged docno of this length that is the beginning of a judged one."""
        whole = self._of_topic(topic).by_beginning(longest)
        for docno in docnos:
            if docno in whole and docno not in self._qrels[topic]:
                yield _judged_as(topic, docno, whole[docno])

    def _doubts_of_cut_judgments(self, first: Mapping[str, Iterable[str]]) -> Iterator[Doubt]:
        """Yield a doubt if judged docnos that are shorter than all of a run are the beginnings or ends of these."""
        docnos = {topic: list(islice(found, ENOUGH_DOCUMENTS)) for topic, found in first.items()}
        shortest = min((len(docno) for found in docnos.values() for docno in found), default=0)
        cut = [pair for topic in sorted_topics(docnos) for pair in self._cut_judged(topic, docnos[topic], shortest)]
        if len(cut) >= _LEAST:
            yield Doubt("docnos", cut[0])

    def _cut_judged(self, topic: str, docnos: Iterable[str], shortest: int) -> Iterator[str]:
        """Yield an example for each unjudged docno that is judged without the beginning or end of a word."""
        parts = {docno for docno in self._qrels[topic] if FEWEST_CUT <= len(docno) < shortest}
        lengths = sorted(set(map(len, parts)))
        for docno in docnos:
            if docno not in self._qrels[topic]:
                ends = [docno[:n] for n in lengths if docno[n - 1 : n + 1].isalnum()]
                ends += [docno[-n:] for n in lengths if docno[-n - 1 : 1 - n].isalnum()]
                yield from (_judged_as(topic, docno, end) for end in ends if end in parts)

    def _doubts_of_numbers(self, first: Mapping[str, Iterable[str]]) -> Iterator[Doubt]:
        """Yield a doubt if many more documents are judged after 1 is added to their numbers, or taken from them.

        A program may count from 0 what the judgments count from 1. The topics must not be chosen by their judged
        documents.
        """
        docnos = {topic: list(islice(found, ENOUGH_DOCUMENTS)) for topic, found in first.items()}
        n_judged = sum(docno in self._qrels[topic] for topic, found in docnos.items() for docno in found)
        for step, how in {1: "added to", -1: "taken from"}.items():
            judged = {topic: self._of_topic(topic).with_numbers_moved(-step) for topic in docnos}
            n = sum(docno in judged[topic] for topic, found in docnos.items() for docno in found)
            if n >= _MANY_MORE * n_judged and n - n_judged >= _STANDARD_ERRORS * math.sqrt(n + n_judged) > 0:
                numbers = f"{n_judged} of the first documents are judged, and {n} if 1 is {how} their docnos"
                yield Doubt("off by one", f"{len(docnos)} topics: {numbers}")

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
        if not first or not all(0 in self._qrels[topic].values() for topic in first) or not self._topic_of:
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

    def _in_other_form(self, topic: str, docnos: Iterable[str]) -> Iterator[tuple[str, str, str]]:
        """Yield unjudged docnos of a topic, each with the judged docno that it contains and the text around that.

        In the text around it, every number is 0. It is empty if only the plain forms are equal.
        """
        of_topic = self._of_topic(topic)
        for docno in docnos:
            if docno not in self._qrels[topic]:
                yield from ((docno, *judged) for judged in of_topic.in_other_form(docno))

    def _of_topic(self, topic: str) -> TopicDocnos:
        if topic not in self._topics:
            self._topics[topic] = TopicDocnos(self._qrels[topic])
        return self._topics[topic]


def _large_numbers(docnos: Iterable[str], digits: int) -> list[str]:
    return [docno for docno in docnos if docno.isdecimal() and len(docno) >= digits]


def _rounded(
    topic: str, found: Mapping[str, list[str]], judged: Mapping[str, list[str]], form: Callable[[str], str]
) -> Iterator[str]:
    """Yield an example for each unjudged docno of a topic that has the rounded form of a judged one."""
    by_form = {form(docno): docno for docno in judged[topic]}
    for docno in found[topic]:
        if docno not in judged[topic] and form(docno) in by_form:
            yield _judged_as(topic, docno, by_form[form(docno)])


def _judged_as(topic: str, docno: str, judged: str) -> str:
    """Return an example in words, of long docnos from a little before the place where they differ."""
    n_common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(docno, judged, strict=False)))
    begin = max(0, n_common - _SHOWN_BEFORE) if n_common > 2 * _SHOWN_BEFORE else 0
    shown, judged_as = (("..." if begin else "") + excerpt_of_docno(each[begin:]) for each in (docno, judged))
    return f"topic '{excerpt(topic)}': '{shown}' is judged as '{judged_as}'"


_SHOWN_BEFORE = 10


def doubts_of_same_documents(first: Mapping[str, int]) -> tuple[Doubt, ...]:
    """Return a doubt if at least a tenth of the topics have the same first documents as another topic.

    Parameters
    ----------
    first : mapping of str to int
        Topic to the checksum of its first documents, 0 if it has few.

    Examples
    --------
    >>> doubts_of_same_documents({"1": 77, "2": 88, "3": 0, "4": 77, "5": 0})
    (Doubt(kind='same', example="2 of 5 topics, such as '1' and '4'", common='', ranks=(0, 0), is_weak=False),)
    """
    topics_of: dict[int, list[str]] = {}
    for topic, checksum in first.items():
        topics_of.setdefault(checksum, []).append(topic)
    same = [topics for checksum, topics in topics_of.items() if checksum and len(topics) > 1]
    n = sum(map(len, same))
    if not same or n < _MANY_SAME * len(first):
        return ()
    one, other, *_ = same[0]
    return (Doubt("same", f"{n} of {len(first)} topics, such as '{excerpt(one)}' and '{excerpt(other)}'"),)


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
