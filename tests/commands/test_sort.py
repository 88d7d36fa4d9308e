"""Runs that have different topics are sorted by what is comparable, as `stdeval compare` ranks them."""

from __future__ import annotations

import pytest

Scores = dict[str, dict[int, float]]

NONE_COMPLETE: Scores = {
    "a": {1: 0.9, 2: 0.1, 3: 0.2},
    "b": {1: 0.1, 2: 0.3, 4: 0.9},
    "c": {1: 0.2, 3: 0.8, 4: 0.9, 5: 0.9},
}
ONE_COMPLETE: Scores = {"all": {1: 0.5, 2: 0.5, 3: 0.1}, "b": {1: 0.6, 2: 0.1}, "c": {1: 0.55, 3: 0.3}}
OF_TWO: Scores = {"whole": dict.fromkeys(range(1, 9), 0.5), "part": {1: 0.9, 2: 0.8}}
TWO_COMPLETE: Scores = {
    "easy": {1: 0.9},
    "a": {1: 0.1, 2: 0.5},
    "b": {1: 0.3, 2: 0.1, 3: 0.1},
    "c": {1: 0.1, 2: 0.4, 3: 0.9},
}


@pytest.mark.parametrize(
    ("runs", "best_first"),
    [(NONE_COMPLETE, "a c b"), (ONE_COMPLETE, "b c all"), (OF_TWO, "part whole"), (TWO_COMPLETE, "a c b easy")],
)
def test_runs_are_sorted_by_the_means_that_compare_prints(run, write, runs: Scores, best_first: str):
    rows = [f"{name},{topic},{score}" for name, own in runs.items() for topic, score in own.items()]
    scores = ["--scores", write("s.csv", ["run,topic,Nmap", *rows])]
    order = [row["run"] for row in run("eval", "-f", "csv", "--sort", "Nmap", *scores).rows]
    assert order == best_first.split()
    lines = [
        line.replace("*", "").split() for line in run("compare", "-f", "markdown", *scores).stdout.splitlines()
    ]
    compared = {words[1]: float(words[3]) for words in lines if words[1:2] and words[1] in runs}
    means = [compared[name] for name in order if name != "easy"]
    assert means == sorted(means, reverse=True)
