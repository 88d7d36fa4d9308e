"""Read qrels and runs in chunks: every line is checked, and every refusal names its line.

The fast path (`_at_once`) returns None if anything in a chunk is unusual. It is then read line by line, which
`stdeval.trec.lines` is for. Where both read a chunk, they give the same result.

A docno is a string in which each character is one byte of the file (Latin-1), so that comparing docnos compares
bytes, as trec_eval does. Topics and tags are text (UTF-8, other bytes kept as surrogates).
"""

from __future__ import annotations

import math
import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, islice
from typing import NamedTuple, cast
from zlib import crc32

from stdeval import notices
from stdeval.errors import InputError, counted, excerpt, warn
from stdeval.files import Input, columns_of, file_name, is_rereadable, whole_lines
from stdeval.trec import lines as trec_lines

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
                made = f"{topic} 0 {decode(docno.encode('latin-1'))} {lines.values[place]}"
                yield number, decode(texts[number - first]) if texts else made, topic, docno


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
        return column_lines(next(whole_lines(source, 256), b""), 1, source.name, trec_lines.RUN_FORM).tag
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
                _refuse_repeated_ranks(lines, ranks, self.source.name)
                if not whole:
                    # a topic that comes back starts the reading again
                    last = lines.groups[-1][0]
                    ranks = {last: ranks[last]}
            yield lines


# --- chunks of lines ---


class Lines(NamedTuple):
    """The lines of a chunk that are not blank.

    ``groups`` has each topic with the indices of its first line and of the one after its last. ``ranks`` and
    ``tag``, that of the first line, are only of use for runs; a run of another form than TREC's has no tag.
    ``n_read`` counts blank lines, too.
    """

    groups: list[tuple[str, int, int]]
    docnos: list[str]
    values: list[float]
    ranks: list[bytes]
    tag: str
    numbers: Sequence[int]
    n_read: int
    form: str


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
        form = form or trec_form(read, is_run=is_run)
        if not form:
            form, chunk = trec_lines.begun(read, chunks, first, source.name, is_run=is_run)
        if not is_run:
            source.checksum = crc32(chunk, source.checksum)  # shows whether workers have read the same
        if form in trec_lines.COLUMN_FORMS:
            lines = column_lines(chunk, first, source.name, form, tag)
        else:
            lines = _grouped(trec_lines.read_json(chunk, first, source.name, form, is_run=is_run), chunk, form)
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


def _refuse_repeated_ranks(lines: Lines, ranks: dict[str, set[float]], name: str) -> None:
    """Add ranks that are scores to those of earlier lines, by topic; refuse a rank that its topic has already."""
    for topic, start, end in lines.groups:
        known = ranks.setdefault(topic, set())
        for score, number in zip(lines.values[start:end], lines.numbers[start:end], strict=True):
            if score in known:
                found = f"rank {-score:.0f} appears twice in topic '{excerpt(topic)}'"
                raise InputError(f"{found}, expected each rank once (are these qrels?)", name, number)
            known.add(score)


def trec_form(chunk: bytes, *, is_run: bool) -> str:
    """Return TREC's form if qrels, or a run, that begin with this chunk are read as such; otherwise nothing."""
    fields = chunk.lstrip().partition(b"\n")[0].split(None, trec_lines.RUN_WIDTH)
    form = trec_lines.RUN_FORM if is_run else trec_lines.QRELS_FORM
    # a run in the place of qrels, or the reverse, is refused by the reader of TREC's form
    is_qrels = len(fields) == trec_lines.QRELS_WIDTH and (not is_run or fields[1] in (b"0", b"Q0"))
    is_like = is_qrels or len(fields) >= trec_lines.RUN_WIDTH
    return form if is_like and fields[0][:1] not in (b"{", b"[") else ""


def column_lines(chunk: bytes, first: int, name: str, form: str, tag: str = "") -> Lines:
    """Parse whole lines of columns; `first` is the number of the first line, `tag` the tag of the run, if known."""
    lines = _at_once(chunk, first, form)
    return lines or _grouped(trec_lines.read_columns(chunk, first, name, form, tag), chunk, form)


