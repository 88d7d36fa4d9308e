"""The sections on the whole evaluation: their numbers against scipy, in the order promised."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from stdeval.html import report
from stdeval.html.baseline_section import baseline_section
from stdeval.html.overview_sections import evaluated_section, reading, summary_section
from stdeval.standardization import standardize
from stdeval.table import ScoreTable

pytest.importorskip("matplotlib")

NAMES = ("alpha", "beta", "gamma", "delta")


def test_summary_has_means_intervals_and_order(evaluation, cells):
    evaluated = evaluation(NAMES)
    head, *rows = cells(summary_section(evaluated))[0]
    assert head == ["Run", "map", "Nmap", "P_10", "NP_10", "Group by map", "Group by Nmap"]
    assert sorted(row[0] for row in rows) == sorted(NAMES)
    means = [float(row[2].partition("[")[0]) for row in rows]
    assert means == sorted(means, reverse=True)
    for row in rows:
        scores = evaluated.standardized.values[NAMES.index(row[0]), :, 1]
        low, high = stats.t.interval(0.95, 11, scores.mean(), stats.sem(scores))
        assert row[4] == f"{scores.mean():.4f}[{low:.4f}, {high:.4f}]"


def test_runs_share_a_group_unless_they_differ_significantly(evaluation, cells):
    evaluated = evaluation(tuple("abcdefghij"), n_topics=30)
    rows = {row[0]: row for row in cells(summary_section(evaluated))[0][1:]}
    scores = evaluated.raw.values[:, :, 0]
    # scipy's Tukey HSD is of means of independent samples: of these, one clear case each way is enough here
    order = np.argsort(scores.mean(axis=1))
    best, worst = (evaluated.raw.systems[i] for i in (order[-1], order[0]))
    assert stats.ttest_rel(scores[order[-1]], scores[order[0]]).pvalue < 1e-6
    groups = {name: set(spanned(row[5])) for name, row in rows.items()}
    assert not groups[best] & groups[worst]
    assert min(groups[best]) == 1


def spanned(shown: str) -> range:
    ends = [int(end) for end in shown.split("–")]
    return range(ends[0], ends[-1] + 1)


def test_what_was_evaluated_is_said(evaluation):
    evaluated = evaluation(NAMES, judged={"1": (10, 4), "2": (5, 0)}, factors=("f.csv",), warnings=("careful",))
    said = re.sub(r"<[^>]+>", " ", evaluated_section(evaluated))
    for expected in ("15, of which 4 are relevant", "f.csv", "careful", "4 systems on 12 topics", "beta: 1.run"):
        assert expected in said


def test_references_are_told_as_they_are_known(evaluation):
    evaluated = evaluation(NAMES)
    for n_systems, n_constant, words in (
        (None, 0, "an unknown number of systems on 12 topics<"),
        ((3, 4), 0, "3–4 systems on 12 topics<"),
        ((4, 4), 1, "4 systems on 12 topics; on 1 topic all equal by some measure<"),
    ):
        references = replace(evaluated.references, n_systems=n_systems, n_constant=n_constant)
        assert words in evaluated_section(replace(evaluated, references=references))


@pytest.mark.parametrize("scheme", ["Z", "N", "U", "E", "M"])
def test_scores_are_explained_in_four_sentences(evaluation, scheme: str):
    assert len(re.findall(r"[.](?: |$)", reading(replace(evaluation(NAMES), scheme=scheme)))) == 4


@pytest.mark.parametrize("censored, words", [(True, "censored to [0, 1]"), (False, "not censored")])
def test_line_of_scheme_u_is_told(evaluation, censored: bool, words: str):
    evaluated = replace(evaluation(NAMES), scheme="U", slope=0.5, neutral=0.25, censored=censored)
    assert f"U: 0.5 z + 0.25, {words}<" in evaluated_section(evaluated)
    assert f"U is 0.5 z + 0.25, {words}, where z is" in reading(evaluated)
    assert "0.25 is what they achieve on average" in reading(evaluated)


def test_runs_without_a_common_topic_have_no_groups(evaluation, cells):
    whole = evaluation(NAMES)
    values = whole.raw.values.copy()
    values[:2, ::2], values[2:, 1::2] = np.nan, np.nan
    raw = ScoreTable(NAMES, whole.raw.topics, whole.raw.measures, values)
    gappy = replace(whole, raw=raw, standardized=standardize(raw), baseline=3)
    assert cells(summary_section(gappy))[0][0] == ["Run", "map", "Nmap", "P_10", "NP_10"]
    assert "No topic is common to all runs, so that none is ranked." in summary_section(gappy)
    assert "Comparison with delta" in report(gappy)


def _with_gaps(evaluated, gaps: dict[int, slice], **changes):
    """Return the data of a report in which runs lack topics."""
    values = evaluated.raw.values.copy()
    for run, topics in gaps.items():
        values[run, topics] = np.nan
    raw = replace(evaluated.raw, values=values)
    return replace(evaluated, raw=raw, standardized=standardize(raw), **changes)


def test_incomplete_runs_stand_below_the_others_without_a_group(evaluation, cells):
    """The last of four runs has 3 of 12 topics: the others' means and groups are those of a report without it."""
    gappy = _with_gaps(evaluation(NAMES), {3: slice(3, None)})
    header, *rows = cells(summary_section(gappy))[0]
    raw = gappy.raw.select(systems=NAMES[:3])
    standardized = gappy.standardized.select(systems=NAMES[:3])
    alone = replace(gappy, raw=raw, standardized=standardized)
    expected = cells(summary_section(alone))[0][1:]
    assert header[:2] == ["Run", "Topics"]
    assert [[row[0], *row[2:]] for row in rows[:3]] == expected
    assert [row[1] for row in rows] == ["12", "12", "12", "3"]
    assert (rows[3][0], rows[3][-2:]) == (NAMES[3], ["–", "–"])
    assert "1 of 4 runs. They stand below the others" in summary_section(gappy)
    assert "on the 12 of 12 topics that all complete runs have" in summary_section(gappy)


