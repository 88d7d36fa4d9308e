from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from stdeval.errors import InputError
from stdeval.measures.names import FAMILIES, Family
from stdeval.measures.names import resolve
from stdeval.measures.papers import (
    FUNCTIONS,
    amap,
    dcg,
    enjkdcg,
    jkdcg,
    keyword_arguments,
    ndcg_exp,
    njkdcg,
    nrbp,
    rbp,
    rbp_resid,
    sp,
    unj,
)
from stdeval.measures.relevance import TopicRelevance, relevance_vector
from stdeval.standardization.schemes import zscores
from stdeval.stats.aggregates import moments
from stdeval.table import Floats
from stdeval.trec.reading import read_qrels, read_run

pytestmark = pytest.mark.oracle

ROWS = [family for family in FAMILIES if family.provider in FUNCTIONS]
CUTOFFS = (1, 5, 20)
NAMES = ["sp", "nsp", "dcg", "ndcg", "jkdcg", "njkdcg", "rbp0"]
NAMES += [f"{name}_{k}" for name in ("aap", "ndcg") for k in CUTOFFS]


@st.composite
def topics(draw: st.DrawFn) -> TopicRelevance:
    """A relevance vector and the judgments of its topic, which include those in the vector."""
    vector = np.array(draw(st.lists(st.integers(-2, 3), max_size=40)), dtype=np.int64)
    missed = np.array(draw(st.lists(st.integers(-1, 3), max_size=40)), dtype=np.int64)
    judged = np.concatenate([vector[vector != -1], missed])
    return TopicRelevance(vector, judged, draw(st.integers(1, 3)), draw(st.booleans()))


PS = st.one_of(st.sampled_from([0.0, 0.5, 0.8, 0.95, 0.9977]), st.floats(0, 1, exclude_max=True))
KS = st.one_of(st.none(), st.integers(1, 50))


def parameters(family: Family, p: float, k: int) -> dict[str, float]:
    """All arguments that the function of a row of the table takes."""
    measure = resolve([f"{family.name}_p={p}_cut_{k}" if family.parameter == "persistence" else family.name])[0]
    return {name: {"p": p, "k": k, "max_grade": 4}[name] for name in keyword_arguments(measure)}


def plain_discounted(gains: list[float], k: int | None) -> float:
    return math.fsum(gain / max(1.0, math.log2(rank)) for rank, gain in enumerate(gains[:k], 1))


@given(topics(), KS)
def test_dcg_family_is_that_of_a_plain_loop(topic: TopicRelevance, k: int | None) -> None:
    def gains(levels: list[int]) -> list[float]:
        return [float(level >= topic.level) if topic.binary else float(max(level, 0)) for level in levels]

    ideal = sorted(gains(topic.judged.tolist()), reverse=True)
    score = plain_discounted(gains(topic.vector.tolist()), k)
    best = plain_discounted(ideal, k)
    assert jkdcg(topic, k) == pytest.approx(score, abs=1e-12)
    assert njkdcg(topic, k) == pytest.approx(score / best if best else 0.0, abs=1e-12)
    if k is not None:
        whole = plain_discounted(ideal, None)
        assert enjkdcg(topic, k) == pytest.approx(score / whole if whole else 0.0, abs=1e-12)


@given(topics(), PS, KS)
def test_rbp_is_that_of_a_plain_loop(topic: TopicRelevance, p: float, k: int | None) -> None:
    levels = topic.vector.tolist()[:k]
    base = (1 - p) * math.fsum(p**i for i, level in enumerate(levels) if level >= topic.level)
    unknown = (1 - p) * math.fsum(p**i for i, level in enumerate(levels) if level < 0) + p ** len(levels)
    ideal = 1 - p ** min(topic.num_rel, k or topic.num_rel)
    assert rbp(topic, p, k) == pytest.approx(base, abs=1e-12)
    assert rbp_resid(topic, p, k) == pytest.approx(unknown, abs=1e-12)
    assert nrbp(topic, p, k) * ideal == pytest.approx(base if topic.num_rel else 0.0, abs=1e-12)


@given(topics(), KS)
def test_exponential_gains_are_those_of_a_plain_loop(topic: TopicRelevance, k: int | None) -> None:
    def plain(levels: list[int]) -> float:
        gains = [float(level >= topic.level) if topic.binary else float(max(level, 0)) for level in levels]
        return math.fsum((2**gain - 1) / math.log2(rank + 1) for rank, gain in enumerate(gains[:k], 1))

    ideal = plain(sorted(topic.judged.tolist(), reverse=True))
    assert ndcg_exp(topic, k) == pytest.approx(plain(topic.vector.tolist()) / ideal if ideal else 0.0, abs=1e-12)
    if topic.binary:
        folded = TopicRelevance(topic.relevant.astype(np.int64), (topic.judged >= topic.level).astype(np.int64))
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


