"""Reading TREC qrels and runs: in chunks, every line checked, every refusal with its line.

A docno is a string in which each character is one byte of the file (Latin-1), so that comparing docnos
compares bytes, as trec_eval does. Topics and tags are text (UTF-8, other bytes kept as surrogates).
"""

from __future__ import annotations

import math
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import cast

from stdeval.errors import InputError, InputWarning
from stdeval.files import Input, whole_lines

Documents = dict[str, float]
Judgments = dict[str, int]
Qrels = dict[str, Judgments]

RUN_FORM = "topic Q0 docno rank score tag"
QRELS_FORM = "topic iteration docno judgment"
RUN_WIDTH = 6
QRELS_WIDTH = 4
LARGEST_JUDGMENT = 1_000_000

_SCORE = rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_INTEGER = rb"[+-]?[0-9]+"
_JUDGMENT = rb"[+-]?[0-9]+(?:\.0*)?"
_SEPARATORS = "\x1c\x1d\x1e\x1f"


def sorted_topics(topics: Iterable[str]) -> tuple[str, ...]:
    """Topics in trec_eval's order, that of strcmp: by the bytes of the identifier."""
    return tuple(sorted(topics, key=lambda topic: topic.encode("utf-8", "surrogateescape")))


@dataclass(frozen=True)
class Run:
    """A run in memory: its tag, and the scored documents of each topic."""

    tag: str
    documents: dict[str, Documents]


@dataclass
class _Columns:
    """Some lines of a file, by column, and the numbers of the lines."""

    topics: list[str]
    docnos: list[str]
    values: list[float]
    tags: list[str]
    lines: range | list[int]

    def blocks(self) -> Iterator[tuple[str, int, int]]:
        """Stretches of lines of one topic: the topic, its first place, and one past its last."""
        start = 0
        for topic, group in groupby(self.topics):
            end = start + len(list(group))
            yield topic, start, end
            start = end


_Parser = Callable[[bytes, int, str], _Columns]


def read_qrels(path: str | os.PathLike[str] | Input) -> Qrels:
    """Relevance judgments of a TREC qrels file.

    Parameters
    ----------
    path : path or Input
        Plain or packed; ``-`` is standard input.

    Returns
    -------
    dict
        Topic to docno to judgment; negative ones (pooled but unjudged) are kept.

    Raises
    ------
    InputError
        At the first line that is no judgment or judges a document again.
    """
    source = path if isinstance(path, Input) else Input(path)
    qrels = _by_topic(_parsed(source, _qrels_columns), source.name)
    if not qrels:
        raise InputError(f"no judgments, expected lines of: {QRELS_FORM}", source.name)
    return cast(Qrels, qrels)


def judgment_lines(source: Input) -> Iterator[tuple[str, str, str]]:
    """The lines of a qrels file as they stand, without their ends, each with its topic and docno.

    Raises
    ------
    InputError
        At the first line that is no judgment.
    """
    first = 1
    for chunk in whole_lines(source):
        columns, lines = _qrels_columns(chunk, first, source.name), chunk.split(b"\n")
        for topic, docno, number in zip(columns.topics, columns.docnos, columns.lines, strict=True):
            yield _decode(lines[number - first]), topic, docno
        first += len(lines) - 1


def read_run(path: str | os.PathLike[str] | Input) -> Run:
    """A whole TREC run.

    Parameters
    ----------
    path : path or Input
        Plain or packed; ``-`` is standard input.

    Raises
    ------
    InputError
        At the first line that is no entry of a run, or names a document of its topic again.
    """
    reader = RunReader(path if isinstance(path, Input) else Input(path))
    documents = dict(reader)
    return Run(reader.tag, documents)


