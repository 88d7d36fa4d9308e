"""Find docnos of a run that are not judged, but would be if no program had changed them.

Some topics reveal such a mistake. If it concerns only a few topics, the number of topics without a judged document
may reveal it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice, takewhile

from stdeval.display import excerpt
from stdeval.documents.docno_forms import FEWEST_CUT, INEXACT_FORMS, beginning, with_number_moved
from stdeval.documents.docno_shapes import DocnoShape, are_unexpected, is_foreign, shape_of
from stdeval.documents.topic_docnos import TopicDocnos
from stdeval.trec.doubtful_runs import sampled
from stdeval.trec.doubts import Doubt
from stdeval.trec.lines import excerpt_of_docno
from stdeval.trec.reading import Qrels, sorted_topics

ENOUGH_DOCUMENTS = 100
"""This many documents of a topic show whether docnos are in another form, or whether any should be judged."""

_LEAST = 3
"""This many documents with the same change, over all topics that are looked at, are not a coincidence."""

_ENOUGH_JUDGED = 20_000
"""This many docnos show what all of them have in common."""

_MANY_MORE, _STANDARD_ERRORS = 2, 2.75
"""Docnos are off by one if a shift makes twice as many of them judged, by so many standard errors of a sign test.

Of 96 real runs, the right ones reach 2. Of those that are off by one, nine in ten exceed this limit.
"""

_DEPTHS = 20, ENOUGH_DOCUMENTS
"""The numbers of first documents of a topic among which judged ones are counted: more of the first ones are."""

_Docnos = Mapping[str, Sequence[str]]
"""Topic to docnos."""

_Examples = list[tuple[str, str, str]]
"""Topics, each with an unjudged docno and the judged one that it stands for."""


class ChangedDocnos:
    """Docnos that a program changed, in a run or in the judgments.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    """

    def __init__(self, qrels: Qrels) -> None:
        self._qrels = qrels
        # Most runs have the same topics, and the same ten of them are looked at.
        self._topics: dict[str, TopicDocnos] = {}

    def doubts(self, first: Mapping[str, Iterable[str]]) -> tuple[Doubt, ...]:
        """Return a doubt if docnos are in another form, and one if they are off by one.

        Parameters
        ----------
        first : mapping of str to iterable of str
            The docnos of the first documents of a run for some judged topics, in their order.
        """
        docnos = {topic: list(islice(first[topic], ENOUGH_DOCUMENTS)) for topic in sorted_topics(first)}
        unjudged = {
            topic: [docno for docno in found if docno not in self._qrels[topic]] for topic, found in docnos.items()
        }
        return (*self._doubts_of_form(docnos, unjudged), *self._doubts_of_numbers(docnos))

    def _doubts_of_form(self, docnos: _Docnos, unjudged: _Docnos) -> Iterator[Doubt]:
        """Yield a doubt with an example of the first change that is found, or of docnos like no judged one."""
        found = next((found for found in self._changes(docnos, unjudged) if len(found) >= _LEAST), None)
        if found is None:
            yield from self._doubts_of_foreign_docnos(unjudged)
        else:
            yield Doubt("docnos", _judged_as(*found[0]))

    def _changes(self, docnos: _Docnos, unjudged: _Docnos) -> Iterator[_Examples]:
        """Yield examples of each kind of change. Each kind is looked for only when it is its turn."""
        yield self._in_other_form(unjudged)
        yield self._cut(docnos, unjudged)
        yield self._cut_in_judgments(docnos, unjudged)
        yield self._rounded(docnos)

    def _in_other_form(self, unjudged: _Docnos) -> _Examples:
        """Return examples of docnos in another form, all with the same text around the judged docno."""
        examples: dict[str, _Examples] = {}
        for topic, found in unjudged.items():
            for docno in found:
                for judged, around in self._of_topic(topic).in_other_form(docno):
                    examples.setdefault(around, []).append((topic, docno, judged))
                    if len(examples[around]) == _LEAST:
                        return examples[around]
        return []

    def _cut(self, docnos: _Docnos, unjudged: _Docnos) -> _Examples:
        """Return examples of the longest docnos of a run that are the beginnings of judged ones.

        A column of fixed width cuts docnos so. Where all judged docnos are longer, `TopicDocnos` finds also those
        that were cut on some lines only.
        """
        longest = max(map(len, chain(*docnos.values())), default=0)
        if longest < FEWEST_CUT:
            return []
        whole = {topic: self._of_topic(topic).by_form(beginning, longest) for topic in unjudged}
        return [
            (topic, docno, whole[topic][docno])
            for topic, found in unjudged.items()
            for docno in found
            if docno in whole[topic]
        ]

    def _cut_in_judgments(self, docnos: _Docnos, unjudged: _Docnos) -> _Examples:
        """Return examples of judged docnos that are shorter than all of a run, and begin or end like one of its."""
        shortest = min(map(len, chain(*docnos.values())), default=0)
        return [
            (topic, docno, part)
            for topic, found in unjudged.items()
            for parts in [{docno for docno in self._qrels[topic] if FEWEST_CUT <= len(docno) < shortest}]
            for docno in found
            for part in _ends_within_words(docno, set(map(len, parts)))
            if part in parts
        ]

    def _rounded(self, docnos: _Docnos) -> _Examples:
        """Return examples of large whole numbers that were rounded only in a run, or only in the judgments.

        Every second number above 2^24 (32 bits) or 2^53 (64 bits) is not a float, and few numbers end in zeros.
        """
        for form, digits in INEXACT_FORMS.items():
            found = {topic: _large_numbers(of_topic, digits) for topic, of_topic in docnos.items()}
            judged = {topic: _large_numbers(self._qrels[topic], digits) for topic in docnos}
            if any(all(form(docno) == docno for docno in chain(*each.values())) for each in (found, judged)):
                rounded = [pair for topic in found for pair in _pairs(topic, found[topic], judged[topic], form)]
                if len(rounded) >= _LEAST:
                    return rounded
        return []

    def _doubts_of_foreign_docnos(self, unjudged: _Docnos) -> Iterator[Doubt]:
        """Yield a doubt if many unjudged docnos have other lengths or kinds of characters than all judged ones."""
        foreign = [
            (topic, docno) for topic, found in unjudged.items() for docno in found if is_foreign(docno, self._shape)
        ]
        if are_unexpected(len(foreign), sum(map(len, unjudged.values())), self._shape):
            topic, docno = foreign[0]
            yield Doubt("docnos", f"topic '{excerpt(topic)}': '{excerpt_of_docno(docno)}' is like no judged docno")

    def _doubts_of_numbers(self, docnos: _Docnos) -> Iterator[Doubt]:
        """Yield a doubt if many more documents are judged after 1 is added to their numbers, or taken from them.

        A program may count from 0, and the judgments from 1. Topics that were chosen because no document is judged
        do not count.
        """
        docnos = sampled(docnos)
        for step, how in {1: "added to", -1: "taken from"}.items():
            moved = {topic: self._of_topic(topic).by_form(with_number_moved, -step) for topic in docnos}
            for depth in _DEPTHS:
                n_judged, n = (
                    sum(docno in judged[topic] for topic, found in docnos.items() for docno in found[:depth])
                    for judged in (self._qrels, moved)
                )
                if n >= _MANY_MORE * n_judged and n - n_judged >= _STANDARD_ERRORS * math.sqrt(n + n_judged) > 0:
                    numbers = f"{n_judged} of the first {depth} documents are judged"
                    yield Doubt(
                        "off by one", f"{len(docnos)} topics: {numbers}, and {n} if 1 is {how} their docnos"
                    )
                    break

    @cached_property
    def _shape(self) -> DocnoShape:
        return shape_of(islice(chain.from_iterable(self._qrels.values()), _ENOUGH_JUDGED))

    def _of_topic(self, topic: str) -> TopicDocnos:
        if topic not in self._topics:
            self._topics[topic] = TopicDocnos(self._qrels[topic])
        return self._topics[topic]


def _ends_within_words(docno: str, lengths: Iterable[int]) -> Iterator[str]:
    """Yield the beginnings and ends of a docno of some lengths that leave out a part of a word or number.

    The title of another document may be the beginning of a title, but ends where a word ends.
    """
    for length in lengths:
        if docno[length - 1 : length + 1].isalnum():
            yield docno[:length]
        if docno[-length - 1 : 1 - length].isalnum():
            yield docno[-length:]


def _large_numbers(docnos: Iterable[str], digits: int) -> list[str]:
    return [docno for docno in docnos if docno.isdecimal() and len(docno) >= digits]


def _pairs(topic: str, found: Sequence[str], judged: Sequence[str], form: Callable[[str], str]) -> _Examples:
    """Return the unjudged docnos of a topic that have the form of a judged one."""
    by_form = {form(docno): docno for docno in judged}
    unjudged = [docno for docno in found if docno not in judged]
    return [(topic, docno, by_form[form(docno)]) for docno in unjudged if form(docno) in by_form]


def _judged_as(topic: str, docno: str, judged: str) -> str:
    """Return an example in words. Long docnos are shown from a little before the place where they differ."""
    n_common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(docno, judged, strict=False)))
    first = n_common - _SHOWN_BEFORE if n_common > 2 * _SHOWN_BEFORE else 0
    shown, judged_as = (("..." if first else "") + excerpt_of_docno(each[first:]) for each in (docno, judged))
    return f"topic '{excerpt(topic)}': '{shown}' is judged as '{judged_as}'"


_SHOWN_BEFORE = 10
"""The number of characters that are shown before the first one that differs."""
