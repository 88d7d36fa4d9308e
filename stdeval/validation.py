"""Find the problems of a run before it is submitted: refusals, and scores that are not as meant."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Set
from contextlib import suppress
from heapq import nlargest
from itertools import pairwise
from typing import NamedTuple

from stdeval.errors import InputError, counted, excerpt, listed
from stdeval.evaluation import has_judged
from stdeval.files import MOST_COLUMNS, Input, counted_columns, whole_lines
from stdeval.trec.lines import RUN_FORM, RUN_WIDTH, excerpt_of, excerpt_of_docno
from stdeval.trec.reading import Lines, Qrels, column_lines, judgments_in, read_qrels, sorted_topics

KINDS = {
    "empty": ("error", "files"),  # no line can be read
    "byte-order-mark": ("error", "files"),  # the first topic has three bytes more for other programs
    "columns": ("error", "lines"),  # not six
    "score": ("error", "lines"),  # not a finite decimal number
    "characters": ("error", "lines"),  # a NUL byte, or a carriage return inside the line
    "q0": ("error", "lines"),  # the second column is not Q0
    "rank": ("error", "lines"),  # not a whole number
    "tag-form": ("error", "files"),
    "tag-changes": ("error", "lines"),  # the tag is not that of the first line
    "duplicates": ("error", "lines"),  # the topic has the document already
    "max-docs": ("error", "topics"),
    "missing-topics": ("error", "topics"),
    "unknown-topics": ("error", "topics"),  # not in --topics
    "unknown-docnos": ("error", "lines"),  # not in --docnos
    "unjudged": ("error", "files"),  # no document is judged: docnos of another collection or form
    "rank-order": ("error", "lines"),  # a higher score than the document at the rank above
    "repeated-ranks": ("warning", "lines"),
    "rank-gaps": ("warning", "topics"),  # ranks do not begin with 0 or 1, or leave some out
    "ties": ("warning", "lines"),
    "collisions": ("warning", "lines"),  # the score differs from another only as a 64-bit float
    "reordered": ("warning", "lines"),  # trec_eval orders documents with equal 32-bit scores in another way
    "same-documents": ("warning", "topics"),  # the first ten documents are those of an earlier topic
    "own-name": ("warning", "topics"),  # a document has the name of the topic: the query itself?
    "split-topics": ("warning", "topics"),  # lines of other topics stand between those of the topic
    "unjudged-topics": ("warning", "topics"),  # not in --qrels
    "non-ascii": ("warning", "lines"),
    "same-tag": ("warning", "files"),
    "judged-twice": ("warning", "lines"),  # of --qrels, as all that follow: the topic has the document already
    "unlisted-judgments": ("warning", "lines"),  # not in --docnos: no run can find the document
    "no-query": ("warning", "topics"),  # not in --topics
    "no-relevant": ("warning", "topics"),
}
"""The severity and the unit of each kind of problem, in the order in which they are reported: errors first."""

_N_FIRST = 10  # documents at the top of a topic that are compared with its name and with other topics
_LEAST_OWN_NAMES = 3  # so many topics with a document of their own name are not a coincidence

# At most 18 digits fit into 64 bits, and int() refuses thousands of them.
_WHOLE_NUMBER = re.compile(rb"[+-]?[0-9]{1,18}")


class Problem(NamedTuple):
    """The n problems of one kind in a run; line and detail are those of the first."""

    kind: str
    n: int
    line: int | None
    detail: str


class Expected(NamedTuple):
    """The expectations against which a run is validated."""

    max_docs: int = 1000  # as most tracks of TREC have it
    topics: Set[str] | None = None
    qrels: Qrels | None = None
    unlisted: Set[str] = frozenset()
    tag_form: re.Pattern[str] | None = None


def _document(docno: str, topic: str) -> str:
    return f"document '{excerpt_of_docno(docno)}' of topic '{excerpt(topic)}'"


class _Topic(NamedTuple):
    """The lines of a topic, in the order of the file."""

    name: str
    docnos: list[str]
    scores: list[float]
    ranks: list[bytes]
    numbers: list[int]

    @property
    def shown(self) -> str:
        return f"topic '{excerpt(self.name)}'"


def validate_run(source: Input, expected: Expected) -> tuple[str, list[Problem]]:
    """Return the tag in the first valid line of a run, and all problems."""
    validation = _Validation(source, expected)
    if not validation.check_topics():
        validation = _Validation(source, expected)  # the topics that were checked may have been incomplete
        validation.check_topics(whole=True)
    validation.check_run()
    return validation.tag, validation.in_order()


def validate_qrels(source: Input, expected: Expected) -> tuple[Qrels, list[Problem]]:
    """Return judgments, the first of those that a document has twice, and all problems."""
    validation, qrels, first = _Validation(source, expected), Qrels(), dict[str, int]()
    for line, topic, docno, judgment in judgments_in(source):
        own = qrels.setdefault(topic, {})
        first.setdefault(topic, line)
        if docno in own:
            detail = f"{_document(docno, topic)} is judged {judgment}, and {own[docno]} in an earlier line"
            validation.add("judged-twice", line, detail)
        own.setdefault(docno, judgment)
        if docno in expected.unlisted:
            validation.add("unlisted-judgments", line, f"{_document(docno, topic)} is not in the list")
    if not qrels:
        read_qrels(source)  # refuses it
    for topic, own in qrels.items():
        if max(own.values()) < 1:
            validation.add("no-relevant", first[topic], f"no document of topic '{excerpt(topic)}' is relevant")
        if expected.topics is not None and topic not in expected.topics:
            validation.add("no-query", first[topic], f"topic '{excerpt(topic)}' is not in the list")
    return qrels, validation.in_order()


def docnos_in(source: Input) -> Iterator[bytes]:
    """Yield the docnos in the lines of a run that can be read, each as often as it occurs."""
    for _, words in _Validation(source, Expected()).lines():
        yield from words[2::RUN_WIDTH]


class _Validation:
    """The problems of a run, by kind, which are found while its lines are read."""

    def __init__(self, source: Input, expected: Expected) -> None:
        self.source, self.expected, self.qrels = source, expected, expected.qrels or {}
        self.problems: dict[str, Problem] = {}
        self.topics: dict[str, int] = {}
        self.tag = ""
        self._topics_by_first: dict[int, str] = {}
        self._own_names: list[tuple[int, str]] = []
        self._example, self._is_judged = "", False

    def add(self, kind: str, line: int | None, detail: str, n: int = 1) -> None:
        """Add problems of a kind; the first has this line and detail."""
        known = self.problems.get(kind, Problem(kind, 0, line, detail))
        if line is not None and known.line is not None and line < known.line:
            known = known._replace(line=line, detail=detail)
        self.problems[kind] = known._replace(n=known.n + n)

    def in_order(self) -> list[Problem]:
        """Return the problems in the order in which they are reported."""
        return [self.problems[kind] for kind in KINDS if kind in self.problems]

    def lines(self) -> Iterator[tuple[Lines, list[bytes]]]:
        """Yield the valid lines, chunk by chunk, with their six columns in one list, line after line."""
        first = 1
        for chunk in whole_lines(self.source):
            for lines, words in self._parsed(chunk, first):
                for name, start, _ in lines.groups:
                    self.topics.setdefault(name, lines.numbers[start])
                self.tag = self.tag or lines.tag
                tag = self.tag.encode("utf-8", "surrogateescape")
                first_tag = f"'{excerpt(self.tag)}' as in the first line"
                for kind, place, word, expected in (("tag-changes", 5, tag, first_tag), ("q0", 1, b"Q0", "Q0")):
                    column = words[place::RUN_WIDTH]
                    if n_others := len(column) - column.count(word):
                        at = next(at for at, other in enumerate(column) if other != word)
                        detail = f"'{excerpt_of(column[at])}', expected {expected}"
                        self.add(kind, lines.numbers[at], detail, n_others)
                yield lines, words
            first += chunk.count(b"\n")

    def _parsed(self, chunk: bytes, first: int) -> Iterator[tuple[Lines, list[bytes]]]:
        """Read a chunk at once, or line by line if there is a problem."""
        with suppress(InputError):
            lines = column_lines(chunk, first, self.source.name, RUN_FORM, self.tag)
            words = chunk.split(None, RUN_WIDTH * len(lines.values))
            # A valid line has six columns or more, so none has more if this is their number.
            if lines.values and len(words) == RUN_WIDTH * len(lines.values) and chunk.isascii():
                yield lines, words
                return
        for number, line in enumerate(chunk.split(b"\n")[:-1], first):
            if not line or line.isspace():
                continue
            words = line.split(None, MOST_COLUMNS)
            try:
                lines = column_lines(line + b"\n", number, self.source.name, RUN_FORM, self.tag)
            except InputError as error:
                is_strange = b"\0" in line or b"\r" in line.rstrip()
                kind = "characters" if is_strange else "score" if error.message.startswith("score") else "columns"
                self.add(kind, number, error.message)
                continue
            if len(words) > RUN_WIDTH:
                self.add("columns", number, f"{counted_columns(len(words))}, expected 6: {RUN_FORM}")
            if not line.isascii():
                self.add("non-ascii", number, f"'{excerpt_of(next(word for word in words if not word.isascii()))}'")
            yield lines, words[:RUN_WIDTH]

    def check_topics(self, *, whole: bool = False) -> bool:
        """Check topic by topic; if one comes back, return False, unless the whole run is read first."""
        topics: dict[str, _Topic] = {}
        complete, split, last = set[str](), set[str](), ""
        for lines, words in self.lines():
            for name, start, end in lines.groups:
                if name in complete:
                    return False
                if last in topics and name != last and not whole:
                    complete.add(last)
                    self._check_topic(topics.pop(last))
                if name in topics and name != last and name not in split:
                    split.add(name)
                    detail = f"{topics[name].shown} again, after '{excerpt(last)}'"
                    self.add("split-topics", lines.numbers[start], detail)
                topic, last = topics.setdefault(name, _Topic(name, [], [], [], [])), name
                topic.docnos.extend(lines.docnos[start:end])
                topic.scores.extend(lines.values[start:end])
                topic.ranks.extend(words[3 + RUN_WIDTH * start : RUN_WIDTH * end : RUN_WIDTH])
                topic.numbers.extend(lines.numbers[start:end])
        for topic in topics.values():
            self._check_topic(topic)
        return True

    def check_run(self) -> None:
        """Check what is known after the last line: the tag, and the topics."""
        expected, topics = self.expected, self.topics
        if self._example and not self._is_judged:
            self.add("unjudged", None, f"neither {self._example} nor any other is judged")
        if len(self._own_names) >= _LEAST_OWN_NAMES and 2 * len(self._own_names) >= len(topics):
            self.add("own-name", *self._own_names[0], len(self._own_names))
        if bom := self.source.bom:
            line = 1 if bom == "the file" else None
            self.add("byte-order-mark", line, f"{bom} begins with a byte-order mark (EF BB BF)")
        if not topics:
            self.add("empty", None, "no entries")
        elif expected.tag_form is not None and not expected.tag_form.fullmatch(self.tag):
            self.add("tag-form", None, f"tag '{excerpt(self.tag)}', expected {expected.tag_form.pattern}")
        wanted = self.qrels if expected.topics is None else expected.topics
        if missing := sorted_topics({*wanted} - topics.keys()):
            self.add("missing-topics", None, f"no documents for {listed([*map(excerpt, missing)])}", len(missing))
        for kind, known in (("unknown-topics", expected.topics), ("unjudged-topics", expected.qrels)):
            if others := [name for name in topics if known is not None and name not in known]:
                detail = f"expected no documents for {listed([*map(excerpt, others)])}"
                self.add(kind, topics[others[0]], detail, len(others))

    def _check_topic(self, topic: _Topic) -> None:
        name, docnos, scores, ranks, numbers = topic
        n, unlisted = len(docnos), self.expected.unlisted
        documents = dict(zip(docnos, scores, strict=True))
        if len(documents) < n:
            line_of: dict[str, int] = {}
            for docno, number in zip(docnos, numbers, strict=True):
                if line_of.setdefault(docno, number) != number:
                    self.add("duplicates", number, f"{_document(docno, name)} is also in line {line_of[docno]}")
        if n > (most := self.expected.max_docs):
            detail = f"{topic.shown} has {counted(n, 'document')}, expected at most {most}"
            self.add("max-docs", numbers[most], detail)
        if not unlisted.isdisjoint(docnos):
            places = [place for place, docno in enumerate(docnos) if docno in unlisted]
            detail = f"{_document(docnos[places[0]], name)} is not in the list"
            self.add("unknown-docnos", numbers[places[0]], detail, len(places))
        if others := [place for place, rank in enumerate(ranks) if not _WHOLE_NUMBER.fullmatch(rank)]:
            detail = f"rank '{excerpt_of(ranks[others[0]])}', expected a whole number"
            self.add("rank", numbers[others[0]], detail, len(others))
        whole = [] if others else list(map(int, ranks))
        if whole:
            self._check_ranks(topic, whole)
        self._check_equal_scores(topic, whole)
        first = nlargest(_N_FIRST, documents, key=lambda docno: (documents[docno], docno))
        if len(first) == _N_FIRST:
            # Only hashes are kept, which limits the memory.
            earlier = self._topics_by_first.setdefault(hash(tuple(first)), topic.shown)
            if earlier != topic.shown:
                self.add("same-documents", numbers[0], f"{topic.shown} has the first documents of {earlier}")
        judged = self.qrels.get(name)
        # perhaps the query itself, unless it is the only relevant document
        relevant = {docno for docno, judgment in (judged or {}).items() if judgment > 0}
        if name in first and {name} != relevant:
            self._own_names.append((numbers[docnos.index(name)], _document(name, name)))
        if judged is not None and not self._is_judged:
            self._example = self._example or _document(docnos[0], name)
            self._is_judged = has_judged(docnos, judged)

    def _check_ranks(self, topic: _Topic, ranks: list[int]) -> None:
        """Look for ranks that occur twice or are left out, and for ranks below one with a lower score."""
        scores, numbers = topic.scores, topic.numbers
        if min(ranks) not in (0, 1) or any(below != rank + 1 for rank, below in pairwise(ranks)):
            line_of: dict[int, int] = {}
            for rank, number in zip(ranks, numbers, strict=True):
                if line_of.setdefault(rank, number) != number:
                    detail = f"rank {rank} of {topic.shown} is also in line {line_of[rank]}"
                    self.add("repeated-ranks", number, detail)
            distinct = sorted(line_of)
            gap = next(((rank, below) for rank, below in pairwise(distinct) if below != rank + 1), None)
            if distinct[0] not in (0, 1):
                detail = f"the first rank of {topic.shown} is {distinct[0]}"
                self.add("rank-gaps", line_of[distinct[0]], detail)
            elif gap:
                self.add("rank-gaps", line_of[gap[1]], f"rank {gap[1]} follows rank {gap[0]} in {topic.shown}")
        # Of documents with the same rank any may come first, so only the lowest of them can be below the next rank.
        by_rank = sorted(range(len(ranks)), key=lambda place: (ranks[place], -scores[place]))
        risen = [
            (numbers[below], above, below)
            for above, below in pairwise(by_rank)
            if scores[above] < scores[below] and ranks[above] < ranks[below]
        ]
        if risen:
            number, above, below = min(risen)
            found = f"score {scores[below]!r} at rank {ranks[below]}, {scores[above]!r} at rank {ranks[above]}"
            self.add("rank-order", number, f"{topic.shown}: {found}; trec_eval ignores ranks", len(risen))

    def _check_equal_scores(self, topic: _Topic, ranks: list[int]) -> None:
        """Look for documents that trec_eval orders by docno, because their scores are equal as 32-bit floats."""
        scores, numbers = topic.scores, topic.numbers
        singles = array("f", scores)
        groups: dict[float, list[int]] = {}
        if len(set(singles)) < len(singles):
            for place, single in enumerate(singles):
                groups.setdefault(single, []).append(place)
        for places in groups.values():
            sizes = Counter(scores[place] for place in places)
            if tied := [place for place in places if sizes[scores[place]] > 1]:
                score = scores[tied[0]]
                detail = f"{topic.shown}: {sizes[score]} documents have the score {score!r}"
                self.add("ties", numbers[tied[0]], detail, len(tied))
            if len(sizes) > 1:
                one, other = list(sizes)[:2]
                detail = f"{topic.shown}: {one!r} and {other!r} are one 32-bit float"
                self.add("collisions", numbers[places[0]], detail, len(places))
            # Equal ranks say nothing about the order.
            if not ranks or len({ranks[place] for place in places}) < len(places):
                continue
            by_rank = sorted(places, key=ranks.__getitem__)
            by_docno = sorted(places, key=topic.docnos.__getitem__, reverse=True)
            moved = [ranked for ranked, evaluated in zip(by_rank, by_docno, strict=True) if ranked != evaluated]
            if moved:
                at = min(moved, key=numbers.__getitem__)
                document = _document(topic.docnos[at], topic.name)
                detail = f"{document} has rank {ranks[at]}, where trec_eval puts another"
                self.add("reordered", numbers[at], detail, len(moved))
