"""Read qrels and runs in chunks: every line is checked, and every refusal names its line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, cast
from zlib import crc32

from stdeval import notices
from stdeval.errors import InputError, counted, excerpt, warn
from stdeval.files import Input, columns_of, file_name, is_rereadable, whole_lines
from stdeval.trec import lines as trec_lines
from stdeval.trec import other_formats

if TYPE_CHECKING:
    from stdeval.trec.lines import Lines

Documents = dict[str, float]  # docno to score
Judgments = dict[str, int]  # docno to judgment
Qrels = dict[str, Judgments]  # topic to docno to judgment
Place = tuple[bytes | int | None, float]  # a rank, as a file or a program gives it, and a score


def sorted_topics(topics: Iterable[str]) -> tuple[str, ...]:
    """Return topics in trec_eval's order, by the bytes of the identifier, as strcmp sorts."""
    return tuple(sorted(topics, key=lambda topic: topic.encode("utf-8", "surrogateescape")))


class JudgmentError(InputError):
    """A judgment that a measure cannot use."""

    def __init__(self, topic: str, docno: str, judgment: int, expected: str) -> None:
        where = f"topic '{topic[:80]}', docno '{trec_lines.excerpt_of_docno(docno)}'"
        super().__init__(f"{where}: judgment {judgment}, {expected}")
        # the arguments with which a process makes the error again that another one sends
        self.args = (topic, docno, judgment, expected)
        self.topic, self.docno = topic, docno


class Run(NamedTuple):
    """A run in memory: the tag of its first line, and its documents, topic to docno to score."""

    tag: str
    documents: dict[str, Documents]

    def __repr__(self) -> str:
        n_documents = counted(sum(map(len, self.documents.values())), "document")
        return f"Run({excerpt(str(self.tag))!r}, {counted(len(self.documents), 'topic')}, {n_documents})"


def read_qrels(path: str | os.PathLike[str] | Input) -> Qrels:
    """Return the judgments of a qrels file: topic to docno to judgment; negative ones mean unjudged.

    The file may be of any form in stdeval-files(5), and compressed; ``-`` is standard input.
    """
    source = path if isinstance(path, Input) else Input(path)
    qrels: dict[str, Documents] = {}
    for _, _, lines in _parsed(source, is_run=False):
        for topic, start, end in lines.groups:
            try:
                _add(qrels.setdefault(topic, {}), topic, lines, start, end, source.name)
            except InputError as error:
                raise _of_subtopics(source, error.line) or error from None
    if not qrels:
        raise InputError(f"no judgments, expected lines of: {trec_lines.QRELS_FORM}", source.name)
    return cast(Qrels, qrels)


def _of_subtopics(source: Input, repeated: int | None) -> InputError | None:
    """Return an error if a line of qrels has the document of an earlier line with another iteration."""
    iterations: dict[tuple[str, str], str] = {}
    for number, line, topic, docno in judgment_lines(source):
        iteration = columns_of(line)[1]
        before = iterations.setdefault((topic, docno), iteration)
        if number == repeated and iteration != before:
            found = f"document '{trec_lines.excerpt_of_docno(docno)}' of topic '{excerpt(topic)}' appears"
            both = f"with the iterations {excerpt(before)} and {excerpt(iteration)}"
            return InputError(f"{found} {both}: qrels of subtopics are not read", source.name, number)
    return None


def judgments_in(source: Input) -> Iterator[tuple[int, str, str, int]]:
    """Yield the number of each line of a qrels file, its topic, docno and judgment; a document may come twice."""
    for _, _, lines in _parsed(source, is_run=False):
        for topic, start, end in lines.groups:
            for place in range(start, end):
                yield lines.numbers[place], topic, lines.docnos[place], int(lines.values[place])


def judgment_lines(source: Input) -> Iterator[tuple[int, str, str, str]]:
    """Yield the number of each line of a qrels file, its text in TREC's form, its topic and its docno.

    The text has no newline. An object of JSON has no lines: their number is 0.
    """
    for first, chunk, lines in _parsed(source, is_run=False):
        texts = chunk.split(b"\n") if lines.form == trec_lines.QRELS_FORM else []
        for topic, start, end in lines.groups:
            for place in range(start, end):
                number, docno = lines.numbers[place], lines.docnos[place]
                made = f"{topic} 0 {trec_lines.decode(docno.encode('latin-1'))} {lines.values[place]}"
                yield number, trec_lines.decode(texts[number - first]) if texts else made, topic, docno


def located(error: JudgmentError, path: str) -> InputError:
    """Return the error with the file of the judgments, and the line if the file can be read again."""
    source, place = Input(path), (error.topic, error.docno)
    judged = judgment_lines(source) if is_rereadable(path) else ()
    line = next((number for number, _, *found in judged if tuple(found) == place), None)
    return error.at(source.name, line or None)


def read_run(path: str | os.PathLike[str] | Input) -> Run:
    """Read a whole run of any form in stdeval-files(5), whose file may be compressed; ``-`` is standard input."""
    reader = RunReader(path if isinstance(path, Input) else Input(path))
    documents = dict(reader)
    warn(notices.rising_scores([reader.tag] if reader.rising > 0 else [], 1))
    return Run(reader.tag, documents)


