"""Comparisons of discrete scores against exact rational arithmetic, where nothing is noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores
from stdeval.meta.rank import rank_correlations
from stdeval.meta.split import random_splits, split_correlations
from stdeval.meta.trials import membership
from stdeval.meta.ttests import count_paired, paired_pvalues, sample_means
from stdeval.noise import decimals, is_significant, rounded
from stdeval.standardization.schemes import count_references, empirical_scores, normal_scores
from stdeval.stats.aggregates import moments, overall_scores
from stdeval.stats.corrections import adjust, significance_groups, tukey_test
from stdeval.stats.pairwise import is_decided
from stdeval.stats.significance import compare, compare_unpaired
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


def exact_wilcoxon(differences: list[Fraction]) -> float:
    """The two-sided p of all changes of signs of the midranks of differences that are not 0."""
    present = [d for d in differences if d]
    ranks = scipy.stats.rankdata([float(abs(d)) for d in present])  # equal fractions are equal floats
    total = sum(rank for rank, d in zip(ranks, present, strict=True) if d > 0)
    null = np.array([np.dot(signs, ranks) for signs in product((0, 1), repeat=len(ranks))])
    return min(1.0, 2 * min(np.mean(null >= total), np.mean(null <= total)))


def exact_permutation(differences: list[Fraction]) -> float:
    """The two-sided p of all changes of signs of the differences, as whole numbers of their common denominator."""
    common = int(np.lcm.reduce([d.denominator for d in differences]))
    whole = np.array([int(d * common) for d in differences])
    null = np.array(list(product((1, -1), repeat=len(whole)))) @ whole
    return min(1.0, 2 * min(np.mean(null >= whole.sum()), np.mean(null <= whole.sum())))


@pytest.mark.parametrize("kind", KINDS)
def test_paired_tests_are_those_of_fractions(kind: str) -> None:
    """A thousand pairs of each kind; a P of noise would be another number in many of them."""
    for seed in range(1000):
        n_topics = 3 + seed % 6
        (a, b), scores = table(kind, 2, n_topics, seed)
        differences = [x - y for x, y in zip(a, b, strict=True)]
        if not any(differences):
            continue
        found = compare(*scores, "wilcoxon")
        wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
        assert (found.wins, found.ties, found.losses) == (wins, n_topics - wins - losses, losses)
        assert found.pvalue == pytest.approx(exact_wilcoxon(differences), abs=1e-12)
        assert compare(*scores, "sign").pvalue == pytest.approx(
            scipy.stats.binomtest(wins, wins + losses).pvalue, abs=1e-12
        )
        permuted = compare(*scores, "permutation", rng=np.random.default_rng(1), n_resamples=2**n_topics)
        assert permuted.pvalue == pytest.approx(exact_permutation(differences), abs=1e-12)
        assert (found.difference == 0) == (sum(differences) == 0)
        assert np.isinf(compare(*scores).statistic) == (len(set(differences)) == 1)


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


def test_equal_differences_of_noise_have_p_1() -> None:
    """Five wins and five losses by two tenths each, which noise would rank."""
    a = np.array([0.2, 0.4, 0.6, 0.8, 1.0, 0.0, 0.2, 0.4, 0.6, 0.8])
    b = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert len(set(np.abs(a - b))) > 1
    for test in ("t", "wilcoxon", "sign", "permutation", "bootstrap"):
        found = compare(a, b, test, rng=np.random.default_rng(1), n_resamples=500)
        assert (found.pvalue, found.wins, found.losses, found.difference) == (1.0, 5, 5, 0.0)


def test_differences_equal_but_for_noise_have_an_infinite_t() -> None:
    worse, better = np.array([0.0, 0.2, 0.4, 0.6, 0.8]), np.array([0.2, 0.4, 0.6, 0.8, 1.0])
    found = compare(worse, better)
    assert (found.statistic, found.pvalue, found.effect_size) == (-np.inf, 0.0, -np.inf)
    assert paired_pvalues(np.stack([worse, better])) == [0.0]


def test_scores_equal_but_for_noise_do_not_differ() -> None:
    noisy = np.array([0.1 + 0.2, 0.7 - 0.4, 0.1 + 0.7, 0.6])
    clean = np.array([0.3, 0.3, 0.8, 0.6])
    assert (noisy != clean).any()
    for test in ("t", "wilcoxon", "sign", "permutation", "bootstrap"):
        found = compare(noisy, clean, test, rng=np.random.default_rng(1), n_resamples=99)
        assert (found.pvalue, found.statistic, found.ties) == (1.0, 0.0, 4)
    pair = np.stack([noisy, clean])
    assert count_paired(pair, np.ones((1, 4)), [0.999]).tolist() == [0]
    constant = compare_unpaired(np.array([0.1 + 0.2, 0.3]), np.array([0.3, 0.1 + 0.2]))
    assert (constant.pvalue, constant.statistic, constant.effect_size) == (1.0, 0.0, 0.0)


def test_tukey_has_p_1_for_equal_means_and_one_group() -> None:
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.2, 0.3, 0.1]])
    pvalues = tukey_test(scores, np.random.default_rng(1), 500).pvalues
    assert (pvalues == 1.0).all()
    assert len(set(scores.mean(axis=1).tolist())) > 1
    first, last = significance_groups(scores.mean(axis=1), pvalues)
    assert (first.tolist(), last.tolist()) == ([1, 1, 1], [1, 1, 1])


@pytest.mark.parametrize("kind", KINDS)
def test_empirical_scores_count_equal_references(kind: str) -> None:
    for seed in range(100):
        exact, scores = table(kind, 20, 6, seed)
        found = empirical_scores(count_references(scores[:8], scores[8:]))
        for i, t in product(range(8), range(6)):
            assert found[i, t] == sum(row[t] <= exact[i][t] for row in exact[8:]) / 12


def test_references_equal_but_for_noise_have_no_deviation() -> None:
    mean, sd, _ = moments(np.array([[0.3], [0.1 + 0.2], [0.7 - 0.4]]))
    assert sd == 0
    assert normal_scores(np.array([0.3, 0.1 + 0.2, 0.4]), mean, sd).tolist() == [0.5, 0.5, 1.0]


def test_splits_rank_as_whole_numbers_do() -> None:
    """Numbers of relevant documents in the top five have no noise, and the same ranking as P_5."""
    counts = np.random.default_rng(3).integers(0, 6, (10, 12)).astype(float)
    halves = random_splits(12, 200, np.random.default_rng(4))
    by_count, by_share = (
        split_correlations(scores, halves, lambda x: x.mean(axis=-1)) for scores in (counts, counts / 5)
    )
    np.testing.assert_array_equal(by_share.tau, by_count.tau)
    np.testing.assert_array_equal(by_share.tau_ap, by_count.tau_ap)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=8), st.integers(-9, 9))
def test_rounding_scales_and_keeps_twelve_digits(values: list[float], power: int) -> None:
    numbers = np.array(values) * 10.0**power
    places = decimals(numbers)
    largest = np.abs(numbers).max()
    assert (
        np.abs(rounded(numbers, places) - numbers).max() <= 0.51 * 10.0 ** -float(places) <= max(largest, 1) * 6e-12
    )


def test_decimals_of_scores_of_any_size() -> None:
    assert [int(decimals(score)) for score in (0, 1e-3, 0.5, 1, 1.5, 10, 99, 1e15)] == [
        12,
        15,
        12,
        12,
        11,
        11,
        10,
        -3,
    ]
    assert decimals([[0.5, np.nan], [np.nan, np.nan]], axis=1).tolist() == [12, 12]
    for extreme in (5e-324, 1e-300, 1e300):
        assert np.isfinite(rounded(extreme, decimals(extreme)))


def test_a_bound_of_twelve_digits_decides() -> None:
    low = np.array([3e-12, 3e-13, -3e-12])
    assert is_decided(low, np.full(3, 0.1)).tolist() == [True, False, False]


def test_p_of_alpha_is_significant() -> None:
    """Benjamini-Hochberg's .05 * 3 / 3 is above .05 in binary."""
    adjusted = adjust(np.array([0.05, 0.05, 0.05]), "bh")
    assert is_significant(np.append(adjusted, 0.05 * 3 / 3), 0.05).all()
    assert not is_significant([0.05 * (1 + 1e-11), np.nan, 1.0], 0.05).any()
    assert is_significant([1e-20, 2e-20], 1e-20).tolist() == [True, False]


