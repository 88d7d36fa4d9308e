"""Read the topics and the documents of a collection: lists, tables, topics in markup, and lines of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

from stdeval.display import counted, excerpt
from stdeval.errors import InputError
from stdeval.files import Input, columns_of, numbered_lines, whole_lines
from stdeval.trec.lines import decode

# `<num> Number: 301` and `<num>301</num>`, the first without an end; `<topic number="201" type="faceted">`; and
# `<qid>301</qid>`, as NTCIR has it
_IN_MARKUP = r"(?i)<(?:num|qid)>\s*(?:Number:)?\s*([^\s<]+)|<topic\b[^>]*?\bnumber\s*=\s*[\"']([^\"']+)[\"']"
_OTHERS = {"a run": r"\S+\s+Q0\s+\S+\s+[0-9]+\s+\S+.*", "qrels": r"\S+\s+Q?[0-9.]+\s+\S+\s+-?[0-9.]+"}

_TOPIC_KEYS, _DOCNO_KEYS = ("query-id", "_id", "id", "qid"), ("corpus-id", "_id", "id", "docid")
_HEADERS = {*_TOPIC_KEYS, *_DOCNO_KEYS}  # the first words of tables that begin with the names of their columns


def read_topic_ids(source: Input) -> tuple[str, ...]:
    """Read the identifiers of topics, each once, in the order of the file."""
    if not _begin(source, "topic")[1].startswith("<"):
        return tuple(dict.fromkeys(decode(each) for some in _ids(source, "topic", _TOPIC_KEYS) for each in some))
    markup = re.sub("(?s)<!--.*?-->", "", "\n".join(line for _, line in numbered_lines(source)))
    ids = dict.fromkeys(match[1] or match[2] for match in re.finditer(_IN_MARKUP, markup))
    if not ids:
        raise InputError("no topics, expected them in <num>, <qid> or <topic number=...>", source.name)
    return tuple(ids)


def unlisted_docnos(source: Input, docnos: Iterable[bytes]) -> set[str]:
    """Return the docnos that are not in a list, which may be larger than the memory."""
    unlisted = set(docnos)
    for some in _ids(source, "docno", _DOCNO_KEYS):
        unlisted.difference_update(some)
    return {docno.decode("latin-1") for docno in unlisted}


def _begin(source: Input, what: str) -> tuple[int, str]:
    """Return the number of the first line that is not blank, and the line."""
    for number, line in numbered_lines(source):
        if line.strip():
            return number, line.strip()
    raise InputError(f"no {what}s, expected a line for each", source.name)


def _ids(source: Input, what: str, keys: tuple[str, ...]) -> Iterator[list[bytes]]:
    """Yield the identifiers in a list, chunk by chunk; its first line says how to read it."""
    at, first = _begin(source, what)
    words, is_json = columns_of(first), first.startswith("{")
    header = at if words[0] in _HEADERS else 0
    column = words.index(keys[0]) if header and keys[0] in words else 0
    try:
        if not is_json:
            _refuse_others(first, what, keys)
        n_read = 0
        for chunk in whole_lines(source, 1 << 20):
            if not (is_json or header or b" " in chunk or b"\t" in chunk):
                # much faster, and right if no line has two words
                yield chunk.split()
            else:
                found = []
                for at, line in enumerate(chunk.split(b"\n"), n_read + 1):
                    if at != header and (fields := line.split(None, column + 1)):
                        found.append(_in_record(line, keys) if is_json else _in_column(fields, column))
                yield found
            n_read += chunk.count(b"\n")
    except InputError as error:
        raise error.at(source.name, at) from None


def _refuse_others(first: str, what: str, keys: tuple[str, ...]) -> None:
    """Refuse a file whose first line shows that it is no list, instead of taking it for one of odd names."""
    for kind, form in _OTHERS.items():
        if re.fullmatch(form, first) and (kind == "a run" or what == "docno"):
            raise InputError(f"a line of {kind}, expected a {what}")
    name, comma, _ = first.partition(",")
    # names of documents may have commas
    if first[0] in '<["' or (comma and not re.search(r"\s", name) and (what == "topic" or name in _HEADERS)):
        forms = f"a {what} in each line, and perhaps text, or JSON lines with {', '.join(keys[1:])}"
        raise InputError(f"'{excerpt(first)}', expected {forms}")


def _in_column(fields: list[bytes], column: int) -> bytes:
    if len(fields) <= column:
        raise InputError(f"{counted(len(fields), 'column')}, expected more, as in the header")
    return fields[column]


def _in_record(line: bytes, keys: tuple[str, ...]) -> bytes:
    """Return the identifier in a line of JSON."""
    # not JSON, a number of thousands of digits, deep nesting, half of a surrogate pair
    with suppress(ValueError, RecursionError):
        record = json.loads(line)
        value = next((record[key] for key in keys if key in record), None) if isinstance(record, dict) else None
        raw = str(value).encode() if type(value) in (str, int) else b""
        if raw.split() == [raw] and b"\0" not in raw:
            return raw
    raise InputError(f"no JSON object with a name in {', '.join(keys[1:])}, expected one in each line")
