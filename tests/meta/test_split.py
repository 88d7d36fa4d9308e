"""Splits of the topics and their correlations against plain loops."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.stats

from stdeval.errors import InputError
from stdeval.meta.split import difficulty_split, monte_carlo_error, random_splits, split_correlations
from stdeval.meta.ttests import paired_pvalues
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


def test_hard_easy_and_middle_rest_of_fifty_topics():
    # Ravana & Moffat 2009, Section 5.4: 25 hardest and 25 easiest; the rest are 12 hardest and 13 easiest.
    difficulty = np.random.default_rng(1).permutation(50).astype(float)
    hard_easy, middle_rest = (difficulty_split(difficulty, how) for how in ("hard-easy", "middle-rest"))
    assert set(difficulty[hard_easy.first[0]]) == set(range(25, 50))
    assert set(difficulty[middle_rest.second[0]]) == {*range(13), *range(38, 50)}


@pytest.mark.parametrize("aggregate", [mean, median])
def test_correlations_are_those_of_a_plain_loop(aggregate):
    scores = np.random.default_rng(3).random((8, 11)) + np.linspace(0, 1, 8)[:, None]
    split = random_splits(11, 120, np.random.default_rng(4))
    found = split_correlations(scores, split, aggregate)
    for i, (first, second) in enumerate(zip(split.first, split.second, strict=True)):
        halves = [aggregate(scores[:, topics]) for topics in (first, second)]
        assert found.tau[i] == pytest.approx(scipy.stats.kendalltau(*halves).statistic)
        assert found.r[i] == pytest.approx(scipy.stats.pearsonr(*halves).statistic)


@pytest.mark.parametrize("row", [row for row in AGGREGATES.values() if row.transform], ids=lambda row: row.name)
@pytest.mark.parametrize("zeros", [0, 1, 9])
def test_transformed_means_are_those_of_the_function(row, zeros):
    scores = np.random.default_rng(3).random((8, 11)) + np.linspace(0, 1, 8)[:, None]
    scores[2, :zeros] = 0
    split = random_splits(11, 120, np.random.default_rng(4))
    epsilons = () if row.epsilon is None else (0.1,)
    function = partial(row.function, **dict(zip(("epsilon",), epsilons, strict=False)))
    fast, plain = (split_correlations(scores, split, how) for how in (row.transform(*epsilons), function))
    for name in ("tau", "tau_ap", "r"):
        np.testing.assert_allclose(getattr(fast, name), getattr(plain, name), rtol=0, atol=1e-12)
    assert np.isnan(plain.tau).any() == (row.name == "hm" and zeros > 0)


def test_a_transform_refuses_scores_that_its_aggregate_refuses():
    scores = np.random.default_rng(3).random((8, 11)) - 0.5
    with pytest.raises(InputError, match="no geometric mean of scores below 0"):
        split_correlations(scores, random_splits(11, 3, np.random.default_rng(4)), AGGREGATES["gm"].transform())


def test_systems_in_the_same_order_on_every_topic_are_perfectly_consistent():
    scores = np.arange(1.0, 6)[:, None] * np.arange(1.0, 9)
    found = split_correlations(scores, random_splits(8, 20, np.random.default_rng(4)), mean)
    assert (found.tau == 1).all()
    assert (found.tau_ap == 1).all()


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="1 topic without a difficulty"):
        difficulty_split(np.array([1.0, np.nan]), "hard-easy")
    with pytest.raises(InputError, match="3 topics"):
        split_correlations(np.zeros((3, 3)), random_splits(3, 1, np.random.default_rng(4)), mean)


def test_methods_are_compared_on_the_same_splits():
    scores = np.random.default_rng(3).random((8, 11)) + np.linspace(0, 1, 8)[:, None]
    split = random_splits(11, 60, np.random.default_rng(4))
    taus = np.stack([split_correlations(scores, split, aggregate).tau for aggregate in (mean, median)])
    assert paired_pvalues(taus)[0] == pytest.approx(scipy.stats.ttest_rel(*taus).pvalue)


def test_the_monte_carlo_error_is_scipys_and_leaves_out_undefined_splits():
    first, second = np.random.default_rng(4).random((2, 30))
    expected = scipy.stats.sem(first - second)
    missing = [*first, np.nan], [*second, 0.5]
    assert monte_carlo_error(*map(np.array, missing)) == pytest.approx(expected, abs=1e-12)
    assert np.isnan(monte_carlo_error(first[:1], second[:1]))


def test_equal_differences_have_no_monte_carlo_error():
    assert (
        monte_carlo_error(np.array([0.3, 0.4, 0.5, 0.2, 0.7, 0.9]), np.array([0.2, 0.3, 0.4, 0.1, 0.6, 0.8])) == 0
    )
