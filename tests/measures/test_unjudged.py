"""Weights that runs share in unjudged documents: against sums over dictionaries."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from stdeval.measures.names import resolve
from stdeval.measures.pooling import UnjudgedDocuments, needed_depth

pytestmark = pytest.mark.oracle

QRELS = {"1": {"a": 1, "b": 0, "c": -1}, "2": {"a": 2}}
RUNS = [
    {"1": ["a", "x", "c", "b", "y"], "2": ["x", "y"]},
    {"1": ["y", "c", "b"]},
    {"1": ["b", "a"], "2": ["y", "a", "z", "x"]},
]


def weight(documents: list[str], docno: str, p: Fraction, k: int) -> Fraction:
    rank = documents.index(docno) if docno in documents[:k] else None
    return Fraction(0) if rank is None else (1 - p) * p**rank


@pytest.mark.parametrize(("name", "p", "k"), [("RBP(p=0.5)", "1/2", 99), ("RBP(p=0.8)@2", "4/5", 2)])
def test_shared_weights_are_sums_of_the_smaller_weights(name: str, p: str, k: int):
    """A negative judgment means unjudged; a topic that a run lacks adds nothing."""
    unjudged = UnjudgedDocuments(QRELS)
    for run in RUNS:
        unjudged.add(run)
    unknown = {topic: {"x", "y", "z", "c"} for topic in QRELS}
    expected = [
        [
            sum(
                min(weight(run.get(topic, []), docno, Fraction(p), k) for run in (first, second))
                for topic, docnos in unknown.items()
                for docno in docnos
            )
            for second in RUNS
        ]
        for first in RUNS
    ]
    found = unjudged.shared_weights(resolve([name])[0])
    np.testing.assert_allclose(found, np.array(expected, dtype=float), rtol=1e-15)


@pytest.mark.parametrize("p", [0.0, 0.5, 0.95, 0.99])
def test_deeper_ranks_change_nothing(p: float):
    depth = needed_depth(resolve([f"RBP(p={p})"])[0])
    assert 1.0 + p**depth == 1.0
    assert p == 0 or p ** (depth - 1) > 1e-16
