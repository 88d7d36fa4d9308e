"""Which systems are ranked, on which topics, and which are best: against definitions and published results."""

from __future__ import annotations

import csv
import functools
import math
import operator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stdeval.noise import decimals, rounded
from stdeval.stats import ranking

pytestmark = pytest.mark.oracle

scores = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 2)),
    elements=st.sampled_from([0.25, np.nan]),
)


@given(scores)
def test_comparable_is_its_definition(values: np.ndarray):
    systems, topics, measures = (range(n) for n in values.shape)
    has = {(s, t, m) for s in systems for t in topics for m in measures if values[s, t, m] == 0.25}
    takers = {m: {s for s in systems if any((s, t, m) in has for t in topics)} for m in measures}
    shares = {(t, m): sum((s, t, m) in has for s in systems) - len(takers[m]) / 2 for t in topics for m in measures}
    usual = {place for place, share in shares.items() if share > 0}
    scored = [s for s in systems if any(s in those for those in takers.values())]
    complete = [s for s in scored if all((s, t, m) in has for t, m in usual if s in takers[m])]
    compared = complete if len(complete) >= len(scored) / 2 else scored
    rivals = {m: those.intersection(compared) for m, those in takers.items()}
    shared = {(t, m) for t in topics for m in measures if rivals[m] and all((s, t, m) in has for s in rivals[m])}
    kept, common = ranking.comparable(~np.isnan(values))
    assert np.flatnonzero(kept).tolist() == compared
    assert set(map(tuple, np.argwhere(common).tolist())) == shared
    alike = ranking.on_common_topics(values, kept, common)
    # A system without any score by a measure is not compared by it.
    takes_part = (~np.isnan(values)).any(axis=1, keepdims=True)
    assert (~np.isnan(alike)[kept] == (common & takes_part[kept])).all()
    np.testing.assert_array_equal(alike[~kept], values[~kept])


@pytest.mark.parametrize(
    ("topics", "kept", "common"),
    [
        # One of three lacks topics that two have; of two runs, none is set aside.
        (["12345", "12345", "1"], "++-", "12345"),
        (["12345", "1"], "++", "1"),
        # Half of the systems remain, then fewer than half would.
        (["1234", "1234", "134", "124"], "++--", "1234"),
        (["1234", "123", "234", "124"], "++++", "2"),
        (["123456", "12345", "12346", "12356", "12456"], "+++++", "12"),
        # A topic that half of the systems have is not usual.
        (["123", "123", "12", "12"], "++++", "12"),
        (["12", "12", "3456"], "++-", "12"),
        (["", "12", "12"], "-++", "12"),
    ],
)
def test_systems_are_set_aside_if_at_least_half_remain(topics: list[str], kept: str, common: str):
    has = np.array([[topic in own for topic in "123456"] for own in topics])
    found = ranking.comparable(has)
    assert "".join("-+"[int(each)] for each in found[0]) == kept
    assert "".join(topic for topic, each in zip("123456", found[1], strict=True) if each) == common


def best(values: np.ndarray, which: str, **options: bool) -> list[bool]:
    kept, common = ranking.comparable(~np.isnan(values))
    return ranking.best_systems(ranking.on_common_topics(values, kept, common), kept, which, **options).tolist()


def test_published_mean_squares_of_the_best_three_quarters(shared: Path):
    """shared/data/gt4ireval/README.md: of 40 systems 30 stay, and the mean squares are those of the 30."""
    with (shared / "gt4ireval" / "adhoc3.csv").open() as lines:
        values = np.array([row[1:] for row in list(csv.reader(lines))[1:]], dtype=float).T
    kept = values[best(values, "75%")]
    assert kept.shape == (30, 50)
    of_systems, of_topics = 50 * kept.mean(axis=1).var(ddof=1), 30 * kept.mean(axis=0).var(ddof=1)
    residual = kept - kept.mean(axis=1, keepdims=True) - kept.mean(axis=0) + kept.mean()
    figures = (of_systems, of_topics, (residual**2).sum() / (29 * 49))
    assert [f"{figure:.5g}" for figure in figures] == ["0.15074", "0.85296", "0.010152"]


@given(st.integers(1, 200), st.integers(1, 99))
def test_a_share_keeps_what_is_not_below_the_quantile(n: int, percent: int):
    """Of the means 1 to n; the quantile of type 7 is 1 + (n - 1) q, here in exact fractions."""
    quantile = 1 + (n - 1) * Fraction(100 - percent, 100)
    assert ranking.number_of_best(f"{percent}%", n) == sum(mean >= quantile for mean in range(1, n + 1))


def test_a_share_may_have_decimals():
    assert ranking.number_of_best("33.3%", 1001) == 334
    assert ranking.number_of_best("99.95%", 2001) == 2000


def test_ties_stay_and_noise_splits_none():
    """The means of the second and the third system are 0.2 on paper; their sums differ in binary numbers."""
    values = np.array([[0.5, 0.5, 0.5], [0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.1, 0.1, 0.1]])
    # not by sum(), which has no such noise since Python 3.12
    assert len({functools.reduce(operator.add, row) for row in values[1:3].tolist()}) == 2
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        assert best(values[order], "2") == [system != 3 for system in order]


def test_only_complete_systems_are_among_the_best_and_the_lowest_if_lower_is_better():
    values = np.array([[0.9, np.nan, 0.9], [0.1, 0.2, 0.3], [0.2, 0.2, 0.3], [0.3, 0.2, 0.3]])
    assert best(values, "3") == best(values, "9") == [False, True, True, True]
    assert best(values, "50%") == [False, False, True, True]
    assert best(values, "1", better_higher=False) == [False, True, False, False]


# The functions without numpy: tenths, whose sums carry noise, and missing scores.
SCORES = st.one_of(
    st.just(math.nan), st.builds(lambda n, power: n * 10.0**power / 10, st.integers(-9, 9), st.integers(-3, 3))
)
TABLES = hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=SCORES)


@given(TABLES)
def test_the_same_systems_are_ranked(values: np.ndarray):
    topics = [set(np.flatnonzero(~np.isnan(row)).tolist()) for row in values]
    assert ranking.ranked_systems(topics) == ranking.comparable(~np.isnan(values))[0].tolist()


@given(TABLES, st.sampled_from([1, -1]))
def test_the_same_means_are_the_best_and_order_is_that_of_a_stable_sort(values: np.ndarray, sign: int):
    means = values.sum(axis=1)
    numbers = sign * rounded(means, decimals(values))
    largest = float(np.fmax.reduce(np.abs(values), axis=None, initial=0.0))
    asked = (means.tolist(), [True] * len(means), largest)
    found = ranking.best_means(*asked, better_higher=sign == 1)
    assert found == np.flatnonzero(numbers == np.fmax.reduce(numbers)).tolist()
    # numpy sorts NaN last.
    assert ranking.order_by_means(*asked, better_higher=sign == 1) == np.argsort(-numbers, kind="stable").tolist()


def test_means_that_cannot_be_compared_follow_and_missing_ones_are_last():
    assert ranking.order_by_means([math.nan, 0.9, 0.2, 0.3], [True, False, True, True], 1.0) == [3, 2, 1, 0]
    assert ranking.best_means([math.nan, 0.9], [True, False], 1.0) == []
