"""`stdeval check`: what passes, what fails, what cannot be told; alone and inside a Makefile."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import stdev
from xml.etree import ElementTree

import pytest
import scipy.stats
from statsmodels.stats.power import TTestPower

from stdeval import __version__

ROOT = Path(__file__).resolve().parents[2]
MEASURE = "recip_rank"

# The rank of the one relevant document, for each of eight topics; its reciprocal is recip_rank.
RANKS = {
    "old": [1, 1, 1, 2, 2, 2, 4, 4],
    "good": [1, 1, 1, 1, 2, 2, 4, 4],
    "bad": [4, 4, 2, 2, 4, 2, 4, 8],
}


def run_lines(tag: str, ranks: list[int], n_topics: int = 8) -> list[str]:
    return [
        f"{topic} Q0 {topic}-{'rel' if rank == place else f'd{place}'} {place} {100 - place} {tag}"
        for topic, rank in enumerate(ranks[:n_topics], 1)
        for place in range(1, 11)
    ]


@pytest.fixture
def qrels(write) -> Path:
    return write("qrels.txt", [f"{topic} 0 {topic}-rel 1" for topic in range(1, 9)])


@pytest.fixture
def runs(write) -> dict[str, Path]:
    return {tag: write(f"{tag}.run", run_lines(tag, ranks)) for tag, ranks in RANKS.items()}


@pytest.fixture
def factors(write) -> Path:
    return write("factors.csv", ["topic,n,map.mean,map.sd", *(f"{topic},40,0.5,0.25" for topic in range(1, 9))])


def found_in(tag: str) -> str:
    """The loss that statsmodels finds with a power of 80%, in words."""
    differences = [1 / new - 1 / old for new, old in zip(RANKS[tag], RANKS["old"], strict=True)]
    effect = TTestPower().solve_power(nobs=8, alpha=0.05, power=0.8, alternative="larger")
    return f"a t test finds a loss of {effect * stdev(differences):.4f} with 80% power"


def test_all_hold(run, qrels, runs):
    typed = ["--min", "RR=0.6", "--baseline", "old", "--max-drop", "recip_rank=0", "--not-worse", "map"]
    done = run("check", qrels, runs["old"], runs["good"], *typed)
    assert done.stdout.splitlines() == [
        "PASS\tgood\tmin recip_rank=0.6\tmean 0.6875 on 8 topics, expected at least 0.6",
        "PASS\tgood\tmax-drop recip_rank=0\tmean 0.6875, baseline 0.6250 on 8 topics, "
        "drop -0.0625, expected at most 0",
        "PASS\tgood\tnot-worse map\tmean 0.6875, baseline 0.6250 on 8 topics, p 0.825, expected above alpha 0.05 "
        f"(Student's t test, paired, one-tailed (less)); {found_in('good')}",
        "0 of 3 conditions failed",
    ]
    assert (done.status, done.stderr) == (0, "")


def test_some_fail(run, qrels, runs):
    reciprocal = {tag: [1 / rank for rank in ranks] for tag, ranks in RANKS.items()}
    p = scipy.stats.ttest_rel(reciprocal["bad"], reciprocal["old"], alternative="less").pvalue
    typed = ["--min", "map=0.2", "--baseline", "old", "--max-drop", "map=0.05", "--not-worse", "map"]
    done = run("check", qrels, runs["old"], runs["bad"], *typed)
    lost = "lost most on 1 (-0.7500), 2 (-0.7500), 3 (-0.5000), 5 (-0.2500), 8 (-0.1250)"
    assert done.stdout.splitlines() == [
        "PASS\tbad\tmin map=0.2\tmean 0.3281 on 8 topics, expected at least 0.2",
        "FAIL\tbad\tmax-drop map=0.05\tmean 0.3281, baseline 0.6250 on 8 topics, "
        f"drop 0.2969, expected at most 0.05\t{lost}",
        f"FAIL\tbad\tnot-worse map\tmean 0.3281, baseline 0.6250 on 8 topics, p {p:.3g}, expected above alpha 0.05 "
        f"(Student's t test, paired, one-tailed (less)); {found_in('bad')}\t{lost}",
        "2 of 3 conditions failed",
    ]
    assert (done.status, done.stderr) == (1, "")


def test_every_run_but_the_baseline_is_checked(run, qrels, runs):
    done = run("check", qrels, *runs.values(), "--baseline", runs["old"], "--max-drop", "map=0.1")
    assert [line.split("\t")[:2] for line in done.stdout.splitlines()[:-1]] == [["PASS", "good"], ["FAIL", "bad"]]
    assert done.status == 1


@pytest.mark.parametrize("names_file", [False, True])
def test_no_condition_applies_to_the_baseline(run, qrels, runs, names_file: bool):
    """The result is the same if the baseline is not among the runs."""
    checked, baseline = ([runs["good"]], runs["bad"]) if names_file else ([runs["bad"], runs["good"]], "bad")
    done = run("check", qrels, *checked, "--baseline", baseline, "--min", "map=0.6", "--max-drop", "map=0")
    assert [line.split("\t")[:2] for line in done.stdout.splitlines()[:-1]] == [["PASS", "good"], ["PASS", "good"]]
    assert done.status == 0


@pytest.mark.parametrize(("alpha", "status"), [("0.01", 0), ("0.05", 1)])
def test_alpha(run, qrels, runs, alpha: str, status: int):
    """p is 0.0177 (scipy's, see test_some_fail)."""
    typed = ("check", qrels, runs["old"], runs["bad"], "--baseline", "old", "--not-worse", "map", "--alpha", alpha)
    assert run(*typed).status == status


def test_standardized_names(run, qrels, runs, factors):
    done = run(
        "check", qrels, runs["good"], "-F", factors, "--min", "Nmap=0.6", "--min", "ZAP=-1", "--min", "map=.5"
    )
    z = [(1 / rank - 0.5) / 0.25 for rank in RANKS["good"]]
    assert [line.split("\t")[2:] for line in done.stdout.splitlines()[:-1]] == [
        ["min Nmap=0.6", f"mean {sum(scipy.stats.norm.cdf(z)) / 8:.4f} on 8 topics, expected at least 0.6"],
        ["min Zmap=-1", f"mean {sum(z) / 8:.4f} on 8 topics, expected at least -1"],
        ["min map=0.5", "mean 0.6875 on 8 topics, expected at least 0.5"],
    ]
    assert done.status == 0


def test_scores_files(run, write):
    path = write("s.csv", ["run,topic,ours,Nmap", "a,1,0.5,0.1", "a,2,0.7,0.3", "b,1,0.5,0.2", "b,2,0.9,0.9"])
    typed = ["--baseline", "b", "--max-drop", "ours=0.05", "--min", "Nmap=0.15"]
    done = run("check", "--scores", path, *typed)
    assert [line.split("\t")[3] for line in done.stdout.splitlines()[:-1]] == [
        "mean 0.2000 on 2 topics, expected at least 0.15",
        "mean 0.6000, baseline 0.7000 on 2 topics, drop 0.1000, expected at most 0.05",
    ]
    assert done.status == 1


def test_stored_scores_of_an_incomplete_run_are_shown_with_their_number_of_topics(run, qrels, write, tmp_path):
    """The file does not tell that the run lacked half of the topics when it was evaluated."""
    partial = write("partial.run", run_lines("partial", RANKS["old"], n_topics=4))
    run("eval", "-q", "-f", "csv", "-m", "recip_rank", "-o", tmp_path / "s.csv", qrels, partial)
    done = run("check", "--scores", tmp_path / "s.csv", "--min", "recip_rank=0.4")
    assert "mean 0.8750 on 4 topics, expected at least 0.4" in done.stdout  # (1 + 1 + 1 + 0.5) / 4


def test_resampling_tests_say_what_was_drawn(run, qrels, runs):
    typed = ["--baseline", "old", "--not-worse", "map", "--test", "bootstrap", "--resamples", 500, "--seed", 9]
    done = run("check", qrels, runs["old"], runs["bad"], *typed)
    assert "studentized bootstrap test, paired, one-tailed (less); 500 resamples, seed 9" in done.stdout
    assert run("check", qrels, runs["old"], runs["bad"], *typed).raw == done.raw
    assert done.status == 1


def test_with_c_missing_topics_count_0(run, qrels, write):
    partial = write("partial.run", run_lines("partial", RANKS["old"], n_topics=4))
    done = run("check", qrels, partial, "-c", "--min", "recip_rank=0.4")
    assert done.status == 0
    assert "mean 0.4375 on 8 topics," in done.stdout  # (1 + 1 + 1 + 0.5) / 8


@pytest.mark.parametrize("options", [[], ["-c"]])
def test_topics_without_factors_are_refused_also_with_c(run, qrels, runs, write, options):
    factors = write("few.csv", ["topic,n,map.mean,map.sd", "1,40,0.5,0.25", "2,40,0.5,0.25"])
    done = run("check", qrels, runs["good"], *options, "-F", factors, "--min", "Zmap=2")
    assert (done.status, done.raw) == (2, b"")
    assert "'good' has no Zmap for 6 of 8 topics (e.g. '3'), expected it for all" in done.stderr


COULD_NOT_LOOK = {
    "no condition": (
        [],
        "nothing to check, expected --min, --max-drop, --max-topic-drop, --non-inferior or --not-worse",
    ),
    "unknown measure": (["--min", "mpa=0.1"], "no measure 'mpa'"),
    "unknown standardized measure": (["--min", "Nmpa=0.1"], "no measure 'Nmpa'"),
    "several measures": (["--min", "P=0.1"], "'P' means 9 measures, expected one, such as P_5"),
    "a count": (["--min", "num_rel_ret=1"], "num_rel_ret has no score per topic, only a count or a summary"),
    "a summary": (["--min", "gm_map=0.1"], "gm_map has no score per topic"),
    "no value": (["--min", "map"], "expected MEASURE=VALUE"),
    "value nan": (["--min", "map=nan"], "expected MEASURE=VALUE"),
    "value inf": (["--min", "map=-inf"], "expected MEASURE=VALUE"),
    "decimal comma": (["--min", "map=0,1"], "expected MEASURE=VALUE"),
    "value empty": (["--min", "map="], "expected MEASURE=VALUE"),
    "a percentage as the least mean": (["--min", "map=2%"], "expected MEASURE=VALUE with a plain number"),
    "a percentage of nothing": (
        ["--max-drop", "map=%", "--baseline", "old"],
        "expected MEASURE=VALUE with a plain number or",
    ),
    "over 100%": (["--max-drop", "map=101%", "--baseline", "old"], "from 0% to 100%"),
    "negative percentage": (["--max-drop", "map=-1%", "--baseline", "old"], "expected a limit from 0"),
    "a percentage of a mean of 0": (
        ["--max-drop", "P_5=2%", "--baseline", "none.run"],
        "every P_5 score of the baseline 'none.run' is 0, expected a baseline that finds relevant documents",
    ),
    "a percentage of a topic": (
        ["--max-topic-drop", "map=2%", "--baseline", "old"],
        "expected MEASURE=VALUE with a plain number, such as",
    ),
    "negative topic drop": (["--max-topic-drop", "map=-1", "--baseline", "old"], "expected a limit from 0"),
    "no margin": (["--non-inferior", "map=0", "--baseline", "old"], "map=0: expected a margin above 0"),
    "no baseline for a margin": (["--non-inferior", "map=0.1"], "--non-inferior compares with a run, expected"),
    "no baseline for topics": (["--max-topic-drop", "map=0.1"], "--max-topic-drop compares with a run, expected"),
    "a limit above all scores": (["--min", "map=30"], "min map=30: scores are from 0 to 1"),
    "a limit below all scores": (["--min", "map=-1"], "min map=-1: scores are from 0 to 1"),
    "a drop beyond all scores": (["--max-drop", "map=2", "--baseline", "old"], "map=2: scores are from 0 to 1"),
    "negative drop": (["--max-drop", "map=-0.1", "--baseline", "old"], "expected a limit from 0"),
    "no baseline": (["--max-drop", "map=0.1"], "expected --baseline RUN"),
    "no baseline for a test": (["--not-worse", "map"], "expected --baseline RUN"),
    "unknown baseline": (["--not-worse", "map", "--baseline", "older"], "no run 'older'"),
    "no factors": (["--min", "Nmap=0.1"], "Nmap is a standardized score, expected factors (-F)"),
    "factors without the measure": (["--min", "NP_5=0.1", "-F", "factors.csv"], "no factors of P_5, only of map"),
    "factors without references": (["--min", "Emap=0.1", "-F", "factors.csv"], "expected reference scores"),
    "factors absent": (["--min", "map=0.1", "-F", "absent.csv"], "absent.csv: no such file"),
    "factors of some topics": (
        ["--min", "Nmap=.0001", "-F", "few.csv"],
        "'good' has no Nmap for 7 of 8 topics (e.g. '2')",
    ),
    "scores apart from an sd of 0": (["--min", "Zmap=0", "-F", "flat.csv"], "'good' has no Zmap for 8 of 8 topics"),
    "bad --ab": (["--min", "Umap=.0001", "-F", "factors.csv", "--ab", "1"], "--ab 1: expected two numbers"),
    "bad alpha": (["--not-worse", "map", "--baseline", "old", "--alpha", "1"], "Invalid value for '--alpha'"),
    "alpha nan": (["--not-worse", "map", "--baseline", "old", "--alpha", "nan"], "'--alpha'"),
    "bad level": (["--min", "map=.0001", "-l", "0"], "Invalid value for '-l'"),
    "unknown option": (["--max", "map=0"], "No such option"),
}


@pytest.mark.parametrize("case", COULD_NOT_LOOK)
def test_could_not_look(run, monkeypatch, qrels, runs, factors, write, case: str):
    write("few.csv", ["topic,n,map.mean,map.sd", "1,40,0.5,0.25"])
    write("flat.csv", ["topic,n,map.mean,map.sd", *(f"{topic},40,0.3,0" for topic in range(1, 9))])
    write("none.run", run_lines("none", [8] * 8))
    monkeypatch.chdir(factors.parent)
    typed, message = COULD_NOT_LOOK[case]
    done = run("check", qrels, *(runs[tag] for tag in ("good", "old")), *typed)
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1), done.stderr
    assert message in done.stderr


