"""Read the topics and the documents of a collection: lists, tables, topics in markup, and lines of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

from stdeval.errors import InputError, excerpt
from stdeval.files import Input, columns_of, numbered_lines, whole_lines
from stdeval.trec.lines import identifier
from stdeval.trec.reading import decode

# `<num> Number: 301` and `<num>301</num>`, the first without an end; `<topic number="201" type="faceted">`; and
# `<qid>301</qid>`, as NTCIR has it
_IN_MARKUP = r"(?i)<(?:num|qid)>\s*(?:Number:)?\s*([^\s<]+)|<topic\b[^>]*?\bnumber\s*=\s*[\"']([^\"']+)[\"']"
_RUN = r"\S+\s+Q0\s+\S+\s+[0-9]+\s+\S+.*"
_QRELS = r"query-id\s.*|\S+\s+Q?[0-9.]+\s+\S+\s+-?[0-9.]+"

# the fields of JSON that have the name, or the first words of a header
_TOPIC_KEYS, _DOCNO_KEYS = ("query-id", "_id", "id", "qid"), ("corpus-id", "_id", "id", "docid")


def read_topic_ids(source: Input) -> tuple[str, ...]:
    """Read the identifiers of topics, each once, in the order of the file."""
    if not _begin(source, "topic", _TOPIC_KEYS)[1].startswith("<"):
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


def _begin(source: Input, what: str, keys: tuple[str, ...]) -> tuple[int, str]:
    """Return the first line that is not blank, and its number; what is no list is refused, not one of odd names."""
    number, line = next((each for each in numbered_lines(source) if each[1].strip()), (0, ""))
    if not (line := line.strip()):
        raise InputError(f"no {what}s, expected a line for each", source.name)
    # any table that begins with topics is a list of them
    kind = "a run" if re.fullmatch(_RUN, line) else "qrels" if re.fullmatch(_QRELS, line) else ""
    if kind == "a run" or (kind and what == "docno"):
        raise InputError(f"a line of {kind}, expected a {what}", source.name, number)
    word, comma, _ = columns_of(line)[0].partition(",")
    # names of documents may have commas
    is_csv = comma and line[0] != "{" and (what == "topic" or word in keys)
    if is_csv or line[0] in '["' or (line[0] == "<" and what == "docno"):
        forms = f"a {what} in each line, and perhaps text, or JSON lines with {', '.join(keys[1:])}"
        raise InputError(f"'{excerpt(line)}', expected {forms}", source.name, number)
    return number, line


def _ids(source: Input, what: str, keys: tuple[str, ...]) -> Iterator[list[bytes]]:
    """Yield the identifiers in a list, chunk by chunk; its first line says how to read it."""
    at, first = _begin(source, what, keys)
    is_json, header, n_read = first[0] == "{", at if columns_of(first)[0] in keys else 0, 0
    for chunk in whole_lines(source, 1 << 20):
        if is_json or header or b" " in chunk or b"\t" in chunk:
            numbered = enumerate(chunk.split(b"\n"), n_read + 1)
            lines = [(number, line) for number, line in numbered if number != header and line.strip()]
            yield [_in_record(*each, source.name, keys) if is_json else each[1].split(None, 1)[0] for each in lines]
        else:
            # much faster, and right if no line has two words
            yield chunk.split()
        n_read += chunk.count(b"\n")


def _in_record(at: int, line: bytes, name: str, keys: tuple[str, ...]) -> bytes:
    """Return the identifier in a line of JSON."""
    # not JSON, a number of thousands of digits, deep nesting, half of a surrogate pair
    with suppress(ValueError, RecursionError, InputError):
        record = json.loads(line.decode())  # twice as fast as from bytes
        value = next((record[key] for key in keys if key in record), None) if isinstance(record, dict) else None
        return identifier(value)
    raise InputError(f"no JSON object with a name in {', '.join(keys[1:])}, expected one in each line", name, at)
