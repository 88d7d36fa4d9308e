"""`stdeval meta depth` against `stdeval eval` on qrels that are pooled here."""

from __future__ import annotations

import gzip
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores
from stdeval.measures.catalogue import FAMILY

REGISTERED = "amap_cut" in FAMILY and "rbp" in FAMILY


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


def test_a_row_per_cell(run, track):
    options = ["-m", "P", "--form", "raw", "--form", "standardized", "--scheme", "n", "--scheme", "e"]
    depths = ["--pool-depth", 20, "--pool-depth", 5, "--eval-depth", 5, "--eval-depth", 20]
    rows = run("meta", "depth", *options, *depths, "--alpha", 0.05, "--alpha", 0.01, *track, "-f", "csv").rows
    cells = [(row["form"], row["scheme"], row["pool_depth"], row["depth"], row["alpha"]) for row in rows]
    assert len(set(cells)) == len(cells) == 3 * 2 * 2 * 2
    assert cells[0] == ("raw", "raw", "5", "5", "0.01")
    # pooling beyond evaluation changes nothing that is not normalized (Webber 2010, Section 4.2)
    power = {cell: row["power"] for cell, row in zip(cells, rows, strict=True)}
    assert power["raw", "raw", "20", "5", "0.05"] == power["raw", "raw", "5", "5", "0.05"]


def test_workers_change_nothing(run, track):
    options = ["-m", "P", "--pool-depth", 5, "--pool-depth", 10, "--eval-depth", 5, *track]
    alone = run("meta", "depth", *options)
    assert alone.status == 0
    assert run("meta", "depth", *options, "-j", 2).raw == alone.raw


@pytest.mark.skipif(not REGISTERED, reason="the papers' measures are not in the table of measures")
def test_all_measures_in_all_forms(run, track):
    rows = run("meta", "depth", "--pool-depth", 10, "--eval-depth", 10, *track, "-f", "csv").rows
    forms = {}
    for row in rows:
        forms.setdefault(row["measure"], []).append(row["form"])
    everything = ["raw", "expanded", "abbreviated", "standardized"]
    assert forms == {
        "P": everything,
        "map": everything,
        "jkdcg": everything,
        "dcg": ["raw", "abbreviated", "standardized"],
        "rbp": ["raw", "abbreviated", "standardized"],
    }


def test_pooled_runs_shorter_than_the_pool(run, track, write):
    lines = gzip.open(track[1], "rt").read().splitlines()
    short = write("short.run", [line.rsplit(" ", 1)[0] + " short" for line in lines if int(line.split()[3]) <= 7])
    options = ["-m", "P", "--form", "raw", "--eval-depth", 5, "--pool-runs", write("l", [short])]
    for depth, is_warned in ((7, False), (10, True)):
        done = run("meta", "depth", *options, "--pool-depth", depth, *track)
        assert ("fewer than 10 documents" in done.stderr) == is_warned


def test_topics_without_judgments_in_the_shallowest_pool(run, write):
    """The first documents of topic 2 are not judged, so all runs score 0 there until the pool is deeper."""
    docs = [f"d{i}" for i in range(1, 9)]
    judged = [f"{topic} 0 {docno} {i % 2}" for topic in (1, 3) for i, docno in enumerate(docs)]
    qrels = write("qrels", [*judged, *(f"2 0 {docno} 1" for docno in docs[4:])])
    runs = [
        write(
            f"{tag}.run",
            [f"{topic} Q0 {docno} 1 {9 - i} {tag}" for topic in (1, 2, 3) for i, docno in enumerate(docs)],
        )
        for tag in "ab"
    ]
    for depth, is_warned in ((2, True), (6, False)):
        done = run("meta", "depth", "-m", "P", "--pool-depth", depth, "--pool-depth", 8, qrels, *runs)
        assert ("no judgments are left for 1 of 3 topics" in done.stderr) == is_warned


