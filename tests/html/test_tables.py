"""The tables of the page: their numbers against scipy and plain loops, in the order promised."""

from __future__ import annotations

import functools
import operator
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from stdeval.html.tables import gains_table, leaderboard, number, pvalue, topic_table, with_interval
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.schemes import standardize
from stdeval.table import ScoreTable
from tests.html.cells import text, texts

NAMES = ("alpha", "beta", "gamma", "delta")


def test_leaderboard_has_means_intervals_and_order(evaluation):
    evaluated = evaluation(NAMES)
    head, *rows = texts(leaderboard(evaluated))
    assert head == ["Run", "Topics", "AP", "N-AP", "P@10", "N-P@10", "Group by AP", "Group by N-AP"]
    assert sorted(row[0] for row in rows) == sorted(NAMES)
    means = [float(row[3].partition("[")[0]) for row in rows]
    assert means == sorted(means, reverse=True)
    for row in rows:
        scores = evaluated.standardized.values[NAMES.index(row[0]), :, 1]
        low, high = stats.t.interval(0.95, 11, scores.mean(), stats.sem(scores))
        assert (row[1], row[5]) == ("12", f"{scores.mean():.4f}[{low:.4f}, {high:.4f}]")


def test_leaderboard_says_of_which_measures_lower_is_better(evaluation):
    evaluated = evaluation(NAMES)
    raw = replace(evaluated.raw, measures=("map", "unj_10"))
    standardized = replace(evaluated.standardized, measures=("Nmap", "Nunj_10"))
    head, *_ = texts(leaderboard(replace(evaluated, raw=raw, standardized=standardized)))
    expected = ["AP", "N-AP", "Unj@10, lower is better", "N-Unj@10, lower is better"]
    assert head[2:6] == expected


def test_columns_are_sorted_the_useful_way_first(evaluation):
    columns = {column.title: column for column in leaderboard(evaluation(NAMES)).columns}
    assert [title for title, column in columns.items() if column.sorted] == ["N-AP"]
    assert [title for title, column in columns.items() if column.is_rising] == [
        "Run",
        "Group by AP",
        "Group by N-AP",
    ]


def test_judged_share_is_a_column_if_it_is_known(evaluation):
    head, *rows = texts(leaderboard(replace(evaluation(NAMES), judged=np.array([1, 0.95, 0.5, 0.25]))))
    assert head[-1] == "Judged@10"
    assert {row[0]: row[-1] for row in rows} == dict(zip(NAMES, ("1.000", "0.950", "0.500", "0.250"), strict=True))


@pytest.mark.parametrize("measures", [("map", "judged_10"), ("judged_10", "map")])
def test_judged_share_is_one_column_if_it_is_a_measure_of_the_report(evaluation, measures):
    evaluated = evaluation(NAMES)
    raw = replace(evaluated.raw, measures=measures)
    changed = replace(evaluated, raw=raw, standardized=standardize(raw), judged=np.array([1, 0.95, 0.5, 0.25]))
    head, *_ = texts(leaderboard(changed))
    assert head.count("Judged@10") == 1
    assert len(head) == len(set(head))


def test_runs_share_a_group_unless_they_differ_significantly(evaluation):
    evaluated = evaluation(tuple("abcdefghij"), n_topics=30)
    rows = {row[0]: row for row in texts(leaderboard(evaluated))[1:]}
    scores = evaluated.raw.values[:, :, 0]
    # scipy's Tukey HSD is of means of independent samples: of these, one clear case each way is enough here
    order = np.argsort(scores.mean(axis=1))
    best, worst = (evaluated.raw.systems[i] for i in (order[-1], order[0]))
    assert stats.ttest_rel(scores[order[-1]], scores[order[0]]).pvalue < 1e-6
    groups = {name: set(spanned(row[6])) for name, row in rows.items()}
    assert not groups[best] & groups[worst]
    assert min(groups[best]) == 1


def spanned(shown: str) -> range:
    ends = [int(end) for end in shown.split("–")]
    return range(ends[0], ends[-1] + 1)