def test_pairs_of_means_correlate_fully_with_their_counts() -> None:
    counts = np.random.default_rng(8).integers(0, 6, (30, 25)).astype(float)
    vectors = np.stack([overall_scores(scores, lambda x: x.mean(axis=-1)) for scores in (counts, counts / 5)])
    assert rank_correlations(vectors).tau[0, 1] == pytest.approx(1.0, abs=1e-15)
    samples = membership(np.array([[0, 3, 5, 7], [9, 2, 1, 4]]), 25)
    ranked = [sample_means(scores, samples).mean for scores in (counts, counts / 5)]
    for a, b in combinations(range(30), 2):
        np.testing.assert_array_equal(
            np.sign(ranked[0][:, a] - ranked[0][:, b]), np.sign(ranked[1][:, a] - ranked[1][:, b])
        )


def test_real_precision_decides_as_its_counts_do(run, shared, tmp_path) -> None:
    """P_5 of sixteen real runs, and the numbers of relevant documents in their top five, which are whole."""
    runs = sorted((shared / "cisi" / "runs").iterdir())[::3]
    path = tmp_path / "scores.csv"
    run("eval", "-q", "-c", "-n", "-f", "csv", "-m", "P.5", "-o", path, shared / "cisi" / "qrels.txt", *runs)
    scores = read_scores(Input(str(path))).measure("P_5")
    counts = np.rint(scores * 5)
    first, second = np.triu_indices(len(scores), 1)
    found, expected = (compare(values[first], values[second], "wilcoxon") for values in (scores, counts))
    np.testing.assert_array_equal(found.pvalue, expected.pvalue)
    means = [overall_scores(values, lambda x: x.mean(axis=-1)) for values in (scores, counts)]
    np.testing.assert_array_equal(*(scipy.stats.rankdata(each) for each in means))
