"""Rows of topics against plain loops."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

from stdeval.commands.topics import sorted_rows, summary_rows, topic_columns, topic_rows

VALUES = np.array([[0.0, 0.3, 0.5, 0.1], [0.2, 0.3, np.nan, 0.05], [0.4, 0.3, 0.1, 0.9]])
TOPICS = ["1", "2", "3", "4"]
RELEVANT = np.array([3.0, 10.0, 1.0, np.nan])


def named(rows: list, groups: str | None = None) -> list[dict]:
    return [dict(zip(topic_columns(groups), row, strict=True)) for row in rows]


def test_a_row_per_topic() -> None:
    rows = named(topic_rows("map", TOPICS, VALUES, RELEVANT))
    for row, column, rel in zip(rows, VALUES.T, RELEVANT, strict=True):
        scores = [score for score in column.tolist() if not math.isnan(score)]
        assert row["n"] == len(scores)
        assert row["mean"] == pytest.approx(statistics.mean(scores))
        assert row["sd"] == pytest.approx(statistics.stdev(scores))
        assert (row["min"], row["max"]) == (min(scores), max(scores))
        assert row["median"] == pytest.approx(statistics.median(scores))
        assert row["1-mean"] == pytest.approx(1 - statistics.mean(scores))
        assert row["1-max"] == 1 - max(scores)
        if row["sd"]:
            expected = (max(scores) - statistics.mean(scores)) / statistics.stdev(scores)
            assert row["surprise"] == pytest.approx(expected)
        assert row["zero"] == pytest.approx(scores.count(0.0) / len(scores))
        assert row["low"] == pytest.approx(sum(score <= 0.1 for score in scores) / len(scores))
        assert row["rel"] == rel or (np.isnan(row["rel"]) and np.isnan(rel))


def test_groups_by_surprise() -> None:
    rows = named(topic_rows("map", TOPICS, VALUES, RELEVANT, "hard-easy"), "hard-easy")
    surprises = {row["topic"]: row["surprise"] for row in rows if not np.isnan(row["surprise"])}
    hardest = sorted(surprises, key=lambda topic: -surprises[topic])[:2]
    assert {row["topic"]: row["group"] for row in rows} == {
        topic: "" if topic == "2" else "hard" if topic in hardest else "easy" for topic in TOPICS
    }


def test_summary_over_topics() -> None:
    rows = named(topic_rows("map", TOPICS, VALUES, RELEVANT))
    found = {row["topic"]: row for row in named(summary_rows("map", VALUES, RELEVANT))}
    assert list(found) == ["all", "all.sd", "all.min", "all.max"]
    means = [row["mean"] for row in rows]
    assert found["all"]["mean"] == pytest.approx(statistics.mean(means))
    assert found["all.sd"]["mean"] == pytest.approx(statistics.stdev(means))
    assert (found["all.min"]["mean"], found["all.max"]["mean"]) == (min(means), max(means))
    assert found["all"]["rel"] == pytest.approx(14 / 3)
    everything = [score for score in VALUES.ravel().tolist() if not math.isnan(score)]
    assert found["all"]["low"] == pytest.approx(sum(score <= 0.1 for score in everything) / len(everything))


def test_sorting_keeps_the_order_of_equals_and_puts_missing_last() -> None:
    rows = [["a", 0.2], ["b", np.nan], ["c", 0.1], ["d", 0.2]]
    assert [row[0] for row in sorted_rows(rows, 1)] == ["c", "a", "d", "b"]
    assert [row[0] for row in sorted_rows(rows, 1, falling=True)] == ["a", "d", "c", "b"]
    assert [row[0] for row in sorted_rows([["x", ""], ["y", "hard"]], 1)] == ["y", "x"]
