"""Conditions of the gate against scipy and arithmetic by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

from stdeval.errors import InputError
from stdeval.gate import Condition, check
from stdeval.stats.pairwise import Design

TOPICS = ["1", "2", "3", "4", "5", "6", "7"]
BEFORE = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3])
AFTER = np.array([0.2, 0.8, 0.6, 0.3, 0.45, 0.5, 0.1])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("t", scipy.stats.ttest_rel(AFTER, BEFORE, alternative="less").pvalue),
        (
            "wilcoxon",
            scipy.stats.wilcoxon(AFTER[AFTER != BEFORE] - BEFORE[AFTER != BEFORE], alternative="less").pvalue,
        ),
        ("sign", scipy.stats.binomtest(1, 6, alternative="less").pvalue),
    ],
)
def test_not_worse_is_one_tailed(name: str, expected: float) -> None:
    for alpha in (expected * 0.999, expected * 1.001):
        outcome = check(Condition("not-worse", "map", alpha=alpha), "new", AFTER, TOPICS, BEFORE, Design(test=name))
        assert outcome.holds == (expected >= alpha)
        digits = 3 if (float(f"{expected:.3g}") > alpha) == outcome.holds else 4
        assert f" p {expected:.{digits}g}," in outcome.figures
        assert (float(f"{expected:.{digits}g}") > alpha) == outcome.holds
        assert "paired, one-tailed (less)" in outcome.figures


@pytest.mark.parametrize(
    ("kind", "scores", "figures"),
    [
        ("max-drop", [0.5, 0.75], "gain 0.2500, expected a drop of at most 0.1"),
        ("max-drop", [0.5, 0.25], "drop 0.0000, expected at most 0.1"),
        ("max-topic-drop", [0.5, 0.6], "least gain 0.1000 on a topic, expected a drop of at most 0.1"),
    ],
)
def test_a_negative_drop_is_called_a_gain(kind: str, scores: list[float], figures: str) -> None:
    outcome = check(Condition(kind, "map", 0.1), "new", np.array(scores), TOPICS, np.array([0.25, 0.5]))
    assert figures in outcome.figures
    assert outcome.value <= 0


@pytest.mark.parametrize(
    ("condition", "scores", "before", "figures"),
    [
        (Condition("min", "map", 0.3), [0.29999, 0.29999], None, "mean 0.29999 on 2 topics, expected at least 0.3"),
        (Condition("max-drop", "map", 0), [0.25] * 2, [0.25 + 1e-10] * 2, "drop 0.0000000001, expected at most 0"),
        (Condition("max-drop", "map", 12.4, percent=True), [0.25, 0.5, 0.3], [0.5, 0.5, 0.2], "0.0500 (12.5000%)"),
        (Condition("max-drop", "utility", 2.0), [-83.0, -102.0], [-80.0, -99.0], "drop 3.0000"),
        (Condition("max-topic-drop", "map", 0.5), [0.1, 0.5], [0.9, 0.5], ", 1 of 2 topics loses more"),
        (Condition("non-inferior", "map", 1e-9), [0.9, 0.8], [0.9, 0.8], "bound 0.0, expected above -0.000000001"),
    ],
)
def test_figures_show_on_which_side_of_the_limit_they_are(condition, scores, before, figures: str) -> None:
    baseline = None if before is None else np.array(before)
    outcome = check(condition, "new", np.array(scores), TOPICS, baseline)
    assert figures in outcome.figures
    assert outcome.holds == (condition.kind == "non-inferior")


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=9), st.integers(0, 100))
def test_a_drop_in_percent_is_decided_as_with_fractions(pairs: list[tuple[int, int]], percent: int) -> None:
    scores, before = (np.array(column) / 20 for column in zip(*pairs, strict=True))
    topics = [str(i) for i in range(len(pairs))]
    condition = Condition("max-drop", "map", percent, percent=True)
    total, total_before = (sum(column) for column in zip(*pairs, strict=True))
    if total_before == 0:
        with pytest.raises(InputError, match=r"the mean of the baseline is 0.0000, expected one above 0"):
            check(condition, "new", scores, topics, before)
        return
    holds = Fraction(total_before - total, total_before) <= Fraction(percent, 100)
    assert check(condition, "new", scores, topics, before).holds == holds


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=9), st.integers(0, 20))
def test_topics_that_lose_more_are_those_of_exact_arithmetic(pairs: list[tuple[int, int]], limit: int) -> None:
    scores, before = (np.array(column) / 20 for column in zip(*pairs, strict=True))
    topics = [str(i) for i in range(len(pairs))]
    outcome = check(Condition("max-topic-drop", "map", limit / 20), "new", scores, topics, before)
    expected = {topic for topic, (a, b) in zip(topics, pairs, strict=True) if b - a > limit}
    assert {topic for topic, _ in outcome.topics} == expected
    assert outcome.holds == (not expected)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2, 0.4])
def test_non_inferior_holds_above_the_lower_bound_of_scipy(alpha: float) -> None:
    test = scipy.stats.ttest_rel(AFTER, BEFORE, alternative="greater")
    bound = test.confidence_interval(1 - alpha).low
    for margin, holds in ((-bound * 1.001, True), (-bound * 0.999, False)):
        outcome = check(Condition("non-inferior", "map", margin, alpha=alpha), "new", AFTER, TOPICS, BEFORE)
        assert outcome.holds == holds
        assert outcome.value == pytest.approx(bound)
        assert f"one-sided {100 - 100 * alpha:g}% interval)" in outcome.figures
        # The same decision by Student's test of the differences against the margin.
        shifted = scipy.stats.ttest_1samp(AFTER - BEFORE, -margin, alternative="greater")
        assert holds == (shifted.pvalue < alpha)


def test_a_lower_bound_at_the_margin_is_not_above_it() -> None:
    """Every topic loses exactly 0.1, as exact arithmetic has it, so the bound is -0.1."""
    assert not check(Condition("non-inferior", "map", 0.1), "new", BEFORE - 0.1, TOPICS, BEFORE).holds
    assert check(Condition("non-inferior", "map", 0.1001), "new", BEFORE - 0.1, TOPICS, BEFORE).holds


@pytest.mark.parametrize("alpha", [0.02, 0.05, 0.1])
@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_not_worse_tells_what_loss_it_could_have_found(alpha: float, test: str) -> None:
    """The loss in standard deviations is the effect size of statsmodels, which solves with a tolerance of 1e-6."""
    effect = TTestPower().solve_power(nobs=7, alpha=alpha, power=0.8, alternative="larger")
    condition = Condition("not-worse", "map", alpha=alpha)
    outcome = check(condition, "new", AFTER, TOPICS, BEFORE, Design(test=test))
    assert outcome.detectable == pytest.approx(effect * np.std(AFTER - BEFORE, ddof=1), rel=1e-5)
    shown = f"; a t test finds a loss of {outcome.detectable:.4f} with 80% power"
    assert outcome.figures.endswith(shown)


def test_a_p_equal_to_alpha_fails_and_noise_does_not() -> None:
    """Five losses of five by the sign test: the one-tailed p is 1 / 32."""
    topics = ["1", "2", "3", "4", "5"]
    worse, better = np.array([0.1, 0.1, 0.3, 0.7, 0.2]), np.array([0.2, 0.4, 0.6, 0.8, 1.0])
    sign = Design(test="sign")
    assert not check(Condition("not-worse", "map", alpha=1 / 32), "a", worse, topics, better, sign).holds
    with pytest.raises(InputError, match=r"with 5 topics the sign test gives no p below 0\.0312"):
        check(Condition("not-worse", "map", alpha=1 / 33), "a", worse, topics, better, sign)
    noisy = np.array([0.1 + 0.2, 0.6 - 0.3, 0.7 - 0.4])
    assert check(Condition("min", "map", 0.3), "a", noisy, topics[:3]).holds
    assert not check(Condition("min", "map", 0.3 + 1e-11), "a", noisy, topics[:3]).holds


@pytest.mark.parametrize(
    ("n_different", "n", "alpha"), [(0, 10, 0.05), (1, 10, 0.05), (0, 10, 0.1), (2, 50, 0.05), (9, 50, 0.05)]
)
def test_non_inferior_tells_what_equal_scores_do_not_rule_out(n_different: int, n: int, alpha: float) -> None:
    """The share of topics that differ, by the exact interval of scipy, if none or few of n do."""
    before = np.array([1.0, 0.0] * (n // 2))
    after = before + 0.1 * (np.arange(n) < n_different)
    topics = [f"t{i}" for i in range(n)]
    outcome = check(Condition("non-inferior", "success_10", 0.05, alpha=alpha), "new", after, topics, before)
    exact = scipy.stats.binomtest(n_different, n, alternative="less").proportion_ci(1 - alpha).high
    assert outcome.holds
    differ = {0: "no topic differs", 1: "1 topic differs"}.get(n_different, f"{n_different} topics differ")
    assert outcome.figures.endswith(f"; {differ}; a loss on up to {100 * exact:.2g}% of topics is not ruled out")


@pytest.mark.parametrize(("n_different", "told"), [(1, "1 topic differs"), (4, "4 topics differ"), (5, "")])
def test_a_test_on_few_different_topics_says_what_it_has_not_seen(n_different: int, told: str):
    """Of 40 topics. With k that differ, a loss on a larger share than the bound would show on more than k."""
    old = np.linspace(0.2, 0.6, 40)
    new = old.copy()
    new[:n_different] += np.array([0.3, -0.02, -0.1, 0.05, -0.04])[:n_different]
    topics = list(map(str, range(40)))
    figures = check(Condition("not-worse", "map"), "new", new, topics, old).figures
    unseen = scipy.stats.beta.ppf(0.95, n_different + 1, 40 - n_different)
    clause = f"; {told}; a loss on up to {100 * unseen:.2g}% of topics is not ruled out"
    assert (clause in figures) is bool(told)
    assert ("not ruled out" in figures) is bool(told)
    assert ("with 80% power" in figures) is not bool(told)
