"""Scores files joined by column: what is said of one file is said as if it stood alone, whatever is beside it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest


@pytest.fixture
def stored(run, sample, tmp_path: Path):
    """Return a function that stores the scores of the first runs of the sample in a file."""

    def store(name: str, typed: str, runs: slice = slice(2)) -> Path:
        qrels, *paths = sample
        form = ("-q", "-n", "-f", "csv", "--signature", "-o", tmp_path / name)
        assert run(*typed.split(), *form, qrels, *paths[runs]).status == 0
        return tmp_path / name

    return store


@pytest.fixture
def joined(run, tmp_path: Path):
    """Return a function that stores scores files, joined by column, in one file."""

    def join(name: str, **files: Path) -> Path:
        typed = [option for prefix, path in files.items() for option in ("--scores", f"{prefix}={path}")]
        done = run("eval", "-q", "-n", "-f", "csv", "--signature", "-o", tmp_path / name, *typed)
        assert done.status == 0
        return tmp_path / name

    return join


def signature_of(path: Path) -> str:
    """The signature of the first row."""
    with path.open(newline="") as file:
        return next(csv.DictReader(file))["signature"]


def test_topics_of_two_collections_are_the_same_ones_in_files_of_other_names(run, write):
    """A file with more measures of one collection neither doubles its topics nor changes what its runs have."""

    def stored(name: str, measure: str) -> Path:
        pairs = [(topic, rank) for topic in range(9) for rank in range(5)]
        qrels = write(f"{name}.qrels", [f"{topic} 0 {name}{rank} {rank % 2}" for topic, rank in pairs])
        runs = [
            write(
                f"{name}{i}.run",
                [f"{topic} Q0 {name}{(rank + i * topic) % 5} {rank} {9 - rank} {name}{i}" for topic, rank in pairs],
            )
            for i in range(3)
        ]
        done = run("eval", "-q", "-n", "-f", "csv", "--signature", "-m", measure, qrels, *runs)
        return write(f"{name}.{measure}.csv", done.stdout)

    early, late, more = stored("early", "map"), stored("late", "map"), stored("early", "P_5")
    typed = ["compare", "--unpaired", "-m", "map", "--scheme", "n", "-f", "csv", "--signature"]
    two = run(*typed, "--scores", early, "--scores", late)
    three = run(*typed, "--scores", early, "--scores", late, "--scores", f"x={more}")
    assert "|topics:18|" in two.rows[0]["signature"]
    assert two.rows == three.rows
