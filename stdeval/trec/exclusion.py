"""Documents that are left out of judgments and runs, as if they were in neither."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple, TypeVar

from stdeval.errors import InputError
from stdeval.files import Input, columns_of, counted_columns, numbered_lines
from stdeval.trec.lines import as_read
from stdeval.trec.reading import Qrels, judgments_in

Number = TypeVar("Number", int, float)


class Exclusion(NamedTuple):
    """The pairs of topic and docno that are left out, as `packed`; ``own`` also those of two equal names."""

    pairs: bytes = b""
    own: bool = False

    def left(self, topic: str, documents: dict[str, Number]) -> dict[str, Number]:
        """Return the documents, or the judgments, of a topic that are left."""
        excluded: Collection[str] = _docnos_of(self.pairs).get(topic, ())
        if self.own:
            excluded = {*excluded, topic.encode("utf-8", "surrogateescape").decode("latin-1")}
        if documents.keys().isdisjoint(excluded):
            return documents
        return {docno: number for docno, number in documents.items() if docno not in excluded}

    def left_of_qrels(self, qrels: Qrels, path: str | None = None) -> Qrels:
        """Return the judgments that are left; a topic without any is not in them."""
        left = {topic: self.left(topic, judgments) for topic, judgments in qrels.items()}
        if not any(left.values()):
            raise InputError("all judged documents are excluded, expected some that are not", path)
        return {topic: judgments for topic, judgments in left.items() if judgments}


@lru_cache(maxsize=1)
def _docnos_of(pairs: bytes) -> dict[str, set[str]]:
    docnos: dict[str, set[str]] = {}
    for line in pairs.split(b"\n")[:-1]:
        topic, _, docno = line.partition(b"\0")
        docnos.setdefault(topic.decode("utf-8", "surrogateescape"), set()).add(docno.decode("latin-1"))
    return docnos


def packed(pairs: Iterable[tuple[str, str]]) -> bytes:
    """Return pairs as the sorted lines ``topic NUL docno LF``, which identify them, and are quick to send."""
    encoded = {(topic.encode("utf-8", "surrogateescape"), docno.encode("latin-1")) for topic, docno in pairs}
    return b"".join(sorted(b"%b\0%b\n" % pair for pair in encoded))


def packed_mapping(given: Mapping[str, Iterable[str]] | bytes) -> bytes:
    """Return the pairs that a Python program holds, topic to docnos, as `packed`."""
    if isinstance(given, bytes):
        return given
    with suppress(AttributeError, TypeError, UnicodeError):
        pairs = {(topic, as_read(docno)) for topic, docnos in given.items() for docno in docnos}
        lines = packed(pairs)
        is_text = lines.count(b"\n") == lines.count(b"\0") == len(pairs)
        if is_text and not any(isinstance(docnos, str) for docnos in given.values()):
            return lines
    raise InputError("exclude: expected topic to docnos, such as {'1': ['doc7']}, or qrels")


def read_packed(paths: Iterable[str]) -> bytes:
    """Return the pairs in files as `packed`."""
    return packed(pair for path in paths for pair in _pairs_in(Input(path)))


def _pairs_in(source: Input) -> Iterator[tuple[str, str]]:
    """Yield the pairs in a file of qrels, whatever the judgments are, or of lines with a topic and a docno."""
    first = next((line for _, line in numbered_lines(source) if columns_of(line)), None)
    if first is None:
        raise InputError("no documents, expected qrels, or lines of: topic docno", source.name)
    if len(columns_of(first)) > 2 or first.lstrip().startswith(("{", "[")):
        yield from ((topic, docno) for _, topic, docno, _ in judgments_in(source))
        return
    for number, line in numbered_lines(source):
        columns = columns_of(line)
        if len(columns) == 2:
            yield columns[0], columns[1].encode("utf-8", "surrogateescape").decode("latin-1")
        elif columns:
            raise InputError(f"{counted_columns(len(columns))}, expected 2: topic docno", source.name, number)
