"""`stdeval meta collections`: Webber 2008, and plain computations here."""

from __future__ import annotations

import csv

import numpy as np
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


def test_every_pair_of_three(run, scores_file):
    paths = [
        scores_file(name, seed=seed, measures=("map", "P_10"))
        for seed, name in enumerate(("a.csv", "b.csv", "c.csv"))
    ]
    done = run("meta", "collections", *paths, "-m", "P_10", "--scheme", "z", "-f", "csv")
    tables = [scipy.stats.zscore(read_scores(Input(str(path))).measure("P_10"), axis=0, ddof=1) for path in paths]
    means = dict(zip("abc", (table.mean(axis=1) for table in tables), strict=True))
    assert [row["pair"] for row in done.rows] == ["a/b", "a/c", "b/c"]
    for row in done.rows:
        a, b = (means[name] for name in row["pair"].split("/"))
        rmse = np.sqrt(np.mean((a - b) ** 2))
        assert float(row["rmse"]) == pytest.approx(rmse)
        assert float(row["drmse"]) == pytest.approx(2 * rmse / (a.std(ddof=1) + b.std(ddof=1)))
        assert float(row["tau_b"]) == pytest.approx(scipy.stats.kendalltau(a, b).statistic)


def test_each_has_its_own_factors(run, scores_file, tmp_path):
    paths = [scores_file("a.csv", seed=1), scores_file("b.csv", seed=2)]
    others = [scores_file("p.csv", n_systems=20, seed=3), scores_file("q.csv", n_systems=20, seed=4)]
    factors, standardized = [], []
    for path, other in zip(paths, others, strict=True):
        factors.append(tmp_path / f"{other.stem}.factors")
        standardized.append(tmp_path / f"{path.stem}.standardized")
        assert run("factors", "--scores", other, "-o", factors[-1]).status == 0
        options = [
            "--scores",
            path,
            "-F",
            factors[-1],
            "--scheme",
            "n",
            "-q",
            "-n",
            "-f",
            "csv",
            "-o",
            standardized[-1],
        ]
        assert run("standardize", *options).status == 0
    given = [word for path in factors for word in ("-F", path)]
    found = run("meta", "collections", *paths, *given, "--scheme", "n", "-f", "csv").rows
    expected = run("meta", "collections", *standardized, "--scheme", "raw", "-f", "csv").rows
    for name in ("rmse", "drmse", "tau_b", "r"):
        assert float(found[0][name]) == pytest.approx(float(expected[0][name]))


def test_repartition_says_where_the_real_pair_falls(run, robust_files):
    options = ["--trials", 300, "--scheme", "raw", "-f", "csv"]
    (row,) = run("meta", "collections", robust_files.of_2003, robust_files.of_2004, *options).rows
    real, mean, low, high = (float(row[name]) for name in ("drmse", "mean", "low", "high"))
    assert low < mean < high
    assert low < real < high
    assert 0 < float(row["percentile"]) < 100
    assert row["trials"] == "300"
    assert float(row["r_low"]) < float(row["r_mean"]) < float(row["r_high"])


def test_text_of_repartition_has_a_row_a_statistic(run, scores_file):
    done = run("meta", "collections", scores_file("a.csv"), scores_file("b.csv", seed=2), "--trials", 20)
    assert done.stdout.startswith("2 collections, alpha 0.025: 6 systems, 24 topics, seed 0, 20 trials\n")
    statistics = [line.split()[3] for line in done.stdout.splitlines()[-16:]]
    counts = ["first_better", "second_better", "false_positives"]
    assert statistics == ["rmse", "drmse", "tau_b", "tau_ap_b", "r", *counts] * 2


