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
    ("runs", "best_first", "warning"),
    [
        (NONE_COMPLETE, "a c b", "the runs have different topics: sorted by means on the 1 topic that all have"),
        (ONE_COMPLETE, "b c all", "the runs have different topics: sorted by means on the 1 topic that all have"),
        (OF_TWO, "part whole", "the runs have different topics: sorted by means on the 2 topics that all have"),
        (
            TWO_COMPLETE,
            "a c b easy",
            "the others have different topics: sorted by means on the 2 topics that all of them have",
        ),
    ],
)
def test_runs_are_sorted_by_the_means_that_compare_prints(shown, runs, best_first: str, warning: str):
    order, told = shown("eval --sort Nmap -f markdown", runs)
    assert list(order) == best_first.split()
    assert warning in told
    assert ("sorted below the others" in told) == ("easy" in runs)
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
    assert "no topic is common to all runs: sorted by means over different topics" in told


# On the first two topics, the arithmetic means order them a, b, c, d; the geometric means d, c, b, a.
DIFFERENT_TOPICS = {
    "c": {1: 0.5, 2: 0.2},
    "a": {1: 0.9, 2: 0.0001, 3: 0.9},
    "b": {1: 0.7, 2: 0.1, 3: 0.0001},
    "d": {1: 0.3, 2: 0.36},
}


@pytest.mark.parametrize(
    ("options", "best_first", "figures"),
    [
        ("", "a b c d", "means"),
        ("-a sd", "a b c d", "means"),
        ("-a gm", "d c b a", "all.gm"),
        ("-a egm-trec -a am", "a b c d", "means"),
        ("-a sd -a egm-trec", "d c b a", "all.egm-trec"),
        # epsilon makes it nearly the arithmetic mean
        ("-a egm --epsilon 9", "a b c d", "all.egm.epsilon=9"),
        ("-a hm", "d c b a", "all.hm"),
        ("-a md", "a b c d", "all.md"),
    ],
)
def test_runs_are_sorted_by_the_mean_that_is_printed_on_common_topics(run, write, options, best_first, figures):
    rows = [f"{name},{topic},{score}" for name, own in DIFFERENT_TOPICS.items() for topic, score in own.items()]
    scores = write("s.csv", ["run,topic,Nmap", *rows])
    done = run("eval", "--sort", "Nmap", "-f", "csv", *options.split(), "--scores", scores)
    assert list(dict.fromkeys(row["run"] for row in done.rows)) == best_first.split()
    assert f"the runs have different topics: sorted by {figures} on the 2 topics that all have" in done.stderr


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
        assert f"the runs have different topics: sorted by {measure} on the 1 topic that all have" in done.stderr
    done = run("eval", "--sort", "num_q", "-f", "csv", qrels, *reversed(runs))
    assert [row["run"] for row in done.rows] == ["few", "low", "mid", "best"]
    assert "sorted" not in done.stderr


def test_stored_scores_without_unjudged_documents_are_sorted_with_a_warning(run, sample, tmp_path):
    scores = tmp_path / "scores.csv"
    assert run("eval", "-q", "-f", "csv", "--signature", "-J", "-m", "map", "-o", scores, *sample[:3]).status == 0
    for form in ("table", "text", "csv"):
        done = run("eval", "-f", form, "--sort", "map", "--scores", scores)
        assert "-J leaves out the unjudged documents" in done.stderr
