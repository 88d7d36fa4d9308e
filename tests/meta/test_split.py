"""Splits of the topics and their correlations against plain loops."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.stats

from stdeval.meta.topic_sets import difficulty_split, monte_carlo_error, random_splits, split_correlations
from stdeval.stats.aggregates import AGGREGATES

pytestmark = pytest.mark.oracle


def mean(values):
    return values.mean(axis=-1)


def median(values):
    return np.median(values, axis=-1)


@pytest.mark.parametrize("n_topics", [4, 49, 50])
def test_parts_hold_every_topic_once(n_topics):
    difficulty = np.random.default_rng(1).random(n_topics)
    splits = [
        random_splits(n_topics, 130, np.random.default_rng(2)),
        difficulty_split(difficulty, "hard-easy"),
        difficulty_split(difficulty, "middle-rest"),
    ]
    for split in splits:
        assert split.first.shape[1] == n_topics // 2
        both = np.concatenate([split.first, split.second], axis=1)
        assert (np.sort(both, axis=1) == np.arange(n_topics)).all()


@pytest.mark.parametrize("aggregate", [mean, median])
def test_correlations_are_those_of_a_plain_loop(aggregate):
    scores = np.random.default_rng(3).random((8, 11)) + np.linspace(0, 1, 8)[:, None]
    split = random_splits(11, 120, np.random.default_rng(4))
    found = split_correlations(scores, split, aggregate)
    for i, (first, second) in enumerate(zip(split.first, split.second, strict=True)):
        halves = [aggregate(scores[:, topics]) for topics in (first, second)]
        assert found.tau[i] == pytest.approx(scipy.stats.kendalltau(*halves).statistic)
        assert found.r[i] == pytest.approx(scipy.stats.pearsonr(*halves).statistic)


@pytest.mark.parametrize("row", [row for row in AGGREGATES.values() if row.forward], ids=lambda row: row.name)
@pytest.mark.parametrize("zeros", [0, 1, 9])
def test_transformed_means_are_those_of_the_function(row, zeros):
    scores = np.random.default_rng(3).random((8, 11)) + np.linspace(0, 1, 8)[:, None]
    scores[2, :zeros] = 0
    split = random_splits(11, 120, np.random.default_rng(4))
    given = {} if row.epsilon is None else {"epsilon": 0.1}
    both = row.transform(**given), partial(row.function, **given)
    fast, plain = (split_correlations(scores, split, how) for how in both)
    for name in ("tau", "tau_ap", "r"):
        np.testing.assert_allclose(getattr(fast, name), getattr(plain, name), rtol=0, atol=1e-12)
    assert np.isnan(plain.tau).any() == (row.name == "hm" and zeros > 0)


def test_the_monte_carlo_error_is_scipys_and_leaves_out_undefined_splits():
    first, second = np.random.default_rng(4).random((2, 30))
    expected = scipy.stats.sem(first - second)
    missing = [*first, np.nan], [*second, 0.5]
    assert monte_carlo_error(*map(np.array, missing)) == pytest.approx(expected, abs=1e-12)
    assert np.isnan(monte_carlo_error(first[:1], second[:1]))
