"""Docnos of a run that are not judged, but would be if they were written as the judgments write them.

A spreadsheet takes zeros from 01690 or makes 1,690 of 1690, a library turns 1690 into 1690.0, file systems differ
in case and in the normal form of Unicode, and a run of passages has D1690#2. Some topics reveal such a mistake; if
it concerns few of them, the number of those without a judged document does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice

from stdeval.display import excerpt
from stdeval.doubtful_order import Doubt
from stdeval.trec import Judgments, Qrels, sorted_topics

ENOUGH_DOCUMENTS = 100
"""This many documents of a topic show whether docnos are in another form, or whether any should be judged."""

_LEAST = 3
"""Number of documents in another form, for all topics that are looked at, that are no coincidence."""

_LEAST_JUDGED = 10
"""If a topic has this many judged documents, a run with as many documents should have a judged one."""


_THOUSANDS = re.compile(r"[0-9]{1,3}(?:[,.'_][0-9]{3})+")
"""A number with separators of thousands."""

_ENDING = re.compile(r"\.(?:0|gz|html?|json|pdf|sgml?|txt|xml)$")
"""What programs write behind a docno."""

_NUMBERED = re.compile(r"[^0-9]+([0-9]+)", re.DOTALL)
"""A number that is a docno, with a word before it, as in doc17."""

_PASSAGE = re.compile(r"(.+?)[^0-9A-Za-z]+[A-Za-z]*[0-9]+", re.DOTALL)
"""A document and the number of a passage, as in D17#2 and D17.s3."""

_MANY_SAME = 0.1
"""Fewer topics with the same documents may have the same query."""


def plain_form(docno: str) -> str:
    """Return a docno without what programs change.

    That is its case, zeros before it, ``.0`` or the ending of a file behind it, separators of thousands, quotes and
    blanks around it, and its form of Unicode.

    Parameters
    ----------
    docno : str
        With a character for each byte, as readers of files return it.

    Examples
    --------
    >>> plain_form("01690"), plain_form("1690.0"), plain_form("1,690"), plain_form("FT911-1")
    ('1690', '1690', '1690', 'ft911-1')
    """
    if not docno.isascii():
        try:
            docno = unicodedata.normalize("NFC", docno.encode("latin-1").decode())
        except UnicodeError:
            return docno
    docno = docno.strip().strip("'\"").lower()
    if docno[:1].isdecimal() and _THOUSANDS.fullmatch(docno):
        return re.sub("[,.'_]", "", docno)
    return (_ENDING.sub("", docno) if "." in docno else docno).lstrip("0")


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
    (Doubt(kind='docnos', example="topic '1': '17' is judged as '0017'", common=''),)
    """

    def __init__(self, qrels: Qrels) -> None:
        self._qrels = qrels
        # Most runs have the same topics, and the same ten of them are looked at.
        self._forms: dict[str, dict[str, str]] = {}

    def doubts(self, first: Mapping[str, Iterable[str]]) -> tuple[Doubt, ...]:
        """Return a doubt if several documents are judged under docnos in another form, with an example of them.

        Parameters
        ----------
        first : mapping of str to iterable of str
            The docnos of the first documents of a run for some judged topics.
        """
        others = (
            (topic, docno, judged)
            for topic in sorted_topics(first)
            for docno, judged in self._in_other_form(topic, islice(first[topic], ENOUGH_DOCUMENTS))
        )
        found = list(islice(others, _LEAST))
        if len(found) < _LEAST:
            return ()
        topic, docno, judged = found[0]
        return (Doubt("docnos", f"topic '{excerpt(topic)}': '{excerpt(docno)}' is judged as '{excerpt(judged)}'"),)

    def _in_other_form(self, topic: str, docnos: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield docnos that are not judged for a topic, each with the judged docno that it may stand for."""
        judgments = self._qrels[topic]
        if topic not in self._forms:
            self._forms[topic] = {plain_form(docno): docno for docno in judgments}
        for docno in docnos:
            if docno not in judgments:
                forms, plain = self._forms[topic], plain_form(docno)
                numbered = _NUMBERED.fullmatch(plain)
                judged = (
                    forms.get(plain)
                    or _whole_document(docno, judgments)
                    or (forms.get(numbered[1].lstrip("0")) if numbered else None)
                )
                if judged is not None:
                    yield docno, judged


def _whole_document(docno: str, judgments: Judgments) -> str | None:
    """Return the judged document of which a docno is that of a passage; None if there is none."""
    passage = _PASSAGE.fullmatch(docno)
    return passage[1] if passage and passage[1] in judgments else None


def doubts_of_same_documents(first: Mapping[str, int]) -> tuple[Doubt, ...]:
    """Return a doubt if at least a tenth of the topics have the same first documents as another topic.

    Parameters
    ----------
    first : mapping of str to int
        Topic to the checksum of its first documents, 0 if it has few.

    Examples
    --------
    >>> doubts_of_same_documents({"1": 77, "2": 88, "3": 0, "4": 77, "5": 0})
    (Doubt(kind='same', example="2 of 5 topics, such as '1' and '4'", common=''),)
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
