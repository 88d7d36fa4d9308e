"""Scores at pool depth and evaluation depth, by hand on a small track."""

from __future__ import annotations

import numpy as np
import pytest

from stdeval.evaluation import Options
from stdeval.meta.depth import DEPTH_MEASURES, depth_measure, pooled_scores
from stdeval.trec.reading import Run

pytestmark = pytest.mark.oracle

# ranked a b c d and d c b a; relevant are a, c and d of topic 1, and b of topic 2
QRELS = {"1": {"a": 1, "b": 0, "c": 1, "d": 1}, "2": {"a": 0, "b": 1}, "3": {"z": 1}}
RUNS = [
    Run("first", {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "2": {"a": 2.0, "b": 1.0}, "3": {"y": 1.0}}),
    Run("second", {"1": {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}, "2": {"b": 2.0, "c": 1.0}, "3": {"x": 1.0}}),
]


def scores(pool_depth, *eval_depths):
    return pooled_scores(QRELS, RUNS, [depth_measure("P")], eval_depths, Options(), pool_depth)


def test_only_pooled_documents_are_relevant():
    # a pool of 1 has a and d of topic 1, a and b of topic 2, and nothing judged of topic 3
    (table,) = scores(1, 4)
    assert table.topics == ("1", "2", "3")
    assert table.measure("P_4").tolist() == [[0.5, 0.25, 0.0], [0.5, 0.25, 0.0]]
    assert table.measure("recall_4").tolist() == [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]]


def test_a_deeper_pool_adds_relevant_documents():
    # of 2: c too, which the second run has at rank 2
    shallow, deep = scores(2, 1, 4)
    assert shallow.measure("P_1").tolist() == [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    assert deep.measure("P_4")[:, 0].tolist() == [0.75, 0.75]
    assert shallow.measure("recall_1")[:, 0].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert shallow.measure("relative_P_1")[:, 0].tolist() == [1.0, 1.0]


def test_topics_that_a_run_lacks_score_0():
    some = [RUNS[0], Run("other", {"2": {"b": 1.0}})]
    (table,) = pooled_scores(QRELS, some, [depth_measure("P")], [1], Options(), 1)
    assert table.measure("P_1").tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


@pytest.mark.parametrize("options", [Options(), Options(judged_only=True), Options(level=2, binary=True)])
def test_all_depths_together_give_what_each_gives_alone(options):
    rng = np.random.default_rng(2)
    documents = [f"d{i}" for i in range(30)]
    qrels = {t: {d: int(rng.integers(0, 3)) for d in documents[::2]} for t in "123"}
    runs = [
        Run(name, {t: dict(zip(documents, rng.random(30).tolist(), strict=True)) for t in "123"}) for name in "ab"
    ]
    asked = list(DEPTH_MEASURES.values())
    for depth, table in zip((3, 8, 20), pooled_scores(qrels, runs, asked, [3, 8, 20], options, 10), strict=True):
        (alone,) = pooled_scores(qrels, runs, [*asked, depth_measure("bpref")], [depth], options, 10)
        assert set(table.measures) == set(alone.measures) - {"bpref"}
        assert table.values.tolist() == alone.select(measures=table.measures).values.tolist()


@pytest.mark.parametrize(
    ("text", "name", "abbreviated"),
    [
        ("P", "P", "relative_P_10"),
        ("R", "P", "relative_P_10"),
        ("AP", "map", "amap_cut_10"),
        ("nDCG", "dcg", "ndcg_cut_10"),
        ("nDCG(dis=jk)", "jkdcg", "njkdcg_cut_10"),
        ("AP(rel=2)", "map_rel=2", "amap_cut_10_rel=2"),
        ("rbp", "rbp", f"nrbp_p={0.1**0.1!r}_cut_10"),
        ("RBP(p=0.95)", "rbp_p=0.95", "nrbp_p=0.95_cut_10"),
        ("nRBP(p=0.5, rel=3)", "rbp_p=0.5_rel=3", "nrbp_p=0.5_cut_10_rel=3"),
    ],
)
def test_measures_have_forms_with_their_parameters(text, name, abbreviated):
    measure = depth_measure(text)
    assert (measure.name, measure.named("abbreviated", 10)) == (name, abbreviated)
