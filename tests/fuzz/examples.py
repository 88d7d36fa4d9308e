"""Inputs that once crashed, hung, were read wrongly or printed what misleads, and what happens with them now."""

from __future__ import annotations

import bz2
import gzip
import lzma
from typing import NamedTuple

from .good_files import GOOD

Q, R = b"1 0 d1 1\n", b"1 Q0 d1 1 1 t\n"


class Example(NamedTuple):
    """A command line on some files, its exit status, and words that it prints on stdout (status 0) or stderr."""

    arguments: str
    status: int
    words: str
    files: dict[str, bytes]


def _damaged(compress) -> bytes:
    first, second = compress(R), bytearray(compress(b"1 Q0 d2 2 0.5 t\n"))
    second[1] ^= 1
    return first + bytes(second)


def _plain(arguments: str, status: int, words: str, **files: bytes) -> Example:
    return Example(arguments, status, words, {"q": Q, "r": R, **GOOD, **files})


def _scores(*rows: str) -> bytes:
    return "".join(f"{row}\n" for row in ("run,topic,map", *rows)).encode()


NOISE = _scores(*(f"{run},{t},{score!r}" for t in range(10) for run, score in (("a", 0.1 + 0.2), ("b", 0.3))))
CONSTANT = _scores(*(f"{run},{t},{score + t / 20!r}" for t in range(10) for run, score in (("a", 0.3), ("b", 0.1))))
FOUR_TOPICS = _scores(*(f"{run},{t},0.{i + t}" for i, run in enumerate("abc") for t in range(1, 5)))

