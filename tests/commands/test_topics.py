"""`stdeval topics` on real runs, against plain loops over what eval prints, and its rows by hand."""

from __future__ import annotations

import gzip
import math
import statistics
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

from stdeval.analysis import topic_difficulties
from stdeval.commands.topics import sorted_rows, summary_rows, topic_columns, topic_rows


@pytest.fixture(scope="module")
def round_4(shared: Path) -> tuple[Path, list[Path]]:
    return shared / "trec-covid-r4" / "qrels.txt", sorted((shared / "trec-covid-r4" / "runs").iterdir())


SCORES = ["run,topic,x,y", "a,1,0.1,0.5", "a,2,0.3,0.5", "a,3,0,0.5", "b,1,0.2,0.1", "b,2,0.9,0.4", "b,3,0,0.2"]
SCORES += ["c,1,0.6,0.2", "c,2,0.4,0.3", "c,3,0.1,0.1"]


SUMMARIES = ["all", "all.sd", "all.min", "all.max", "all.scores"]


@pytest.fixture
def scores(write) -> Path:
    return write("s.csv", SCORES)


def test_statistics_of_real_runs(run, round_4):
    qrels, runs = round_4
    by_topic = defaultdict(list)
    for row in run("eval", "-m", "map", "-q", "-f", "csv", "-n", qrels, *runs).rows:
        by_topic[row["topic"]].append(float(row["map"]))
    rows = [row for row in run("topics", "-m", "map", "-f", "csv", qrels, *runs).rows if "all" not in row["topic"]]
    assert [row["topic"] for row in rows] == sorted(by_topic)
    for row in rows:
        found = by_topic[row["topic"]]
        mean, sd = statistics.mean(found), statistics.stdev(found)
        assert row["n"] == str(len(found)) == "13"
        assert [float(row[name]) for name in ("mean", "sd", "median", "1-mean", "surprise")] == pytest.approx(
            [mean, sd, statistics.median(found), 1 - mean, (max(found) - mean) / sd]
        )
        assert [float(row[name]) for name in ("min", "max", "1-max")] == [min(found), max(found), 1 - max(found)]
        assert float(row["low"]) == pytest.approx(sum(score <= 0.1 for score in found) / 13)


@pytest.mark.parametrize("level", [1, 2])
def test_relevant_documents_are_counted_at_the_level(run, round_4, level: int):
    qrels, runs = round_4
    judgments = [line.split() for line in qrels.read_text().splitlines()]
    expected = Counter(topic for topic, _, _, judgment in judgments if int(judgment) >= level)
    rows = run("topics", "-m", "map", "-l", level, "-f", "csv", "-n", qrels, *runs[:2]).rows
    assert {row["topic"]: int(row["rel"]) for row in rows} == expected


def test_topics_without_any_run_count_with_c(run, shared: Path, write, round_4):
    qrels, runs = round_4
    with gzip.open(runs[0], "rt") as lines:
        some = write("some.run", [line.rstrip("\n") for line in lines if line.split()[0] in ("1", "2")])
    found = {
        option: run("topics", "-m", "map", "-f", "csv", "-n", *option, qrels, some).rows for option in ((), ("-c",))
    }
    assert [row["topic"] for row in found[()]] == ["1", "2"]
    assert len(found[("-c",)]) == 45  # round 4 has 45 topics
    assert {row["mean"] for row in found[("-c",)] if row["topic"] not in "12"} == {"0.0"}


def test_text(run, scores: Path):
    """By hand: topic 3 has 0, 0, 0.1; its sd is sqrt(1/300). The means over the others are 0.2, 0.55 and 0.5."""
    lines = run("topics", "--scores", scores, "-m", "x").stdout.splitlines()
    header = "measure topic n mean sd min p25 median p75 max 1-mean 1-max surprise zero low item_total rel"
    assert lines[0] == header.replace(" ", "\t")
    row = "x 3 3 0.0333 0.0577 0.0000 0.0000 0.0000 0.0500 0.1000 0.9667 0.9000 1.1547 0.6667 1.0000 0.3812 -"
    assert lines[3] == row.replace(" ", "\t")
    assert [line.split("\t")[1] for line in lines[1:]] == ["1", "2", "3", *SUMMARIES]


def test_table_is_aligned(run, scores: Path):
    lines = run("topics", "--scores", scores, "-f", "table", "-n").stdout.splitlines()
    assert len(lines) == 7
    assert len({len(line) for line in lines}) == 1
    assert [line.split()[:2] for line in lines[1:]] == [[m, t] for m in "xy" for t in "123"]


@pytest.mark.parametrize(
    ("column", "order"),
    [("mean", "312"), ("-mean", "213"), ("min", "312"), ("-max", "213"), ("topic", "123"), ("-topic", "321")],
)
def test_sort(run, scores: Path, column: str, order: str):
    rows = run("topics", "--scores", scores, "-m", "x", "--sort", column, "-f", "csv", "-n").rows
    assert "".join(row["topic"] for row in rows) == order


