"""Find the problems of a run before it is submitted: refusals, and scores that are not as meant."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import pairwise
from types import MappingProxyType
from typing import Literal, NamedTuple

from stdeval.display import counted, excerpt, listed
from stdeval.errors import InputError
from stdeval.files import Input, whole_lines
from stdeval.trec.lines import RUN_FORM, RUN_WIDTH, Lines, excerpt_of, excerpt_of_docno, run_lines
from stdeval.trec.reading import Qrels, has_judged, sorted_topics


class Kind(NamedTuple):
    """A kind of problem."""

    severity: Literal["error", "warning"]
    unit: str
    meaning: str


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "empty": Kind("error", "files", "no line can be read"),
        "byte-order-mark": Kind("error", "files", "the first topic has three bytes more for other programs"),
        "columns": Kind("error", "lines", f"not six columns: {RUN_FORM}"),
        "score": Kind("error", "lines", "the score is not a finite decimal number"),
        "characters": Kind("error", "lines", "a NUL byte, or a carriage return inside the line"),
        "q0": Kind("error", "lines", "the second column is not Q0"),
        "rank": Kind("error", "lines", "the rank is not a whole number"),
        "tag-form": Kind("error", "files", "--tag-form does not match the tag"),
        "tag-changes": Kind("error", "lines", "the tag is not that of the first line"),
        "duplicates": Kind("error", "lines", "the topic has the document already"),
        "max-docs": Kind("error", "topics", "more than --max-docs documents"),
        "missing-topics": Kind("error", "topics", "no documents for a topic of --topics or --qrels"),
        "unknown-topics": Kind("error", "topics", "not in --topics"),
        "unknown-docnos": Kind("error", "lines", "the document is not in --docnos"),
        "unjudged": Kind(
            "error", "files", "no document is judged in --qrels: docnos of another collection or form"
        ),
        "rank-order": Kind("error", "lines", "a higher score than the document at the rank above"),
        "repeated-ranks": Kind("warning", "lines", "the topic has the rank already"),
        "rank-gaps": Kind("warning", "topics", "ranks do not begin with 0 or 1, or leave some out"),
        "ties": Kind("warning", "lines", "another document of the topic has the same score"),
        "collisions": Kind("warning", "lines", "the score differs from another only as a 64-bit float"),
        "reordered": Kind("warning", "lines", "trec_eval orders documents with equal 32-bit scores in another way"),
        "same-documents": Kind("warning", "topics", "the first ten documents are those of an earlier topic"),
        "own-name": Kind("warning", "topics", "a document has the name of the topic: the query itself?"),
        "split-topics": Kind("warning", "topics", "lines of other topics stand between those of the topic"),
        "unjudged-topics": Kind("warning", "topics", "not in --qrels"),
        "non-ascii": Kind("warning", "lines", "a topic, docno or tag is not ASCII"),
        "same-tag": Kind("warning", "files", "another run has the tag"),
    }
)
"""The kinds of problems in the order in which they are reported: errors first."""


@dataclass(frozen=True)
class Problem:
    """All problems of one kind in a run."""

    kind: str
    count: int
    line: int | None
    detail: str

    @property
    def severity(self) -> str:
        """``error`` or ``warning``."""
        return KINDS[self.kind].severity

    @property
    def unit(self) -> str:
        """The unit of ``count``."""
        return KINDS[self.kind].unit


class Findings:
    """Counts of problems by kind, with the first problem of each kind."""

    def __init__(self) -> None:
        self._problems: dict[str, Problem] = {}

    def add(self, kind: str, line: int | None, detail: str, count: int = 1) -> None:
        """Add problems of a kind, the first of which has this line and detail."""
        known = self._problems.get(kind, Problem(kind, 0, line, detail))
        if line is not None and known.line is not None and line < known.line:
            known = replace(known, line=line, detail=detail)
        self._problems[kind] = replace(known, count=known.count + count)

    def problems(self) -> tuple[Problem, ...]:
        """Return the problems so far, in the order of `KINDS`."""
        return tuple(self._problems[kind] for kind in KINDS if kind in self._problems)


class Entries:
    """The valid lines of a run, chunk by chunk, with their six columns in one list, line after line."""

    def __init__(self, source: Input, findings: Findings) -> None:
        self.source, self._findings = source, findings
        self.topics: dict[str, int] = {}
        self.tag = ""

    def __iter__(self) -> Iterator[tuple[Lines, list[bytes]]]:
        first = 1
        for chunk in whole_lines(self.source):
            usual = self._usual(chunk, first)
            for lines, words in self._one_by_one(chunk, first) if usual is None else [usual]:
                self._check_lines(lines, words)
                yield lines, words
            first += chunk.count(b"\n")

    def _usual(self, chunk: bytes, first: int) -> tuple[Lines, list[bytes]] | None:
        """Read a chunk at once; None if a line has a problem."""
        try:
            lines = run_lines(chunk, first, self.source.name, self.tag)
        except InputError:
            return None
        words = chunk.split()
        # A valid line has six columns or more, so none has more if this is their number.
        usual = lines.values and len(words) == RUN_WIDTH * len(lines.values) and chunk.isascii()
        return (lines, words) if usual else None

    def _one_by_one(self, chunk: bytes, first: int) -> Iterator[tuple[Lines, list[bytes]]]:
        add = self._findings.add
        for number, line in enumerate(chunk.split(b"\n")[:-1], first):
            if not line or line.isspace():
                continue
            try:
                lines = run_lines(line + b"\n", number, self.source.name, self.tag)
            except InputError as error:
                kind = "score" if len(line.split()) == RUN_WIDTH else "columns"
                kind = "characters" if b"\0" in line or b"\r" in line.rstrip() else kind
                add(kind, number, error.message)
                continue
            words = line.split()
            if len(words) > RUN_WIDTH:
                add("columns", number, f"{counted(len(words), 'column')}, expected 6: {RUN_FORM}")
            if not line.isascii():
                add("non-ascii", number, f"'{excerpt_of(next(word for word in words if not word.isascii()))}'")
            yield lines, words[:RUN_WIDTH]

    def _check_lines(self, lines: Lines, words: list[bytes]) -> None:
        for name, start, _ in lines.groups:
            self.topics.setdefault(name, lines.numbers[start])
        self.tag = self.tag or lines.tag
        tag = self.tag.encode("utf-8", "surrogateescape")
        expected = f"expected '{excerpt(self.tag)}' as in the first line"
        self._check_column("tag-changes", lines, words[RUN_WIDTH - 1 :: RUN_WIDTH], tag, expected)
        self._check_column("q0", lines, words[1::RUN_WIDTH], b"Q0", "expected Q0")

    def _check_column(self, kind: str, lines: Lines, column: list[bytes], word: bytes, expected: str) -> None:
        if n_others := len(column) - column.count(word):
            place = next(place for place, other in enumerate(column) if other != word)
            detail = f"'{excerpt_of(column[place])}', {expected}"
            self._findings.add(kind, lines.numbers[place], detail, n_others)


class Topic(NamedTuple):
    """The lines of a topic, in the order of the file."""

    name: str
    docnos: list[str]
    scores: list[float]
    ranks: list[bytes]
    numbers: list[int]

    @property
    def shown(self) -> str:
        """The topic as messages show it."""
        return f"topic '{excerpt(self.name)}'"

    def extend(self, lines: Lines, words: list[bytes], start: int, end: int) -> None:
        """Add the lines of a chunk from ``start`` to before ``end``."""
        self.docnos.extend(lines.docnos[start:end])
        self.scores.extend(lines.values[start:end])
        self.ranks.extend(words[3 + RUN_WIDTH * start : RUN_WIDTH * end : RUN_WIDTH])
        self.numbers.extend(lines.numbers[start:end])


def named(topic: Topic, docno: str) -> str:
    """Return a document of a topic as messages show it."""
    return f"document '{excerpt_of_docno(docno)}' of {topic.shown}"


def consecutive_topics(entries: Entries, _: Findings) -> Iterator[Topic | None]:
    """Yield one topic after the other; yield None and stop if a topic comes back after another one."""
    topic = Topic("", [], [], [], [])
    complete = set[str]()
    for lines, words in entries:
        for name, start, end in lines.groups:
            if name != topic.name:
                if topic.docnos:
                    yield topic
                    complete.add(topic.name)
                if name in complete:
                    yield None
                    return
                topic = Topic(name, [], [], [], [])
            topic.extend(lines, words, start, end)
    if topic.docnos:
        yield topic


def collected_topics(entries: Entries, findings: Findings) -> Iterable[Topic]:
    """Return the topics of a whole run, wherever in the file their lines are."""
    topics: dict[str, Topic] = {}
    split = set[str]()
    last = ""
    for lines, words in entries:
        for name, start, end in lines.groups:
            if name in topics and name != last and name not in split:
                split.add(name)
                detail = f"{topics[name].shown} again, after '{excerpt(last)}'"
                findings.add("split-topics", lines.numbers[start], detail)
            topics.setdefault(name, Topic(name, [], [], [], [])).extend(lines, words, start, end)
            last = name
    return topics.values()


# At most 18 digits fit into 64 bits, and int() refuses thousands of them.
_WHOLE_NUMBER = re.compile(rb"[+-]?[0-9]{1,18}")


def check_topic(topic: Topic, most: int, unlisted: Set[str], findings: Findings) -> None:
    """Add the problems of a topic to the findings."""
    n = len(topic.docnos)
    if len(set(topic.docnos)) < n:
        first: dict[str, int] = {}
        for docno, number in zip(topic.docnos, topic.numbers, strict=True):
            if first.setdefault(docno, number) != number:
                findings.add("duplicates", number, f"{named(topic, docno)} is also in line {first[docno]}")
    if n > most:
        detail = f"{topic.shown} has {counted(n, 'document')}, expected at most {most}"
        findings.add("max-docs", topic.numbers[most], detail)
    if not unlisted.isdisjoint(topic.docnos):
        places = [place for place, docno in enumerate(topic.docnos) if docno in unlisted]
        detail = f"{named(topic, topic.docnos[places[0]])} is not in the list"
        findings.add("unknown-docnos", topic.numbers[places[0]], detail, len(places))
    others = [place for place, rank in enumerate(topic.ranks) if not _WHOLE_NUMBER.fullmatch(rank)]
    ranks: list[int] | None = None
    if others:
        detail = f"rank '{excerpt_of(topic.ranks[others[0]])}', expected a whole number"
        findings.add("rank", topic.numbers[others[0]], detail, len(others))
    else:
        ranks = list(map(int, topic.ranks))
        _check_sequence(topic, ranks, findings)
        _check_order(topic, ranks, findings)
    _check_equal_scores(topic, ranks, findings)


def _check_sequence(topic: Topic, ranks: list[int], findings: Findings) -> None:
    """Look for ranks that occur twice, and for ranks that are left out."""
    if min(ranks) in (0, 1) and all(below == rank + 1 for rank, below in pairwise(ranks)):
        return
    line_of: dict[int, int] = {}
    for rank, number in zip(ranks, topic.numbers, strict=True):
        if line_of.setdefault(rank, number) != number:
            detail = f"rank {rank} of {topic.shown} is also in line {line_of[rank]}"
            findings.add("repeated-ranks", number, detail)
    distinct = sorted(line_of)
    if distinct[0] not in (0, 1):
        detail = f"the first rank of {topic.shown} is {distinct[0]}"
        findings.add("rank-gaps", line_of[distinct[0]], detail)
        return
    gap = next(((rank, below) for rank, below in pairwise(distinct) if below != rank + 1), None)
    if gap:
        detail = f"rank {gap[1]} follows rank {gap[0]} in {topic.shown}"
        findings.add("rank-gaps", line_of[gap[1]], detail)


def _check_order(topic: Topic, ranks: list[int], findings: Findings) -> None:
    """Look for documents that the rank column puts below one with a lower score."""
    scores = topic.scores
    # Of documents with the same rank any may come first, so only the lowest of them can be below the next rank.
    by_rank = sorted(range(len(ranks)), key=lambda place: (ranks[place], -scores[place]))
    risen = [
        (above, below)
        for above, below in pairwise(by_rank)
        if scores[above] < scores[below] and ranks[above] < ranks[below]
    ]
    if risen:
        above, below = min(risen, key=lambda pair: topic.numbers[pair[1]])
        found = f"score {scores[below]!r} at rank {ranks[below]}, {scores[above]!r} at rank {ranks[above]}"
        detail = f"{topic.shown}: {found}; trec_eval ignores ranks"
        findings.add("rank-order", topic.numbers[below], detail, len(risen))


def _check_equal_scores(topic: Topic, ranks: list[int] | None, findings: Findings) -> None:
    """Look for documents that trec_eval orders by docno, because their scores are equal as 32-bit floats."""
    singles = array("f", topic.scores)
    if len(set(singles)) == len(singles):
        return
    groups: dict[float, list[int]] = {}
    for place, score in enumerate(singles):
        groups.setdefault(score, []).append(place)
    for places in groups.values():
        if len(places) > 1:
            _check_group(topic, places, findings)
            if ranks:
                _check_places(topic, places, ranks, findings)


def _check_group(topic: Topic, places: Sequence[int], findings: Findings) -> None:
    """Count documents with the same 32-bit score: those that are equal as 64-bit floats, and those that are not."""
    sizes = Counter(topic.scores[place] for place in places)
    tied = [place for place in places if sizes[topic.scores[place]] > 1]
    if tied:
        score = topic.scores[tied[0]]
        detail = f"{topic.shown}: {sizes[score]} documents have the score {score!r}"
        findings.add("ties", topic.numbers[tied[0]], detail, len(tied))
    if len(sizes) > 1:
        one, other = list(sizes)[:2]
        detail = f"{topic.shown}: {one!r} and {other!r} are one 32-bit float"
        findings.add("collisions", topic.numbers[places[0]], detail, len(places))


def _check_places(topic: Topic, places: Sequence[int], ranks: list[int], findings: Findings) -> None:
    """Count the documents that trec_eval puts at other places than the rank column does."""
    by_rank = sorted(places, key=ranks.__getitem__)
    by_docno = sorted(places, key=topic.docnos.__getitem__, reverse=True)
    moved = [ranked for ranked, evaluated in zip(by_rank, by_docno, strict=True) if ranked != evaluated]
    # Equal ranks say nothing about the order.
    if moved and len({ranks[place] for place in places}) == len(places):
        first = min(moved, key=topic.numbers.__getitem__)
        detail = f"{named(topic, topic.docnos[first])} has rank {ranks[first]}, where trec_eval puts another"
        findings.add("reordered", topic.numbers[first], detail, len(moved))


MAX_DOCS = 1000
"""The number of documents per topic that most tracks of TREC accept."""

_N_FIRST = 10
"""The number of documents at the top of a topic that are compared with its name and with other topics."""

_LEAST_OWN_NAMES = 3
"""So many topics with a document of their own name are not a coincidence."""


class Expected(NamedTuple):
    """The expectations against which a run is validated."""

    max_docs: int = MAX_DOCS
    topics: Collection[str] | None = None
    qrels: Qrels | None = None
    unlisted: Set[str] = frozenset()
    tag_form: re.Pattern[str] | None = None


class Validated(NamedTuple):
    """The tag in the first valid line of a run, and its problems in the order of `KINDS`."""

    tag: str
    problems: tuple[Problem, ...]


def validate_run(source: Input, expected: Expected) -> Validated:
    """Return all problems of a run."""
    validated = _validated(source, expected, consecutive_topics)
    if validated is None:
        # The topics that were checked may have been incomplete: start again.
        validated = _validated(source, expected, collected_topics)
        assert validated is not None, "only consecutive topics can come back"
    return validated


def docnos_in(source: Input) -> Iterator[bytes]:
    """Yield the docnos in the lines of a run that can be read, each as often as it occurs."""
    for _, words in Entries(source, Findings()):
        yield from words[2::RUN_WIDTH]


def shared_tags(validated: Mapping[str, Validated]) -> dict[str, Problem]:
    """Return the problem of each run that has the tag of an earlier one; keys are names of runs."""
    owners: dict[str, str] = {}
    shared = {}
    for name, run in validated.items():
        owner = owners.setdefault(run.tag, name)
        if run.tag and owner != name:
            shared[name] = Problem("same-tag", 1, None, f"tag '{excerpt(run.tag)}', as of '{owner}'")
    return shared


def _validated(
    source: Input, expected: Expected, topics_of: Callable[[Entries, Findings], Iterable[Topic | None]]
) -> Validated | None:
    """Return the run after all checks, or None if a topic comes back although topics have to be consecutive."""
    findings = Findings()
    entries = Entries(source, findings)
    qrels = expected.qrels or {}
    example, is_judged = "", False
    topics_by_first: dict[int, str] = {}
    own_names: list[tuple[int, str]] = []
    for topic in topics_of(entries, findings):
        if topic is None:
            return None
        check_topic(topic, expected.max_docs, expected.unlisted, findings)
        documents = dict(zip(topic.docnos, topic.scores, strict=True))
        first = nlargest(_N_FIRST, documents, key=lambda docno: (documents[docno], docno))
        if len(first) == _N_FIRST:
            # Only hashes are kept, which limits the memory.
            earlier = topics_by_first.setdefault(hash(tuple(first)), topic.shown)
            if earlier != topic.shown:
                detail = f"{topic.shown} has the first documents of {earlier}"
                findings.add("same-documents", topic.numbers[0], detail)
        # perhaps the query itself, unless it is the only relevant document
        relevant = {docno for docno, judgment in qrels.get(topic.name, {}).items() if judgment > 0}
        if topic.name in first and {topic.name} != relevant:
            own_names.append((topic.numbers[topic.docnos.index(topic.name)], named(topic, topic.name)))
        if topic.name in qrels and not is_judged:
            example = example or named(topic, topic.docnos[0])
            is_judged = has_judged(topic.docnos, qrels[topic.name])
    if example and not is_judged:
        findings.add("unjudged", None, f"neither {example} nor any other is judged")
    if len(own_names) >= _LEAST_OWN_NAMES and 2 * len(own_names) >= len(entries.topics):
        findings.add("own-name", *own_names[0], len(own_names))
    return _finished(entries, expected, findings)


def _finished(entries: Entries, expected: Expected, findings: Findings) -> Validated:
    """Return the run after the checks of its tag and its topics."""
    if entries.source.has_bom:
        findings.add("byte-order-mark", 1, "the file begins with a byte-order mark (EF BB BF)")
    elif entries.source.has_inner_bom:
        findings.add("byte-order-mark", None, "a later line begins with a byte-order mark (EF BB BF)")
    if not entries.topics:
        findings.add("empty", None, "no entries")
    elif expected.tag_form is not None and not expected.tag_form.fullmatch(entries.tag):
        findings.add("tag-form", None, f"tag '{excerpt(entries.tag)}', expected {expected.tag_form.pattern}")
    if expected.topics is not None:
        missing = sorted_topics(set(expected.topics) - entries.topics.keys())
        if missing:
            detail = f"no documents for {listed(list(map(excerpt, missing)))}"
            findings.add("missing-topics", None, detail, len(missing))
        others = [name for name in entries.topics if name not in expected.topics]
        if others:
            kind = "unjudged-topics" if expected.qrels is not None else "unknown-topics"
            detail = f"expected no documents for {listed(list(map(excerpt, others)))}"
            findings.add(kind, entries.topics[others[0]], detail, len(others))
    return Validated(entries.tag, findings.problems())
