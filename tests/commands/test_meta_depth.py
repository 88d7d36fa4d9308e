"""`stdeval meta depth` against `stdeval eval` on qrels that are pooled here."""

from __future__ import annotations

import gzip
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores


@pytest.fixture
def track(sample):
    """The qrels and six of the runs of the simulated track."""
    return sample[:7]


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


FORMS = {"raw": "P_10", "expanded": "recall_10", "abbreviated": "relative_P_10"}


def test_every_form_is_that_of_eval_on_the_pooled_qrels(run, track, write, tmp_path):
    qrels, *runs = track
    depths = ["--pool-depth", 5, "--eval-depth", 10]
    rows = run("meta", "depth", "-m", "P", *depths, *track, "-f", "csv").rows
    scores = tmp_path / "scores.csv"
    names = [word for name in FORMS.values() for word in ("-m", name)]
    pooled = write("pooled.qrels", pooled_here(qrels, runs, 5))
    assert run("eval", "-c", "-q", "-f", "csv", "-n", *names, "-o", scores, pooled, *runs).status == 0
    table = read_scores(Input(str(scores)))
    raw = table.measure("P_10")
    spread = np.ptp(raw, axis=0) > 0
    z = np.zeros(raw.shape)
    z[:, spread] = scipy.stats.zscore(raw[:, spread], axis=0, ddof=1)
    expected = {form: table.measure(name) for form, name in FORMS.items()} | {
        "standardized": scipy.stats.norm.cdf(z)
    }
    assert [row["form"] for row in rows] == list(expected)
    for row in rows:
        values = expected[row["form"]]
        p = [scipy.stats.ttest_rel(a, b).pvalue for a, b in combinations(values, 2)]
        assert float(row["power"]) == pytest.approx(np.mean(np.array(p) <= 0.05))
        assert float(row["mean"]) == pytest.approx(values.mean())
    assert [(row["pool_depth"], row["depth"], row["systems"], row["topics"]) for row in rows] == [
        ("5", "10", "6", "50")
    ] * 4


def test_other_measures_are_cut_as_by_the_depth_of_eval(run, track, tmp_path):
    qrels, *runs = track
    # judged are only the first 20 documents of each of the 40 runs: a pool of 100 loses nothing of these six
    options = ["--pool-depth", 100, "--eval-depth", 7, "--form", "raw", "-f", "csv"]
    (row,) = run("meta", "depth", "-m", "bpref", *options, *track).rows
    scores, pooled = tmp_path / "scores.csv", tmp_path / "pooled.qrels"
    pooled.write_text("\n".join(pooled_here(qrels, runs, 100)) + "\n")
    done = run("eval", "-c", "-M7", "-m", "bpref", "-q", "-f", "csv", "-n", "-o", scores, pooled, *runs)
    assert done.status == 0
    assert float(row["mean"]) == pytest.approx(read_scores(Input(str(scores))).values.mean())


def test_workers_change_nothing(run, track):
    options = ["-m", "P", "--pool-depth", 5, "--pool-depth", 10, "--eval-depth", 5, *track]
    alone = run("meta", "depth", *options)
    assert alone.status == 0
    assert run("meta", "depth", *options, "-j", 2).raw == alone.raw


def test_gains_are_those_of_eval_on_the_pooled_qrels(run, track, tmp_path):
    """They were dropped: four measures had the power and the mean of ndcg."""
    runs = track[1:]
    named = ["ndcg_1=3,2=9", "ndcg_1=0", "ndcg"]
    measures = [word for name in named for word in ("-m", name)]
    depths = ["--pool-depth", 10, "--eval-depth", 10]
    rows = run("meta", "depth", *measures, *depths, "-f", "csv", *track).rows
    pooled = tmp_path / "pooled"
    run("pool", "-d", 10, "-o", pooled, *track)
    table = run("eval", "-c", "-M", 10, *measures, "-f", "csv", pooled, *runs).rows
    for name in named[:2]:
        (mean,) = (float(row["mean"]) for row in rows if (row["measure"], row["form"]) == (name, "raw"))
        assert mean == pytest.approx(np.mean([float(row[name]) for row in table]))
    assert {row["form"] for row in rows if row["measure"] == named[0]} == {"raw", "standardized"}
