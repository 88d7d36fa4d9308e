"""Parse chunks of TREC qrels and runs: a fast path for usual lines, a slow one that explains what is wrong.

Each parser first tries to read a whole chunk at once (`_run_chunk`, `_qrels_chunk`). These never refuse a line: if
anything in the chunk is unusual, they return None, and the chunk is read line by line (`_line_by_line`), which
accepts every valid line and refuses any other with its number. Where both can read a chunk, they give the same
result.

A docno is a string in which each character is one byte of the file (Latin-1), so that comparing docnos compares
bytes, as trec_eval does. Topics and tags are text (UTF-8, other bytes kept as surrogates).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import groupby
from typing import NamedTuple, cast

from stdeval.display import counted, excerpt
from stdeval.errors import InputError

RUN_FORM = "topic Q0 docno rank score tag"
QRELS_FORM = "topic iteration docno judgment"
RUN_WIDTH = 6
QRELS_WIDTH = 4
LARGEST_JUDGMENT = 1_000_000

# In linear time: no digit can be matched by two parts.
_SCORE = rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_INTEGER = rb"[+-]?[0-9]+"
_JUDGMENT = rb"[+-]?[0-9]+(?:\.0*)?"


class Lines(NamedTuple):
    """The lines of a chunk, without blank ones."""

    groups: list[tuple[str, int, int]]
    docnos: list[str]
    values: list[float]
    ranks: list[bytes]
    tag: str
    numbers: range | list[int]
    n_read: int

    def place(self, index: int) -> Place:
        """Return the rank and the score of a line of a run."""
        return self.ranks[index], self.values[index]


Place = tuple[bytes | int | None, float]
"""A rank, as it is written in a file, or a number, or None if it is not whole; and a score."""

Parser = Callable[[bytes, int, str], Lines]
"""A function of a chunk of whole lines, the number of its first line, and the name of the file."""


def run_lines(chunk: bytes, first: int, name: str, tag: str = "") -> Lines:
    """Parse lines of a run."""
    lines = _run_chunk(chunk, first)
    return _run_line_by_line(chunk, first, name, tag) if lines is None else lines


def qrels_lines(chunk: bytes, first: int, name: str) -> Lines:
    """Parse lines of qrels; see `run_lines` for the parameters."""
    lines = _qrels_chunk(chunk, first)
    return _line_by_line(chunk, first, name, _checked_judgment) if lines is None else lines


def decode(raw: bytes) -> str:
    """Return bytes of the file as text, keeping those that are not UTF-8 as surrogates."""
    return raw.decode("utf-8", "surrogateescape")


def excerpt_of(raw: bytes) -> str:
    """Return a field as messages show it, see `stdeval.display.excerpt`."""
    return excerpt(decode(raw[:200]))


def excerpt_of_docno(docno: str) -> str:
    """Return a docno as messages show it. Docnos from files have a character for each byte."""
    try:
        return excerpt_of(docno.encode("latin-1"))
    except UnicodeEncodeError:
        return excerpt(docno)


# --- whole chunks ---


def _run_chunk(chunk: bytes, first: int) -> Lines | None:
    """Parse a chunk of a run at once; None if a line needs a closer look."""
    width = RUN_WIDTH - 1
    fields = _split_chunk(chunk, b"\0", width)
    keys = _grouped_keys(fields[::width]) if fields else None
    # A line of five columns that ends in a blank also yields five fields, but its key has nothing before the NUL.
    if not fields or not keys or not all(tag for tag, *_ in keys):
        return None
    scores = _decimals(fields[4::width], b"_" in chunk)
    if not scores:
        return None
    # A key belongs to two lines: it holds the topic of the line at its index, and the tag of the line before it.
    topics = [(topic, start, end) for _, topic, start, end in keys[:-1]]
    # Key 0 holds the tag of the last line instead.
    tag = decode(fields[width].partition(b"\0")[0])
    n = len(scores)
    return Lines(topics, _latin1(fields[2::width]), scores, fields[3::width], tag, range(first, first + n), n)


def _qrels_chunk(chunk: bytes, first: int) -> Lines | None:
    """Parse a chunk of qrels at once; None if a line needs a closer look."""
    width = QRELS_WIDTH
    fields = _split_chunk(chunk, b" \0", width)
    keys = _grouped_keys(fields[::width]) if fields else None
    if not fields or not keys:
        return None
    texts = fields[3::width]
    # There are few different judgments, so each is checked only once.
    judgments = {text: _judgment(text) for text in set(texts)}
    if None in judgments.values():
        return None
    values = cast(list[float], list(map(judgments.__getitem__, texts)))
    topics = [(topic, start, end) for _, topic, start, end in keys[:-1]]
    n = len(values)
    return Lines(topics, _latin1(fields[2::width]), values, [], "", range(first, first + n), n)


def _split_chunk(chunk: bytes, mark: bytes, width: int) -> list[bytes] | None:
    """Return the fields of lines with every newline replaced by `mark`; None if not `width` per line."""
    if b"\r" in chunk:
        chunk = chunk.replace(b"\r\n", b"\n")
    # A NUL of the file would pass for a mark, and a lone carriage return would split a field.
    if b"\0" in chunk or b"\r" in chunk:
        return None
    size = chunk.count(b"\n") * width + 1
    fields = chunk.replace(b"\n", mark).split()
    if len(fields) != size:
        # Blanks at the end of a line separate the mark from its field; without them the lines may be regular.
        fields = mark.join(map(bytes.strip, chunk.split(b"\n"))).split()
    if len(fields) != size:
        return None
    fields[0] = fields[-1] + fields[0]
    return fields


def _grouped_keys(keys: list[bytes]) -> list[tuple[str, str, int, int]] | None:
    """Group equal neighbours among the keys of a chunk (see `_split_chunk`); None if a line is irregular."""
    groups = [(*decode(key).partition("\0"), start, end) for key, start, end in _neighbours(keys)]
    if not all(topic or start == len(keys) - 1 for _, _, topic, start, _ in groups):
        return None
    return [(ending, topic, start, end) for ending, _, topic, start, end in groups]


def _neighbours(keys: list[bytes]) -> list[tuple[bytes, int, int]]:
    """Group equal neighbours: the key, the first index of the group, and one past its last."""
    groups = []
    start = 0
    while start < len(keys):
        # Mostly all lines of a key are together; then counting them is faster than looking at one after the other.
        key, end = keys[start], start + keys.count(keys[start])
        if keys[start:end] != [key] * (end - start):
            return _neighbours_one_by_one(keys)
        groups.append((key, start, end))
        start = end
    return groups


def _neighbours_one_by_one(keys: list[bytes]) -> list[tuple[bytes, int, int]]:
    groups = []
    start = 0
    for key, group in groupby(keys):
        end = start + len(list(group))
        groups.append((key, start, end))
        start = end
    return groups


def _decimals(texts: list[bytes], underscores: bool) -> list[float] | None:
    """Convert finite decimal numbers; None if a text is something else."""
    try:
        values = list(map(float, texts))
    except ValueError:
        return None
    if not math.isfinite(sum(values)) or (underscores and b"_" in b"".join(texts)):
        return None
    return values


def _latin1(fields: list[bytes]) -> list[str]:
    # One call for all fields is much faster than one for each; no field contains a newline.
    return b"\n".join(fields).decode("latin-1").split("\n")


# --- line by line ---


def _run_line_by_line(chunk: bytes, first: int, name: str, tag: str = "") -> Lines:
    """Parse the lines of a run one by one. See `run_lines` for the parameters."""
    run_tag = tag.encode("utf-8", "surrogateescape")

    def checked_value(fields: list[bytes], name: str, number: int) -> float:
        nonlocal run_tag
        score = _checked_score(fields, run_tag, name, number)
        run_tag = run_tag or fields[RUN_WIDTH - 1]
        return score

    return _line_by_line(chunk, first, name, checked_value)


def _line_by_line(
    chunk: bytes, first: int, name: str, checked_value: Callable[[list[bytes], str, int], float]
) -> Lines:
    """Parse each line by itself, and refuse the first that is wrong."""
    topics, docnos, values, ranks, numbers = list[bytes](), list[str](), list[float](), list[bytes](), list[int]()
    number, end, tag = first, 0, b""
    # stretches of empty lines, of which a compressed file may hold billions, are counted and not looped over
    for match in re.finditer(rb"[^\n]+", chunk):
        number += chunk.count(b"\n", end, match.start())
        end = match.end()
        fields = _fields_of(match[0], name, number)
        if not fields:
            continue
        values.append(checked_value(fields, name, number))
        topics.append(fields[0])
        docnos.append(fields[2].decode("latin-1"))
        numbers.append(number)
        # The tag is the sixth word, whatever follows it; a line of qrels has none.
        if len(fields) >= RUN_WIDTH:
            ranks.append(fields[3])
            tag = tag or fields[RUN_WIDTH - 1]
    groups = [(decode(topic), start, end) for topic, start, end in _neighbours(topics)]
    return Lines(groups, docnos, values, ranks, decode(tag), numbers, chunk.count(b"\n"))


def _fields_of(line: bytes, name: str, number: int) -> list[bytes]:
    """Split a line into fields; none for a blank line."""
    if b"\0" in line:
        raise InputError("a NUL byte, expected text", name, number)
    if b"\r" in line.rstrip():
        raise InputError("a carriage return inside a line, expected lines that end in a newline", name, number)
    return line.split()


def _checked_score(fields: list[bytes], run_tag: bytes, name: str, number: int) -> float:
    """Return the score of a line of a run, after checking its columns; `run_tag` is empty for the first line."""
    n = len(fields)
    if n == QRELS_WIDTH and re.fullmatch(_JUDGMENT, fields[3]):
        raise InputError(f"4 columns, expected 6: {RUN_FORM} (this looks like qrels)", name, number)
    if n < RUN_WIDTH:
        raise InputError(f"{counted(n, 'column')}, expected 6: {RUN_FORM}{_csv_hint(fields)}", name, number)
    if n > RUN_WIDTH:
        _check_surplus(fields, run_tag, name, number)
    score = float(fields[4]) if re.fullmatch(_SCORE, fields[4]) else math.nan
    if not math.isfinite(score):
        raise InputError(f"score '{excerpt_of(fields[4])}', expected a finite decimal number", name, number)
    return score


def _check_surplus(fields: list[bytes], run_tag: bytes, name: str, number: int) -> None:
    """Refuse a line with more columns than a run has, unless the surplus certainly follows the tag."""
    *_, rank, score, tag = fields[:RUN_WIDTH]
    if run_tag:
        sound = tag == run_tag
    else:
        sound = bool(re.fullmatch(_INTEGER, rank) and re.fullmatch(_SCORE, score) and not _looks_like_number(tag))
    if tag in fields[2 * RUN_WIDTH - 1 :: RUN_WIDTH]:
        hint = "this looks like two lines without a newline between them"
        raise InputError(f"{len(fields)} columns, expected 6: {RUN_FORM} ({hint})", name, number)
    if not sound:
        which = f"the run's tag '{excerpt_of(run_tag)}'" if run_tag else "a tag"
        expected = f"expected 6: {RUN_FORM} (more are ignored only if the sixth is {which})"
        raise InputError(f"{len(fields)} columns, {expected}", name, number)


def _looks_like_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _checked_judgment(fields: list[bytes], name: str, number: int) -> int:
    """Return the judgment of a line of qrels, after checking its columns."""
    if len(fields) != QRELS_WIDTH:
        hint = " (this looks like a run)" if len(fields) == RUN_WIDTH else _csv_hint(fields)
        raise InputError(f"{counted(len(fields), 'column')}, expected 4: {QRELS_FORM}{hint}", name, number)
    judgment = _judgment(fields[3])
    if judgment is not None:
        return judgment
    expected = f"at most {LARGEST_JUDGMENT}" if re.fullmatch(_JUDGMENT, fields[3]) else "a whole number"
    raise InputError(f"judgment '{excerpt_of(fields[3])}', expected {expected}", name, number)


def _csv_hint(fields: list[bytes]) -> str:
    """Return a hint if a line is the header of one of our CSV files, and nothing otherwise."""
    header = b" ".join(fields)
    if re.match(rb"topic,.*\.(mean|sd)(,|$)", header):
        return " (this looks like factors, which -F takes)"
    return " (this looks like a scores CSV, which --scores takes)" if header.startswith(b"run,topic,") else ""


def _judgment(text: bytes) -> int | None:
    """Return a judgment as a number; None if it is not a whole number or is too large."""
    if not re.fullmatch(_JUDGMENT, text):
        return None
    # int() refuses texts of thousands of digits; twenty characters are enough to see that a number is too large.
    value = int(text.split(b".")[0].lstrip(b"+-").lstrip(b"0")[:20] or b"0")
    if value > LARGEST_JUDGMENT:
        return None
    return -value if text.startswith(b"-") else value
