"""Aggregates against the paper's table, trec_eval, scipy and plain loops."""

from __future__ import annotations

import gzip
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stdeval.errors import InputError
from stdeval.stats.aggregates import (
    AGGREGATES,
    aggregate,
    arithmetic_mean,
    harmonic_mean_undefined,
)

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
FROM_ZERO_UP = ["gm", "egm", "egm-trec", "hm", "ehm"]


@pytest.mark.parametrize("name", PUBLISHED)
def test_table_1(name: str) -> None:
    np.testing.assert_array_equal(aggregate(TABLE_1, name).round(3), PUBLISHED[name])


def test_trec_eval_variant_of_s2() -> None:
    """The text's 0.157 for epsilon 0.01; its 0.039 for 1e-5."""
    assert aggregate(TABLE_1[1], "egm-trec", epsilon=0.01).round(3) == 0.157
    assert aggregate(TABLE_1[1], "egm-trec").round(3) == 0.039
    product = 1e-5 * 0.4 * 0.2 * 0.4 * 0.3
    assert aggregate(TABLE_1[1], "egm-trec") == pytest.approx(product ** (1 / 5), rel=1e-12)


def test_gm_and_hm_are_scipys() -> None:
    positive = TABLE_1[[0, 2, 3]]
    np.testing.assert_allclose(aggregate(positive, "gm"), scipy.stats.gmean(positive, axis=1), rtol=1e-14)
    np.testing.assert_allclose(aggregate(positive, "hm"), scipy.stats.hmean(positive, axis=1), rtol=1e-14)


def test_am_adds_in_order() -> None:
    values = np.random.default_rng(4).random(10_000)
    total = 0.0
    for value in values.tolist():
        total += value
    assert arithmetic_mean(values) == total / 10_000
    assert arithmetic_mean(np.append(values, np.nan)) == total / 10_000
    assert values.sum() != total  # or this test would show nothing


@pytest.mark.parametrize("name", AGGREGATES)
def test_missing_topics_are_left_out(name: str) -> None:
    full = np.array([[0.2, 0.5, 0.4], [0.9, 0.1, 0.3]])
    holed = np.array([[0.2, np.nan, 0.5, 0.4], [0.9, 0.1, 0.3, np.nan]])
    np.testing.assert_array_equal(aggregate(holed, name), aggregate(full, name))
    np.testing.assert_array_equal(aggregate(holed.T, name, axis=0), aggregate(full, name))
    assert np.isnan(aggregate(np.full((2, 3), np.nan), name)).all()


def test_no_topics_is_missing() -> None:
    assert np.isnan(arithmetic_mean(np.empty((3, 0)))).tolist() == [True] * 3


@pytest.mark.parametrize("name", FROM_ZERO_UP)
def test_scores_below_0_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"scores below 0 \(1 of 3, the least -0.2500\)"):
        aggregate(np.array([0.5, -0.25, 0.1]), name)


@pytest.mark.parametrize("name", ["am", "md"])
def test_am_and_md_take_scores_below_0(name: str) -> None:
    assert aggregate(np.array([-1.0, -0.5, 0.0]), name) == -0.5


def test_hm_is_undefined_just_where_a_score_is_0() -> None:
    assert harmonic_mean_undefined(TABLE_1).tolist() == [False, True, False, False]
    np.testing.assert_array_equal(np.isnan(aggregate(TABLE_1, "hm")), harmonic_mean_undefined(TABLE_1))


@pytest.mark.parametrize("name", ["gm", "egm", "ehm"])
@pytest.mark.parametrize("epsilon", [0.01, 1e-5, 0.3, 0.05])
def test_zeros_alone_print_as_0_without_a_sign(name: str, epsilon: float) -> None:
    assert f"{aggregate(np.zeros(7), name, epsilon=epsilon):.4f}" == "0.0000"


def test_unknown_names_and_epsilons_are_refused() -> None:
    with pytest.raises(
        InputError, match="no aggregate 'mean', expected one of: am, gm, egm, egm-trec, hm, ehm, md"
    ):
        aggregate(TABLE_1, "mean")
    for epsilon in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(InputError, match="expected a number above 0"):
            aggregate(TABLE_1, "egm", epsilon=epsilon)


scores = hnp.arrays(float, st.integers(1, 12), elements=st.floats(0, 1))


@given(scores)
def test_means_are_ordered_and_within_the_scores(values: np.ndarray) -> None:
    """hm <= gm <= am, and the same with epsilon; each between the least and the greatest score."""
    found = {name: float(aggregate(values, name, epsilon=0.01)) for name in AGGREGATES}
    slack = 1e-12
    assert found["gm"] <= found["am"] + slack
    assert not found["hm"] > found["gm"] + slack
    assert found["ehm"] <= found["egm"] + slack <= found["am"] + 2 * slack
    for name in set(AGGREGATES) - {"egm-trec"}:
        assert math.isnan(found[name]) or values.min() - slack <= found[name] <= values.max() + slack


@given(scores)
def test_a_great_epsilon_gives_the_arithmetic_mean(values: np.ndarray) -> None:
    for name in ("egm", "ehm"):  # Ravana & Moffat, Section 2
        assert aggregate(values, name, epsilon=1e5) == pytest.approx(float(np.mean(values)), abs=1e-4)


def read_columns(path: Path, key: int, value: int, kind: type) -> dict[str, dict[str, float]]:
    read: dict[str, dict[str, float]] = defaultdict(dict)
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as lines:
        for line in lines:
            fields = line.split()
            read[fields[0]][fields[key]] = kind(fields[value])
    return dict(read)


def test_egm_trec_of_map_is_trec_evals_gm_map(shared: Path) -> None:
    qrels = read_columns(shared / "trec-covid-r4" / "qrels.txt", 2, 3, int)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "gm_map"})
    runs = sorted((shared / "trec-covid-r4" / "runs").iterdir())
    assert len(runs) == 13
    for path in runs:
        topics = evaluator.evaluate(read_columns(path, 2, 4, float))
        in_order = [topics[topic] for topic in sorted(topics)]
        gm_map = math.exp(sum(row["gm_map"] for row in in_order) / len(in_order))
        found = aggregate(np.array([row["map"] for row in in_order]), "egm-trec")
        assert found == pytest.approx(gm_map, rel=1e-13)


@pytest.mark.parametrize("run", ["r4.fusion2", "UPrrf38rrf3-r4", "poznan_p4_run3"])
def test_am_and_egm_trec_print_as_trec_eval(shared: Path, run: str) -> None:
    qrels = read_columns(shared / "trec-covid-r4" / "qrels.txt", 2, 3, int)
    ranked = read_columns(shared / "trec-covid-r4" / "runs" / f"{run}.run.gz", 2, 4, float)
    topics = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(ranked)
    average_precision = np.array([topics[topic]["map"] for topic in sorted(topics)])
    golden = (shared / "trec_eval-9.0.8" / f"trec-covid-r4.{run}.official.txt").read_text()
    printed = {line.split()[0]: line.split()[2] for line in golden.splitlines()}
    assert f"{aggregate(average_precision, 'am'):.4f}" == printed["map"]
    assert f"{aggregate(average_precision, 'egm-trec'):.4f}" == printed["gm_map"]