def test_with_one_complete_run_the_common_topics_of_all_are_used(evaluation, cells):
    """Each of three runs lacks a topic that the three others have; topics 4 to 12 are common to all four."""
    gappy = _with_gaps(evaluation(NAMES), {i: slice(i, i + 1) for i in range(3)})
    raw, standardized = (table.values[:, 3:] for table in (gappy.raw, gappy.standardized))
    row = next(row for row in cells(summary_section(gappy))[0][1:] if row[0] == NAMES[3])
    means = [cell.partition("[")[0] for cell in row[1:3]]
    assert means == [f"{scores[3, :, 0].mean():.4f}" for scores in (raw, standardized)]
    assert "Fewer than two runs are complete, so all runs are ranked." in summary_section(gappy)
    assert "over the 9 topics that all runs have, not all 12." in summary_section(gappy)


def test_the_common_topics_of_two_runs_are_counted_in_the_summary_and_in_the_comparison(evaluation, cells):
    """The second of two runs has 3 of 12 topics, so no topic is one that more than half of the runs have."""
    gappy = _with_gaps(evaluation(NAMES[:2]), {1: slice(3, None)}, baseline=1)
    assert "over the 3 topics that all runs have, not all 12." in summary_section(gappy)
    header, row = cells(baseline_section(gappy, 1))[0]
    assert dict(zip(header, row, strict=True))["Topics"] == "3"


def test_numbers_of_topics_of_the_pairs_are_shown_where_they_differ(evaluation, cells):
    gappy = _with_gaps(evaluation(NAMES), {3: slice(3, None)}, baseline=0)
    tables = cells(baseline_section(gappy, 0))
    assert [dict(zip(tables[0][0], row, strict=True))["Topics"] for row in tables[0][1:]].count("3") == 1
    assert "Topics" not in cells(baseline_section(evaluation(NAMES), 0))[0][0]