def test_missing_topics_cannot_be_told(run, qrels, runs, write):
    partial = write("partial.run", run_lines("partial", RANKS["old"], n_topics=7))
    for paths in ([partial], [runs["good"], partial], [partial, runs["old"]]):
        done = run("check", qrels, *paths, "--min", "map=.0001")
        assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
        expected = f"expected documents for every topic of {qrels}, or -c to count missing ones as 0\n"
        assert f"{partial}: no documents for 1 of 8 judged topics (e.g. '8'), {expected}" in done.stderr


def test_missing_scores_cannot_be_told(run, write):
    path = write("s.csv", ["run,topic,map,y", "a,1,0.5,1", "a,2,,1", "b,1,0.5,1", "b,2,0.9,1", "b,3,0.9,1"])
    done = run("check", "--scores", path, "--min", "map=.0001")
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr == "stdeval: 'a' has no map for 2 of 3 topics (e.g. '2'), expected it for all\n"


def test_one_topic_cannot_be_tested(run, write):
    path = write("s.csv", ["run,topic,map", "a,1,0.5", "b,1,0.6"])
    done = run("check", "--scores", path, "--not-worse", "map", "--baseline", "b")
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
    assert "two topics" in done.stderr


def test_no_run_but_the_baseline(run, qrels, runs):
    done = run("check", qrels, runs["old"], "--baseline", "old", "--max-drop", "map=0")
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr == "stdeval: no run to check besides the baseline 'old'\n"


