"""`stdeval topics` on real runs, against plain loops over what eval prints, and its rows by hand."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from pathlib import Path

import pytest

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def round_4(shared: Path) -> tuple[Path, list[Path]]:
    return shared / "trec-covid-r4" / "qrels.txt", sorted((shared / "trec-covid-r4" / "runs").iterdir())


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
