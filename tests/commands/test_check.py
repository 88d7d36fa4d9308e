"""`stdeval check`: the file of JUnit XML; tests/golden/check.txt has what is in it."""

from __future__ import annotations

import itertools
from pathlib import Path
from xml.etree import ElementTree

from tests.conftest import SAMPLE

FILES = [SAMPLE / name for name in ("qrels.gz", "new-a.run.gz", "new-b.run.gz")]


def test_junit_has_the_time_of_each_condition(run, tmp_path: Path, monkeypatch):
    """By a clock that is a second later whenever somebody looks."""
    target, clock = tmp_path / "out.xml", itertools.count()
    monkeypatch.setattr("stdeval.commands.check.perf_counter", lambda: float(next(clock)))
    assert run("check", *FILES, "--min", "map=0.5", "--junit", target).status == 1
    (suite,) = ElementTree.parse(target).getroot()
    assert [case.get("time") for case in suite] == ["1.000", "1.000"]
    assert float(suite.get("time", "")) >= 4


def test_junit_that_cannot_be_written_is_no_pass(run, tmp_path: Path):
    done = run("check", *FILES, "--min", "map=0.5", "--junit", tmp_path / "absent" / "out.xml")
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
