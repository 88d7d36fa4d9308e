"""`stdeval topics` on real runs; tests/golden/topics.txt has what it prints."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def round_4(shared: Path) -> tuple[Path, list[Path]]:
    return shared / "trec-covid-r4" / "qrels.txt", sorted((shared / "trec-covid-r4" / "runs").iterdir())


@pytest.mark.parametrize("level", [1, 2])
def test_relevant_documents_are_counted_at_the_level(run, round_4, level: int):
    qrels, runs = round_4
    judgments = [line.split() for line in qrels.read_text().splitlines()]
    expected = Counter(topic for topic, _, _, judgment in judgments if int(judgment) >= level)
    rows = run("topics", "-m", "map", "-l", level, "-f", "csv", "-n", qrels, *runs[:2]).rows
    assert {row["topic"]: int(row["rel"]) for row in rows} == expected
