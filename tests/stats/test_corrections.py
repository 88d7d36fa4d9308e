"""Corrections against statsmodels, full enumeration and plain loops; groups against a look at all subsets."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from statsmodels.stats.multitest import multipletests

from stdeval.errors import InputError
from stdeval.noise import is_significant
from stdeval.stats import corrections
from stdeval.stats.corrections import PVALUE_CORRECTIONS, adjust, significance_groups, tukey_test

pytestmark = pytest.mark.oracle

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
    found = tukey_test(scores, np.random.default_rng(1), 20_000).pvalues
    assert len(np.unique(exact)) > 2
    np.testing.assert_allclose(found, exact, atol=4 * np.sqrt(0.25 / 20_000))


def test_tukey_is_the_seeds_whatever_the_batches(
    scores_of_2004: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = scores_of_2004[:20]
    first, other = (tukey_test(scores, np.random.default_rng(seed), 300).pvalues for seed in (1, 2))
    monkeypatch.setattr(corrections, "BATCH_BYTES", 7 * scores.nbytes)
    np.testing.assert_array_equal(tukey_test(scores, np.random.default_rng(1), 300).pvalues, first)
    assert (first != other).any()
    assert first.min() >= 1 / 301
    np.testing.assert_array_equal(first, first.T)
    order = np.random.default_rng(5).permutation(20)
    moved = tukey_test(scores[order], np.random.default_rng(1), 300).pvalues
    np.testing.assert_array_equal(first[np.ix_(order, order)], moved)


def test_tukey_takes_the_topics_of_every_system(scores_of_2004: np.ndarray) -> None:
    holed = scores_of_2004[:6].copy()
    holed[2, 5] = holed[4, 40] = np.nan
    complete = np.delete(scores_of_2004[:6], [5, 40], axis=1)
    np.testing.assert_array_equal(
        tukey_test(holed, np.random.default_rng(1), 200).pvalues,
        tukey_test(complete, np.random.default_rng(1), 200).pvalues,
    )
    with pytest.raises(InputError, match="no topic for which every system has a score"):
        tukey_test(np.array([[0.1, np.nan], [np.nan, 0.2]]), np.random.default_rng(1))


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
def test_differences_beyond_the_critical_one_are_significant(level: float) -> None:
    """Scores of 0 and 1 give only few different ranges, so many differences are equal to the critical one."""
    rng = np.random.default_rng(3)
    for scores in (
        (rng.random((10, 8)) < np.linspace(0.05, 0.95, 10)[:, np.newaxis]).astype(float),
        np.linspace(0, 0.6, 12)[:, np.newaxis] + rng.random(15) + rng.normal(0, 0.2, (12, 15)),
    ):
        test, means = tukey_test(scores, np.random.default_rng(1), 199), scores.mean(axis=1)
        critical = test.critical_difference(level)
        differences = np.abs(means[:, np.newaxis] - means)
        np.testing.assert_array_equal(differences > critical + 1e-12, is_significant(test.pvalues, 1 - level))
        assert 0.05 < np.mean(differences > critical + 1e-12) < 0.95
    assert np.isinf(tukey_test(scores, rng, 18).critical_difference(0.95))
