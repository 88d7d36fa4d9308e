"""`stdeval meta`: scipy on scores files, workers, seeds and files of trials; tests/golden has what it prints."""

from __future__ import annotations

import csv
import gzip
import math
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.power import FTestAnovaPower

from stdeval.files import Input
from stdeval.formats.csv_tables import read_scores
from stdeval.meta.planning import error_spreads, paired_spreads
from stdeval.stats.aggregates import aggregate

ROOT = Path(__file__).resolve().parents[2]

DESIGNS = [
    ([], scipy.stats.ttest_rel),
    (["--unpaired"], scipy.stats.ttest_ind),
    (["--unpaired", "--welch"], lambda a, b: scipy.stats.ttest_ind(a, b, equal_var=False)),
]


def scores_of(path, measure="map"):
    return read_scores(Input(str(path))).measure(measure)


def rows_of(path):
    with path.open() as lines:
        return list(csv.DictReader(lines))


def normal(scores, reference):
    return scipy.stats.norm.cdf((scores - reference.mean(axis=0)) / reference.std(axis=0, ddof=1))


@pytest.mark.parametrize("name", ["meta", "plot"])
def test_listing_a_group_loads_no_numpy(name: str):
    code = (
        "import sys; from stdeval.__main__ import main\n"
        f"try: main(['{name}', '--help'])\n"
        "except SystemExit: print('numpy.linalg' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == "False\n"


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


@pytest.mark.parametrize(("options", "test"), DESIGNS)
def test_power_and_orderings_of_pairs_are_those_of_scipys_tests(run, scores_file, options, test):
    path = scores_file(measures=("map", "P_10"))
    p = {name: [test(a, b).pvalue for a, b in combinations(scores_of(path, name), 2)] for name in ("map", "P_10")}
    rows = run("meta", "power", "--scores", path, "--alpha", 0.1, "--alpha", 0.3, "-f", "csv", *options).rows
    assert len(rows) == 4
    for row in rows:
        assert float(row["power"]) == pytest.approx(np.mean(np.array(p[row["measure"]]) <= float(row["alpha"])))
    (row,) = run("meta", "rank", "--by", "pvalues", "--scores", path, "-f", "csv", *options).rows
    assert float(row["tau_b"]) == pytest.approx(scipy.stats.kendalltau(*p.values()).statistic)
    assert float(row["r"]) == pytest.approx(scipy.stats.pearsonr(*p.values()).statistic)


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


def test_plans_from_runs(run, scores_file):
    path = scores_file(n_systems=12)
    raw = scores_of(path)
    by_scheme = {"raw": raw, "Z": scipy.stats.zscore(raw, axis=0, ddof=1)}
    rows = run("meta", "plan", "--scores", path, "--scheme", "raw", "--scheme", "z", "-f", "csv").rows
    assert len(rows) == 2 * 3
    for row in rows:
        scores = by_scheme[row["scheme"]]
        assert (row["given"], row["n"], row["topics"], row["systems"]) == ("n", "12", "12", "12")
        assert float(row["sd"]) == pytest.approx(paired_spreads(scores)[row["spread"]])
        means = scores.mean(axis=1)
        apart = np.abs(means[:, np.newaxis] - means)[np.triu_indices(12, 1)] >= float(row["difference"])
        assert float(row["pairs"]) == pytest.approx(np.mean(apart))
    rows = run("meta", "plan", "--scores", path, "--difference", 0.2, "--systems", 4, "-f", "csv").rows
    spreads = error_spreads(raw)
    assert {row["spread"]: float(row["sd"]) for row in rows} == pytest.approx(spreads)
    f = 0.2 / spreads["within"] / math.sqrt(2 * 4)
    expected = FTestAnovaPower().solve_power(f, alpha=0.05, power=0.8, k_groups=4) / 4
    assert {row["spread"]: row["n"] for row in rows}["within"] == str(math.ceil(expected))


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


def test_trials_are_tidy_and_their_means_are_printed(run, scores_file, tmp_path):
    path, trials = scores_file(n_systems=12, measures=("map", "P_10")), tmp_path / "trials.csv"
    options = ["--scheme", "n", "--topics", 6, "--trials", 30, "--alpha", 0.05, "--trials-out", trials]
    rows = run("meta", "between", "--scores", path, *options, "-f", "csv").rows
    each = rows_of(trials)
    constants = ["experiment", "trial_topics", "systems", "topics", "seed", "trials"]
    assert list(each[0]) == ["measure", "scheme", "coefficient", "trial", "value", *constants]
    assert [each[0][name] for name in constants] == ["between", "6", "12", "12", "0", "30"]
    assert len(each) == 2 * 3 * 30
    for row in rows:
        for name in ("tau_b", "tau_ap_b", "r"):
            chosen = [one for one in each if (one["measure"], one["coefficient"]) == (row["measure"], name)]
            values = [float(one["value"]) for one in chosen]
            assert float(row[name]) == pytest.approx(np.mean(values))
            assert float(row[f"{name}_sd"]) == pytest.approx(np.std(values, ddof=1))


def test_collections_of_other_topics(run, robust_files):
    # Webber 2008, Tables 3 and 4, and Figure 4
    raw, standardized = run("meta", "collections", robust_files.of_2003, robust_files.of_2004, "-f", "csv").rows
    assert float(raw["drmse"]) == pytest.approx(0.583, abs=0.0005)
    assert (raw["first_better"], raw["second_better"], raw["topics"]) == ("2", "0", "99")
    assert float(standardized["drmse"]) < 0.75 * float(raw["drmse"])
    typed = ("meta", "references", "--scores", robust_files.of_2003, "--collection", robust_files.of_2004)
    (row,) = run(*typed, "--references", 10, "--trials", 60, "-f", "csv").rows
    assert f"{float(row['tau_collection']):.3f}" == "0.742"
    assert float(row["median"]) > 0.95


def test_other_references_for_other_systems(run, scores_file):
    reference, other = scores_file("a.csv", n_systems=12, seed=1), scores_file("b.csv", n_systems=14, seed=2)
    ranked = scores_file("c.csv", n_systems=9, seed=3)
    options = ["--scores", reference, "--evaluate", ranked, "-f", "csv"]
    scores = scores_of(ranked)
    means = [normal(scores, scores_of(path)).mean(axis=1) for path in (reference, other)]
    (row,) = run("meta", "references", *options, "--other", other).rows
    assert float(row["tau_b"]) == pytest.approx(scipy.stats.kendalltau(*means).statistic)
    assert float(row["r"]) == pytest.approx(scipy.stats.pearsonr(*means).statistic)
    assert [row[name] for name in ("systems", "references", "other_references")] == ["9", "12", "14"]
    (row,) = run("meta", "references", *options, "--references", 5, "--trials", 20).rows
    assert float(row["tau_raw"]) == pytest.approx(scipy.stats.kendalltau(means[0], scores.mean(axis=1)).statistic)


def pooled_here(qrels, runs, depth):
    """The lines of the qrels whose documents a run has among the first, by score then docno."""
    pool = set()
    for path in runs:
        by_topic = {}
        for line in gzip.open(path, "rt"):
            topic, _, docno, _, score, _ = line.split()
            by_topic.setdefault(topic, []).append((float(np.float32(score)), docno))
        for topic, docs in by_topic.items():
            pool |= {(topic, docno) for _, docno in sorted(docs, reverse=True)[:depth]}
    lines = gzip.open(qrels, "rt").read().splitlines()
    return [line for line in lines if (line.split()[0], line.split()[2]) in pool]


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
    scores, pooled = tmp_path / "scores.csv", write("pooled.qrels", pooled_here(qrels, runs, 5))
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
