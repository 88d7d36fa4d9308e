"""`stdeval eval` against trec_eval, byte by byte, on random qrels, runs and options.

trec_eval 9.0.8 is the binary that the environment variable TREC_EVAL names. Without it, its output is known for the cases
of `STORED` only; all others are checked for what must not change anything: the order of lines and compression.

    TREC_EVAL=/path/to/trec_eval python -m tests.fuzz.scoring 400

stores the output, as digests, of the first 400 cases.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random

from .outcome import problem, run

STORED = Path(__file__).with_name("trec_eval.txt")
SEED = "stored"
NAME_PARTS = [*b"d D 1 - _ . 01 \xff \xc3\xa9 ' , %s \x7f".split(), b"z" * 40]
ODD_TOPICS = b"all no_query all.gm nan -1 1e3 runid".split()
LEVELS = [
    [int(level) for level in levels.split()]
    for levels in "0 1|0 0 0 1|0 1 2 3|0 1 2 -1|-1 -2 0 1|1|0|1 2 5 9 12|0 1 1000 -5".split("|")
]
EXTREME = [*"0 -0 1e-50 -1e-50 1e39 -1e39 3.4028235e38 3.4028236e38 1e-45 7e-46".split(), "9" * 300, "1e-400"]
MEASURES = """map gm_map Rprec bpref recip_rank iprec_at_recall P recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G ndcg
    ndcg_rel Rndcg ndcg_cut map_cut relative_P success set_P set_relative_P set_recall set_map set_F num_nonrel_judged_ret
    num_ret num_rel num_rel_ret num_q runid relstring P.1,3,7 recall.2,100000 ndcg_cut.3,5,10 map_cut.1,999999999
    success.2,4 iprec_at_recall.0.3,.5 Rprec_mult.0.5,2 set_F.0.5 utility.1,-1,0.5,0 11pt_avg.0.1,.9 ndcg.1=3,2=.5
    G.1=2 Rndcg.2=10 relstring.5""".split()

NICKNAMES = ("official", "set", "all_trec")
"""Each is named alone: trec_eval computes what a nickname and another name share with the parameters of one of them."""


def _names(rng: Random, n: int, odd: list[bytes]) -> list[bytes]:
    names = {
        b"%d" % rng.randrange(1, 400) if rng.random() < 0.8 else b"".join(rng.choices(NAME_PARTS, k=3))
        for _ in range(n)
    }
    return sorted(names | set(odd), key=lambda name: sha256(name).digest())


def _score(rng: Random, how: str) -> str:
    if how == "tied":
        return rng.choice(("1", "1.0", "0.5", "2", "1e0"))
    if how == "close":
        base, step = rng.choice((1.0, 0.1, 16777216.0, 123456.789)), rng.choice((1e-9, 6e-8, 1e-7, 1.0))
        return repr(base + rng.randrange(-3, 4) * step)
    return rng.choice(EXTREME) if how == "extreme" else f"{rng.gauss(0, 10):.6f}"


def _separated(rng: Random, lines: list[list[bytes]]) -> bytes:
    blank = rng.choice((b" ", b" ", b"\t", b"  ", b" \t "))
    return b"".join(b"%s\n" % blank.join(fields) for fields in lines)


def make(rng: Random) -> tuple[bytes, bytes, list[str]]:
    """Return qrels, a run, and options."""
    odd = rng.sample(ODD_TOPICS, rng.choice((0, 0, 0, 2)))
    topics, docnos = _names(rng, rng.choice((1, 2, 5, 9)), odd), _names(rng, rng.choice((1, 3, 8, 30, 90)), [])
    levels, share = rng.choice(LEVELS), rng.choice((0.1, 0.5, 0.9, 1.0))
    how = rng.choice(("tied", "close", "extreme", "plain"))
    judged = [
        [topic, b"0", docno, b"%d" % rng.choice(levels)]
        for topic in topics
        if rng.random() < 0.9
        for docno in docnos
        if rng.random() < share
    ]
    retrieved = [
        [topic, b"Q0", docno, b"1", _score(rng, how).encode(), b"tag"]
        for topic in topics
        if rng.random() < 0.9
        for docno in [*docnos, b"unjudged"]
        if rng.random() < 0.7
    ]
    rng.shuffle(retrieved)
    options = [flag for flag, p in (("-q", 0.6), ("-c", 0.25), ("-n", 0.1), ("-J", 0.2)) if rng.random() < p]
    options += rng.choice(([], [], [], ["-l", "2"], ["-l", "3"]))
    options += rng.choice(([], [], [], ["-M", "1"], ["-M", "5"]))
    named = [rng.choice(NICKNAMES)] if rng.random() < 0.2 else rng.sample(MEASURES, rng.choice((0, 1, 2, 4)))
    families = {name.partition(".")[0]: name for name in named}
    options += [word for name in families.values() for word in ("-m", name)]
    return _separated(rng, judged), _separated(rng, retrieved), options


def digest(*parts: bytes) -> str:
    """Return a short digest of some bytes."""
    return sha256(b"\0".join(parts)).hexdigest()[:16]


@cache
def stored() -> dict[str, str]:
    """Return the digest of trec_eval's output by that of the input."""
    lines = STORED.read_text().splitlines() if STORED.exists() else []
    return dict(line.split() for line in lines if not line.startswith("#"))


