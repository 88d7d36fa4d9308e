"""`stdeval meta power` and `rank` against Webber 2010, and scipy on the scores of `stdeval eval`."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores
from stdeval.stats.aggregates import aggregate

DESIGNS = [
    ([], scipy.stats.ttest_rel),
    (["--unpaired"], scipy.stats.ttest_ind),
    (["--unpaired", "--welch"], lambda a, b: scipy.stats.ttest_ind(a, b, equal_var=False)),
]


def test_power_of_ap_on_the_2004_topics(run, robust_files):
    # Webber 2010, Table 1, T04 Rob, AP: 0.680
    (row,) = run("meta", "power", "--scores", robust_files.of_2004, "-f", "csv").rows
    assert float(row["power"]) == pytest.approx(0.680, abs=0.0005)
    assert {name: row[name] for name in ("measure", "scheme", "alpha", "pairs", "systems", "topics")} == {
        "measure": "map",
        "scheme": "raw",
        "alpha": "0.05",
        "pairs": "5995",
        "systems": "110",
        "topics": "49",
    }


@pytest.mark.parametrize(("options", "test"), DESIGNS)
def test_power_is_counted_from_scipys_tests(run, scores_file, options, test):
    path = scores_file(measures=("map", "P_10"))
    scores = read_scores(Input(str(path)))
    done = run("meta", "power", "--scores", path, "--alpha", 0.1, "--alpha", 0.3, "-f", "csv", *options)
    for row in done.rows:
        p = [test(a, b).pvalue for a, b in combinations(scores.measure(row["measure"]), 2)]
        assert float(row["power"]) == pytest.approx(np.mean(np.array(p) <= float(row["alpha"])))
    assert len(done.rows) == 4


def test_rankings_of_measures_schemes_and_aggregates_correlate_as_scipys(run, scores_file):
    path = scores_file(measures=("map", "P_10"), n_systems=9)
    done = run(
        "meta", "rank", "--scores", path, "--scheme", "raw", "--scheme", "u", "-a", "am", "-a", "ehm", "-f", "csv"
    )
    z = {}
    scores = read_scores(Input(str(path)))
    for measure in scores.measures:
        raw = scores.measure(measure)
        uniform = np.clip(0.15 * scipy.stats.zscore(raw, axis=0, ddof=1) + 0.5, 0, 1)
        z |= {
            (measure, scheme, name): aggregate(values, name)
            for scheme, values in (("raw", raw), ("U", uniform))
            for name in ("am", "ehm")
        }
    assert len(done.rows) == 8 * 7 / 2
    for row in done.rows:
        a, b = (z[row[f"measure_{side}"], row[f"scheme_{side}"], row[f"aggregate_{side}"]] for side in "ab")
        assert float(row["tau_b"]) == pytest.approx(scipy.stats.kendalltau(a, b).statistic)
        assert float(row["r"]) == pytest.approx(scipy.stats.pearsonr(a, b).statistic)


@pytest.mark.parametrize(("options", "test"), DESIGNS)
def test_orderings_of_pairs_by_p_correlate_as_scipys(run, scores_file, options, test):
    path = scores_file(measures=("map", "P_10"))
    scores = read_scores(Input(str(path)))
    p = [[-test(a, b).pvalue for a, b in combinations(scores.measure(name), 2)] for name in ("map", "P_10")]
    (row,) = run("meta", "rank", "--by", "pvalues", "--scores", path, "-f", "csv", *options).rows
    assert float(row["tau_b"]) == pytest.approx(scipy.stats.kendalltau(*p).statistic)
    assert float(row["r"]) == pytest.approx(scipy.stats.pearsonr(*p).statistic)


def test_runs_are_scored_as_eval_scores_them(run, sample, tmp_path):
    scores = tmp_path / "scores.csv"
    assert run("eval", "-q", "-f", "csv", "-n", "-m", "map", "-o", scores, *sample).status == 0
    from_runs = run("meta", "power", "-m", "map", "--scheme", "n", *sample)
    assert from_runs.stdout == run("meta", "power", "--scheme", "n", "--scores", scores).stdout
    assert from_runs.stdout.startswith(
        "discriminative power, Student's t test, paired, two-sided: 40 systems, 50 topics"
    )


def test_factors_of_others_standardize(run, scores_file, tmp_path):
    path, others = scores_file(), scores_file("others.csv", n_systems=15, seed=9)
    factors, standardized = tmp_path / "factors.csv", tmp_path / "standardized.csv"
    assert run("factors", "--scores", others, "-o", factors).status == 0
    done = run("standardize", "--scores", path, "-F", factors, "-q", "-f", "csv", "-n", "-o", standardized)
    assert done.status == 0
    levels = [word for alpha in (0.001, 0.01, 0.1, 0.3, 0.45) for word in ("--alpha", alpha)]
    by_others = run("meta", "power", "--scores", path, "--scheme", "n", *levels, "-F", factors, "-f", "csv")
    expected = run("meta", "power", "--scores", standardized, *levels, "-f", "csv")
    assert [row["power"] for row in by_others.rows] == [row["power"] for row in expected.rows]
    own = run("meta", "power", "--scores", path, "--scheme", "n", *levels, "-f", "csv")
    assert [row["power"] for row in by_others.rows] != [row["power"] for row in own.rows]