EXAMPLES = {
    # reading
    "damage after the first member of gz": _plain("eval q d", 2, "d", d=_damaged(gzip.compress)),
    "damage after the first member of bz2": _plain("eval q d", 2, "d: damaged bzip2", d=_damaged(bz2.compress)),
    "damage after the first member of xz": _plain("eval q d", 2, "d: damaged xz", d=_damaged(lzma.compress)),
    "a byte order mark as a member": _plain(
        "eval -m num_ret q d",
        0,
        "num_ret               \tall\t1",
        d=bz2.compress(b"\xef\xbb\xbf") + bz2.compress(R),
    ),
    "a stretch of packed newlines": _plain(
        "eval -m num_ret q d",
        0,
        "num_ret               \tall\t2",
        d=lzma.compress(R + b"\n" * 5_000_000 + b"1 Q0 d2 2 0 t\n"),
    ),
    "a score of 32,000 digits": _plain("eval q d", 2, "d:1: score", d=b"1 Q0 d1 1 %s t\n" % (b"1" * 32_000)),
    "a second member": _plain(
        "eval -q -m num_ret q d",
        0,
        "num_ret               \t1\t2",
        d=gzip.compress(R) + gzip.compress(b"1 Q0 d2 2 0 t\n"),
    ),
    "a carriage return inside a line": _plain("eval q d", 2, "d:1", d=b"1 Q0 d1 1\r1 t\n"),
    "an underscore in a score": _plain("eval q d", 2, "1_0", d=b"1 Q0 d1 1 1_0 t\n"),
    "Arabic digits in a score": _plain("eval q d", 2, "d:1", d="1 Q0 d1 1 \u0661 t\n".encode()),
    "a score of nan": _plain("eval q d", 2, "nan", d=b"1 Q0 d1 1 nan t\n"),
    "an infinite score": _plain("eval q d", 2, "1e999", d=b"1 Q0 d1 1 1e999 t\n"),
    "NUL in a docno": _plain("eval q d", 2, "d:1", d=b"1 Q0 d\0 1 1 t\n"),
    "a title in place of a docno": _plain("eval q d", 2, "d:2", d=b"1 Q0 d1 1 1 t\n1 Q0 Smith 2020 9 0.68 t\n"),
    "a docno twice": _plain("eval q d", 2, "d:2", d=R + R),
    "a byte order mark": _plain("eval -m map q d", 0, "map                   \tall\t1.0000", d=b"\xef\xbb\xbf" + R),
    "an empty run": _plain("eval q d", 2, "d", d=b""),
    "a judgment of a million": _plain(
        "eval -m num_rel d r", 0, "num_rel               \tall\t1", d=b"1 0 d1 1000000\n"
    ),
    "a judgment of a million and one": _plain("eval d r", 2, "d:1", d=b"1 0 d1 1000001\n"),
    "a judgment above a million": _plain("eval d r", 2, "d:1", d=b"1 0 d1 99999999999\n"),
    "a run in place of the qrels": _plain("eval r r", 2, "r:1"),
    "factors in place of the qrels": _plain("eval factors r", 2, "-F"),
    "a no-break space in a docno": _plain(
        "eval -m num_ret q d", 0, "num_ret               \tall\t1", d=b"1 Q0 d\xa01 1 1 t\n"
    ),
    # names of measures, which crash pytrec_eval or mean something else to it
    "P_10abc": _plain("eval -m P_10abc q r", 2, "P_10"),
    "ndcg.10": _plain("eval -m ndcg.10 q r", 2, "ndcg_cut.10"),
    "ndcg_10": _plain("eval -m ndcg_10 q r", 2, "ndcg_10"),
    "P_0": _plain("eval -m P_0 q r", 2, "P_0"),
    "a cutoff of 5,000 digits": _plain(f"eval -m P@{'1' * 5000} q r", 2, "P takes whole numbers"),
    "a name of 100,000 letters": _plain(f"eval -m {'x' * 100_000} q r", 2, "no measure 'xxx"),
    "a list of numbers that a pattern could split in many ways": _plain(
        "eval --scores d", 2, "d:1", d=b"run,topic,11pt_avg.%sx\na,1,0.5\n" % (b"11," * 40)
    ),
    "a level many times": _plain(f"eval -m map{'_rel=1' * 3000} q r", 2, "no measure 'map_rel=1"),
    "a level many times in a header": _plain(
        "eval --scores d", 0, "_rel=1_rel=1", d=b"run,topic,map%s\na,1,0.5\n" % (b"_rel=1" * 3000)
    ),
    "a cutoff twice": _plain("eval -m P.5,5 q r", 0, "P_5"),
    "map.10": _plain("eval -m map.10 q r", 2, "map"),
    "a topic named no_query": _plain(
        "eval -q -m map d e",
        0,
        "map                   \tno_query\t1.0000",
        d=b"no_query 0 d1 1\n",
        e=b"no_query Q0 d1 1 1 t\n",
    ),
    "a level above all judgments": _plain("eval -l 99 -m map q r", 0, "map                   \tall\t0.0000"),
    "a level of a million": _plain("eval -l 1000000 -m bpref q r", 0, "bpref                 \tall\t0.0000"),
    "a level of many digits in a name": _plain("eval -m Bpref(rel=999999999) q r", 0, "\tall\t0.0000"),
    "a level that no 32-bit number holds": _plain("eval -l 2147483648 q r", 2, "from 1 to 2147483647"),
    "a gate that passes on nothing": _plain("check -l 99 --min map=.0001 q r", 2, "no document is relevant"),
    "a gate on the run of another collection": _plain(
        "check --min map=.0001 d r", 2, "another collection", d=b"1 0 other 1\n"
    ),
    # statistics
    "noise is no difference": _plain("compare -f csv --scores d", 0, ",0,10,0,10,", d=NOISE),
    "differences that are constant but for noise": _plain(
        "compare -f csv --scores d", 0, ",10,0,0,10,inf,0.0,", d=CONSTANT
    ),
    "two collections of one file each": _plain("meta collections scores scores2", 2, "topics, expected at least 4"),
    "one ranking": _plain("meta rank --scores d -m map", 2, "expected at least two measures", d=FOUR_TOPICS),
    # options
    "a pool depth of 30 digits": _plain(f"pool -d {'1' * 30} q r", 2, "at most 18 digits"),
    "-o on an input": _plain("eval -o r q r", 2, "r"),
    "a level that is no number": _plain("eval -l two q r", 2, "two"),
    "a run given twice": _plain("eval q r r", 2, "given twice"),
    "options before the command": _plain("-q -m map q r", 2, "eval"),
    # names
    "a run with a line break in its name": _plain(
        "eval --scores d", 2, "d", d=b'run,topic,map\n"a\nmap \tall\t1",1,0.5\n'
    ),
    "an escape sequence in a message": _plain("eval q d", 2, "\\x1b", d=b"1 Q0 d1 1 \x1b[31m t\n"),
    "an escape sequence in a topic": _plain("eval d r", 2, "\\x1b", d=b"\x1b[31m 0 d1 1\n" * 2),
    "an escape sequence in a cell": _plain("eval --scores d", 2, "\\x1b", d=_scores("a,1,\x1b[31m")),
    "an escape sequence in a measure": _plain("eval -m \x1b[31m q r", 2, "\\x1b"),
    "an option of a LaTeX row in a name": _plain(
        "eval -f latex --scores d", 0, "\n{}[tuned] & 0.5", d=_scores("[tuned],1,0.5", "*x,1,0.7")
    ),
    "a star of a LaTeX row in a name": _plain(
        "eval -f latex --scores d", 0, "\n{}*x & 0.5", d=_scores("[tuned],1,0.7", "*x,1,0.5")
    ),
    "a separator of Unicode in a cell": _plain("eval --scores d", 2, "d:2: score", d=_scores("a,1,\u00a00.5")),
    "a separator of Unicode in factors": _plain(
        "standardize -F d -m map q r", 2, "1\\u2028x", d="1\u2028x\tmap\t0.5\t0.1\n".encode()
    ),
    "a topic named all": _plain("eval -m map d e", 0, "all", d=b"all 0 d1 1\n", e=b"all Q0 d1 1 1 t\n"),
    "a measure whose name cannot be drawn": _plain(
        "plot means -o p.png --scores d", 0, "", d=b"run,topic,\xff\x1b\na,1,0.5\nb,1,0.2\n"
    ),
    # directions
    "tau of measures with opposite directions": _plain(
        "meta rank -f csv --scores d",
        0,
        "map,raw,higher,unj_10,raw,lower,1.0",
        d=b"run,topic,map,unj_10\n"
        + b"".join(
            b"%s,%d,0.%d,0.%d\n" % (run, t, i + t, 9 - i - t)
            for i, run in enumerate((b"a", b"b", b"c"))
            for t in range(1, 5)
        ),
    ),
}
