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
