"""Read TREC qrels and runs in chunks: every line is checked, and every refusal names its line.

A docno is a string in which each character is one byte of the file (Latin-1), so that comparing docnos
compares bytes, as trec_eval does. Topics and tags are text (UTF-8, other bytes kept as surrogates).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, cast

from stdeval.display import counted, excerpt
from stdeval.errors import InputError, InputWarning
from stdeval.files import Input, whole_lines
from stdeval.trec.doubtful_order import doubts_of_topic
from stdeval.trec.doubtful_runs import about_doubts, doubts_of_run, may_be_sampled, sampled
from stdeval.trec.doubts import Doubt
from stdeval.trec.lines import (
    QRELS_FORM,
    RUN_FORM,
    Lines,
    Parser,
    decode,
    excerpt_of_docno,
    qrels_lines,
    run_lines,
)

Documents = dict[str, float]
"""Docno to score."""

Judgments = dict[str, int]
"""Docno to judgment."""

Qrels = dict[str, Judgments]
"""Topic to docno to judgment."""


def sorted_topics(topics: Iterable[str]) -> tuple[str, ...]:
    """Return topics in trec_eval's order, that of strcmp: by the bytes of the identifier."""
    return tuple(sorted(topics, key=lambda topic: topic.encode("utf-8", "surrogateescape")))


class JudgmentError(InputError):
    """A judgment that a measure cannot use.

    Parameters
    ----------
    topic, docno : str
    judgment : int
    expected : str
        The end of the message, such as ``expected at most 4``.

    Examples
    --------
    >>> print(JudgmentError("301", "FT911-1", 7, "expected at most 4"))
    topic '301', docno 'FT911-1': judgment 7, expected at most 4
    """

    def __init__(self, topic: str, docno: str, judgment: int, expected: str) -> None:
        shown = excerpt_of_docno(docno)
        super().__init__(f"topic '{topic[:80]}', docno '{shown}': judgment {judgment}, {expected}")
        # the arguments with which a process makes the error again that another one sends
        self.args = (topic, docno, judgment, expected)
        self.topic = topic
        self.docno = docno


class Run(NamedTuple):
    """A run in memory.

    Parameters
    ----------
    tag : str
        The tag of its first line.
    documents : dict
        Topic to docno to score.
    other_tag : (str, int), optional
        If the tag changes: the first different tag, and the number of its line.
    is_read : bool
        True if `read_run` has read it, which warns of documents in the wrong order by their ranks or lines.

    Examples
    --------
    >>> Run("bm25", {"301": {"FT911-1": 2.5, "FT911-2": 1.5}})
    Run('bm25', 1 topic, 2 documents)
    """

    tag: str
    documents: dict[str, Documents]
    other_tag: tuple[str, int] | None = None
    is_read: bool = False

    def __repr__(self) -> str:
        n_documents = sum(map(len, self.documents.values()))
        numbers = f"{counted(len(self.documents), 'topic')}, {counted(n_documents, 'document')}"
        return f"Run({excerpt(str(self.tag))!r}, {numbers})"


def read_qrels(path: str | os.PathLike[str] | Input) -> Qrels:
    r"""Read the relevance judgments of a TREC qrels file.

    Parameters
    ----------
    path : path or Input
        Plain or compressed; ``-`` is standard input.

    Returns
    -------
    dict
        Topic to docno to judgment; negative judgments (pooled but unjudged) are kept.

    Raises
    ------
    InputError
        At the first line that is not a judgment or judges a document again.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "qrels").write_text("301 0 FT911-1 1\n301 0 FT911-2 0\n")
    ...     read_qrels(f"{folder}/qrels")
    {'301': {'FT911-1': 1, 'FT911-2': 0}}
    """
    source = path if isinstance(path, Input) else Input(path)
    qrels: dict[str, Documents] = {}
    for lines in _parsed(source, qrels_lines):
        for topic, start, end in lines.groups:
            _add(qrels.setdefault(topic, {}), topic, lines, start, end, source.name)
    if not qrels:
        raise InputError(f"no judgments, expected lines of: {QRELS_FORM}", source.name)
    return cast(Qrels, qrels)


@contextmanager
def locating_judgments(path: str) -> Iterator[None]:
    """Give a `JudgmentError` the file of the judgments, and the line if the file can be read again.

    Parameters
    ----------
    path : str
        ``-`` is standard input, which has been read.
    """
    try:
        yield
    except JudgmentError as error:
        source = Input(path)
        is_there = path != "-" and source.state() is not None
        line = _line_of_judgment(source, error.topic, error.docno) if is_there else None
        raise error.at(source.name, line) from None