@pytest.mark.parametrize("n", [200, 800])
@pytest.mark.parametrize("p", [0.8, 0.95])
def test_neither_base_nor_residual_of_many_relevant_documents_is_beyond_its_range(n: int, p: float) -> None:
    topic = TopicRelevance(np.ones(n, dtype=np.int64), np.ones(n, dtype=np.int64))
    assert 1 - 1e-4 <= rbp(topic, p, n) + rbp_resid(topic, p, n) <= 1
    assert rbp_resid(topic, p, n) >= 0


@given(topics(), PS, st.integers(1, 50))
def test_normalized_measures_stay_within_zero_and_one(topic: TopicRelevance, p: float, k: int) -> None:
    for row in ROWS:
        score = FUNCTIONS[row.provider](topic, **parameters(row, p, k))
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


@given(topics(), st.integers(40, 60))
def test_a_cut_beyond_the_run_changes_no_sum(topic: TopicRelevance, k: int) -> None:
    for function in (sp, dcg, jkdcg):
        assert function(topic, k) == function(topic)
    assert rbp_resid(topic, 0.8, k) == rbp_resid(topic, 0.8)


@pytest.mark.parametrize("binary", [False, True])
def test_a_topic_without_relevant_documents(binary: bool) -> None:
    topic = TopicRelevance(np.array([0, -1, -2]), np.array([0, -1]), binary=binary)
    for row in ROWS:
        if row.name not in ("rbp_resid", "unj", "judged"):
            assert FUNCTIONS[row.provider](topic, **parameters(row, 0.5, 2)) == 0.0
    assert rbp_resid(topic, 0.5) == 0.25 + 0.125 + 0.125
    assert unj(topic, 2) == 0.5


def test_nothing_retrieved_leaves_all_unknown() -> None:
    topic = TopicRelevance(np.zeros(0, dtype=np.int64), np.array([1, 1]))
    assert rbp(topic, 0.95) == 0.0
    assert rbp_resid(topic, 0.95) == 1.0
    assert unj(topic, 10) == 1.0
    assert sp(topic) == jkdcg(topic) == dcg(topic) == 0.0


def test_binary_gains_fold_the_judgments_at_the_level() -> None:
    folded = TopicRelevance(np.array([0, 1, 0, 1]), np.array([0, 1, 0, 1, 1]))
    graded = TopicRelevance(np.array([1, 3, -1, 2]), np.array([1, 3, 0, 2, 2]), level=2, binary=True)
    for function in (dcg, jkdcg, njkdcg, enjkdcg):
        assert function(graded, k=3) == function(folded, k=3)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_outside_their_range(name: str) -> None:
    topic = TopicRelevance(np.array([1, 0]), np.array([1, 0]))
    p = {"p": 0.5} if "rbp" in name else {}
    with pytest.raises(InputError, match="cutoff 0, expected at least 1"):
        FUNCTIONS[name](topic, **p, k=0)
    if p:
        with pytest.raises(InputError, match="p=1, expected"):
            FUNCTIONS[name](topic, p=1.0)


def papers_scores(topic: TopicRelevance) -> dict[str, float]:
    """Our scores that follow from trec_eval's, or the reverse."""
    scores = {"sp": sp(topic), "nsp": sp(topic) / max(topic.num_rel, 1), "rbp0": rbp(topic, 0.0)}
    ideal = TopicRelevance(np.sort(topic.judged)[::-1], topic.judged)
    scores |= {"dcg": dcg(topic), "ndcg": dcg(topic) / max(dcg(ideal), 1e-9)}
    scores |= {"jkdcg": jkdcg(topic), "njkdcg": njkdcg(topic)}
    for k in CUTOFFS:
        scores[f"aap_{k}"] = amap(topic, k) * min(k, topic.num_rel)
        scores[f"ndcg_{k}"] = dcg(topic, k) / max(dcg(ideal, k), 1e-9)
    return scores


def trec_scores(theirs: dict[str, float], num_rel: int) -> dict[str, float]:
    """The same scores from trec_eval's measures alone; those that do not follow are left out."""
    scores = {"sp": theirs["map"] * num_rel, "nsp": theirs["map"], "rbp0": theirs["P_1"], "ndcg": theirs["ndcg"]}
    for k in CUTOFFS:
        scores[f"aap_{k}"] = theirs[f"map_cut_{k}"] * num_rel
        scores[f"ndcg_{k}"] = theirs[f"ndcg_cut_{k}"]
    return scores