def _grouped(parsed: trec_lines.Parsed, chunk: bytes, form: str) -> Lines:
    """Return the lines of a chunk that were read one by one."""
    topics, docnos, values, ranks, numbers, tag = parsed
    groups = [(decode(topic), start, end) for topic, start, end in neighbours(topics)]
    return Lines(groups, docnos, values, ranks, decode(tag), numbers, chunk.count(b"\n"), form)


def _at_once(chunk: bytes, first: int, form: str) -> Lines | None:
    """Parse a chunk at once; None if a line needs a closer look."""
    if b"\r" in chunk:
        chunk = chunk.replace(b"\r\n", b"\n")
    # A NUL of the file would pass for a mark, and a lone carriage return would split a field.
    if b"\0" in chunk or b"\r" in chunk:
        return None
    # With a mark for each newline, the last field of a line of a run and the first of the next are one field, a
    # key: tag, mark, topic. Without tags, a key is a mark and a topic. In most chunks there are few different keys.
    columns = form.split()
    is_tagged, docno = form == trec_lines.RUN_FORM, columns.index("docno")
    mark, width = (b"\0", trec_lines.RUN_WIDTH - 1) if is_tagged else (b" \0", len(columns))
    n = chunk.count(b"\n")
    fields = chunk.replace(b"\n", mark).split(None, n * width + 1)
    if len(fields) != n * width + 1:
        # Blanks at the end of a line separate the mark from its field; without them the lines may be regular.
        fields = mark.join(map(bytes.strip, chunk.split(b"\n"))).split(None, n * width + 1)
        if len(fields) != n * width + 1:
            return None
    fields[0] = fields.pop() + fields[0]
    keys, groups = fields[::width], []
    for key, start, end in neighbours(keys):
        tag, _, topic = key.partition(b"\0")
        # A line of five columns that ends in a blank yields five fields, too, but nothing before the NUL.
        if not topic or bool(tag) != is_tagged:
            return None
        groups.append((decode(topic), start, end))
    ranks, texts = fields[docno + 1 :: width], fields[width - 1 :: width]
    is_scored, (sign, zero) = "score" in columns, (b"-", b".0") if "judgment" in columns else (b"", b"")
    # there are few different judgments, and ranks; the ranks of TREC's form are not read
    wholes = set(ranks if form == trec_lines.SCORED_FORM else () if is_scored else texts)
    usual = [text for text in wholes if len(text) < 7 and text.removeprefix(sign).removesuffix(zero).isdigit()]
    try:
        # a rank is minus the score, but 0 is not -0.0
        numbers = {text: int(float(text)) if sign else 0.0 - int(text) for text in usual if not is_scored}
        values = list(map(float if is_scored else numbers.__getitem__, texts))
    except (KeyError, ValueError):
        return None
    # float() takes 1_0 for a number
    is_odd = is_scored and (not math.isfinite(sum(values)) or (b"_" in chunk and b"_" in b"".join(texts)))
    if is_odd or len(usual) < len(wholes):
        return None
    # One call for all docnos is much faster than one for each; no field contains a newline.
    docnos = b"\n".join(fields[docno::width]).decode("latin-1").split("\n")
    first_tag = decode(keys[1 % n].partition(b"\0")[0])
    return Lines(groups, docnos, values, ranks, first_tag, range(first, first + n), n, form)


def neighbours(keys: list[bytes]) -> list[tuple[bytes, int, int]]:
    """Group equal neighbours: the key, the first index of the group, and one past its last."""
    groups, start = [], 0
    while start < len(keys):
        # Mostly all lines of a key are together, and then the last can be found by bisection.
        key = keys[start]
        end = bisect_left(keys, True, start, key=key.__ne__)
        # joined, because comparing many bytes at once is faster
        if b"\n".join(keys[start:end]) + b"\n" != (key + b"\n") * (end - start):
            ends = list(accumulate(len(list(group)) for _, group in groupby(keys)))
            return [(keys[start], start, end) for start, end in zip([0, *ends], ends, strict=False)]
        groups.append((key, start, end))
        start = end
    return groups


def decode(raw: bytes) -> str:
    """Return bytes of the file as text, keeping those that are not UTF-8 as surrogates."""
    return raw.decode("utf-8", "surrogateescape")
