"""Tests that cannot be significant, or that other tests contradict, from facts that are made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy

from stdeval.doubtful_scores.intervals import about_equal_scores
from stdeval.doubtful_scores.significance import (
    about_contradicted_means,
    about_equal_differences,
    about_few_differences,
    about_pairs,
    about_tukey,
    about_unpaired_topics,
    about_unreachable,
    about_unreachable_by_tukey,
)
from stdeval.stats.corrections import TukeyTest, tukey_test
from stdeval.stats.pairwise import Design, compare_systems
from stdeval.stats.significance import Comparison, compare, compare_unpaired
from stdeval.table import ScoreTable

NAN = float("nan")


def comparison(smallest: list[float], ties: list[int] | None = None) -> Comparison:
    """Comparisons on five topics, of which `ties` are without a difference, with the smallest p-values given."""
    n = len(smallest)
    facts = compare(np.zeros((n, 5)), np.ones((n, 5)))
    return replace(facts, ties=np.array(ties or [0] * n), smallest=np.array(smallest))


def told(*compared: tuple[Comparison, list[float]], design: Design | None = None) -> str:
    of_measures = {f"P_{n}": (facts, np.array(adjusted)) for n, (facts, adjusted) in enumerate(compared, 1)}
    return "".join(about_unreachable(of_measures, design or Design("sign"), 0.05))


def test_pairs_that_never_differ_and_pairs_without_p_do_not_count():
    assert told((comparison([0.5, 0.01], [5, 0]), [1.0, 0.02])) == ""
    assert told((comparison([0.5, 0.01]), [NAN, 0.02])) == ""
    one = "1 of 2 comparisons has too few topics with different scores for a p_adjusted of at most 0.05"
    assert told((comparison([0.5, 0.5, 0.5, 0.01], [5, 0, 0, 0]), [1.0, NAN, 1.0, 0.02])) == one


def test_a_pair_that_is_significant_can_be():
    assert told((comparison([0.06, 0.06]), [0.04, 0.9])).startswith("1 of 2 comparisons has ")
    assert told((comparison([0.06]), [0.05])) == ""


def test_pairs_are_counted_over_all_measures():
    measures = [(comparison([0.5, 0.01]), [1.0, 0.5]), (comparison([0.5, 0.5, 0.01]), [1.0, 1.0, 0.5])]
    assert told(*measures).startswith("3 of 5 comparisons have too few topics ")


@pytest.mark.parametrize(
    ("correction", "expected"),
    [("none", "more topics or another test"), ("holm", "fewer pairs, more topics or another correction")],
)
def test_the_smallest_p_of_all_is_told_with_what_can_be_done(correction: str, expected: str):
    measures = [(comparison([0.5, 0.25]), [1.0, 1.0]), (comparison([0.125, 0.5]), [1.0, 1.0])]
    message = told(*measures, design=Design("sign", correction=correction))
    assert message == f"the smallest possible p_adjusted is 0.125, above alpha 0.05: expected {expected}"


def test_measures_are_named_by_which_no_pair_can_be_significant():
    measures = [(comparison([0.5, 0.125]), [1.0, 1.0]), (comparison([0.01, 0.5]), [0.02, 1.0])]
    assert told(*measures).startswith("the smallest possible p_adjusted by P_1 is 0.125, above alpha 0.05: ")


def test_runs_that_never_differ_are_no_warning_of_tukey():
    pvalues = np.ones((2, 2))
    reachable = [TukeyTest(pvalues, np.zeros(9), 0.1), TukeyTest(pvalues, np.ones(9), 0.05)]
    assert list(about_unreachable_by_tukey(reachable, 0.05)) == []
    (message,) = about_unreachable_by_tukey([*reachable, TukeyTest(pvalues, np.ones(9), 0.1)], 0.05)
    assert message.startswith("the smallest possible p of Tukey's test is 0.1, above alpha 0.05: ")


def disagreements(scores: np.ndarray, n_resamples: int = 999) -> list[str]:
    return list(about_tukey([(scores, tukey_test(scores, np.random.default_rng(0), n_resamples))], 0.05))


def test_a_weak_run_hides_a_difference_from_tukeys_test_with_a_warning():
    rng = np.random.default_rng(3)
    topics = rng.uniform(0.5, 0.9, 40)
    alike = np.array([topics, topics + 0.02 + rng.normal(0, 0.01, 40)])
    hidden = (
        "1 of 3 comparisons is significant by the t test with the Bonferroni correction, but not by Tukey's test: "
        "Tukey's compares each with the range of all runs, so that a run unlike the others changes it"
    )
    assert disagreements(np.vstack([alike, np.zeros(40)])) == [hidden]
    assert disagreements(alike) == []
    # with so few resamples no pair can be significant, which is another warning
    assert disagreements(np.vstack([alike, np.zeros(40)]), n_resamples=9) == []


def test_a_varying_run_among_equal_ones_differs_by_tukeys_test_only_with_a_warning():
    rng = np.random.default_rng(1)
    equal = 0.5 + rng.normal(0, 0.001, (30, 12))
    varying = 0.5 + np.array([0.4, 0.45, -0.3, 0.4, 0.45, -0.3, 0.4, 0.3, -0.3, 0.2, 0.1, -0.1])
    told = disagreements(np.vstack([equal, varying]))
    assert [line.split(":")[0] for line in told] == [
        "30 of 465 comparisons are significant by Tukey's test, but not by the t test alone"
    ]


def told_of_equal(*tables: tuple[list[float], list[float]]) -> str:
    return "".join(about_equal_differences([compare(np.array([a]), np.array([b])) for a, b in tables], 0.05))


def test_a_t_test_of_few_equal_differences_is_doubtful():
    """From six differences on, all of one sign, a permutation test finds them significant, too."""
    equal = ([1.0] * 5, [0.0] * 5)
    doubt = "has the same difference on all topics (fewest: {}), so p is very small even for two topics"
    assert told_of_equal(([0.3, 0.6], [0.1, 0.4])).startswith("1 of 1 comparison " + doubt.format(2))
    assert told_of_equal(equal, ([0.5, 0.6], [0.1, 0.4])).startswith("1 of 2 comparisons " + doubt.format(5))
    assert told_of_equal(([1.0] * 6, [0.0] * 6), ([0.5, 0.5], [0.5, 0.5])) == ""


@pytest.mark.parametrize(("k", "is_told"), [(3, False), (4, True), (5, True), (6, False)])
def test_a_significant_t_test_of_few_topics_with_a_difference_is_doubtful(k: int, is_told: bool):
    """With 3 of 50 the t test cannot be significant, and with 6 a permutation test is, too."""
    a, b = np.zeros((1, 50)), np.zeros((1, 50))
    a[0, :k] = 1
    result = scipy.stats.permutation_test(
        (a[0] - b[0],), np.mean, permutation_type="samples", n_resamples=10_000, rng=np.random.default_rng(0)
    ).pvalue
    tested = compare(a, b)
    assert (bool(tested.pvalue[0] <= 0.05), bool(result <= 0.05)) == (k > 3, k > 5)
    told = "".join(about_few_differences([tested], 0.05))
    assert "".join(about_few_differences([compare(a[:, : k + 1], b[:, : k + 1] - 0.01)], 0.05)) == ""
    expected = f"1 of 1 comparison is significant although hardly any topic has a difference (fewest: {k}), too few"
    assert told.startswith(expected) if is_told else told == ""


@pytest.mark.parametrize(
    ("n", "spread", "is_told"), [(3, 1e-4, True), (5, 1e-4, True), (6, 1e-4, False), (5, 0.02, False)]
)
def test_nearly_equal_differences_of_few_topics_are_doubtful(n: int, spread: float, is_told: bool):
    """As equal differences of scores with four decimals."""
    a = np.linspace(0.2, 0.6, n)[np.newaxis]
    b = a + 0.1 + spread * np.resize([0, 1, 2], n)
    assert compare(a, b).pvalue[0] < 0.01
    told = "".join(about_equal_differences([compare(a, b)], 0.05))
    expected = f"1 of 1 comparison has nearly the same difference on all topics (fewest: {n}), so p is very small"
    assert told.startswith(expected) if is_told else told == ""


@pytest.mark.parametrize(("n_a", "n_b", "is_told"), [(2, 2, True), (3, 3, True), (4, 3, True), (4, 4, False)])
def test_an_unpaired_test_of_few_equal_scores_is_doubtful(n_a: int, n_b: int, is_told: bool):
    """As many topics are enough as a permutation test of them needs: 2 of 70 permutations of four and four."""
    a = np.repeat([[0.3, np.nan]], [n_a, n_b], axis=1)
    b = np.repeat([[np.nan, 0.2]], [n_a, n_b], axis=1)
    exact = scipy.stats.permutation_test(
        (a[0, :n_a], b[0, n_a:]), lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis), vectorized=True
    )
    assert (exact.pvalue > 0.05) == is_told
    told = "".join(about_equal_differences([compare_unpaired(a, b)], 0.05))
    expected = f"1 of 1 comparison has the same score by each run on all topics (fewest: {min(n_a, n_b)}), so p is"
    assert told.startswith(expected) if is_told else told == ""


@pytest.mark.parametrize(("test", "p"), [("sign", 0.01), ("wilcoxon", 0.01), ("t", 0.01), ("sign", 0.2)])
def test_a_test_of_signs_that_contradicts_the_means_is_told(test: str, p: float):
    """The first wins eight of ten topics by a little, and loses two by much."""
    a, b = np.full((1, 10), 0.5), np.array([[0.49] * 8 + [0.9] * 2])
    compared = {"map": (compare(a, b, test), np.array([p]))}
    contradicted = list(about_contradicted_means(compared, Design(test), 0.05))
    if test == "t" or p > 0.05:
        assert contradicted == []
        return
    assert contradicted == [
        f"1 of 1 comparison is significant by the {test} test, although the run with the worse mean wins more "
        "topics: the test is not about means"
    ]
    agreeing = {"map": (compare(a, b - 0.2, test), np.array([p]))}
    assert list(about_contradicted_means(agreeing, Design(test), 0.05)) == []


@pytest.mark.parametrize(("test", "is_told"), [("t", True), ("bootstrap", True), ("sign", False)])
def test_equal_differences_of_few_topics_are_told_of_tests_that_divide_by_their_spread(test: str, is_told: bool):
    comparison = compare(np.array([[0.3, 0.6]]), np.array([[0.1, 0.4]]), test, rng=np.random.default_rng(0))
    compared = {"map": (comparison, np.array([0.001]))}
    told = "the same difference on all topics" in "".join(about_pairs(compared, Design(test), 0.05))
    assert told == is_told


def near_alpha(differences: np.ndarray, design: Design, alpha: float) -> list[str]:
    comparison, adjusted = compare_systems(
        np.stack([differences, np.zeros(len(differences))]), FIRST, SECOND, design
    )
    told = about_pairs({"map": (comparison, adjusted)}, design, alpha)
    return [message for message in told if "another seed may decide otherwise" in message]


FIRST, SECOND = np.array([0]), np.array([1])


@pytest.mark.parametrize(
    "design",
    [
        Design("permutation"),
        Design("bootstrap"),
        Design(correction="tukey"),
        Design("permutation", correction="holm"),
    ],
)
def test_a_drawn_p_near_alpha_is_told(design: Design):
    differences = np.random.default_rng(3).normal(0.1, 0.4, 40)
    scores = np.stack([differences, np.zeros(40)])
    pvalue = float(compare_systems(scores, FIRST, SECOND, design)[1][0])
    error = 2 * np.sqrt(pvalue * (1 - pvalue) / design.n_resamples)
    for alpha, is_told in (
        (pvalue + 0.9 * error, True),
        (pvalue - 0.9 * error, True),
        (pvalue + 1.1 * error, False),
    ):
        assert bool(near_alpha(differences, design, alpha)) == is_told


def test_a_p_near_alpha_is_not_told_if_few_topics_differ():
    """Of 50 topics, ten differ: all of their 1024 permutations are tried."""
    differences = np.zeros(50)
    differences[:10] = np.random.default_rng(3).normal(0.2, 0.3, 10)
    design = Design("permutation")
    scores = np.stack([differences, np.zeros(50)])
    pvalue = float(compare_systems(scores, FIRST, SECOND, design)[1][0])
    assert near_alpha(differences, design, pvalue + 1e-4) == []


def test_a_p_near_alpha_is_not_told_if_nothing_was_drawn():
    """The t test draws nothing, and the permutations of twelve topics are all enumerated."""
    differences = np.random.default_rng(3).normal(0.2, 0.4, 12)
    for design in (Design(), Design("permutation"), Design("sign")):
        scores = np.stack([differences, np.zeros(12)])
        pvalue = float(compare_systems(scores, FIRST, SECOND, design)[1][0])
        assert near_alpha(differences, design, pvalue + 1e-4) == []


def test_runs_without_a_difference_on_few_topics_are_told():
    equal = compare(np.full((2, 8), 0.5), np.full((2, 8), 0.5))
    (message,) = about_equal_scores([equal, compare(np.zeros((1, 8)), np.arange(8.0)[np.newaxis])], 0.95)
    assert message.startswith("2 of 3 intervals have no width, because the differences of all topics are equal ")
    assert message.endswith("(fewest topics: 8): other differences on up to 31% of topics are not ruled out")
    shifted = compare(np.linspace(0.1, 0.6, 8)[np.newaxis] - 0.01, np.linspace(0.1, 0.6, 8)[np.newaxis])
    (message,) = about_equal_scores([shifted], 0.95)
    assert message.startswith("1 of 1 interval has no width, because the differences of all topics are equal ")
    many = compare(np.full((1, 60), 0.5), np.full((1, 60), 0.5))
    assert list(about_equal_scores([many], 0.95)) == []


def test_unpaired_tests_of_files_joined_by_column_have_the_topics_of_one_file_in_common():
    scores = np.full((2, 4, 2), 0.5)
    scores[:, :2, 0] = scores[:, 2:, 1] = np.nan
    table = ScoreTable(("a", "b"), ("1", "2", "3", "4"), ("late:map", "early:map"), scores)
    told, *_ = about_unpaired_topics(table, np.array([0]), np.array([1]))
    assert "(at most 2 of 4 topics)" in told
