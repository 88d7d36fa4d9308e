from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.errors import InputError
from stdeval.measures.catalogue import persistence
from stdeval.measures.names import resolve
from stdeval.measures.papers import dcg_weights, jkdcg_weights, rank_weights, rbp_weights, weight_shares

pytestmark = pytest.mark.oracle

SOME_RANKS = (1, 2, 3, 4, 16, 100, 1000)
SECTION_3_1 = [(1, 100), (101, 1000)]


@pytest.mark.parametrize("rank", SOME_RANKS)
def test_weights_are_those_of_the_definitions(rank: int) -> None:
    assert dcg_weights(rank)[-1] == pytest.approx(1 / math.log2(rank + 1), rel=1e-15)
    assert jkdcg_weights(rank)[-1] == pytest.approx(1 / max(1, math.log2(rank)), rel=1e-15)
    assert rbp_weights(rank, 0.95)[-1] == pytest.approx((1 - 0.95) * 0.95 ** (rank - 1), rel=1e-13)


@given(st.integers(0, 3000), st.floats(0, 1, exclude_max=True))
def test_rbp_weights_leave_the_residual(depth: int, p: float) -> None:
    # The weights beyond rank K sum to p^K: a geometric series.
    weights = rbp_weights(depth, p)
    assert len(weights) == depth
    assert weights.sum() + p**depth == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("depth", [1, 7, 8, 9, 100])
def test_weights_do_not_depend_on_the_depth(depth: int) -> None:
    # They are the beginning of longer, cached vectors.
    for weights in (dcg_weights, jkdcg_weights):
        assert weights(depth).tolist() == weights(5000)[:depth].tolist()


def test_cached_weights_cannot_be_changed() -> None:
    for weights in (dcg_weights(3), jkdcg_weights(3), rbp_weights(3, 0.5)):
        with pytest.raises(ValueError, match="read-only"):
            weights[0] = 2.0


# Webber, Moffat & Zobel 2010, section 3.1.
def test_published_shares_of_weight() -> None:
    assert weight_shares(jkdcg_weights(1000), SECTION_3_1)[1] == pytest.approx(0.82, abs=0.005)
    assert weight_shares(rbp_weights(1000, 0.95), SECTION_3_1)[1] == pytest.approx(0.005, abs=0.001)
    assert weight_shares(rbp_weights(1000, 0.9977), SECTION_3_1)[1] == pytest.approx(0.77, abs=0.005)


# Webber, Moffat & Zobel 2010, section 3.1.
@pytest.mark.parametrize(("depth", "p", "digits"), [(10, 0.8, 1), (100, 0.977, 3), (1000, 0.9977, 4)])
def test_published_persistences(depth: int, p: float, digits: int) -> None:
    assert round(persistence(0.1, depth), digits) == p


@given(st.floats(0.01, 0.99), st.integers(1, 1000))
def test_persistence_leaves_its_residual(resid: float, depth: int) -> None:
    assert 1 - rbp_weights(depth, persistence(resid, depth)).sum() == pytest.approx(resid, abs=1e-10)


@given(st.integers(2, 2000), st.data())
def test_shares_of_adjoining_ranges_sum_to_one(depth: int, data: st.DataObject) -> None:
    middle = data.draw(st.integers(1, depth - 1))
    for measure in resolve(["dcg", "jkdcg", "rbp_p=0.9"]):
        weights = rank_weights(measure, depth)
        shares = weight_shares(weights, [(1, middle), (middle + 1, depth)])
        assert shares.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("p", [-0.1, 1.0, 2.0, math.nan])
def test_p_outside_its_range(p: float) -> None:
    with pytest.raises(InputError, match="expected a number of at least 0 and below 1"):
        rbp_weights(10, p)


@pytest.mark.parametrize(("resid", "depth"), [(0.0, 10), (1.0, 10), (math.nan, 10), (0.1, 0)])
def test_residual_or_depth_outside_its_range(resid: float, depth: int) -> None:
    with pytest.raises(InputError, match="expected"):
        persistence(resid, depth)


@pytest.mark.parametrize("ranks", [(0, 5), (5, 4), (1, 11), (11, 12)])
def test_ranges_beyond_the_depth(ranks: tuple[int, int]) -> None:
    with pytest.raises(InputError, match="expected a range within 1-10"):
        weight_shares(np.ones(10), [ranks])


def test_weights_of_measures_are_those_of_their_family() -> None:
    for name, weights in (
        ("nDCG(dis=jk)", jkdcg_weights(50)),
        ("ndcg", dcg_weights(50)),
        ("nRBP", rbp_weights(50, 0.8)),
    ):
        assert rank_weights(resolve([name])[0], 50).tolist() == weights.tolist()
    cut = rank_weights(resolve(["DCG(dis=jk)@7"])[0], 50)
    assert cut.tolist() == [*jkdcg_weights(7).tolist(), *[0.0] * 43]
    assert rank_weights(resolve(["enDCG@100"])[0], 50).tolist() == jkdcg_weights(50).tolist()
    assert rank_weights(resolve(["ndcg_exp_cut_5"])[0], 6).tolist() == [*dcg_weights(5).tolist(), 0.0]


@pytest.mark.parametrize("name", ["map", "P_10", "recip_rank", "sp", "unj_5", "bpref", "Rndcg"])
def test_measures_that_weigh_more_than_the_rank(name: str) -> None:
    with pytest.raises(InputError, match=f"'{name}' has no weights by rank alone, expected one of: jkdcg"):
        rank_weights(resolve([name])[0], 10)
