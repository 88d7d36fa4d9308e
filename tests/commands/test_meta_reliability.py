"""`stdeval meta reliability` on the published matrix, and what it says where there is no variance."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def adhoc3(run: Callable, shared: Path, tmp_path: Path) -> Path:
    """The published matrix without the worst quarter of its systems, as a scores file."""
    with (shared / "gt4ireval" / "adhoc3.csv").open(encoding="utf-8", newline="") as source:
        rows = list(csv.reader(source))
    means = np.array([row[1:] for row in rows[1:]], dtype=float).mean(axis=0)
    kept = [0, *(1 + np.flatnonzero(means >= np.quantile(means, 0.25)))]
    matrix, scores = tmp_path / "matrix.csv", tmp_path / "adhoc3.csv"
    with matrix.open("w", encoding="utf-8", newline="") as target:
        csv.writer(target).writerows([row[place] for place in kept] for row in rows)
    assert run("convert", "--to", "scores", "-m", "map", matrix, "-o", scores).status == 0
    return scores


def test_published_numbers(run, adhoc3):
    """The numbers are those of the README beside the data."""
    options = ["--topics", 50, "--topics", 100, "--target", 0.95, "--target", 0.97]
    done = run("meta", "reliability", "--scores", adhoc3, *options)
    title, _, _, *components = done.stdout.splitlines()[:6]
    assert title == "reliability, 95% intervals: 30 systems, 50 topics"
    assert [line.split()[2:] for line in components] == [
        ["systems", "29", "0.15074", "0.0028117", "0.0685"],
        ["topics", "49", "0.85296", "0.028093", "0.6842"],
        ["interaction", "1421", "0.010152", "0.010152", "0.2473"],
    ]
    rows = run("meta", "reliability", "--scores", adhoc3, "-f", "csv", *options).rows
    found = {
        (row["quantity"], row["at"]): [f"{float(row[name]):.5g}" for name in ("value", "low", "high")]
        for row in rows
        if row["at"]
    }
    assert found["erho2", "50"] == ["0.93265", "0.89311", "0.96287"]
    assert found["phi", "100"] == ["0.88026", "0.79621", "0.93639"]
    assert found["topics_erho2", "0.95"] == ["69", "37", "114"]
    assert found["topics_phi", "0.95"] == ["259", "130", "487"]
    assert found["topics_erho2", "0.97"][0] == "117"
    assert float(found["tau", "50"][0]) == pytest.approx(0.93265**2.84729794002905, abs=1e-4)
    assert {(row["systems"], row["topics"]) for row in rows} == {("30", "50")}


def test_the_confidence_of_the_intervals(run, adhoc3):
    rows = run("meta", "reliability", "--scores", adhoc3, "-f", "csv", "--ci", 0.99).rows
    (erho2,) = (row for row in rows if row["quantity"] == "erho2")
    assert (f"{float(erho2['low']):.5f}", f"{float(erho2['high']):.5f}") == ("0.87737", "0.96967")


def test_standardized_scores_have_no_phi(run, scores_file):
    path = scores_file(n_systems=12)
    done = run("meta", "reliability", "--scores", path, "--scheme", "raw", "--scheme", "z", "-f", "csv")
    cells = {(row["scheme"], row["quantity"]): row["value"] for row in done.rows}
    assert cells["raw", "phi"] and not cells["Z", "phi"] and cells["Z", "erho2"]
    assert cells["raw", "sensitivity"] and not cells["Z", "sensitivity"]
    # Z leaves topics no variance at all, so the estimate is negative whatever the scores are
    assert float(cells["Z", "mean_square_topics"]) == 0
    assert "topics (map Z)" in done.stderr


def test_systems_that_do_not_differ(run, write):
    scores = [[1, 9, 1, 9], [9, 1, 9, 1], [1, 9, 9, 1]]
    lines = [f"s{i},t{j},0.{score}" for i, row in enumerate(scores) for j, score in enumerate(row)]
    done = run("meta", "reliability", "--scores", write("flat.csv", ["run,topic,map", *lines]), "-f", "csv")
    cells = {row["quantity"]: row["value"] for row in done.rows}
    assert (cells["erho2"], cells["topics_erho2"]) == ("0.0", "inf")
    assert "systems (map raw), topics (map raw)" in done.stderr


def test_incomplete_topics_are_left_out_and_counted(run, write, scores_file):
    lines = scores_file().read_text().splitlines()
    gaps = write("gaps.csv", [line for line in lines if not line.startswith("s2,3,")])
    whole = write("whole.csv", [line for line in lines if line.split(",")[1] != "3"])
    done = run("meta", "reliability", "--scores", gaps)
    assert "1 of 12 topics left out" in done.stderr
    assert done.stdout == run("meta", "reliability", "--scores", whole).stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--topics", "0"], "'0', expected a whole number from 1"),
        (["--target", "1"], "'1', expected a number above 0 and below 1"),
        (["--ci", "95"], "'95', expected a number from 0.5 and below 1"),
    ],
)
def test_wrong_options_are_refused(run, scores_file, options, message):
    done = run("meta", "reliability", "--scores", scores_file(), *options)
    assert (done.status, done.raw) == (2, b"")
    assert message in done.stderr


def test_the_reliability_of_one_topic(run, scores_file):
    """With one topic, E rho^2 is the share of systems in the variance of systems and interaction."""
    rows = run("meta", "reliability", "--scores", scores_file(), "--topics", 1, "-f", "csv").rows
    cells = {row["quantity"]: float(row["value"]) for row in rows}
    systems, interaction = cells["variance_systems"], cells["variance_interaction"]
    assert math.isclose(cells["erho2"], systems / (systems + interaction))


def test_stored_standardized_scores_have_no_phi(run, scores_file):
    stored = run("standardize", "--scores", scores_file(), "-q", "-f", "csv").stdout
    rows = run("meta", "reliability", "--scores", "-", "-f", "csv", stdin=stored.encode()).rows
    values = {row["quantity"]: row["value"] for row in rows}
    assert values["erho2"] != "" and values["phi"] == values["topics_phi"] == ""
