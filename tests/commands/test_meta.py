"""`stdeval meta`: scipy on scores files, workers, seeds and files of trials; tests/golden has what it prints."""

from __future__ import annotations

import csv
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from stdeval.files import Input
from stdeval.formats.csv_tables import read_scores
from stdeval.stats.aggregates import aggregate


def scores_of(path, measure="map"):
    return read_scores(Input(str(path))).measure(measure)


def rows_of(path):
    with path.open() as lines:
        return list(csv.DictReader(lines))


def normal(scores, reference):
    return scipy.stats.norm.cdf((scores - reference.mean(axis=0)) / reference.std(axis=0, ddof=1))


@pytest.mark.parametrize(
    "command",
    [
        ["collections", "a.csv", "b.csv", "--trials", 250],
        ["references", "--scores", "a.csv", "--references", 5, "--references", 10, "--trials", 120],
        ["split", "--scores", "a.csv", "-a", "am", "-a", "ehm", "--trials", 250],
        ["within", "--scores", "a.csv", "--topics", 5, "--trials", 250],
        ["between", "--scores", "a.csv", "--topics", 5, "--trials", 250],
    ],
    ids=lambda command: command[0],
)
def test_workers_change_nothing_and_seeds_do(run, scores_file, command):
    paths = {name: scores_file(name, n_systems=12, seed=seed) for seed, name in enumerate(("a.csv", "b.csv"))}
    typed = ["meta", *(paths.get(word, word) for word in command), "-f", "csv"]
    alone = run(*typed, "-j", 1)
    assert alone.status == 0
    assert run(*typed, "-j", 2).raw == run(*typed).raw == alone.raw
    assert run(*typed, "--seed", 1).raw != alone.raw


def test_rankings_of_measures_schemes_and_aggregates_correlate_as_scipys(run, scores_file):
    path = scores_file(measures=("map", "P_10"), n_systems=9)
    typed = ["--scores", path, "--scheme", "raw", "--scheme", "u", "-a", "am", "-a", "ehm", "-f", "csv"]
    rows = run("meta", "rank", *typed).rows
    overall = {}
    for measure in ("map", "P_10"):
        raw = scores_of(path, measure)
        uniform = np.clip(0.15 * scipy.stats.zscore(raw, axis=0, ddof=1) + 0.5, 0, 1)
        for scheme, values in (("raw", raw), ("U", uniform)):
            overall |= {(measure, scheme, name): aggregate(values, name) for name in ("am", "ehm")}
    assert len(rows) == 8 * 7 / 2
    for row in rows:
        a, b = (overall[row[f"measure_{side}"], row[f"scheme_{side}"], row[f"aggregate_{side}"]] for side in "ab")
        assert float(row["tau_b"]) == pytest.approx(scipy.stats.kendalltau(a, b).statistic)
        assert float(row["r"]) == pytest.approx(scipy.stats.pearsonr(a, b).statistic)


def test_runs_are_scored_as_eval_scores_them(run, sample, tmp_path):
    scores = tmp_path / "scores.csv"
    assert run("eval", "-q", "-f", "csv", "-n", "-m", "map", "-o", scores, *sample).status == 0
    from_runs = run("meta", "power", "-m", "map", "--scheme", "n", *sample)
    assert from_runs.stdout == run("meta", "power", "--scheme", "n", "--scores", scores).stdout
    assert ": 40 systems, 50 topics\n" in from_runs.stdout


def test_factors_of_others_standardize(run, scores_file, tmp_path):
    path, others = scores_file(), scores_file("others.csv", n_systems=15, seed=9)
    factors, standardized = tmp_path / "factors.csv", tmp_path / "standardized.csv"
    assert run("factors", "--scores", others, "-o", factors).status == 0
    done = run("standardize", "--scores", path, "-F", factors, "-q", "-f", "csv", "-n", "-o", standardized)
    assert done.status == 0
    levels = [word for alpha in (0.001, 0.01, 0.1, 0.3, 0.45) for word in ("--alpha", alpha)]
    by_others, expected, own = (
        [row["power"] for row in run("meta", "power", *levels, "-f", "csv", *options).rows]
        for options in (
            ["--scores", path, "--scheme", "n", "-F", factors],
            ["--scores", standardized],
            ["--scores", path, "--scheme", "n"],
        )
    )
    assert by_others == expected != own