def test_wrong_files_cannot_be_told(run, hostile: Path):
    for qrels, path in [
        ("ok.qrels", "nan-score.run"),
        ("ok.qrels", "no-overlap.run"),
        ("ok.qrels", "empty.run"),
        ("empty.qrels", "ok.run"),
        ("ok.qrels", "truncated.run.gz"),
        ("ok.qrels", "absent.run"),
    ]:
        done = run("check", hostile / qrels, hostile / path, "--min", "map=.0001")
        assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)


def test_csv_has_the_figures_in_full_precision(run, qrels, runs):
    typed = [
        "--min",
        "map=0.2",
        "--max-drop",
        "map=50%",
        "--max-topic-drop",
        "map=0.3",
        "--non-inferior",
        "map=0.1",
    ]
    drawn = ["--not-worse", "map", "--test", "permutation", "--resamples", 300, "--seed", 5]
    done = run("check", qrels, runs["old"], runs["bad"], "--baseline", "old", *typed, *drawn, "-f", "csv")
    assert done.status == 1
    old, bad = ([1 / rank for rank in RANKS[tag]] for tag in ("old", "bad"))
    test = scipy.stats.ttest_rel(bad, old, alternative="greater")
    assert {row["run"] for row in done.rows} == {"bad"}
    assert [row["condition"] for row in done.rows] == [
        "min map=0.2",
        "max-drop map=50%",
        "max-topic-drop map=0.3",
        "non-inferior map=0.1",
        "not-worse map",
    ]
    # 0.328125 is the mean of bad and 0.625 that of old, exactly: all scores are powers of 2
    assert [(row["limit"], row["value"]) for row in done.rows[:3]] == [
        ("0.2", "0.328125"),
        ("0.3125", "0.296875"),
        ("0.3", "0.75"),
    ]
    assert float(done.rows[3]["value"]) == pytest.approx(test.confidence_interval(0.95).low)
    assert done.rows[3]["limit"] == "-0.1"
    assert [(row["mean"], row["baseline"], row["n"]) for row in done.rows] == [("0.328125", "0.625", "8")] * 5
    tested = [[row[name] for name in ("alpha", "test", "resamples", "seed")] for row in done.rows]
    assert tested == [[""] * 4] * 3 + [["0.05", "t", "", ""], ["0.05", "permutation", "300", "5"]]
    assert [row["holds"] for row in done.rows] == ["true", "true", "false", "false", "false"]
    assert [row["topics"] for row in done.rows] == ["", "", "1 2 3", "1 2 3 5 8", "1 2 3 5 8"]


