"""Rank weights: against their definitions, and the figures of Webber, Moffat & Zobel 2010, section 3.1."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.errors import InputError
from stdeval.measures.names import resolve
from stdeval.measures.papers import rank_weights, weight_shares, weights_of

pytestmark = pytest.mark.oracle

SOME_RANKS = (1, 2, 3, 4, 16, 100, 1000)
SECTION_3_1 = [(1, 100), (101, 1000)]


@pytest.mark.parametrize("rank", SOME_RANKS)
def test_weights_are_those_of_the_definitions(rank: int) -> None:
    assert rank_weights("log2", rank)[-1] == pytest.approx(1 / math.log2(rank + 1), rel=1e-15)
    assert rank_weights("jk", rank)[-1] == pytest.approx(1 / max(1, math.log2(rank)), rel=1e-15)
    assert rank_weights("rbp", rank, 0.95)[-1] == pytest.approx((1 - 0.95) * 0.95 ** (rank - 1), rel=1e-13)


@given(st.integers(0, 3000), st.floats(0, 1, exclude_max=True))
def test_rbp_weights_leave_the_residual(depth: int, p: float) -> None:
    """The weights beyond rank K sum to p^K: a geometric series."""
    weights = rank_weights("rbp", depth, p)
    assert len(weights) == depth
    assert weights.sum() + p**depth == pytest.approx(1.0, abs=1e-12)


def test_cached_weights_do_not_depend_on_the_depth_and_cannot_be_changed() -> None:
    for discount in ("log2", "jk", "rbp"):
        weights = rank_weights(discount, 9, 0.5)
        assert weights.tolist() == rank_weights(discount, 5000, 0.5)[:9].tolist()
        with pytest.raises(ValueError, match="read-only"):
            weights[0] = 2.0


def test_published_shares_of_weight() -> None:
    for weights, share, off in (
        (rank_weights("jk", 1000), 0.82, 0.005),
        (rank_weights("rbp", 1000, 0.95), 0.005, 0.001),
        (rank_weights("rbp", 1000, 0.9977), 0.77, 0.005),
    ):
        shares = weight_shares(weights, SECTION_3_1)
        assert shares[1] == pytest.approx(share, abs=off)
        assert shares.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("depth", "p", "digits"), [(10, 0.8, 1), (100, 0.977, 3), (1000, 0.9977, 4)])
def test_published_persistences(depth: int, p: float, digits: int) -> None:
    (measure,) = resolve([f"RBP(resid=0.1)@{depth}"])
    assert round(measure.persistence or 0, digits) == p
    assert 1 - weights_of(measure, depth).sum() == pytest.approx(0.1, abs=1e-10)


@pytest.mark.parametrize("ranks", [(0, 5), (5, 4), (1, 11), (11, 12)])
def test_ranges_beyond_the_depth(ranks: tuple[int, int]) -> None:
    with pytest.raises(InputError, match="expected a range within 1-10"):
        weight_shares(np.ones(10), [ranks])


def test_weights_of_measures_are_those_of_their_discount() -> None:
    for name, weights in (
        ("nDCG(dis=jk)", rank_weights("jk", 50)),
        ("ndcg", rank_weights("log2", 50)),
        ("nRBP", rank_weights("rbp", 50, 0.8)),
        ("DCG(dis=jk)@7", [*rank_weights("jk", 7), *[0.0] * 43]),
        ("ndcg_exp_cut_5", [*rank_weights("log2", 5), *[0.0] * 45]),
    ):
        assert weights_of(resolve([name])[0], 50).tolist() == list(weights)
    for name in ("map", "P_10", "recip_rank", "sp", "unj_5", "bpref", "Rndcg"):
        with pytest.raises(InputError, match=f"'{name}' has no weights by rank alone"):
            weights_of(resolve([name])[0], 10)