def test_moments_and_errors_of_halves_are_those_of_the_trials(run, scores_file, tmp_path):
    path, trials, pairs = scores_file(n_systems=9), tmp_path / "trials.csv", tmp_path / "pairs.csv"
    methods = ["-a", "am", "-a", "egm", "-a", "md", "--epsilon", 0.01, "--epsilon", 0.1]
    files = ["--trials-out", trials, "--pairs-out", pairs]
    rows = run("meta", "split", "--scores", path, *methods, *files, "--trials", 150, "-f", "csv").rows
    named = [(row["aggregate"], row["epsilon"]) for row in rows]
    assert named == [("am", ""), ("egm", "0.01"), ("egm", "0.1"), ("md", "")]
    tau = {}
    for row in rows_of(trials):
        tau.setdefault((row["aggregate"], row["epsilon"]), []).append(float(row["tau"]))
    for row, name in zip(rows, named, strict=True):
        values = tau[name]
        assert len(values) == 150
        expected = [np.mean(values), np.std(values, ddof=1), *np.percentile(values, [2.5, 97.5])]
        assert [float(row[column]) for column in ("tau", "sd", "p2.5", "p97.5")] == pytest.approx(expected)
        if row is not rows[0]:
            assert float(row["se"]) == pytest.approx(scipy.stats.sem(np.subtract(tau["am", ""], values)))
    (last,) = (row for row in rows_of(pairs) if (row["epsilon"], row["aggregate_b"]) == ("0.1", "md"))
    difference = np.subtract(tau["egm", "0.1"], tau["md", ""])
    assert float(last["difference"]) == pytest.approx(np.mean(difference))
    assert float(last["se"]) == pytest.approx(scipy.stats.sem(difference))
    assert len(rows_of(pairs)) == 4 * 3 / 2


@pytest.mark.parametrize(
    ("measure", "forms"),
    [
        ("P", {"raw": "P_10", "expanded": "recall_10", "abbreviated": "relative_P_10"}),
        ("bpref", {"raw": "bpref"}),
        ("ndcg_1=3,2=9", {"raw": "ndcg_1=3,2=9"}),
    ],
)
def test_every_form_is_that_of_eval_on_the_pooled_qrels(run, sample, write, tmp_path, measure, forms):
    qrels, *runs = sample[:7]
    depths = ["--pool-depth", 5, "--eval-depth", 10]
    rows = run("meta", "depth", "-m", measure, *depths, qrels, *runs, "-f", "csv").rows
    scores, pooled = tmp_path / "scores.csv", write("pooled.qrels", run("pool", "-d", 5, qrels, *runs).stdout)
    names = [word for name in forms.values() for word in ("-m", name)]
    assert run("eval", "-c", "-M10", "-q", "-f", "csv", "-n", *names, "-o", scores, pooled, *runs).status == 0
    expected = {form: scores_of(scores, name) for form, name in forms.items()}
    raw = expected["raw"]
    spread = np.ptp(raw, axis=0) > 0
    expected["standardized"] = np.full(raw.shape, 0.5)
    expected["standardized"][:, spread] = normal(raw[:, spread], raw[:, spread])
    assert [row["form"] for row in rows] == list(expected)
    for row in rows:
        values = expected[row["form"]]
        p = [scipy.stats.ttest_rel(a, b).pvalue for a, b in combinations(values, 2)]
        assert float(row["power"]) == pytest.approx(np.mean(np.array(p) <= 0.05))
        assert float(row["mean"]) == pytest.approx(values.mean())
        assert [row[name] for name in ("pool_depth", "depth", "systems", "topics")] == ["5", "10", "6", "50"]
