"""Parse chunks of qrels and runs in columns: a fast path for usual lines, a slow one that explains what is wrong.

The fast path (`_at_once`) returns None if anything in a chunk is unusual. It is then read line by line, which
accepts every valid line and refuses any other with its number. Where both read a chunk, they give the same result.

A docno is a string in which each character is one byte of the file (Latin-1), so that comparing docnos compares
bytes, as trec_eval does. Topics and tags are text (UTF-8, other bytes kept as surrogates).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate, groupby
from typing import NamedTuple

from stdeval.errors import InputError, excerpt
from stdeval.files import MOST_COLUMNS, counted_columns

RUN_FORM = "topic Q0 docno rank score tag"
SCORED_FORM = "topic docno rank score"
RANKED_FORM = "topic docno rank"  # the score is minus the rank
QRELS_FORM = "topic iteration docno judgment"
JUDGED_FORM = "topic docno judgment"
COLUMN_FORMS = (RUN_FORM, SCORED_FORM, RANKED_FORM, QRELS_FORM, JUDGED_FORM)
RUN_WIDTH = 6
QRELS_WIDTH = 4
LARGEST_JUDGMENT = 1_000_000

# In linear time: no digit can be matched by two parts.
_SCORE = rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_INTEGER = rb"[+-]?[0-9]+"
_JUDGMENT = rb"[+-]?[0-9]+(?:\.0*)?"


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


def column_lines(chunk: bytes, first: int, name: str, form: str, tag: str = "") -> Lines:
    """Parse whole lines of columns; `first` is the number of the first line, `tag` the tag of the run, if known."""
    return _at_once(chunk, first, form) or _line_by_line(chunk, first, name, form, tag)


def trec_form(chunk: bytes, *, is_run: bool) -> str:
    """Return TREC's form if qrels, or a run, that begin with this chunk are read as such; otherwise nothing."""
    fields = chunk.lstrip().partition(b"\n")[0].split(None, RUN_WIDTH)
    # a run in the place of qrels, or the reverse, is refused by the reader of TREC's form
    is_like = len(fields) >= RUN_WIDTH or (
        len(fields) == QRELS_WIDTH and (not is_run or fields[1] in (b"0", b"Q0"))
    )
    return (RUN_FORM if is_run else QRELS_FORM) if is_like and fields[0][:1] not in (b"{", b"[") else ""


def decode(raw: bytes) -> str:
    """Return bytes of the file as text, keeping those that are not UTF-8 as surrogates."""
    return raw.decode("utf-8", "surrogateescape")


def as_read(docno: str) -> str:
    """Return a docno as the readers do, with a character for each of its bytes in UTF-8."""
    try:
        docno.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return docno.encode().decode("latin-1")
    return docno


def excerpt_of(raw: bytes) -> str:
    """Return a field as messages show it, see `stdeval.errors.excerpt`."""
    return excerpt(decode(raw[:200]))


def excerpt_of_docno(docno: str) -> str:
    """Return a docno as messages show it. Docnos from files have a character for each byte."""
    try:
        return excerpt_of(docno.encode("latin-1"))
    except UnicodeEncodeError:
        return excerpt(docno)


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
    is_tagged, docno = form == RUN_FORM, columns.index("docno")
    mark, width = (b"\0", RUN_WIDTH - 1) if is_tagged else (b" \0", len(columns))
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
    is_scored = "score" in columns
    try:
        # there are few different judgments, and ranks
        number_of = float if is_scored else {text: _NUMBERS[columns[-1]](text) for text in set(texts)}.__getitem__
        values = list(map(number_of, texts))
        if form == SCORED_FORM:
            list(map(_minus_rank, ranks))
    except ValueError:
        return None
    # float() takes 1_0 for a number
    if is_scored and (not math.isfinite(sum(values)) or (b"_" in chunk and b"_" in b"".join(texts))):
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


