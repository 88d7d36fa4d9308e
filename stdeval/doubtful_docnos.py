"""Docnos of a run that are not judged, but would be if they were written as the judgments write them.

A spreadsheet takes zeros from 01690 or makes 1,690 of 1690, a library turns 1690 into 1690.0, file systems differ
in case and in the normal form of Unicode, file names have FT911_1 for FT911-1, a run of passages has D1690#2, and
an index of fields D1690_title; whole numbers become floats or negative ones. Some topics reveal such a mistake; if
it concerns few of them, the number of those without a judged document does. In some collections, queries are
documents as well, and a run that was not told to leave them out has them at the top.
"""

from __future__ import annotations

import re
import struct
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice, product

from stdeval.display import excerpt
from stdeval.doubtful_runs import sampled
from stdeval.doubts import Doubt
from stdeval.trec import Judgments, Qrels, sorted_topics

ENOUGH_DOCUMENTS = 100
"""This many documents of a topic show whether docnos are in another form, or whether any should be judged."""

_LEAST = 3
"""This many documents in the same form, over all topics that are looked at, are not a coincidence."""

_LEAST_JUDGED = 10
"""If a topic has this many judged documents, a run with as many documents should have a judged one."""


_THOUSANDS = re.compile(r"[0-9]{1,3}(?:[,.'_][0-9]{3})+")
"""A number with separators of thousands."""

_ENDING = re.compile(r"\.(?:0|gz|html?|json|pdf|sgml?|txt|xml)$")
"""What programs write behind a docno."""

_PARTS = re.compile("[0-9]+|[a-z]+|.", re.DOTALL)
"""A number, a word, or a character between them."""

_SEPARATORS = re.compile(r"(?:%[0-9a-f]{2}|&(?:amp|lt|gt|quot|apos|#[0-9]+);|[\W_])+")
"""Characters between words and numbers, for which file names, addresses and identifiers have others."""

_BEYOND_ASCII = re.compile(
    r"[^\x00-\x7f]|%[89A-Fa-f][0-9A-Fa-f]|&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]+;|&#[0-9]{3,};|\?"
)
"""A byte beyond ASCII, its escape in an address or in HTML, or what programs write if they cannot convert it."""

_ADDRESS = re.compile(r"^https?:/+(?:www\.)?")
"""The beginning of an address, which may differ between two crawls."""

_INNER_ZEROS = re.compile("(?<![0-9])0+(?=[0-9])")
"""Zeros before a number that is not the first one of a docno."""

_FIRST = 10
"""The query of a topic is at most at this rank among the documents retrieved for it."""

_FEWEST_ELSEWHERE = 10
"""So many documents that are judged for other topics only are no coincidence if no document is judged for two."""

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


_MANY_TWINS = 0.05
"""A smaller share of the judged documents of the topics that are looked at may have similar docnos by chance."""


