"""Look at the lines of qrels and runs one by one: unusual ones in TREC's form, and those of other forms.

Every valid line is accepted, and any other refused with its number. Other forms have fewer columns, as BEIR and
MS MARCO have them, or are JSON, of which an object is one chunk. The place on the command line decides whether a
file is qrels or a run, and its first line that is not blank decides its form, if that is not TREC's.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from stdeval.errors import InputError, excerpt
from stdeval.files import MOST_COLUMNS, counted_columns

if TYPE_CHECKING:
    from json import JSONDecoder

RUN_FORM = "topic Q0 docno rank score tag"
SCORED_FORM = "topic docno rank score"
RANKED_FORM = "topic docno rank"  # the score is minus the rank
QRELS_FORM = "topic iteration docno judgment"
JUDGED_FORM = "topic docno judgment"
COLUMN_FORMS = (RUN_FORM, SCORED_FORM, RANKED_FORM, QRELS_FORM, JUDGED_FORM)
RUN_WIDTH, QRELS_WIDTH = 6, 4
LARGEST_JUDGMENT = 1_000_000

Parsed = tuple[list[bytes], list[str], list[float], list[bytes], list[int], bytes]
"""Of the lines that are not blank: topics, docnos, values, ranks and numbers; and the tag, if it is a run's."""


def as_read(docno: str) -> str:
    """Return a docno as the readers do, with a character for each of its bytes in UTF-8."""
    try:
        docno.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return docno.encode().decode("latin-1")
    return docno


def excerpt_of(raw: bytes) -> str:
    """Return a field as messages show it, see `stdeval.errors.excerpt`."""
    return excerpt(raw[:200].decode("utf-8", "surrogateescape"))


def excerpt_of_docno(docno: str) -> str:
    """Return a docno as messages show it. Docnos from files have a character for each byte."""
    try:
        return excerpt_of(docno.encode("latin-1"))
    except UnicodeEncodeError:
        return excerpt(docno)


# --- columns ---

# In linear time: no digit can be matched by two parts.
_SCORE = rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_INTEGER = rb"[+-]?[0-9]+"
_JUDGMENT = rb"[+-]?[0-9]+(?:\.0*)?"


def read_columns(chunk: bytes, first: int, name: str, form: str, run_tag: str) -> Parsed:
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
    return topics, docnos, values, ranks, numbers, tag


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


# --- other forms than TREC's ---

# by the number of columns
_RUN_FORMS = {6: RUN_FORM, 4: SCORED_FORM, 3: RANKED_FORM}
_QRELS_FORMS = {4: QRELS_FORM, 3: JUDGED_FORM}

_OBJECT_FORM = '{"TOPIC": {"DOCNO": NUMBER}}'
_DOCUMENTS_FORM = 'lines of {"qid": TOPIC, "docid": DOCNO, "score": NUMBER}'
_JSON = f"{_OBJECT_FORM}, or {_DOCUMENTS_FORM}"

_HEADER_OF_BEIR = [b"query-id", b"corpus-id", b"score"]
_KEYS = (
    ("qid", "query_id", "query-id", "topic"),
    ("docid", "doc_id", "docno", "corpus_id", "corpus-id"),
    ("score", "relevance"),
)
_STARTS_WITH_VALUE = rb'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[^\s{]'  # unlike an object of objects


def begun(chunk: bytes, others: Iterable[bytes], first: int, name: str, *, is_run: bool) -> tuple[str, bytes]:
    """Return the form of a file, and its first chunk, without the header of BEIR; an object of JSON is one."""
    start = len(chunk) - len(chunk.lstrip())
    line = chunk[start : chunk.index(b"\n", start)]
    form = _form_of(line, is_run, name, first + chunk.count(b"\n", 0, start))
    if form == _OBJECT_FORM:
        return form, b"".join([chunk, *others])
    return form, chunk[:start] + chunk[start + len(line) :] if line.split(None, 3) == _HEADER_OF_BEIR else chunk


def _form_of(line: bytes, is_run: bool, name: str, number: int) -> str:
    """Return the form of a file that begins with this line; refuse what is not read."""
    if line.startswith((b"{", b"[")):
        return _DOCUMENTS_FORM if re.match(_STARTS_WITH_VALUE, line) else _OBJECT_FORM
    fields = line.split(None, MOST_COLUMNS)
    n, forms = len(fields), _RUN_FORMS if is_run else _QRELS_FORMS
    if is_run and fields == _HEADER_OF_BEIR:
        raise InputError(f"the header of BEIR, expected lines of: {RUN_FORM} (these are qrels)", name, number)
    if n not in forms:
        read = "; or ".join(f"{width}: {form}" for width, form in forms.items())
        raise InputError(f"{counted_columns(n)}, expected {read}; or JSON", name, number)
    return forms[n]