def test_markdown_is_a_table_and_a_line_below_it(run, write):
    path = write("s.csv", ["run,topic,x", "a|b_c,1,0.5", "a|b_c,2,0.7"])
    done = run("check", "--scores", path, "--min", "x=0.65", "--min", "x=0.1", "-f", "markdown")
    assert done.status == 1
    assert done.stdout.splitlines() == [
        "| result | run | condition | figures | topics |",
        "| --- | --- | --- | --- | --- |",
        r"| FAIL | a\|b\_c | min x=0.65 | mean 0.6000 on 2 topics, expected at least 0.65 "
        "| lowest on 1 (0.5000), 2 (0.7000) |",
        r"| PASS | a\|b\_c | min x=0.1 | mean 0.6000 on 2 topics, expected at least 0.1 |  |",
        "",
        "1 of 2 conditions failed",
        "",
        f"signature: `stdeval:{__version__}|measures:x|options:unknown|scheme:raw|qrels:unknown|topics:2`",
    ]


@pytest.mark.parametrize("output_format", ["text", "markdown", "csv"])
def test_nothing_is_printed_in_any_format_of_what_could_not_be_told(run, write, output_format: str):
    path = write("s.csv", ["run,topic,map", "a,1,0.5", "b,1,0.6"])
    done = run("check", "--scores", path, "--non-inferior", "map=0.1", "--baseline", "b", "-f", output_format)
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr == "stdeval: non-inferior map=0.1: 1 topic, expected at least two topics to compare on\n"


