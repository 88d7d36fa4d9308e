"""Conditions of the gate against scipy and arithmetic by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stdeval.errors import InputError
from stdeval.gate import Condition, check, require_scores
from stdeval.stats.pairwise import Design

TOPICS = ["1", "2", "3", "4", "5", "6", "7"]
BEFORE = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3])
AFTER = np.array([0.2, 0.8, 0.6, 0.3, 0.45, 0.5, 0.1])


def test_min_shows_the_lowest_topics() -> None:
    outcome = check(Condition("min", "map", 0.5), "new", AFTER, TOPICS)
    assert str(outcome) == (
        "FAIL\tnew\tmin map=0.5\tmean 0.4214, at least 0.5\t"
        "lowest on 7 (0.1000), 1 (0.2000), 4 (0.3000), 5 (0.4500), 6 (0.5000)"
    )


def test_a_failure_names_the_topics_that_lost_most() -> None:
    outcome = check(Condition("max-drop", "map", 0.1), "new", AFTER, TOPICS, BEFORE)
    assert not outcome.holds
    assert outcome.figures == "mean 0.4214, baseline 0.6000, drop 0.1786, at most 0.1"
    assert outcome.topics == "lost most on 1 (-0.7000), 4 (-0.3000), 7 (-0.2000), 3 (-0.1000), 5 (-0.0500)"


def test_min_with_a_baseline_names_what_was_lost_to_it() -> None:
    assert "lost most on 1 (-0.7000)" in check(Condition("min", "map", 0.5), "new", AFTER, TOPICS, BEFORE).topics


def test_what_holds_names_no_topics() -> None:
    assert str(check(Condition("max-drop", "map", 0.2), "new", AFTER, TOPICS, BEFORE)) == (
        "PASS\tnew\tmax-drop map=0.2\tmean 0.4214, baseline 0.6000, drop 0.1786, at most 0.2"
    )


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
        outcome = check(Condition("not-worse", "map", alpha), "new", AFTER, TOPICS, BEFORE, Design(test=name))
        assert outcome.holds == (expected >= alpha)
        assert f"p {expected:.3g}," in outcome.figures
        assert "paired, one-tailed (less)" in outcome.figures


def test_not_worse_tells_what_was_drawn() -> None:
    design = Design(test="permutation", n_resamples=50, seed=4)
    outcome = check(Condition("not-worse", "map", 0.05), "new", AFTER, TOPICS, BEFORE, design)
    assert outcome.figures.endswith("(less); 50 resamples, seed 4)")


def test_the_same_scores_are_not_worse() -> None:
    assert check(Condition("not-worse", "map", 0.05), "new", AFTER, TOPICS, AFTER).holds
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
    assert outcome.figures == "mean 0.29999, at least 0.3"


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
        ("not-worse", AFTER[:3], ONE_IN_COMMON),
    ],
)
def test_what_cannot_be_told_is_an_error(kind: str, scores: np.ndarray, baseline: np.ndarray | None) -> None:
    with pytest.raises(InputError):
        check(Condition(kind, "map", 0.0), "new", scores, TOPICS[:3], baseline)


def test_require_scores() -> None:
    require_scores(AFTER, TOPICS, "new", "map")
    with pytest.raises(InputError, match=r"'new' has no map for 2 of 3 topics \(e.g. '2'\), expected it for all"):
        require_scores(ONE_IN_COMMON, TOPICS[:3], "new", "map")


two_runs = hnp.arrays(float, st.tuples(st.just(2), st.integers(2, 9)), elements=st.floats(0, 1))


@given(two_runs, st.floats(0, 1))
def test_conditions_hold_exactly_when_the_means_say_so(scores: np.ndarray, limit: float) -> None:
    topics = [str(i) for i in range(scores.shape[1])]
    mean, before = (sum(row.tolist()) / scores.shape[1] for row in scores)
    assert check(Condition("min", "map", limit), "new", scores[0], topics).holds == (mean >= limit - 1e-12)
    drop = check(Condition("max-drop", "map", limit), "new", *scores[:1], topics, scores[1])
    assert drop.holds == (before - mean <= limit + 1e-12)
    assert drop.holds == (drop.topics == "")


def test_a_p_equal_to_alpha_fails_and_noise_does_not() -> None:
    """Five losses of five by the sign test: the one-tailed p is 1 / 32."""
    topics = ["1", "2", "3", "4", "5"]
    worse, better = np.array([0.1, 0.1, 0.3, 0.7, 0.2]), np.array([0.2, 0.4, 0.6, 0.8, 1.0])
    sign = Design(test="sign")
    for alpha, holds in ((1 / 32, False), (1 / 33, True)):
        assert check(Condition("not-worse", "map", alpha), "a", worse, topics, better, sign).holds is holds
    noisy = np.array([0.1 + 0.2, 0.6 - 0.3, 0.7 - 0.4])
    assert check(Condition("min", "map", 0.3), "a", noisy, topics[:3]).holds
    assert not check(Condition("min", "map", 0.3 + 1e-11), "a", noisy, topics[:3]).holds