def _line_by_line(chunk: bytes, first: int, name: str, form: str, run_tag: str) -> Lines:
    """Parse each line by itself, and refuse the first that is wrong."""
    topics, docnos, values, ranks, numbers = list[bytes](), list[str](), list[float](), list[bytes](), list[int]()
    tag, docno = run_tag.encode("utf-8", "surrogateescape"), form.split().index("docno")
    for number, line in enumerate(chunk.split(b"\n"), first):
        fields = line.split(None, MOST_COLUMNS)
        if not fields:
            continue
        try:
            if b"\0" in line:
                raise InputError("a NUL byte, expected text")
            if b"\r" in line.rstrip():
                raise InputError("a carriage return inside a line, expected lines that end in a newline")
            values.append(_checked_number(fields, form, tag))
        except InputError as error:
            raise error.at(name, number) from None
        topics.append(fields[0])
        docnos.append(fields[docno].decode("latin-1"))
        ranks.append(fields[docno + 1])
        numbers.append(number)
        # The tag is the sixth word, whatever follows it.
        tag = tag or (fields[RUN_WIDTH - 1] if form == RUN_FORM else b"")
    groups = [(decode(topic), start, end) for topic, start, end in neighbours(topics)]
    return Lines(groups, docnos, values, ranks, decode(tag), numbers, chunk.count(b"\n"), form)


def _checked_number(fields: list[bytes], form: str, run_tag: bytes) -> float:
    """Return the number in a line, after checking its columns; `run_tag` is empty for the first line of a run."""
    columns, n = form.split(), len(fields)
    expected = f"expected {len(columns)}: {form}"
    is_json = fields[0].startswith(b"{")
    if n < len(columns) or (n > len(columns) and (form != RUN_FORM or is_json)):
        hint = " (this looks like a run)" if n == RUN_WIDTH and form == QRELS_FORM else ""
        if n == QRELS_WIDTH and form == RUN_FORM and re.fullmatch(_JUDGMENT, fields[3]):
            hint = " (this looks like qrels)"
        raise InputError(f"JSON, {expected}" if is_json else f"{counted_columns(n)}, {expected}{hint}")
    if n > RUN_WIDTH:
        rank, text, tag = fields[3:RUN_WIDTH]
        is_tag = re.fullmatch(_INTEGER, rank) and re.fullmatch(_SCORE, text) and not re.fullmatch(_SCORE, tag)
        which = f"the run's tag '{excerpt_of(run_tag)}'" if run_tag else "a tag"
        fault = "" if (tag == run_tag if run_tag else is_tag) else f"more are ignored only if the sixth is {which}"
        if tag in fields[2 * RUN_WIDTH - 1 :: RUN_WIDTH]:
            fault = "this looks like two lines without a newline between them"
        if fault:
            raise InputError(f"{counted_columns(n)}, {expected} ({fault})")
    value = math.nan
    # the rank of TREC's form is not read
    for name in ["score"] if form == RUN_FORM else columns[columns.index("docno") + 1 :]:
        text = fields[columns.index(name)]
        try:
            value = _NUMBERS[name](text)
        except ValueError:
            where = "" if form in (RUN_FORM, QRELS_FORM) else f" in lines of: {form}"
            other = f"{name} '{excerpt_of(text)}', expected {_EXPECTED[name]}{where}"
            raise InputError(f"JSON, {expected}" if is_json else other) from None
    return value


def _score(text: bytes) -> float:
    """Return a score as a number; raise a ValueError if it is not a finite decimal number."""
    score = float(text) if re.fullmatch(_SCORE, text) else math.nan
    if not math.isfinite(score):
        raise ValueError
    return score


def _judgment(text: bytes) -> int:
    """Return a judgment as a number; raise a ValueError if it is not a whole number or is too large."""
    if not re.fullmatch(_JUDGMENT, text) or abs(float(text)) > LARGEST_JUDGMENT:
        raise ValueError
    return int(float(text))


def _minus_rank(text: bytes) -> float:
    """Return the score that a rank stands for; raise a ValueError if it is not a whole number."""
    if not text.isdigit() or len(text) > 18:
        raise ValueError
    return 0.0 - float(text)  # and not -0.0


_NUMBERS: dict[str, Callable[[bytes], float]] = {"score": _score, "judgment": _judgment, "rank": _minus_rank}
_EXPECTED = {
    "score": "a finite decimal number",
    "judgment": f"a whole number, at most {LARGEST_JUDGMENT}",
    "rank": "a whole number",
}
