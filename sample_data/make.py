"""Make the simulated track that lies beside this script.

    python sample_data/make.py [--no-factors] [FOLDER]

The same seed gives the same files, byte for byte. A document of a topic has a relevance level and a part
of its score that all systems share, so that runs resemble each other as real ones do; what a system adds is
how well it sees relevance (its quality, the topic's ease and how the two get along) and noise of its own.
"""

from __future__ import annotations

import argparse
import gzip
import io
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent

SEED = 2016
TOPICS = [str(number) for number in range(301, 351)]
N_REFERENCES = 40
N_COLLECTION = 30_000  # documents in the collection
N_CANDIDATES = 800  # documents of a topic that any system could find
DEPTH = 100
POOL_DEPTH = 20
SHARED_NOISE = 0.8
NEW_RUNS = {"new-a": 0.75, "new-b": 0.5}  # name: quality


@dataclass(frozen=True)
class Topic:
    """A topic: its candidate documents, their relevance, and how hard it is."""

    docnos: np.ndarray  # (N_CANDIDATES,) numbers, ascending
    level: np.ndarray  # (N_CANDIDATES,) 0, 1 or 2
    shared: np.ndarray  # (N_CANDIDATES,) what all systems believe of a document, right or wrong
    ease: float  # how visible relevance is
    spread: float  # how differently systems of the same quality fare


def make_topic(rng: np.random.Generator) -> Topic:
    docnos = np.sort(rng.choice(N_COLLECTION, N_CANDIDATES, replace=False))
    n_relevant = int(np.clip(np.rint(rng.lognormal(3.1, 0.8)), 5, 80))
    level = np.zeros(N_CANDIDATES, dtype=int)
    relevant = rng.choice(N_CANDIDATES, n_relevant, replace=False)
    level[relevant] = 1 + (rng.random(n_relevant) < 0.3)
    shared = SHARED_NOISE * rng.standard_normal(N_CANDIDATES)
    return Topic(docnos, level, shared, rng.lognormal(0.75, 0.55), rng.uniform(0.05, 0.9))


def rank(topic: Topic, quality: float, scale: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """One system's ranking for a topic: positions of the documents among the candidates, and scores."""
    strength = max(0.0, quality * topic.ease + topic.spread * rng.standard_normal())
    signal = topic.level * (1.2 - 0.2 * topic.level)  # 0, 1, 1.6
    belief = strength * signal + topic.shared + rng.standard_normal(N_CANDIDATES)
    scores = np.round(scale * (belief + 6.0), 4)
    order = np.lexsort((-topic.docnos, -scores))[:DEPTH]
    return order, scores[order]


def make_run(topics: list[Topic], quality: float, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    scale = rng.choice([0.1, 1.0, 2.5])  # systems score on scales of their own
    return [rank(topic, quality, scale, rng) for topic in topics]


def docno(number: int) -> str:
    return f"D{number:05d}"


def run_text(name: str, topics: list[Topic], run: list[tuple[np.ndarray, np.ndarray]]) -> str:
    return "".join(
        f"{number} Q0 {docno(topic.docnos[place])} {i} {score:.4f} {name}\n"
        for number, topic, (order, scores) in zip(TOPICS, topics, run, strict=True)
        for i, (place, score) in enumerate(zip(order, scores, strict=True), start=1)
    )


def qrels_text(topics: list[Topic], runs: list[list[tuple[np.ndarray, np.ndarray]]]) -> str:
    """Judgments of what the references have among their first ``POOL_DEPTH``, as in a real track."""
    lines = []
    for t, topic in enumerate(topics):
        pool = np.unique(np.concatenate([run[t][0][:POOL_DEPTH] for run in runs]))
        lines += [f"{TOPICS[t]} 0 {docno(topic.docnos[place])} {topic.level[place]}\n" for place in pool]
    return "".join(lines)


def write_gz(path: Path, text: str) -> None:
    """Gzip without a time or a name in the header, so that the bytes depend on the text alone."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as packed:
        packed.write(text.encode("ascii"))
    path.write_bytes(buffer.getvalue())


def make(folder: Path) -> None:
    rng = np.random.default_rng(SEED)
    topics = [make_topic(rng) for _ in TOPICS]
    qualities = rng.permutation(np.linspace(0.2, 0.8, N_REFERENCES))
    references = [make_run(topics, quality, rng) for quality in qualities]
    (folder / "references").mkdir(parents=True, exist_ok=True)
    write_gz(folder / "qrels.gz", qrels_text(topics, references))
    for number, run in enumerate(references, start=1):
        name = f"ref{number:02d}"
        write_gz(folder / "references" / f"{name}.run.gz", run_text(name, topics, run))
    for name, quality in NEW_RUNS.items():
        write_gz(folder / f"{name}.run.gz", run_text(name, topics, make_run(topics, quality, rng)))


def make_factors(folder: Path) -> None:
    runs = sorted((folder / "references").glob("*.run.gz"))
    command = [sys.executable, "-m", "stdeval", "factors", folder / "qrels.gz", *runs, "-o", folder / "factors.csv"]
    subprocess.run(command, cwd=HERE.parent, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the simulated track.")
    parser.add_argument("folder", nargs="?", type=Path, default=HERE, help="where to (default: beside this script)")
    parser.add_argument("--no-factors", action="store_true", help="leave out factors.csv, which stdeval makes")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    make(folder)
    if not arguments.no_factors:
        make_factors(folder)


if __name__ == "__main__":
    main()