def test_runs_without_a_common_topic_have_no_groups(evaluation, with_gaps):
    whole = with_gaps(evaluation(NAMES), {0: slice(0, None, 2), 1: slice(0, None, 2)})
    gappy = with_gaps(whole, {2: slice(1, None, 2), 3: slice(1, None, 2)})
    assert texts(leaderboard(gappy))[0] == ["Run", "Topics", "AP", "N-AP", "P@10", "N-P@10"]


def test_incomplete_runs_stand_below_the_others_without_a_group(evaluation, with_gaps):
    """The last of four runs has 3 of 12 topics: the others' means and groups are those of a report without it."""
    gappy = with_gaps(evaluation(NAMES), {3: slice(3, None)})
    rows = texts(leaderboard(gappy))[1:]
    tables = (table.select(systems=NAMES[:3]) for table in (gappy.raw, gappy.standardized))
    alone = replace(gappy, **dict(zip(("raw", "standardized"), tables, strict=True)))
    assert rows[:3] == texts(leaderboard(alone))[1:]
    assert [row[1] for row in rows] == ["12", "12", "12", "3"]
    assert (rows[3][0], rows[3][-2:]) == (NAMES[3], ["–", "–"])


def test_with_one_complete_run_the_common_topics_of_all_are_used(evaluation, with_gaps):
    """Each of three runs lacks a topic that the three others have; topics 4 to 12 are common to all four."""
    gappy = with_gaps(evaluation(NAMES), {i: slice(i, i + 1) for i in range(3)})
    raw, standardized = (table.values[:, 3:] for table in (gappy.raw, gappy.standardized))
    row = next(row for row in texts(leaderboard(gappy))[1:] if row[0] == NAMES[3])
    means = [cell.partition("[")[0] for cell in row[2:4]]
    assert means == [f"{scores[3, :, 0].mean():.4f}" for scores in (raw, standardized)]
    assert row[1] == "9"


def test_hard_topics_come_first(evaluation):
    evaluated = evaluation(NAMES, judged={str(i): (i + 5, i) for i in range(1, 13)})
    head, *rows = texts(topic_table(evaluated))
    assert head[:5] == ["Topic", "Judged", "Relevant", "Mean AP of runs", "sd of runs"]
    order = np.argsort(evaluated.raw.values[:, :, 0].mean(axis=0))
    assert [row[0] for row in rows] == [evaluated.raw.topics[t] for t in order]
    for row, t in zip(rows, order, strict=True):
        scores = evaluated.raw.values[:, t, 0]
        assert row[1:5] == [str(int(row[0]) + 5), row[0], f"{scores.mean():.4f}", f"{scores.std(ddof=1):.4f}"]
        assert row[5] == f"{NAMES[scores.argmax()]} ({scores.max():.4f})"
        assert sorted(row[6:]) == sorted(f"{score:.4f}" for score in evaluated.standardized.values[:, t, 0])


def raw_report(evaluation, values: list[list[float]]):
    """A report of raw scores, a row per run."""
    topics = tuple(str(t + 1) for t in range(len(values[0])))
    table = ScoreTable(NAMES[: len(values)], topics, ("map",), np.array(values)[:, :, np.newaxis])
    return replace(evaluation(NAMES, baseline=None), raw=table, standardized=None, scheme="raw")


def test_runs_with_the_same_scores_in_another_order_keep_the_order_given(evaluation):
    rows = texts(leaderboard(raw_report(evaluation, [[0.6, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.6]])))[1:]
    assert [row[0] for row in rows] == ["alpha", "beta"]
    assert functools.reduce(operator.add, [0.6, 0.3, 0.2, 0.1]) < functools.reduce(
        operator.add, [0.1, 0.2, 0.3, 0.6]
    )


def test_topics_with_the_same_scores_in_another_order_keep_the_order_given(evaluation):
    scores = [[0.1, 0.1], [0.3, 0.6], [0.6, 0.7], [0.7, 0.3]]
    assert [row[0] for row in texts(topic_table(raw_report(evaluation, scores)))[1:]] == ["1", "2"]


def test_runs_that_differ_by_noise_are_both_the_best_and_not_above_the_mean(evaluation):
    evaluated = raw_report(evaluation, [[0.3, 0.5], [0.1 + 0.2, 0.1], [0.3, 0.2]])
    head, *topics = texts(topic_table(evaluated))
    assert [row[head.index("Best run")] for row in topics] == ["alpha (0.5000)", "3 runs (0.3000)"]
    assert [(row[0], row[1], row[3]) for row in texts(gains_table(evaluated))[1:]] == [
        ("alpha", "1", "0"),
        ("gamma", "0", "1"),
        ("beta", "0", "1"),
    ]


