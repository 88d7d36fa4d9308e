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
