"""Read lists of the topics and of the documents of a collection, against which runs are validated."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stdeval.errors import InputError
from stdeval.files import Input, whole_lines
from stdeval.text_lines import text_lines

_DOCNO_CHUNK = 1 << 20

# The blanks of ASCII separate words, as in runs; other blanks are parts of names.
_FIRST_WORD = re.compile(r"[^ \t\r\v\f]+")

# `<num> Number: 301` and `<num>301</num>`, of which the first has no end; `<topic number="201" type="faceted">`
_TOPIC_IN_MARKUP = re.compile(
    r"<num>\s*(?:Number:)?\s*([^\s<]+)|<topic\b[^>]*?\bnumber\s*=\s*[\"']([^\"']+)[\"']", re.IGNORECASE
)

_LINE_OF_RUN = re.compile(r"\s*\S+\s+Q0\s+\S+\s+[0-9]+\s")

_COMMENT = re.compile("<!--.*?-->", re.DOTALL)


def read_topic_ids(source: Input) -> tuple[str, ...]:
    """Read the identifiers of topics, each once, in the order of the file.

    Parameters
    ----------
    source : Input
        TREC topics, whose identifiers are in ``<num>`` or ``<topic number="...">``. In any other file the first
        word of each line is an identifier, so that a list of identifiers and ``id<TAB>query`` are read alike.

    Raises
    ------
    InputError
        If there is no topic, or if the file is a run, which would lack none of its own topics.
    """
    lines = text_lines(source)
    of_run = next((at for at, line in lines.numbered() if _LINE_OF_RUN.match(line)), None)
    if of_run is not None:
        raise InputError("a line of a run, expected a topic", source.name, of_run)
    markup = _COMMENT.sub("", "\n".join(lines))
    found = [match[1] or match[2] for match in _TOPIC_IN_MARKUP.finditer(markup)]
    ids = tuple(dict.fromkeys(found or (word[0] for line in lines if (word := _FIRST_WORD.search(line)))))
    if not ids:
        raise InputError("no topics, expected a line for each, or TREC topics with <num>", source.name)
    return ids


def unlisted_docnos(source: Input, docnos: Iterable[bytes]) -> set[str]:
    """Return the docnos that are not in a list.

    The list is never in memory as a whole, so it may have more lines than fit there.

    Parameters
    ----------
    source : Input
        The first word of each line is a docno; what follows is ignored.
    docnos : iterable of bytes
        Docnos may be repeated.

    Returns
    -------
    set of str
        Latin-1, as `stdeval.trec.reading` reads docnos.

    Raises
    ------
    InputError
        If the list has no line.
    """
    unlisted = set(docnos)
    is_empty = True
    for chunk in whole_lines(source, _DOCNO_CHUNK):
        words = _first_words(chunk)
        unlisted.difference_update(words)
        is_empty = is_empty and not words
    if is_empty:
        raise InputError("no docnos, expected a line for each", source.name)
    return {docno.decode("latin-1") for docno in unlisted}


def _first_words(chunk: bytes) -> list[bytes]:
    # Splitting the chunk at once is much faster, and right if no line has two words.
    if b" " not in chunk and b"\t" not in chunk:
        return chunk.split()
    return [words[0] for line in chunk.split(b"\n") if (words := line.split(None, 1))]
