"""The lines of a run that can be read, although others cannot, and its topics.

A line that cannot be read is counted, and the lines after it are read. `stdeval.trec.lines` decides which lines are
valid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from stdeval.display import counted, excerpt
from stdeval.errors import InputError
from stdeval.files import Input, whole_lines
from stdeval.trec.lines import RUN_FORM, RUN_WIDTH, Lines, excerpt_of, excerpt_of_docno, run_lines
from stdeval.validation.problems import Findings


class Entries:
    """The valid lines of a run, chunk by chunk, with their six columns in one list, line after line.

    Iterating adds the problems of single lines to the findings.

    Parameters
    ----------
    source : Input
    findings : Findings
    topics : dict of str to int
        The topics so far, each with its first line.
    tag : str
        The tag of the first valid line; empty before it.
    """

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
                add(_kind_of_malformed(line), number, error.message)
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


def _kind_of_malformed(line: bytes) -> str:
    if b"\0" in line or b"\r" in line.rstrip():
        return "characters"
    return "score" if len(line.split()) == RUN_WIDTH else "columns"


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
