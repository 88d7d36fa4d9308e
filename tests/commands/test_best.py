"""`--best`: the same output as without the runs that it leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

SCORES = ["run,topic,map,recall_10,unj_20"]
for place, system in enumerate("dacb"):  # a is the best by map, b by recall_10, c by unj_20
    for number in range(1, 7):
        quality = {"a": (9, 5, 8), "b": (7, 9, 9), "c": (5, 7, 1), "d": (3, 3, 7)}[system]
        cells = [(10 * value + number * (place + 1) % 7) / 100 for value in quality]
        SCORES.append(",".join([system, str(number), *map(str, cells)]))


@pytest.fixture
def files(write) -> tuple[Path, Path]:
    """The scores of four runs, and those of the two best by map."""
    two = [line for line in SCORES if line[0] in "rab"]
    return write("all.csv", SCORES), write("two.csv", two)


COMMAND_LINES = {
    "eval": "-f csv -m map -m recall_10",
    "factors": "-m map -m recall_10",
    "standardize": "--scheme z --scheme e -f csv -m map",
    "topics": "-f csv -m map",
    "compare": "-f csv -m map",
}


@pytest.mark.parametrize("command", COMMAND_LINES)
@pytest.mark.parametrize("best", ["2", "50%"])
def test_as_if_the_others_were_not_given(run, files, write, command: str, best: str):
    # experiments need three systems: the best 3 of 5
    if command.startswith("meta"):
        extra = [line.replace("d,", "e,", 1) for line in SCORES if line[0] == "d"]
        everything = write("five.csv", SCORES + extra[:5] + [extra[5].replace("0.", "0.0")])
        some, best = write("three.csv", [line for line in SCORES if line[0] != "d"]), "3"
    else:
        everything, some = files
    typed = COMMAND_LINES[command].split()
    found = run(*command.split(), "--scores", everything, "--best", best, *typed)
    expected = run(*command.split(), "--scores", some, *typed)
    assert (found.status, found.raw) == (0, expected.raw)
    assert found.stderr == expected.stderr
