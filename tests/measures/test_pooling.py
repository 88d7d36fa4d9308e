from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.errors import InputError
from stdeval.measures.pooling import first_documents, pool_report, pool_runs, pooled_qrels, unique_contributions
from stdeval.trec.reading import Run, read_qrels, read_run

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
    assert [row.topic for row in report] == sorted(qrels)
    for row in report:
        kept, all_judged = list(left.get(row.topic, {}).values()), list(qrels[row.topic].values())
        assert row.size == len(pool.get(row.topic, {}))
        assert row.judged == sum(judgment >= 0 for judgment in kept)
        assert row.judged + row.judged_lost == sum(judgment >= 0 for judgment in all_judged)
        assert row.relevant == sum(judgment >= level for judgment in kept)
        assert row.relevant + row.relevant_lost == sum(judgment >= level for judgment in all_judged)


def test_judgments_keep_their_order() -> None:
    left = pooled_qrels({"2": {"z": 0, "a": 1, "m": -1}, "1": {"q": 1}}, {"2": {"m": 0, "a": 0, "z": 0}, "1": {}})
    assert [(topic, list(judged)) for topic, judged in left.items()] == [("2", ["z", "a", "m"])]


def test_first_documents_are_those_of_trec_evals_order(write) -> None:
    # Topic 1 comes back after topic 2; of equal scores, b comes before a.
    path = write("r.run", ["1 Q0 c 1 9 t", "2 Q0 x 1 1 t", "1 Q0 a 1 9.5 t", "1 Q0 b 1 9.5 t", "3 Q0 x 1 1 t"])
    assert first_documents(path, 2, {"1", "2"}).run == Run("t", {"1": {"b": 9.5, "a": 9.5}, "2": {"x": 1.0}})
    with pytest.raises(InputError, match=r"r\.run: no topic in common with the qrels"):
        first_documents(path, 2, {"4"})


def test_a_depth_below_one() -> None:
    with pytest.raises(InputError, match="pool depth 0, expected at least 1"):
        pool_runs([], 0)


@pytest.mark.filterwarnings("ignore:.* has ranks in another order than the scores")
@pytest.mark.filterwarnings("ignore:.* equal scores for (most|the first) documents")
def test_shallower_pools_lie_within_deeper_ones(shared: Path) -> None:
    # Every fourth run of TREC-COVID round 5.
    folder = shared / "trec-covid-r5"
    qrels = read_qrels(folder / "qrels.txt")
    runs = [read_run(path).documents for path in sorted((folder / "runs").iterdir())[::4]]
    pools = [pool_runs((run.items() for run in runs), depth, qrels) for depth in (100, 20, 10, 5)]
    kept = [pooled_qrels(qrels, pool) for pool in pools]
    for deep, shallow in zip([qrels, *kept], kept, strict=False):
        assert all(shallow[topic].items() <= deep[topic].items() for topic in shallow)
    counts = [sum(map(len, left.values())) for left in kept]
    assert len(set(counts)) == 4
    assert counts == sorted(counts, reverse=True)