def first_tag(source: Input) -> str:
    """Return the tag of the first line of a run; empty if its first lines are no lines of a run in TREC's form."""
    try:
        # 256 bytes are enough for the first line
        return trec_lines.column_lines(next(whole_lines(source, 256), b""), 1, source.name, trec_lines.RUN_FORM).tag
    except InputError:
        return ""  # reading the run explains what is wrong


def rising(n: int, first: Place, last: Place) -> int:
    """Return 1 if the last of a topic's n lines has a higher rank and score than the first, as with distances.

    Otherwise -1, and 0 if there is one line. The scores of a run rise if the sum over its topics is above 0.
    """
    if n < 2:
        return 0
    try:
        return 1 if first[1] < last[1] and int(first[0]) < int(last[0]) else -1  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return -1  # a rank is not a whole number


@dataclass
class RunReader:
    """Read a run topic by topic, holding one at a time.

    If the lines of a topic are not together, it is given again after all were read; ``grouped`` refuses such a run,
    and any that is not in TREC's form.
    """

    source: Input
    grouped: bool = False
    tag: str = ""
    rising: int = 0

    def __iter__(self) -> Iterator[tuple[str, Documents]]:
        seen = set[str]()
        current: str | None = None
        documents: Documents = {}
        first: Place = (b"", 0.0)
        last = first
        for lines in self._chunks():
            for topic, start, end in lines.groups:
                if topic != current:
                    if current is not None:
                        self.rising += rising(len(documents), first, last)
                        yield current, documents
                    if topic in seen:
                        if self.grouped:
                            raise InputError("a topic appears again after another one", self.source.name)
                        yield from self._complete_topics()
                        return
                    seen.add(topic)
                    current, documents = topic, {}
                    first = lines.ranks[start], lines.values[start]
                _add(documents, topic, lines, start, end, self.source.name)
                last = lines.ranks[end - 1], lines.values[end - 1]
        if current is None:
            raise InputError(f"no entries, expected lines of: {trec_lines.RUN_FORM}", self.source.name)
        self.rising += rising(len(documents), first, last)
        yield current, documents

    def _complete_topics(self) -> Iterator[tuple[str, Documents]]:
        """Yield all topics of a run that is not grouped by topic, which is held in memory."""
        topics: dict[str, Documents] = {}
        first, last = dict[str, Place](), dict[str, Place]()
        for lines in self._chunks(whole=True):
            for topic, start, end in lines.groups:
                _add(topics.setdefault(topic, {}), topic, lines, start, end, self.source.name)
                first.setdefault(topic, (lines.ranks[start], lines.values[start]))
                last[topic] = lines.ranks[end - 1], lines.values[end - 1]
        for topic, documents in topics.items():
            self.rising += rising(len(documents), first[topic], last[topic])
            yield topic, documents

    def _chunks(self, *, whole: bool = False) -> Iterator[Lines]:
        """Parse the run chunk by chunk, and take note of its tag, or else its file; `whole` if topics come back."""
        self.tag, self.rising = "", 0
        ranks: dict[str, set[float]] = {}
        for _, _, lines in _parsed(self.source, is_run=True, form=trec_lines.RUN_FORM if self.grouped else ""):
            self.tag = self.tag or lines.tag or file_name(self.source.path)
            if lines.form == trec_lines.RANKED_FORM:
                other_formats.refuse_repeated_ranks(lines, ranks, self.source.name)
                if not whole:
                    # a topic that comes back starts the reading again
                    last = lines.groups[-1][0]
                    ranks = {last: ranks[last]}
            yield lines


def _parsed(source: Input, *, is_run: bool, form: str = "") -> Iterator[tuple[int, bytes, Lines]]:
    """Parse an input chunk by chunk, so that only one chunk is held; chunks of blank lines are left out.

    Each comes with the number of its first line, and as it was. The first line decides the form if none is given.
    """
    first, tag, chunks = 1, "", whole_lines(source)
    for read in chunks:
        # a few compressed kilobytes can hold gigabytes of blank lines, which are skipped as fast as they are read
        if read.isspace():
            first += read.count(b"\n")
            continue
        chunk = read
        form = form or trec_lines.trec_form(read, is_run=is_run)
        if not form:
            form, chunk = other_formats.begun(read, chunks, first, source.name, is_run=is_run)
        if not is_run:
            source.checksum = crc32(chunk, source.checksum)  # shows whether workers have read the same
        if form in trec_lines.COLUMN_FORMS:
            lines = trec_lines.column_lines(chunk, first, source.name, form, tag)
        else:
            lines = other_formats.json_lines(chunk, first, source.name, form, is_run=is_run)
        tag = tag or lines.tag
        yield first, chunk, lines
        first += lines.n_read


def _add(documents: Documents, topic: str, lines: Lines, start: int, end: int, name: str) -> None:
    """Add lines of a topic to its documents, refusing documents that are already there."""
    n = len(documents)
    documents.update(zip(lines.docnos[start:end], lines.values[start:end], strict=True))
    if len(documents) == n + end - start:
        return
    # A dict keeps the order of insertion, so its first n keys are those from before this update.
    seen = set(islice(documents, n))
    for place in range(start, end):
        docno = lines.docnos[place]
        if docno in seen:
            again = f"document '{trec_lines.excerpt_of_docno(docno)}' appears twice in topic '{excerpt(topic)}'"
            raise InputError(f"{again}, expected each document once", name, lines.numbers[place])
        seen.add(docno)
