"""The within-collection experiment against a scipy loop and the published results."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from multiprocessing import get_context

import numpy as np
import pytest
import scipy.stats

from stdeval.errors import InputError
from stdeval.meta.topic_sets import within
from stdeval.meta.trials import permutations
from stdeval.meta.ttests import ALPHAS

pytestmark = pytest.mark.oracle


def small(n_trials, mapper=map):
    raw = np.random.default_rng(1).random((6, 12)) + np.linspace(0, 0.4, 6)[:, None]
    tables = np.stack([raw, raw**3])
    return (
        raw,
        tables,
        within(
            raw,
            tables,
            n_topics=8,
            n_trials=n_trials,
            rng=np.random.default_rng(5),
            alphas=(0.01, 0.1),
            mapper=mapper,
        ),
    )


def test_trials_are_those_of_a_plain_loop():
    raw, tables, found = small(3)
    order = np.concatenate(list(permutations(12, 3, np.random.default_rng(5))))
    p = []
    for trial, topics in enumerate(order[:, :8]):
        means = raw[:, topics].mean(axis=1), tables[1][:, topics].mean(axis=1)
        assert found.correlations.tau[1, trial] == pytest.approx(scipy.stats.kendalltau(*means).statistic)
        assert found.correlations.r[1, trial] == pytest.approx(scipy.stats.pearsonr(*means).statistic)
        p += [scipy.stats.ttest_rel(a, b).pvalue for a, b in combinations(tables[1][:, topics], 2)]
    assert found.rates["power"][1] == pytest.approx([np.mean(np.array(p) <= alpha) for alpha in (0.01, 0.1)])
    assert (found.correlations.tau[0] == 1).all()


def test_a_run_of_the_published_experiment(robust, tables, published, deviations):
    # Urbano 2019, Section 3.1 (10,000 trials there)
    found = within(robust, tables, n_topics=50, n_trials=300, rng=np.random.default_rng(1))
    expected = published["within"]
    for trials, statistic in (
        (found.correlations.tau, "tau"),
        (found.correlations.tau_ap, "tauAP"),
        (found.correlations.r, "r"),
    ):
        assert (deviations(trials, expected[statistic]) < 5).all()
    np.testing.assert_allclose(found.rates["power"], expected["power"], atol=0.006)


def test_the_levels_are_the_published_ones(shared):
    assert len(ALPHAS) == 19
    assert ALPHAS[:2] == (0.001, 0.002)
    assert ALPHAS[9:11] == (0.01, 0.02)
    assert ALPHAS[-1] == 0.1


def test_trials_take_half_of_the_topics_unless_told_otherwise():
    """As those of the command do: with all topics all trials would be the same."""
    raw = np.random.default_rng(1).random((4, 13))
    result = within(raw, raw[None] ** 2, n_trials=9, rng=2)
    assert (
        result.n_topics,
        within(raw.repeat(10, axis=1), raw[None].repeat(10, axis=2), n_trials=1, rng=2).n_topics,
    ) == (6, 50)
    assert result.correlations.tau.std() > 0


def test_results_do_not_depend_on_workers():
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        _, _, spread = small(250, pool.map)
    _, _, alone = small(250)
    assert (spread.correlations.tau_ap == alone.correlations.tau_ap).all()
    assert (spread.rates["power"] == alone.rates["power"]).all()


def test_more_trials_begin_with_the_same_trials():
    assert (small(250)[2].correlations.tau[:, :130] == small(130)[2].correlations.tau).all()


@pytest.mark.parametrize(
    ("raw", "tables", "n_topics", "message"),
    [
        (np.zeros((3, 5)), np.zeros((1, 3, 5)), 6, "samples of 6 topics, expected 2 to 5"),
        (np.zeros((3, 5)), np.zeros((1, 3, 6)), 4, "expected that of the raw scores"),
        (np.zeros((3, 3)), np.zeros((1, 3, 3)), 2, "3 topics"),
        (np.zeros((3, 5)), np.full((1, 3, 5), np.nan), 4, "15 scores are missing"),
    ],
)
def test_bad_input_is_refused(raw, tables, n_topics, message):
    with pytest.raises(InputError, match=message):
        within(raw, tables, n_topics=n_topics, n_trials=1, rng=np.random.default_rng(1))
