"""Shared options: names of files, and upper case."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """A folder of one small file of each kind, in which the test runs; its content."""
    monkeypatch.chdir(tmp_path)
    rows = [f"s{place},{t},0.{t}{place}{place * t}\n" for place in range(3) for t in (1, 2, 3)]
    scores = "run,topic,map\n" + "".join(rows)
    texts = {
        "qrels": "1 0 a 1\n2 0 a 1\n3 0 a 1\n",
        "r1": "1 Q0 a 1 2 r1\n2 Q0 a 1 2 r1\n3 Q0 a 1 2 r1\n",
        "r2": "1 Q0 a 1 2 r2\n2 Q0 a 1 2 r2\n3 Q0 a 1 2 r2\n",
        "scores.csv": scores,
        "more.csv": scores,
        "factors.csv": "topic,n,map.mean,map.sd\n1,9,.3,.1\n2,9,.3,.1\n3,9,.3,.1\n",
        "power.csv": "alpha,power\n0.01,0.5\n0.05,0.6\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text)
    Path("hard-link").hardlink_to("r1")
    Path("link").symlink_to("r1")
    return {path.name: path.read_bytes() for path in tmp_path.iterdir()}


ON_AN_INPUT = [
    "eval qrels r1 -o r1",
    "eval qrels r1 -o hard-link",
    "eval --scores scores.csv -o scores.csv",
    "pool -d 1 qrels r1 -o r1",
    "report qrels r1 r2 -o r2",
    "check qrels r1 --min map=.0001 --junit r1",
    "check qrels r1 --min Nmap=.0001 -F factors.csv --junit factors.csv",
    "meta power --scores scores.csv -o scores.csv",
    "meta within --scores scores.csv --trials-out scores.csv",
    "meta split --scores scores.csv --pairs-out scores.csv",
    "meta collections scores.csv more.csv -o more.csv",
    "meta references --scores scores.csv --other more.csv -o more.csv",
    "meta references --scores scores.csv -F more.csv -o more.csv",
    "plot power power.csv -o power.csv",
    "plot means --scores scores.csv -o scores.csv",
]
ON_ONE_OUTPUT = [
    "check qrels r1 --min map=.0001 --junit -",
    "meta split --scores scores.csv --trials-out new --pairs-out new",
]


@pytest.mark.parametrize("line", [*ON_AN_INPUT, *ON_ONE_OUTPUT])
def test_an_output_is_neither_an_input_nor_another_output(run, files: dict[str, bytes], line: str):
    done = run(*line.split())
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert ("the command reads this file" if line in ON_AN_INPUT else "write") in done.stderr
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == files


def test_standard_input_may_be_the_file_of_an_output(files: dict[str, bytes]):
    command = [sys.executable, "-m", "stdeval", "eval", "qrels", "-", "-o", "r1"]
    with Path("r1").open("rb") as stdin:
        done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "-o r1: the command reads this file" in done.stderr
    assert Path("r1").read_bytes() == files["r1"]


def test_devices_may_be_inputs_and_outputs(run, files: dict[str, bytes]):
    assert run("check", "qrels", "r1", "--min", "map=.0001", "-o", "/dev/null", "--junit", "/dev/null").status == 0


UPPER = [
    "eval -f CSV --precision Double -a EGM qrels r1",
    "compare -f Table --test T --correction HOLM --scheme Raw --scores scores.csv",
    "plot means --scheme RAW --size SLIDE --dpi 20 -o - --scores scores.csv",
]


@pytest.mark.parametrize("line", UPPER)
@pytest.mark.usefixtures("files")
def test_upper_case_changes_no_output(run, line: str):
    typed = line.split()
    done, lower = run(*typed), run(*[word.lower() for word in typed])
    assert (done.status, done.raw, done.stderr) == (0, lower.raw, lower.stderr)