def both_scores(folder: Path, step: int) -> tuple[Floats, Floats]:
    """Our scores and trec_eval's of some of the runs, shape (n_systems, n_topics, n_names) each."""
    qrels = read_qrels(folder / "qrels.txt")
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, {"map", "ndcg", "P.1", "map_cut.1,5,20", "ndcg_cut.1,5,20"}, relevance_level=1
    )
    runs = [read_run(path).documents for path in sorted((folder / "runs").iterdir())[::step]]
    ours, theirs = (np.full((len(runs), len(qrels), len(NAMES)), np.nan) for _ in range(2))
    for i, documents in enumerate(runs):
        for topic, scores in evaluator.evaluate(documents).items():
            vector = relevance_vector(documents[topic], qrels[topic])
            relevance = TopicRelevance(vector, np.array(list(qrels[topic].values())))
            place = list(qrels).index(topic)
            own, their = papers_scores(relevance), trec_scores(scores, relevance.num_rel)
            ours[i, place] = [own[name] for name in NAMES]
            theirs[i, place] = [their.get(name, np.nan) for name in NAMES]
    return ours, theirs


@pytest.fixture(scope="module", params=[("trec-covid-r5", 6), ("cranfield", 4)], ids=["trec-covid-r5", "cranfield"])
def scores(request: pytest.FixtureRequest, shared: Path) -> tuple[Floats, Floats]:
    collection, step = request.param
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* equal scores for most documents")
        return both_scores(shared / collection, step)


# SP = AP x R, aAP@k x min(k, R) = AP@k x R, DCG over its ideal = nDCG, RBP with p = 0 is P@1.
def test_scores_follow_from_those_of_trec_eval(scores: tuple[Floats, Floats]) -> None:
    ours, theirs = scores
    assert np.nanmax(np.abs(ours - theirs)) < 1e-12


# Standardizing removes a factor common to all scores of a topic: Webber, Moffat & Zobel 2008.
@pytest.mark.parametrize(("name", "normalized"), [("sp", "nsp"), ("dcg", "ndcg"), ("jkdcg", "njkdcg")])
def test_standardized_scores_are_those_of_the_normalized_measure(
    scores: tuple[Floats, Floats], name: str, normalized: str
) -> None:
    ours, theirs = scores
    reference = ours if normalized == "njkdcg" else theirs
    z, normalized_z = (
        zscores(table, *moments(table)[:2])
        for table in (ours[:, :, NAMES.index(name)], reference[:, :, NAMES.index(normalized)])
    )
    assert np.isfinite(z).sum() > 300
    np.testing.assert_allclose(z, normalized_z, rtol=0, atol=1e-9)


# Printed by trec_eval 10 (usnistgov/trec_eval, commit f425365) with -m rbp.p=P -m rbp_resid.p=P
# -m unj.5,20,100, for the qrels with judgments folded at 1, because its RBP is graded. Where all documents
# retrieved are judged it prints a residual of 0, hence None.
TREC_EVAL_10 = [
    ("covidex.r5.1s", "1", 0.8, 0.8292, 0.0194, (0.0, 0.1, 0.43)),
    ("covidex.r5.1s", "1", 0.95, 0.5215, 0.1897, (0.0, 0.1, 0.43)),
    ("covidex.r5.1s", "8", 0.8, 0.9466, 0.0235, (0.0, 0.15, 0.54)),
    ("covidex.r5.1s", "8", 0.95, 0.5937, 0.2648, (0.0, 0.15, 0.54)),
    ("fc3-qrel-hidden", "1", 0.8, 0.8634, 0.1031, (0.0, 0.45, 0.74)),
    ("fc3-qrel-hidden", "20", 0.95, 0.5880, 0.4120, (0.0, 0.35, 0.65)),
    ("uab.base", "8", 0.8, 0.0, 0.1590, (0.0, 0.2, 0.04)),
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


# The leaderboard's RBP (p = 0.5) has gains 0, 1/2 and 1 for the levels 0, 1 and 2: the mean of the binary RBP at
# level 1 and at level 2. The files are cut at 100 documents, beyond which the weight is 2^-100.
@pytest.mark.filterwarnings("ignore:.* has ranks in another order than the scores")
@pytest.mark.filterwarnings("ignore:.* has equal scores for (most|the first) documents")
def test_official_rbp_of_all_runs_of_trec_covid(shared: Path) -> None:
    folder = shared / "trec-covid-r5"
    qrels = read_qrels(folder / "qrels.txt")
    judged = {topic: np.array(list(levels.values())) for topic, levels in qrels.items()}
    header, *rows = [line.split("\t") for line in (folder / "official.tsv").read_text().splitlines()]
    official = {row[header.index("run")]: float(row[header.index("rbp_p5")]) for row in rows}
    assert len(official) == 126
    for run, published in official.items():
        total = 0.0
        for topic, docs in read_run(folder / "runs" / f"{run}.run.gz").documents.items():
            vector = relevance_vector(docs, qrels[topic])
            total += sum(rbp(TopicRelevance(vector, judged[topic], level), 0.5) for level in (1, 2)) / 2
        assert total / len(qrels) == pytest.approx(published, abs=5.1e-5)
