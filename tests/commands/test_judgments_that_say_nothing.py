"""Runs and judgments that do not fit: one warning in every command that evaluates runs, and refused by `check`."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import pytest

import stdeval
from stdeval.errors import InputWarning
from tests.conftest import SAMPLE


@pytest.fixture(scope="module")
def distances(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """new-a of the sample with scores that rise with its ranks."""
    path = tmp_path_factory.mktemp("runs") / "dist.run"
    lines = gzip.decompress((SAMPLE / "new-a.run.gz").read_bytes()).decode().splitlines()
    path.write_text("".join(f"{' '.join(line.split()[:4])} {line.split()[3]} dist\n" for line in lines))
    return path


COMMANDS = [
    "eval -m map",
    "standardize -m map",
    "compare -m map",
    "factors -m map",
    "factors -m map --empirical",
    "topics -m map",
    "meta power -m map",
    "meta rank -m map -m P_5",
]


def told(done, word: str) -> list[str]:
    return [line for line in done.stderr.splitlines() if word in line]


@pytest.mark.parametrize("command", [*COMMANDS, "eval -m map -j 2", "pool -d 10"])
def test_every_command_warns_once_of_distances(run, distances, command: str):
    references = sorted((SAMPLE / "references").glob("*.gz"))[:3]
    done = run(*command.split(), SAMPLE / "qrels.gz", *references, distances)
    assert told(done, "rise") == told(done, "1 of 4 runs (e.g. 'dist') has scores that rise")
    assert len(told(done, "rise")) == 1
    assert not told(run(*command.split(), SAMPLE / "qrels.gz", *references), "rise")


@pytest.mark.parametrize("jobs", ["1", "2", "3"])
def test_distances_are_found_in_parts_of_a_run(run, distances, jobs: str):
    done = run("eval", "-m", "map", "-j", jobs, SAMPLE / "qrels.gz", distances)
    assert len(told(done, "'dist' has scores that rise")) == 1
    assert done.stdout.split() == ["map", "all", "0.0823"]


def test_python_programs_get_the_same_warnings(distances):
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0, "b": 2.0}}
    other = {"1": {"x-a": 1.0}}
    more, at_two = {**qrels, "2": {"a": 2}}, stdeval.Options(level=2)
    for words, *given in (
        ("^no document of 'run' is judged in the qrels", qrels, other),
        ("no document of 1 of 2 runs .e.g. 'b'. is judged in the qrels", qrels, {"a": run, "b": other}),
        ("^the qrels: no document is relevant", {"1": {"a": 0, "b": 0}}, run),
        ("^the qrels: no document is relevant at level 2", qrels, run, at_two),
        ("no document is relevant at level 2 for 1 of 2 topics", more, {**run, "2": run["1"]}, at_two),
        ("1 of 2 judged topics, and documents for 1 other topic", more, {**run, "3": run["1"]}),
    ):
        with pytest.warns(InputWarning, match=words) as warned:
            stdeval.evaluate(*given[:2], "AP", *given[2:])
        assert warned[0].filename == __file__
    with pytest.warns(InputWarning, match="'dist' has scores that rise") as given:
        stdeval.read_run(distances)
    assert given[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", InputWarning)
        stdeval.evaluate(qrels, run, "AP")