def test_topics_that_a_run_lacks(run, shared):
    qrels, runs = shared / "cranfield" / "qrels.txt", shared / "cranfield" / "runs"
    some = [runs / f"{name}.run.gz" for name in ("bm25-missing-topics", "random", "lsi-20", "jaccard")]
    options = ["-m", "P", "--form", "raw", "--pool-depth", 10, "--eval-depth", 10, "-f", "csv", qrels, *some]
    dropped, zero = run("meta", "depth", *options), run("meta", "depth", "-c", *options)
    # the collection's README: bm25-missing-topics has 188 of 225 topics
    assert [done.rows[0]["topics"] for done in (dropped, zero)] == ["188", "225"]
    assert ["37 of 225 topics left out" in done.stderr for done in (dropped, zero)] == [True, False]


def test_the_parameters_of_a_measure_are_those_of_its_forms(run, track, tmp_path):
    """The pool of depth 100 holds all judgments of these runs' documents; the judgments are 0, 1 and 2."""
    qrels, *runs = track
    names = {
        "RBP(p=0.95)": {"raw": "rbp_p=0.95_cut_10", "abbreviated": "nrbp_p=0.95_cut_10"},
        "AP(rel=2)": {"raw": "sp_cut_10_rel=2", "expanded": "map_cut_10_rel=2", "abbreviated": "amap_cut_10_rel=2"},
        "P(rel=2)": {"raw": "P_10_rel=2", "expanded": "recall_10_rel=2", "abbreviated": "relative_P_10_rel=2"},
        "nDCG(dis=jk)": {"raw": "jkdcg_cut_10", "abbreviated": "njkdcg_cut_10"},
        "bpref_rel=2": {"raw": "bpref_rel=2"},
    }
    pooled, scores = tmp_path / "pooled.qrels", tmp_path / "scores.csv"
    pooled.write_text("\n".join(pooled_here(qrels, runs, 100)) + "\n")
    for text, forms in names.items():
        asked = ["-m", text, "--pool-depth", 100, "--eval-depth", 10]
        rows = {row["form"]: row for row in run("meta", "depth", *asked, *track, "-f", "csv").rows}
        for form, name in forms.items():
            assert (
                run("eval", "-c", "-M10", "-m", name, "-q", "-f", "csv", "-n", "-o", scores, pooled, *runs).status
                == 0
            )
            assert float(rows[form]["mean"]) == pytest.approx(read_scores(Input(str(scores))).values.mean()), name


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


def test_the_p_of_rbp_depends_on_the_depth_unless_it_is_given(run, track):
    depths = ["--pool-depth", 20, "--eval-depth", 5, "--eval-depth", 20, "--form", "raw", "-f", "csv"]
    powers = {}
    for text in ("rbp", "RBP", "nRBP", "RBP(p=0.8)", "rbp_rel=2", "RBP(rel=2)", "RBP(p=0.8, rel=2)"):
        rows = run("meta", "depth", "-m", text, *depths, *track).rows
        powers[text] = [(row["measure"], row["depth"], row["mean"]) for row in rows]
    assert powers["rbp"] == powers["RBP"] == powers["nRBP"]
    assert powers["rbp_rel=2"] == powers["RBP(rel=2)"]
    names = {text: {name for name, _, _ in cells} for text, cells in powers.items()}
    assert (names["RBP"], names["RBP(p=0.8)"]) == ({"rbp"}, {"rbp_p=0.8"})
    assert (names["RBP(rel=2)"], names["RBP(p=0.8, rel=2)"]) == ({"rbp_rel=2"}, {"rbp_p=0.8_rel=2"})
    for adaptive, fixed in (("RBP", "RBP(p=0.8)"), ("RBP(rel=2)", "RBP(p=0.8, rel=2)")):
        means = [[float(mean) for _, _, mean in powers[text]] for text in (adaptive, fixed)]
        # residual 0.1: p is 0.63 at depth 5 and 0.89 at depth 20
        assert means[0] != means[1]