def test_sorting_stays_within_a_measure_and_above_its_summary(run, scores: Path):
    rows = run("topics", "--scores", scores, "--sort", "-mean", "-f", "csv").rows
    assert [row["measure"] for row in rows] == ["x"] * 8 + ["y"] * 8
    assert [row["topic"] for row in rows[8:12]] == ["2", "1", "3", "all"]


@pytest.mark.parametrize(
    ("groups", "labels"),
    [
        # Ravana & Moffat 2009, Section 5.4, of 50 topics
        ("hard-easy", {"hard": 25, "easy": 25}),
        ("middle-rest", {"middle": 25, "rest": 25}),
        ("3", {"1": 17, "2": 17, "3": 16}),
    ],
)
def test_groups(run, groups: str, labels: dict[str, int]):
    sample = Path(__file__).resolve().parents[2] / "sample_data"
    runs = sorted((sample / "references").iterdir())[:6]
    typed = ("topics", "-m", "map", "--split", groups, "--sort", "-surprise", "-f", "csv", "-n")
    rows = run(*typed, sample / "qrels.gz", *runs).rows
    assert Counter(row["group"] for row in rows) == labels
    if groups == "middle-rest":
        assert [row["group"] for row in rows] == ["rest"] * 12 + ["middle"] * 25 + ["rest"] * 13
    else:
        assert list(dict.fromkeys(row["group"] for row in rows)) == list(labels)


REFUSED = {
    "--sort best": "--sort best: expected one of measure, topic, n, mean",
    "--sort group": "--sort group: expected one of",
    "--split even": "no grouping 'even'",
    "--split 4": "4 groups of 3 topics whose difficulty is known",
    "--split 1": "no grouping '1'",
    "-m z": "no measure 'z'",
    "-l 0": "Invalid value for '-l'",
    "-c": "--binary",
}


@pytest.mark.parametrize("typed", REFUSED)
def test_refused_in_one_line(run, scores: Path, typed: str):
    done = run("topics", "--scores", scores, *typed.split())
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
    assert REFUSED[typed] in done.stderr


def test_wrong_files_are_refused_in_one_line(run, hostile: Path):
    for qrels, path in [("ok.qrels", "nan-score.run"), ("empty.qrels", "ok.run"), ("ok.qrels", "absent")]:
        done = run("topics", hostile / qrels, hostile / path)
        assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)


VALUES = np.array([[0.0, 0.3, 0.5, 0.1], [0.2, 0.3, np.nan, 0.05], [0.4, 0.3, 0.1, 0.9]])
TOPICS = ["1", "2", "3", "4"]
RELEVANT = np.array([3.0, 10.0, 1.0, np.nan])


def named(rows: list, groups: str | None = None) -> list[dict]:
    return [dict(zip(topic_columns(groups), row, strict=True)) for row in rows]


def test_a_row_per_topic() -> None:
    rows = named(topic_rows(topic_difficulties("map", TOPICS, VALUES, RELEVANT), has_groups=False))
    for row, column, rel in zip(rows, VALUES.T, RELEVANT, strict=True):
        scores = [score for score in column.tolist() if not math.isnan(score)]
        assert row["n"] == len(scores)
        assert row["mean"] == pytest.approx(statistics.mean(scores))
        assert row["sd"] == pytest.approx(statistics.stdev(scores))
        assert (row["min"], row["max"]) == (min(scores), max(scores))
        assert row["median"] == pytest.approx(statistics.median(scores))
        assert row["1-mean"] == pytest.approx(1 - statistics.mean(scores))
        assert row["1-max"] == 1 - max(scores)
        assert np.isnan(row["surprise"]) == (row["sd"] == 0 or row["n"] < 3)
        if row["sd"] and row["n"] > 2:
            expected = (max(scores) - statistics.mean(scores)) / statistics.stdev(scores)
            assert row["surprise"] == pytest.approx(expected)
        assert row["zero"] == pytest.approx(scores.count(0.0) / len(scores))
        assert row["low"] == pytest.approx(sum(score <= 0.1 for score in scores) / len(scores))
        assert row["rel"] == rel or (np.isnan(row["rel"]) and np.isnan(rel))


def test_groups_by_surprise() -> None:
    rows = named(
        topic_rows(topic_difficulties("map", TOPICS, VALUES, RELEVANT, "hard-easy"), has_groups=True), "hard-easy"
    )
    surprises = {row["topic"]: row["surprise"] for row in rows if not np.isnan(row["surprise"])}
    hardest = max(surprises, key=lambda topic: surprises[topic])
    assert {row["topic"]: row["group"] for row in rows} == {
        topic: "" if topic not in surprises else "hard" if topic == hardest else "easy" for topic in TOPICS
    }


