"""One large run in parts, which several processes score at the same time.

A part is read as if it were a run of its own. So a run is cut only where a topic begins, and the scores of its
parts are joined only if that makes no difference: no topic is in two places, all parts have the same tag, and no
line is refused. Otherwise the run is read as a whole, which also finds the numbers of lines for messages.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import IO, NamedTuple, cast

from stdeval.errors import InputError
from stdeval.evaluation import Evaluator, PartScores, RunScores
from stdeval.files import LONGEST_LINE, Input, is_compressed
from stdeval.trec.reading import RunReader

_LONGEST_SEARCH = 1 << 24
"""Bytes in which a topic must begin for a run to be cut; limits the time if topics are long."""


class Part(NamedTuple):
    """The bytes of a run from ``start`` up to but not including ``end``."""

    path: str
    start: int
    end: int


def cut(path: str, n: int) -> list[Part]:
    """Cut a run into parts of about the same size, each of which begins with a new topic."""
    with Input(path).open() as stream:
        if is_compressed(path):
            return []
        size = stream.seek(0, os.SEEK_END)
        found = (_next_topic(stream, i * size // n) for i in range(1, n))
        places = sorted({0, size, *(place for place in found if place is not None)})
    return [Part(path, start, end) for start, end in pairwise(places)]


def _next_topic(stream: IO[bytes], offset: int) -> int | None:
    """Return the first place after an offset at which a topic begins; None if there is none nearby."""
    stream.seek(offset)
    place = offset + len(stream.readline(LONGEST_LINE))
    topic: list[bytes] = []
    while place - offset < _LONGEST_SEARCH and (line := stream.readline(LONGEST_LINE)):
        found = line.split(None, 1)[:1]
        if topic and found and found != topic:
            return place
        topic = found or topic
        place += len(line)
    return None


class _PartInput(Input):
    """A part of a file, read as if it were a file: the stream ends where the part does, between two lines."""

    def __init__(self, part: Part) -> None:
        super().__init__(part.path)
        self._part = part

    @contextlib.contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        with super().open() as self._stream:
            self._stream.seek(self._part.start)
            yield cast(IO[bytes], self)

    def read(self, size: int) -> bytes:
        return self._stream.read(max(0, min(size, self._part.end - self._stream.tell())))

    def readline(self, limit: int) -> bytes:
        return self._stream.readline(limit) if self._stream.tell() < self._part.end else b""


def score_part(evaluator: Evaluator, part: Part) -> PartScores | None:
    """Return the scores of a part; None if its topics could score differently in the whole run."""
    try:
        return evaluator.score_part(RunReader(_PartInput(part), grouped=True))
    except InputError:
        return None


def joined(evaluator: Evaluator, parts: Iterable[PartScores | None], path: str) -> RunScores | None:
    """Return the scores of a run from the scores of all of its parts; None if it has to be read as a whole."""
    scored: list[PartScores] = []
    for part in parts:
        if part is None or part.tag != (scored or [part])[0].tag:
            return None
        scored.append(part)
    whole = PartScores([], {}, {}, is_judged=any(part.is_judged for part in scored), first={}, tag=scored[0].tag)
    for part in scored:
        whole.topics.extend(part.topics)
        whole.rows.update(part.rows)
        whole.texts.update(part.texts)
        whole.first.update(part.first)
    if len(set(whole.topics)) < len(whole.topics):
        return None
    return evaluator.whole_run(whole._replace(rising=sum(part.rising for part in scored)), path)
