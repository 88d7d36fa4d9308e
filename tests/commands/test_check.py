"""`stdeval check`: what passes, what fails, what cannot be told; alone and inside a Makefile."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import stdev
from xml.etree import ElementTree

import pytest
from statsmodels.stats.power import TTestPower

ROOT = Path(__file__).resolve().parents[2]
# The rank of the one relevant document, for each of eight topics; its reciprocal is recip_rank.
RANKS = {
    "old": [1, 1, 1, 2, 2, 2, 4, 4],
    "good": [1, 1, 1, 1, 2, 2, 4, 4],
    "bad": [4, 4, 2, 2, 4, 2, 4, 8],
}


def run_lines(tag: str, ranks: list[int], n_topics: int = 8) -> list[str]:
    return [
        f"{topic} Q0 {topic}-{'rel' if rank == place else f'd{place}'} {place} {100 - place} {tag}"
        for topic, rank in enumerate(ranks[:n_topics], 1)
        for place in range(1, 11)
    ]


@pytest.fixture
def qrels(write) -> Path:
    return write("qrels.txt", [f"{topic} 0 {topic}-rel 1" for topic in range(1, 9)])


@pytest.fixture
def runs(write) -> dict[str, Path]:
    return {tag: write(f"{tag}.run", run_lines(tag, ranks)) for tag, ranks in RANKS.items()}


def found_in(tag: str) -> str:
    """The loss that statsmodels finds with a power of 80%, in words."""
    differences = [1 / new - 1 / old for new, old in zip(RANKS[tag], RANKS["old"], strict=True)]
    effect = TTestPower().solve_power(nobs=8, alpha=0.05, power=0.8, alternative="larger")
    return f"a t test finds a loss of {effect * stdev(differences):.4f} with 80% power"


@pytest.mark.parametrize("output_format", ["text", "markdown", "csv"])
def test_nothing_is_printed_in_any_format_of_what_could_not_be_told(run, write, output_format: str):
    path = write("s.csv", ["run,topic,map", "a,1,0.5", "b,1,0.6"])
    done = run("check", "--scores", path, "--non-inferior", "map=0.1", "--baseline", "b", "-f", output_format)
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr == "stdeval: non-inferior map=0.1: 1 topic, expected at least two topics to compare on\n"


def cases(path: Path) -> list[tuple[str, str, list[str]]]:
    suite = ElementTree.parse(path).getroot()[0]
    return [(case.get("classname", ""), case.get("name", ""), [child.tag for child in case]) for case in suite]


def test_junit(run, qrels, runs, tmp_path: Path):
    target = tmp_path / "out.xml"
    typed = ["--min", "map=0.3", "--baseline", "old", "--max-drop", "map=0.05", "--junit", target]
    assert run("check", qrels, runs["old"], runs["bad"], *typed).status == 1
    assert cases(target) == [("bad", "min map=0.3", []), ("bad", "max-drop map=0.05", ["failure"])]
    root = ElementTree.parse(target).getroot()
    assert {name: root[0].get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "2",
        "failures": "1",
        "errors": "0",
    }
    assert 0 < float(root[0].get("time", "")) < 60
    assert sum(float(case.get("time", "")) for case in root[0]) <= float(root[0].get("time", "")) + 0.002
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("message") == "mean 0.3281, baseline 0.6250 on 8 topics, drop 0.2969, expected at most 0.05"
    assert (failure.text or "").startswith(f"{failure.get('message')}\nlost most on 1 (-0.7500)")


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
    assert done.status == 2
    assert cases(target) == [("stdeval", "check", ["error"])]
    error = ElementTree.parse(target).find(".//error")
    assert error is not None
    assert f"stdeval: {error.get('message')}\n" == f"stdeval: {error.text}\n" == done.stderr


def test_junit_that_cannot_be_written_is_no_pass(run, qrels, runs, tmp_path: Path):
    done = run("check", qrels, runs["good"], "--min", "map=.0001", "--junit", tmp_path / "absent" / "out.xml")
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)


MAKEFILE = """\
.PHONY: pass fail missing-topics unknown-measure no-run
pass:
\t@$(STDEVAL) check qrels.txt old.run good.run --baseline old.run --max-drop map=0.01 --not-worse map
fail:
\t@$(STDEVAL) check qrels.txt old.run bad.run --baseline old.run --max-drop map=0.01 --junit gate.xml
missing-topics:
\t@$(STDEVAL) check qrels.txt partial.run --min map=.0001
unknown-measure:
\t@$(STDEVAL) check qrels.txt good.run --min mpa=0.1
no-run:
\t@$(STDEVAL) check qrels.txt absent.run --min map=.0001
gate.txt: good.run qrels.txt
\t@$(STDEVAL) check qrels.txt good.run --min map=0.5 -o $@
bad.txt: absent.run qrels.txt
\t@$(STDEVAL) check qrels.txt absent.run --min map=0.5 -o $@
absent.run: ;
"""
LOST = "lost most on 1 (-0.7500), 2 (-0.7500), 3 (-0.5000), 5 (-0.2500), 8 (-0.1250)"
# what each target prints, on stderr, and the exit status that make reports of its recipe; make's own is 2
GOLDEN = {
    "pass": (
        "PASS\tgood\tmax-drop map=0.01\tmean 0.6875, baseline 0.6250 on 8 topics, "
        "drop -0.0625, expected at most 0.01\n"
        "PASS\tgood\tnot-worse map\tmean 0.6875, baseline 0.6250 on 8 topics, p 0.825, expected above alpha 0.05 "
        f"(Student's t test, paired, one-tailed (less)); {found_in('good')}\n"
        "0 of 2 conditions failed\n",
        "",
        0,
    ),
    "fail": (
        "FAIL\tbad\tmax-drop map=0.01\tmean 0.3281, baseline 0.6250 on 8 topics, "
        f"drop 0.2969, expected at most 0.01\t{LOST}\n"
        "1 of 1 condition failed\n",
        "",
        1,
    ),
    "missing-topics": (
        "",
        "stdeval: partial.run: no documents for 4 of 8 judged topics (e.g. '5'), "
        "expected documents for every topic of qrels.txt, or -c to count missing ones as 0\n",
        2,
    ),
    "unknown-measure": ("", "stdeval: no measure 'mpa', did you mean map?\n", 2),
    "no-run": ("", "stdeval: absent.run: no such file or directory\n", 2),
}


@pytest.fixture
def make(tmp_path: Path, qrels, runs, write):
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    write("partial.run", run_lines("partial", RANKS["old"], n_topics=4))
    write("Makefile", MAKEFILE)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "LC_ALL": "C", "MAKEFLAGS": ""}

    def made(target: str) -> subprocess.CompletedProcess[str]:
        command = ["make", "-s", f"STDEVAL={sys.executable} -m stdeval", target]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return made


@pytest.mark.parametrize("target", GOLDEN)
def test_in_a_makefile(make, target: str):
    done = make(target)
    stdout, stderr, status = GOLDEN[target]
    assert done.stdout == stdout
    assert done.returncode == (2 if status else 0)  # whatever the recipe's status, make's own is 2
    printed = [line for line in done.stderr.splitlines(keepends=True) if not line.startswith("make")]
    assert "".join(printed) == stderr
    assert (f"Error {status}" in done.stderr) == (status > 0)


def test_target_file_appears_when_checked_and_not_when_it_could_not_be(make, tmp_path: Path):
    assert make("gate.txt").returncode == 0
    assert (tmp_path / "gate.txt").read_text().startswith("PASS\tgood\tmin map=0.5")
    assert make("bad.txt").returncode == 2
    assert not (tmp_path / "bad.txt").exists()
