"""What a report says: its numbers against scipy and plain loops, in the order promised."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy import stats

from stdeval.html import report
from stdeval.html.closely import gains_and_losses, topics
from stdeval.html.sections import evaluated_section, reading, summary
from stdeval.standardization import fit_factors, standardize
from stdeval.table import ScoreTable

pytest.importorskip("matplotlib")

NAMES = ("alpha", "beta", "gamma", "delta")


class Cells(HTMLParser):
    """The texts of the cells of all tables, row by row; a mean and its interval are two texts of one cell."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.inside = False

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.tables[-1][-1].append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("th", "td")

    def handle_data(self, data):
        if self.inside:
            self.tables[-1][-1][-1] += data


def tables(markup: str) -> list[list[list[str]]]:
    parser = Cells()
    parser.feed(markup)
    return parser.tables


def test_summary_has_means_intervals_and_order(evaluation):
    evaluated = evaluation(NAMES)
    head, *rows = tables(summary(evaluated))[0]
    assert head == ["Run", "map", "Nmap", "P_10", "NP_10", "Group by map", "Group by Nmap"]
    assert sorted(row[0] for row in rows) == sorted(NAMES)
    means = [float(row[2].partition("[")[0]) for row in rows]
    assert means == sorted(means, reverse=True)
    for row in rows:
        scores = evaluated.standardized.values[NAMES.index(row[0]), :, 1]
        low, high = stats.t.interval(0.95, 11, scores.mean(), stats.sem(scores))
        assert row[4] == f"{scores.mean():.4f}[{low:.4f}, {high:.4f}]"


def test_runs_share_a_group_unless_they_differ_significantly(evaluation):
    evaluated = evaluation(tuple("abcdefghij"), n_topics=30)
    rows = {row[0]: row for row in tables(summary(evaluated))[0][1:]}
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


def test_hard_topics_come_first(evaluation):
    evaluated = evaluation(NAMES, judged={str(i): (i + 5, i) for i in range(1, 13)})
    head, *rows = tables(topics(evaluated))[0]
    assert head[:5] == ["Topic", "Judged", "Relevant", "Mean map of references", "sd of references"]
    order = np.argsort(evaluated.raw.values[:, :, 0].mean(axis=0))
    assert [row[0] for row in rows] == [evaluated.raw.topics[t] for t in order]
    for row, t in zip(rows, order, strict=True):
        scores = evaluated.raw.values[:, t, 0]
        assert row[1:5] == [str(int(row[0]) + 5), row[0], f"{scores.mean():.4f}", f"{scores.std(ddof=1):.4f}"]
        assert row[5] == f"{NAMES[scores.argmax()]} ({scores.max():.4f})"
        assert sorted(row[6:]) == sorted(f"{score:.4f}" for score in evaluated.standardized.values[:, t, 0])


def test_gains_and_losses_are_the_furthest_topics(evaluation):
    evaluated = evaluation(NAMES)
    for name, above, gains, below, losses in tables(gains_and_losses(evaluated))[0][1:]:
        scores = dict(
            zip(evaluated.raw.topics, evaluated.standardized.values[NAMES.index(name), :, 0], strict=True)
        )
        best = sorted((topic for topic in scores if scores[topic] > 0.5), key=lambda t: -scores[t])
        worst = sorted((topic for topic in scores if scores[topic] < 0.5), key=scores.__getitem__)
        assert (int(above), int(below)) == (len(best), len(worst))
        assert gains == (", ".join(f"{topic} ({scores[topic]:.2f})" for topic in best[:3]) or "–")
        assert losses == (", ".join(f"{topic} ({scores[topic]:.2f})" for topic in worst[:3]) or "–")


