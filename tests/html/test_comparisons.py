"""The comparison with one run and the answer, against scipy, a Holm correction by hand and Tukey's p-values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from stdeval.html.data import claims, compared
from stdeval.html.tables import comparison_table, comparison_told, pvalue
from stdeval.stats.corrections import tukey_pvalues
from stdeval.table import ScoreTable
from tests.html.cells import texts

NAMES = ("alpha", "beta", "gamma", "delta")
MANY = tuple("abcdefghijkl")


def by_hand(scores, baseline: int) -> dict[int, tuple[float, float, float, float, float]]:
    """Return difference, interval (Bonferroni), p and adjusted p of each other run (Holm 1979)."""
    others = [i for i in range(len(scores)) if i != baseline]
    tests = {i: stats.ttest_rel(scores[i], scores[baseline]) for i in others}
    adjusted, least = {}, 0.0
    for k, i in enumerate(sorted(others, key=lambda i: tests[i].pvalue)):
        least = adjusted[i] = min(1.0, max((len(others) - k) * tests[i].pvalue, least))
    level = 1 - 0.05 / len(others)
    return {
        i: (
            np.mean(scores[i] - scores[baseline]),
            *tests[i].confidence_interval(level),
            tests[i].pvalue,
            adjusted[i],
        )
        for i in others
    }


@pytest.mark.parametrize("kind", [0, 1])
def test_comparison_with_a_baseline_is_scipys(evaluation, kind: int):
    evaluated = evaluation(MANY, baseline=1)
    results = compared(evaluated)[kind]
    expected = by_hand(evaluated.kinds[kind].scores, 1)
    shown = {row[0]: row[1:] for row in texts(comparison_table(evaluated, results))[1:]}
    assert len(shown) == len(expected) == 11
    for i, (difference, low, high, p, adjusted) in expected.items():
        each = evaluated.kinds[kind].scores[i] - evaluated.kinds[kind].scores[1]
        star = " *" if adjusted < 0.05 else ""
        assert shown[MANY[i]] == [
            f"{difference:+.4f}[{low:+.4f}, {high:+.4f}]",
            f"{difference / each.std(ddof=1):+.2f}",
            *(str(int(n.sum())) for n in (each > 0, each == 0, each < 0)),
            pvalue(p),
            pvalue(adjusted) + star,
        ]
        assert star or low < 0 < high
    assert 0 < sum(row[-1].endswith("*") for row in shown.values()) < 11


def test_without_a_baseline_the_first_is_compared_by_tukeys_test(evaluation):
    evaluated = evaluation(MANY, baseline=None)
    for kind, results in zip(evaluated.kinds, compared(evaluated), strict=True):
        assert results.against == evaluated.order[0]
        pvalues = tukey_pvalues(kind.scores, np.random.default_rng(0), evaluated.settings.n_resamples)
        np.testing.assert_array_equal(results.adjusted, pvalues[results.against, results.others])
        excluded = (results.low > 0) | (results.high < 0)
        np.testing.assert_array_equal(excluded, results.adjusted <= 0.05)
        assert 0 < excluded.sum() < 11


def test_the_answer_is_about_the_baseline_and_the_best_other_run(evaluation):
    evaluated = evaluation(NAMES, baseline=3)
    claim = claims(evaluated, compared(evaluated))[0]
    best = next(i for i in evaluated.order if i != 3)
    scores = evaluated.raw.values[:, :, 0]
    assert {claim.better, claim.worse} == {best, 3}
    by_topic = scores[claim.better] - scores[claim.worse]
    assert claim.difference == pytest.approx(by_topic.mean(), abs=1e-12)
    assert by_topic.mean() > 0
    assert (claim.wins, claim.losses, claim.n) == ((by_topic > 0).sum(), (by_topic < 0).sum(), 12)
    worst = [t for t in np.argsort(by_topic)[:3] if by_topic[t] < 0]
    assert [t for t, _ in claim.lost] == worst
    assert [by for _, by in claim.lost] == pytest.approx(list(by_topic[worst]))


def test_the_answer_begins_with_the_scores_that_rank_the_runs_if_the_kinds_disagree(evaluation):
    """By raw scores, one easy topic lets b be ahead of a, which is better on all others."""
    raw = np.full((3, 6), 0.1)
    raw[0] += [0, 0.02, 0.02, 0.02, 0.02, 0.03]
    raw[1, 0] = 0.9
    raw[2] = [0.1, 0.05, 0.05, 0.05, 0.05, 0.04]
    topics = tuple("123456")
    table = ScoreTable(("a", "b", "c"), topics, ("map",), raw[:, :, np.newaxis])
    ranks = np.where(raw == raw.max(axis=0), 0.9, np.where(raw == raw.min(axis=0), 0.1, 0.5))
    standardized = ScoreTable(("a", "b", "c"), topics, ("Emap",), ranks[:, :, np.newaxis])
    evaluated = replace(evaluation(NAMES, baseline=None), raw=table, standardized=standardized, scheme="E")
    first, second = claims(evaluated, compared(evaluated))
    assert (first.measure, first.better, first.worse) == ("E-AP", 0, 1)
    assert (second.measure, second.better, second.worse) == ("AP", 1, 0)


def raw_and_standardized(evaluation, raw, standardized):
    """Return the data of a report whose runs have these means by raw and standardized scores."""
    apart = np.array([0.01, 0, -0.01])
    tables = [
        ScoreTable(tuple("abcd"[: len(means)]), ("1", "2", "3"), (name,), (np.c_[means] + apart)[:, :, np.newaxis])
        for name, means in (("map", raw), ("Nmap", standardized))
    ]
    return replace(evaluation(NAMES, baseline=None), raw=tables[0], standardized=tables[1], judged=None)


@pytest.mark.parametrize(
    ("raw", "leaders"),
    [
        ([0.3, 0.2, 0.4, 0.1], [2, None]),
        ([0.2, 0.3, 0.4, 0.5], [None, 3]),
        ([0.3, 0.2, 0.3, 0.1], [None, None]),
        ([0.3, 0.2, 0.1 + 0.2, 0.1], [None, None]),
    ],
)
def test_a_run_that_leads_by_raw_scores_only_is_told_beside_the_first_two(evaluation, raw, leaders):
    evaluated = raw_and_standardized(evaluation, raw, [0.8, 0.7, 0.6, 0.5])
    made = claims(evaluated, compared(evaluated))
    assert [claim.leader for claim in made] == leaders


def test_a_run_that_leads_is_no_baseline_and_no_run_without_a_rank(evaluation):
    evaluated = raw_and_standardized(evaluation, [0.3, 0.2, 0.4, 0.1], [0.8, 0.7, 0.6, 0.5])
    of_baseline = replace(evaluated, baseline=2)
    assert [claim.leader for claim in claims(of_baseline, compared(of_baseline))] == [None, None]
    gappy = evaluated.raw.values.copy()
    gappy[2, 0] = np.nan
    incomplete = replace(evaluated, raw=replace(evaluated.raw, values=gappy))
    assert [claim.leader for claim in claims(incomplete, compared(incomplete))] == [None, None]


def test_equal_runs_have_an_answer(evaluation):
    whole = evaluation(NAMES[:2], baseline=None)
    same = np.broadcast_to(whole.raw.values[:1], whole.raw.values.shape)
    evaluated = replace(whole, raw=replace(whole.raw, values=same), standardized=None, scheme="raw")
    (claim,) = claims(evaluated, compared(evaluated))
    assert (claim.difference, claim.pvalue, claim.is_significant, claim.lost) == (0, 1, False, ())


def test_one_topic_or_one_run_has_no_comparison(evaluation):
    whole = evaluation(NAMES, baseline=None)
    alone = (table.select(systems=NAMES[:1]) for table in (whole.raw, whole.standardized))
    assert compared(replace(whole, **dict(zip(("raw", "standardized"), alone, strict=True)))) == ()
    evaluated = evaluation(NAMES, n_topics=1, baseline=None)
    assert compared(evaluated) == claims(evaluated, ()) == ()


def test_numbers_of_topics_of_the_pairs_are_shown_where_they_differ(evaluation, with_gaps):
    gappy = with_gaps(evaluation(NAMES), {3: slice(3, None)}, baseline=0)
    tables = [texts(comparison_table(gappy, each)) for each in compared(gappy)]
    assert [dict(zip(tables[0][0], row, strict=True))["Topics"] for row in tables[0][1:]].count("3") == 1
    whole = evaluation(NAMES)
    assert "Topics" not in texts(comparison_table(whole, compared(whole)[0]))[0]


def test_differences_from_a_baseline_are_those_of_the_means(evaluation, with_gaps):
    """The two complete runs of a page stood in one order in the answer, and in the other in the leaderboard."""
    evaluated = with_gaps(evaluation(NAMES, baseline=1), {i: slice(3 * i, 3 * i + 3) for i in range(3)})
    assert evaluated.coverage.is_reduced
    for j, results in enumerate(compared(evaluated)):
        means = evaluated.compared_means(j)
        expected = means[results.others] - means[1]
        np.testing.assert_allclose(results.comparison.difference, expected, atol=1e-12)


def test_incomplete_runs_have_no_adjusted_p(evaluation, with_gaps):
    gappy = with_gaps(evaluation(NAMES), {3: slice(3, None)}, baseline=None)
    adjusted = {row[0]: row[-1] for row in texts(comparison_table(gappy, compared(gappy)[0]))[1:]}
    assert [name for name, p in adjusted.items() if p == "–"] == [NAMES[3]]


@pytest.mark.parametrize("baseline", [None, 1])
def test_p_equal_to_alpha_is_significant(evaluation, baseline: int | None):
    made = evaluation(MANY, baseline=baseline)
    p = float(np.sort(compared(made)[-1].adjusted)[5])
    for alpha in (np.nextafter(p, 0), p, np.nextafter(p, 1)):
        results = compared(replace(made, settings=replace(made.settings, alpha=float(alpha))))[-1]
        np.testing.assert_array_equal(results.significant, results.adjusted <= p)


@pytest.mark.parametrize("settings", [{"alpha": 0.01}, {"alpha": 0.2}, {"confidence": 0.8}])
def test_intervals_by_tukeys_test_exclude_0_where_runs_differ_significantly(evaluation, settings):
    made = evaluation(MANY, baseline=None)
    evaluated = replace(made, settings=replace(made.settings, **settings))
    results = compared(evaluated)[-1]
    assert 0 < results.significant.sum() < 11
    np.testing.assert_array_equal((results.low > 0) | (results.high < 0), results.significant)
    level = 100 * (1 - evaluated.settings.alpha)
    assert f"adjusted {level:g}% intervals" in comparison_table(evaluated, results).caption
    assert "the interval then excludes 0" in comparison_told(evaluated)
    assert claims(evaluated, compared(evaluated))[0].level == results.level
