"""Comparisons of discrete scores against exact rational arithmetic, where nothing is noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from stdeval.measures.pooling import is_decided
from stdeval.meta.ttests import count_paired, paired_pvalues, sample_means
from stdeval.noise import decimals, is_significant, rounded
from stdeval.standardization.schemes import count_references, empirical_scores, normal_scores
from stdeval.stats.aggregates import moments, overall_scores
from stdeval.stats.corrections import JOINT_CORRECTIONS, adjust
from stdeval.stats.paired_tests import TESTS
from stdeval.stats.pairwise import Design, compare_paired, compare_unpaired
from stdeval.table import Floats

Exact = list[list[Fraction]]
"""Scores of systems on topics, without noise."""


def average_precision(rng: np.random.Generator) -> Fraction:
    """The AP of up to four relevant documents at random ranks: a sum of fractions of many denominators."""
    ranks = np.sort(rng.choice(np.arange(1, 13), rng.integers(1, 5), replace=False))
    return sum((Fraction(i, int(rank)) for i, rank in enumerate(ranks, 1)), Fraction(0)) / len(ranks)


KINDS = {
    "P_5": lambda rng: Fraction(int(rng.integers(0, 6)), 5),
    "P_10": lambda rng: Fraction(int(rng.integers(0, 11)), 10),
    "recip_rank": lambda rng: Fraction(1, int(rng.integers(1, 8))) if rng.random() < 0.8 else Fraction(0),
    "map": average_precision,
}


def table(kind: str, n_systems: int, n_topics: int, seed: int) -> tuple[Exact, Floats]:
    """A random table in fractions, and in floats that were reached by different ways and so bear noise."""
    rng = np.random.default_rng(seed)
    exact = [[KINDS[kind](rng) for _ in range(n_topics)] for _ in range(n_systems)]
    floats = np.array([[float(score) for score in row] for row in exact])
    shift = rng.choice([0.0, 0.1, 0.3, 0.7], floats.shape)
    return exact, (floats + shift) - shift


def exact_permutation(differences: list[Fraction]) -> float:
    """The two-sided p of all changes of signs of the differences, as whole numbers of their common denominator."""
    common = int(np.lcm.reduce([d.denominator for d in differences]))
    whole = np.array([int(d * common) for d in differences])
    null = np.array(list(product((1, -1), repeat=len(whole)))) @ whole
    return min(1.0, 2 * min(np.mean(null >= whole.sum()), np.mean(null <= whole.sum())))


def exact_wilcoxon(differences: list[Fraction]) -> float:
    """The two-sided p of all changes of signs of the midranks of differences that are not 0."""
    present = [d for d in differences if d]
    ranks = scipy.stats.rankdata([float(abs(d)) for d in present])  # equal fractions are equal floats
    return exact_permutation(
        [Fraction(rank) * (1 if d > 0 else -1) for d, rank in zip(present, ranks, strict=True)]
    )


@pytest.mark.parametrize("kind", KINDS)
def test_paired_tests_are_those_of_fractions(kind: str) -> None:
    """Hundreds of pairs of each kind; a P of noise would be another number in many of them."""
    for seed in range(1000):
        n_topics = 3 + seed % 6
        (a, b), scores = table(kind, 2, n_topics, seed)
        differences = [x - y for x, y in zip(a, b, strict=True)]
        if not any(differences):
            continue
        tests = ("t", "wilcoxon", "sign", "permutation")
        by_t, found, sign, permuted = (
            compare_paired(*scores, Design(test, n_resamples=2**n_topics)) for test in tests
        )
        wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
        assert (found.wins, found.ties, found.losses) == (wins, n_topics - wins - losses, losses)
        assert found.pvalue == pytest.approx(exact_wilcoxon(differences), abs=1e-12)
        assert sign.pvalue == pytest.approx(scipy.stats.binomtest(wins, wins + losses).pvalue, abs=1e-12)
        assert permuted.pvalue == pytest.approx(exact_permutation(differences), abs=1e-12)
        assert (found.difference == 0) == (sum(differences) == 0)
        assert np.isinf(by_t.statistic) == (len(set(differences)) == 1)


@pytest.mark.parametrize("kind", KINDS)
def test_means_tie_where_the_fractions_tie(kind: str) -> None:
    """By every way to a mean that is ranked: aggregates, samples of topics, groups."""
    for seed in range(250):
        exact, scores = table(kind, 12, 4 + seed % 17, seed)
        means = [sum(row) / len(row) for row in exact]
        expected = scipy.stats.rankdata(np.unique(np.array(means, dtype=object), return_inverse=True)[1])
        sampled = sample_means(scores, np.ones((1, scores.shape[1]))).mean[0]
        for found in (overall_scores(scores, lambda x: x.mean(axis=-1)), sampled):
            np.testing.assert_array_equal(scipy.stats.rankdata(found), expected)


@pytest.mark.parametrize("test", TESTS)
def test_scores_and_differences_equal_but_for_noise_are_equal(test: str) -> None:
    design = Design(test, n_resamples=500)
    noisy, clean = np.array([0.1 + 0.2, 0.7 - 0.4, 0.1 + 0.7, 0.6]), np.array([0.3, 0.3, 0.8, 0.6])
    found = compare_paired(noisy, clean, design)
    assert (found.pvalue, found.statistic, found.ties) == (1.0, 0.0, 4)
    # five wins and five losses by two tenths each, which noise would rank
    a, b = np.array([[2, 4, 6, 8, 10, 0, 2, 4, 6, 8], [0, 2, 4, 6, 8, 2, 4, 6, 8, 10]]) / 10
    assert len(set(np.abs(a - b))) > 1
    found = compare_paired(a, b, design)
    assert (found.pvalue, found.wins, found.losses, found.difference) == (1.0, 5, 5, 0.0)


def test_noise_is_no_variance() -> None:
    worse, better = np.array([0.0, 0.2, 0.4, 0.6, 0.8]), np.array([0.2, 0.4, 0.6, 0.8, 1.0])
    found = compare_paired(worse, better, Design())
    assert (found.statistic, found.pvalue, found.effect_size) == (-np.inf, 0.0, -np.inf)
    assert paired_pvalues(np.stack([worse, better])) == [0.0]
    a, b = np.array([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]])
    constant = compare_unpaired(a, b, Design(unpaired=True))
    assert (constant.pvalue, constant.statistic, constant.effect_size) == (1.0, 0.0, 0.0)
    assert count_paired(np.stack([a, b]), np.ones((1, 2)), [0.999]).tolist() == [0]
    mean, sd, _ = moments(np.array([[0.3], [0.1 + 0.2], [0.7 - 0.4]]))
    assert sd == 0
    assert normal_scores(np.array([0.3, 0.1 + 0.2, 0.4]), mean, sd).tolist() == [0.5, 0.5, 1.0]


@pytest.mark.parametrize("correction", JOINT_CORRECTIONS)
def test_p_is_1_for_equal_means(correction: str) -> None:
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.2, 0.3, 0.1]])
    assert len(set(scores.mean(axis=1).tolist())) > 1
    test = JOINT_CORRECTIONS[correction].test(scores, 0.95, np.random.default_rng(1), 500)
    assert (test.pvalues == 1.0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_empirical_scores_count_equal_references(kind: str) -> None:
    for seed in range(100):
        exact, scores = table(kind, 20, 6, seed)
        found = empirical_scores(*count_references(scores[:8], scores[8:]))
        for i, t in product(range(8), range(6)):
            assert found[i, t] == sum(row[t] <= exact[i][t] for row in exact[8:]) / 12


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=8), st.integers(-9, 9))
def test_rounding_scales_and_keeps_twelve_digits(values: list[float], power: int) -> None:
    numbers = np.array(values) * 10.0**power
    places, largest = decimals(numbers), np.abs(numbers).max()
    half = 0.51 * 10.0 ** -float(places)
    assert np.abs(rounded(numbers, places) - numbers).max() <= half <= max(largest, 1) * 6e-12


def test_decimals_of_scores_of_any_size() -> None:
    sizes = (0, 1e-3, 0.5, 1, 1.5, 10, 99, 1e15)
    assert [int(decimals(score)) for score in sizes] == [12, 15, 12, 12, 11, 11, 10, -3]
    assert decimals([[0.5, np.nan], [np.nan, np.nan]], axis=1).tolist() == [12, 12]
    for extreme in (5e-324, 1e-300, 1e300):
        assert np.isfinite(rounded(extreme, decimals(extreme)))


def test_p_of_alpha_is_significant_and_a_bound_of_twelve_digits_decides() -> None:
    """Benjamini-Hochberg's .05 * 3 / 3 is above .05 in binary."""
    adjusted = adjust(np.array([0.05, 0.05, 0.05]), "bh")
    assert is_significant(np.append(adjusted, 0.05 * 3 / 3), 0.05).all()
    assert not is_significant([0.05 * (1 + 1e-11), np.nan, 1.0], 0.05).any()
    assert is_significant([1e-20, 2e-20], 1e-20).tolist() == [True, False]
    low = np.array([3e-12, 3e-13, -3e-12, 1e-17])
    assert is_decided(low, np.array([0.1, 0.1, 0.1, -1e-17])).tolist() == [True, False, False, True]
