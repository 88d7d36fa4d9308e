"""`stdeval factors`: what reference runs achieved, topic by topic."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest

SCORES = "run,topic,map\na,1,.2\nb,1,.4\nc,1,.9\na,2,.5\nb,2,.5\nc,2,.5\na,3,.1\nb,3,.4\n"


def test_moments(run, write):
    rows = {row["topic"]: row for row in run("factors", "--scores", write("s.csv", SCORES)).rows}
    assert float(rows["1"]["map.mean"]) == pytest.approx(np.mean([0.2, 0.4, 0.9]))
    assert float(rows["1"]["map.sd"]) == pytest.approx(np.std([0.2, 0.4, 0.9], ddof=1))
    assert (rows["2"]["map.mean"], rows["2"]["map.sd"]) == ("0.5", "0.0")
    assert [rows[topic]["n"] for topic in "123"] == ["3", "3", "2"]


@pytest.mark.parametrize("options", [["-f", "csv"], ["-f", "jsonl"], ["-f", "table", "--digits", "6"]])
def test_many_topics_are_written_under_one_header(run, write, options: list[str]):
    """Factors are written in parts of a thousand topics; the rows of scores are read in parts of ten thousand."""
    topics = [f"{topic:05d}" for topic in range(5_500)]
    scores = ["run,topic,map", *(f"{name},{topic},0.{topic}{name}" for topic in reversed(topics) for name in "13")]
    lines = run("factors", *options, "--scores", write("s.csv", scores)).stdout.splitlines()
    numbers = [re.findall(r"[0-9][0-9.e-]*", line) for line in (lines if "jsonl" in options else lines[1:])]
    assert [topic for topic, *_ in numbers] == topics
    assert [float(mean) for _, _, mean, *_ in numbers] == pytest.approx([float(f"0.{topic}2") for topic in topics])


def test_warnings_are_one_line_each(run, write):
    lines = run("factors", "--scores", write("s.csv", SCORES)).stderr.splitlines()
    assert len(lines) == 2
    assert "1 of 9 pairs of run and topic has no score (e.g. 'c' on topic '3'): left out" in lines[0]
    assert "2 reference runs" in lines[1]


def test_empirical_are_the_scores(run, write):
    done = run("factors", "--empirical", "--scores", write("s.csv", SCORES))
    again = run("factors", "--empirical", "--scores", "-", stdin=done.raw)
    assert again.raw == done.raw
    assert sorted((row["run"], row["topic"], float(row["map"])) for row in done.rows) == sorted(
        (run_, topic, float(score)) for run_, topic, score in csv.reader(io.StringIO(SCORES.split("\n", 1)[1]))
    )


def test_empirical_counts_are_whole_numbers(run, write):
    qrels = write("qrels", ["1 0 a 1"])
    runs = [write(f"{name}.run", [f"1 Q0 a 1 1 {name}"]) for name in "ab"]
    done = run("factors", "--empirical", "-m", "num_ret", "-m", "map", qrels, *runs)
    assert [line.split(",")[4:] for line in done.stdout.splitlines()] == [
        ["num_ret", "map"],
        ["1", "1.0"],
        ["1", "1.0"],
    ]


def test_default_measures(run, hostile: Path):
    done = run("factors", hostile / "ok.qrels", *sorted((hostile / "refs-one-constant-topic").iterdir()))
    names = [name.removesuffix(".mean") for name in done.rows[0] if name.endswith(".mean")]
    # the eleven of the published factor files
    assert names == [
        *("map", "Rprec", "recip_rank", "P_10", "ndcg", "sp", "jkdcg", "njkdcg", "dcg"),
        *("rbp_p=0.8", "rbp_p=0.95"),
    ]


def refs(run, hostile: Path, folder: str, *more: str):
    return run("factors", "-m", "map", *more, hostile / "ok.qrels", *sorted((hostile / folder).iterdir()))


def test_references_that_are_identical(run, hostile: Path):
    done = refs(run, hostile, "refs-identical")
    assert [row["map.sd"] for row in done.rows] == ["0.0"] * 5
    assert "nan" not in done.stdout
    assert "inf" not in done.stdout


def test_references_with_one_constant_topic(run, hostile: Path):
    done = refs(run, hostile, "refs-one-constant-topic")
    assert [row["topic"] for row in done.rows if row["map.sd"] == "0.0"] == ["3"]


def test_references_of_one_run(run, hostile: Path):
    done = refs(run, hostile, "refs-single")
    assert (done.status, done.stdout) == (2, "")
    assert "expected at least two" in done.stderr


def test_references_of_one_tag(run, hostile: Path):
    done = refs(run, hostile, "refs-same-tag", "--empirical")
    assert {row["run"] for row in done.rows} == {"run_1.run", "run_2.run", "run_3.run"}
    assert "3 runs have the tag 'baseline'" in done.stderr


def test_references_that_lack_topics(run, hostile: Path):
    done = refs(run, hostile, "refs-missing-topics")
    # 80, 60, 60 and 100 lines of 20 documents: 15 pairs of run and topic
    assert sum(int(row["n"]) for row in done.rows) == 15
    counted = refs(run, hostile, "refs-missing-topics", "-c")
    assert [row["n"] for row in counted.rows] == ["4"] * 5
    for row, full in zip(done.rows, counted.rows, strict=True):
        assert float(full["map.mean"]) == pytest.approx(float(row["map.mean"]) * int(row["n"]) / 4)


@pytest.mark.parametrize("measures", [["num_q"], ["runid"], ["gm_map", "relstring"]])
def test_measures_that_are_no_scores(run, hostile: Path, measures: list[str]):
    words = [word for measure in measures for word in ("-m", measure)]
    done = run(
        "factors", *words, hostile / "ok.qrels", hostile / "ok.run", hostile / "all-ties.run", "--label=file"
    )
    assert (done.status, done.stdout) == (2, "")
    assert f"{', '.join(measures)} {'has' if len(measures) == 1 else 'have'} no score per topic" in done.stderr


def test_real_runs(run, covid):
    """The factors of the 126 runs against numpy, from the scores that eval printed."""
    scores = list(csv.DictReader(covid.scores.read_text().splitlines()))
    factors = list(csv.DictReader(covid.factors.read_text().splitlines()))
    assert len(factors) == 50
    for row in factors:
        for measure in ("map", "P_10", "recip_rank", "ndcg_cut_10"):
            values = [float(line[measure]) for line in scores if line["topic"] == row["topic"]]
            assert len(values) == int(row["n"])
            assert float(row[f"{measure}.mean"]) == pytest.approx(np.mean(values), abs=1e-14)
            assert float(row[f"{measure}.sd"]) == pytest.approx(np.std(values, ddof=1), abs=1e-14)


def test_same_from_runs_as_from_scores(run, covid, tmp_path: Path):
    runs = covid.runs[:12]
    direct = run("factors", "-m", "map", "-m", "P.10", covid.qrels, *runs)
    table = run("eval", "-q", "-f", "csv", "-m", "map", "-m", "P.10", covid.qrels, *runs)
    from_scores = run("factors", "--scores", "-", stdin=table.raw).rows
    for row in (rows := direct.rows):
        # scores do not say from which judgments they were computed
        del row["judgments"], row["options"]
    assert from_scores == rows
    empirical = run("factors", "--empirical", "-m", "map", "-m", "P.10", covid.qrels, *runs)
    assert run("factors", "--scores", "-", stdin=empirical.raw).raw == direct.raw


@pytest.mark.parametrize("options", ["", "--empirical", "--best 3"])
def test_the_measures_stand_in_the_order_in_which_they_were_typed(run, sample, options: str):
    measures = ["map", "P_10", "bpref"]
    typed = [part for measure in measures for part in ("-m", measure)]
    head = run("factors", *options.split(), *typed, *sample[:5]).stdout.splitlines()[0].split(",")
    places = [head.index(name if "empirical" in options else f"{name}.mean") for name in measures]
    assert places == sorted(places)


def test_standardized_scores_are_no_reference_scores(run, write):
    """No command would take their factors."""
    scores = write("s.csv", ["run,topic,map,Nmap", "a,1,0.1,0.2", "b,1,0.3,0.7"])
    done = run("factors", "--scores", scores, "-m", "Nmap")
    assert (done.status, done.stdout) == (2, "")
    assert "Nmap is standardized already, expected raw scores" in done.stderr
    assert "Nmap is standardized already, expected -m with one of: map" in run("factors", "--scores", scores).stderr
    assert run("factors", "--scores", scores, "-m", "map").status == 0


@pytest.mark.parametrize(("options", "n", "told"), [("", 4, True), ("", 12, False), ("--empirical", 12, True)])
def test_few_references_are_one_line(run, sample, options: str, n: int, told: bool):
    """Means and standard deviations do not serve E, so its greater need is no matter there."""
    done = run("factors", *options.split(), "-m", "map", *sample[: n + 1])
    assert (f"{n} reference runs" in done.stderr, done.stderr.count("\n")) == (told, told)
