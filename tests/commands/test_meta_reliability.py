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


def test_the_reliability_of_one_topic(run, scores_file):
    """With one topic, E rho^2 is the share of systems in the variance of systems and interaction."""
    rows = run("meta", "reliability", "--scores", scores_file(), "--topics", 1, "-f", "csv").rows
    cells = {row["quantity"]: float(row["value"]) for row in rows}
    systems, interaction = cells["variance_systems"], cells["variance_interaction"]
    assert math.isclose(cells["erho2"], systems / (systems + interaction))
