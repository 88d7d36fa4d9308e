"""Other forms of qrels and runs than TREC's: fewer columns, as BEIR and MS MARCO have them, and JSON.

The place on the command line decides whether a file is qrels or a run, and its first line that is not blank decides
its form, if that is not TREC's (`trec_form`). Every form is read as `Lines`, from chunks of whole lines; an object
of JSON is one chunk.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from stdeval.errors import InputError, excerpt
from stdeval.files import MOST_COLUMNS, counted_columns
from stdeval.trec import lines
from stdeval.trec.lines import LARGEST_JUDGMENT, QRELS_FORM, RUN_FORM, Lines

if TYPE_CHECKING:
    from json import JSONDecoder

# by the number of columns
_RUN_FORMS = {6: RUN_FORM, 4: lines.SCORED_FORM, 3: lines.RANKED_FORM}
_QRELS_FORMS = {4: QRELS_FORM, 3: lines.JUDGED_FORM}

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


def json_lines(chunk: bytes, first: int, name: str, form: str, *, is_run: bool) -> Lines:
    """Parse whole lines of JSON; `first` is the number of the first line."""
    try:
        return (_object_lines if form == _OBJECT_FORM else _document_lines)(chunk, first, is_run)
    except InputError as error:
        raise error.at(name) from None


def refuse_repeated_ranks(read: Lines, ranks: dict[str, set[float]], name: str) -> None:
    """Add ranks that are scores to those of earlier lines, by topic; refuse a rank that its topic has already."""
    for topic, start, end in read.groups:
        known = ranks.setdefault(topic, set())
        for place in range(start, end):
            score = read.values[place]
            if score in known:
                found = f"rank {-score:.0f} appears twice in topic '{excerpt(topic)}'"
                raise InputError(f"{found}, expected each rank once (are these qrels?)", name, read.numbers[place])
            known.add(score)


def _object_lines(chunk: bytes, first: int, is_run: bool) -> Lines:
    """Read an object of JSON: topic to docno to number. A topic without documents is missing."""
    groups, docnos, values = list[tuple[str, int, int]](), list[str](), list[float]()
    for topic, documents in _loaded(chunk, first).items():
        if not isinstance(documents, dict):
            raise InputError(f"JSON with {excerpt(ascii(documents))} for '{excerpt(topic)}', expected {_JSON}")
        start = len(docnos)
        for docno, value in documents.items():
            docnos.append(identifier(docno).decode("latin-1"))
            values.append(_number(value, f"topic '{excerpt(topic)}', docno '{excerpt(docno)}'", is_run))
        if documents:
            groups.append((identifier(topic).decode(), start, len(docnos)))
    # the lines are not known, and no document is repeated
    return Lines(groups, docnos, values, [b""] * len(docnos), "", [0] * len(docnos), 0, _OBJECT_FORM)


def _document_lines(chunk: bytes, first: int, is_run: bool) -> Lines:
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
    groups = [(lines.decode(topic), start, end) for topic, start, end in lines.neighbours(topics)]
    return Lines(groups, docnos, values, [b""] * len(docnos), "", numbers, chunk.count(b"\n"), _DOCUMENTS_FORM)


def _loaded(text: bytes, first: int) -> dict[str, Any]:
    """Return the object in JSON whose first line has this number."""
    start = text.lstrip()[:1]
    if start != b"{":
        found = "a list of JSON" if start == b"[" else counted_columns(len(text.split(None, MOST_COLUMNS)))
        raise InputError(f"{found}, expected {_JSON}", line=first)
    try:
        loaded: dict[str, Any] = _decoder().decode(text.decode().rstrip())
        return loaded
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
