"""The sections on the whole evaluation: their numbers against scipy, in the order promised."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from stdeval.html import report
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


@pytest.mark.parametrize("scheme", ["Z", "N", "U", "E"])
def test_scores_are_explained_in_four_sentences(scheme: str):
    assert len(re.findall(r"[.](?: |$)", reading(scheme))) == 4


def test_runs_without_a_common_topic_have_no_groups(evaluation, cells):
    whole = evaluation(NAMES)
    values = whole.raw.values.copy()
    values[0, ::2], values[1, 1::2] = np.nan, np.nan
    raw = ScoreTable(NAMES, whole.raw.topics, whole.raw.measures, values)
    gappy = replace(whole, raw=raw, standardized=standardize(raw), baseline=3)
    assert cells(summary_section(gappy))[0][0] == ["Run", "map", "Nmap", "P_10", "NP_10"]
    assert "Comparison with delta" in report(gappy)