def about_twins(qrels: Qrels) -> Iterator[str]:
    """Yield a message if the same documents are probably judged under docnos in two forms, such as 17 and 17.0.

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
        for docno, judgment in judgments.items():
            other = first.setdefault((plain_form(docno), judgment), docno)
            if other != docno:
                twins.append(f"topic '{excerpt(topic)}': '{excerpt(other)}' and '{excerpt(docno)}'")
    if len(twins) >= max(_LEAST, _MANY_TWINS * n_judged):
        found = f"documents are judged under docnos in two forms (e.g. {twins[0]})"
        yield f"{found}: each counts as two documents"


def loose_form(docno: str) -> str:
    r"""Return a docno without what fewer programs change, and other docnos may differ in.

    In addition to what `plain_form` removes, these are the separators in it, zeros before its numbers and behind a
    decimal fraction, the scheme of an address, and a few bytes beyond ASCII, however they are escaped or replaced.

    Examples
    --------
    >>> loose_form("FBIS3_00948"), loose_form("hep-th%2F9901"), loose_form("1705.00510"), loose_form("https://a.b/7/")
    ('fbis3-948', 'hep-th-9901', '1705.0051', 'a-b-7-')
    >>> loose_form("Caf\xc3\xa9_12"), loose_form("Caf%C3%A9_12"), loose_form("Caf\xe9_12"), loose_form("Caf?_12")
    ('caf-12', 'caf-12', 'caf-12', 'caf-12')
    """
    if docno.isalnum() and docno.isascii():
        # the most frequent form, without anything else to look for
        return _INNER_ZEROS.sub("", plain_form(docno)) if "0" in docno else plain_form(docno)
    ascii_only, n_beyond = _BEYOND_ASCII.subn("", docno)
    plain = _ADDRESS.sub("", plain_form(docno if 2 * n_beyond > len(ascii_only) else ascii_only))
    whole, point, fraction = plain.partition(".")
    if fraction.isdecimal() and whole.isdecimal():
        return whole + point + fraction.rstrip("0")
    return _INNER_ZEROS.sub("", _SEPARATORS.sub("-", plain))


def compact_form(docno: str) -> str:
    """Return the letters and digits of a long docno, such as a UUID with or without dashes; empty for a short one.

    Examples
    --------
    >>> compact_form("{0F8FAD5B-D9CB-469F-A165-70867728950E}"), compact_form("LA-17")
    ('0f8fad5bd9cb469fa16570867728950e', '')
    """
    compact = re.sub(r"[\W_]+", "", docno).lower()
    return compact if len(compact) >= _FEWEST_COMPACT else ""


_FEWEST_COMPACT = 16
"""Different docnos that are shorter may have the same letters and digits, such as 1-23 and 12-3."""


def unsigned_form(docno: str) -> str:
    """Return a whole number as one without sign, of 32 or 64 bits; empty for other docnos.

    Examples
    --------
    >>> unsigned_form("-1294967296"), unsigned_form("3000000000"), unsigned_form("LA-17")
    ('3000000000', '3000000000', '')
    """
    if not docno.removeprefix("-").isdecimal() or len(docno) > _LONGEST_NUMBER:
        return ""
    number = int(docno)
    return str(number % (2**32 if -(2**31) <= number < 2**32 else 2**64))


_LONGEST_NUMBER = 20
"""The number of digits of the largest whole number of 64 bits."""


def last_part(docno: str) -> str:
    """Return a docno without its folders.

    Examples
    --------
    >>> last_part("news/2004/D17.txt"), last_part("D17.txt")
    ('D17.txt', 'D17.txt')
    """
    return re.split(r"[/\\]", docno)[-1]


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
        self._topics: dict[str, _TopicDocnos] = {}

    def doubts(self, first: Mapping[str, Iterable[str]]) -> tuple[Doubt, ...]:
        """Return a doubt if docnos are in another form, one about queries, and one about removed judgments.

        Parameters
        ----------
        first : mapping of str to iterable of str
            The docnos of the first documents of a run for some judged topics, in their order.
        """
        return (
            *(tuple(self._doubts_of_form(first)) or self._doubts_of_rounded_numbers(first)),
            *self._doubts_of_own_names(first),
            *self._doubts_of_removed_judgments(first),
        )

    def _doubts_of_form(self, first: Mapping[str, Iterable[str]]) -> Iterator[Doubt]:
        """Yield a doubt with an example if several documents are judged under docnos in another form."""
        found: dict[str, list[str]] = {}
        for topic in sorted_topics(first):
            for docno, judged, around in self._in_other_form(topic, islice(first[topic], ENOUGH_DOCUMENTS)):
                of_form = found.setdefault(around, [])
                of_form.append(f"topic '{excerpt(topic)}': '{excerpt(docno)}' is judged as '{excerpt(judged)}'")
                if len(of_form) == _LEAST:
                    yield Doubt("docnos", of_form[0])
                    return

    def _doubts_of_rounded_numbers(self, first: Mapping[str, Iterable[str]]) -> Iterator[Doubt]:
        """Yield a doubt if all large numbers in a run are 32-bit or 64-bit floats, and the judged ones are not.

        Of whole numbers, every second one above 2^24 or 2^53 is no such float.
        """
        docnos = {topic: [docno for docno in found if docno.isdecimal()] for topic, found in first.items()}
        for kind, digits in (("f", _EXACT_DIGITS_32), ("d", _EXACT_DIGITS_64)):
            large = {topic: [docno for docno in found if len(docno) >= digits] for topic, found in docnos.items()}
            if any(_as_float(docno, kind) != docno for found in large.values() for docno in found):
                continue
            pairs = []
            for topic in sorted_topics(large):
                judgments = self._qrels[topic]
                exact = {_as_float(docno, kind): docno for docno in judgments if docno.isdecimal()}
                pairs += [
                    f"topic '{excerpt(topic)}': '{docno}' is judged as '{exact[docno]}'"
                    for docno in large[topic]
                    if docno not in judgments and docno in exact
                ]
            if len(pairs) >= _LEAST:
                yield Doubt("docnos", pairs[0])
                return

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
            f"topic '{excerpt(topic)}': '{excerpt(docno)}' is judged for '{excerpt(self._topic_of[docno])}'"
            for topic in sorted_topics(first)
            for docno in islice(first[topic], _FIRST)
            if self._topic_of.get(docno, topic) != topic
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
        judgments = self._qrels[topic]
        if topic not in self._topics:
            self._topics[topic] = _TopicDocnos(judgments)
        of_topic = self._topics[topic]
        for docno in docnos:
            if docno not in judgments:
                yield from ((docno, *judged) for judged in of_topic.in_other_form(docno))


class _TopicDocnos:
    """The judged docnos of a topic, by their plain forms."""

    def __init__(self, judgments: Judgments) -> None:
        self._forms = {plain_form(docno): docno for docno in judgments}
        self._shortest = min(map(len, judgments), default=0)
        # Runs have many unjudged documents in common.
        self._known: dict[str, list[tuple[str, str]]] = {}
        self._cut: dict[int, dict[str, str]] = {}

    def in_other_form(self, docno: str) -> list[tuple[str, str]]:
        """Return the judged docnos that an unjudged one means or contains, each with the text around it."""
        known = self._known.get(docno)
        if known is None:
            plain = plain_form(docno)
            judged = self._forms.get(plain) or self._loose_forms.get(loose_form(docno)) or self._changed(docno)
            known = self._known[docno] = list(self._parts(plain)) if judged is None else [(judged, "")]
        return known

    def _changed(self, docno: str) -> str | None:
        """Return the judged docno of which a program made another one; None if there is none."""
        for form, judged in ((compact_form, self._compact_forms), (unsigned_form, self._unsigned_forms)):
            if (found := judged.get(form(docno))) is not None:
                return found
        found = self._last_parts.get(last_part(docno))
        if found is not None and (last_part(found) == found) != (last_part(docno) == docno):
            return found
        return self._beginnings(len(docno)).get(docno) if _FEWEST_CUT <= len(docno) < self._shortest else None

    @cached_property
    def _loose_forms(self) -> dict[str, str]:
        return self._by_form(loose_form)

    @cached_property
    def _compact_forms(self) -> dict[str, str]:
        return self._by_form(compact_form)

    @cached_property
    def _unsigned_forms(self) -> dict[str, str]:
        return self._by_form(unsigned_form)

    @cached_property
    def _last_parts(self) -> dict[str, str]:
        return self._by_form(last_part)

    def _beginnings(self, length: int) -> dict[str, str]:
        if length not in self._cut:
            self._cut[length] = self._by_form(lambda docno: docno[:length])
        return self._cut[length]

    def _by_form(self, form_of: Callable[[str], str]) -> dict[str, str]:
        """Return the judged docnos by a form, without those that several documents have."""
        forms = {docno: form_of(docno) for docno in self._forms.values()}
        counts = Counter(forms.values())
        return {form: docno for docno, form in forms.items() if form and counts[form] == 1}

    @cached_property
    def _shapes(self) -> set[str]:
        return set(map(_shape, self._forms))

    def _parts(self, plain: str) -> Iterator[tuple[str, str]]:
        """Yield the judged docnos that a longer docno contains, each with the text around it.

        A docno of the same shape as judged ones is not searched: it is probably that of another document.
        """
        if len(plain) <= self._shortest or plain.isdecimal():
            return
        ends = [match.end() for match in _PARTS.finditer(plain)]
        starts = [0, *ends[:-1]]
        for start, end in {*product([0], ends), *product(starts, ends[-1:]), *zip(starts, ends, strict=True)}:
            part = plain[start:end].lstrip("0")
            if part in self._forms and re.search("[0-9]", part) and _shape(plain) not in self._shapes:
                yield self._forms[part], re.sub("[0-9]+", "0", f"{plain[:start]} {plain[end:]}")


_FEWEST_CUT = 6
"""Shorter docnos may be the beginnings of others by chance."""

_EXACT_DIGITS_32, _EXACT_DIGITS_64 = 8, 16
"""Whole numbers of fewer digits are floats of 32 or 64 bits."""


def _as_float(docno: str, kind: str) -> str:
    """Return a whole number after a program has held it as a float: ``f`` has 32 bits, ``d`` has 64."""
    if len(docno) > _LONGEST_NUMBER:
        return docno
    (number,) = struct.unpack(kind, struct.pack(kind, int(docno)))
    return str(int(number))


def _shape(docno: str) -> str:
    """Return a docno with 0 for each number and a for each word."""
    return re.sub("[a-z]+", "a", re.sub("[0-9]+", "0", docno))


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
