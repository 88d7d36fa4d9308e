"""Marks of `compare -f latex`: differences are tested on the topics of the means that the table shows."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.stats

N_COMMON, N_TOPICS = 10, 40


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


@pytest.mark.parametrize("options", [[], ["--residuals"], ["--correction", "bonferroni"]])
def test_marks_are_those_of_the_common_topics_alone(run, write, options):
    """Whatever runs have on topics that not all of them have, nothing that the table shows depends on it."""
    judged = [f"{t} 0 d{t}{k} {k % 2}" for t in range(9) for k in range(4)]
    kept = {"a": 9, "b": 9, "c": 4, "d": 4}

    def documents(name: str, t: int) -> list[str]:
        order = np.random.default_rng([ord(name), t]).permutation(6)
        return [f"{t} Q0 d{t}{k} 1 {6 - place} {name}" for place, k in enumerate(order)]

    runs = [write(name, [line for t in range(n) for line in documents(name, t)]) for name, n in kept.items()]
    typed = ("-m", "RBP(p=0.5)", "--baseline", "a", "-f", "latex", "--alpha", "0.3", *options)
    whole = run("compare", write("whole", judged), *runs, *typed)
    common = run("compare", write("common", judged[:16]), *runs, *typed)
    assert latex_rows(whole.stdout) == latex_rows(common.stdout)


def test_incomplete_runs_get_no_dagger(run, scores, write):
    """Three runs have all topics; the mean of the fourth is over others than the baseline's mean in the table."""
    values, _ = scores
    values[2] = values[0] - 0.1
    lines = [f"s{i},{t},{x!r}" for i, row in enumerate(values.tolist()) for t, x in enumerate(row) if x > 0]
    path = write("one.csv", ["run,topic,map", *lines])
    done = run("compare", "--scores", path, "-f", "latex", "--baseline", "s0")
    assert [(row.split()[0], r"\dagger" in row) for row in latex_rows(done.stdout)[1:]] == [
        ("s0", False),
        ("s1", True),
        ("s2", True),
        ("s3", False),
    ]
    assert "% incomplete runs have no dagger (-f table compares them with s0)\n" in done.stdout
    told = "not corrected for 3 pairs"
    assert told in done.stdout
    assert told in run("compare", "--scores", path, "-f", "table", "--baseline", "s0").stdout
    # Tukey's test is on the same topics for all pairs, so no format compares an incomplete run.
    tukey = run("compare", "--scores", path, "-f", "latex", "--baseline", "s0", "--correction", "tukey")
    assert "% incomplete runs have no dagger\n" in tukey.stdout
    by_incomplete = run("compare", "--scores", path, "-f", "latex", "--baseline", "s3")
    assert r"$^{\dagger}$" not in by_incomplete.stdout
    assert "% no daggers: the baseline s3 is not ranked\n" in by_incomplete.stdout


def test_an_incomplete_run_is_not_bold_where_topics_are_unpaired(run, write):
    rows = ["a,1,.2", "a,2,.4", "a,3,.6", "b,1,.8", "b,2,.9", "c,1,.3", "c,2,.3", "c,3,.4"]
    path = write("s.csv", ["run,topic,map", *rows])
    done = run("compare", "--scores", path, "--unpaired", "-f", "latex", "--baseline", "a")
    assert latex_rows(done.stdout)[1:] == [
        r"a & \textbf{0.4000} & 3 \\",
        r"c & 0.3333 & 3 \\",
        r"b & 0.8500 & 2 \\",
    ]
    assert "1 of 3 runs (e.g. 'b')" in done.stderr


@pytest.mark.parametrize("n_each", [(1, 1), (2, 1), (1, 2), (2, 2)])
@pytest.mark.parametrize("output_format", ["latex", "markdown"])
def test_unpaired_runs_keep_their_own_topics_in_every_format(run, write, n_each, output_format):
    """Runs of two collections whose topics only share their names, 30 and 12 of them."""
    rng = np.random.default_rng(5)
    sizes = [30] * n_each[0] + [12] * n_each[1]
    values = {f"s{i}": np.sort(0.2 * rng.random(n) + 0.1 * i)[::-1] for i, n in enumerate(sizes)}
    rows = [f"{name},{t},{float(x)!r}" for name, own in values.items() for t, x in enumerate(own)]
    typed = ["compare", "--scores", write("s.csv", ["run,topic,map", *rows]), "--unpaired", "--welch"]
    last = f"s{len(sizes) - 1}"
    pairs = run(*typed, "--baseline", last, "-f", "csv").rows
    marked = run(*typed, "--baseline", last, "-f", output_format)
    for row in pairs:
        starts = (f"{row['a']} &", f"| {row['a']} |")
        (line,) = (line for line in marked.stdout.splitlines() if line.startswith(starts))
        assert f"{float(row['mean_a']):.4f}" in line
        assert f" {row['n_a']} " in line
        assert ("dagger" in line or "†" in line) == (row["significant"] == "*")
    assert any(row["significant"] for row in pairs)
    assert "that all" not in marked.stdout
    if n_each != (2, 1):
        assert "textbf" not in marked.stdout
        assert "**" not in marked.stdout
        assert "the runs have different topics: no run is bold" in marked.stdout


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


@pytest.mark.parametrize(
    ("alternative", "told"), [("greater", "is better than ref01"), ("less", "is worse than ref01")]
)
def test_one_tailed_daggers_say_better_or_worse(run, sample, alternative: str, told: str):
    """Lower is better by unj, so that "above" would say the opposite."""
    typed = ("compare", "-m", "unj_10", "--baseline", "ref01", "-f", "markdown", "--alternative", alternative)
    assert told in run(*typed, *sample[:3]).stdout


@pytest.mark.parametrize("output_format", ["markdown", "latex"])
def test_no_count_is_the_best(run, sample, output_format: str):
    typed = ["-f", output_format, "-m", "num_rel_ret", "-m", "map", *sample[:4]]
    for command in ("eval", "compare"):
        rows = [line for line in run(command, *typed).stdout.splitlines() if "**" in line or "textbf" in line]
        assert [("**" in row) + row.count("textbf") for row in rows] == [1]
        (bold,) = (cell for cell in re.split("[|&]", rows[0]) if "**" in cell or "textbf" in cell)
        assert float(re.sub("[^0-9.]", "", bold)) < 1
