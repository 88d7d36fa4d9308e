"""The manual page of `stdeval check`: what gives status 2."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from tests.docs.transcripts import shell

BREAK = {
    "a judgment was changed": r"sed -i '1s/ [0-9]*$/ 2/' qrels",
    "a topic was added to the qrels": "echo 351 0 x 1 >> qrels",
    "a topic was removed from the qrels": "sed -i '/^301 /d' qrels",
    "the run has no documents for a topic": "sed -i '/^301 /d' new.run",
    "the run is empty": ": > new.run",
    "a compressed run was cut off": "gzip -c new.run | head -c 20000 > cut && mv cut new.run",
    "the run was cut off within a line": "echo 1 2 3 >> new.run",
    "the baseline was cut off within a line": "echo new,301 >> baseline.csv",
    "a file does not exist": "rm new.run",
    "the docnos are those of another collection": "sed -i 's/ Q0 / Q0 other-/' new.run",
    "the baseline was made from a run of another collection": (
        "sed 's/ Q0 / Q0 other-/' new.run > other.run && "
        "stdeval eval -q -f csv --signature -m map -o baseline.csv qrels other.run"
    ),
}


@pytest.fixture
def gate(sample: Path) -> str:
    """A command that passes, in a folder with a signed baseline."""
    Path("qrels").write_bytes(gzip.decompress((sample / "qrels.gz").read_bytes()))
    Path("new.run").write_bytes(gzip.decompress((sample / "new-a.run.gz").read_bytes()))
    stored = shell("stdeval eval -q -f csv --signature -m map -o baseline.csv qrels new.run")
    assert (stored.returncode, stored.stdout) == (0, "")
    return "stdeval check --baseline baseline.csv --max-drop map=2% qrels new.run"


@pytest.mark.parametrize("situation", BREAK)
def test_what_breaks_between_two_checks(gate: str, situation: str):
    assert shell(gate).returncode == 0
    assert shell(BREAK[situation]).returncode == 0
    done = shell(gate)
    assert (done.returncode, "PASS" in done.stdout) == (2, False)


def test_a_run_cut_off_between_two_lines_is_not_noticed_unless_it_is_compressed(gate: str):
    assert shell("head -n -3 new.run > cut && mv cut new.run").returncode == 0
    assert shell(gate).returncode == 0
    assert shell("gzip -c new.run | head -c -1 > cut && mv cut new.run").returncode == 0
    assert shell(gate).returncode == 2


def test_a_baseline_of_another_version_is_valid(gate: str):
    stored = Path("baseline.csv").read_text()
    changed = re.sub(r"stdeval:[^|]+", "stdeval:9.9", stored)
    assert changed != stored
    Path("baseline.csv").write_text(changed)
    assert shell(gate).returncode == 0