def test_rounded_scores_are_standardized_rounded(run, track):
    options = ["-m", "P", "--form", "standardized", "--pool-depth", 20, "--eval-depth", 15, "-f", "csv"]
    fine, coarse = (run("meta", "depth", *options, *more, *track).rows[0] for more in ([], ["--round", 1]))
    assert fine["mean"] != coarse["mean"]


@pytest.fixture
def pool_list(track, sample, write):
    """Two runs of the track by tag and by file, one of them evaluated as `./` its path, and a run that is not."""
    first, second = track[1:3]
    with gzip.open(first, "rt") as lines:
        tag = next(lines).split()[5]
    link = write("link.run.gz", second.read_bytes())
    link.unlink()
    link.symlink_to(second)
    return write("pooled.txt", [tag, "", str(link), str(sample[20])]), [first, second, sample[20]]


def test_only_listed_runs_are_pooled(run, track, pool_list, write, tmp_path):
    qrels, *runs = track
    path, contributors = pool_list
    options = ["-m", "P", "--pool-depth", 5, "--eval-depth", 10, "--pool-runs", path, "-f", "csv"]
    rows = {row["form"]: row for row in run("meta", "depth", *options, *track).rows}
    scores = tmp_path / "scores.csv"
    pooled = write("pooled.qrels", pooled_here(qrels, contributors, 5))
    for form, name in FORMS.items():
        assert run("eval", "-c", "-m", name, "-q", "-f", "csv", "-n", "-o", scores, pooled, *runs).status == 0
        values = read_scores(Input(str(scores))).values[:, :, 0]
        p = [scipy.stats.ttest_rel(a, b).pvalue for a, b in combinations(values, 2)]
        assert float(rows[form]["power"]) == pytest.approx(np.mean(np.array(p) <= 0.05))
        # topics without a judgment are not in the pooled qrels, and count 0
        assert float(rows[form]["mean"]) == pytest.approx(values.sum() / len(values) / 50)
        assert (rows[form]["pooled"], rows[form]["systems"]) == ("3", "6")
    everything = run("meta", "depth", "-m", "P", "--pool-depth", 5, "--eval-depth", 10, *track, "-f", "csv").rows
    assert everything[0]["mean"] != rows["raw"]["mean"]
    assert "pooled" not in everything[0]


def test_a_list_of_all_runs_changes_no_number(run, track, write):
    options = ["-m", "P", "--pool-depth", 5, "--eval-depth", 10, *track]
    path = write("all.txt", [str(path) for path in track[1:]])
    plain, listed = (run("meta", "depth", *options, *more).stdout for more in ([], ["--pool-runs", path]))
    assert listed == plain.replace("t test: ", "t test, pool of 6 runs: ")


def test_a_wrong_list_of_pooled_runs_is_one_line_and_2(run, track, write, monkeypatch):
    with gzip.open(track[1], "rt") as lines:
        tag = next(lines).split()[5]
    cases = {
        (): "no runs, expected the tag or the file of a run per line",
        (tag, "nobody"): ":2: no run 'nobody' and no such file, expected the tag or the file of a run per line",
        (tag, str(track[1])): f":2: run '{str(track[1])[:40]}",
    }
    for names, message in cases.items():
        path = write("pooled.txt", list(names))
        done = run("meta", "depth", "-m", "P", "--pool-depth", 5, "--eval-depth", 5, "--pool-runs", path, *track)
        assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
        assert done.stderr.startswith(f"stdeval: {path}")
        assert message in done.stderr
    monkeypatch.chdir(write(tag, "").parent)
    done = run("meta", "depth", "-m", "P", "--pool-depth", 5, "--pool-runs", write("l", [tag]), *track)
    assert f"'{tag}' is the tag of a run and a file, expected './{tag}' for the file" in done.stderr