def _line_of_judgment(source: Input, topic: str, docno: str) -> int | None:
    for lines in _parsed(source, qrels_lines):
        for name, start, end in lines.groups:
            if name == topic and docno in lines.docnos[start:end]:
                return lines.numbers[lines.docnos.index(docno, start, end)]
    return None


def judgment_lines(source: Input) -> Iterator[tuple[str, str, str]]:
    """Yield each line of a qrels file unchanged, without its newline, with its topic and docno.

    Raises
    ------
    InputError
        At the first line that is not a judgment.
    """
    first = 1
    for chunk in whole_lines(source):
        lines, texts = qrels_lines(chunk, first, source.name), chunk.split(b"\n")
        for topic, start, end in lines.groups:
            for docno, number in zip(lines.docnos[start:end], lines.numbers[start:end], strict=True):
                yield decode(texts[number - first]), topic, docno
        first += lines.n_read


def read_run(path: str | os.PathLike[str] | Input) -> Run:
    r"""Read a whole TREC run.

    Parameters
    ----------
    path : path or Input
        Plain or compressed; ``-`` is standard input.

    Raises
    ------
    InputError
        At the first line that is not an entry of a run, or names a document of its topic again.

    Warns
    -----
    InputWarning
        If the documents are probably in the wrong order, in one of ten topics: scores rise with the ranks, as
        distances do, or are in another order than the ranks; several documents have the same rank; the columns of
        ranks and scores are exchanged; or most documents, or the first ones, have equal scores. Another warning
        tells that the tag changes, as in a file of two runs.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "run").write_text("301 Q0 FT911-1 1 2.5 bm25\n")
    ...     run = read_run(f"{folder}/run")
    >>> run.documents
    {'301': {'FT911-1': 2.5}}
    """
    reader = RunReader(path if isinstance(path, Input) else Input(path))
    documents = dict(reader)
    if reader.other_tag is not None:
        warnings.warn(
            about_changed_tag(reader.source.name, reader.tag, reader.other_tag), InputWarning, stacklevel=2
        )
    for message in about_doubts([(reader.tag, doubt) for doubt in doubts_of_run(reader.doubts)], 1, None):
        warnings.warn(message, InputWarning, stacklevel=2)
    return Run(reader.tag, documents, reader.other_tag, is_read=True)


def about_changed_tag(name: str, tag: str, other_tag: tuple[str, int]) -> str:
    """Return a message about a run, read from the file of this name, in which the tag changes.

    Examples
    --------
    >>> about_changed_tag("both.run", "new", ("old", 7))
    "both.run:7: the run tag changes from 'new' to 'old', the first is used"
    """
    other, line = other_tag
    return f"{name}:{line}: the run tag changes from '{tag[:40]}' to '{other[:40]}', the first is used"


_FIRST_LINES = 256
"""Number of bytes, enough for the first line of a run, that are read to find its tag."""


def first_tag(source: Input) -> str:
    """Return the tag of the first line of a run; empty if its first lines are not those of a run."""
    try:
        lines = run_lines(next(whole_lines(source, _FIRST_LINES), b""), 1, source.name)
    except InputError:
        # Reading the run explains what is wrong.
        return ""
    return lines.tags[0][0] if lines.tags else ""


