"""A few random cases of each target, always the same, and oracles that notice a wrong number."""

from __future__ import annotations

from pathlib import Path

import pytest

from stdeval.errors import InputError

from . import mutations, reading, scoring, standardizing
from .__main__ import run_case
from .outcome import Outcome, run

CASES = {"reading": 250, "scoring": 60, "standardizing": 30, "mutations": 120}


@pytest.mark.parametrize("name", CASES)
def test_random_cases(name: str, tmp_path: Path) -> None:
    seed = scoring.SEED if name == "scoring" else "tests"
    found = {number: run_case(name, seed, number, tmp_path) for number in range(CASES[name])}
    assert {number: wrong for number, wrong in found.items() if wrong} == {}


def changed(outcome: Outcome) -> Outcome:
    """The outcome with the last digit of the output changed."""
    digits = [place for place, byte in enumerate(outcome.stdout) if chr(byte).isdigit()]
    if outcome.status or not digits:
        return outcome
    place = digits[-1]
    other = b"%d" % ((outcome.stdout[place] - ord("0") + 5) % 10)
    return outcome._replace(stdout=outcome.stdout[:place] + other + outcome.stdout[place + 1 :])


@pytest.mark.parametrize("target", [scoring, standardizing])
def test_a_wrong_number_is_noticed(target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = target.__name__.rpartition(".")[2]
    monkeypatch.setattr(target, "run", lambda arguments: changed(run(arguments)))
    seed = scoring.SEED if target is scoring else "tests"
    assert any(run_case(name, seed, number, tmp_path) for number in range(40))


def test_scores_that_are_not_those_of_the_file_are_noticed(tmp_path: Path) -> None:
    data = mutations.GOOD["scores"]
    (tmp_path / "scores").write_bytes(data)
    done = run(["eval", "-q", "-n", "-f", "csv", "--scores", tmp_path / "scores"])
    assert mutations.other_scores(data, done) == ""
    assert mutations.other_scores(data, changed(done)) != ""
    assert mutations.other_scores(data, done._replace(stdout=done.stdout.rpartition(b"\nc,")[0] + b"\n")).endswith(
        "lost"
    )


def test_a_file_read_wrongly_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path):
        raise InputError("refused", str(path))

    monkeypatch.setattr(reading, "read_qrels", refused)
    assert any(run_case("reading", "tests", number, tmp_path) for number in range(20))