def test_percentiles_of_false_positives_are_those_of_the_total(run, robust_files, tmp_path):
    """Webber 2008, Figure 6; the sum of the percentiles of both directions would be too high."""
    trials = tmp_path / "trials.csv"
    options = ["--trials", 400, "--scheme", "raw", "-f", "csv", "--trials-out", trials]
    (row,) = run("meta", "collections", robust_files.of_2003, robust_files.of_2004, *options).rows
    with trials.open() as lines:
        rows = list(csv.DictReader(lines))
    assert [each["trial"] for each in rows] == [str(i) for i in range(1, 401)]
    assert {(each["measure"], each["scheme"], each["pair"], each["seed"]) for each in rows} == {
        ("map", "raw", "2003/2004", "0")
    }
    first, second, total = (
        np.array([int(each[name]) for each in rows])
        for name in ("first_better", "second_better", "false_positives")
    )
    np.testing.assert_array_equal(total, first + second)
    assert float(row["false_positives_high"]) == pytest.approx(np.percentile(total, 97.5))
    assert float(row["false_positives_mean"]) == pytest.approx(total.mean())
    assert float(row["false_positives_high"]) < np.percentile(first, 97.5) + np.percentile(second, 97.5) - 2
    assert row["false_positives"] == str(int(row["first_better"]) + int(row["second_better"]))
    for name in ("rmse", "drmse", "tau_b", "r"):
        values = [float(each[name]) for each in rows]
        mean = row["mean" if name == "drmse" else f"{name}_mean"]
        assert float(mean) == pytest.approx(np.mean(values))


def test_false_positives_are_scipys_two_tailed_tests(run, scores_file):
    paths = scores_file("a.csv", n_systems=20), scores_file("b.csv", n_systems=20, seed=9)
    typed = ("meta", "collections", *paths, "--scheme", "raw", "--alpha", 0.2, "-f", "csv")
    (row,) = run(*typed).rows
    a, b = (read_scores(Input(str(path))).measure("map") for path in paths)
    expected = scipy.stats.ttest_ind(a, b, axis=1, equal_var=False).pvalue <= 0.4
    assert 0 < int(row["false_positives"]) == expected.sum() < 20


def test_means_over_pairs(run, scores_file):
    """Webber 2008, Figure 7: the mean of the six values of Table 3, there 1.1."""
    paths = [scores_file(f"{name}.csv", seed=seed, measures=("map", "P_10")) for seed, name in enumerate("abcd")]
    pairs = run("meta", "collections", *paths, "-f", "csv").rows
    means = run("meta", "collections", *paths, "--mean", "-f", "csv").rows
    assert [(row["measure"], row["scheme"], row["pairs"]) for row in means] == [
        (measure, scheme, "6") for measure in ("map", "P_10") for scheme in ("raw", "N")
    ]
    for row in means:
        chosen = [each for each in pairs if (each["measure"], each["scheme"]) == (row["measure"], row["scheme"])]
        for name in ("rmse", "drmse", "tau_b", "tau_ap_b", "r", "first_better", "false_positives"):
            assert float(row[name]) == pytest.approx(np.mean([float(each[name]) for each in chosen]), rel=1e-14)
    assert "pair" not in means[0]


def test_workers_change_nothing_and_seeds_do(run, scores_file):
    options = [scores_file("a.csv"), scores_file("b.csv", seed=2), "--trials", 250, "-f", "csv"]
    alone = run("meta", "collections", *options, "-j", 1)
    assert run("meta", "collections", *options, "-j", 2).raw == alone.raw
    assert run("meta", "collections", *options, "--seed", 1).raw != alone.raw


def test_systems_of_one_collection_only_are_left_out(run, scores_file):
    done = run(
        "meta",
        "collections",
        scores_file("a.csv", n_systems=8),
        scores_file("b.csv"),
        "--scheme",
        "raw",
        "-f",
        "csv",
    )
    assert done.rows[0]["systems"] == "6"
    assert "stdeval: warning: 2 of 8 systems are not in all collections: left out\n" in done.stderr


def test_runs_that_best_leaves_out_are_no_reference_runs(run, scores_file, write):
    """Those of one collection only, too."""
    a, b = scores_file("a.csv", n_systems=9), scores_file("b.csv", seed=2, n_systems=6)
    best = run("meta", "collections", "--best", 4, "--scheme", "n", "-f", "csv", a, b)
    scores = {f"s{i}": [] for i in range(6)}
    for system, _, score, *_ in (line.split(",") for line in a.read_text().splitlines()[1:]):
        scores.get(system, []).append(float(score))
    kept = sorted(scores, key=lambda name: -np.mean(scores[name]))[:4]
    only = [
        write(path.name, [line for line in path.read_text().splitlines() if line.split(",")[0] in ("run", *kept)])
        for path in (a, b)
    ]
    expected = run("meta", "collections", "--scheme", "n", "-f", "csv", *only)
    assert best.stdout == expected.stdout


