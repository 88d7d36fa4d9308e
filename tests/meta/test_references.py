"""Rankings by samples of the references against tables standardized one by one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from stdeval.meta.references import compare_references, reference_sizes, standardized_means
from stdeval.meta.trials import permutations
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.schemes import standardize
from stdeval.table import ScoreTable

pytestmark = pytest.mark.oracle


def table(values):
    systems, topics = (tuple(map(str, range(n))) for n in values.shape)
    return ScoreTable(systems, topics, ("map",), values[..., None])


def ranking(scores, reference, scheme):
    standardized = standardize(table(scores), fit_factors(table(reference)), scheme)
    return np.nanmean(standardized.values[..., 0], axis=1)


@pytest.fixture
def scores():
    return np.random.default_rng(1).random((9, 12)).round(1)


@pytest.fixture
def reference():
    return np.random.default_rng(2).random((7, 12)).round(1)


@pytest.mark.parametrize("scheme", ["N", "z", "U", "E", "m"])
def test_taus_and_means_are_those_of_tables_standardized_one_by_one(scores, reference, scheme):
    found = reference_sizes(scores, reference, (3, 5), scheme=scheme, n_trials=4, rng=3)
    full = ranking(scores, reference, scheme).round(10)
    for trial, order in enumerate(np.concatenate(list(permutations(7, 4, 3)))):
        for i, size in enumerate((3, 5)):
            sampled = ranking(scores, reference[order[:size]], scheme).round(10)
            assert found.tau[i, trial] == pytest.approx(scipy.stats.kendalltau(full, sampled).statistic)
    reference[:, 3] = 0.5  # a topic that Z leaves out
    expected = ranking(scores, reference, scheme)
    assert standardized_means(scores, reference, scheme) == pytest.approx(expected, abs=1e-10)


def test_percentiles_rise_with_the_number_of_references(robust):
    # Webber 2008, Figure 4: the more references, the closer to the ranking by all, which is tau 1
    found = reference_sizes(robust, robust, (5, 20, 110), n_trials=40, rng=np.random.default_rng(3))
    assert (np.diff(found.median) > 0).all()
    assert (np.diff(found.first) > 0).all()
    assert found.first[-1] == 1
    assert found.median[1] == pytest.approx(np.median(found.tau[1]))
    assert found.fifth[1] == pytest.approx(np.quantile(found.tau[1], 0.05))


def test_two_sets_of_references(scores, reference):
    other = np.random.default_rng(5).random((4, 12))
    found = compare_references(scores, reference, other)
    rankings = [ranking(scores, table, "N") for table in (reference, other)]
    assert found.tau == pytest.approx(scipy.stats.kendalltau(*rankings).statistic)
    assert found.r == pytest.approx(scipy.stats.pearsonr(*rankings).statistic)


@pytest.mark.parametrize("scheme", ["N", "Z", "E", "M"])
def test_topics_where_references_score_alike_do_not_reverse_dominance(scheme: str):
    """The second system wins where all references have 0, and is equal elsewhere; Z leaves that topic out."""
    table = np.array([[0.0, 0.1, 0.3], [0.0, 0.5, 0.4], [0.0, 0.3, 0.9]])
    a, b = standardized_means(np.array([[0.0, 0.2, 0.3], [0.4, 0.2, 0.3]]), table, scheme)
    assert b > a if scheme in "NM" else b == a


@pytest.mark.parametrize(("scheme", "expected"), [("E", 0.5), ("M", 0.375)])
def test_references_equal_but_for_noise_count_as_equal(scheme: str, expected: float):
    noisy, clean = [0.1 + 0.2, 0.7 - 0.4, 0.1 + 0.7], [0.3, 0.3, 0.8]
    assert (np.array(noisy) != clean).all()
    reference = np.array([[0.0] * 3, clean, [0.9] * 3, [1.0] * 3])
    assert standardized_means(np.array([noisy, clean, [0.0] * 3]), reference, scheme)[:2].tolist() == [expected] * 2
