"""`--sort` ranks runs of different topics as `stdeval compare`; `--best` is as if others were not given."""

from __future__ import annotations

import pytest

Scores = dict[str, dict[int, float]]

NONE_COMPLETE: Scores = {
    "a": {1: 0.9, 2: 0.1, 3: 0.2, 6: 0.5},
    "b": {1: 0.1, 2: 0.1, 4: 0.9, 6: 0.5},
    "c": {1: 0.2, 2: 0.3, 3: 0.8, 4: 0.9, 6: 0.5},
}
ONE_COMPLETE: Scores = {
    "all": {1: 0.5, 2: 0.5, 3: 0.1, 4: 0.4},
    "b": {1: 0.6, 2: 0.1, 4: 0.4},
    "c": {1: 0.55, 3: 0.3, 4: 0.4},
}
OF_TWO: Scores = {"whole": dict.fromkeys(range(1, 5), 0.5), "part": {1: 0.9, 2: 0.8}}
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
    printed = run("compare", "-f", "markdown", *scores).stdout.replace("*", "").splitlines()
    compared = {words[1]: float(words[3]) for line in printed if (words := line.split())[1:2] and words[1] in runs}
    means = [compared[name] for name in order if name != "easy"]
    assert means == sorted(means, reverse=True)


def test_few_common_topics_do_not_prevent_sorting(run, write):
    scores = ["--scores", write("s.csv", ["run,topic,Nmap", "a,1,0.1", "a,2,0.9", "a,3,0.9", "b,1,0.2"])]
    assert [row["run"] for row in run("eval", "-f", "csv", "--sort", "Nmap", *scores).rows] == ["b", "a"]
    assert run("compare", "-f", "markdown", *scores).status == 2
    scores[1] = write("apart.csv", ["run,topic,Nmap", "a,1,0.1", "b,2,0.2"])
    done = run("eval", "-f", "csv", "--sort", "Nmap", *scores)
    assert ([row["run"] for row in done.rows], "no topic is common" in done.stderr) == (["b", "a"], True)


SCORES = ["run,topic,map,recall_10,unj_20"]
for place, system in enumerate("dacb"):  # a is the best by map, b by recall_10, c by unj_20
    for number in range(1, 7):
        quality = {"a": (9, 5, 8), "b": (7, 9, 9), "c": (5, 7, 1), "d": (3, 3, 7)}[system]
        cells = [(10 * value + number * (place + 1) % 7) / 100 for value in quality]
        SCORES.append(",".join([system, str(number), *map(str, cells)]))


@pytest.mark.parametrize("best", ["2", "50%"])
@pytest.mark.parametrize(
    "command",
    [
        "eval -f csv -m map -m recall_10",
        "factors -m map -m recall_10",
        "standardize --scheme z --scheme e -f csv -m map",
        "compare -f csv -m map",
    ],
)
def test_the_best_are_as_if_the_others_were_not_given(run, write, command: str, best: str):
    every, two = write("all.csv", SCORES), write("two.csv", [line for line in SCORES if line[0] in "rab"])
    found = run(*command.split(), "--scores", every, "--best", best)
    assert found == run(*command.split(), "--scores", two)
    assert found.status == 0