def cases(path: Path) -> list[tuple[str, str, list[str]]]:
    suite = ElementTree.parse(path).getroot()[0]
    return [(case.get("classname", ""), case.get("name", ""), [child.tag for child in case]) for case in suite]


def test_junit(run, qrels, runs, tmp_path: Path):
    target = tmp_path / "out.xml"
    typed = ["--min", "map=0.3", "--baseline", "old", "--max-drop", "map=0.05", "--junit", target]
    assert run("check", qrels, runs["old"], runs["bad"], *typed).status == 1
    assert cases(target) == [("bad", "min map=0.3", []), ("bad", "max-drop map=0.05", ["failure"])]
    root = ElementTree.parse(target).getroot()
    assert {name: root[0].get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "2",
        "failures": "1",
        "errors": "0",
    }
    assert 0 < float(root[0].get("time", "")) < 60
    assert sum(float(case.get("time", "")) for case in root[0]) <= float(root[0].get("time", "")) + 0.002
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("message") == "mean 0.3281, baseline 0.6250 on 8 topics, drop 0.2969, expected at most 0.05"
    assert (failure.text or "").startswith(f"{failure.get('message')}\nlost most on 1 (-0.7500)")


def test_junit_has_the_time_of_each_condition(run, qrels, runs, tmp_path: Path, monkeypatch):
    """By a clock that is a second later whenever somebody looks."""
    target, clock = tmp_path / "out.xml", itertools.count()
    monkeypatch.setattr("stdeval.commands.check.perf_counter", lambda: float(next(clock)))
    assert run("check", qrels, runs["good"], runs["bad"], "--min", "map=0.5", "--junit", target).status == 1
    (suite,) = ElementTree.parse(target).getroot()
    assert [case.get("time") for case in suite] == ["1.000", "1.000"]
    assert float(suite.get("time", "")) >= 4