def test_bad_input_is_one_line_and_2(run, scores_file, tmp_path):
    a, stranger = scores_file("a.csv"), scores_file("b.csv", system="t")
    two = scores_file("two.csv", measures=("map", "P_10"))
    few, small = scores_file("few.csv", n_topics=3), scores_file("small.csv", n_systems=2)
    cases = {
        (a,): "expected the scores files of at least two collections",
        (a, stranger): f"{a} and {stranger} share no system: the first has 's0', the second 't0'",
        (a, two): f"{a}: no measure 'P_10', expected those of {two}, or -m",
        (two, a, "-m", "P_10"): f"{a}: no measure 'P_10' in the scores, expected one of: map",
        (a, two, "-m", "map", "-F", a): "1 factors (-F) for 2 collections, expected one for each, or none",
        (a, few): "3 topics, expected at least 4",
        (a, small): "2 systems, expected at least 3",
        (a, tmp_path / "none.csv"): "none.csv",
        (a, two, few, "-m", "map", "--mean", "--trials", 9): "expected --mean or --trials, not both",
        (
            a,
            two,
            "-m",
            "map",
            "--trials-out",
            tmp_path / "t.csv",
        ): "expected --trials N",
        (a, two, "-m", "map", "--alpha", "2"): "Invalid value for '--alpha'",
    }
    for arguments, message in cases.items():
        done = run("meta", "collections", *arguments, "--scheme", "raw")
        lines = [line for line in done.stderr.splitlines() if not line.startswith("stdeval: warning: ")]
        assert (done.status, done.raw, len(lines)) == (2, b"", 1)
        assert message in lines[0]


@pytest.mark.parametrize("options", [[], ["--trials", 9]])
def test_the_level_of_the_tests_is_told(run, scores_file, tmp_path, options):
    """The numbers of false positives of two levels were drawn in one picture as if they were of one."""
    paths = scores_file("a.csv"), scores_file("b.csv", seed=2)
    trials = tmp_path / "trials.csv"
    more = ["--trials-out", trials] if options else []
    typed = ("meta", "collections", *paths, *options)
    assert run(*typed, "--alpha", 0.2).stdout.startswith("2 collections, alpha 0.2: 6 systems")
    files = {}
    for level, scheme in ((0.025, "raw"), (0.2, "n")):
        files[level] = tmp_path / f"{level}.csv"
        csv_of = (*typed, *more, "--scheme", scheme, "--alpha", level, "-f", "csv")
        assert {row["alpha"] for row in run(*csv_of).rows} == {str(level)}
        files[level].write_text(run(*csv_of).stdout)
        if options:
            assert {row["alpha"] for row in csv.DictReader(trials.read_text().splitlines())} == {str(level)}
    drawn = ("plot", "drmse", *files.values(), "-o", tmp_path / "x.svg")
    assert run(*drawn).status == 0
    done = run(*drawn, "--value", "false_positives")
    assert (done.status, "alpha 0.2, and 0.025 above, expected the same" in done.stderr) == (2, True)
    named = [f"of_{level}={path}" for level, path in files.items()]
    assert run("plot", "drmse", *named, "--value", "false_positives", "-o", tmp_path / "x.svg").status == 0


def test_repartitions_without_a_correlation_are_left_out_and_counted(run, write, tmp_path):
    """All means are equal on one side, if the only topics that differ fall on the other."""
    fails = {"a": {0: {0}, 1: {1}}, "b": {0: {0}}}
    paths = [
        write(
            f"{name}.csv",
            [
                "run,topic,success_10",
                *(f"r{r:02d},{name}{t},{int(t not in lost.get(r, ()))}" for r in range(12) for t in range(12)),
            ],
        )
        for name, lost in fails.items()
    ]
    trials = tmp_path / "trials.csv"
    done = run(
        "meta", "collections", *paths, "--scheme", "raw", "--trials", 200, "-f", "csv", "--trials-out", trials
    )
    with trials.open() as lines:
        found = [row["tau_b"] for row in csv.DictReader(lines)]
    known = np.array([float(value) for value in found if value])
    (row,) = done.rows
    assert 2 < len(known) < 200
    assert float(row["tau_b_mean"]) == pytest.approx(known.mean())
    assert float(row["tau_b_low"]) == pytest.approx(np.percentile(known, 2.5))
    real = float(row["tau_b"])
    below = np.mean(known < real - 1e-9) + np.mean(np.abs(known - real) < 1e-9) / 2
    assert float(row["tau_b_percentile"]) == pytest.approx(100 * below)
    assert f"{200 - len(known)} of 200 coefficients" in done.stderr
