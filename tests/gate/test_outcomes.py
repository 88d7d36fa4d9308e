"""Conditions of the gate against scipy and arithmetic by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from statsmodels.stats.power import TTestPower

from stdeval.errors import InputError
from stdeval.gate.conditions import Condition
from stdeval.gate.outcomes import Outcome, about_tests, about_unseen_losses, check
from stdeval.gate.scores import require_scores
from stdeval.stats.pairwise import Design

TOPICS = ["1", "2", "3", "4", "5", "6", "7"]
BEFORE = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3])
AFTER = np.array([0.2, 0.8, 0.6, 0.3, 0.45, 0.5, 0.1])


def test_min_shows_the_lowest_topics() -> None:
    outcome = check(Condition("min", "map", 0.5), "new", AFTER, TOPICS)
    assert not outcome.holds
    assert (str(outcome.condition), outcome.figures) == (
        "min map=0.5",
        "mean 0.4214 on 7 topics, expected at least 0.5",
    )
    lowest = "lowest on 7 (0.1000), 1 (0.2000), 4 (0.3000), 5 (0.4500), 6 (0.5000)"
    assert outcome.topics_in_words() == lowest


def test_a_failure_names_the_topics_that_lost_most() -> None:
    outcome = check(Condition("max-drop", "map", 0.1), "new", AFTER, TOPICS, BEFORE)
    assert not outcome.holds
    assert outcome.figures == "mean 0.4214, baseline 0.6000 on 7 topics, drop 0.1786, expected at most 0.1"
    assert (
        outcome.topics_in_words() == "lost most on 1 (-0.7000), 4 (-0.3000), 7 (-0.2000), 3 (-0.1000), 5 (-0.0500)"
    )


def test_min_with_a_baseline_names_what_was_lost_to_it() -> None:
    outcome = check(Condition("min", "map", 0.5), "new", AFTER, TOPICS, BEFORE)
    assert outcome.topics_in_words().startswith("lost most against the baseline on 1 (-0.7000)")


def test_what_holds_names_no_topics() -> None:
    outcome = check(Condition("max-drop", "map", 0.2), "new", AFTER, TOPICS, BEFORE)
    assert outcome.holds
    assert outcome.figures == "mean 0.4214, baseline 0.6000 on 7 topics, drop 0.1786, expected at most 0.2"
    assert outcome.topics_in_words() == ""


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


def test_not_worse_tells_what_was_drawn() -> None:
    design = Design(test="permutation", n_resamples=50, seed=4)
    outcome = check(Condition("not-worse", "map"), "new", AFTER, TOPICS, BEFORE, design)
    assert "(less); 50 resamples, seed 4); a t test finds" in outcome.figures


def test_the_same_scores_are_not_worse() -> None:
    assert check(Condition("not-worse", "map"), "new", AFTER, TOPICS, AFTER).holds
    assert check(Condition("max-drop", "map", 0.0), "new", AFTER, TOPICS, AFTER).holds


@pytest.mark.parametrize("kind", ["min", "max-drop"])
def test_rounding_errors_do_not_fail(kind: str) -> None:
    """0.1 + 0.2 is not 0.3, and 0.31 - 0.3 is not 0.01, in floating point."""
    scores, baseline = np.array([0.1, 0.2, 0.6]), np.array([0.11, 0.21, 0.61])
    limit = {"min": 0.3, "max-drop": 0.01}[kind]
    assert check(Condition(kind, "map", limit), "new", scores, TOPICS[:3], baseline).holds
    assert not check(Condition("min", "map", 0.3 + 1e-9), "new", scores, TOPICS[:3]).holds


def test_figures_do_not_hide_on_which_side_of_the_limit_they_are() -> None:
    outcome = check(Condition("min", "map", 0.3), "new", np.array([0.29999, 0.29999]), TOPICS[:2])
    assert outcome.figures == "mean 0.29999 on 2 topics, expected at least 0.3"


def test_missing_topics_are_left_out_on_both_sides() -> None:
    """Where the caller lets topics be missing: means of common topics."""
    after, before = AFTER.copy(), BEFORE.copy()
    after[0], before[1] = np.nan, np.nan
    outcome = check(Condition("max-drop", "map", 0.0), "new", after, TOPICS, before)
    assert f"mean {AFTER[2:].mean():.4f}, baseline {BEFORE[2:].mean():.4f}" in outcome.figures


NOTHING = np.full(3, np.nan)
ONE_IN_COMMON = np.array([0.3, np.nan, np.nan])


@pytest.mark.parametrize(
    ("kind", "scores", "baseline"),
    [
        ("min", NOTHING, None),
        ("max-drop", NOTHING, AFTER[:3]),
        ("max-drop", AFTER[:3], NOTHING),
        ("max-drop", AFTER[:3], None),
        ("not-worse", AFTER[:3], None),
        ("max-topic-drop", AFTER[:3], None),
        ("non-inferior", AFTER[:3], None),
        ("non-inferior", AFTER[:3], ONE_IN_COMMON),
        ("not-worse", AFTER[:3], ONE_IN_COMMON),
        ("not-worse", ONE_IN_COMMON, ONE_IN_COMMON),
    ],
)
def test_what_cannot_be_told_is_an_error(kind: str, scores: np.ndarray, baseline: np.ndarray | None) -> None:
    with pytest.raises(InputError):
        check(Condition(kind, "map", 0.0), "new", scores, TOPICS[:3], baseline)


def test_a_drop_in_percent_is_of_the_mean_of_the_baseline() -> None:
    """The exact drop is 0.4 - 0.35 = 12.5% of 0.4."""
    scores, before = np.array([0.25, 0.5, 0.3]), np.array([0.5, 0.5, 0.2])
    held, failed = (
        check(Condition("max-drop", "map", limit, percent=True), "new", scores, TOPICS[:3], before)
        for limit in (12.5, 12.4)
    )
    assert (held.holds, failed.holds) == (True, False)
    assert str(failed.condition) == "max-drop map=12.4%"
    assert (
        failed.figures == "mean 0.3500, baseline 0.4000 on 3 topics, drop 0.0500 (12.5000%), expected at most 12.4%"
    )
    assert failed.limit == pytest.approx(0.124 * 0.4)


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


def test_no_topic_may_lose_more() -> None:
    outcome = check(Condition("max-topic-drop", "map", 0.15), "new", AFTER, TOPICS, BEFORE)
    assert not outcome.holds
    assert outcome.figures == (
        "mean 0.4214, baseline 0.6000 on 7 topics, greatest drop 0.7000 on a topic, expected at most 0.15, "
        "3 of 7 topics lose more"
    )
    assert outcome.topics_in_words() == "lost more on 1 (-0.7000), 4 (-0.3000), 7 (-0.2000)"
    assert check(Condition("max-topic-drop", "map", 0.7), "new", AFTER, TOPICS, BEFORE).holds


def test_one_topic_loses_more() -> None:
    outcome = check(Condition("max-topic-drop", "map", 0.5), "new", AFTER, TOPICS, BEFORE)
    assert outcome.figures.endswith(", 1 of 7 topics loses more")


def test_topics_that_are_not_shown_are_counted() -> None:
    outcome = check(Condition("max-topic-drop", "map", 0), "new", np.zeros(7), TOPICS, BEFORE)
    assert outcome.topics_in_words().endswith(", 5 (-0.5000) and 2 more")
    assert outcome.topics_in_words(n_shown=None).endswith(", 5 (-0.5000), 6 (-0.4000), 7 (-0.3000)")


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        (Condition("max-drop", "dcg", 5), "the mean of the baseline is 5.0000"),
        (Condition("non-inferior", "dcg", 5.5), "the mean of the baseline is 5.0000"),
        (Condition("max-topic-drop", "dcg", 8), "the greatest score of the baseline is 8.0000"),
    ],
    ids=str,
)
def test_a_limit_that_a_run_without_relevant_documents_would_keep_is_refused(condition: Condition, found: str):
    before, nothing = np.array([2.0, 5.0, 8.0]), np.zeros(3)
    with pytest.raises(InputError, match=f"{found}, and no run can lose more, expected a limit below that$"):
        check(condition, "new", nothing, ["1", "2", "3"], before)
    below = replace(condition, limit=condition.limit - 1)
    assert check(below, "new", nothing, ["1", "2", "3"], before).holds is False
    for scheme in ("Z", "U"):
        assert check(replace(condition, measure=f"{scheme}dcg"), "new", before, ["1", "2", "3"], before).holds


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=9), st.integers(0, 20))
def test_topics_that_lose_more_are_those_of_exact_arithmetic(pairs: list[tuple[int, int]], limit: int) -> None:
    scores, before = (np.array(column) / 20 for column in zip(*pairs, strict=True))
    topics = [str(i) for i in range(len(pairs))]
    assume(limit < max(b for _, b in pairs))
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


def test_a_lower_bound_of_0_is_printed_with_a_decimal() -> None:
    """A difference that does not vary is its own lower bound."""
    outcome = check(Condition("non-inferior", "map", 1e-9), "new", BEFORE, TOPICS, BEFORE)
    assert "lower bound 0.0, expected above -0.000000001" in outcome.figures


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


def test_differences_that_do_not_vary_tell_no_power() -> None:
    outcome = check(Condition("not-worse", "map"), "new", BEFORE, TOPICS, BEFORE)
    assert np.isnan(outcome.detectable)
    assert "power" not in outcome.figures


def test_require_scores() -> None:
    require_scores(AFTER, TOPICS, "new", "map")
    with pytest.raises(InputError, match=r"'new' has no map for 2 of 3 topics \(e.g. '2'\), expected it for all"):
        require_scores(ONE_IN_COMMON, TOPICS[:3], "new", "map")


# Scores in whole billionths, and limits in whole millionths: noise, which does not decide, is much smaller.
billionths = st.floats(0, 1).map(lambda score: round(score, 9))
two_runs = hnp.arrays(float, st.tuples(st.just(2), st.integers(2, 9)), elements=billionths)


@given(two_runs, st.integers(0, 10**6).map(lambda millionths: millionths / 10**6))
def test_conditions_hold_exactly_when_the_means_say_so(scores: np.ndarray, limit: float) -> None:
    topics = [str(i) for i in range(scores.shape[1])]
    mean, before = (sum(row.tolist()) / scores.shape[1] for row in scores)
    assert check(Condition("min", "map", limit), "new", scores[0], topics).holds == (mean >= limit - 1e-12)
    if limit >= before - 1e-12:
        with pytest.raises(InputError, match="no run can lose more"):
            check(Condition("max-drop", "map", limit), "new", *scores[:1], topics, scores[1])
        return
    drop = check(Condition("max-drop", "map", limit), "new", *scores[:1], topics, scores[1])
    assert drop.holds == (before - mean <= limit + 1e-12)
    assert drop.holds == (drop.topics == ())


@pytest.mark.parametrize("tiny", [1e-13, 1.2e-38, 1e-280])
def test_tiny_scores_are_not_noise(tiny: float) -> None:
    """Numbers are rounded to 12 digits of the largest score, however small that is."""
    topics = ["1", "2"]
    scores, half, zeros = np.full(2, tiny), np.array([tiny, 0]), np.zeros(2)
    none_lost = Condition("max-drop", "map", 0.0)
    assert check(none_lost, "new", scores, topics, scores).holds
    assert not check(none_lost, "new", half, topics, scores).holds
    assert check(none_lost, "new", scores, topics, half).holds
    with pytest.raises(InputError, match="no run can lose more"):
        check(none_lost, "new", scores, topics, zeros)


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


@pytest.mark.parametrize("sign", [1, -1])
def test_a_drop_that_is_only_noise_is_printed_as_0(sign: int) -> None:
    """The three scores of both runs are equal on paper, and their means differ by a rounding error."""
    scores, before = np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.2, 0.1]) + sign * 2e-16
    assert scores.mean() != before.mean()
    for kind, words in (
        ("max-drop", "drop 0.0000, expected at most 0"),
        ("max-topic-drop", "on a topic, expected at most 0.2"),
    ):
        limit = 0.2 if kind == "max-topic-drop" else 0.0
        outcome = check(Condition(kind, "map", limit), "new", scores, TOPICS[:3], before)
        assert outcome.holds
        assert words in outcome.figures
        assert "-0." not in outcome.figures


def test_a_small_drop_that_is_not_noise_is_printed() -> None:
    scores = np.full(3, 0.25)
    outcome = check(Condition("max-drop", "map", 0.0), "new", scores, TOPICS[:3], scores + 1e-10)
    assert not outcome.holds
    assert "drop 0.0000000001, expected at most 0" in outcome.figures


TIED = {"4 losses": -0.1, "4 wins": 0.1, "no difference": 0.0}


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "permutation"])
@pytest.mark.parametrize("name", TIED)
def test_a_loss_that_no_test_can_find_among_ties_is_refused(name: str, test: str) -> None:
    """Of 60 topics 4 differ: one-tailed p is .0625 at least, as with 4 topics in all."""
    before = np.linspace(0.2, 0.8, 60)
    scores = before + TIED[name] * (np.arange(60) < 4)
    compared = ([str(t) for t in range(60)], before, Design(test))
    if TIED[name] >= 0:
        assert check(Condition("not-worse", "map"), "new", scores, *compared).holds
        return
    told = rf"4 of 60 topics differ, and with so few the {test} test gives no p below 0.0625"
    with pytest.raises(InputError, match=told):
        check(Condition("not-worse", "map"), "new", scores, *compared)
    scores[4] -= 0.1
    outcome = check(Condition("not-worse", "map"), "new", scores, *compared)
    assert not outcome.holds


def test_a_loss_that_the_t_test_cannot_find_is_refused() -> None:
    """The t of two losses among 50 topics is at most that of equal losses; three can be significant."""
    before = np.full(50, 0.9)
    compared = ([str(t) for t in range(50)], before, Design("t"))
    two, three = (before - np.array([0.8, 0.7, 0.75] + [0.0] * 47) * (np.arange(50) < k) for k in (2, 3))
    told = r"2 of 50 topics differ, and with so few the t test gives no p below 0\.0797"
    with pytest.raises(InputError, match=told):
        check(Condition("not-worse", "map"), "new", two, *compared)
    assert not check(Condition("not-worse", "map"), "new", three, *compared).holds
    assert check(Condition("not-worse", "map"), "new", before + (before - two) / 10, *compared).holds


def test_a_loss_that_the_bootstrap_cannot_find_is_refused() -> None:
    """Half of the resamples of two topics repeat one of them, and are as extreme as any."""
    scores, before = np.array([0.0, 0.1]), np.array([0.9, 1.05])
    told = "2 of 2 topics differ, and with so few the bootstrap test gives no p below 0.5"
    with pytest.raises(InputError, match=told):
        check(Condition("not-worse", "map"), "a", scores, ["1", "2"], before, Design("bootstrap"))


def test_a_detectable_loss_is_told_only_where_four_decimals_show_it() -> None:
    before = np.linspace(0.2, 0.8, 60)
    scores = before + np.where(np.arange(60) % 2, 1e-6, -1e-6)
    topics = [str(t) for t in range(60)]
    assert "power" not in check(Condition("not-worse", "map"), "new", scores, topics, before).figures


def test_a_percentage_is_true_or_false() -> None:
    with pytest.raises(InputError, match="percent 'no' of max-drop, expected True or False"):
        Condition("max-drop", "map", 5, percent="no")  # type: ignore[arg-type]


def test_no_percentage_of_a_mean_of_zero() -> None:
    scores = np.array([0.25, 0.5])
    with pytest.raises(InputError, match="the mean of the baseline is 0"):
        check(Condition("max-drop", "map", 2, percent=True), "a", scores, ["1", "2"], np.zeros(2))


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
    assert (outcome.holds, outcome.unseen) == (True, pytest.approx(exact))
    differ = (
        ("no topic differs", "1 topic differs")[n_different] if n_different < 2 else f"{n_different} topics differ"
    )
    assert outcome.figures.endswith(f"; {differ}; a loss on up to {100 * exact:.2g}% of topics is not ruled out")
    assert next(about_unseen_losses([outcome])).startswith(
        "non-inferior success_10=0.05 of 'new' holds because (nearly) all of"
    )


def test_non_inferior_tells_what_the_same_loss_on_each_of_few_topics_does_not_rule_out() -> None:
    """The bound is the loss itself, however few topics show it."""
    before = np.array([0.5, 0.9])
    outcome = check(Condition("non-inferior", "map", 0.15), "new", before - 0.1, ["1", "2"], before)
    exact = 1 - 0.05**0.5
    assert (outcome.holds, outcome.value, outcome.unseen) == (True, pytest.approx(-0.1), pytest.approx(exact))
    assert outcome.figures.endswith(
        "; no topic has another difference than -0.1; a greater loss on up to 78% of topics is not ruled out"
    )
    told = "non-inferior map=0.15 of 'new' holds because (nearly) all of 2 topics have the same difference"
    assert next(about_unseen_losses([outcome])).startswith(told)
    other = check(Condition("non-inferior", "map", 0.65), "new", before - [0.1, 0.2], ["1", "2"], before)
    assert np.isnan(other.unseen)


def test_what_a_loss_leaves_of_the_margin_is_compared_with_the_share_of_unseen_topics() -> None:
    before = np.linspace(0.2, 0.9, 100)
    topics = [f"t{i}" for i in range(100)]
    outcomes = [
        check(Condition("non-inferior", "map", margin), "new", before - 0.1, topics, before)
        for margin in (0.12, 0.14)
    ]
    assert [not list(about_unseen_losses([outcome])) for outcome in outcomes] == [False, True]


def test_non_inferior_of_differing_scores_tells_nothing_of_the_kind() -> None:
    outcome = check(Condition("non-inferior", "map", 0.5), "new", AFTER, TOPICS, BEFORE)
    assert np.isnan(outcome.unseen)
    assert outcome.figures.endswith("interval)")
    assert not list(about_unseen_losses([outcome]))


def test_a_test_that_misses_even_the_loss_of_everything_is_told() -> None:
    before, after = np.array([0.1416, 0.062]), np.array([0.0142, 0.0558])
    outcome = check(Condition("not-worse", "map"), "new", after, ["1", "2"], before)
    assert outcome.holds
    assert outcome.detectable > before.mean()
    so = "the test often misses even a loss of the baseline's whole mean, 0.1018; use more topics"
    told = f"not-worse map of 'new' holds, but with such scores on 2 topics {so}"
    assert list(about_unseen_losses([outcome])) == [told]
    enough = check(Condition("not-worse", "map"), "new", AFTER, TOPICS, BEFORE)
    assert list(about_unseen_losses([enough])) == []
    unbounded = check(Condition("not-worse", "Zmap"), "new", after, ["1", "2"], before)
    assert list(about_unseen_losses([unbounded])) == []


def test_a_baseline_that_finds_next_to_nothing_is_told() -> None:
    """One chance hit on 50 topics, as among docnos of another collection."""
    topics = [str(topic) for topic in range(50)]
    nearly_nothing, found = np.append(0.06, np.zeros(49)), np.linspace(0, 0.1, 50)
    outcome = check(Condition("max-drop", "map", 5, percent=True), "new", found, topics, nearly_nothing)
    less = "0.0012, is less than a tenth of the run's: was it evaluated with these judgments?"
    told = f"max-drop map=5% of 'new' holds, but the mean of the baseline, {less}"
    assert list(about_unseen_losses([outcome])) == [told]
    weaker = check(Condition("max-drop", "map", 5, percent=True), "new", found / 10, topics, nearly_nothing)
    assert list(about_unseen_losses([weaker])) == []
    for measure in ("Nmap", "num_nonrel_judged_ret", "loss"):
        other = check(Condition("max-drop", measure, 0.001), "new", found, topics, nearly_nothing)
        assert list(about_unseen_losses([other])) == []
    floor = check(Condition("min", "map", 0.01), "new", found, topics, nearly_nothing)
    assert list(about_unseen_losses([floor])) == []


def test_a_share_below_the_margin_is_no_warning() -> None:
    topics = [str(i) for i in range(1000)]
    same = check(Condition("non-inferior", "map", 0.01), "new", np.ones(1000), topics, np.ones(1000))
    assert same.unseen == pytest.approx(1 - 0.05 ** (1 / 1000))
    assert not list(about_unseen_losses([same]))


def test_a_limit_above_the_mean_can_fail_where_scores_are_below_0():
    """By utility a run of many documents that are not relevant may be at -990."""
    topics, before = ["1", "2"], np.array([-80.0, -99.0])
    limit = Condition("max-drop", "utility", 2.0)
    assert check(limit, "new", before - 1, topics, before).holds
    assert not check(limit, "new", before - 3, topics, before).holds


def outcomes_of(losses: list[float]) -> list[Outcome]:
    """The outcomes of systems that lose so much on average, all with the same standard deviation."""
    spread = np.linspace(-0.3, 0.3, len(TOPICS))
    return [
        check(Condition("not-worse", "map"), f"run{i}", BEFORE + spread - loss, TOPICS, BEFORE)
        for i, loss in enumerate(losses)
    ]


def test_failures_that_may_be_due_to_the_number_of_tests_are_told() -> None:
    outcomes = outcomes_of([0.2, *[0.0] * 5])
    assert [outcome.holds for outcome in outcomes] == [False, *[True] * 5]
    (told,) = about_tests(outcomes, Design())
    assert told == (
        "not-worse map of 'run0' fails at alpha 0.05, but not at alpha 0.05 / 6: of 6 tests of runs as good as the "
        f"baseline, one or more fail with a probability of up to {1 - 0.95**6:.0%}"
    )
    assert list(about_tests(outcomes[:4], Design())) == []
    assert list(about_tests(outcomes_of([0.9, *[0.0] * 5]), Design())) == []


def test_failures_of_equal_differences_on_a_few_topics_are_told() -> None:
    def failed(n: int) -> Outcome:
        return check(Condition("not-worse", "map"), "new", np.full(n, 0.25), TOPICS[:n], np.full(n, 0.5))

    (told,) = about_tests([failed(2)], Design())
    assert told.startswith(
        "not-worse map of 'new' fails because the difference is the same on all of 2 topics: p is"
    )
    assert list(about_tests([failed(5)], Design())) == []


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
