from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval import Options, evaluate
from stdeval.measures.catalogue import NOT_POOLED, UNJUDGED
from stdeval.measures.papers import relevance_vector, relstring, top_documents
from stdeval.trec.reading import Run

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


@given(DOCS, st.dictionaries(DOCNOS, st.integers(-3, 3), max_size=30), st.booleans())
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


def test_relstring_shows_judgments_of_more_than_one_digit_by_one_sign() -> None:
    # trec_eval 9.0.8, m_relstring.c: '>' for judgments above 9
    assert relstring(np.array([8, 9, 10, 11, 0, NOT_POOLED, UNJUDGED, 1]), 7) == "89>>0-."
