"""Measures of gdeval, ir_measures and MS MARCO, against their formulas written a second time."""

from __future__ import annotations

import gzip
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval import Options, evaluate
from stdeval.errors import InputError
from stdeval.measures.papers import err, judged, recip_rank_cut
from stdeval.measures.relevance import TopicRelevance
from stdeval.trec.reading import Run, read_qrels, read_run

pytestmark = pytest.mark.oracle

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"
KS = st.one_of(st.none(), st.integers(1, 50))


def gdeval(gains: list[int], ideal: list[int], k: int, max_grade: int = 4) -> tuple[float, float]:
    """NDCG and ERR of one topic as gdeval.pl computes them, with its natural logarithm."""

    def dcg(levels: list[int]) -> float:
        return sum((2**level - 1) / math.log(i + 2) for i, level in enumerate(levels[:k]))

    score, decay = 0.0, 1.0
    for i, level in enumerate(gains[:k]):
        stop = (2**level - 1) / 2**max_grade
        score += stop * decay / (i + 1)
        decay *= 1 - stop
    return (dcg(gains) / dcg(ideal) if ideal else 0.0), score


@given(st.lists(st.integers(-2, 6), max_size=40), KS, st.integers(6, 9))
def test_err_is_that_of_a_plain_loop(levels: list[int], k: int | None, max_grade: int) -> None:
    topic = TopicRelevance(np.array(levels, dtype=np.int64), np.array(levels, dtype=np.int64))
    _, expected = gdeval([max(level, 0) for level in levels], [], k or 99, max_grade)
    assert err(topic, k, max_grade) == pytest.approx(expected, abs=1e-14)
    assert 0 <= err(topic, k, max_grade) < 1


@given(st.lists(st.integers(-2, 3), max_size=40), KS, st.integers(1, 3))
def test_rank_of_the_first_relevant_document(levels: list[int], k: int | None, level: int) -> None:
    topic = TopicRelevance(np.array(levels, dtype=np.int64), np.array([1]), level)
    ranks = [rank for rank, each in enumerate(levels[:k], 1) if each >= level]
    assert recip_rank_cut(topic, k or 50) == (1 / ranks[0] if ranks else 0.0)


def test_nothing_retrieved_scores_zero() -> None:
    nothing = TopicRelevance(np.zeros(0, dtype=np.int64), np.array([1]))
    assert judged(nothing) == judged(nothing, 5) == err(nothing) == recip_rank_cut(nothing, 5) == 0.0


@pytest.mark.parametrize("function", [judged, err, recip_rank_cut])
def test_a_cutoff_below_one_is_refused(function) -> None:
    with pytest.raises(InputError, match="cutoff 0"):
        function(TopicRelevance(np.array([1]), np.array([1])), 0)


def test_a_negative_judgment_counts_as_judged_and_has_no_gain() -> None:
    run = Run("t", {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}})
    table = evaluate({"1": {"a": -1, "c": 2}}, [run], ["Judged@2", "Judged", "unj_2", "ERR@3", "RR@3"])
    assert dict(zip(table.measures, table.values[0, 0].tolist(), strict=True)) == {
        "unj_2": 1.0,
        "judged": 0.5,
        "judged_2": 0.5,
        "recip_rank_cut_3": 1 / 3,
        "err_3": 3 / 16 / 3,
    }


@pytest.mark.filterwarnings("ignore:-l 2 changes no score by err", "ignore:binary gains change no score by err")
def test_levels_and_binary_gains_do_not_change_err() -> None:
    run = Run("t", {"1": {"a": 4.0, "b": 3.0, "c": 2.0}})
    scores = {
        evaluate({"1": {"a": 1, "b": 3, "c": 2}}, [run], ["err"], options).values.item()
        for options in (Options(), Options(level=2), Options(level=2, binary=True))
    }
    assert scores == {1 / 16 + 15 / 16 * (7 / 16 / 2 + 9 / 16 * 3 / 16 / 3)}


def test_a_judgment_above_the_highest_grade_is_refused_for_err_only() -> None:
    qrels, run = {"7": {"a": 1, "b": 5}}, Run("t", {"7": {"a": 1.0}})
    with pytest.raises(InputError, match="topic '7', docno 'b': judgment 5, expected at most 4"):
        evaluate(qrels, [run], ["err_20", "map"])
    assert evaluate(qrels, [run], ["err_max=5"]).values.item() == 1 / 32
    assert evaluate(qrels, [run], ["map", "ndcg_exp"]).values[0, 0, 0] == 0.5


def test_trec_eval_agrees_where_it_has_the_same_measure() -> None:
    """The reciprocal rank to a depth that no run reaches, and exponential gains of 0 and 1."""
    qrels, run = read_qrels(SAMPLE / "qrels.gz"), read_run(SAMPLE / "new-a.run.gz")
    names = ["RR", "RR@1000", "ndcg", "ndcg_exp", "nDCG@7", "ndcg_exp_cut_7"]
    table = evaluate(qrels, [run], names, Options(binary=True))
    assert table.measure("recip_rank_cut_1000")[0] == pytest.approx(table.measure("recip_rank")[0], abs=1e-12)
    assert table.measure("ndcg_exp")[0] == pytest.approx(table.measure("ndcg")[0], abs=1e-12)
    assert table.measure("ndcg_exp_cut_7")[0] == pytest.approx(table.measure("ndcg_cut_7")[0], abs=1e-12)


def ranked_as_in_gdeval(path: Path) -> dict[str, list[str]]:
    """Topic to docnos: sorted by score, then by docno, both descending."""
    lines: dict[str, list[tuple[float, str]]] = defaultdict(list)
    with gzip.open(path, "rt") as file:
        for line in file:
            topic, _, docno, _, score, _ = line.split()
            lines[topic].append((float(score), docno))
    return {topic: [docno for _, docno in sorted(each, reverse=True)] for topic, each in lines.items()}


@pytest.mark.filterwarnings("ignore:.* no documents for:stdeval.InputWarning")
@pytest.mark.parametrize(
    ("collection", "run"),
    [("cranfield", "bm25-missing-topics"), ("cranfield", "bm25-depth10"), ("trec-covid-r5", "first")],
)
def test_real_runs_score_as_in_gdeval_and_ir_measures(shared: Path, collection: str, run: str) -> None:
    qrels = read_qrels(shared / collection / "qrels.txt")
    path = next(
        path for path in sorted((shared / collection / "runs").iterdir()) if run in ("first", path.name[:-7])
    )
    names = ["err_20", "ndcg_exp_cut_20", "judged_20", "recip_rank_cut_20"]
    table = evaluate(qrels, [read_run(path)], names)
    ranked = ranked_as_in_gdeval(path)
    assert set(table.topics) == set(ranked) & set(qrels)
    for i, topic in enumerate(table.topics):
        docnos, judgments = ranked[topic], qrels[topic]
        gains = [max(judgments.get(docno, 0), 0) for docno in docnos]
        ideal = sorted((rel for rel in judgments.values() if rel > 0), reverse=True)
        ndcg, expected_reciprocal_rank = gdeval(gains, ideal, 20)
        top = docnos[:20]
        expected = {
            "err_20": expected_reciprocal_rank,
            "ndcg_exp_cut_20": ndcg,
            "judged_20": sum(docno in judgments for docno in top) / len(top),
            "recip_rank_cut_20": next((1 / rank for rank, gain in enumerate(gains[:20], 1) if gain > 0), 0.0),
        }
        for name, value in expected.items():
            assert table.measure(name)[0, i] == pytest.approx(value, abs=1e-12), (name, topic)
