"""`stdeval meta split` against scipy on splits made here."""

from __future__ import annotations

import csv

import numpy as np
import pytest
import scipy.stats

from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores

LABELS = ("how", "measure", "scheme", "aggregate", "epsilon")


@pytest.fixture
def rows_of():
    def rows(path):
        with path.open() as lines:
            return list(csv.DictReader(lines))

    return rows


def test_halves_by_difficulty_correlate_as_scipys(run, scores_file):
    path = scores_file(n_systems=9)
    scores = read_scores(Input(str(path))).measure("map")
    difficulty = (scores.max(axis=0) - scores.mean(axis=0)) / scores.std(axis=0, ddof=1)
    order = np.argsort(-difficulty)
    parts = {"hard-easy": order[:6], "middle-rest": order[3:9]}
    done = run("meta", "split", "--scores", path, "--split", "hard-easy", "--split", "middle-rest", "-f", "csv")
    for row in done.rows:
        first = parts[row["how"]]
        second = np.setdiff1d(order, first)
        means = scores[:, first].mean(axis=1), scores[:, second].mean(axis=1)
        assert float(row["tau"]) == pytest.approx(scipy.stats.kendalltau(*means).statistic)
        assert float(row["r"]) == pytest.approx(scipy.stats.pearsonr(*means).statistic)
        assert (row["splits"], row["sd"], row["se"]) == ("1", "", "")
    assert [row["how"] for row in done.rows] == ["hard-easy", "middle-rest"]


def test_moments_percentiles_and_p_are_those_of_the_trials(run, scores_file, tmp_path, rows_of):
    path, trials, pairs = scores_file(n_systems=9), tmp_path / "trials.csv", tmp_path / "pairs.csv"
    methods = ["-a", "am", "-a", "egm", "-a", "md", "--epsilon", 0.01, "--epsilon", 0.1]
    files = ["--trials-out", trials, "--pairs-out", pairs]
    found = run("meta", "split", "--scores", path, *methods, *files, "--trials", 150, "-f", "csv").rows
    assert [(row["aggregate"], row["epsilon"]) for row in found] == [
        ("am", ""),
        ("egm", "0.01"),
        ("egm", "0.1"),
        ("md", ""),
    ]
    tau = {}
    for row in rows_of(trials):
        tau.setdefault(tuple(row[name] for name in LABELS), []).append(float(row["tau"]))
    first = tau[tuple(found[0][name] for name in LABELS)]
    for row in found:
        values = tau[tuple(row[name] for name in LABELS)]
        assert len(values) == 150
        assert float(row["tau"]) == pytest.approx(np.mean(values))
        assert float(row["sd"]) == pytest.approx(np.std(values, ddof=1))
        low, high = np.percentile(values, [2.5, 97.5])
        assert (float(row["p2.5"]), float(row["p97.5"])) == pytest.approx((low, high))
        if row is not found[0]:
            assert float(row["se"]) == pytest.approx(scipy.stats.sem(np.subtract(first, values)))
    (last,) = (row for row in rows_of(pairs) if (row["epsilon"], row["aggregate_b"]) == ("0.1", "md"))
    a, b = tau["random", "map", "raw", "egm", "0.1"], tau["random", "map", "raw", "md", ""]
    assert float(last["difference"]) == pytest.approx(np.mean(a) - np.mean(b))
    assert float(last["se"]) == pytest.approx(scipy.stats.sem(np.subtract(a, b)))
    assert len(rows_of(pairs)) == 4 * 3 / 2


def test_workers_change_nothing_and_seeds_do(run, scores_file):
    options = ["--scores", scores_file(n_systems=9), "-a", "am", "-a", "ehm", "--trials", 250, "-f", "csv"]
    alone = run("meta", "split", *options, "-j", 1)
    assert run("meta", "split", *options, "-j", 2).raw == alone.raw
    assert run("meta", "split", *options, "--seed", 1).raw != alone.raw


def test_topics_without_difficulty_are_not_split(run, write, scores_file):
    header, *lines = scores_file(n_systems=10).read_text().splitlines()
    constant = [f"s{i},99,0.25" for i in range(10)]
    scores = write("c.csv", [header, *lines, *constant])
    done = run("meta", "split", "--split", "hard-easy", "-f", "csv", "--scores", scores)
    without = run("meta", "split", "--split", "hard-easy", "-f", "csv", "--scores", scores_file(n_systems=10))
    assert done.rows[0]["tau"] == without.rows[0]["tau"]
    assert "1 of 13 topics left out" in done.stderr


def test_splits_without_a_harmonic_mean_are_not_counted(run, write, scores_file):
    header, *lines = scores_file(n_systems=9).read_text().splitlines()
    zero = [line if not line.startswith("s0,3,") else "s0,3,0" for line in lines]
    found = run(
        "meta", "split", "-a", "hm", "--trials", 20, "-f", "csv", "--scores", write("z.csv", [header, *zero])
    )
    # every split has the topic in one of its halves, where a system has no harmonic mean
    assert (found.rows[0]["splits"], found.rows[0]["tau"]) == ("0", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--epsilon", "0"], "Invalid value for '--epsilon': '0', expected a number above 0"),
        (["--epsilon", "nan"], "Invalid value for '--epsilon': 'nan', expected a number above 0"),
        (["-a", "mean"], "Invalid value for '-a' / '--aggregate'"),
        (["--split", "odd-even"], "Invalid value for '--split'"),
        (["-a", "gm", "--scheme", "z"], "no geometric mean of scores below 0"),
    ],
)
def test_wrong_options_are_one_line_and_2(run, scores_file, options, message):
    done = run("meta", "split", "--trials", 20, *options, "--scores", scores_file(n_systems=12))
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
    assert message in done.stderr


def test_splits_without_a_correlation(run, write):
    """One of three systems scores 0 on topic 1, so its harmonic mean is undefined on the half with that topic."""
    lines = [
        f"{name},{t},{0 if (name, t) == ('a', 1) else (q + t) / 20}"
        for q, name in enumerate("abc")
        for t in range(1, 9)
    ]
    done = run("meta", "split", "-a", "hm", "--trials", 20, "--scores", write("s.csv", ["run,topic,map", *lines]))
    assert "20 of 20 coefficients" in done.stderr


def test_a_split_by_difficulty_draws_nothing(run, sample):
    """There is one split, so there are neither a seed nor trials to name."""
    one = run("meta", "split", "-m", "map", "--split", "hard-easy", "-f", "csv", *sample[:12])
    both = run(
        "meta",
        "split",
        "-m",
        "map",
        "--split",
        "hard-easy",
        "--split",
        "random",
        "--trials",
        9,
        "-f",
        "csv",
        *sample[:12],
    )
    assert {"seed", "trials"}.isdisjoint(one.rows[0])
    assert [(row["seed"], row["trials"]) for row in both.rows] == [("0", "9")] * 2
    assert (
        "trial"
        not in run("meta", "split", "-m", "map", "--split", "hard-easy", *sample[:12]).stdout.splitlines()[0]
    )
