"""`stdeval check`: JUnit XML, and statuses inside a Makefile; tests/golden/check.txt has what it prints."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import ROOT

# The rank of the one relevant document, for each of eight topics; its reciprocal is recip_rank.
RANKS = {"old": [1, 1, 1, 2, 2, 2, 4, 4], "good": [1, 1, 1, 1, 2, 2, 4, 4], "bad": [4, 4, 2, 2, 4, 2, 4, 8]}


@pytest.fixture
def qrels(write) -> Path:
    return write("qrels.txt", [f"{topic} 0 {topic}-rel 1" for topic in range(1, 9)])


@pytest.fixture
def runs(write) -> dict[str, Path]:
    def lines(tag: str, ranks: list[int]) -> list[str]:
        return [
            f"{topic} Q0 {topic}-{'rel' if rank == place else f'd{place}'} {place} {100 - place} {tag}"
            for topic, rank in enumerate(ranks, 1)
            for place in range(1, 11)
        ]

    given = RANKS | {"partial": RANKS["old"][:4]}
    return {tag: write(f"{tag}.run", lines(tag, ranks)) for tag, ranks in given.items()}


@pytest.mark.parametrize("output_format", ["text", "markdown", "csv"])
def test_nothing_is_printed_in_any_format_of_what_could_not_be_told(run, write, output_format: str):
    path = write("s.csv", ["run,topic,map", "a,1,0.5", "b,1,0.6"])
    done = run("check", "--scores", path, "--non-inferior", "map=0.1", "--baseline", "b", "-f", output_format)
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)


def test_junit_has_the_time_of_each_condition(run, qrels, runs, tmp_path: Path, monkeypatch):
    """By a clock that is a second later whenever somebody looks."""
    target, clock = tmp_path / "out.xml", itertools.count()
    monkeypatch.setattr("stdeval.commands.check.perf_counter", lambda: float(next(clock)))
    assert run("check", qrels, runs["good"], runs["bad"], "--min", "map=0.5", "--junit", target).status == 1
    (suite,) = ElementTree.parse(target).getroot()
    assert [case.get("time") for case in suite] == ["1.000", "1.000"]
    assert float(suite.get("time", "")) >= 4


def test_junit_of_an_earlier_run_does_not_stay(run, qrels, runs, tmp_path: Path):
    target = tmp_path / "out.xml"
    assert run("check", qrels, runs["good"], "--min", "map=.0001", "--junit", target).status == 0
    done = run("check", qrels, tmp_path / "absent.run", "--min", "map=.0001", "--junit", target)
    error = ElementTree.parse(target).find(".//error")
    assert error is not None
    assert (done.status, done.stderr) == (2, f"stdeval: {error.get('message')}\n")


def test_junit_that_cannot_be_written_is_no_pass(run, qrels, runs, tmp_path: Path):
    done = run("check", qrels, runs["good"], "--min", "map=.0001", "--junit", tmp_path / "absent" / "out.xml")
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)


MAKEFILE = """\
pass:
\t@$(STDEVAL) check qrels.txt old.run good.run --baseline old.run --max-drop map=0.01 --not-worse map
fail:
\t@$(STDEVAL) check qrels.txt old.run bad.run --baseline old.run --max-drop map=0.01
missing-topics:
\t@$(STDEVAL) check qrels.txt partial.run --min map=.0001
unknown-measure:
\t@$(STDEVAL) check qrels.txt good.run --min mpa=0.1
gate.txt: good.run qrels.txt
\t@$(STDEVAL) check qrels.txt good.run --min map=0.5 -o $@
bad.txt: absent.run qrels.txt
\t@$(STDEVAL) check qrels.txt absent.run --min map=0.5 -o $@
absent.run: ;
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize(
    ("target", "status"),
    [("pass", 0), ("fail", 1), ("missing-topics", 2), ("unknown-measure", 2), ("gate.txt", 0), ("bad.txt", 2)],
)
def test_in_a_makefile(write, qrels, runs, tmp_path: Path, target: str, status: int):
    write("Makefile", MAKEFILE)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "LC_ALL": "C", "MAKEFLAGS": ""}
    command = ["make", "-s", f"STDEVAL={sys.executable} -m stdeval", target]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == (2 if status else 0)  # whatever the recipe's status, make's own is 2
    assert (f"Error {status}" in done.stderr) == (status > 0)
    assert ("PASS" in done.stdout) == (target == "pass")
    assert (tmp_path / target).exists() == (target == "gate.txt")