def test_junit_has_the_warnings(run, qrels, runs, write, tmp_path: Path):
    target = tmp_path / "out.xml"
    factors = write("few.csv", ["topic,n,map.mean,map.sd", *(f"{topic},4,0.5,0.25" for topic in range(1, 9))])
    done = run("check", qrels, runs["good"], "-F", factors, "--min", "Nmap=0.1", "--junit", target)
    told = ElementTree.parse(target).getroot().findtext(".//system-err")
    assert "4 reference runs" in told
    assert done.stderr == f"stdeval: {told}\n"


@pytest.mark.parametrize(
    "typed",
    ["--baseline old", "--test sign --alpha 0.1 --seed 3", "-F factors.csv --ab 1,1", "--allow-other-judgments"],
)
def test_options_without_effect_are_taken(run, monkeypatch, qrels, runs, factors, typed: str):
    monkeypatch.chdir(factors.parent)
    done = run("check", qrels, runs["old"], runs["good"], "--min", "map=0.0001", *typed.split())
    assert (done.status, done.stderr) == (0, "")


def test_topics_that_z_leaves_out_for_all_runs_are_left_out(run, qrels, runs, write):
    """As they are for a baseline; a topic without factors is refused."""
    rows = [f"{topic},40,0.5,{0.25 if topic > 1 else 0}" for topic in range(1, 9)]
    flat = write("flat.csv", ["topic,n,map.mean,map.sd", *rows])
    few = write("few.csv", ["topic,n,map.mean,map.sd", *rows[:-1]])
    typed = ["--min", "Zmap=-1", "--baseline", runs["old"], "--max-drop", "Zmap=9"]
    done = run("check", qrels, runs["good"], *typed, "-F", flat)
    assert done.status == 0
    assert done.stdout.count("on 7 topics") == 2
    done = run("check", qrels, runs["good"], *typed, "-F", few)
    assert (done.status, done.raw) == (2, b"")
    assert "1 of 7 topics (e.g. '8')" in done.stderr


def test_junit_of_an_earlier_run_does_not_stay(run, qrels, runs, tmp_path: Path):
    target = tmp_path / "out.xml"
    assert run("check", qrels, runs["good"], "--min", "map=.0001", "--junit", target).status == 0
    done = run("check", qrels, tmp_path / "absent.run", "--min", "map=.0001", "--junit", target)
    assert done.status == 2
    assert cases(target) == [("stdeval", "check", ["error"])]
    error = ElementTree.parse(target).find(".//error")
    assert error is not None
    assert f"stdeval: {error.get('message')}\n" == f"stdeval: {error.text}\n" == done.stderr


def test_junit_that_cannot_be_written_is_no_pass(run, qrels, runs, tmp_path: Path):
    done = run("check", qrels, runs["good"], "--min", "map=.0001", "--junit", tmp_path / "absent" / "out.xml")
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)


def test_output_file_is_written_on_a_failure_too(run, qrels, runs, tmp_path: Path):
    done = run("check", qrels, runs["bad"], "--min", "map=0.9", "-o", tmp_path / "gate.txt")
    assert (done.status, done.raw) == (1, b"")
    assert (tmp_path / "gate.txt").read_text().startswith("FAIL\tbad\tmin map=0.9\t")


