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


@pytest.mark.parametrize("best_first", ["b a", "b c a"])
def test_runs_without_a_common_topic_are_a_warning(shown, best_first: str):
    runs = {"a": {1: 0.1, 2: 0.1}, "b": {2: 0.2, 3: 0.4}, "c": {1: 0.2, 3: 0.2}}
    if "c" not in best_first:
        runs = {"a": {1: 0.1}, "b": {3: 0.3}}
    order, told = shown("eval --sort Nmap -f markdown", runs)
    assert list(order) == best_first.split()
    assert "no topic is common" in told


# On the first two topics, the arithmetic means order them a, b, c, d; the geometric means d, c, b, a.
DIFFERENT_TOPICS = {
    "c": {1: 0.5, 2: 0.2},
    "a": {1: 0.9, 2: 0.0001, 3: 0.9},
    "b": {1: 0.7, 2: 0.1, 3: 0.0001},
    "d": {1: 0.3, 2: 0.36},
}


@pytest.mark.parametrize(
    ("options", "best_first"),
    [
        ("", "a b c d"),
        ("-a sd", "a b c d"),
        ("-a gm", "d c b a"),
        ("-a egm-trec -a am", "a b c d"),
        ("-a sd -a egm-trec", "d c b a"),
        # epsilon makes it nearly the arithmetic mean
        ("-a egm --epsilon 9", "a b c d"),
        ("-a hm", "d c b a"),
        ("-a md", "a b c d"),
    ],
)
def test_runs_are_sorted_by_the_mean_that_is_printed_on_common_topics(run, write, options, best_first):
    rows = [f"{name},{topic},{score}" for name, own in DIFFERENT_TOPICS.items() for topic, score in own.items()]
    scores = write("s.csv", ["run,topic,Nmap", *rows])
    done = run("eval", "--sort", "Nmap", "-f", "csv", *options.split(), "--scores", scores)
    assert list(dict.fromkeys(row["run"] for row in done.rows)) == best_first.split()
    assert "2 of 3 topics" in done.stderr


def test_counts_and_geometric_means_are_sorted_on_common_topics(run, write):
    """Each run retrieves relevant documents for the first topic at these ranks; two of the runs also for others."""
    qrels = write("qrels.txt", [f"{t} 0 d{k} 1" for t in (1, 2, 3) for k in range(3)])
    ranks = {
        "low": {1: (9,), 2: (0, 1), 3: (0, 1)},
        "few": {1: (0,), 2: (0, 1), 3: ()},
        "best": {1: (0, 1)},
        "mid": {1: (3, 4)},
    }
    runs = [
        write(
            f"{name}.run",
            [
                f"{topic} Q0 {f'd{own.index(k)}' if k in own else f'x{k}'} 1 {-k} {name}"
                for topic, own in topics.items()
                for k in range(10)
            ],
        )
        for name, topics in ranks.items()
    ]
    for measure, best_first in (
        ("num_rel_ret", "best mid low few"),
        ("gm_map", "best few mid low"),
        ("num_ret", "low few best mid"),
    ):
        done = run("eval", "--sort", measure, "-m", measure, "-m", "map", "-f", "csv", qrels, *runs)
        assert [row["run"] for row in done.rows] == best_first.split()
        assert "1 of 3 topics" in done.stderr
    done = run("eval", "--sort", "num_q", "-f", "csv", qrels, *reversed(runs))
    assert [row["run"] for row in done.rows] == ["few", "low", "mid", "best"]
    assert "sorted" not in done.stderr
