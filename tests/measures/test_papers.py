"""The functions of the measures that trec_eval lacks: against plain loops, trec_eval, and published figures."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval import Options, evaluate
from stdeval.errors import InputError
from stdeval.measures.catalogue import Family
from stdeval.measures.papers import (
    PAPERS,
    TopicRelevance,
    amap,
    enjkdcg,
    err,
    ndcg_exp,
    njkdcg,
    nrbp,
    rbp,
    rbp_resid,
    relevance_vector,
    sp,
    unj,
)
from stdeval.trec.reading import Run, read_qrels, read_run

pytestmark = pytest.mark.oracle


@st.composite
def topics(draw: st.DrawFn) -> TopicRelevance:
    """A relevance vector and the judgments of its topic, which include those in the vector."""
    vector = np.array(draw(st.lists(st.integers(-2, 3), max_size=40)), dtype=np.int64)
    missed = np.array(draw(st.lists(st.integers(-1, 3), max_size=40)), dtype=np.int64)
    judged = np.concatenate([vector[vector != -1], missed])
    return TopicRelevance(vector, judged, draw(st.integers(1, 3)), draw(st.booleans()))


PS = st.one_of(st.sampled_from([0.0, 0.5, 0.8, 0.95, 0.9977]), st.floats(0, 1, exclude_max=True))
KS = st.one_of(st.none(), st.integers(1, 50))


def score_of(row: Family, topic: TopicRelevance, p: float, k: int) -> float:
    """The score by a row of the table, with all parameters that its function takes."""
    given = {"p": p} if row.parameter == "persistence" else {}
    assert row.function is not None
    return row.function(topic, **given, **({"k": k} if "cutoff" in row.parameter else {}))


@given(topics(), KS)
def test_exponential_gains_are_those_of_a_plain_loop(topic: TopicRelevance, k: int | None) -> None:
    def plain(levels: list[int]) -> float:
        gains = [float(level >= topic.level) if topic.binary else float(max(level, 0)) for level in levels]
        return math.fsum((2**gain - 1) / math.log2(rank + 1) for rank, gain in enumerate(gains[:k], 1))

    ideal = plain(sorted(topic.judged.tolist(), reverse=True))
    assert ndcg_exp(topic, k) == pytest.approx(plain(topic.vector.tolist()) / ideal if ideal else 0.0, abs=1e-12)
    if topic.binary:
        folded = TopicRelevance(
            (topic.vector >= topic.level).astype(np.int64), (topic.judged >= topic.level).astype(np.int64)
        )
        assert ndcg_exp(topic, k) == ndcg_exp(folded, k)


def test_exponential_gains_do_not_overflow() -> None:
    topic = TopicRelevance(np.array([1, 5000]), np.array([5000, 4999, 1]))
    expected = (1 / math.log2(3)) / (1 + 0.5 / math.log2(3))
    assert ndcg_exp(topic) == pytest.approx(expected, abs=1e-12)


@given(topics(), PS, KS)
def test_base_and_residual_never_exceed_one(topic: TopicRelevance, p: float, k: int | None) -> None:
    base, residual = rbp(topic, p, k), rbp_resid(topic, p, k)
    assert base >= 0
    assert residual >= 0
    assert base + residual <= 1.0


@given(topics(), PS, st.integers(1, 50))
def test_normalized_measures_stay_within_zero_and_one(topic: TopicRelevance, p: float, k: int) -> None:
    for row in PAPERS:
        score = score_of(row, topic, p, k)
        top = {"0..1": 1.0, "0..R": topic.num_rel}.get(row.range, math.inf)
        assert -1e-12 <= score <= top + 1e-12


@given(st.lists(st.integers(1, 3), min_size=1, max_size=30), st.integers(0, 99), PS, st.integers(1, 50))
def test_a_perfect_run_scores_one(levels: list[int], n_others: int, p: float, k: int) -> None:
    vector = np.array([*sorted(levels, reverse=True), *[0] * n_others])
    perfect = TopicRelevance(vector, np.array([*levels, 0, -1]))
    assert njkdcg(perfect) == njkdcg(perfect, k) == nrbp(perfect, p) == nrbp(perfect, p, k) == 1.0
    assert ndcg_exp(perfect) == ndcg_exp(perfect, k) == 1.0
    assert enjkdcg(perfect, 200) == amap(perfect, k) == 1.0
    assert sp(perfect) == len(levels)


@pytest.mark.parametrize("binary", [False, True])
def test_a_topic_without_relevant_documents(binary: bool) -> None:
    topic = TopicRelevance(np.array([0, -1, -2]), np.array([0, -1]), binary=binary)
    for row in PAPERS:
        if row.name not in ("rbp_resid", "unj", "judged"):
            assert score_of(row, topic, 0.5, 2) == 0.0
    assert rbp_resid(topic, 0.5) == 0.25 + 0.125 + 0.125
    assert unj(topic, 2) == 0.5


# --- gdeval, ir_measures and MS MARCO ---


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


def test_graded_rank_biased_precision_by_hand() -> None:
    """Gains 1, 1/2 and 0 at ranks 1, 2 and 4, each times 1/2^rank; a negative judgment, and -l, change nothing."""
    qrels = {"1": {"a": 2, "b": 1, "c": -1, "d": 0, "e": 2}}
    run = Run("t", {"1": dict(zip("abcd", (4.0, 3.0, 2.0, 1.0), strict=True))})
    names = ["rbp_p=0.5_max=2", "RBP(p=0.5,max=4)@1", "rbp_resid_p=0.5_max=2", "nrbp_p=0.5_max=2"]
    for options in (Options(), Options(level=2), Options(binary=True)):
        scores = evaluate(qrels, [run], names, options).values[0, 0].tolist()
        assert scores == [1 / 2 + 1 / 8, 1 / 4, 1 / 8 + 1 / 16, (5 / 8) / (1 / 2 + 1 / 4 + 1 / 16)]


def test_a_judgment_above_the_highest_grade_is_refused_for_err_only() -> None:
    qrels, run = {"7": {"a": 1, "b": 5}}, Run("t", {"7": {"a": 1.0}})
    with pytest.raises(InputError, match="topic '7', docno 'b': judgment 5, expected at most 4"):
        evaluate(qrels, [run], ["err_20", "map"])
    with pytest.raises(InputError, match=r"judgment 5, expected at most 2 for rbp_p=0\.5_max=2; max=5 takes it"):
        evaluate(qrels, [run], ["RBP(p=0.5,max=2)", "err"])
    assert evaluate(qrels, [run], ["err_max=5"]).values.item() == 1 / 32
    assert evaluate(qrels, [run], ["map", "ndcg_exp"]).values[0, 0, 0] == 0.5


# --- trec_eval and published figures ---


@pytest.mark.filterwarnings("ignore::stdeval.InputWarning")
@pytest.mark.parametrize("collection", ["cranfield", "trec-covid-r5"])
def test_scores_follow_from_those_of_trec_eval(shared: Path, collection: str) -> None:
    """SP = AP x R, aAP@k x min(k, R) = AP@k x R, RBP with p = 0 is P@1, and DCG over its ideal is nDCG."""
    qrels = read_qrels(shared / collection / "qrels.txt")
    runs = {path.name: read_run(path) for path in sorted((shared / collection / "runs").iterdir())[::12]}
    ideal = {topic: {docno: float(rel) for docno, rel in of.items()} for topic, of in qrels.items()}
    names = ["map", "P_1", "ndcg", "ndcg_cut_5", "map_cut_5", "num_rel"]
    names += ["sp", "amap_cut_5", "rbp_p=0", "dcg", "dcg_cut_5"]
    table = evaluate(qrels, {**runs, "ideal": ideal}, names, Options(complete=True))
    score = dict(zip(table.measures, np.moveaxis(table.values, 2, 0), strict=True))
    n = score["num_rel"]
    for ours, theirs in (
        (score["sp"], score["map"] * n),
        (score["amap_cut_5"] * np.minimum(5, n), score["map_cut_5"] * n),
        (score["rbp_p=0"], score["P_1"]),
        (score["dcg"], score["ndcg"] * score["dcg"][-1]),
        (score["dcg_cut_5"], score["ndcg_cut_5"] * score["dcg_cut_5"][-1]),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


# Printed by trec_eval 10 (usnistgov/trec_eval, commit f425365) with -m rbp.p=P -m rbp_resid.p=P
# -m unj.5,20,100, for the qrels with judgments folded at 1, because its RBP is graded. Where all documents
# retrieved are judged it prints a residual of 0, hence None.
TREC_EVAL_10 = [
    ("covidex.r5.1s", "1", 0.8, 0.8292, 0.0194, (0.0, 0.1, 0.43)),
    ("covidex.r5.1s", "8", 0.95, 0.5937, 0.2648, (0.0, 0.15, 0.54)),
    ("fc3-qrel-hidden", "1", 0.8, 0.8634, 0.1031, (0.0, 0.45, 0.74)),
    ("fc3-qrel-hidden", "20", 0.95, 0.5880, 0.4120, (0.0, 0.35, 0.65)),
    ("uab.base", "8", 0.95, 0.0, 0.6367, (0.0, 0.2, 0.04)),
    ("uab.base", "1", 0.95, 0.0951, None, (0.0, 0.0, 0.0)),
]


@pytest.mark.parametrize(("run", "topic", "p", "base", "residual", "unjudged"), TREC_EVAL_10)
def test_figures_of_trec_eval_10(
    shared: Path, run: str, topic: str, p: float, base: float, residual: float | None, unjudged: tuple[float, ...]
) -> None:
    folder = shared / "trec-covid-r5"
    judged = read_qrels(folder / "qrels.txt")[topic]
    vector = relevance_vector(read_run(folder / "runs" / f"{run}.run.gz").documents[topic], judged)
    relevance = TopicRelevance(vector, np.array(list(judged.values())))
    assert rbp(relevance, p) == pytest.approx(base, abs=5.1e-5)
    if residual is not None:
        assert rbp_resid(relevance, p) == pytest.approx(residual, abs=5.1e-5)
    assert [unj(relevance, k) for k in (5, 20, 100)] == pytest.approx(unjudged, abs=5.1e-5)