MAKEFILE = """\
.PHONY: pass fail missing-topics unknown-measure no-run
pass:
\t@$(STDEVAL) check qrels.txt old.run good.run --baseline old.run --max-drop map=0.01 --not-worse map
fail:
\t@$(STDEVAL) check qrels.txt old.run bad.run --baseline old.run --max-drop map=0.01 --junit gate.xml
missing-topics:
\t@$(STDEVAL) check qrels.txt partial.run --min map=.0001
unknown-measure:
\t@$(STDEVAL) check qrels.txt good.run --min mpa=0.1
no-run:
\t@$(STDEVAL) check qrels.txt absent.run --min map=.0001
gate.txt: good.run qrels.txt
\t@$(STDEVAL) check qrels.txt good.run --min map=0.5 -o $@
bad.txt: absent.run qrels.txt
\t@$(STDEVAL) check qrels.txt absent.run --min map=0.5 -o $@
absent.run: ;
"""
LOST = "lost most on 1 (-0.7500), 2 (-0.7500), 3 (-0.5000), 5 (-0.2500), 8 (-0.1250)"
# what each target prints, on stderr, and the exit status that make reports of its recipe; make's own is 2
GOLDEN = {
    "pass": (
        "PASS\tgood\tmax-drop map=0.01\tmean 0.6875, baseline 0.6250 on 8 topics, "
        "drop -0.0625, expected at most 0.01\n"
        "PASS\tgood\tnot-worse map\tmean 0.6875, baseline 0.6250 on 8 topics, p 0.825, expected above alpha 0.05 "
        f"(Student's t test, paired, one-tailed (less)); {found_in('good')}\n"
        "0 of 2 conditions failed\n",
        "",
        0,
    ),
    "fail": (
        "FAIL\tbad\tmax-drop map=0.01\tmean 0.3281, baseline 0.6250 on 8 topics, "
        f"drop 0.2969, expected at most 0.01\t{LOST}\n"
        "1 of 1 condition failed\n",
        "",
        1,
    ),
    "missing-topics": (
        "",
        "stdeval: partial.run: no documents for 4 of 8 judged topics (e.g. '5'), "
        "expected documents for every topic of qrels.txt, or -c to count missing ones as 0\n",
        2,
    ),
    "unknown-measure": ("", "stdeval: no measure 'mpa', did you mean map?\n", 2),
    "no-run": ("", "stdeval: absent.run: no such file or directory\n", 2),
}


@pytest.fixture
def make(tmp_path: Path, qrels, runs, write):
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    write("partial.run", run_lines("partial", RANKS["old"], n_topics=4))
    write("Makefile", MAKEFILE)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "LC_ALL": "C", "MAKEFLAGS": ""}

    def made(target: str) -> subprocess.CompletedProcess[str]:
        command = ["make", "-s", f"STDEVAL={sys.executable} -m stdeval", target]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return made


@pytest.mark.parametrize("target", GOLDEN)
def test_in_a_makefile(make, target: str):
    done = make(target)
    stdout, stderr, status = GOLDEN[target]
    assert done.stdout == stdout
    assert done.returncode == (2 if status else 0)  # whatever the recipe's status, make's own is 2
    printed = [line for line in done.stderr.splitlines(keepends=True) if not line.startswith("make")]
    assert "".join(printed) == stderr
    assert (f"Error {status}" in done.stderr) == (status > 0)


def test_target_file_appears_when_checked_and_not_when_it_could_not_be(make, tmp_path: Path):
    assert make("gate.txt").returncode == 0
    assert (tmp_path / "gate.txt").read_text().startswith("PASS\tgood\tmin map=0.5")
    assert make("bad.txt").returncode == 2
    assert not (tmp_path / "bad.txt").exists()


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (
            ["--test", "permutation", "--resamples", "10"],
            "10 resamples the permutation test gives no p below 0.0909, expected more --resamples, more topics",
        ),
        (["--test", "bootstrap", "--resamples", "9"], "the bootstrap test gives no p below 0.1"),
        (["--test", "sign", "--alpha", "0.001"], "with 8 topics the sign test gives no p below 0.00391"),
    ],
)
def test_a_test_that_cannot_reject_is_no_pass(run, qrels, runs, typed: list[str], message: str):
    done = run("check", qrels, runs["old"], runs["bad"], "--baseline", "old", "--not-worse", "map", *typed)
    assert (done.status, done.stdout) == (2, "")
    assert message in done.stderr


def test_a_confidence_is_no_significance_level(run, qrels, runs):
    done = run("check", qrels, runs["old"], runs["bad"], "--baseline", "old", "--not-worse", "map", "--alpha", 0.95)
    assert (done.status, done.stdout) == (2, "")
    assert "'0.95', expected a number above 0 and below 0.5" in done.stderr


def test_a_measure_that_is_better_the_lower_is_refused(run, qrels, runs):
    done = run("check", qrels, runs["old"], runs["bad"], "--baseline", "old", "--max-drop", "unj_5=0.1")
    assert (done.status, done.stdout) == (2, "")
    assert "unj_5 is better if it is lower" in done.stderr
    done = run("check", qrels, runs["old"], runs["bad"], "--min", "Nunj_5=0.1")
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith("stdeval: unj_5 is better if it is lower")


