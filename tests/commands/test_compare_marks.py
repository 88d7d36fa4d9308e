"""Marks of `compare -f latex`: differences are tested on the topics of the means that the table shows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

N_COMMON, N_TOPICS = 20, 40


@pytest.fixture
def scores(write):
    """Of four runs, two have all topics; only where the others have none is the second of them better."""
    rng = np.random.default_rng(3)
    values = 0.4 + 0.2 * rng.random((4, N_TOPICS))
    values[1, :N_COMMON] = values[0, :N_COMMON] + 0.01 * (-1) ** np.arange(N_COMMON)
    values[1, N_COMMON:] += 0.3
    values[2:, :] -= 0.3
    values[2:, N_COMMON:] = np.nan
    lines = [f"s{i},{t},{x!r}" for i, row in enumerate(values.tolist()) for t, x in enumerate(row) if x > 0]
    return values, write("scores.csv", ["run,topic,map", *lines])


def latex_rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if " & " in line]


def test_daggers_are_of_tests_on_the_topics_of_the_means(run, scores):
    values, path = scores
    done = run("compare", "--scores", path, "-f", "latex", "--baseline", "s0")
    common = values[:, :N_COMMON]
    differ = [scipy.stats.ttest_rel(common[i], common[0]).pvalue < 0.05 for i in (1, 2, 3)]
    assert [r"\dagger" in row for row in latex_rows(done.stdout)[2:]] == differ == [False, True, True]
    assert scipy.stats.ttest_rel(values[1], values[0]).pvalue < 0.001


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "bh"])
def test_corrections_count_the_same_pairs_in_every_format(run, write, correction: str):
    """Three runs have all topics, and two do not; all four count for the correction."""
    rng = np.random.default_rng(4)
    base = rng.random(20) / 4
    better = base + 0.1 * rng.standard_normal(20) + 0.066
    values = {"a": base, "b": better, "c": base + 0.001 * (-1) ** np.arange(20)}
    values |= {"d": base[:12] + 0.01 * rng.standard_normal(12), "e": base[:12] + 0.01 * rng.standard_normal(12)}
    rows = [f"{name},{t},{float(x)!r}" for name, own in values.items() for t, x in enumerate(own)]
    path = write("scores.csv", ["run,topic,map", *rows])
    typed = ["compare", "--scores", path, "--baseline", "a", "--correction", correction]
    p = {row["a"]: float(row["p_adjusted"]) for row in run(*typed, "-f", "csv").rows}
    for alpha, is_marked in ((0.99 * p["b"], False), (1.01 * p["b"], True)):
        marked = run(*typed, "-f", "latex", "--alpha", alpha).stdout
        (row,) = (row for row in latex_rows(marked) if row.startswith("b "))
        assert (r"\dagger" in row) == is_marked
        assert "incomplete runs have no dagger" in marked
