"""Qrels and runs as files hold them, read by the package and by a few lines of Python.

The chunks in which the package reads are made so small that their ends fall anywhere. Files may be compressed, in
one member or two.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import math
import re
import warnings
from pathlib import Path
from random import Random

import stdeval.files
from stdeval import read_qrels, read_run
from stdeval.errors import InputError

ODD = [bytes([i]) for i in (0, 13, 11, 12, 0x1C, 0x85, 0xA0, 0xFF, 95, 9, 10, 27)] + ["é".encode(), b"  "]
ODD_SCORES = b"nan inf 1_0 1e999 x 0x1 \xd9\xa1 1e308 -1e308 1. .5 +1".split()
ODD_JUDGMENTS = b"1.0 +1 x 1.5 9999999 1_0 99999999999999999999999 -0 1. 0001 -1000000".split()

SCORE = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
JUDGMENT = re.compile(rb"[+-]?[0-9]+(\.0*)?")
COMPRESS = (lambda data: data, gzip.compress, bz2.compress, lzma.compress)

# The columns of the forms of qrels and of runs: topic, iteration or Q0, docno, judgment, rank, score, tag.
QRELS, RUNS = ("tidj", "tdj"), ("tQdrsg", "tdrs", "tdr")

Content = tuple[dict[tuple[bytes, bytes], float], bytes]


def _fields(rng: Random, kind: str, topic: bytes, docno: bytes, rank: int) -> list[bytes]:
    score = rng.choice((b"1.5", b"2", b"-0", b"1e5", b"%.6f" % rng.random()))
    cells = {"t": topic, "i": b"0", "Q": b"Q0", "d": docno, "r": b"%d" % rank, "s": score, "g": b"tag"}
    return [(cells | {"j": rng.choice((b"0", b"1", b"2", b"-1"))})[column] for column in kind]


def _odd(rng: Random, kind: str, fields: list[bytes]) -> bytes:
    """Return a line with something unusual, which may be right or wrong."""
    line = b" ".join(fields)
    at, where = rng.randrange(len(line) + 1), rng.randrange(len(fields))
    value = max(kind.find("j"), kind.find("s"), 2)
    numbers = ODD_SCORES if "s" in kind else ODD_JUDGMENTS
    return rng.choice(
        [
            b"",
            line[:at] + rng.choice(ODD) + line[at:],
            b" ".join([*fields[:value], rng.choice(numbers), *fields[value + 1 :]]),
            b" ".join(fields[:where] + fields[where + 1 :]),
            b" ".join([*fields, rng.choice((b"more", b"2", b"3.5"))]),
            b" ".join([*fields[:where], rng.choice(ODD), *fields[where + 1 :]]),
            rng.choice((b" ", b"\t", b"\v")) + line + rng.choice((b" ", b"\r", b" \r", b"\t")),
            rng.choice((b"\t", b"  ", b" \t ")).join(fields),
        ]
    )


def content(rng: Random, kind: str) -> bytes:
    """Return a file of a few topics, with no, few or many odd lines."""
    share = rng.choice((0.0, 0.0, 0.02, 0.1, 0.4))
    topics = sorted(rng.choices((b"1", b"2", b"10", b"x"), k=rng.choice((1, 2, 9, 30))))
    lines = []
    for i, topic in enumerate(topics):
        docno = b"d%d" % (i if rng.random() < 0.995 else 0)
        fields = _fields(rng, kind, topic, docno, i)
        lines.append(_odd(rng, kind, fields) if rng.random() < share else b" ".join(fields))
    end = rng.choice((b"\n", b"\n", b"\r\n"))
    start = rng.choice((b"", b"", b"", b"\xef\xbb\xbf"))
    return start + end.join(lines) + rng.choice((end, end, b""))


def plainly_read(data: bytes, *, is_run: bool) -> Content | None:
    """Return the value of each topic and docno, and the tag, by the documented forms; None for a file to refuse."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    found: dict[tuple[bytes, bytes], float] = {}
    ranks = set[tuple[bytes, bytes]]()
    tag, kind = b"", ""
    for line in data.split(b"\n"):
        fields = [field for field in re.split(rb"[ \t\r\v\f]+", line) if field]
        if not fields:
            continue
        if b"\0" in line or b"\r" in line.rstrip(b" \t\r\v\f"):
            return None
        if not kind:
            n = min(len(fields), 6)
            kind = next((each for each in (RUNS if is_run else QRELS) if len(each) == n), "")
            if not kind or (kind == "tdrs" and fields[1] in (b"0", b"Q0")):
                return None
        value = _score(fields, tag) if "g" in kind else _last(fields, kind)
        place = fields[0], fields[min(kind.index("d"), len(fields) - 1)]
        if value is None or place in found or (kind == "tdr" and (fields[0], value) in ranks):
            return None
        ranks.add((fields[0], value))
        found[place] = value
        tag = tag or (fields[5] if "g" in kind else b"")
    return (found, tag) if found else None


def _score(fields: list[bytes], tag: bytes) -> float | None:
    if len(fields) < 6 or not SCORE.fullmatch(fields[4]) or not math.isfinite(float(fields[4])):
        return None
    known = fields[5] == tag if tag else re.fullmatch(rb"[+-]?[0-9]+", fields[3]) and not SCORE.fullmatch(fields[5])
    return float(fields[4]) if len(fields) == 6 or known else None


def _last(fields: list[bytes], kind: str) -> float | None:
    """Return the number of a line of a form without tags."""
    if len(fields) != len(kind) or ("r" in kind and not re.fullmatch(rb"[0-9]{1,18}", fields[2])):
        return None
    form = {"j": JUDGMENT, "s": SCORE, "r": re.compile(b"[0-9]+")}[kind[-1]]
    if not form.fullmatch(fields[-1]) or not math.isfinite(value := float(fields[-1])):
        return None
    return None if kind[-1] == "j" and abs(value) > 10**6 else -value if kind[-1] == "r" else value


def read(path: Path, *, is_run: bool) -> Content | str:
    """Return the content as the package reads it, or the message with which it refuses the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if is_run:
                run = read_run(path)
                documents, tag = run.documents, "" if run.tag == path.name else run.tag
            else:
                documents, tag = read_qrels(path), ""
        except InputError as error:
            return str(error)
    found = {
        (topic.encode("utf-8", "surrogateescape"), docno.encode("latin-1")): float(value)
        for topic, own in documents.items()
        for docno, value in own.items()
    }
    return found, tag.encode("utf-8", "surrogateescape")


def case(rng: Random, folder: Path) -> str:
    """Read one file by the package, in whole and in small chunks, and plainly."""
    kind = rng.choice(QRELS + RUNS)
    data, is_run = content(rng, kind), kind in RUNS
    compress, half = rng.choice(COMPRESS), rng.randrange(len(data) + 1)
    parts = [data] if rng.random() < 0.7 else [data[:half], data[half:]]
    path = folder / kind
    path.write_bytes(b"".join(map(compress, parts)))
    expected, whole = plainly_read(data, is_run=is_run), read(path, is_run=is_run)
    usual, stdeval.files.CHUNK = stdeval.files.CHUNK, rng.choice((1, 2, 7, 64, 1000))
    try:
        in_chunks = read(path, is_run=is_run)
    finally:
        stdeval.files.CHUNK = usual
    # of several errors, each way of reading may meet another one first
    wrong = [found for found in (whole, in_chunks) if (None if isinstance(found, str) else found) != expected]
    return f"{kind} {data!r}: {wrong[0]}, expected {expected or 'a refusal'}" if wrong else ""