def test_equal_scores_on_a_few_topics_are_no_proof(run, write):
    """An unchanged run passes, but its line says how little that means."""
    rows = [f"{name},{topic},{topic % 2}" for name in ("old", "new", "newer") for topic in range(10)]
    scores = write("few.csv", ["run,topic,success_10", *rows])
    done = run("check", "--scores", scores, "--baseline", "old", "--non-inferior", "success_10=0.001")
    assert done.status == 0
    assert done.stdout.count("; no topic differs; a loss on up to 26% of topics is not ruled out") == 2


@pytest.mark.parametrize(("test", "is_told"), [("sign", True), ("wilcoxon", True), ("t", False)])
def test_a_loss_on_a_few_topics_that_a_test_of_signs_does_not_see_is_told(run, write, test: str, is_told: bool):
    """Twelve topics gain a little, and eight lose everything."""
    old = [0.8 + t / 1000 for t in range(20)]
    new = [score + 0.01 if t < 12 else 0.01 * (t % 3) for t, score in enumerate(old)]
    rows = [f"old,{t},{score}" for t, score in enumerate(old)] + [f"new,{t},{score}" for t, score in enumerate(new)]
    scores = write("scores.csv", ["run,topic,map", *rows])
    done = run("check", "--not-worse", "map", "--baseline", "old", "--test", test, "--scores", scores)
    assert (done.status == 0) == is_told
    assert ("with 80% power; it finds this loss with p 0.00134" in done.stdout) == is_told


@pytest.mark.parametrize("judgments", [[], ["--allow-other-judgments"]])
def test_topics_that_the_baseline_and_the_runs_lack_are_told(run, write, judgments: list[str]):
    """The signature of the baseline counts three judged topics; both files have two."""
    qrels = write("qrels", ["1 0 a 1", "2 0 a 1", "3 0 a 1"])
    part = write("a.run", ["1 Q0 a 1 1 t", "2 Q0 a 1 1 t"])
    typed = ["eval", "-q", "-n", "-f", "csv", "-m", "map", "-m", "num_rel"]
    signed = write("b.csv", run(*typed, "--signature", qrels, part).stdout)
    unsigned = write("s.csv", run(*typed, qrels, part).stdout)
    gate = ["check", "--max-drop", "map=0.1", "--scores", unsigned, *judgments]
    done = run(*gate, "--baseline", signed)
    told = "scores of 2 of 3 judged topics"
    assert (done.status, told in done.stderr) == (0 if judgments else 2, not judgments)



def test_a_standardized_measure_of_unknown_name_stands_in_parentheses(run, write):
    scores = write(
        "s.csv",
        ["run,topic,latency", *(f"{name},{t},0.{i}{t}7" for i, name in enumerate("abc") for t in range(1, 5))],
    )
    factors = write("f.csv", run("factors", "--scores", scores).stdout)
    done = run("check", "--scores", scores, "-F", factors, "--min", "N(latency)=0.001")
    assert done.stdout.startswith("PASS\ta\tmin N(latency)=0.001\t")
    done = run("check", "--scores", scores, "-F", factors, "--min", "Nlatency=0.001")
    assert (done.status, done.stdout) == (2, "")
    assert "no measure 'Nlatency', expected 'N(latency)' for the standardized latency" in done.stderr


def test_a_test_that_too_few_topics_decide_says_so(run, write):
    def line(old: list[float], new: list[float]) -> str:
        rows = [f"{name},{t},{x}" for name, scores in (("old", old), ("new", new)) for t, x in enumerate(scores)]
        path = write("s.csv", ["run,topic,success_10", *rows])
        return run("check", "--scores", path, "--baseline", "old", "--not-worse", "success_10").stdout.splitlines()[
            0
        ]

    lost = line([1.0] * 40, [*[0.0] * 4, *[1.0] * 36])
    assert lost.startswith("FAIL")
    assert "; only 4 topics differ, too few for a permutation test\t" in lost
    assert "permutation" not in line([1.0] * 40, [*[0.0] * 5, *[1.0] * 35])
    equal = line([1.0] * 7, [1.0] * 7)
    assert equal.startswith("PASS")
    assert equal.endswith("; no topic differs; a loss on up to 35% of topics is not ruled out")
