"""`stdeval meta plan`: plans from runs and from a standard deviation, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.power import FTestAnovaPower, TTestPower

from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores
from stdeval.meta.plan import error_spreads, paired_spreads

CONSTANTS = {"test", "planned_systems", "alpha"}
"""The columns that are the same in all rows of a CSV."""


def test_a_plan_from_a_standard_deviation(run):
    rows = run(
        "meta", "plan", "--sd", 0.12, "--difference", 0.02, "--topics", 50, "--width", 0.05, "-f", "csv"
    ).rows
    by = {row["given"]: row for row in rows}
    assert list(by) == ["difference", "width", "n"]
    needed = math.ceil(TTestPower().solve_power(0.02 / 0.12, alpha=0.05, power=0.8))
    assert by["difference"]["n"] == str(needed)
    assert float(by["difference"]["power"]) == pytest.approx(
        TTestPower().power(0.02 / 0.12, needed, 0.05), abs=1e-6
    )
    effect = TTestPower().solve_power(nobs=50, alpha=0.05, power=0.8)
    assert float(by["n"]["difference"]) == pytest.approx(0.12 * effect, rel=1e-5)
    assert float(by["width"]["width"]) <= 0.05
    assert set(by["n"]) == {"spread", "sd", "given", "value", "n", "difference", "power", "width", *CONSTANTS}


def test_alpha_and_power(run):
    (row,) = run(
        *("meta", "plan", "--sd", 1, "--difference", 0.5, "--alpha", 0.01, "--power", 0.95, "-f", "csv")
    ).rows
    assert row["n"] == str(math.ceil(TTestPower().solve_power(0.5, alpha=0.01, power=0.95)))


def test_alpha_is_a_column_of_csv_and_a_word_above_tables(run):
    typed = ("meta", "plan", "--sd", 1, "--topics", 50, "--alpha", 0.01)
    assert [row["alpha"] for row in run(*typed, "-f", "csv").rows] == ["0.01"]
    first, _, header, *_ = run(*typed).stdout.splitlines()
    assert "alpha 0.01" in first and "alpha" not in header


def test_a_picture_does_not_mix_plans_of_different_alpha(run, tmp_path):
    paths = []
    for alpha, n in ((0.05, 50), (0.01, 100)):
        paths.append(tmp_path / f"{alpha}.csv")
        typed = ("meta", "plan", "--sd", 1, "--topics", n, "--alpha", alpha)
        assert run(*typed, "-f", "csv", "-o", paths[-1]).status == 0
    done = run("plot", "plan", *paths, "-o", tmp_path / "plan.svg")
    assert done.status == 2
    assert "alpha 0.01, and 0.05 above, expected the same, or NAME=FILE" in done.stderr


def test_the_test_is_a_column_of_csv(run, tmp_path):
    """Without these columns, a plan of ten systems joined to one of two looks like a plan of the same kind."""
    typed = ("meta", "plan", "--sd", 1, "-f", "csv")
    planned = [
        ((row["test"], row["planned_systems"]), row["difference"])
        for options in ([], ["--systems", 2], ["--systems", 10])
        for row in run(*typed, "--topics", 50, *options).rows
    ]
    assert [kind for kind, _ in planned] == [("t", "2"), ("anova", "2"), ("anova", "10")]
    assert len({difference for _, difference in planned}) == 3


@pytest.mark.parametrize(
    ("second", "told"),
    [("anova,2", "test anova, and t above"), ("t,10", "planned_systems 10, and 2 above")],
)
def test_a_picture_does_not_mix_plans_of_different_tests(run, write, tmp_path, second: str, told: str):
    header = "spread,sd,n,difference,power,test,planned_systems,alpha"
    rows = [f"given,1,{n},0.4,0.8,{of_test},0.05" for n, of_test in ((50, "t,2"), (100, second))]
    done = run("plot", "plan", write("plans.csv", [header, *rows]), "-o", tmp_path / "plan.svg")
    assert (done.status, told in done.stderr) == (2, True)


def test_a_picture_of_plans_without_the_test(run, write, tmp_path):
    """Files that older versions wrote."""
    old = write("old.csv", ["spread,sd,n,difference,power,width,alpha", "given,1,50,0.4,0.8,0.56,0.05"])
    done = run("plot", "plan", old, "-o", tmp_path / "plan.svg")
    assert (done.status, done.stderr) == (0, "")


def test_an_analysis_of_variance(run):
    (row,) = run("meta", "plan", "--sd", 0.12, "--difference", 0.05, "--systems", 10, "-f", "csv").rows
    f = 0.05 / 0.12 / math.sqrt(2 * 10)
    assert row["n"] == str(math.ceil(FTestAnovaPower().solve_power(f, alpha=0.05, power=0.8, k_groups=10) / 10))
    assert "width" not in row


def test_plans_from_runs(run, scores_file):
    path = scores_file(n_systems=12, measures=("map", "P_10"))
    done = run("meta", "plan", "--scores", path, "--scheme", "raw", "--scheme", "z", "-f", "csv")
    raw = read_scores(Input(str(path)))
    z = {name: (raw.measure(name) - raw.measure(name).mean(axis=0)) for name in raw.measures}
    z = {name: scores / raw.measure(name).std(axis=0, ddof=1) for name, scores in z.items()}
    assert len(done.rows) == 2 * 2 * 3
    assert done.stderr == ""
    for row in done.rows:
        scores = (raw.measure(row["measure"]), z[row["measure"]])[row["scheme"] == "Z"]
        assert (row["given"], row["n"], row["topics"], row["systems"]) == ("n", "12", "12", "12")
        assert float(row["sd"]) == pytest.approx(paired_spreads(scores)[row["spread"]])
        effect = TTestPower().solve_power(nobs=12, alpha=0.05, power=0.8)
        assert float(row["difference"]) == pytest.approx(float(row["sd"]) * effect, rel=1e-5)
        means = scores.mean(axis=1)
        apart = np.abs(means[:, np.newaxis] - means)[np.triu_indices(12, 1)] >= float(row["difference"])
        assert float(row["pairs"]) == pytest.approx(np.mean(apart))


def test_an_analysis_of_variance_from_runs(run, scores_file):
    path = scores_file(n_systems=8)
    rows = run("meta", "plan", "--scores", path, "--difference", 0.2, "--systems", 4, "-f", "csv").rows
    spreads = error_spreads(read_scores(Input(str(path))).measure("map"))
    by = {row["spread"]: row for row in rows}
    assert {name: float(row["sd"]) for name, row in by.items()} == pytest.approx(spreads)
    f = 0.2 / spreads["within"] / math.sqrt(2 * 4)
    expected = FTestAnovaPower().solve_power(f, alpha=0.05, power=0.8, k_groups=4) / 4
    assert by["within"]["n"] == str(math.ceil(expected))


def test_text_names_the_test(run):
    done = run("meta", "plan", "--sd", 0.12, "--topics", 50)
    assert done.stdout.splitlines() == [
        "paired t test, two-sided, alpha 0.05, power 0.8",
        "",
        "spread    sd  given  value   n  difference   power    width",
        "given   0.12      n     50  50      0.0485  0.8000  0.06786",
    ]
    done = run("meta", "plan", "--sd", 0.12, "--topics", 50, "--systems", 3)
    assert done.stdout.startswith("analysis of variance of 3 systems, alpha 0.05, power 0.8\n")


def test_plans_that_do_not_exist(run, write):
    done = run("meta", "plan", "--sd", 0.12, "--difference", 1e-9, "--width", 1e-9, "-f", "csv")
    assert [row["n"] for row in done.rows] == ["inf", "inf"]
    done = run("meta", "plan", "--sd", 0.12, "--topics", 2, "--alpha", 1e-14, "-f", "csv")
    assert (done.rows[0]["difference"], done.rows[0]["power"]) == ("", "")
    # runs that differ by a constant
    lines = [f"s{i},t{j},{(i + j) / 21}" for i in range(10) for j in range(5)]
    done = run("meta", "plan", "--scores", write("flat.csv", ["run,topic,map", *lines]), "-f", "csv")
    assert [row["n"] for row in done.rows] == ["", "", ""]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sd", "0.1"], "expected --difference, --topics or --width beside --sd"),
        (["--sd", "0.1", "--topics", "9", "--scores", "pyproject.toml"], "expected --sd or QRELS RUN..., not both"),
        (["--sd", "0"], "'0', expected a number above 0"),
        (["--sd", "0.1", "--difference", "-1"], "'-1', expected a number above 0"),
        (["--sd", "0.1", "--topics", "1"], "'1', expected a whole number from 2"),
        (["--sd", "0.1", "--topics", "9", "--systems", "1"], "'1', expected a whole number from 2"),
        (["--sd", "0.1", "--width", "1", "--systems", "3"], "--width is that of the difference between two runs"),
        (
            ["--sd", "0.1", "--topics", "9", "--power", "0.05"],
            "--power 0.05: expected more than the 0.05",
        ),
        (["--topics", "9"], "expected QRELS and at least one RUN, or --scores FILE"),
    ],
)
def test_wrong_options_are_refused(run, options, message):
    done = run("meta", "plan", *options)
    assert (done.status, done.raw) == (2, b"")
    (line,) = done.stderr.splitlines()
    assert message in line


def test_a_difference_that_no_scores_have_is_refused(run, scores_file):
    plan = ["meta", "plan", "--scores", scores_file(), "--difference", "0.5", "--difference", "1"]
    done = run(*plan, "--scheme", "raw", "--scheme", "z", "--scheme", "n")
    assert (done.status, done.stdout) == (2, "")
    assert "--difference 1: scores by map raw, map N are in [0, 1], expected a difference below 1" in done.stderr
    assert run(*plan, "--scheme", "u").status == 2
    assert run(*plan, "--scheme", "z").status == 0
    assert run(*plan, "--scheme", "u", "--no-censor").status == 0


def test_an_interval_as_wide_as_all_differences_is_refused(run, scores_file):
    plan = ["meta", "plan", "--scores", scores_file(), "--width", "1.5"]
    assert run(*plan).status == 0
    assert run(*plan, "--width", "2", "--scheme", "z").status == 0
    done = run(*plan, "--width", "2", "--scheme", "raw")
    assert (done.status, done.stdout) == (2, "")
    found = "--width 2: differences between scores by map raw are in [-1, 1], expected a width below 2"
    assert found in done.stderr
