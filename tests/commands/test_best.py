"""`--best`: the same output as without the runs that it leaves out."""

from __future__ import annotations

import pytest

SCORES = ["run,topic,map,recall_10,unj_20"]
for place, system in enumerate("dacb"):  # a is the best by map, b by recall_10, c by unj_20
    for number in range(1, 7):
        quality = {"a": (9, 5, 8), "b": (7, 9, 9), "c": (5, 7, 1), "d": (3, 3, 7)}[system]
        cells = [(10 * value + number * (place + 1) % 7) / 100 for value in quality]
        SCORES.append(",".join([system, str(number), *map(str, cells)]))


@pytest.mark.parametrize(
    "command",
    [
        "eval -f csv -m map -m recall_10",
        "factors -m map -m recall_10",
        "standardize --scheme z --scheme e -f csv -m map",
        "topics -f csv -m map",
        "compare -f csv -m map",
    ],
)
@pytest.mark.parametrize("best", ["2", "50%"])
def test_as_if_the_others_were_not_given(run, write, command: str, best: str):
    every, two = write("all.csv", SCORES), write("two.csv", [line for line in SCORES if line[0] in "rab"])
    found = run(*command.split(), "--scores", every, "--best", best)
    assert found == run(*command.split(), "--scores", two)
    assert found.status == 0
