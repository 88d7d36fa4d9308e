"""A few random cases of each target, always the same, and oracles that notice a wrong number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from . import mutations, scoring
from .__main__ import run_case
from .outcome import Outcome, run

CASES = {"reading": 250, "scoring": 60, "mutations": 120, "options": 60}


@pytest.mark.parametrize("name", CASES)
def test_random_cases(name: str, tmp_path: Path) -> None:
    seed = scoring.SEED if name == "scoring" else "tests"
    found = {number: run_case(name, seed, number, tmp_path) for number in range(CASES[name])}
    assert {number: wrong for number, wrong in found.items() if wrong} == {}


def changed(outcome: Outcome) -> Outcome:
    """The outcome with the last digit of the output changed."""
    start, digit, end = re.fullmatch(rb"(.*?)(\d?)(\D*)", outcome.stdout, flags=re.DOTALL).groups()
    return outcome._replace(stdout=start + digit.translate(bytes.maketrans(b"0123456789", b"5678901234")) + end)


def test_wrong_numbers_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = mutations.GOOD["scores"]
    (tmp_path / "scores").write_bytes(data)
    done = run(["eval", "-q", "-n", "-f", "csv", "--scores", tmp_path / "scores"])
    assert mutations.other_scores(data, done) == ""
    assert mutations.other_scores(data, changed(done)) != ""
    monkeypatch.setattr(scoring, "run", lambda arguments: changed(run(arguments)))
    assert any(run_case("scoring", scoring.SEED, number, tmp_path) for number in range(40))
