"""Docnos of a run that are not judged, but would be if they were written as the judgments write them.

A spreadsheet takes zeros from 01690, a library turns 1690 into 1690.0, file systems differ in case and in the
normal form of Unicode, and a run of passages has D1690#2. Some topics reveal such a mistake; if it concerns few of
them, the number of those without a judged document does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from itertools import islice

from stdeval.display import excerpt
from stdeval.doubtful_order import Doubt
from stdeval.trec import Judgments

ENOUGH_DOCUMENTS = 100
"""This many documents of a topic show whether docnos are in another form, or whether any should be judged."""

_LEAST = 3
"""Number of documents in another form that are no coincidence."""

_LEAST_JUDGED = 10
"""If a topic has this many judged documents, a run with as many documents should have a judged one."""


_PASSAGE = re.compile(r"(.+?)[^0-9A-Za-z]+[A-Za-z]*[0-9]+", re.DOTALL)
"""A document and the number of a passage, as in D17#2 and D17.s3."""

_MANY_SAME = 0.1
"""Fewer topics with the same documents may have the same query."""


def plain_form(docno: str) -> str:
    """Return a docno without what programs change: case, zeros before it, ``.0`` behind it, and its normal form.

    Parameters
    ----------
    docno : str
        With a character for each byte, as readers of files return it.

    Examples
    --------
    >>> plain_form("01690"), plain_form("1690.0"), plain_form("FT911-1")
    ('1690', '1690', 'ft911-1')
    """
    if not docno.isascii():
        try:
            docno = unicodedata.normalize("NFC", docno.encode("latin-1").decode())
        except UnicodeError:
            return docno
    return docno.lower().removesuffix(".0").lstrip("0")


def plain_forms(judgments: Judgments) -> dict[str, str]:
    """Return the judged docnos of a topic by their plain forms."""
    return {plain_form(docno): docno for docno in judgments}


def doubts_of_docnos(
    topic: str, docnos: Iterable[str], judgments: Judgments, forms: dict[str, str]
) -> tuple[Doubt, ...]:
    """Return a doubt if several documents are judged under docnos in another form, with an example of them.

    Parameters
    ----------
    topic : str
    docnos : iterable of str
        Those of the first documents of the run.
    judgments : dict
    forms : dict
        See `plain_forms`.

    Examples
    --------
    >>> judgments = {"0017": 1, "0018": 0, "0019": 1, "1000": 1}
    >>> doubts_of_docnos("1", ["17", "1000", "18", "19"], judgments, plain_forms(judgments))
    (Doubt(kind='docnos', example="topic '1': '17' is judged as '0017'"),)
    """
    unjudged = [docno for docno in islice(docnos, ENOUGH_DOCUMENTS) if docno not in judgments]
    both = ((docno, forms.get(plain_form(docno)) or _whole_document(docno, judgments)) for docno in unjudged)
    other = [(docno, judged) for docno, judged in both if judged is not None]
    if len(other) < _LEAST:
        return ()
    docno, judged = other[0]
    return (Doubt("docnos", f"topic '{excerpt(topic)}': '{excerpt(docno)}' is judged as '{excerpt(judged)}'"),)


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
    (Doubt(kind='same', example="2 of 5 topics, such as '1' and '4'"),)
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
