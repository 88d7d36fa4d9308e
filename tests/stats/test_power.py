"""Powers, effects and numbers of topics against statsmodels, scipy.stats, published tables and simulation."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.power import FTestAnovaPower, TTestPower

from stdeval.stats.power import (
    MOST_TOPICS,
    anova_power,
    detectable_effect,
    expected_width,
    t_power,
    topics_for_effect,
    topics_for_width,
)

pytestmark = pytest.mark.oracle

two_tailed = partial(t_power, alpha=0.05)


def one_tailed(alpha: float):
    return partial(t_power, alpha=alpha, one_tailed=True)


def two_sided_power(effect: float, n: int, alpha: float) -> float:
    """By statsmodels; where it has NaN, because the wrong tail is below 1e-15, without this tail."""
    power = TTestPower().power(effect, n, alpha, alternative="two-sided")
    return TTestPower().power(effect, n, alpha / 2, alternative="larger") if np.isnan(power) else power


@pytest.mark.parametrize("n", [2, 3, 5, 10, 50, 249, 10_000])
@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.05, 0.2])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_detectable_effect_has_the_power_asked_for(n: int, alpha: float, power: float) -> None:
    """By statsmodels, and by the noncentral t distribution of scipy.stats."""
    effect = detectable_effect(n, one_tailed(alpha), power)
    assert TTestPower().power(effect, n, alpha, alternative="larger") == pytest.approx(power, abs=1e-6)
    critical = scipy.stats.t.ppf(1 - alpha, n - 1)
    assert scipy.stats.nct.sf(critical, n - 1, effect * n**0.5) == pytest.approx(power, abs=1e-9)
    both = detectable_effect(n, partial(t_power, alpha=alpha), power)
    assert two_sided_power(both, n, alpha) == pytest.approx(power, abs=1e-6)


@pytest.mark.parametrize("effect", [0.05, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("n", [2, 5, 50, 1000])
@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.5])
def test_powers_are_those_of_statsmodels(effect: float, n: int, alpha: float) -> None:
    assert t_power(effect, n, alpha) == pytest.approx(two_sided_power(effect, n, alpha), abs=1e-6)
    for n_systems in (2, 3, 10, 100):
        # f is the standard deviation of the means: two at +-effect / 2, the others at 0
        f = effect / math.sqrt(2 * n_systems)
        expected = FTestAnovaPower().power(f, n * n_systems, alpha, k_groups=n_systems)
        assert anova_power(effect, n, alpha, n_systems) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("effect", [0.02, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.99])
def test_the_topics_needed_are_those_of_statsmodels_rounded_up(effect: float, power: float) -> None:
    expected = TTestPower().solve_power(effect, alpha=0.05, power=power)
    assert topics_for_effect(effect, two_tailed, power) == math.ceil(expected)
    f = effect / math.sqrt(2 * 4)
    expected = FTestAnovaPower().solve_power(f, alpha=0.05, power=power, k_groups=4) / 4
    assert topics_for_effect(effect, partial(anova_power, alpha=0.05, n_systems=4), power) == math.ceil(expected)


def test_cohens_table() -> None:
    # Cohen 1988, table 2.4.1 (two-tailed, .05, power .80): d = .50 needs 64 in each of two groups
    assert topics_for_effect(0.5, partial(anova_power, alpha=0.05, n_systems=2)) == 64


def test_two_systems_on_the_same_topics_are_a_paired_t_test() -> None:
    """The differences of two systems have sqrt(2) times the standard deviation of their interaction with topics."""
    for effect, n in ((0.2, 8), (0.7, 30), (1.5, 5)):
        paired = t_power(effect / math.sqrt(2), n, 0.05)
        assert anova_power(effect, n, 0.05, 2, same_topics=True) == pytest.approx(paired, abs=1e-9)


@pytest.mark.parametrize("n", [2, 7, 50, 1234])
def test_topics_and_effects_are_inverse(n: int) -> None:
    for power_of in (two_tailed, one_tailed(0.01), partial(anova_power, alpha=0.05, n_systems=7)):
        effect = detectable_effect(n, power_of)
        assert topics_for_effect(effect, power_of) == n
        assert topics_for_effect(effect * (1 - 1e-6), power_of) == n + 1


def test_anova_finds_effects_in_four_of_five_simulated_tests() -> None:
    """The effects of four systems on the same topics, which differ a lot."""
    rng, n, n_trials = np.random.default_rng(4), 6, 20_000
    effect = detectable_effect(n, partial(anova_power, alpha=0.05, n_systems=4, same_topics=True))
    scores = rng.normal(np.array([-effect / 2, 0, 0, effect / 2])[:, None, None], 1, (4, n, n_trials))
    scores += rng.normal(0, 5, (1, n, n_trials))
    between = n * scores.mean(axis=1).var(axis=0, ddof=1)
    centred = scores - scores.mean(axis=0)
    error = np.sum((centred - centred.mean(axis=1, keepdims=True)) ** 2, axis=(0, 1)) / (3 * (n - 1))
    pvalues = scipy.stats.f.sf(between / error, 3, 3 * (n - 1))
    assert np.mean(pvalues <= 0.05) == pytest.approx(0.8, abs=0.01)


def test_the_expected_width_in_closed_form() -> None:
    """The expectation of a sample standard deviation is known for two and three scores."""
    t1, t2 = scipy.stats.t.ppf(0.975, [1, 2])
    assert expected_width(2, 0.95) == pytest.approx(2 * t1 * math.sqrt(2 / math.pi) / math.sqrt(2))
    assert expected_width(3, 0.95) == pytest.approx(2 * t2 * math.sqrt(math.pi) / 2 / math.sqrt(3))


@pytest.mark.parametrize("width", [0.05, 0.5, 2.0])
def test_the_topics_for_a_width_are_the_fewest(width: float) -> None:
    n = topics_for_width(width, 0.95)
    assert n is not None
    assert expected_width(n, 0.95) <= width < expected_width(n - 1, 0.95)
    assert topics_for_width(expected_width(n, 0.95), 0.95) == n


def test_where_effects_and_topics_end() -> None:
    assert detectable_effect(10, one_tailed(0.9)) == 0
    # scipy has no noncentral t for a critical value of 3e11
    assert np.isnan(detectable_effect(2, one_tailed(1e-12)))
    assert topics_for_effect(0.0, two_tailed) is None
    assert topics_for_effect(1e-5, two_tailed) is None
    assert topics_for_effect(1e12, two_tailed) == 2
    assert topics_for_effect(1e200, partial(anova_power, alpha=0.05, n_systems=5)) == 2
    assert topics_for_width(1e-9, 0.95) is None
    effect = detectable_effect(MOST_TOPICS, two_tailed)
    assert topics_for_effect(effect, two_tailed) == MOST_TOPICS
