"""Random samples, and what no experiment accepts."""

from __future__ import annotations

import numpy as np
import pytest

from stdeval import meta
from stdeval.errors import InputError
from stdeval.meta.trials import permutations

pytestmark = pytest.mark.oracle

SCORES = np.random.default_rng(1).random((5, 6))
GAPS = np.where(SCORES[0, 0] == SCORES, np.nan, SCORES)
COMPONENTS = meta.variance_components(SCORES)
SIGNAL = meta.Estimate(0.25, 0.1, 1.0)


def test_every_trial_is_a_permutation_and_every_position_equally_likely():
    order = np.concatenate(list(permutations(5, 5000, np.random.default_rng(3))))
    assert (np.sort(order, axis=1) == np.arange(5)).all()
    counts = np.array([np.bincount(column, minlength=5) for column in order.T])
    assert abs(counts - 1000).max() < 5 * np.sqrt(5000 * 0.2 * 0.8)


@pytest.mark.parametrize("seed", [3, np.int64(3)])
def test_a_seed_stands_for_its_generator_and_a_longer_experiment_begins_with_a_shorter_one(seed):
    long, short = np.concatenate(list(permutations(9, 250, seed))), permutations(9, 130, np.random.default_rng(3))
    assert (long[:130] == np.concatenate(list(short))).all()


@pytest.mark.parametrize(
    "asked",
    [
        lambda: meta.discriminative_power(SCORES[:2]),
        lambda: meta.discriminative_power(SCORES, (2,)),
        lambda: meta.rank_correlations(SCORES[:, :2]),
        lambda: meta.rank_correlations(GAPS),
        lambda: meta.within(SCORES, SCORES[None], n_topics=7, rng=1),
        lambda: meta.within(SCORES, SCORES[None], alphas=(1,), rng=1),
        lambda: meta.between(SCORES[None], n_topics=4, rng=1),
        lambda: meta.between(SCORES[None, :2], rng=1),
        lambda: meta.compare_collections(SCORES, SCORES[:, :3]),
        lambda: meta.variance_components(GAPS),
        lambda: meta.variance_components(np.where(np.isnan(GAPS), np.inf, GAPS)),
        lambda: meta.relative_signal(COMPONENTS, 95),
        lambda: meta.absolute_signal(COMPONENTS, 0.05),
        lambda: meta.coefficient(SIGNAL, -3),
        lambda: meta.topics_needed(SIGNAL, 1.0),
        lambda: meta.PlannedTest(alpha=5),
        lambda: meta.PlannedTest(power=0.01),
        lambda: meta.PlannedTest(n_systems=0),
        lambda: meta.plan_for_topics(meta.PlannedTest(), 0.2, 1),
        lambda: meta.plan_for_difference(meta.PlannedTest(), 0.2, 0),
        lambda: meta.plan_for_width(meta.PlannedTest(), 0.2, -1),
        lambda: meta.difficulty_split(np.array([1.0, np.nan]), "hard-easy"),
        lambda: meta.split_correlations(SCORES[:, :3], meta.random_splits(3, 1, 4), np.median),
        lambda: meta.reference_sizes(SCORES, SCORES, [6], rng=1),
        lambda: meta.reference_sizes(SCORES, SCORES, [5], scheme="x", rng=1),
        lambda: meta.compare_references(SCORES, SCORES, np.full((3, 6), 2.0)),
        lambda: meta.depth_measure("P_10"),
        lambda: meta.depth_measure("success"),
        lambda: meta.depth_measure("official"),
    ],
)
def test_what_no_experiment_can_use_is_refused(asked):
    with pytest.raises(InputError, match="expected"):
        asked()