@pytest.mark.parametrize("groups", ["hard-easy", "middle-rest", "2"])
def test_two_runs_say_nothing_about_difficulty(run, scores, groups: str):
    """Of two different scores (max - mean) / sd is sqrt(1/2), whatever they are."""
    names = list(dict.fromkeys(line.split(",")[0] for line in scores.read_text().splitlines()[1:]))
    two = scores.with_name("two.csv")
    rows = scores.read_text().splitlines()
    two.write_text("\n".join([rows[0], *(row for row in rows if row.split(",")[0] in names[:2])]) + "\n")
    done = run("topics", "--scores", two, "-f", "csv")
    assert {row["surprise"] for row in done.rows} == {""}
    refused = run("topics", "--scores", two, "--split", groups)
    assert (refused.status, refused.raw, refused.stderr.count("\n")) == (2, b"", 1)
    assert "no topic whose difficulty is known, expected three runs or more" in refused.stderr


def test_summary_over_topics() -> None:
    rows = named(topic_rows(topic_difficulties("map", TOPICS, VALUES, RELEVANT), has_groups=False))
    found = {row["topic"]: row for row in named(summary_rows("map", VALUES, RELEVANT))}
    assert list(found) == SUMMARIES
    means = [row["mean"] for row in rows]
    assert found["all"]["mean"] == pytest.approx(statistics.mean(means))
    assert found["all.sd"]["mean"] == pytest.approx(statistics.stdev(means))
    assert (found["all.min"]["mean"], found["all.max"]["mean"]) == (min(means), max(means))
    assert found["all"]["rel"] == pytest.approx(14 / 3)
    everything = [score for score in VALUES.ravel().tolist() if not math.isnan(score)]
    assert found["all"]["low"] == pytest.approx(sum(score <= 0.1 for score in everything) / len(everything))


def test_summary_of_all_scores() -> None:
    found = named(summary_rows("map", VALUES, RELEVANT))[-1]
    everything = [score for score in VALUES.ravel().tolist() if not math.isnan(score)]
    low, median, high = statistics.quantiles(everything, method="inclusive")
    assert (found["topic"], found["n"], found["min"], found["max"]) == ("all.scores", 11, 0.0, 0.9)
    assert [found[name] for name in ("p25", "median", "p75")] == pytest.approx([low, median, high])
    assert [found["mean"], found["sd"]] == pytest.approx(
        [statistics.mean(everything), statistics.stdev(everything)]
    )
    assert all(np.isnan(found[name]) for name in ("1-mean", "1-max", "surprise", "item_total", "rel"))


def test_quartiles_of_standardized_scores(run, robust_files, tmp_path):
    """Webber 2008, Section 3, of TREC 8: 0.26, 0.50, 0.74."""
    standardized = tmp_path / "n.csv"
    typed = ("standardize", "--scores", robust_files.everything, "--scheme", "n", "--raw", "-q", "-f", "csv", "-n")
    assert run(*typed, "-o", standardized).status == 0
    rows = run("topics", "--scores", standardized, "-f", "csv").rows
    found = {row["measure"]: row for row in rows if row["topic"] == "all.scores"}
    assert found["Nmap"]["n"] == str(110 * 99)
    assert [float(found["Nmap"][name]) for name in ("p25", "median", "p75")] == pytest.approx(
        [0.26, 0.5, 0.74], abs=0.02
    )
    assert float(found["map"]["p75"]) < 0.5


def test_incomplete_runs_are_left_out_of_item_total(run, write):
    """Without run d, which has an easy topic only, three runs remain on each topic."""
    scores = {"a": (0.1, 0.2, 0.3), "b": (0.5, 0.6, 0.1), "c": (0.3, 0.4, 0.2)}
    lines = [f"{name},{i},{score}" for name, own in scores.items() for i, score in enumerate(own, 1)]
    lines = ["run,topic,x", *lines, "d,1,0.9"]
    done = run("topics", "--scores", write("s.csv", lines), "-f", "csv", "-n")
    assert "1 of 4 runs (e.g. 'd')" in done.stderr
    # The means over the others are 0.25, 0.35, 0.3 for topic 1; 0.2, 0.3, 0.25; and 0.15, 0.55, 0.35.
    assert [round(float(row["item_total"]), 9) for row in done.rows] == [1, 1, -1]
    assert [row["n"] for row in done.rows] == ["4", "3", "3"]


