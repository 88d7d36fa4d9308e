"""Corrections against statsmodels, full enumeration and plain loops; groups against a look at all subsets."""

from __future__ import annotations

from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from statsmodels.stats.multitest import multipletests

from stdeval.errors import InputError
from stdeval.stats import corrections
from stdeval.stats.corrections import CORRECTIONS, adjust, significance_groups, tukey_test
from stdeval.stats.significance import compare, pairs

pytestmark = pytest.mark.oracle

STATSMODELS = {"bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh"}


@pytest.fixture(scope="module")
def robust(shared: Path) -> np.ndarray:
    """AP of 110 systems on the 49 topics of 2004."""
    return np.loadtxt(shared / "urbano2019" / "robust2004_ap.csv", delimiter=",", skiprows=1).T[:, 50:]


@pytest.mark.parametrize("correction", STATSMODELS)
def test_of_all_pairs_is_statsmodels(robust: np.ndarray, correction: str) -> None:
    first, second = pairs(len(robust))
    pvalues = compare(robust[first], robust[second]).pvalue
    expected = multipletests(pvalues, method=STATSMODELS[correction])[1]
    np.testing.assert_allclose(adjust(pvalues, correction), expected, rtol=1e-12)


@settings(deadline=None)  # scipy's first call is slow
@given(hnp.arrays(float, st.integers(1, 20), elements=st.floats(0, 1)), st.sampled_from(list(STATSMODELS)))
def test_is_statsmodels_ties_included(pvalues: np.ndarray, correction: str) -> None:
    expected = multipletests(pvalues, method=STATSMODELS[correction])[1]
    np.testing.assert_allclose(adjust(pvalues, correction), expected, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("correction", sorted(set(CORRECTIONS) - {"tukey"}))
def test_missing_are_not_counted(correction: str) -> None:
    pvalues = np.array([[0.01, np.nan, 0.2], [0.03, 0.01, np.nan]])
    found = adjust(pvalues, correction)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(pvalues))
    np.testing.assert_array_equal(found[~np.isnan(found)], adjust(np.array([0.01, 0.2, 0.03, 0.01]), correction))
    assert adjust(np.array([np.nan]), correction).shape == (1,)


def test_none_is_a_copy() -> None:
    pvalues = np.array([0.5, 0.1])
    adjust(pvalues, "none")[0] = 9.0
    assert pvalues[0] == 0.5


def test_what_is_not_understood_is_refused() -> None:
    with pytest.raises(
        InputError, match="no correction 'sidak', expected one of: none, bonferroni, holm, bh, tukey"
    ):
        adjust(np.array([0.1]), "sidak")
    with pytest.raises(InputError, match="tukey corrects no p-values"):
        adjust(np.array([0.1]), "tukey")


@pytest.mark.parametrize("decimals", [1, 3])
def test_tukey_of_3_systems_enumerated(robust: np.ndarray, decimals: int) -> None:
    """All 6^4 ways to permute the scores of four topics; one decimal makes equal ranges common."""
    scores = robust[[0, 4, 102], :4].round(decimals)
    by_topic = [list(permutations(topic)) for topic in scores.T]
    ranges = np.array([np.ptp(np.sum(rows, axis=0)) for rows in product(*by_topic)])
    totals = scores.sum(axis=1)
    differences = np.abs(totals[:, None] - totals)
    exact = np.mean(ranges >= differences[..., None] - 1e-9, axis=-1)
    found = tukey_test(scores, np.random.default_rng(1), 20_000).pvalues
    assert len(np.unique(exact)) > 2
    np.testing.assert_allclose(found, exact, atol=4 * np.sqrt(0.25 / 20_000))


def test_tukey_of_2_systems_is_the_permutation_test(robust: np.ndarray) -> None:
    scores = robust[[3, 7], :8]
    exact = scipy.stats.permutation_test(
        (scores[0] - scores[1],), np.mean, permutation_type="samples", n_resamples=np.inf
    ).pvalue  # 2^8 changes of sign
    found = tukey_test(scores, np.random.default_rng(1), 20_000).pvalues
    assert found[0, 1] == found[1, 0] == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 20_000))
    assert found[0, 0] == found[1, 1] == 1.0


def test_tukey_is_carterettes_loop(robust: np.ndarray) -> None:
    """The paper's algorithm with another generator, within four standard errors of both."""
    scores, rng, n_resamples = robust[:30:3], np.random.default_rng(9), 2000
    counts = np.ones((10, 10))
    means = scores.mean(axis=1)
    for _ in range(n_resamples):
        columns = np.array([rng.permutation(topic) for topic in scores.T]).mean(axis=0)
        counts += columns.max() - columns.min() >= np.abs(means[:, None] - means) - 1e-12
    found = tukey_test(scores, np.random.default_rng(1), n_resamples).pvalues
    np.testing.assert_allclose(found, counts / (n_resamples + 1), atol=4 * np.sqrt(2 * 0.25 / n_resamples))


def test_tukey_comes_near_the_studentized_range(robust: np.ndarray) -> None:
    """The parametric Tukey HSD (two-way, scipy's studentized_range) that it replaces: Carterette 2012."""
    scores = robust[[0, 3, 4, 40, 60]]
    k, n = scores.shape
    residuals = scores - scores.mean(axis=0) - scores.mean(axis=1)[:, None] + scores.mean()
    df = (k - 1) * (n - 1)
    means = scores.mean(axis=1)
    q = np.abs(means[:, None] - means) / np.sqrt((residuals**2).sum() / df / n)
    found = tukey_test(scores, np.random.default_rng(1), 4000).pvalues
    np.testing.assert_allclose(found, scipy.stats.studentized_range.sf(q, k, df), atol=0.06)


def test_tukey_is_the_seeds_whatever_the_batches(robust: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = robust[:20]
    first, other = (tukey_test(scores, np.random.default_rng(seed), 300).pvalues for seed in (1, 2))
    monkeypatch.setattr(corrections, "BATCH_BYTES", 7 * scores.nbytes)
    np.testing.assert_array_equal(tukey_test(scores, np.random.default_rng(1), 300).pvalues, first)
    assert (first != other).any()
    assert first.min() >= 1 / 301
    np.testing.assert_array_equal(first, first.T)


def test_tukey_of_systems_in_another_order_is_the_same(robust: np.ndarray) -> None:
    order = np.random.default_rng(5).permutation(len(robust))
    one, other = (tukey_test(each, np.random.default_rng(1), 500).pvalues for each in (robust, robust[order]))
    assert (one[np.ix_(order, order)] == other).all()


def test_tukey_takes_the_topics_of_every_system(robust: np.ndarray) -> None:
    holed = robust[:6].copy()
    holed[2, 5] = holed[4, 40] = np.nan
    complete = np.delete(robust[:6], [5, 40], axis=1)
    np.testing.assert_array_equal(
        tukey_test(holed, np.random.default_rng(1), 200).pvalues,
        tukey_test(complete, np.random.default_rng(1), 200).pvalues,
    )
    with pytest.raises(InputError, match="no topic for which every system has a score"):
        tukey_test(np.array([[0.1, np.nan], [np.nan, 0.2]]), np.random.default_rng(1))


def test_tukey_of_identical_systems_is_1() -> None:
    scores = np.tile([0.1, 0.7, 0.3], (4, 1))
    np.testing.assert_array_equal(tukey_test(scores, np.random.default_rng(1), 50).pvalues, np.ones((4, 4)))


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
