"""Runs that have different topics are sorted by what is comparable, as `stdeval compare` ranks them."""

from __future__ import annotations

import pytest

NONE_COMPLETE = {
    "a": {1: 0.9, 2: 0.1, 3: 0.2},
    "b": {1: 0.1, 2: 0.3, 4: 0.9},
    "c": {1: 0.2, 3: 0.8, 4: 0.9, 5: 0.9},
}
ONE_COMPLETE = {"all": {1: 0.5, 2: 0.5, 3: 0.1}, "b": {1: 0.6, 2: 0.1}, "c": {1: 0.55, 3: 0.3}}
OF_TWO = {"whole": dict.fromkeys(range(1, 9), 0.5), "part": {1: 0.9, 2: 0.8}}
TWO_COMPLETE = {
    "easy": {1: 0.9},
    "a": {1: 0.1, 2: 0.5},
    "b": {1: 0.3, 2: 0.1, 3: 0.1},
    "c": {1: 0.1, 2: 0.4, 3: 0.9},
}


@pytest.fixture
def shown(run, write):
    """Run a command on scores; return the means that it prints, by run and in their order, and its warnings."""

    def means(command: str, runs: dict[str, dict[int, float]]) -> tuple[dict[str, float], str]:
        rows = [f"{name},{topic},{score}" for name, own in runs.items() for topic, score in own.items()]
        done = run(*command.split(), "--scores", write("s.csv", ["run,topic,Nmap", *rows]))
        cells = [
            line.replace("*", "").split("|")[1:3] for line in done.stdout.splitlines() if line.startswith("| ")
        ]
        return {name.strip(): float(mean) for name, mean in cells if name.strip() in runs}, done.stderr

    return means


@pytest.mark.parametrize(
    ("runs", "best_first", "told"),
    [
        (NONE_COMPLETE, "a c b", "1 of 5 topics"),
        (ONE_COMPLETE, "b c all", "1 of 3 topics"),
        (OF_TWO, "part whole", "2 of 8 topics"),
        (TWO_COMPLETE, "a c b easy", "'easy'"),
    ],
)
def test_runs_are_sorted_by_the_means_that_compare_prints(shown, runs, best_first: str, told: str):
    order, stderr = shown("eval --sort Nmap -f markdown", runs)
    assert list(order) == best_first.split()
    assert told in stderr
    compared, _ = shown("compare -f markdown", runs)
    comparable = [compared[name] for name in order if name != "easy"]
    assert comparable == sorted(comparable, reverse=True)
