from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.errors import InputError
from stdeval.measures.pooling import first_documents, pool_report, pool_runs, pooled_qrels, unique_contributions
from stdeval.trec.reading import Run

pytestmark = pytest.mark.oracle

DOCNOS = st.sampled_from("abcdefghij")
RUNS = st.lists(
    st.dictionaries(st.sampled_from(["1", "2", "10"]), st.dictionaries(DOCNOS, st.integers(0, 3)), max_size=3),
    max_size=5,
)
QRELS = st.dictionaries(
    st.sampled_from(["1", "2", "10", "3"]), st.dictionaries(DOCNOS, st.integers(-2, 3), min_size=1), min_size=1
)


def plain_contributions(runs: list[dict[str, dict[str, int]]], depth: int) -> list[set[tuple[str, str]]]:
    """For each run the (topic, docno) that it contributes: by descending score, then descending docno."""
    contributed: list[set[tuple[str, str]]] = []
    for run in runs:
        contributed.append(set())
        for topic, docs in run.items():
            ranked = sorted(docs, key=lambda docno, docs=docs: (docs[docno], docno), reverse=True)
            contributed[-1].update((topic, docno) for docno in ranked[:depth])
    return contributed


@given(RUNS, st.integers(1, 12))
def test_a_pool_is_the_union_of_the_contributions_of_its_runs(
    runs: list[dict[str, dict[str, int]]], depth: int
) -> None:
    contributed = plain_contributions(runs, depth)
    pool = pool_runs((run.items() for run in runs), depth)
    assert {(topic, docno) for topic, docs in pool.items() for docno in docs} == set().union(*contributed)
    times = Counter(pair for pairs in contributed for pair in pairs)
    alone = [sum(times[pair] == 1 for pair in pairs) for pairs in contributed]
    assert unique_contributions(pool, len(runs)).tolist() == alone


@given(RUNS, QRELS, st.integers(1, 12), st.integers(1, 3))
def test_the_report_counts_judgments_inside_and_outside_the_pool(
    runs: list[dict[str, dict[str, int]]], qrels: dict[str, dict[str, int]], depth: int, level: int
) -> None:
    pool = pool_runs((run.items() for run in runs), depth, qrels)
    left = pooled_qrels(qrels, pool)
    assert set(pool) <= set(qrels)
    assert all(left[topic].items() <= qrels[topic].items() for topic in left)
    report = pool_report(qrels, pool, level)
    assert [topic for topic, *_ in report] == sorted(qrels)
    for topic, size, judged, judged_lost, relevant, relevant_lost in report:
        kept, all_judged = list(left.get(topic, {}).values()), list(qrels[topic].values())
        assert size == len(pool.get(topic, {}))
        assert judged == sum(judgment >= 0 for judgment in kept)
        assert judged + judged_lost == sum(judgment >= 0 for judgment in all_judged)
        assert relevant == sum(judgment >= level for judgment in kept)
        assert relevant + relevant_lost == sum(judgment >= level for judgment in all_judged)


def test_first_documents_are_those_of_trec_evals_order(write) -> None:
    # Topic 1 comes back after topic 2; of equal scores, b comes before a.
    path = write("r.run", ["1 Q0 c 1 9 t", "2 Q0 x 1 1 t", "1 Q0 a 1 9.5 t", "1 Q0 b 1 9.5 t", "3 Q0 x 1 1 t"])
    assert first_documents(path, 2, {"1", "2"})[0] == Run("t", {"1": {"b": 9.5, "a": 9.5}, "2": {"x": 1.0}})
    with pytest.raises(InputError, match=r"r\.run: no topic in common with the qrels"):
        first_documents(path, 2, {"4"})
