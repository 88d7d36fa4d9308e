"""`stdeval compare` on real scores, against scipy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.stats

pytestmark = pytest.mark.oracle

N_SYSTEMS, N_TOPICS = 6, 30
PAIRS = [(i, j) for i in range(N_SYSTEMS) for j in range(i + 1, N_SYSTEMS)]


def scores_lines(values: np.ndarray, measure: str = "ap") -> list[str]:
    rows = [
        f"s{i},{t},{score!r}"
        for i, row in enumerate(values.tolist())
        for t, score in enumerate(row)
        if not np.isnan(score)
    ]
    return [f"run,topic,{measure}", *rows]


@pytest.fixture
def some(robust: np.ndarray, write) -> tuple[np.ndarray, Path]:
    """Six systems, every tenth, which differ."""
    values = robust[:60:10, :N_TOPICS]
    return values, write("some.csv", scores_lines(values))


def numbers(rows: list[dict[str, str]], name: str) -> list[float]:
    return [float(row[name]) for row in rows]


def test_all_pairs_against_scipy(run, some):
    values, path = some
    rows = run("compare", "--scores", path, "-f", "csv", "--ci", "0.9").rows
    assert [(row["a"], row["b"]) for row in rows] == [(f"s{i}", f"s{j}") for i, j in PAIRS]
    for row, (i, j) in zip(rows, PAIRS, strict=True):
        test, changes = scipy.stats.ttest_rel(values[i], values[j]), values[i] - values[j]
        interval = test.confidence_interval(0.9)
        assert [float(row[name]) for name in ("statistic", "p", "low", "high")] == pytest.approx(
            [test.statistic, test.pvalue, interval.low, interval.high], rel=1e-9
        )
        assert [float(row[name]) for name in ("mean_a", "mean_b", "difference", "effect_size")] == pytest.approx(
            [values[i].mean(), values[j].mean(), changes.mean(), changes.mean() / changes.std(ddof=1)]
        )
        expected = [(changes > 0).sum(), (changes == 0).sum(), (changes < 0).sum(), N_TOPICS]
        assert [int(row[name]) for name in ("wins", "ties", "losses", "n")] == expected


@pytest.mark.parametrize("drawn", ["--test permutation", "--test bootstrap", "--correction tukey"])
def test_resampling_tests_repeat_with_a_seed_and_say_it(run, some, drawn: str):
    values, path = some
    options = (*drawn.split(), "--resamples", 2000, "-f", "csv", "--baseline", "s0")
    typed = ("compare", "--scores", path, *options)
    done = run(*typed, "--seed", 3)
    assert run(*typed, "--seed", 3).raw == done.raw
    assert run(*typed, "--seed", 4).raw != done.raw
    assert {(row["resamples"], row["seed"]) for row in done.rows} == {("2000", "3")}
    plain = [scipy.stats.ttest_rel(values[i], values[0]).pvalue for i in range(1, N_SYSTEMS)]
    assert numbers(done.rows, "p") == pytest.approx(plain, abs=0.06)  # all three tests are about the mean


TUKEY = ("--correction", "tukey", "--resamples", 9)


def test_common_topics_and_how_many(run, some, write):
    values = some[0].copy()
    values[1, :5], values[2, 3:9] = np.nan, np.nan
    path = write("holes.csv", scores_lines(values[:4]))
    done = run("compare", "--scores", path, "-f", "csv", *TUKEY)
    row = next(row for row in done.rows if (row["a"], row["b"]) == ("s1", "s2"))
    assert int(row["n"]) == 30 - 9
    assert float(row["mean_a"]) == pytest.approx(values[1, 9:].mean())
    assert "2 of 4 runs" in done.stderr
    adjusted = {(row["a"], row["b"]): row["p_adjusted"] for row in done.rows}
    assert [pair for pair, p in adjusted.items() if p] == [("s0", "s3")]
    alone = run("compare", "--scores", write("two.csv", scores_lines(values[[0, 3]])), "-f", "csv", *TUKEY)
    assert adjusted["s0", "s3"] == alone.rows[0]["p_adjusted"]


@pytest.mark.parametrize("alpha", ["0.0625", "0.06249999999999999"])
def test_p_equal_to_alpha_is_significant_in_every_format(run, write, alpha: str) -> None:
    """Five wins of five by the sign test: p is 2 / 32, and .0625 counts at the level .0625, in twelve digits."""
    path = write("five.csv", scores_lines(np.array([[0.2, 0.4, 0.6, 0.8, 1.0], [0.1, 0.1, 0.3, 0.7, 0.2]])))
    typed = ("compare", "--scores", path, "--test", "sign", "--baseline", "s1", "--alpha", alpha)
    assert [row["significant"] for row in run(*typed, "-f", "csv").rows] == ["*"]
    assert run(*typed, "-f", "text").stdout.count("\t*\t") == 1
    assert "p_adjusted at most 0.0625" in run(*typed, "-f", "table").stdout
    assert run(*typed, "-f", "latex").stdout.count("dagger}") == 1
