"""`stdeval meta collections`: Webber 2008, and plain computations here."""

from __future__ import annotations

import pytest
import scipy.stats

from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores


def test_ap_of_2003_against_2004_topics(run, robust_files):
    # Webber 2008, Tables 3 and 4, and Section 4
    done = run("meta", "collections", robust_files.of_2003, robust_files.of_2004, "--scheme", "raw", "-f", "csv")
    (row,) = done.rows
    assert float(row["drmse"]) == pytest.approx(0.583, abs=0.0005)
    assert float(row["tau_b"]) == pytest.approx(0.742, abs=0.0005)
    assert float(row["r"]) == pytest.approx(0.943, abs=0.0005)
    assert (row["first_better"], row["second_better"]) == ("2", "0")
    assert (row["pair"], row["topics_first"], row["topics_second"]) == ("2003/2004", "50", "49")
    assert (row["systems"], row["topics"], "trials" in row) == ("110", "99", False)


def test_standardization_lowers_drmse(run, robust_files):
    # Webber 2008, Table 3: less than raw for every measure
    done = run("meta", "collections", robust_files.of_2003, robust_files.of_2004, "-f", "csv")
    raw, normal = (float(row["drmse"]) for row in done.rows)
    assert [row["scheme"] for row in done.rows] == ["raw", "N"]
    assert normal < 0.75 * raw


def test_repartition_says_where_the_real_pair_falls(run, robust_files):
    options = ["--trials", 300, "--scheme", "raw", "-f", "csv"]
    (row,) = run("meta", "collections", robust_files.of_2003, robust_files.of_2004, *options).rows
    real, mean, low, high = (float(row[name]) for name in ("drmse", "mean", "low", "high"))
    assert low < mean < high
    assert low < real < high
    assert 0 < float(row["percentile"]) < 100
    assert row["trials"] == "300"
    assert float(row["r_low"]) < float(row["r_mean"]) < float(row["r_high"])


def test_false_positives_are_scipys_two_tailed_tests(run, scores_file):
    paths = scores_file("a.csv", n_systems=20), scores_file("b.csv", n_systems=20, seed=9)
    typed = ("meta", "collections", *paths, "--scheme", "raw", "--alpha", 0.2, "-f", "csv")
    (row,) = run(*typed).rows
    a, b = (read_scores(Input(str(path))).measure("map") for path in paths)
    expected = scipy.stats.ttest_ind(a, b, axis=1, equal_var=False).pvalue <= 0.4
    assert 0 < int(row["false_positives"]) == expected.sum() < 20


def test_workers_change_nothing_and_seeds_do(run, scores_file):
    options = [scores_file("a.csv"), scores_file("b.csv", seed=2), "--trials", 250, "-f", "csv"]
    alone = run("meta", "collections", *options, "-j", 1)
    assert run("meta", "collections", *options, "-j", 2).raw == alone.raw
    assert run("meta", "collections", *options, "--seed", 1).raw != alone.raw