def test_comparison_is_scipys(evaluation):
    page = report(evaluation(NAMES, baseline=1))
    evaluated = evaluation(NAMES, baseline=1)
    rows = tables(page)[3][1:]
    assert len(rows) == 3
    scores = dict(zip(NAMES, evaluated.raw.values[:, :, 0], strict=True))
    found = {name: stats.ttest_rel(scores[name], scores["beta"]) for name in NAMES if name != "beta"}
    holm = dict(zip(sorted(found, key=lambda n: found[n].pvalue), (3, 2, 1), strict=True))
    least = 0.0
    adjusted = {}
    for name in sorted(found, key=lambda n: found[n].pvalue):  # Holm 1979, by hand
        least = adjusted[name] = max(least, min(1.0, holm[name] * found[name].pvalue))
    for name, difference, _, wins, ties, losses, p, p_adjusted in rows:
        other = scores[name] - scores["beta"]
        low, high = found[name].confidence_interval()
        assert difference == f"{other.mean():+.4f}[{low:+.4f}, {high:+.4f}]"
        assert (int(wins), int(ties), int(losses)) == ((other > 0).sum(), 0, (other < 0).sum())
        assert p == f"{found[name].pvalue:.3g}"
        assert p_adjusted == f"{adjusted[name]:.3g}" + (" *" if adjusted[name] < 0.05 else "")


def test_what_was_evaluated_is_said(evaluation):
    evaluated = evaluation(NAMES, judged={"1": (10, 4), "2": (5, 0)}, factors=("f.csv",), warnings=("careful",))
    said = re.sub(r"<[^>]+>", " ", evaluated_section(evaluated))
    for expected in ("15, of which 4 are relevant", "f.csv", "careful", "4 systems on 12 topics", "beta: 1.run"):
        assert expected in said


def test_topics_without_factors_are_counted_and_last(evaluation):
    whole = evaluation(NAMES)
    known = whole.raw.topics[2:]
    factors = fit_factors(whole.raw.select(topics=known))
    evaluated = replace(
        whole,
        factors=factors,
        standardized=standardize(whole.raw, factors),
        sources=replace(whole.sources, factors=("f.csv",)),
    )
    assert "4 systems on 10 topics; 2 topics without factors" in evaluated_section(evaluated)
    head, *rows = tables(topics(evaluated))[0]
    assert head[1:5] == ["Mean map of references", "sd of references", "Mean map of runs", "sd of runs"]
    assert {row[0] for row in rows[-2:]} == set(whole.raw.topics[:2])
    assert all(row[1] == "–" and row[3] != "–" for row in rows[-2:])
    assert report(evaluated)


@pytest.mark.parametrize("scheme", ["Z", "N", "U", "E"])
def test_scores_are_explained_in_four_sentences(scheme: str):
    assert len(re.findall(r"[.](?: |$)", reading(scheme))) == 4


def test_runs_without_a_common_topic_have_no_groups(evaluation):
    whole = evaluation(NAMES)
    values = whole.raw.values.copy()
    values[0, ::2], values[1, 1::2] = np.nan, np.nan
    raw = ScoreTable(NAMES, whole.raw.topics, whole.raw.measures, values)
    gappy = replace(whole, raw=raw, standardized=standardize(raw), factors=fit_factors(raw), baseline=3)
    assert tables(summary(gappy))[0][0] == ["Run", "map", "Nmap", "P_10", "NP_10"]
    assert "Comparison with delta" in report(gappy)


def test_same_input_same_bytes_and_no_date_unless_given(evaluation):
    evaluated = evaluation(NAMES)
    assert report(evaluated) == report(evaluated)
    assert "2026-01-02" in report(evaluated, date="2026-01-02")


def test_one_run_against_factors(evaluation):
    whole = evaluation(NAMES)
    raw = whole.raw.select(systems=["beta"])
    alone = replace(whole, raw=raw, standardized=standardize(raw, whole.factors))
    page = report(alone)
    assert "Evaluation of 1 run on 12 topics" in page
    assert "There is no other run." in page


def test_long_names_are_shortened_and_kept_apart(evaluation):
    long = ("x" * 5000 + "1", "x" * 5000 + "2", "x" * 5000 + "3")
    page = report(evaluation(long))
    assert "x" * 81 not in page
    assert all(f"x{end}</th>" in page for end in "123")