def test_sorting_keeps_the_order_of_equals_and_puts_missing_last() -> None:
    rows = [["a", 0.2], ["b", np.nan], ["c", 0.1], ["d", 0.2]]
    assert [row[0] for row in sorted_rows(rows, 1)] == ["c", "a", "d", "b"]
    assert [row[0] for row in sorted_rows(rows, 1, falling=True)] == ["a", "d", "c", "b"]
    assert [row[0] for row in sorted_rows([["x", ""], ["y", "hard"]], 1)] == ["y", "x"]
    noisy = [["a", 0.1 + 0.2], ["b", 0.3], ["c", 0.1 + 0.2]]
    assert [[row[0] for row in sorted_rows(noisy, 1, falling)] for falling in (False, True)] == [
        ["a", "b", "c"]
    ] * 2


def test_relevant_documents_are_counted_at_the_level_of_the_measure(run, write):
    qrels = write("qrels", ["1 0 a 1", "1 0 b 2", "1 0 c 2", "2 0 a 2"])
    path = write("x.run", ["1 Q0 a 1 1 x", "2 Q0 a 1 1 x"])
    rows = run("topics", "-n", "-f", "csv", "-m", "AP", "-m", "AP(rel=2)", qrels, path).rows
    assert [(row["measure"], row["topic"], row["rel"]) for row in rows] == [
        *(("map", "1", "3"), ("map", "2", "1"), ("map_rel=2", "1", "2"), ("map_rel=2", "2", "1")),
    ]


def test_the_topics_of_the_item_total_correlation_are_told_if_they_are_few(run, write):
    rows = ["a,2,.1", "a,3,.4", "b,1,.1", "b,3,.5", "c,1,.9", "c,2,.9", "c,3,.3"]
    done = run("topics", "--scores", write("s.csv", ["run,topic,map", *rows]))
    assert "1 of 3 topics" in done.stderr


def test_two_runs_have_no_item_total(run, sample):
    done = run("topics", "-m", "map", "-f", "csv", *sample[:3])
    assert {row["item_total"] for row in done.rows} == {""}


@pytest.mark.parametrize(
    ("groups", "n_known", "found"),
    [
        ("hard-easy", 0, "P_10: no topic whose difficulty is known"),
        ("hard-easy", 1, "P_10: the split hard-easy of 1 topic whose difficulty is known"),
        ("middle-rest", 1, "P_10: the split middle-rest of 1 topic whose difficulty is known"),
        ("middle-rest", 2, "P_10: the split middle-rest of 2 topics whose difficulty is known"),
        ("2", 1, "P_10: 2 groups of 1 topic whose difficulty is known"),
    ],
)
def test_groups_that_would_be_empty_are_refused_with_the_measure(run, write, groups: str, n_known: int, found: str):
    """A single topic would be easy, although none is hard; of two topics, the harder one would be the middle."""
    rng = np.random.default_rng(0)
    lines = [
        f"{name},{t},{rng.random()},{rng.random():.1f}" if t < n_known else f"{name},{t},{rng.random()},0.3"
        for name in "abcd"
        for t in range(6)
    ]
    scores = write("s.csv", ["run,topic,map,P_10", *lines])
    done = run("topics", "--scores", scores, "--split", groups)
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr.startswith(f"stdeval: {found}, expected ")
    assert run("topics", "--scores", scores, "--split", groups, "-m", "map").status == 0


def test_an_unknown_grouping_is_not_the_fault_of_a_measure(run, write):
    scores = write("s.csv", ["run,topic,map", *(f"{name},1,0.{at}" for at, name in enumerate("abc"))])
    assert run("topics", "--scores", scores, "--split", "even").stderr.startswith("stdeval: no grouping 'even'")


def test_a_measure_has_the_topics_of_its_file(run, write):
    """The topics of the other file would be rows without scores, and halve the mean number of runs."""
    files = {}
    for name, topics in (("a", range(1, 5)), ("b", range(3, 9))):
        rows = [f"{system},{topic},0.{system}{topic}" for system in (1, 2, 3) for topic in topics]
        files[name] = ["--scores", write(f"{name}.csv", ["run,topic,map", *rows])]
    both = run("topics", "-f", "csv", *(f"--scores={name}={path}" for name, (_, path) in files.items()))
    for name, alone in files.items():
        expected = run("topics", "-f", "csv", *alone).rows
        assert [row | {"measure": "map"} for row in both.rows if row["measure"] == f"{name}:map"] == expected
    assert {row["n"] for row in both.rows if row["topic"] in ("all", "all.min")} == {"3.0"}


def test_a_measure_without_any_score_has_rows_without_numbers(run, write):
    one = write("one.csv", ["run,topic,map", "a,1,0.5", "a,2,0.6", "b,1,0.4", "b,2,0.5"])
    other = write("other.csv", ["run,topic,P_10", "c,1,0.5", "c,2,0.6"])
    done = run("topics", "-f", "csv", "--best", 2, "--scores", one, "--scores", other)
    assert done.status == 0
    assert {row["n"] for row in done.rows if row["measure"] == "P_10"} <= {"0", "0.0"}