def read_json(chunk: bytes, first: int, name: str, form: str, *, is_run: bool) -> Parsed:
    """Parse whole lines of JSON; `first` is the number of the first line."""
    try:
        return (_object_lines if form == _OBJECT_FORM else _document_lines)(chunk, first, is_run)
    except InputError as error:
        raise error.at(name) from None


def _object_lines(chunk: bytes, first: int, is_run: bool) -> Parsed:
    """Read an object of JSON: topic to docno to number. A topic without documents is missing."""
    topics, docnos, values = list[bytes](), list[str](), list[float]()
    for topic, documents in _loaded(chunk, first).items():
        if not isinstance(documents, dict):
            raise InputError(f"JSON with {excerpt(ascii(documents))} for '{excerpt(topic)}', expected {_JSON}")
        for docno, value in documents.items():
            docnos.append(identifier(docno).decode("latin-1"))
            values.append(_number(value, f"topic '{excerpt(topic)}', docno '{excerpt(docno)}'", is_run))
        if documents:
            topics += [identifier(topic)] * len(documents)
    # the lines are not known, and no document is repeated
    return topics, docnos, values, [b""] * len(docnos), [0] * len(docnos), b""


def _document_lines(chunk: bytes, first: int, is_run: bool) -> Parsed:
    """Read lines of JSON, each an object about one document."""
    topics, docnos, values, numbers = list[bytes](), list[str](), list[float](), list[int]()
    for number, line in enumerate(chunk.split(b"\n"), first):
        if not line.strip():
            continue
        try:
            document = _loaded(line, number)
            found = [[key for key in keys if key in document] for keys in _KEYS]
            if [len(keys) for keys in found] != [1, 1, 1]:
                raise InputError(f"JSON with the keys {excerpt(', '.join(document), 80)}, expected {_JSON}")
            topic, docno, value = (document[key] for (key,) in found)
            topics.append(identifier(topic))
            docnos.append(identifier(docno).decode("latin-1"))
            values.append(_number(value, found[2][0], is_run))
        except InputError as error:
            raise InputError(error.message, line=number) from None
        numbers.append(number)
    return topics, docnos, values, [b""] * len(docnos), numbers, b""


def _loaded(text: bytes, first: int) -> dict[str, Any]:
    """Return the object in JSON whose first line has this number."""
    start = text.lstrip()[:1]
    if start != b"{":
        found = "a list of JSON" if start == b"[" else counted_columns(len(text.split(None, MOST_COLUMNS)))
        raise InputError(f"{found}, expected {_JSON}", line=first)
    try:
        return cast(dict[str, Any], _decoder().decode(text.decode().rstrip()))
    except UnicodeDecodeError as error:
        line = first + text.count(b"\n", 0, error.start)
        raise InputError("JSON that is not UTF-8, expected UTF-8", line=line) from None
    except RecursionError:
        found, line = "deep nesting", None
    except ValueError as error:  # of the syntax, or of int()
        found = getattr(error, "msg", "a number of thousands of digits")
        line = first + error.lineno - 1 if hasattr(error, "lineno") else None
    raise InputError(f"JSON that cannot be read ({found}), expected {_JSON}", line=line)


@cache
def _decoder() -> JSONDecoder:
    import json

    return json.JSONDecoder(object_pairs_hook=_with_distinct_keys)


def _with_distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise InputError(f"JSON with '{excerpt(twice)}' twice in an object, expected each key once")
    return found


def identifier(value: object) -> bytes:
    """Return a topic or docno as the bytes that it would be in TREC's form."""
    try:
        raw = str(value).encode() if type(value) in (str, int) else b""
    except UnicodeEncodeError:
        raw = b""
    if b"\0" in raw or raw.split() != [raw]:
        found = f"JSON with the topic or docno {excerpt(ascii(value))}"
        raise InputError(f"{found}, expected text without blanks, or a whole number")
    return raw


def _number(value: Any, what: str, is_run: bool) -> float:
    """Return a score as a float, or a judgment as a whole number."""
    most = sys.float_info.max if is_run else LARGEST_JUDGMENT
    # neither NaN nor true
    if type(value) in (int, float) and abs(value) <= most and (is_run or value == int(value)):
        return float(value) if is_run else int(value)
    expected = "a finite number" if is_run else f"a whole number, at most {LARGEST_JUDGMENT}"
    raise InputError(f"JSON with {excerpt(ascii(value))} for {what}, expected {expected}")
