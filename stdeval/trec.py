"""Reading TREC qrels and runs: in chunks, every line checked, every refusal with its line.

A docno is a string in which each character is one byte of the file (Latin-1), so that comparing docnos
compares bytes, as trec_eval does. Topics and tags are text (UTF-8, other bytes kept as surrogates).
"""

from __future__ import annotations

import math
import os
import re
import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple, cast

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


def sorted_topics(topics: Iterable[str]) -> tuple[str, ...]:
    """Topics in trec_eval's order, that of strcmp: by the bytes of the identifier."""
    return tuple(sorted(topics, key=lambda topic: topic.encode("utf-8", "surrogateescape")))


class Run(NamedTuple):
    """A run in memory: its tag, and the scored documents of each topic."""

    tag: str
    documents: dict[str, Documents]


class _Lines(NamedTuple):
    """Some lines of a file, blank ones left out.

    Parameters
    ----------
    stretches : list of (str, int, int)
        Where lines of one topic stand together: the topic, its first place, and one past its last.
    docnos, values : list
        What the lines say, by place.
    tags : list of (str, int)
        The tags of a run, each with the number of a line from which on it stands.
    numbers : range or list of int
        The number of each line in the file.
    n_read : int
        Number of lines, blank ones too.
    """

    stretches: list[tuple[str, int, int]]
    docnos: list[str]
    values: list[float]
    tags: list[tuple[str, int]]
    numbers: range | list[int]
    n_read: int


_Parser = Callable[[bytes, int, str], _Lines]


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
    qrels = _by_topic(_parsed(source, _qrels_lines), source.name)
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
        lines, texts = _qrels_lines(chunk, first, source.name), chunk.split(b"\n")
        for topic, start, end in lines.stretches:
            for docno, number in zip(lines.docnos[start:end], lines.numbers[start:end], strict=True):
                yield _decode(texts[number - first]), topic, docno
        first += lines.n_read


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
        for lines in self._parsed():
            for topic, start, end in lines.stretches:
                if topic != current:
                    if current is not None:
                        yield current, documents
                    if topic in seen:
                        yield from self._regrouped()
                        return
                    seen.add(topic)
                    current, documents = topic, {}
                _add(documents, topic, lines, start, end, self.source.name)
        if current is None:
            raise InputError(f"no entries, expected lines of: {RUN_FORM}", self.source.name)
        yield current, documents
        self._warn_of_tags()

    def _regrouped(self) -> Iterator[tuple[str, Documents]]:
        yield from _by_topic(self._parsed(), self.source.name).items()
        self._warn_of_tags()

    def _parsed(self) -> Iterator[_Lines]:
        for first, lines in enumerate(_parsed(self.source, _run_lines)):
            if first == 0:
                self.tag, self._other_tag = lines.tags[0][0], None
            if self._other_tag is None:
                self._other_tag = next((found for found in lines.tags if found[0] != self.tag), None)
            yield lines

    def _warn_of_tags(self) -> None:
        if self._other_tag is not None:
            other, line = self._other_tag
            message = f"the run tag changes from '{self.tag[:40]}' to '{other[:40]}', the first is used"
            warnings.warn(f"{self.source.name}:{line}: {message}", InputWarning, stacklevel=3)


def _parsed(source: Input, parse: _Parser) -> Iterator[_Lines]:
    first = 1
    for chunk in whole_lines(source):
        lines = parse(chunk, first, source.name)
        if lines.stretches:
            yield lines
        first += lines.n_read


def _by_topic(parts: Iterable[_Lines], name: str) -> dict[str, Documents]:
    found: dict[str, Documents] = {}
    for lines in parts:
        for topic, start, end in lines.stretches:
            _add(found.setdefault(topic, {}), topic, lines, start, end, name)
    return found


def _add(documents: Documents, topic: str, lines: _Lines, start: int, end: int, name: str) -> None:
    """Add a stretch of lines to the documents of its topic, of which none may be there yet."""
    n = len(documents)
    documents.update(zip(lines.docnos[start:end], lines.values[start:end], strict=True))
    if len(documents) != n + end - start:
        _refuse_repeated(set(islice(documents, n)), topic, lines, range(start, end), name)


def _refuse_repeated(seen: set[str], topic: str, lines: _Lines, places: range, name: str) -> None:
    for place in places:
        docno = lines.docnos[place]
        if docno in seen:
            what = f"document '{shown(docno.encode('latin-1'))}' a second time for topic '{topic[:40]}'"
            raise InputError(f"{what}, expected each document once", name, lines.numbers[place])
        seen.add(docno)


def shown(raw: bytes) -> str:
    """A field as messages show it: short, and on one line."""
    text = raw[:40].decode("utf-8", "replace")
    return (text if text.isprintable() else ascii(text)[1:-1]) + ("..." if len(raw) > 40 else "")


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _fields(chunk: bytes, mark: bytes, width: int) -> list[bytes] | None:
    r"""The fields of lines, each newline marked; None if there are not ``width`` a line.

    One split serves the whole chunk. The mark has the one \0 of its line and is part of every ``width``-th field:
    these are the keys of the lines, one more than there are lines. The first is given the end of the last line.
    """
    if b"\r" in chunk:
        chunk = chunk.replace(b"\r\n", b"\n")
    if b"\0" in chunk or b"\r" in chunk:
        return None
    size = chunk.count(b"\n") * width + 1
    fields = chunk.replace(b"\n", mark).split()
    if len(fields) != size:  # lines may begin or end with blanks
        fields = mark.join(map(bytes.strip, chunk.split(b"\n"))).split()
    if len(fields) != size:
        return None
    fields[0] = fields[-1] + fields[0]
    return fields


