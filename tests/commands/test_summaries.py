"""Aggregates and intervals of eval and standardize: `-a`, `--epsilon`, `--ci`."""

from __future__ import annotations

import statistics
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

pytestmark = pytest.mark.oracle

# Ravana & Moffat 2009, Table 1 (as in tests/test_aggregate.py): hm of S2 is undefined.
TABLE_1 = {
    "S1": [0.1, 0.1, 0.3, 0.8, 0.1],
    "S2": [0.0, 0.4, 0.2, 0.4, 0.3],
    "S3": [0.1, 0.5, 0.3, 0.2, 0.2],
    "S4": [0.2, 0.2, 0.3, 0.2, 0.2],
}
PUBLISHED = {
    "all": ["0.280", "0.260", "0.260", "0.220"],
    "all.gm": ["0.189", "0.000", "0.227", "0.217"],
    "all.egm": ["0.192", "0.151", "0.228", "0.217"],
    "all.hm": ["0.145", "", "0.197", "0.214"],
    "all.ehm": ["0.148", "0.034", "0.200", "0.214"],
    "all.md": ["0.100", "0.300", "0.200", "0.200"],
}
SIX = ["-a", "am", "-a", "gm", "-a", "egm", "-a", "hm", "-a", "ehm", "-a", "md"]


@pytest.fixture
def table_1(write) -> Path:
    rows = [f"{run},{topic},{score}" for run, scores in TABLE_1.items() for topic, score in enumerate(scores)]
    return write("table1.csv", ["run,topic,x", *rows])


def summaries(rows: list[dict[str, str]], measure: str) -> dict[str, list[str]]:
    found = defaultdict(list)
    for row in rows:
        if row["topic"].startswith("all"):
            found[row["topic"]].append(row[measure])
    return dict(found)


def test_table_1_of_the_paper(run, table_1: Path):
    done = run("eval", "--scores", table_1, *SIX, "-q", "-f", "csv")
    found = summaries(done.rows, "x")
    assert {name: [f"{float(x):.3f}" if x else "" for x in row] for name, row in found.items()} == PUBLISHED
    assert done.stderr.count("\n") == 1
    assert "1 of 4 harmonic means" in done.stderr


@pytest.mark.parametrize(("epsilon", "value"), [("0.01", 0.157), ("0.00001", 0.039)])
def test_trec_eval_variant_in_the_papers_text(run, table_1: Path, epsilon: str, value: float):
    done = run("eval", "--scores", table_1, "-a", "egm-trec", "--epsilon", epsilon, "-q", "-f", "csv")
    (name,) = summaries(done.rows, "x")
    assert name == ("all.egm-trec.epsilon=0.01" if epsilon == "0.01" else "all.egm-trec")
    assert round(float(summaries(done.rows, "x")[name][1]), 3) == value


def test_egm_trec_of_map_is_gm_map_on_every_run(run, shared: Path):
    runs = sorted((shared / "trec-covid-r4" / "runs").iterdir())
    names = ["-m", "map", "-m", "gm_map", "-m", "num_ret", "-a", "am", "-a", "egm-trec", "-f", "csv"]
    rows = run("eval", *names, shared / "trec-covid-r4" / "qrels.txt", *runs).rows
    gm_map = [float(x) for x in summaries(rows, "gm_map")["all"]]
    assert len(gm_map) == 13
    np.testing.assert_allclose([float(x) for x in summaries(rows, "map")["all.egm-trec"]], gm_map, rtol=1e-13)
    assert set(summaries(rows, "num_ret")["all.egm-trec"]) == {""}  # counts are summed, and that in `all`
    assert set(summaries(rows, "gm_map")["all.egm-trec"]) == {""}


def test_interval_is_scipys(run, table_1: Path):
    found = summaries(run("eval", "--scores", table_1, "--ci", "0.9", "-q", "-f", "csv").rows, "x")
    assert list(found) == ["all", "all.ci_low.level=0.9", "all.ci_high.level=0.9"]
    for i, scores in enumerate(TABLE_1.values()):
        expected = scipy.stats.t.interval(0.9, 4, np.mean(scores), scipy.stats.sem(scores))
        ends = [float(found[f"all.ci_{end}.level=0.9"][i]) for end in ("low", "high")]
        assert ends == pytest.approx(expected, rel=1e-12)


def test_bootstrap_interval_says_what_was_drawn_and_repeats_it(run, write):
    scores = np.random.default_rng(2).random(40)
    path = write("s.csv", ["run,topic,x", *(f"a,{i},{score!r}" for i, score in enumerate(scores.tolist()))])
    bootstrap = ["--ci", "0.95", "--ci-method", "bootstrap", "--resamples", 3000, "-f", "csv"]
    done = run("eval", "--scores", path, *bootstrap, "--seed", 7)
    found = summaries(done.rows, "x")
    names = [f"all.ci_{end}.resamples=3000.seed=7" for end in ("low", "high")]
    assert list(found) == ["all", *names]
    assert run("eval", "--scores", path, *bootstrap, "--seed", 7).raw == done.raw
    assert run("eval", "--scores", path, *bootstrap, "--seed", 8).raw != done.raw
    expected = scipy.stats.bootstrap((scores,), np.mean, method="percentile", rng=np.random.default_rng(1))
    assert [float(found[name][0]) for name in names] == pytest.approx(list(expected.confidence_interval), abs=0.01)


def test_sd_is_that_of_a_system_over_its_topics(run, table_1: Path):
    found = summaries(run("eval", "--scores", table_1, "-a", "am", "-a", "sd", "-q", "-f", "csv").rows, "x")
    assert list(found) == ["all", "all.sd"]
    expected = [statistics.stdev(scores) for scores in TABLE_1.values()]
    assert [float(x) for x in found["all.sd"]] == pytest.approx(expected, rel=1e-14)
