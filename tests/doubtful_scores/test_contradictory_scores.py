"""Scores by several measures that no ranking can have all at once are found, and no others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval import Options, ScoreTable, evaluate, read_qrels, read_run
from stdeval.doubtful_scores.contradictory_scores import contradictions, pasted_measures
from stdeval.doubtful_scores.impossible_scores import (
    about_contradictory_scores,
    about_other_measures,
    about_pasted_measures,
)

MEASURES = ["map", "recip_rank", "num_rel", "num_rel_ret", "ndcg", "P", "recall", "success", "map_cut", "ndcg_cut"]
MEASURES += [
    "ndcg_1=5,2=20",
    "ndcg_1=0,3=0",
    "G_2=7",
    "binG",
    "ndcg_rel_1=5",
    "utility_0,1,1,0",
    "11pt_avg_0,.5",
]
COLLECTIONS = [("cranfield", 225), ("cisi", 76), ("trec-covid-r5", 50)]


@pytest.mark.filterwarnings("ignore::stdeval.InputWarning")
@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=60),
    st.integers(0, 40),
    st.sampled_from([1, 2]),
    st.sampled_from([None, 4]),
)
def test_no_ranking_contradicts_itself(grades: list[int], n_missed: int, level: int, decimals: int | None):
    ranking = {f"d{rank:02}": 100.0 - rank for rank in range(len(grades))}
    judgments = dict(zip(ranking, grades, strict=True)) | {f"missed{n}": 3 for n in range(n_missed)} | {"other": 3}
    table = evaluate({"1": judgments}, {"1": ranking}, MEASURES, Options(level=level))
    scores = table.values if decimals is None else table.values.round(decimals)
    assert list(contradictions(table.measures, scores)) == []


@pytest.mark.filterwarnings("ignore::stdeval.InputWarning")
@pytest.mark.parametrize(("collection", "n_topics"), COLLECTIONS)
@pytest.mark.parametrize("options", [Options(), Options(level=2), Options(depth=10), Options(judged_only=True)])
def test_no_run_contradicts_itself(shared, collection: str, n_topics: int, options: Options):
    folder = shared / collection
    qrels = read_qrels(next(folder.glob("qrels*")))
    runs = {path.name: read_run(path) for path in sorted((folder / "runs").iterdir())[:6]}
    table = evaluate(qrels, runs, MEASURES, options)
    assert len(table.topics) == n_topics
    for scores in (table.values, table.values.round(4), table.values.astype(np.float32).astype(float)):
        assert list(contradictions(table.measures, scores)) == []
        assert list(pasted_measures(table.measures, scores)) == []


@pytest.mark.filterwarnings("ignore:.*no judgment is 2, so that the gains are:stdeval.InputWarning")
def test_a_run_with_one_relevant_document_per_topic_has_different_scores_by_each_measure():
    """One document each is relevant, at the ranks 1 to 9; dcg and ndcg are equal by their definitions."""
    qrels = {str(topic): {f"d{topic}": 1} for topic in range(1, 10)}
    run = {topic: {f"d{rank}": -float(rank) for rank in range(1, 10)} for topic in qrels}
    table = evaluate(
        qrels, {"a": run}, [*MEASURES, "dcg", "rbp", "nrbp", "err", "njkdcg", "ndcg_exp"], Options(max_grade=1)
    )
    assert list(pasted_measures(table.measures, table.values)) == []


@pytest.mark.parametrize(
    ("one", "other"), [("map", "ndcg_cut_10"), ("rbp_p=0.8", "ndcg"), ("err", "P_10"), ("x:map", "y:ndcg")]
)
@pytest.mark.parametrize(("n", "is_told"), [(5, True), (4, False)])
def test_a_column_that_was_pasted_twice_is_told(one: str, other: str, n: int, is_told: bool):
    scores = np.random.default_rng(1).random((2, n, 2))
    scores[1, :, 1] = scores[1, :, 0]
    table = ScoreTable(("a", "b"), tuple(map(str, range(n))), (one, other), scores)
    told = f"{one} and {other} of 'b' are equal on all topics, as no ranking has them: was a column pasted?"
    assert list(about_pasted_measures(table)) == ([told] if is_told else [])
    scores[1, 0, 1] += 0.001
    assert list(about_pasted_measures(replace(table, values=scores))) == []


CONTRADICTORY = [
    ({"P_10": 0.1, "map": 0.0}, ("P_10", "map")),
    ({"P@10": 0.1, "AP": 0.0}, ("P@10", "AP")),
    ({"P_5": 0.6, "P_10": 0.2}, ("P_5", "P_10")),
    ({"recip_rank": 0.5, "P_5": 0.0}, ("recip_rank", "P_5")),
    ({"recip_rank": 0.1, "P_5": 0.2}, ("P_5", "recip_rank")),
    ({"recip_rank": 0.0, "num_rel_ret": 3.0}, ("num_rel_ret", "recip_rank")),
    ({"P_10": 0.5, "num_rel_ret": 4.0}, ("P_10", "num_rel_ret")),
    ({"num_rel_ret": 7.0, "num_rel": 6.0}, ("num_rel_ret", "num_rel")),
    ({"success_1": 1.0, "recall_5": 0.0}, ("success_1", "recall_5")),
    ({"map_cut_5": 0.2, "ndcg_cut_10": 0.0}, ("map_cut_5", "ndcg_cut_10")),
    ({"deep:P_5": 0.2, "deep:P_10": 0.0}, ("deep:P_5", "deep:P_10")),
]
POSSIBLE = [
    {"P_10": 0.0, "map": 0.2},
    {"P_5": 0.2, "P_10": 0.1},
    {"recall_1000": 0.1, "map": 0.0},
    {"recip_rank": 0.1667, "P_5": 0.0},
    {"P_10": np.nan, "map": 0.0},
    {"P_10": 0.2, "map": np.nan},
    {"P_10": 0.3, "map_rel=2": 0.0},
    {"deep:P_5": 0.2, "shallow:P_10": 0.0},
    {"ndcg": 0.4, "map": 0.0},
    {"NP_10": 0.9, "map": 0.0},
]


@pytest.mark.parametrize(("scores", "expected"), CONTRADICTORY)
def test_contradictory_scores_are_found(scores: dict[str, float], expected: tuple[str, str]):
    values = np.array([[list(scores.values())]])
    names = list(scores)
    assert [tuple(names[place] for place in found.measures) for found in contradictions(names, values)] == [
        expected
    ]


@pytest.mark.parametrize("scores", POSSIBLE)
def test_possible_scores_are_not(scores: dict[str, float]):
    assert list(contradictions(list(scores), np.array([[list(scores.values())]]))) == []


@pytest.mark.parametrize(("n_bad", "is_told"), [(2, False), (3, True)])
def test_more_than_a_tenth_of_the_scores_of_a_run_are_told(n_bad: int, is_told: bool):
    scores = np.full((3, 20, 2), 0.2)
    scores[1, :n_bad, 0] = 0
    table = ScoreTable(("a", "b", "c"), tuple(map(str, range(1, 21))), ("map", "P_10"), scores)
    told = (
        "P_10 and map of 'b' contradict each other on 3 topics (e.g. '1': 0.2 and 0): was a column lost or pasted?"
    )
    assert list(about_contradictory_scores(table)) == [told] * is_told


def test_counts_with_fractions_are_told():
    """As the means of two runs of the same name."""
    scores = [[[3.0, 8.5], [2.0, 7.0]]]
    table = ScoreTable(("bm25",), ("1", "2"), ("num_rel_ret", "num_ret"), scores)
    told = "1 of 2 numbers by num_ret are not whole numbers (e.g. 8.5 of 'bm25'): are they means of several runs?"
    assert list(about_other_measures(table)) == [told]


SHARES = ["recall_100", "recall_5", "set_recall", "set_P", "num_ret", "num_rel_ret", "num_rel"]


@pytest.mark.filterwarnings("ignore::stdeval.InputWarning")
@pytest.mark.parametrize("options", [Options(), Options(level=2), Options(depth=7), Options(judged_only=True)])
def test_no_run_has_other_shares_than_its_numbers_give(shared, options: Options):
    qrels = read_qrels(shared / "trec-covid-r5/qrels.txt")
    runs = {path.name: read_run(path) for path in sorted((shared / "trec-covid-r5/runs").iterdir())[::15]}
    table = evaluate(qrels, runs, SHARES, options)
    for scores in (table.values, table.values.round(4)):
        assert list(contradictions(table.measures, scores)) == []


@pytest.mark.filterwarnings("ignore::stdeval.InputWarning")
@pytest.mark.parametrize(
    ("name", "is_told"), [("recall_100", True), ("set_recall", True), ("set_P", True), ("recall_5", False)]
)
def test_a_share_that_was_shifted_beside_its_numbers_is_told(shared, name: str, is_told: bool):
    """As if a cell was inserted in a spreadsheet."""
    qrels = read_qrels(shared / "trec-covid-r5/qrels.txt")
    run = read_run(shared / "trec-covid-r5/runs/UIowaS_Run1.run.gz")
    table = evaluate(qrels, {"a": run}, SHARES)
    values = table.values.copy()
    place = table.measures.index(name)
    values[:, :, place] = np.roll(values[:, :, place], 1, axis=1)
    (told,) = list(about_contradictory_scores(ScoreTable(table.systems, table.topics, table.measures, values))) or (
        "",
    )
    assert told.startswith(f"{name} and num_rel_ret of 'a' contradict each other on ") == is_told