def test_standardized_scores_are_warned_of_once(run, track):
    depths = ["--pool-depth", 1, "--pool-depth", 100, "--eval-depth", 1, "--eval-depth", 10]
    typed = ["meta", "depth", "-m", "P", "-m", "AP", "--scheme", "z", *depths, *track]
    stderr = run(*typed).stderr
    assert [stderr.count(each) for each in ("6 reference runs", "reference scores are equal")] == [1, 1]
    assert "reference" not in run(*typed, "--form", "raw").stderr


def test_a_name_of_two_runs_is_refused(run, track, write, monkeypatch):
    """A name may be the tag of one run and the file of another."""
    monkeypatch.chdir(write("qrels", gzip.decompress(track[0].read_bytes()).decode()).parent)
    for name, path in zip(("bm25", "dense", "third"), track[1:4], strict=True):
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
        tag = {"bm25": "dense", "dense": "bm25"}.get(name, name)
        write(name, [f"{line.rsplit(maxsplit=1)[0]} {tag}" for line in lines])
    options = ["-m", "P", "--form", "raw", "--pool-depth", 5, "--eval-depth", 10, "--pool-runs"]
    done = run("meta", "depth", *options, write("pooled.txt", ["bm25"]), "qrels", "bm25", "dense", "third")
    assert (done.status, done.stdout) == (2, "")
    assert "'bm25' is the tag of a run and a file, expected './bm25' for the file" in done.stderr
    for listed in (["./bm25"], ["third"]):
        path = write("pooled.txt", listed)
        assert run("meta", "depth", *options, path, "qrels", "bm25", "dense", "third").status == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-m", "P.10"], "measure 'P.10': the evaluation depth is the cutoff; expected a measure without one"),
        (["-m", "success"], "measure 'success': the evaluation depth is the cutoff"),
        (["-m", "nonsense"], "no measure 'nonsense'"),
        (["-M", "10"], "No such option"),
        (["--dask", "localhost:1"], "No such option"),
        (["--scores", "s.csv"], "No such option"),
        (["--seed", "1"], "No such option"),
        (
            ["--form", "standardized", "--scheme", "raw"],
            "--form standardized has no scheme raw, expected --form raw",
        ),
        (["--pool-depth", "0"], "Invalid value for '--pool-depth'"),
        (["--form", "normal"], "Invalid value for '--form'"),
    ],
)
def test_wrong_options_are_one_line_and_2(run, track, options, message):
    done = run("meta", "depth", *options, *track)
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
    assert message in done.stderr


def test_bad_files_are_one_line_and_2(run, track, write):
    qrels, first, second, *_ = track
    stranger = write("stranger.run", ["x1 Q0 d 1 1 t"])
    cases = {
        (qrels, first, second): "2 systems, expected at least 3",
        (qrels, first, first, second): "given twice, expected each run once",
        (
            qrels,
            first,
            f"{first.parent}/./{first.name}",
            second,
        ): f"/./{first.name}: given twice, expected each run once",
        (qrels, first, second, stranger): f"{stranger}: no topic in common with the qrels",
        (qrels,): "expected QRELS and at least one RUN",
    }
    for arguments, message in cases.items():
        done = run("meta", "depth", "-m", "P", "--pool-depth", 5, "--eval-depth", 5, *arguments)
        lines = [line for line in done.stderr.splitlines() if not line.startswith("stdeval: warning: ")]
        assert (done.status, done.raw, len(lines)) == (2, b"", 1)
        assert message in lines[0]


@pytest.mark.parametrize(
    ("measure", "named", "forms"),
    [
        ("ndcg", "ndcg, which is dcg here,", "raw, abbreviated, standardized"),
        ("bpref", "bpref", "raw, standardized"),
    ],
)
def test_a_measure_without_the_form_is_refused(run, track, measure, named, forms):
    """An empty table was printed, with status 0."""
    done = run("meta", "depth", "-m", measure, "--form", "expanded", *track)
    told = f"stdeval: {named} has no --form expanded, expected one of: {forms}\n"
    assert (done.status, done.stdout, done.stderr) == (2, "", told)