def trec_eval(arguments: list[str]) -> bytes | None:
    """Return trec_eval's output; None if it refuses the input."""
    done = subprocess.run([os.environ["TREC_EVAL"], *arguments], capture_output=True, check=False, timeout=60)
    return done.stdout if done.returncode == 0 else None


def _written(folder: Path, qrels: bytes, run_file: bytes, options: list[str]) -> list[str]:
    for name, data in (("qrels", qrels), ("run", run_file)):
        (folder / name).write_bytes(data)
    return [*options, str(folder / "qrels"), str(folder / "run")]


def case(rng: Random, folder: Path) -> str:
    """Evaluate one run."""
    qrels, run_file, options = make(rng)
    arguments = _written(folder, qrels, run_file, options)
    ours = run(["eval", *arguments])
    wrong = problem(ours)
    if wrong or ours.status:
        return wrong
    known = stored().get(digest(qrels, run_file, " ".join(options).encode()))
    if "TREC_EVAL" in os.environ:
        theirs = trec_eval(arguments)
        if theirs is not None and not is_same(theirs, ours.stdout):
            return f"{arguments} {qrels!r} {run_file!r}: {ours.stdout!r}, trec_eval {theirs!r}"
    elif known is not None and known != digest(without_nan(ours.stdout)):
        return f"{arguments} {qrels!r} {run_file!r}: {ours.stdout!r}, not what trec_eval prints"
    return _order_matters(rng, folder, ours.stdout, arguments, qrels, run_file)


NAN = (b"iprec_at_recall", b"11pt_avg", b"Rndcg_")
"""Measures for which trec_eval prints nan, depending on memory that it has not set, where stdeval prints 0."""


def without_nan(printed: bytes) -> bytes:
    """Return text output without the values by measures of `NAN`."""
    return b"\n".join(line.rpartition(b"\t")[0] if line.startswith(NAN) else line for line in printed.split(b"\n"))


def is_same(theirs: bytes, ours: bytes) -> bool:
    """Return True if the outputs agree, but for numbers where trec_eval prints nan."""
    return theirs == ours or (b"nan" in theirs and without_nan(theirs) == without_nan(ours))


def _order_matters(rng: Random, folder: Path, before: bytes, arguments: list[str], *files: bytes) -> str:
    """Return what changes if lines are in another order and the files are compressed; nothing should."""
    for name, data in zip(("qrels", "run"), files, strict=True):
        lines = data.splitlines(keepends=True)
        rng.shuffle(lines)
        (folder / name).write_bytes(gzip.compress(b"".join(lines), 1))
    after = run(["eval", *arguments])
    return "" if after.stdout == before else f"{arguments} {files}: {after} after a shuffle, {before!r} before"


def store(n: int) -> None:
    """Store the digests of the output of trec_eval for the first n cases."""
    lines = [
        "# digests of the input of each case, and of what trec_eval 9.0.8 prints for it; made by tests/fuzz/scoring.py"
    ]
    with tempfile.TemporaryDirectory() as folder:
        for i in range(n):
            parts = make(Random(f"scoring/{SEED}/{i}"))
            printed = trec_eval(_written(Path(folder), *parts))
            if printed is not None:
                lines.append(f"{digest(*parts[:2], ' '.join(parts[2]).encode())} {digest(without_nan(printed))}")
    STORED.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    store(int(sys.argv[1]))
