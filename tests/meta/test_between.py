"""The between-collection experiment against a scipy loop and the published results."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from stdeval.errors import InputError
from stdeval.meta.topic_sets import between
from stdeval.meta.trials import permutations

pytestmark = pytest.mark.oracle


def test_trials_are_those_of_a_plain_loop():
    scores = np.random.default_rng(1).random((6, 13)) + np.linspace(0, 0.9, 6)[:, None]
    alphas = (0.01, 0.1, 0.05)
    found = between(scores[None], n_trials=20, rng=np.random.default_rng(5), alphas=alphas)
    order = np.concatenate(list(permutations(13, 20, np.random.default_rng(5))))
    p = []
    for trial, topics in enumerate(order):
        a, b = scores[:, topics[:6]], scores[:, topics[6:12]]
        tau = scipy.stats.kendalltau(a.mean(axis=1), b.mean(axis=1)).statistic
        assert found.correlations.tau[0, trial] == pytest.approx(tau)
        p.append([[scipy.stats.ttest_ind(x, y, equal_var=False).pvalue for y in b] for x in a])
    same = np.diagonal(p, axis1=1, axis2=2)
    others = np.array(p)[:, ~np.eye(6, dtype=bool)]
    assert found.rates["type1"][0] == pytest.approx([np.mean(same <= alpha) for alpha in alphas])
    assert found.rates["power"][0] == pytest.approx([np.mean(others <= alpha) for alpha in alphas])


def test_a_run_of_the_published_experiment(tables, published, deviations):
    # Urbano 2019, Section 3.2 (10,000 trials there)
    found = between(tables, n_trials=300, rng=np.random.default_rng(1))
    expected = published["between"]
    for trials, statistic in (
        (found.correlations.tau, "tau"),
        (found.correlations.tau_ap, "tauAP"),
        (found.correlations.r, "r"),
    ):
        assert (deviations(trials, expected[statistic]) < 5).all()
    np.testing.assert_allclose(found.rates["power"], expected["power"], atol=0.006)
    np.testing.assert_allclose(found.rates["type1"], expected["type1"], atol=0.012)
    assert found.n_topics == 49


def test_results_do_not_depend_on_how_blocks_are_computed():
    scores = np.random.default_rng(1).random((2, 5, 9))

    def backwards(function, blocks):
        return [function(block) for block in list(blocks)[::-1]][::-1]

    alone, spread = (
        between(scores, n_trials=210, rng=np.random.default_rng(3), mapper=m) for m in (map, backwards)
    )
    assert (alone.correlations.r == spread.correlations.r).all()
    assert (alone.rates["power"] == spread.rates["power"]).all()
    assert (alone.rates["type1"] == spread.rates["type1"]).all()


def test_identical_systems_do_not_differ_on_identical_topics():
    topics = np.repeat(np.random.default_rng(1).random((4, 1)), 8, axis=1)
    topics[1] = topics[0]
    found = between(topics[None], n_trials=5, rng=np.random.default_rng(3), alphas=(0.999,))
    assert found.rates["type1"][0, 0] == 0
    assert found.rates["power"][0, 0] == pytest.approx(
        10 / 12
    )  # all ordered pairs but the two of the identical systems


def test_more_topics_than_there_are_is_refused():
    with pytest.raises(InputError, match="samples of 5 topics in either set, expected 2 to 4"):
        between(np.zeros((1, 3, 9)), n_topics=5, n_trials=1, rng=np.random.default_rng(1))
