"""Time how long stdeval reads tables of every format, by the number of their topics.

    python tests/benchmark/tables.py [--topics 100000] [--runs 10] [--only NAME]...

Each file is read twice, with the topics asked for and with a quarter of them, by a child process each. CPU time is
of the child, without that of its start; a ratio near 4 means that time grows linearly.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = 10.0
"""Seconds in which a file of 100,000 topics and 10 runs is read."""

Lines = Iterator[str]


def number(rng: random.Random) -> str:
    return f"{rng.random():.4f}"


def qrels(rng: random.Random, n: int, _: int) -> Lines:
    yield from (f"{t} 0 d{t}.{d} {int(rng.random() < 0.5)}" for t in range(n) for d in range(3))


def run(rng: random.Random, n: int, _: int) -> Lines:
    yield from (f"{t} Q0 d{t}.{d} {d} {number(rng)} tag" for t in range(n) for d in range(10))


def scores(rng: random.Random, n: int, k: int, first: int = 0) -> Lines:
    yield "run,topic,map,P_10"
    yield from (f"r{i},{t},{number(rng)},{number(rng)}" for i in range(first, first + k) for t in range(n))


def more_scores(rng: random.Random, n: int, k: int) -> Lines:
    return scores(rng, n, k, k)


def columns(rng: random.Random, n: int, k: int) -> Lines:
    n_columns = n // 5
    yield ",".join(["run", "topic", *(f"x{j}" for j in range(n_columns))])
    yield from (",".join([f"r{i}", "1", *(number(rng) for _ in range(n_columns))]) for i in range(k))


def factors(rng: random.Random, n: int, k: int) -> Lines:
    yield "topic,n,map.mean,map.sd,P_10.mean,P_10.sd"
    yield from (f"{t},{k},{number(rng)},0.1,{number(rng)},0.2" for t in range(n))


def zscores(rng: random.Random, n: int, _: int) -> Lines:
    yield from (f"{t} {measure} {number(rng)} 0.1" for t in range(n) for measure in ("map", "P_10"))


def published(rng: random.Random, n: int, _: int) -> Lines:
    yield "topic,AP,P@10"
    yield from (f"{t},{number(rng)},0.1" for t in range(n))


def matrix(rng: random.Random, n: int, k: int) -> Lines:
    yield ",".join(["topic", *(f"r{i}" for i in range(k))])
    yield from (",".join([str(t), *(number(rng) for _ in range(k))]) for t in range(n))


def printed(rng: random.Random, n: int, k: int) -> Lines:
    for i in range(k):
        yield f"runid                 \tall\tr{i}"
        yield from (f"{measure:22}\t{t}\t{number(rng)}" for t in range(n) for measure in ("map", "P_10"))


TABLE, FACTORS = "read_scores_or_factors(Input(sys.argv[1]), 'map')", "read_factors(sys.argv[1:])"
FORMATS: dict[str, tuple[str, tuple[Callable[[random.Random, int, int], Lines], ...]]] = {
    "qrels": ("read_qrels(sys.argv[1])", (qrels,)),
    "run": ("[read_run(path) for path in sys.argv[1:]]", (run,)),
    "scores": (TABLE, (scores,)),
    "scores of two files": (
        "join_scores([read_scores(Input(path)) for path in sys.argv[1:]], sys.argv[1:])",
        (scores, more_scores),
    ),
    "scores joined by column": (
        "join_columns({path: read_scores(Input(path)) for path in sys.argv[1:]})",
        (scores, scores),
    ),
    "scores of many measures": (TABLE, (columns,)),
    "factors": (FACTORS, (factors,)),
    "factors fitted to scores": (FACTORS, (scores,)),
    "zscores_file": (FACTORS, (zscores,)),
    "published pair": (FACTORS, (published, published)),
    "matrix": (TABLE, (matrix,)),
    "output of trec_eval": (TABLE, (printed,)),
}
"""The expression that reads the files of each format, and what writes their lines."""

CHILD = """
import sys, time
from stdeval.files import Input
from stdeval.formats.joined import join_columns
from stdeval.formats.readers import read_factor_files as read_factors, read_scores_or_factors
from stdeval.formats.scores_csv import join_scores, read_scores
from stdeval.trec.reading import read_qrels, read_run
start = time.process_time()
{expression}
print(time.process_time() - start)
"""


def seconds(name: str, n_topics: int, n_runs: int, folder: Path) -> float:
    """Return the CPU time in which a child process reads the files of a format."""
    expression, writers = FORMATS[name]
    paths = [folder / f"{name}{i}" for i in range(len(writers))]
    for i, (path, lines) in enumerate(zip(paths, writers, strict=True)):
        path.write_text(
            "".join(f"{line}\n" for line in lines(random.Random(i), n_topics, n_runs // len(writers))),
            encoding="ascii",
        )
    command = [sys.executable, "-c", CHILD.format(expression=expression), *map(str, paths)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--only", action="append", choices=list(FORMATS))
    arguments = parser.parse_args()
    for name in arguments.only or FORMATS:
        with tempfile.TemporaryDirectory() as folder:
            quarter, whole = (
                seconds(name, n, arguments.runs, Path(folder)) for n in (arguments.topics // 4, arguments.topics)
            )
        verdict = "met" if whole <= TARGET else "MISSED"
        print(f"{name:<26}{whole:7.2f} s CPU, {whole / quarter:4.1f} times a quarter; target {TARGET:g}: {verdict}")


if __name__ == "__main__":
    main()
