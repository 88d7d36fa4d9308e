"""Make a track of the size of TREC's for the benchmark: qrels and runs, from a seed.

    python tests/benchmark/generate.py [--runs 129] [--topics 50] [--depth 1000] [--judged 1700] FOLDER

writes FOLDER/qrels and FOLDER/run001 .. , lines grouped by topic. Memory stays flat in runs and topics, so that a
run of 5,000 topics is made in the same way (``--runs 1 --topics 5000 --judged 20``).
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO

import numpy as np

N_COLLECTION = 500_000
CANDIDATES_PER_RANK = 4
FIRST_TOPIC = 401
RELEVANT = 0.06  # share of the judged documents
SCORE_FORMATS = ("%.4f", "%.6f", "%.3f", "%.9f", "%.6g")  # systems print scores differently
FORMS = ("FT9%02d-%d", "FBIS3-%d%04d", "LA%06d-%04d", "FR940%03d-0-%05d")  # of docnos, as on TREC disks 4 and 5


def docno(number: int) -> str:
    """The document's name; one number, one name."""
    form, rest = number % len(FORMS), number // len(FORMS)
    return FORMS[form] % (11 + rest // 9000, 1000 + rest % 9000)


@lru_cache(maxsize=1)
def collection() -> np.ndarray:
    """Names of all documents."""
    return np.array([docno(number) for number in range(N_COLLECTION)], dtype=object)


@lru_cache(maxsize=64)
def topic_documents(seed: int, topic: int, depth: int, judged: int) -> tuple[np.ndarray, np.ndarray]:
    """The topic's candidates, most believed first, and how much all systems believe in each.

    From seed and topic alone, so that every run finds the same documents without holding all topics.
    """
    rng = np.random.default_rng((seed, 0, topic))
    n_candidates = max(CANDIDATES_PER_RANK * depth, judged)
    documents = rng.choice(N_COLLECTION, n_candidates, replace=False)
    belief = np.sort(rng.standard_exponential(n_candidates))[::-1]
    return documents, belief


def ranking(seed: int, run: int, topic: int, depth: int, judged: int) -> tuple[np.ndarray, np.ndarray]:
    """Documents and scores of one run for one topic, best first."""
    documents, belief = topic_documents(seed, topic, depth, judged)
    rng = np.random.default_rng((seed, 1, run, topic))
    scores = 3.0 * belief + rng.standard_normal(len(belief)) * (0.5 + run % 7)
    order = np.argsort(-scores)[:depth]
    return documents[order], scores[order] - scores.min()


def run_lines(seed: int, run: int, topics: range, depth: int, judged: int) -> Iterator[str]:
    """Text of a run, a topic at a time."""
    line = "%d Q0 %s %d " + SCORE_FORMATS[run % len(SCORE_FORMATS)] + f" run{run:03d}\n"
    names = collection()
    for topic in topics:
        documents, scores = ranking(seed, run, topic, depth, judged)
        fields = zip(names[documents].tolist(), range(1, depth + 1), scores.tolist(), strict=True)
        yield "".join([line % (topic, *rest) for rest in fields])


def qrels_lines(seed: int, topics: range, depth: int, judged: int) -> Iterator[str]:
    """Text of the judgments, a topic at a time: the most believed documents, some of them relevant."""
    names = collection()
    for topic in topics:
        documents, _ = topic_documents(seed, topic, depth, judged)
        rng = np.random.default_rng((seed, 2, topic))
        chance = 3 * RELEVANT * np.linspace(1, 0, judged) ** 2  # the first are relevant more often
        level = (rng.random(judged) < chance) * rng.integers(1, 3, judged)
        level[0] = 1
        yield "".join(
            f"{topic} 0 {name} {value}\n" for name, value in zip(names[documents[:judged]], level, strict=True)
        )


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A file to write; what ends in .gz is packed, with no time and no name in its header."""
    with contextlib.ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(path.open("wb"))
        if path.suffix == ".gz":
            packed = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0)
            file = stack.enter_context(packed)
        yield file


def write(path: Path, blocks: Iterator[str]) -> None:
    with opened(path) as file:
        for block in blocks:
            file.write(block.encode("ascii"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Make qrels and runs for the benchmark.")
    parser.add_argument("folder", type=Path, help="where to; made when it is not there")
    parser.add_argument("--runs", type=int, default=129)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--depth", type=int, default=1000, help="documents of a run for a topic")
    parser.add_argument("--judged", type=int, default=1700, help="judged documents of a topic")
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--gz", action="store_true", help="pack the runs")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    topics = range(FIRST_TOPIC, FIRST_TOPIC + arguments.topics)
    shape = (topics, arguments.depth, arguments.judged)
    write(arguments.folder / "qrels", qrels_lines(arguments.seed, *shape))
    for run in range(1, arguments.runs + 1):
        path = arguments.folder / f"run{run:03d}{'.gz' if arguments.gz else ''}"
        write(path, run_lines(arguments.seed, run, *shape))


if __name__ == "__main__":
    main()
