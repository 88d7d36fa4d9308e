"""`stdeval meta references`: what must hold, and scipy on whole reference sets."""

from __future__ import annotations

import pytest
import scipy.stats

from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores


def scores_of(path):
    return read_scores(Input(str(path))).measure("map")


def normal_means(scores, reference):
    z = (scores - reference.mean(axis=0)) / reference.std(axis=0, ddof=1)
    return scipy.stats.norm.cdf(z).mean(axis=1)


def test_the_more_references_the_closer(run, robust_files):
    # Webber 2008, Figure 4, has the median of samples of 10 above 0.95; all references give the ranking itself
    sizes = [word for size in (5, 10, 40, 110) for word in ("--references", size)]
    rows = run("meta", "references", "--scores", robust_files.of_2003, *sizes, "--trials", 60, "-f", "csv").rows
    medians = [float(row["median"]) for row in rows]
    assert medians == sorted(medians)
    assert medians[1] > 0.95
    assert [float(rows[-1][name]) for name in ("median", "p5", "p1")] == [1.0, 1.0, 1.0]
    assert all(float(row["p1"]) <= float(row["p5"]) <= float(row["median"]) for row in rows)
    assert [(row["size"], row["references"], row["trials"]) for row in rows] == [
        (size, "110", "60") for size in ("5", "10", "40", "110")
    ]


def test_raw_ranking_is_compared_too(run, scores_file):
    path = scores_file(n_systems=15)
    (row,) = run("meta", "references", "--scores", path, "--references", 5, "--trials", 20, "-f", "csv").rows
    scores = scores_of(path)
    expected = scipy.stats.kendalltau(normal_means(scores, scores), scores.mean(axis=1)).statistic
    assert float(row["tau_raw"]) == pytest.approx(expected)


def test_two_collections_by_raw_scores(run, robust_files):
    """Webber 2008, Figure 4: 0.742 between the 2003 and the 2004 topics."""
    typed = ("meta", "references", "--scores", robust_files.of_2003, "--collection", robust_files.of_2004)
    rows = run(*typed, "--references", 5, "--references", 10, "--trials", 20, "-f", "csv").rows
    assert [f"{float(row['tau_collection']):.3f}" for row in rows] == ["0.742", "0.742"]
    without = run(*typed[:4], "--references", 5, "--references", 10, "--trials", 20, "-f", "csv").rows
    assert [{**row, "tau_collection": None} for row in rows] == [
        {**row, "tau_collection": None, "collection_systems": "110"} for row in without
    ]


def test_other_references_for_other_systems(run, scores_file):
    reference, other = scores_file("a.csv", n_systems=12, seed=1), scores_file("b.csv", n_systems=14, seed=2)
    ranked = scores_file("c.csv", n_systems=9, seed=3)
    options = ["--scores", reference, "--evaluate", ranked, "--other", other, "-f", "csv"]
    (row,) = run("meta", "references", *options).rows
    means = [normal_means(scores_of(ranked), scores_of(path)) for path in (reference, other)]
    assert float(row["tau_b"]) == pytest.approx(scipy.stats.kendalltau(*means).statistic)
    assert float(row["r"]) == pytest.approx(scipy.stats.pearsonr(*means).statistic)
    assert [row[name] for name in ("systems", "references", "other_references")] == ["9", "12", "14"]
    assert "trials" not in row


def test_workers_change_nothing_and_seeds_do(run, scores_file):
    sizes = ["--references", 5, "--references", 10]
    options = ["--scores", scores_file(n_systems=20), *sizes, "--trials", 120, "-f", "csv"]
    alone = run("meta", "references", *options, "-j", 1)
    assert run("meta", "references", *options, "-j", 2).raw == alone.raw
    assert run("meta", "references", *options, "--seed", 1).raw != alone.raw
