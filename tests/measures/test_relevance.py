from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from stdeval import Options, evaluate
from stdeval.measures.catalogue import NOT_POOLED, UNJUDGED
from stdeval.measures.relevance import relevance_vector, relstring, top_documents
from stdeval.table import Floats, Ints
from stdeval.trec.reading import Run, read_qrels, read_run

pytestmark = pytest.mark.oracle

# Few docnos and scores, so that ties are frequent, also of scores that are equal only as 32-bit floats.
DOCNOS = st.text(st.sampled_from("ab1\x7f\x80\xff"), min_size=1, max_size=4)
SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-9, -1.0, 1e300, -1e300, 1e-46]),
    st.floats(allow_nan=False, allow_infinity=False),
)
DOCS = st.dictionaries(DOCNOS, SCORES, max_size=30)


def plain_order(docs: dict[str, float]) -> list[str]:
    """Docnos in the order of trec_eval's comp_sim_docno."""
    with np.errstate(over="ignore"):
        keys = {docno: (float(np.float32(score)), docno.encode("latin-1")) for docno, score in docs.items()}
    return sorted(docs, key=keys.__getitem__, reverse=True)


@given(DOCS, st.integers(1, 40))
def test_top_documents_are_the_first_of_a_plain_sort(docs: dict[str, float], depth: int) -> None:
    assert list(top_documents(docs, depth).items()) == [(docno, docs[docno]) for docno in plain_order(docs)[:depth]]


@given(
    DOCS,
    st.dictionaries(DOCNOS, st.integers(-3, 3), max_size=30),
    st.booleans(),
)
def test_vector_is_that_of_a_plain_loop(docs: dict[str, float], judged: dict[str, int], judged_only: bool) -> None:
    expected = []
    for docno in plain_order(docs):
        level = judged.get(docno)
        if level is not None and level >= 0:
            expected.append(level)
        elif not judged_only:
            expected.append(NOT_POOLED if level is None else UNJUDGED)
    assert relevance_vector(docs, judged, judged_only=judged_only).tolist() == expected


def test_depth_comes_before_judged_only() -> None:
    # trec_eval -M 2 -J: of the first two documents, the judged ones.
    docs = {"d1": 3.0, "d2": 2.0, "d3": 1.0}
    run = Run("t", {"1": docs})
    options = Options(depth=2, judged_only=True)
    qrels = {"1": {"d1": 1, "d3": 1, "d4": 0}}
    assert evaluate(qrels, [run], ["num_ret", "sp"], options).values.tolist() == [[[1, 1]]]


def to_each_rank(terms: Ints | Floats) -> Floats:
    """Sums of the first 0, 1, 2 ... terms."""
    return np.concatenate(([0.0], np.cumsum(terms)))


def discounted(levels: Ints) -> Floats:
    return to_each_rank(np.maximum(levels, 0) / np.log2(np.arange(len(levels)) + 2))


def trec_measures(vector: Ints, ideal: Floats, num_rel: int, level: int) -> dict[str, float]:
    """trec_eval's measures of one topic, computed from its relevance vector."""
    relevant = vector >= level
    found, dcg = to_each_rank(relevant), discounted(vector)
    first = int(np.argmax(relevant)) + 1 if relevant.any() else math.inf
    average = float((found[1:] / np.arange(1, len(found)))[relevant].sum())
    scores = {"map": average / max(num_rel, 1), "Rprec": found[: num_rel + 1][-1] / max(num_rel, 1)}
    scores["recip_rank"] = 1 / first
    scores["ndcg"] = dcg[-1] / max(ideal[-1], 1e-9)
    for k in (5, 10, 1000):
        hits = found[: k + 1][-1]
        scores |= {f"P_{k}": hits / k, f"recall_{k}": hits / max(num_rel, 1)}
        scores[f"ndcg_cut_{k}"] = dcg[: k + 1][-1] / max(ideal[: k + 1][-1], 1e-9)
    return scores


def differences(qrels: dict[str, dict[str, int]], runs: list[Path], level: int, judged_only: bool) -> Floats:
    """Our scores less pytrec_eval's, over all runs, topics and measures."""
    measures = {"map", "recip_rank", "Rprec", "ndcg", "P.5,10,1000", "recall.5,10,1000", "ndcg_cut.5,10,1000"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures, level, judged_only)
    judged = {topic: np.sort(list(levels.values()))[::-1] for topic, levels in qrels.items()}
    best = {topic: (discounted(levels), int(np.sum(levels >= level))) for topic, levels in judged.items()}
    found = []
    for path in runs:
        documents = read_run(path).documents
        for topic, theirs in evaluator.evaluate(documents).items():
            vector = relevance_vector(documents[topic], qrels[topic], judged_only=judged_only)
            ours = trec_measures(vector, *best[topic], level)
            found.append([ours[name] - theirs[name] for name in ours])
    return np.array(found)


# Real runs with ties, scores that differ only beyond 32 bits, missing topics, and negative judgments.
@pytest.mark.filterwarnings("ignore:.* has ranks in another order than the scores")
@pytest.mark.filterwarnings("ignore:.* has equal scores for (most|the first) documents")
@pytest.mark.parametrize(
    ("collection", "step", "level", "judged_only"),
    [("trec-covid-r5", 3, 1, False), ("cranfield", 1, 1, False), ("trec-covid-r5", 12, 2, True)],
)
def test_measures_of_the_vectors_are_those_of_trec_eval(
    shared: Path, collection: str, step: int, level: int, judged_only: bool
) -> None:
    runs = sorted((shared / collection / "runs").iterdir())[::step]
    found = differences(read_qrels(shared / collection / "qrels.txt"), runs, level, judged_only)
    assert np.abs(found).max() < 1e-12


def test_relstring_shows_judgments_of_more_than_one_digit_by_one_sign() -> None:
    # trec_eval 9.0.8, m_relstring.c: '>' for judgments above 9
    assert relstring(np.array([8, 9, 10, 11, 0]), 5) == "89>>0"
