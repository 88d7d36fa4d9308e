"""Scores compared as 64-bit floats: the order of plain Python floats, whatever 32-bit floats make of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval import Options, Run, evaluate
from stdeval.evaluation import Evaluator
from stdeval.measures.names import resolve
from stdeval.measures.papers import at_precision
from stdeval.table import scores_of

pytestmark = pytest.mark.oracle

DOCNOS = st.text(st.sampled_from("ab1\x7f\x80\xff"), min_size=1, max_size=4)


def neighbours(score: float) -> list[float]:
    """A score, and the next 64-bit floats above and below, which are mostly the same 32-bit float."""
    return [score, math.nextafter(score, math.inf), math.nextafter(score, -math.inf)]


# Beyond and below the range of 32-bit floats too, where all are infinite or 0.
NEAR = (16777216.1, 16777216.2, 0.1234567890, -0.1234567890, 0.0, -0.0, 1e-46, 1e-320, 1e39, -1e39, 1.7e308)
COLLIDING = [each for score in NEAR for each in neighbours(score)]
SCORES = st.one_of(st.sampled_from(COLLIDING), st.floats(allow_nan=False, allow_infinity=False))
DOCS = st.dictionaries(DOCNOS, SCORES, min_size=1, max_size=30)
MEASURES = ("map", "P_2", "ndcg", "bpref", "recip_rank", "num_ret", "sp", "rbp_p=0.8", "unj_5", "dcg_cut_3")


def single(score: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(score))


@given(DOCS)
def test_32_bit_floats_keep_the_order_and_the_ties_of_doubles(docs: dict[str, float]) -> None:
    kept = at_precision(docs, "double")
    assert list(kept) == list(docs)
    singles = {docno: single(score) for docno, score in kept.items()}
    for one, score in docs.items():
        for other, second in docs.items():
            assert (singles[one] > singles[other]) == (score > second)


@given(DOCS, st.dictionaries(DOCNOS, st.integers(-2, 3), min_size=1, max_size=30), st.data())
def test_scores_by_doubles_are_those_of_a_run_with_ranks_for_scores(
    docs: dict[str, float], judged: dict[str, int], data: st.DataObject
) -> None:
    depth = data.draw(st.one_of(st.none(), st.integers(1, 20)))
    judged_only = data.draw(st.booleans())
    distinct = sorted(set(docs.values()))
    ranks = {docno: float(distinct.index(score)) for docno, score in docs.items()}
    names = (*MEASURES, "relstring_10")
    found, expected = (
        Evaluator({"1": judged}, resolve(names), options).score_run(Run("t", {"1": documents}))
        for documents, options in (
            (docs, Options(depth=depth, judged_only=judged_only, precision="double")),
            (ranks, Options(depth=depth, judged_only=judged_only)),
        )
    )
    assert found.texts == expected.texts
    np.testing.assert_array_equal(scores_of(found), scores_of(expected))


def test_documents_are_cut_in_the_order_of_doubles() -> None:
    # As 32-bit floats both scores are 16777216; z then comes first by its docno, and alone is left by -M 1.
    run = Run("t", {"1": {"z": 16777216.1, "a": 16777216.2}})
    for precision, found in (("single", 0), ("double", 1)):
        options = Options(depth=1, precision=precision)  # type: ignore[arg-type]
        table = evaluate({"1": {"a": 1}}, [run], ["num_rel_ret", "sp"], options)
        assert table.values.tolist() == [[[found, found]]]
