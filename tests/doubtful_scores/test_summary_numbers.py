"""Rows and columns of means that a pivot table has beside the scores, whatever their names are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.doubtful_scores.stored_scores import about_summary_runs
from stdeval.doubtful_scores.summary_numbers import exact_summaries, greatest_of_others
from stdeval.table import ScoreTable

SAMPLE = Path(__file__).parents[2] / "sample_data"


@given(seed=st.integers(0, 10**6), decimals=st.sampled_from([3, 4, 6, 16]), is_sum=st.booleans())
def test_a_column_of_means_or_sums_is_found_wherever_it_stands(seed: int, decimals: int, is_sum: bool):
    scores = np.random.default_rng(seed).random((6, 5)).round(4)
    made = (scores.sum(axis=1) if is_sum else scores.mean(axis=1)).round(decimals)
    for place in (0, 2, 5):
        assert exact_summaries(np.insert(scores, place, made, axis=1)) == [place]


@given(seed=st.integers(0, 10**6), decimals=st.sampled_from([4, 16]))
def test_means_are_found_beside_other_summaries(seed: int, decimals: int):
    """As spreadsheets have them: a column of means, and then one of standard deviations, medians and so on."""
    scores = np.random.default_rng(seed).random((12, 5)).round(4)
    mean, sd, median = scores.mean(axis=1), scores.std(axis=1), np.median(scores, axis=1)
    for others in ([sd], [median], [sd, median, scores.min(axis=1)]):
        summaries = np.column_stack([mean, *others]).round(decimals)
        assert 5 in exact_summaries(np.column_stack([scores, summaries]))


@given(seed=st.integers(0, 10**6), n=st.integers(3, 60))
def test_scores_are_no_means_of_others(seed: int, n: int):
    assert exact_summaries(np.random.default_rng(seed).random((6, n)).round(4)) == []


def test_few_or_missing_numbers_show_nothing():
    assert exact_summaries(np.full((3, 4), np.nan)) == []
    assert exact_summaries(np.array([[0.1, 0.3]])) == []
    assert exact_summaries(np.full((2, 3), 6e307)) == []
    assert exact_summaries(np.array([[5e9, 5e9, 0.0], [7e9, 7e9, 0.0]])) == []
    assert exact_summaries(np.array([[0.25, 0.5, 0.75, 0.5]])) == []


@pytest.fixture
def pivot(run):
    """The scores of two runs as a pivot table has them, with a row and a column of means."""
    done = run(
        "eval", "-q", "-n", "-f", "csv", "-m", "map", SAMPLE / "qrels.gz", *sorted(SAMPLE.glob("new-*.run.gz"))
    )
    rows = {}
    for line in done.stdout.splitlines()[1:]:
        name, topic, score = line.split(",")[0], line.split(",")[1], float(line.split(",")[-1])
        rows.setdefault(topic, {})[name] = score
    means = {name: float(np.mean([row[name] for row in rows.values()])) for name in ("new-a", "new-b")}
    return rows | {"Row Labels": means}


@pytest.mark.parametrize("digits", [4, 17])
def test_the_row_and_the_column_of_a_pivot_table_are_told(run, write, pivot, digits: int):
    lines = ["topic,new-a,new-b,General"]
    for topic, row in pivot.items():
        numbers = [*row.values(), sum(row.values()) / 2]
        lines.append(",".join([topic, *(f"{number:.{digits}f}" for number in numbers)]))
    scores = write("scores.csv", run("convert", "-m", "map", "--to", "scores", write("m.csv", lines)).stdout)
    stderr = run("compare", "--scores", scores).stderr
    assert "topic 'Row Labels' has the means or sums of all others: it counts as a topic\n" in stderr
    assert "run 'General' of the scores may be a summary of the others: it counts as a run\n" in stderr


def test_similar_runs_are_no_evidence_for_a_summary():
    """As twenty runs by P_100: the mean of all other topics is near to the score of one by each of them."""
    topics = np.round(np.random.default_rng(2).random(40) / 10, 2)
    similar = np.tile(np.append(topics, topics.mean().round(2)), (20, 1))
    assert exact_summaries(similar) == []


@given(seed=st.integers(0, 10**6), n=st.integers(3, 9))
def test_a_column_of_maxima_is_found_wherever_it_stands(seed: int, n: int):
    scores = np.random.default_rng(seed).random((30, n)).round(4)
    for place in (0, n):
        assert greatest_of_others(np.insert(scores, place, scores.max(axis=1), axis=1)) == [place]
    assert greatest_of_others(scores) == []


def test_a_copy_of_the_best_run_and_a_choice_on_few_topics_are_no_maxima():
    scores = np.random.default_rng(3).random((9, 4))
    best = scores.max(axis=1, keepdims=True)
    assert greatest_of_others(np.hstack([scores, best])) == []
    assert greatest_of_others(np.hstack([np.tile(scores, (4, 1)) / 2, np.tile(best, (4, 2))])) == []


@pytest.mark.parametrize("summary", [np.mean, np.max])
def test_measures_that_are_equal_for_all_runs_do_not_hide_a_summary(summary):
    topics = tuple(map(str, range(20)))
    scores = np.random.default_rng(4).random((5, 20))
    numbers = np.tile(np.arange(3, 23), (6, 1))
    values = np.stack([np.vstack([scores, summary(scores, axis=0)]), numbers], axis=2)
    told = list(
        about_summary_runs(ScoreTable(("a", "b", "c", "d", "e", "upper_bound"), topics, ("map", "num_rel"), values))
    )
    assert told == ["run 'upper_bound' of the scores may be a summary of the others: it counts as a run"]


def test_scores_of_few_values_are_no_summaries():
    rng = np.random.default_rng(5)
    tenths = rng.integers(0, 11, (40, 50)) / 10
    assert exact_summaries(tenths) == []
    assert exact_summaries(tenths.T) == []
