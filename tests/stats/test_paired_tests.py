"""Every paired test against scipy on real pairs of systems, and against full enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import scipy.stats

from stdeval.stats import paired_tests
from stdeval.stats.paired_tests import ALTERNATIVES, TESTS

pytestmark = pytest.mark.oracle

DRAWING = [name for name, row in TESTS.items() if row.draws]


def run_test(
    name: str, rows: np.ndarray, alternative: str = "two-sided", seed: int = 1, n_resamples: int = 500
) -> tuple[np.ndarray, np.ndarray]:
    """Test differences of systems with scores in [0, 1]."""
    drawn = {"rng": np.random.default_rng(seed), "n_resamples": n_resamples} if TESTS[name].draws else {}
    return TESTS[name].function(rows, np.full(len(rows), 12), alternative, **drawn)


@pytest.fixture(scope="module")
def differences(robust: np.ndarray) -> np.ndarray:
    """Pairs of neighbouring systems that are not the same, AP on the 49 topics of 2004."""
    rows = (robust[:-1, 50:] - robust[1:, 50:])[::9]
    return rows[rows.any(axis=1)]


def scipys(name: str, row: np.ndarray, alternative: str) -> tuple[float, float]:
    """Return the result of scipy for one pair."""
    if name == "sign":
        wins, losses = int((row > 0).sum()), int((row < 0).sum())
        return wins, scipy.stats.binomtest(wins, wins + losses, 0.5, alternative).pvalue
    function = {"t": lambda d, **kw: scipy.stats.ttest_rel(d, 0 * d, **kw), "wilcoxon": scipy.stats.wilcoxon}[name]
    # The scores have four decimals, but their differences have noise, which scipy would rank.
    row = np.round(row, 4)
    result = function(row if name == "t" else row[row != 0], alternative=alternative)
    return result.statistic, result.pvalue


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("name", sorted(set(TESTS) - set(DRAWING)))
def test_is_scipys(differences: np.ndarray, name: str, alternative: str) -> None:
    found = run_test(name, differences, alternative)
    expected = [scipys(name, row, alternative) for row in differences]
    np.testing.assert_allclose(np.transpose(found), expected, rtol=1e-10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n_different", [0, 1, 2, 4, 9, 13])
def test_wilcoxon_enumerates_few_differences_among_many_ties(n_different: int, alternative: str) -> None:
    """Every change of signs of at most 13 differences on 50 topics, some of which have the same size."""
    row = np.zeros(50)
    row[:n_different] = np.random.default_rng(n_different).choice([-0.1, 0.1, 0.2, 0.3], n_different)
    ranks = scipy.stats.rankdata(np.abs(row[:n_different]))
    null = np.array(list(product((0, 1), repeat=n_different))) @ ranks
    total = ranks[row[:n_different] > 0].sum()
    more, fewer = np.mean(null >= total), np.mean(null <= total)
    expected = {"greater": more, "less": fewer, "two-sided": min(1, 2 * min(more, fewer))}[alternative]
    _, (found,) = run_test("wilcoxon", row[np.newaxis], alternative)
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_permutation_is_exact_if_few_topics_differ(alternative: str) -> None:
    """Zeros change no mean, whatever their signs: p is that of the ten other topics, by any seed."""
    some = np.random.default_rng(5).normal(0.1, 0.3, (3, 10))
    rows = np.zeros((5, 50))
    rows[:2, :10], rows[2, 3:13], rows[3:] = some[:2], some[2], np.random.default_rng(6).normal(0.1, 0.3, (2, 50))
    found = [run_test("permutation", rows, alternative, seed, 1024)[1] for seed in (1, 2)]
    exact = scipy.stats.permutation_test(
        (some, 0 * some),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative=alternative,
        axis=1,
    )
    for pvalues in found:
        np.testing.assert_allclose(pvalues[:3], exact.pvalue, rtol=1e-12)
    assert (found[0][3:] != found[1][3:]).any()


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_drawn_changes_of_signs_are_a_plain_loop(differences: np.ndarray, alternative: str) -> None:
    """Within some standard errors of a loop that draws signs, one resample after the other."""
    row, rng, n_resamples = differences[5], np.random.default_rng(11), 4000
    null = [np.mean(row * rng.choice([-1, 1], len(row))) for _ in range(n_resamples)]
    more, fewer = np.mean(null >= row.mean()), np.mean(null <= row.mean())
    p = {"greater": more, "less": fewer, "two-sided": 2 * min(more, fewer)}[alternative]
    _, found = run_test("permutation", row[np.newaxis], alternative, 1, n_resamples)
    assert 0.01 < p < 0.99
    assert found == pytest.approx([p], abs=4 * np.sqrt(2 * p * (1 - p) / n_resamples) * 2)


def exact_t(values: list[Fraction]) -> tuple[int, Fraction, bool]:
    """The sign of t, its square, and whether it is infinite."""
    n, mean = len(values), sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (n - 1)
    sign = (mean > 0) - (mean < 0)
    return sign, (mean * mean * n / variance if variance else Fraction(0)), bool(sign and not variance)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    "fifths", [(1, 1, 0, 0, 0), (2, 2, 2, 2), (1, -1, 2, -2), (3, 0, 0, 0), (1, 2, 3, 5), (-1, -1, 2, 1)]
)
def test_bootstrap_comes_to_the_exact_p_of_all_resamples(fifths: tuple[int, ...], alternative: str) -> None:
    """All n^n resamples of differences k/5, in fractions; one without spread is extreme unless its mean is 0."""
    values = [Fraction(k, 5) for k in fifths]
    mean = sum(values) / len(values)
    turn = -1 if alternative == "less" else 1

    def rank(values: list[Fraction]) -> tuple[bool | int, Fraction]:
        sign, squared, infinite = exact_t(values)
        sign = abs(sign) if alternative == "two-sided" else turn * sign
        return (sign * infinite, sign * squared)

    observed = rank(values)
    resamples = list(map(list, product([value - mean for value in values], repeat=len(values))))
    p = np.mean([exact_t(resample)[2] or rank(resample) >= observed for resample in resamples])
    row = np.array([fifths]) * 0.2  # with noise: 3 * 0.2 is not 0.6
    n_resamples = 40_000
    _, found = run_test("bootstrap", row, alternative, 1, n_resamples)
    assert found[0] == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / n_resamples) + 1 / n_resamples)


def test_bootstrap_draws_the_same_whatever_the_batch(
    differences: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run_test("bootstrap", differences, n_resamples=700)
    monkeypatch.setattr(paired_tests, "DRAWN", 1000)
    np.testing.assert_array_equal(run_test("bootstrap", differences, n_resamples=700), whole)