@dataclass
class RunReader:
    """Read a run topic by topic, holding one topic at a time.

    Iterating yields pairs of a topic and its documents. If a topic comes back after another one (the run is not
    grouped by topic), all topics are yielded once more, complete. So a caller must let later documents of a topic
    replace earlier ones. A file that changes between the two readings is refused.

    Parameters
    ----------
    source : Input
    judged : container of str, optional
        The topics among which some are chosen to look for doubts; None: all topics.
    grouped : bool
        Refuse a topic that comes back.
    tag : str
        The tag of the first line; known after the iteration.
    other_tag : (str, int) or None
        The first different tag and the number of its line, if the tag changes; known after the iteration.
    doubts : dict of str to tuple of Doubt
        The doubts about the order of the documents of some topics, see `stdeval.trec.doubtful_runs.sampled`; known
        after the iteration.
    """

    source: Input
    judged: Container[str] | None = None
    grouped: bool = False
    tag: str = ""
    other_tag: tuple[str, int] | None = None
    doubts: dict[str, tuple[Doubt, ...]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[tuple[str, Documents]]:
        before = self.source.state()
        seen: set[str] = set()
        current: str | None = None
        documents: Documents = {}
        ranks: list[bytes] = []
        for lines in self._chunks():
            for topic, start, end in lines.groups:
                if topic != current:
                    if current is not None:
                        self._look_at(current, documents, ranks)
                        yield current, documents
                    if topic in seen:
                        if self.grouped:
                            again = f"topic '{excerpt(topic)}' appears again after another topic"
                            expected = "expected all of its lines together"
                            raise InputError(f"{again}, {expected}", self.source.name, lines.numbers[start])
                        # Topics yielded so far may be incomplete: start again, and hold the whole run this time.
                        yield from self._complete_topics()
                        self.source.refuse_change(before)
                        return
                    seen.add(topic)
                    current, documents, ranks = topic, {}, []
                _add(documents, topic, lines, start, end, self.source.name)
                ranks += lines.ranks[start:end]
        if current is None:
            raise InputError(f"no entries, expected lines of: {RUN_FORM}", self.source.name)
        self._look_at(current, documents, ranks)
        yield current, documents

    def _complete_topics(self) -> Iterator[tuple[str, Documents]]:
        """Yield all topics of a run that is not grouped by topic, which is held in memory."""
        topics: dict[str, tuple[Documents, list[bytes]]] = {}
        for lines in self._chunks():
            for topic, start, end in lines.groups:
                documents, ranks = topics.setdefault(topic, ({}, []))
                _add(documents, topic, lines, start, end, self.source.name)
                ranks += lines.ranks[start:end]
        for topic, (documents, ranks) in topics.items():
            self._look_at(topic, documents, ranks)
            yield topic, documents

    def _look_at(self, topic: str, documents: Documents, ranks: Sequence[bytes]) -> None:
        """Take note of the doubts about a topic that is one of the sample."""
        if (self.judged is not None and topic not in self.judged) or not may_be_sampled(topic, self.doubts):
            return
        found = doubts_of_topic(topic, list(documents), list(documents.values()), ranks)
        if found is not None:
            self.doubts = sampled({**self.doubts, topic: found})

    def _chunks(self) -> Iterator[Lines]:
        """Parse the run chunk by chunk, and take note of its tags."""
        self.tag, self.other_tag, self.doubts = "", None, {}

        def parse(chunk: bytes, first: int, name: str) -> Lines:
            # From the second chunk on, the tag of the first line is known.
            return run_lines(chunk, first, name, self.tag)

        for lines in _parsed(self.source, parse):
            self.tag = self.tag or lines.tags[0][0]
            if self.other_tag is None:
                self.other_tag = next((tagged for tagged in lines.tags if tagged[0] != self.tag), None)
            yield lines


def _parsed(source: Input, parse: Parser) -> Iterator[Lines]:
    """Parse an input chunk by chunk, so that only one chunk is held; chunks of blank lines are left out."""
    first = 1
    for chunk in whole_lines(source):
        # a few compressed kilobytes can hold gigabytes of blank lines, which are skipped as fast as they are read
        if chunk.isspace():
            first += chunk.count(b"\n")
            continue
        lines = parse(chunk, first, source.name)
        if lines.groups:
            yield lines
        first += lines.n_read


def _add(documents: Documents, topic: str, lines: Lines, start: int, end: int, name: str) -> None:
    """Add lines of a topic to its documents, refusing documents that are already there."""
    n = len(documents)
    documents.update(zip(lines.docnos[start:end], lines.values[start:end], strict=True))
    if len(documents) != n + end - start:
        # A dict keeps the order of insertion, so its first n keys are those from before this update.
        _refuse_repeated(set(islice(documents, n)), topic, lines, range(start, end), name)


def _refuse_repeated(seen: set[str], topic: str, lines: Lines, places: range, name: str) -> None:
    """Raise the error for the first line whose document was seen before."""
    for place in places:
        docno = lines.docnos[place]
        if docno in seen:
            again = f"document '{excerpt_of_docno(docno)}' appears twice in topic '{excerpt(topic)}'"
            raise InputError(f"{again}, expected each document once", name, lines.numbers[place])
        seen.add(docno)


def has_judged(documents: Collection[str], judgments: Judgments) -> bool:
    """Return whether any of the documents is judged; a negative judgment means that it is not."""
    # isdisjoint is fast; the loop is only needed because a document with a negative judgment is not judged.
    return not judgments.keys().isdisjoint(documents) and any(judgments.get(docno, -1) >= 0 for docno in documents)