class RunReader:
    """The topics of a run one after the other, so that no more than one is held.

    Iterating gives (topic, documents). Where a topic comes back after another (a run that is not grouped by
    topic) all topics are given once more, complete: the last that is given of a topic is right. After the
    iteration ``tag`` is the tag of the run.
    """

    def __init__(self, source: Input) -> None:
        self.source = source
        self.path = source.name
        self.tag = ""

    def __iter__(self) -> Iterator[tuple[str, Documents]]:
        self._other_tag: tuple[str, int] | None = None
        seen: set[str] = set()
        current: str | None = None
        documents: Documents = {}
        for columns in self._columns():
            for topic, start, end in columns.blocks():
                if topic != current:
                    if current is not None:
                        yield current, documents
                    if topic in seen:
                        yield from self._regrouped()
                        return
                    seen.add(topic)
                    current, documents = topic, {}
                documents = _with(documents, topic, columns, start, end, self.source.name)
        if current is None:
            raise InputError(f"no entries, expected lines of: {RUN_FORM}", self.source.name)
        yield current, documents
        self._warn_of_tags()

    def _regrouped(self) -> Iterator[tuple[str, Documents]]:
        yield from _by_topic(self._columns(), self.source.name).items()
        self._warn_of_tags()

    def _columns(self) -> Iterator[_Columns]:
        for first, columns in enumerate(_parsed(self.source, _run_columns)):
            if first == 0:
                self.tag, self._other_tag = columns.tags[0], None
            if self._other_tag is None and columns.tags.count(self.tag) != len(columns.tags):
                place = next(i for i, tag in enumerate(columns.tags) if tag != self.tag)
                self._other_tag = columns.tags[place], columns.lines[place]
            yield columns

    def _warn_of_tags(self) -> None:
        if self._other_tag is not None:
            other, line = self._other_tag
            message = f"the run tag changes from '{self.tag[:40]}' to '{other[:40]}', the first is used"
            warnings.warn(f"{self.source.name}:{line}: {message}", InputWarning, stacklevel=3)


def _parsed(source: Input, parse: _Parser) -> Iterator[_Columns]:
    line = 1
    for chunk in whole_lines(source):
        columns = parse(chunk, line, source.name)
        if columns.topics:
            yield columns
        line += chunk.count(b"\n")


def _by_topic(parts: Iterable[_Columns], name: str) -> dict[str, Documents]:
    found: dict[str, Documents] = {}
    for columns in parts:
        for topic, start, end in columns.blocks():
            found[topic] = _with(found.get(topic, {}), topic, columns, start, end, name)
    return found


def _with(documents: Documents, topic: str, columns: _Columns, start: int, end: int, name: str) -> Documents:
    """The documents of a topic with those of a stretch of lines, of which none may be there yet."""
    new = dict(zip(columns.docnos[start:end], columns.values[start:end], strict=True))
    if len(new) != end - start or not new.keys().isdisjoint(documents):
        _refuse_repeated(documents, topic, columns, range(start, end), name)
    if not documents:
        return new
    documents.update(new)
    return documents


def _refuse_repeated(documents: Documents, topic: str, columns: _Columns, places: range, name: str) -> None:
    seen = set(documents)
    for place in places:
        docno = columns.docnos[place]
        if docno in seen:
            what = f"document '{shown(docno.encode('latin-1'))}' a second time for topic '{topic[:40]}'"
            raise InputError(f"{what}, expected each document once", name, columns.lines[place])
        seen.add(docno)


def shown(raw: bytes) -> str:
    """A field as messages show it: short, and on one line."""
    text = raw[:40].decode("utf-8", "replace")
    return (text if text.isprintable() else ascii(text)[1:-1]) + ("..." if len(raw) > 40 else "")


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _fields(chunk: bytes, width: int) -> list[str] | None:
    r"""The fields of lines that all have ``width`` of them, every line with a mark after it; None otherwise.

    One split serves the whole chunk: the marks show by their places whether each line has its fields. What
    a str splits at and trec_eval does not (\\x1c to \\x1f, blanks beyond ASCII) is left to the careful way.
    """
    if b"\0" in chunk or not chunk.isascii():
        return None
    text = chunk.decode("ascii")
    if any(separator in text for separator in _SEPARATORS):
        return None
    fields = text.replace("\n", " \0 ").split()
    n = text.count("\n")
    if len(fields) != n * (width + 1) or fields[width :: width + 1].count("\0") != n:
        return None
    return fields


def _run_columns(chunk: bytes, line: int, name: str) -> _Columns:
    fields = _fields(chunk, RUN_WIDTH)
    step = RUN_WIDTH + 1
    scores = _floats(fields[4::step], b"_" in chunk) if fields else None
    if fields is None or scores is None:
        return _run_columns_by_line(chunk, line, name)
    return _Columns(fields[0::step], fields[2::step], scores, fields[5::step], range(line, line + len(scores)))


