"""Scores files of the same runs, joined by column: `--scores deep=d100.csv --scores shallow=d5.csv`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.stats

DEEP = ["run,topic,map,P_10", *(f"s{i},{t},0.{i}{t}07,0.{9 - i}" for i in range(5) for t in range(1, 7))]
SHALLOW = ["run,topic,map,P_10", *(f"s{i},{t},0.{(2 * i) % 5}{7 - t}03,0.3" for i in range(5) for t in range(1, 7))]


@pytest.fixture
def named(write) -> list[str]:
    """Two files of five runs on six topics, as options."""
    return [f"--scores=deep={write('d100.csv', DEEP)}", f"--scores=shallow={write('d5.csv', SHALLOW)}"]


def means(lines: list[str], column: int) -> list[float]:
    rows = [line.split(",") for line in lines[1:]]
    return [float(np.mean([float(row[column]) for row in rows if row[0] == f"s{i}"])) for i in range(5)]


def test_each_measure_is_a_column_of_its_file(run, named):
    rows = run("eval", *named, "-q", "-f", "csv", "-n").rows
    assert list(rows[0]) == ["run", "topic", "deep:map", "deep:P_10", "shallow:map", "shallow:P_10"]
    assert [rows[8][name] for name in rows[0]] == ["s1", "3", "0.1307", "0.8", "0.2403", "0.3"]
    assert len(rows) == 30


def test_means_of_two_depths_correlate_as_scipys(run, named):
    """Webber 2010, Table 2: the same measure at two depths."""
    (row,) = run("meta", "rank", *named, "-m", "map", "-f", "csv").rows
    assert (row["measure_a"], row["measure_b"]) == ("deep:map", "shallow:map")
    x, y = means(DEEP, 2), means(SHALLOW, 2)
    assert float(row["tau_b"]) == pytest.approx(scipy.stats.kendalltau(np.round(x, 9), np.round(y, 9)).statistic)
    assert float(row["r"]) == pytest.approx(scipy.stats.pearsonr(x, y).statistic)


def test_factors_of_each_column_standardize_it(run, named, tmp_path: Path):
    factors = tmp_path / "factors.csv"
    assert run("factors", *named, "-m", "map", "-o", factors).status == 0
    given, own = (
        run("standardize", *named, "-m", "map", "-q", "-f", "csv", *more) for more in (["-F", factors], [])
    )
    assert given.status == 0
    assert list(given.rows[0])[2:] == ["deep:Nmap", "shallow:Nmap"]
    assert given.stdout == own.stdout