def test_references_have_columns_if_they_are_others(evaluation):
    """Two topics have no factors: the means of the references are missing there, those of the runs are not."""
    whole = evaluation(NAMES)
    factors = fit_factors(whole.raw.select(topics=whole.raw.topics[2:]))
    known = np.arange(len(whole.raw.topics)) >= 2
    mean, sd = (np.where(known, array, np.nan) for array in (whole.references.mean, whole.references.sd))
    evaluated = replace(
        whole,
        references=replace(whole.references, mean=mean, sd=sd, n_topics=10),
        standardized=standardize(whole.raw, factors),
        sources=replace(whole.sources, factors=("f.csv",)),
    )
    head, *rows = texts(topic_table(evaluated))
    assert head[1:5] == ["Mean AP of runs", "sd of runs", "Mean AP of references", "sd of references"]
    assert {row[0] for row in rows if row[3] == "–"} == set(whole.raw.topics[:2])
    assert all(row[1] != "–" for row in rows)


def test_gains_and_losses_are_the_furthest_topics(evaluation):
    evaluated = evaluation(NAMES)
    scores = evaluated.standardized.values[:, :, 0]
    check_gains(evaluated, scores, scores - 0.5, ".2f")


def test_gains_by_raw_scores_are_over_the_mean_of_the_runs(evaluation):
    evaluated = replace(evaluation(NAMES), standardized=None, scheme="raw", references=None)
    beyond = evaluated.raw.values[:, :, 0] - evaluated.raw.values[:, :, 0].mean(axis=0)
    check_gains(evaluated, beyond, beyond, "+.2f")


def check_gains(evaluated, shown, beyond, form: str):
    for name, above, gains, below, losses in texts(gains_table(evaluated))[1:]:
        far = dict(zip(evaluated.raw.topics, beyond[NAMES.index(name)], strict=True))
        told = dict(zip(evaluated.raw.topics, shown[NAMES.index(name)], strict=True))
        best = sorted((topic for topic in far if far[topic] > 0), key=lambda topic: -far[topic])
        worst = sorted((topic for topic in far if far[topic] < 0), key=far.__getitem__)
        assert (int(above), int(below)) == (len(best), len(worst))
        assert gains == (", ".join(f"{topic} ({told[topic]:{form}})" for topic in best[:3]) or "–")
        assert losses == (", ".join(f"{topic} ({told[topic]:{form}})" for topic in worst[:3]) or "–")


@pytest.mark.parametrize("place", [None, 0])
def test_gains_are_counted_from_the_neutral_score(evaluation, place: int | None):
    scores = evaluation(NAMES).standardized.values[:, :, 0]
    neutral = 0.9 if place is None else float(scores[0, 0])  # one that is neither above nor below
    rows = texts(gains_table(replace(evaluation(NAMES), neutral=neutral)))[1:]
    above = {name: int((own > neutral).sum()) for name, own in zip(NAMES, scores, strict=True)}
    below = {name: int((own < neutral).sum()) for name, own in zip(NAMES, scores, strict=True)}
    assert {row[0]: int(row[1]) for row in rows} == above
    assert {row[0]: int(row[3]) for row in rows} == below


def test_missing_numbers_are_dashes():
    nan = float("nan")
    assert text(number(0.12345)) == "0.1235"
    assert (text(number(nan)), pvalue(nan)) == ("–", "–")
    assert text(with_interval(0.5, 0.25, 0.75, ".2f")) == "0.50[0.25, 0.75]"
    assert text(with_interval(0.5, nan, nan)) == text(with_interval(0.5, 0.5, np.inf)) == "0.5000"


def test_order_of_runs_and_topics_is_that_of_the_pictures(evaluation):
    evaluated = evaluation(NAMES)
    runs, topics = (
        [row[0] for row in texts(each)[1:]] for each in (leaderboard(evaluated), topic_table(evaluated))
    )
    for table in evaluated.tables.values():
        assert isinstance(table, ScoreTable)
        assert (list(table.systems), list(table.topics)) == (runs, topics)