def _floats(texts: list[str], underscores: bool) -> list[float] | None:
    """Finite decimals, or None if one of the texts is something else; some may have an underscore."""
    try:
        values = list(map(float, texts))
    except ValueError:
        return None
    if not math.isfinite(sum(values)) or (underscores and "_" in "".join(texts)):
        return None
    return values


def _run_columns_by_line(chunk: bytes, line: int, name: str) -> _Columns:
    numbers: list[int] = []
    columns = _Columns([], [], [], [], numbers)
    for number, raw in enumerate(chunk.split(b"\n")[:-1], line):
        fields = _line_fields(raw, name, number)
        if fields:
            _check_run_width(fields, name, number)
            columns.topics.append(_decode(fields[0]))
            columns.docnos.append(fields[2].decode("latin-1"))
            columns.values.append(_score(fields[4], name, number))
            columns.tags.append(_decode(b" ".join(fields[5:])))
            numbers.append(number)
    return columns


def _line_fields(raw: bytes, name: str, line: int) -> list[bytes]:
    if b"\0" in raw:
        raise InputError("a NUL byte, expected text", name, line)
    if b"\r" in raw.rstrip():
        raise InputError("a carriage return inside a line, expected lines that end in a newline", name, line)
    return raw.split()


def _check_run_width(fields: list[bytes], name: str, line: int) -> None:
    n = len(fields)
    if n == QRELS_WIDTH and re.fullmatch(_JUDGMENT, fields[3]):
        raise InputError(f"4 columns, expected 6: {RUN_FORM} (this looks like qrels)", name, line)
    if n < RUN_WIDTH:
        raise InputError(f"{n} columns, expected 6: {RUN_FORM}", name, line)
    if n > RUN_WIDTH and not (re.fullmatch(_INTEGER, fields[3]) and re.fullmatch(_SCORE, fields[4])):
        raise InputError(f"{n} columns, expected 6 (only a tag may have blanks): {RUN_FORM}", name, line)


def _score(text: bytes, name: str, line: int) -> float:
    value = float(text) if re.fullmatch(_SCORE, text) else math.nan
    if not math.isfinite(value):
        raise InputError(f"score '{shown(text)}', expected a finite decimal number", name, line)
    return value


def _qrels_columns(chunk: bytes, line: int, name: str) -> _Columns:
    fields = _fields(chunk, QRELS_WIDTH)
    if fields is None:
        return _qrels_columns_by_line(chunk, line, name)
    step = QRELS_WIDTH + 1
    texts = fields[3::step]
    try:
        values = {text: _judgment(text.encode(), name, line) for text in set(texts)}
    except InputError:
        return _qrels_columns_by_line(chunk, line, name)
    judgments: list[float] = [values[text] for text in texts]
    return _Columns(fields[0::step], fields[2::step], judgments, [], range(line, line + len(texts)))


def _qrels_columns_by_line(chunk: bytes, line: int, name: str) -> _Columns:
    numbers: list[int] = []
    columns = _Columns([], [], [], [], numbers)
    for number, raw in enumerate(chunk.split(b"\n")[:-1], line):
        fields = _line_fields(raw, name, number)
        if fields:
            if len(fields) != QRELS_WIDTH:
                hint = " (this looks like a run)" if len(fields) == RUN_WIDTH else ""
                raise InputError(f"{len(fields)} columns, expected 4: {QRELS_FORM}{hint}", name, number)
            columns.topics.append(_decode(fields[0]))
            columns.docnos.append(fields[2].decode("latin-1"))
            columns.values.append(_judgment(fields[3], name, number))
            numbers.append(number)
    return columns


def _judgment(text: bytes, name: str, line: int) -> int:
    if not re.fullmatch(_JUDGMENT, text):
        raise InputError(f"judgment '{shown(text)}', expected a whole number", name, line)
    value = int(text.split(b".")[0][:20])
    if abs(value) > LARGEST_JUDGMENT:
        raise InputError(f"judgment '{shown(text)}', expected at most {LARGEST_JUDGMENT}", name, line)
    return value
