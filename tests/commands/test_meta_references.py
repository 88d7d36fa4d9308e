"""`stdeval meta references`: what must hold, and scipy on whole reference sets."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores


def scores_of(path):
    return read_scores(Input(str(path))).measure("map")


def normal_means(scores, reference):
    z = (scores - reference.mean(axis=0)) / reference.std(axis=0, ddof=1)
    return scipy.stats.norm.cdf(z).mean(axis=1)


def test_the_more_references_the_closer(run, robust_files):
    # Webber 2008, Figure 4, has the median of samples of 10 above 0.95; all references give the ranking itself
    sizes = [word for size in (5, 10, 40, 110) for word in ("--references", size)]
    rows = run("meta", "references", "--scores", robust_files.of_2003, *sizes, "--trials", 60, "-f", "csv").rows
    medians = [float(row["median"]) for row in rows]
    assert medians == sorted(medians)
    assert medians[1] > 0.95
    assert [float(rows[-1][name]) for name in ("median", "p5", "p1")] == [1.0, 1.0, 1.0]
    assert all(float(row["p1"]) <= float(row["p5"]) <= float(row["median"]) for row in rows)
    assert [(row["size"], row["references"], row["trials"]) for row in rows] == [
        (size, "110", "60") for size in ("5", "10", "40", "110")
    ]


def test_raw_ranking_is_compared_too(run, scores_file):
    path = scores_file(n_systems=15)
    (row,) = run("meta", "references", "--scores", path, "--references", 5, "--trials", 20, "-f", "csv").rows
    scores = scores_of(path)
    expected = scipy.stats.kendalltau(normal_means(scores, scores), scores.mean(axis=1)).statistic
    assert float(row["tau_raw"]) == pytest.approx(expected)


def test_raw_means_tie_where_the_numbers_of_relevant_documents_do(run, write):
    """P_5 and the numbers of relevant documents in the top five, which are whole and have the same ranking."""
    counts = np.random.default_rng(8).integers(0, 6, (30, 25))
    rows = [f"s{i},{t},{count},{count / 5}" for i, row in enumerate(counts) for t, count in enumerate(row)]
    options = ["--references", 5, "--trials", 5, "-f", "csv"]
    done = run("meta", "references", "--scores", write("s.csv", ["run,topic,relevant,P_5", *rows]), *options)
    by_count, by_share = (float(row["tau_raw"]) for row in done.rows)
    assert by_share == pytest.approx(by_count, abs=1e-15)


def test_two_collections_by_raw_scores(run, robust_files):
    """Webber 2008, Figure 4: 0.742 between the 2003 and the 2004 topics."""
    typed = ("meta", "references", "--scores", robust_files.of_2003, "--collection", robust_files.of_2004)
    rows = run(*typed, "--references", 5, "--references", 10, "--trials", 20, "-f", "csv").rows
    assert [f"{float(row['tau_collection']):.3f}" for row in rows] == ["0.742", "0.742"]
    without = run(*typed[:4], "--references", 5, "--references", 10, "--trials", 20, "-f", "csv").rows
    assert [{**row, "tau_collection": None} for row in rows] == [
        {**row, "tau_collection": None, "collection_systems": "110"} for row in without
    ]


def test_two_collections_share_systems_and_topics(run, scores_file, write):
    """Of the collection, s0 is missing, s9 is not ranked, and s3 lacks topic 0."""
    here, there = scores_file("a.csv", n_systems=9), scores_file("b.csv", n_systems=10, seed=4)
    lines = [line for line in there.read_text().splitlines() if not line.startswith(("s0,", "s3,0,"))]
    typed = ("meta", "references", "--scores", here, "--references", 5, "--trials", 5, "-f", "csv")
    done = run(*typed, "--collection", write("c.csv", lines))
    means = [scores_of(here)[1:].mean(axis=1), scores_of(there)[1:9, 1:].mean(axis=1)]
    assert float(done.rows[0]["tau_collection"]) == pytest.approx(scipy.stats.kendalltau(*means).statistic)
    assert "1 of 9 systems" in done.stderr
    assert {(row["systems"], row["collection_systems"]) for row in done.rows} == {("9", "8")}
    assert "1 of 12 topics" in done.stderr
    assert done.stderr.count("\n") == 2


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["run,topic,map", "s1,1,0.5"], "1 of the ranked systems, expected at least 2"),
        (["run,topic,map", "s1,1,0.5", "s2,2,0.5"], "no topic that all ranked systems have, expected some"),
        (["run,topic,P_10", "s1,1,0.5", "s2,1,0.5"], "no measure 'map' in the scores"),
    ],
)
def test_bad_collections_are_one_line_and_2(run, scores_file, write, lines: list[str], message: str):
    path = write("bad.csv", lines)
    options = ["--references", 5, "--trials", 5, "--collection", path]
    done = run("meta", "references", "--scores", scores_file(), *options)
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr.splitlines()[-1].startswith(f"stdeval: {path}: {message}")


def test_other_references_for_other_systems(run, scores_file):
    reference, other = scores_file("a.csv", n_systems=12, seed=1), scores_file("b.csv", n_systems=14, seed=2)
    ranked = scores_file("c.csv", n_systems=9, seed=3)
    options = ["--scores", reference, "--evaluate", ranked, "--other", other, "-f", "csv"]
    (row,) = run("meta", "references", *options).rows
    means = [normal_means(scores_of(ranked), scores_of(path)) for path in (reference, other)]
    assert float(row["tau_b"]) == pytest.approx(scipy.stats.kendalltau(*means).statistic)
    assert float(row["r"]) == pytest.approx(scipy.stats.pearsonr(*means).statistic)
    assert [row[name] for name in ("systems", "references", "other_references")] == ["9", "12", "14"]
    assert "trials" not in row


def test_runs_or_a_scores_file_are_evaluated(run, sample, tmp_path):
    qrels, *references = sample
    new, scores = [qrels.parent / f"new-{x}.run.gz" for x in "ab"] + references[:3], tmp_path / "new.csv"
    assert run("eval", "-q", "-f", "csv", "-n", "-m", "map", "-o", scores, qrels, *new).status == 0
    options = ["-m", "map", "--references", 5, "--trials", 20, "-f", "csv", qrels, *references[3:]]
    from_runs = run("meta", "references", *options, *(word for path in new for word in ("--evaluate", path)))
    from_scores = run("meta", "references", *options, "--evaluate", scores)
    assert from_runs.rows[0]["systems"] == "5"
    assert from_runs.raw == from_scores.raw


def test_workers_change_nothing_and_seeds_do(run, scores_file):
    sizes = ["--references", 5, "--references", 10]
    options = ["--scores", scores_file(n_systems=20), *sizes, "--trials", 120, "-f", "csv"]
    alone = run("meta", "references", *options, "-j", 1)
    assert run("meta", "references", *options, "-j", 2).raw == alone.raw
    assert run("meta", "references", *options, "--seed", 1).raw != alone.raw


def test_topics_that_some_lack_are_left_out(run, write, scores_file):
    path = scores_file(n_systems=12)
    gaps = [line for line in path.read_text().splitlines() if not line.startswith("s2,3,")]
    options = ["--references", 5, "--trials", 5, "-f", "csv"]
    done = run("meta", "references", "--scores", write("g.csv", gaps), *options)
    assert done.rows[0]["topics"] == "11"
    assert "1 of 12 topics" in done.stderr


def test_bad_input_is_one_line_and_2(run, scores_file, tmp_path):
    a, two = scores_file("a.csv"), scores_file("two.csv", measures=("map", "P_10"))
    cases = {
        ("--scores", a, "--references", 7): "samples of 7 references, expected 2 to 6",
        ("--scores", a, "--references", 1): "Invalid value for '--references'",
        ("--scores", a, "--references", 3, "--other", a): "expected --references or --other, not both",
        ("--scores", a, "--collection", a, "--other", a): "expected --collection or --other, not both",
        ("--scores", two, "--other", a): f"{a}: no measure 'P_10' in the scores",
        ("--scores", two, "--evaluate", a): f"{a}: no measure 'P_10' in the scores",
        ("--scores", a, "--other", scores_file("few.csv", n_systems=2, seed=2)): "2 systems, expected at least 3",
        ("--scores", a, "--scheme", "x"): "Invalid value for '--scheme'",
        ("--scores", a, "-F", a, "--evaluate", a): "expected -F or --evaluate, not both",
        ("--scores", a, "--evaluate", tmp_path / "none"): "none",
    }
    for arguments, message in cases.items():
        done = run("meta", "references", *arguments)
        assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
        assert message in done.stderr


def test_no_topic_in_common_is_refused(run, write, scores_file):
    other = write("o.csv", ["run,topic,map", *(f"s{i},x{t},0.{i}{t}" for i in range(4) for t in range(5))])
    done = run("meta", "references", "--scores", scores_file("a.csv"), "--other", other)
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr == (
        "stdeval: no topic that all systems have, expected references and systems on the same topics\n"
    )


def test_references_of_a_factors_file_are_those_that_runs_are_ranked_by(run, scores_file):
    reference, ranked = scores_file("a.csv"), scores_file("b.csv", seed=2)
    options = ["--references", 3, "--trials", 40, "-f", "csv"]
    by_factors = run("meta", "references", "--scores", ranked, "-F", reference, *options)
    assert by_factors.rows == run("meta", "references", "--scores", reference, "--evaluate", ranked, *options).rows


def test_raw_scores_need_no_references(run, scores_file):
    options = ["--references", 3, "--trials", 40, "-f", "csv", "--scheme", "raw"]
    (row,) = run("meta", "references", "--scores", scores_file("a.csv"), *options).rows
    assert [float(row[name]) for name in ("median", "p5", "p1", "tau_raw")] == [1.0] * 4


@pytest.mark.parametrize("how", [(), ("--other",), ("--evaluate",), ("-F",)])
def test_stored_standardized_scores_are_not_standardized_again(run, scores_file, how):
    path = scores_file("a.csv", measures=("map", "Nmap"))
    options = ["--scores", path, *(word for option in how for word in (option, path)), "-f", "csv"]
    done = run("meta", "references", "-m", "Nmap", *options)
    assert (done.status, done.stdout) == (2, "")
    assert "Nmap is standardized already, expected raw scores" in done.stderr
    assert "expected -m with one of: map\n" in run("meta", "references", *options).stderr
    assert run("meta", "references", "-m", "map", *options).status == 0
    assert run("meta", "references", "-m", "Nmap", "--scheme", "raw", *options).status == 0


def test_moments_alone_are_no_references(run, scores_file, tmp_path):
    factors = tmp_path / "factors.csv"
    assert run("factors", "--scores", scores_file("a.csv"), "-o", factors).status == 0
    done = run("meta", "references", "--scores", scores_file("a.csv"), "-F", factors)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith(f"stdeval: {factors}: means and standard deviations only")


def test_topics_where_all_references_score_alike_are_told_once(run, write):
    """By Z topic 1 is left out, where all have 0; by N it is kept."""
    rows = [
        f"{run_},{topic},{0 if topic == 1 else (i * topic) % 7 / 10}"
        for i, run_ in enumerate("abcd")
        for topic in range(1, 7)
    ]
    arguments = [
        "meta",
        "references",
        "--scores",
        write("s.csv", ["run,topic,map", *rows]),
        "--references",
        3,
        "--trials",
        5,
    ]
    by_z = run(*arguments, "--scheme", "z", "--scheme", "n").stderr
    assert by_z.count("equal reference scores") == 1
    assert "equal reference" not in run(*arguments, "--scheme", "n").stderr
