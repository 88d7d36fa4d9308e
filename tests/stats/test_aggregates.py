"""Aggregates and moments against the paper's table, trec_eval, scipy, numpy and plain loops."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import stdeval
from stdeval.errors import InputError
from stdeval.stats.aggregates import AGGREGATES, aggregate, arithmetic_mean, moments

pytestmark = pytest.mark.oracle

# Ravana & Moffat 2009, Table 1: four systems, five topics, epsilon 0.01; hm of S2 is undefined.
TABLE_1 = np.array(
    [[0.1, 0.1, 0.3, 0.8, 0.1], [0.0, 0.4, 0.2, 0.4, 0.3], [0.1, 0.5, 0.3, 0.2, 0.2], [0.2, 0.2, 0.3, 0.2, 0.2]]
)
PUBLISHED = {
    "am": [0.280, 0.260, 0.260, 0.220],
    "gm": [0.189, 0.000, 0.227, 0.217],
    "egm": [0.192, 0.151, 0.228, 0.217],
    "hm": [0.145, np.nan, 0.197, 0.214],
    "ehm": [0.148, 0.034, 0.200, 0.214],
    "md": [0.100, 0.300, 0.200, 0.200],
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_table_1(name: str) -> None:
    np.testing.assert_array_equal(aggregate(TABLE_1, name).round(3), PUBLISHED[name])


def test_trec_eval_variant_of_s2() -> None:
    """The text's 0.157 for epsilon 0.01; its 0.039 for 1e-5."""
    assert aggregate(TABLE_1[1], "egm-trec", epsilon=0.01).round(3) == 0.157
    assert aggregate(TABLE_1[1], "egm-trec").round(3) == 0.039
    product = 1e-5 * 0.4 * 0.2 * 0.4 * 0.3
    assert aggregate(TABLE_1[1], "egm-trec") == pytest.approx(product ** (1 / 5), rel=1e-12)


def test_am_adds_in_order() -> None:
    values = np.random.default_rng(4).random(10_000)
    total = 0.0
    for value in values.tolist():
        total += value
    assert arithmetic_mean(values) == arithmetic_mean(np.append(values, np.nan)) == total / 10_000
    assert values.sum() != total  # or this test would show nothing
    assert np.isnan(arithmetic_mean(np.empty((3, 0)))).all()


@pytest.mark.parametrize("name", AGGREGATES)
def test_missing_topics_are_left_out(name: str) -> None:
    full = np.array([[0.2, 0.5, 0.4], [0.9, 0.1, 0.3]])
    holed = np.array([[0.2, np.nan, 0.5, 0.4], [0.9, 0.1, 0.3, np.nan]])
    np.testing.assert_array_equal(aggregate(holed, name), aggregate(full, name))
    np.testing.assert_array_equal(aggregate(holed.T, name, axis=0), aggregate(full, name))
    assert np.isnan(aggregate(np.full((2, 3), np.nan), name)).all()


@pytest.mark.parametrize("name", AGGREGATES)
def test_only_am_and_md_take_scores_below_0(name: str) -> None:
    if name in ("am", "md"):
        assert aggregate(np.array([-1.0, -0.5, 0.0]), name) == -0.5
    else:
        with pytest.raises(InputError, match=r"scores below 0, the least -0.2500"):
            aggregate(np.array([0.5, -0.25, 0.1]), name)


@pytest.mark.parametrize("name", ["gm", "egm", "ehm"])
@pytest.mark.parametrize("epsilon", [0.01, 1e-5, 0.3, 0.05])
def test_zeros_alone_print_as_0_without_a_sign(name: str, epsilon: float) -> None:
    assert f"{aggregate(np.zeros(7), name, epsilon=epsilon):.4f}" == "0.0000"


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf])
def test_an_epsilon_is_above_0(epsilon: float) -> None:
    with pytest.raises(InputError, match="expected a number above 0"):
        aggregate(TABLE_1, "egm", epsilon=epsilon)


# as scores of effectiveness are: four decimals, many ties
tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 8), st.integers(1, 5), st.integers(1, 2)),
    elements=st.integers(0, 10_000).map(lambda i: i / 10_000),
)


@given(tables, st.data())
def test_moments_are_those_of_numpy(values: np.ndarray, data: st.DataObject):
    gone = data.draw(st.just(np.zeros(values.shape, np.bool_)) | hnp.arrays(np.bool_, values.shape))
    mean, sd, n = moments(np.where(gone, np.nan, values))
    for place in np.ndindex(values.shape[1:]):
        left = values[(slice(None), *place)][~gone[(slice(None), *place)]]
        assert n[place] == len(left)
        if len(left) > 1:
            assert mean[place] == pytest.approx(left.mean(), abs=1e-15)
            assert sd[place] == pytest.approx(left.std(ddof=1), abs=1e-15)
            assert (sd[place] == 0) == (left.max() == left.min())
        else:
            assert np.isnan(sd[place])


@pytest.mark.parametrize("value", [0.1, 0.3, 1 / 3, 0.7, 1e-9, 1e9])
@pytest.mark.parametrize("n", [2, 3, 7, 10, 126])
def test_equal_scores_have_no_spread(value: float, n: int):
    """numpy's sd of equal scores may be 1e-17; here it is 0, and the mean is the score itself."""
    mean, sd, _ = moments(np.full((n, 1), value))
    assert (mean[0], sd[0]) == (value, 0.0)


def test_egm_trec_of_map_is_trec_evals_gm_map(shared: Path) -> None:
    collection = shared / "trec-covid-r4"
    evaluator = pytrec_eval.RelevanceEvaluator(stdeval.read_qrels(collection / "qrels.txt"), {"map", "gm_map"})
    for path in (collection / "runs").iterdir():
        topics = evaluator.evaluate(stdeval.read_run(path).documents)
        gm_map = math.exp(np.mean([row["gm_map"] for row in topics.values()]))
        average_precision = np.array([row["map"] for row in topics.values()])
        assert aggregate(average_precision, "egm-trec") == pytest.approx(gm_map, rel=1e-13)
