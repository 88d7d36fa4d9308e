"""Aggregates and intervals of eval and standardize: `-a`, `--epsilon`, `--ci`."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from stdeval.formats.listing import AVERAGES

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


def test_text_leaves_out_what_is_undefined(run, table_1: Path):
    lines = run("eval", "--scores", table_1, *SIX).stdout.splitlines()
    egm = math.exp(sum(math.log(score + 0.01) for score in TABLE_1["S2"]) / 5) - 0.01
    assert f"{'x':<22}\tall.egm\t{egm:.4f}" in lines
    assert sum("\tall.hm\t" in line for line in lines) == 3
    assert not any("nan" in line for line in lines)


def test_table_has_a_row_for_each(run, table_1: Path):
    rows = [line.split() for line in run("eval", "--scores", table_1, *SIX, "-f", "table").stdout.splitlines()]
    assert rows[0] == ["run", "topic", "x"]
    assert [row[:2] for row in rows[1:7]] == [["S1", name] for name in PUBLISHED]
    assert ["S2", "all.hm", "-"] in rows


@pytest.mark.parametrize(("epsilon", "value"), [("0.01", 0.157), ("0.00001", 0.039)])
def test_trec_eval_variant_in_the_papers_text(run, table_1: Path, epsilon: str, value: float):
    done = run("eval", "--scores", table_1, "-a", "egm-trec", "--epsilon", epsilon, "-q", "-f", "csv")
    (name,) = summaries(done.rows, "x")
    assert name == ("all.egm-trec.epsilon=0.01" if epsilon == "0.01" else "all.egm-trec")
    assert round(float(summaries(done.rows, "x")[name][1]), 3) == value


def test_am_alone_changes_nothing(run, table_1: Path):
    assert run("eval", "--scores", table_1, "-a", "am").raw == run("eval", "--scores", table_1).raw


def test_without_am_there_is_no_line_of_it(run, table_1: Path):
    assert list(summaries(run("eval", "--scores", table_1, "-a", "md", "-q", "-f", "csv").rows, "x")) == ["all.md"]


@pytest.mark.parametrize("output_format", ["table", "markdown", "latex"])
def test_another_aggregate_alone_keeps_its_name(run, table_1: Path, output_format: str):
    median = run("eval", "--scores", table_1, "-a", "md", "-f", output_format).stdout
    assert "topic" in median
    assert median.count("all.md") == len(TABLE_1)
    assert "all" not in run("eval", "--scores", table_1, "-f", output_format).stdout


def test_lines_name_an_epsilon_and_a_level_that_are_not_the_usual_ones(run, table_1: Path):
    def names(*options: object) -> list[str]:
        return list(summaries(run("eval", "--scores", table_1, *options, "-q", "-f", "csv").rows, "x"))[1:]

    both = ["-a", "am", "-a", "egm", "-a", "md"]
    assert names(*both, "--epsilon", "0.01") == names(*both) == ["all.egm", "all.md"]
    assert names(*both, "--epsilon", "1") == ["all.egm.epsilon=1", "all.md"]
    assert names("--ci", "0.95") == ["all.ci_low", "all.ci_high"]
    assert names("--ci", "0.99") == ["all.ci_low.level=0.99", "all.ci_high.level=0.99"]
    drawn = ["--ci", "0.5", "--ci-method", "bootstrap", "--resamples", "100", "--seed", "7"]
    assert names(*drawn)[0] == "all.ci_low.level=0.5.resamples=100.seed=7"


def test_egm_trec_of_map_is_gm_map_on_every_run(run, shared: Path):
    runs = sorted((shared / "trec-covid-r4" / "runs").iterdir())
    names = ["-m", "map", "-m", "gm_map", "-m", "num_ret", "-a", "am", "-a", "egm-trec", "-f", "csv"]
    rows = run("eval", *names, shared / "trec-covid-r4" / "qrels.txt", *runs).rows
    gm_map = [float(x) for x in summaries(rows, "gm_map")["all"]]
    assert len(gm_map) == 13
    np.testing.assert_allclose([float(x) for x in summaries(rows, "map")["all.egm-trec"]], gm_map, rtol=1e-13)
    assert set(summaries(rows, "num_ret")["all.egm-trec"]) == {""}  # counts are summed, and that in `all`
    assert set(summaries(rows, "gm_map")["all.egm-trec"]) == {""}


def test_runs_that_lack_topics_have_means_of_their_own(run, write):
    scores = write("s.csv", ["run,topic,x", "a,1,0.5", "a,2,0.25", "b,2,0.125", "b,3,0.5", "b,4,0.25"])
    found = summaries(run("eval", "--scores", scores, "-a", "am", "-a", "gm", "-q", "-f", "csv").rows, "x")
    assert [float(x) for x in found["all.gm"]] == pytest.approx([0.125**0.5, 0.25])
    assert [float(x) for x in found["all"]] == pytest.approx([0.375, 0.875 / 3])


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


@pytest.mark.parametrize("method", ["t", "bootstrap"])
def test_the_mean_of_one_topic_has_no_interval(run, write, method: str):
    path = write("one.csv", ["run,topic,map", "a,1,0.5", "b,1,0.25", "b,2,0.75"])
    done = run("eval", "-f", "csv", "--ci", "0.95", "--ci-method", method, "--scores", path)
    ends = {(row["run"], row["topic"].split(".")[1]): row["map"] for row in done.rows if ".ci_" in row["topic"]}
    assert ends["a", "ci_low"] == ""
    assert float(ends["b", "ci_low"]) < 0.5


def test_summaries_are_no_scores_when_read_again(run, table_1: Path, write):
    written = run("eval", "--scores", table_1, *SIX, "--ci", "0.95", "-q", "-f", "csv")
    again = run("eval", "--scores", write("again.csv", written.raw), "-q", "-f", "csv", "-n")
    assert again.raw == run("eval", "--scores", table_1, "-q", "-f", "csv", "-n").raw


def test_standardized_scores_have_them_too(run, table_1: Path):
    typed = ("standardize", "--scores", table_1, "--raw", "--scheme", "n", "-a", "am", "-a", "gm", "--ci", "0.95")
    rows = run(*typed, "-q", "-f", "csv").rows
    found = summaries(rows, "N(x)")
    assert list(found) == ["all", "all.ci_low", "all.ci_high", "all.gm"]
    scores = [float(row["N(x)"]) for row in rows if row["run"] == "S1" and not row["topic"].startswith("all")]
    assert float(found["all.gm"][0]) == pytest.approx(scipy.stats.gmean(scores))
    assert summaries(rows, "x")["all.gm"][0] == pytest.approx(summaries(rows, "x")["all.gm"][0])
    assert f"{float(summaries(rows, 'x')['all.gm'][0]):.3f}" == "0.189"


REFUSED = {
    "-a gm": "no geometric mean of scores below 0",
    "-a hm": "no harmonic mean of scores below 0",
    "-a egm": "expected scores of at least 0, or the aggregate am or md",
    "-a mean": "Invalid value for '-a'",
    "-a egm --epsilon 0": "Invalid value for '--epsilon'",
    "-a md -a egm --epsilon nan": "Invalid value for '--epsilon'",
    "-a ehm --epsilon inf": "Invalid value for '--epsilon'",
    "--ci 1": "Invalid value for '--ci'",
    "--ci 95": "Invalid value for '--ci'",
    "--ci nan": "Invalid value for '--ci'",
    "-a md --ci 0.95": "expected -a am too",
    "--ci 0.95 --ci-method bootstrap --resamples 0": "Invalid value for '--resamples'",
    "--ci 0.95 --seed -1": "Invalid value for '--seed'",
}


@pytest.mark.parametrize("typed", ["--epsilon 0.1", "--ci-method bootstrap", "--seed 7"])
def test_options_without_effect_change_nothing(run, table_1: Path, typed: str):
    assert run("eval", "--scores", table_1, *typed.split()).raw == run("eval", "--scores", table_1).raw


@pytest.mark.parametrize("typed", REFUSED)
@pytest.mark.filterwarnings("ignore")
def test_refused_in_one_line(run, table_1: Path, typed: str):
    """Of z scores, half of which are below 0."""
    done = run("standardize", "--scores", table_1, "--scheme", "z", *typed.split())
    lines = [line for line in done.stderr.splitlines() if "warning" not in line]
    assert (done.status, done.raw, len(lines)) == (2, b"", 1)
    assert REFUSED[typed] in lines[0]


def test_sd_is_that_of_a_system_over_its_topics(run, table_1: Path):
    found = summaries(run("eval", "--scores", table_1, "-a", "am", "-a", "sd", "-q", "-f", "csv").rows, "x")
    assert list(found) == ["all", "all.sd"]
    expected = [statistics.stdev(scores) for scores in TABLE_1.values()]
    assert [float(x) for x in found["all.sd"]] == pytest.approx(expected, rel=1e-14)


def test_sd_of_equal_scores_is_0_and_of_one_score_missing(run, write):
    scores = write("s.csv", ["run,topic,x", *(f"a,{topic},0.1" for topic in range(1, 8)), "b,1,0.5"])
    found = summaries(run("eval", "--scores", scores, "-a", "sd", "-q", "-f", "csv").rows, "x")
    assert found == {"all.sd": ["0.0", ""]}


def test_sd_is_that_of_standardized_scores_too(run, table_1: Path):
    rows = run("standardize", "--scores", table_1, "--scheme", "z", "-a", "sd", "-q", "-f", "csv").rows
    of_s1 = [float(row["Z(x)"]) for row in rows if row["run"] == "S1" and row["topic"] != "all.sd"]
    assert float(summaries(rows, "Z(x)")["all.sd"][0]) == pytest.approx(statistics.stdev(of_s1), rel=1e-14)


def test_systems_are_not_ranked_by_sd(run, table_1: Path):
    done = run("meta", "rank", "--scores", table_1, "-a", "sd")
    assert (done.status, done.raw) == (2, b"")
    assert "Invalid value for '-a'" in done.stderr


def test_md_takes_scores_below_0(run, table_1: Path):
    assert run("standardize", "--scores", table_1, "--scheme", "z", "-a", "am", "-a", "md").status == 0


@pytest.mark.parametrize("output_format", ["csv", "text"])
def test_summaries_are_no_topics_when_they_are_read_back(run, write, output_format: str):
    """A topic may have a name like theirs."""
    topics = ("all.x", "all.gmx", "allocation")
    qrels = write("qrels", [f"{topic} 0 {docno} 1" for topic in topics for docno in "ab"])
    paths = [
        write(f"{name}.run", [f"{topic} Q0 {docno} 1 1 {name}" for topic in topics for docno in docnos])
        for name, docnos in (("x", "cab"), ("y", "acb"))
    ]
    every = [option for name in [*AVERAGES, "sd"] for option in ("-a", name)]
    drawn = ["--ci", 0.9, "--ci-method", "bootstrap", "--resamples", 100]
    for options in (every, ["--ci", 0.9], drawn):
        written = run("eval", "-q", "-m", "map", "-f", output_format, *options, qrels, *paths)
        assert written.status == 0
        read = run("convert", "--to", "scores", write("written", written.raw))
        found = [(row["run"], row["topic"]) for row in read.rows]
        assert found == [(name, topic) for name in "xy" for topic in sorted(topics)]


@pytest.mark.parametrize(
    ("aggregates", "first"),
    [
        (["am"], "all"),
        (["gm"], "all.gm"),
        (["md"], "all.md"),
        (["gm", "am"], "all"),
        (["sd", "md", "gm"], "all.md"),
        (["hm"], "all.hm"),
        (["hm", "md"], "all.hm"),
        (["hm", "am"], "all"),
    ],
)
@pytest.mark.parametrize("output_format", ["csv", "text"])
def test_runs_are_sorted_by_the_first_mean_that_is_printed(run, write, aggregates, first, output_format):
    """The harmonic means of three of these runs are undefined, and their other means are in other orders."""
    scores = np.random.default_rng(3).random((9, 5)).round(2)
    scores[[1, 4, 6], 2] = 0
    lines = [f"s{i},{t},{x}" for i, own in enumerate(scores.tolist()) for t, x in enumerate(own)]
    options = [option for name in aggregates for option in ("-a", name)]
    path = write("s.csv", ["run,topic,map", *lines])
    done = run("eval", "--scores", path, "--sort", "map", "-f", output_format, *options)
    split = [
        line.split(",")[1:] if output_format == "csv" else line.split("\t")[1:] for line in done.stdout.splitlines()
    ]
    printed = [
        math.inf if value == "" else -float(value) for topic, value in split if topic == first and value[:1] != "s"
    ]
    assert printed == sorted(printed)
    assert len(printed) == (6 if (first, output_format) == ("all.hm", "text") else 9)
    assert "sorted" not in done.stderr


@pytest.mark.parametrize("options", [[], ["-a", "sd"]])
def test_runs_are_sorted_by_their_means_whatever_is_printed(run, write, options):
    """The standard deviations of these runs are in the other order."""
    values = {"low": (0.1, 0.5), "high": (0.6, 0.7), "middle": (0.3, 0.6)}
    lines = [f"{name},{t},{x}" for name, own in values.items() for t, x in enumerate(own)]
    scores = write("s.csv", ["run,topic,map", *lines])
    rows = run("eval", "--scores", scores, "--sort", "map", "-f", "csv", *options).rows
    assert [row["run"] for row in rows] == ["high", "middle", "low"]


def test_no_mean_is_bold_if_all_are_0(run, write):
    """Every run scores 0 on some topic, so all geometric means are 0."""
    scores = write("s.csv", ["run,topic,map,unj_10", "a,1,0,0.5", "a,2,0.5,0", "b,1,0.4,0", "b,2,0,0.3"])
    done = run("eval", "--scores", scores, "-a", "am", "-a", "gm", "-f", "markdown")
    assert done.stdout.splitlines()[2:6] == [
        "| a | all | **0.2500** | 0.2500 |",
        "| a | all.gm | 0.0000 | 0.0000 |",
        "| b | all | 0.2000 | **0.1500** |",
        "| b | all.gm | 0.0000 | 0.0000 |",
    ]


@pytest.mark.parametrize(
    "options",
    [
        ["--ci", "0.95", "--ci-method", "bootstrap", "--resamples", "38"],
        ["--ci", "0.95", "--ci-of", "references", "--resamples", "38"],
        ["--ci", "0.99", "--ci-of", "both", "--resamples", "198"],
    ],
)
def test_too_few_resamples_for_the_ends_of_an_interval_are_refused(run, scores_file, options: list[str]):
    n = int(options[-1])
    done = run("standardize", *options, "--scores", scores_file(n_systems=12))
    level = options[1][2:]
    told = f"--resamples {n}: expected at least {n + 1} for {level}% intervals"
    assert (done.status, done.raw, done.stderr.splitlines()[-1]) == (2, b"", f"stdeval standardize: {told}")
    enough = [*options[:-1], str(n + 1)]
    assert run("standardize", *enough, "--scores", scores_file(n_systems=12)).status == 0