def _keyed(keys: list[bytes]) -> list[tuple[str, str, int, int]] | None:
    r"""Stretches of lines of one key: what stands before the \0 in it, the topic after it, and the places.

    None if a key but the last, which ends the last line, has no topic. Otherwise each of them has a \0, and as
    there are as many \0 as keys, no more than one: so each line has its fields.
    """
    parted = [(*key.partition(b"\0"), start, end) for key, start, end in _stretches(keys)]
    if not all(topic or start == len(keys) - 1 for _, _, topic, start, _ in parted):
        return None
    return [(_decode(ending), _decode(topic), start, end) for ending, _, topic, start, end in parted]


def _stretches(keys: list[bytes]) -> list[tuple[bytes, int, int]]:
    """Where equal keys stand together: the key, its first place, and one past its last. They are galloped over."""
    found = []
    start, n = 0, len(keys)
    while start < n:
        key, reach = keys[start], 1
        while start + reach < n and keys[start + reach] == key:
            reach *= 2
        end = bisect_left(keys, True, start + reach // 2, min(start + reach, n), key=key.__ne__)
        if b"\n".join(keys[start:end]) + b"\n" != (key + b"\n") * (end - start):
            end = next(place for place in range(start, end) if keys[place] != key)
        found.append((key, start, end))
        start = end
    return found


def _docnos(fields: list[bytes]) -> list[str]:
    return b"\n".join(fields).decode("latin-1").split("\n")


def _run_lines(chunk: bytes, line: int, name: str) -> _Lines:
    r"""Lines of a run; the usual ones are read as ``tag\0topic Q0 docno rank score tag\0topic Q0 ... tag\0``."""
    width = RUN_WIDTH - 1
    fields = _fields(chunk, b"\0", width)
    keyed = _keyed(fields[::width]) if fields else None
    scores = _floats(fields[4::width], b"_" in chunk) if fields and keyed else None
    if not fields or not keyed or not scores or not all(ending for ending, *_ in keyed):
        return _run_lines_by_line(chunk, line, name)
    topics = [(topic, start, end) for _, topic, start, end in keyed[:-1]]
    tags = [(ending, line + max(0, start - 1)) for ending, _, start, end in keyed if end > 1]
    n = len(scores)
    return _Lines(topics, _docnos(fields[2::width]), scores, tags, range(line, line + n), n)


def _floats(texts: list[bytes], underscores: bool) -> list[float] | None:
    """Finite decimals, or None if one of the texts is something else; some may have an underscore."""
    try:
        values = list(map(float, texts))
    except ValueError:
        return None
    if not math.isfinite(sum(values)) or (underscores and b"_" in b"".join(texts)):
        return None
    return values


def _run_lines_by_line(chunk: bytes, line: int, name: str) -> _Lines:
    topics, numbers = list[bytes](), list[int]()
    lines = _Lines([], [], [], [], numbers, chunk.count(b"\n"))
    for number, fields in _lines_of_fields(chunk, line, name):
        _check_run_width(fields, name, number)
        topics.append(fields[0])
        lines.docnos.append(fields[2].decode("latin-1"))
        lines.values.append(_score(fields[4], name, number))
        lines.tags.append((_decode(b" ".join(fields[5:])), number))
        numbers.append(number)
    lines.stretches.extend((_decode(topic), start, end) for topic, start, end in _stretches(topics))
    return lines


def _lines_of_fields(chunk: bytes, line: int, name: str) -> Iterator[tuple[int, list[bytes]]]:
    for number, raw in enumerate(chunk.split(b"\n")[:-1], line):
        if fields := _line_fields(raw, name, number):
            yield number, fields


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


def _qrels_lines(chunk: bytes, line: int, name: str) -> _Lines:
    r"""Lines of qrels; the usual ones are read as ``\0topic iteration docno judgment \0topic ... judgment \0``."""
    width = QRELS_WIDTH
    fields = _fields(chunk, b" \0", width)
    keyed = _keyed(fields[::width]) if fields else None
    if not fields or not keyed:
        return _qrels_lines_by_line(chunk, line, name)
    texts = fields[3::width]
    try:
        judgments = {text: _judgment(text, name, line) for text in set(texts)}
    except InputError:
        return _qrels_lines_by_line(chunk, line, name)
    values: list[float] = [*map(judgments.__getitem__, texts)]
    topics = [(topic, start, end) for _, topic, start, end in keyed[:-1]]
    n = len(values)
    return _Lines(topics, _docnos(fields[2::width]), values, [], range(line, line + n), n)


def _qrels_lines_by_line(chunk: bytes, line: int, name: str) -> _Lines:
    topics, numbers = list[bytes](), list[int]()
    lines = _Lines([], [], [], [], numbers, chunk.count(b"\n"))
    for number, fields in _lines_of_fields(chunk, line, name):
        if len(fields) != QRELS_WIDTH:
            hint = " (this looks like a run)" if len(fields) == RUN_WIDTH else ""
            raise InputError(f"{len(fields)} columns, expected 4: {QRELS_FORM}{hint}", name, number)
        topics.append(fields[0])
        lines.docnos.append(fields[2].decode("latin-1"))
        lines.values.append(_judgment(fields[3], name, number))
        numbers.append(number)
    lines.stretches.extend((_decode(topic), start, end) for topic, start, end in _stretches(topics))
    return lines


def _judgment(text: bytes, name: str, line: int) -> int:
    if not re.fullmatch(_JUDGMENT, text):
        raise InputError(f"judgment '{shown(text)}', expected a whole number", name, line)
    value = int(text.split(b".")[0][:20])
    if abs(value) > LARGEST_JUDGMENT:
        raise InputError(f"judgment '{shown(text)}', expected at most {LARGEST_JUDGMENT}", name, line)
    return value
