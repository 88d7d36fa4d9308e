"""The experiments on random topics, within and between collections, against scipy and the published results."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from stdeval.meta.topic_sets import between, within
from stdeval.meta.trials import permutations

pytestmark = pytest.mark.oracle

RAW = np.random.default_rng(1).random((6, 13)) + np.linspace(0, 0.4, 6)[:, None]
TABLES = np.stack([RAW, RAW**3])


def test_trials_within_are_those_of_a_plain_loop():
    found = within(RAW, TABLES, n_topics=8, n_trials=3, rng=5, alphas=(0.01, 0.1))
    p = []
    for trial, topics in enumerate(np.concatenate(list(permutations(13, 3, 5)))[:, :8]):
        means = RAW[:, topics].mean(axis=1), TABLES[1][:, topics].mean(axis=1)
        assert found.correlations.tau[1, trial] == pytest.approx(scipy.stats.kendalltau(*means).statistic)
        assert found.correlations.r[1, trial] == pytest.approx(scipy.stats.pearsonr(*means).statistic)
        p += [scipy.stats.ttest_rel(a, b).pvalue for a, b in combinations(TABLES[1][:, topics], 2)]
    assert found.rates["power"][1] == pytest.approx([np.mean(np.array(p) <= alpha) for alpha in (0.01, 0.1)])
    assert (found.correlations.tau[0] == 1).all()


def test_trials_between_are_those_of_a_plain_loop():
    alphas = (0.01, 0.1, 0.05)
    found = between(TABLES[:1], n_trials=20, rng=5, alphas=alphas)
    p = []
    for trial, topics in enumerate(np.concatenate(list(permutations(13, 20, 5)))):
        a, b = RAW[:, topics[:6]], RAW[:, topics[6:12]]
        tau = scipy.stats.kendalltau(a.mean(axis=1), b.mean(axis=1)).statistic
        assert found.correlations.tau[0, trial] == pytest.approx(tau)
        p.append([[scipy.stats.ttest_ind(x, y, equal_var=False).pvalue for y in b] for x in a])
    same = np.diagonal(p, axis1=1, axis2=2)
    others = np.array(p)[:, ~np.eye(6, dtype=bool)]
    assert found.rates["type1"][0] == pytest.approx([np.mean(same <= alpha) for alpha in alphas])
    assert found.rates["power"][0] == pytest.approx([np.mean(others <= alpha) for alpha in alphas])


@pytest.mark.parametrize("experiment", ["within", "between"])
def test_a_run_of_the_published_experiment(robust, tables, published, experiment):
    # Urbano 2019, Sections 3.1 and 3.2 (10,000 trials there); the difference of means in standard errors
    given = {"n_topics": 49, "n_trials": 300, "rng": 1}
    found = within(robust, tables, **given) if experiment == "within" else between(tables, **given)
    expected = published[experiment]
    for trials, statistic in zip(found.correlations, ("tau", "tauAP", "r"), strict=True):
        mean, sd = (np.array([cell[name] for cell in expected[statistic]]) for name in ("mean", "sd"))
        error = np.maximum(sd * np.sqrt(1 / 300 + 1 / 10_000), 1e-12)
        assert (np.abs(trials.mean(axis=1) - mean) < 5 * error).all()
    for rate, values in found.rates.items():
        np.testing.assert_allclose(values, expected[rate], atol=0.012)


def test_a_trial_has_50_topics_or_half_of_them():
    result = within(RAW, TABLES, n_trials=9, rng=2)
    assert result.n_topics == 6
    assert result.correlations.tau.std() > 0
    assert within(RAW.repeat(10, axis=1), TABLES.repeat(10, axis=2), n_trials=1, rng=2).n_topics == 50


def test_identical_systems_do_not_differ_on_identical_topics():
    topics = np.repeat(np.random.default_rng(1).random((4, 1)), 8, axis=1)
    topics[1] = topics[0]
    rates = between(topics[None], n_trials=5, rng=3, alphas=(0.999,)).rates
    # all ordered pairs but the two of the identical systems
    assert (rates["type1"][0, 0], rates["power"][0, 0]) == (0, pytest.approx(10 / 12))
