"""Corrections against statsmodels, scipy, R, enumeration and plain loops; groups against a look at all subsets."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from pandas import DataFrame
from statsmodels.formula.api import ols
from statsmodels.stats.multitest import multipletests

from stdeval.errors import InputError
from stdeval.noise import is_significant
from stdeval.stats import corrections
from stdeval.stats.corrections import (
    JOINT_CORRECTIONS,
    PVALUE_CORRECTIONS,
    JointTest,
    adjust,
    significance_groups,
    studentized_range_sf,
)
from stdeval.stats.pairwise import Design, compare_systems, pairs

pytestmark = pytest.mark.oracle


def joint(
    correction: str, scores: np.ndarray, seed: int = 1, n_resamples: int = 300, level: float = 0.95
) -> JointTest:
    return JOINT_CORRECTIONS[correction].test(scores, level, np.random.default_rng(seed), n_resamples)


STATSMODELS = {"bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh"}


@pytest.fixture(scope="module")
def scores_of_2004(robust: np.ndarray) -> np.ndarray:
    """AP of 110 systems on the 49 topics of 2004."""
    return robust[:, 50:]


@given(hnp.arrays(float, st.integers(1, 20), elements=st.floats(0, 1)), st.sampled_from(list(STATSMODELS)))
def test_is_statsmodels_ties_included(pvalues: np.ndarray, correction: str) -> None:
    expected = multipletests(pvalues, method=STATSMODELS[correction])[1]
    np.testing.assert_allclose(adjust(pvalues, correction), expected, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("correction", PVALUE_CORRECTIONS)
def test_missing_are_not_counted(correction: str) -> None:
    pvalues = np.array([[0.01, np.nan, 0.2], [0.03, 0.01, np.nan]])
    found = adjust(pvalues, correction)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(pvalues))
    np.testing.assert_array_equal(found[~np.isnan(found)], adjust(np.array([0.01, 0.2, 0.03, 0.01]), correction))
    assert adjust(np.array([np.nan]), correction).shape == (1,)


@pytest.mark.parametrize("decimals", [1, 3])
def test_tukey_of_3_systems_enumerated(scores_of_2004: np.ndarray, decimals: int) -> None:
    """All 6^4 ways to permute the scores of four topics; one decimal makes equal ranges common."""
    scores = scores_of_2004[[0, 4, 102], :4].round(decimals)
    by_topic = [list(permutations(topic)) for topic in scores.T]
    ranges = np.array([np.ptp(np.sum(rows, axis=0)) for rows in product(*by_topic)])
    totals = scores.sum(axis=1)
    differences = np.abs(totals[:, None] - totals)
    exact = np.mean(ranges >= differences[..., None] - 1e-9, axis=-1)
    found = joint("tukey", scores, n_resamples=20_000).pvalues
    assert len(np.unique(exact)) > 2
    np.testing.assert_allclose(found, exact, atol=4 * np.sqrt(0.25 / 20_000))


@pytest.mark.parametrize("correction", ["tukey", "range"])
def test_random_tests_are_the_seeds_whatever_the_batches(
    scores_of_2004: np.ndarray, correction: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = scores_of_2004[:20]
    first, other = (joint(correction, scores, seed).pvalues for seed in (1, 2))
    monkeypatch.setattr(corrections, "BATCH_BYTES", 7 * scores.nbytes)
    np.testing.assert_array_equal(joint(correction, scores).pvalues, first)
    assert (first != other).any()
    assert first.min() >= 1 / 301
    np.testing.assert_array_equal(first, first.T)
    order = np.random.default_rng(5).permutation(20)
    np.testing.assert_array_equal(first[np.ix_(order, order)], joint(correction, scores[order]).pvalues)


@pytest.mark.parametrize("correction", JOINT_CORRECTIONS)
def test_joint_tests_take_the_topics_of_every_system(scores_of_2004: np.ndarray, correction: str) -> None:
    design = Design(correction=correction, n_resamples=200)
    holed = scores_of_2004[:6].copy()
    holed[:, [5, 40]] = np.nan
    holed[2, 5] = holed[4, 40] = 0.5
    complete = np.delete(scores_of_2004[:6], [5, 40], axis=1)
    found, expected = (compare_systems(scores, *pairs(6), design)[1] for scores in (holed, complete))
    np.testing.assert_array_equal(found, expected)
    apart = np.array([[0.1, 0.3, np.nan, 0.2, 0.2], [np.nan, 0.2, 0.4, 0.1, np.nan], [0.3, np.nan, 0.3, 0.2, 0.4]])
    with pytest.raises(
        InputError, match=f"fewer than two topics for which every run has a score, which {correction}"
    ):
        compare_systems(apart, *pairs(3), design)


def test_range_is_a_plain_loop_over_resampled_topics(scores_of_2004: np.ndarray) -> None:
    scores, rng, n = scores_of_2004[[0, 4, 60, 102], :20], np.random.default_rng(7), 20
    means = scores.mean(axis=1)
    alike = (scores - means[:, None]) * np.sqrt(n / (n - 1))
    ranges = np.array([np.ptp(alike[:, rng.integers(0, n, n)].mean(axis=1)) for _ in range(20_000)])
    expected = np.mean(ranges >= np.abs(means[:, None] - means)[..., None], axis=-1)
    np.testing.assert_allclose(joint("range", scores, n_resamples=20_000).pvalues, expected, atol=0.015)
    assert len(np.unique(expected.round(2))) > 3
    # the smallest p of 99 resamples
    assert joint("range", np.array([[0.1] * 5, [0.3] * 5]), n_resamples=99).pvalues[0, 1] == 1 / 100


@pytest.mark.filterwarnings("error")
def test_hsd_is_the_two_way_model_of_statsmodels_with_the_range_of_scipy(scores_of_2004: np.ndarray) -> None:
    scores = scores_of_2004[[0, 4, 60, 70, 102], :20]
    rows = {"score": scores.ravel(), "system": np.repeat(np.arange(5), 20), "topic": np.tile(np.arange(20), 5)}
    model = ols("score ~ C(system) + C(topic)", DataFrame(rows)).fit()
    assert model.df_resid == 4 * 19
    error = np.sqrt(model.mse_resid / 20)
    differences = np.abs(scores.mean(axis=1)[:, None] - scores.mean(axis=1))
    found = joint("hsd", scores)
    np.testing.assert_allclose(
        found.pvalues, scipy.stats.studentized_range.sf(differences / error, 5, 76), atol=1e-7
    )
    assert found.critical == pytest.approx(error * scipy.stats.studentized_range.isf(0.05, 5, 76), rel=1e-6)


@pytest.mark.filterwarnings("error")
def test_hsd_of_two_systems_is_the_paired_t_test(scores_of_2004: np.ndarray) -> None:
    for i in range(1, 60):
        expected = scipy.stats.ttest_rel(scores_of_2004[0], scores_of_2004[i]).pvalue
        assert joint("hsd", scores_of_2004[[0, i]]).pvalues[0, 1] == pytest.approx(expected, rel=1e-8)
    shifted = np.array([[0.1, 0.2, 0.4], [0.2, 0.3, 0.5], [0.1, 0.2, 0.4]])
    np.testing.assert_array_equal(joint("hsd", shifted).pvalues, [[1, 0, 1], [0, 1, 0], [1, 0, 1]])


def test_the_studentized_range_is_that_of_r() -> None:
    """The output of TukeyHSD(aov(breaks ~ wool + tension, warpbreaks), "tension"): 50 degrees of freedom."""
    half = 9.353421
    critical = scipy.optimize.brentq(lambda q: studentized_range_sf(np.array([q]), 3, 50)[0] - 0.05, 3, 4)
    q = np.array([10.000, 14.72222, 4.72222]) / half * critical
    np.testing.assert_allclose(studentized_range_sf(q, 3, 50), [0.0336262, 0.0011218, 0.4474210], atol=2e-6)


@pytest.mark.filterwarnings("error:::stdeval")
def test_the_studentized_range_is_that_of_scipy_everywhere() -> None:
    q = np.array([0, 0.01, 0.5, 1.5, 3, 4, 5, 7, 12, 50])
    for m, df in product((3, 12, 130), (1, 2, 9, 60, 700, 10_000)):
        found = studentized_range_sf(q, m, df)
        with np.errstate(all="ignore"):
            expected = scipy.stats.studentized_range.sf(q, m, df)
        np.testing.assert_allclose(found, expected, atol=1e-6)
        assert (np.diff(found) <= 0).all()
    # of two means, also where scipy gives 0
    many = np.concatenate([np.geomspace(1e-4, 1e3, 300), np.linspace(0, 50, 300)])
    for df in (1, 2, 9, 60, 700, 10_000):
        expected = 2 * scipy.stats.t.sf(many / np.sqrt(2), df)
        np.testing.assert_allclose(studentized_range_sf(many, 2, df), expected, rtol=1e-8, atol=1e-250)


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=8), st.floats(0.01, 0.6))
def test_systems_share_a_group_just_where_they_do_not_differ(means: list[float], threshold: float):
    scores = np.array(means)
    pvalues = np.where(np.abs(scores[:, None] - scores) > threshold, 0.01, 0.5)
    first, last = significance_groups(scores, pvalues)
    for i, j in combinations(range(len(means)), 2):
        share = max(first[i], first[j]) <= min(last[i], last[j])
        assert share == (pvalues[i, j] >= 0.05)
    groups = [{i for i in range(len(means)) if first[i] <= g <= last[i]} for g in range(1, last.max() + 1)]
    maximal = cliques(pvalues >= 0.05)
    assert sorted(map(sorted, groups)) == sorted(map(sorted, maximal))
    assert first[int(np.argmax(scores))] == 1


def test_runs_whose_p_is_alpha_share_no_group() -> None:
    pvalues = np.array([[1.0, 0.05 * 3 / 3, 0.01], [0.05 * 3 / 3, 1.0, 0.2], [0.01, 0.2, 1.0]])
    first, last = significance_groups(np.array([0.5, 0.4, 0.3]), pvalues)
    assert (first.tolist(), last.tolist()) == ([1, 2, 2], [1, 2, 2])


def cliques(same) -> list[set[int]]:
    """By looking at all subsets: those that agree among themselves, and are in no larger one."""
    n = len(same)
    subsets = [set(c) for size in range(1, n + 1) for c in combinations(range(n), size)]
    agreeing = [s for s in subsets if all(same[i, j] for i in s for j in s)]
    return [s for s in agreeing if not any(s < t for t in agreeing)]


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("correction", JOINT_CORRECTIONS)
def test_differences_beyond_the_critical_one_are_significant(correction: str, level: float) -> None:
    """Scores of 0 and 1 give only few different ranges, so many differences are equal to the critical one."""
    rng = np.random.default_rng(3)
    for scores in (
        (rng.random((10, 8)) < np.linspace(0.05, 0.95, 10)[:, np.newaxis]).astype(float),
        np.linspace(0, 0.6, 12)[:, np.newaxis] + rng.random(15) + rng.normal(0, 0.2, (12, 15)),
    ):
        test, means = joint(correction, scores, n_resamples=199, level=level), scores.mean(axis=1)
        differences = np.abs(means[:, np.newaxis] - means)
        is_greater = differences > test.critical + 1e-12
        np.testing.assert_array_equal(is_greater, is_significant(test.pvalues, 1 - level))
        assert 0.05 < np.mean(is_greater) < 0.95
    if correction != "hsd":
        assert np.isinf(joint(correction, scores, n_resamples=18).critical)
