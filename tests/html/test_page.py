"""The page as a whole: nothing from elsewhere, the same bytes for the same input, any names, all warnings."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from scipy import stats

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

from stdeval.html import page as html_page
from stdeval.html import report, tables
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.schemes import standardize
from stdeval.table import ScoreTable

NAMES = ("alpha", "beta", "gamma", "delta")
VOID = {"meta", "link", "input"}
HOSTILE = ("<b>&</script>", "$x^2$ <!-- \u2028", "a\udcff\x1b", '"><img src=x>')


class Strict(HTMLParser):
    """Collect texts and tags, and fail at a closing tag without its opening one."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.tags: list[str] = []
        self.feed(markup)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        assert len({name for name, _ in attrs}) == len(attrs)
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert "svg" in self.open

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture
def sketch(monkeypatch):
    """Return the page without its pictures, which take most of the time, as plain text."""

    def text(evaluated, **options) -> str:
        none = {"name": "", "box": "", "width": "", "drawn": "", "boxes": "", "level": 0.95, "is_joint": False}
        drawn = dict.fromkeys(("means", "differences", "boxes", "heatmap"), none)
        monkeypatch.setattr(html_page, "pictures", lambda *_: drawn)
        page = report(evaluated, **options)
        words = re.sub(r"<(style|script)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)
        return " ".join(re.sub(r"<[^>]+>", "", words).split())

    return text


def island_of(page: str) -> dict[str, Any]:
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(data)


def test_same_input_same_bytes_and_no_date_unless_given(evaluation):
    evaluated = evaluation(NAMES)
    page = report(evaluated)
    assert report(evaluation(NAMES)) == page
    assert "2026-01-02" in report(evaluated, date="2026-01-02")
    assert "2026-01-02" not in page


def test_page_has_nothing_from_elsewhere_and_allows_only_its_own_style_and_script(evaluation):
    page = report(evaluation(NAMES), title="A <title>")
    assert {address[:5] for address in re.findall(r'(?:href|src)="([^#"][^"]*)"', page)} == {"data:"}
    assert not re.findall(r"@import|url\((?!#)", page)
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
    policy = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)[0]
    assert "default-src 'none'" in policy
    for tag, rule in (("style", "style-src-elem"), ("script", "script-src")):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{rule} 'sha256-{digest}'" in policy
    assert Strict(page).texts.count("A <title>") == 2


def test_hostile_names_are_text_in_the_page_and_in_the_data(evaluation):
    evaluated = evaluation(HOSTILE, warnings=HOSTILE, command=HOSTILE[0], runs=HOSTILE)
    page = report(evaluated, title=HOSTILE[0], date=HOSTILE[3])
    parsed = Strict(page)
    assert "img" not in parsed.tags
    assert parsed.tags.count("script") == 2
    assert not re.findall(r"[\x00-\x08\x0b-\x1f\udc80-\udcff\u2028]", page)
    shown = (HOSTILE[0], HOSTILE[1].replace("\u2028", "\ufffd"), "a\ufffd\ufffd", HOSTILE[3])
    assert sorted(island_of(page)["runs"]) == sorted(shown)


def test_data_are_the_scores_in_the_order_of_the_page_and_null_if_missing(evaluation, with_gaps):
    evaluated = with_gaps(evaluation(NAMES), {3: slice(3, None)})
    page = report(evaluated)
    island = island_of(page)
    assert island["runs"] == [NAMES[i] for i in evaluated.order]
    for kind, told in zip(evaluated.kinds, island["kinds"], strict=True):
        expected = kind.scores[np.ix_(evaluated.order, evaluated.topic_order)]
        np.testing.assert_allclose(np.array(told["scores"], dtype=float), expected, rtol=0, atol=1e-12)
    sections = ["answer", "runs", "comparison", "topics", "scores", "gains", "provenance", "reading"]
    assert re.findall(r'<section id="([^"]+)"', page) == sections


PAIRS, OF_BASELINE = "6 pairs of 4 runs", "3 comparisons with the baseline"


@pytest.mark.parametrize(
    ("baseline", "correction", "told"), [(None, "default", PAIRS), (3, "default", OF_BASELINE), (3, "hsd", PAIRS)]
)
def test_the_answer_is_a_sentence_that_says_for_how_much_it_is_adjusted(
    evaluation, sketch, with_gaps, baseline, correction, told
):
    given = evaluation(NAMES, baseline=baseline)
    said = sketch(replace(given, design=replace(given.design, correction=correction)))
    assert re.search(
        r"(\w+)( \(the baseline\))? (beats|is ahead of) (\w+)( \(the baseline\))?(, but not significantly)?: "
        r"(?:N-)?AP \+0\.\d{3}, 95% interval \[[-+]0\.\d{3}, \+0\.\d{3}\], adjusted p [\d.e-]+, "
        r"wins \d+, ties \d+ and loses \d+ of 12 topics; "
        r"loses (on no topic|most on topics? \d+ \(-\d[.]\d\d\))",
        said,
    )
    assert f". Intervals and p-values are adjusted for {told}." in said
    gappy = with_gaps(evaluation(NAMES[:3], baseline=0), {1: slice(1, None)})
    for fewer in (evaluation(NAMES[:2], baseline=0), gappy):
        assert "are adjusted for" not in sketch(fewer).partition("Leaderboard Runs")[0]
    said = sketch(replace(gappy, design=replace(gappy.design, test="sign", correction="none")))
    assert "p: sign test, paired, two-sided; the intervals are t intervals. * marks a p of at most 0.05." in said
    assert "differences with 95% intervals" in said


EVEN, OTHER = ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1]), ([0.9, 0.8, 0.4], [0.5, 0.8, 0.4])
"""Scores of two runs with equal means, and with different ones."""


def some_runs(evaluation, raw, standardized):
    """Return the data of a report on runs with these raw and standardized scores."""
    systems = tuple("abc"[: len(raw)])
    tables = [
        ScoreTable(systems, ("1", "2", "3"), (name,), np.array(scores)[:, :, np.newaxis])
        for name, scores in (("map", raw), ("Nmap", standardized))
    ]
    whole = evaluation(systems, n_topics=3, baseline=None)
    return replace(whole, raw=tables[0], standardized=tables[1], judged=None)


def test_kinds_of_scores_of_which_one_has_equal_means_are_not_said_to_agree(evaluation, sketch):
    said = sketch(some_runs(evaluation, EVEN, OTHER))
    assert "a has the same mean as b: AP +0.000, " in said
    assert "But by N-AP, a is ahead: +0.133, " in said
    assert "agree" not in said
    assert "b is ahead of a, but not significantly: N-AP " in sketch(some_runs(evaluation, OTHER, OTHER[::-1]))
    said = sketch(some_runs(evaluation, OTHER, EVEN))
    assert re.search(r"a is ahead of b, but not significantly: AP \+0\.133, .* wins 1, ties 2 and loses 0", said)
    assert "But by N-AP, a has the same mean as b: +0.000, " in said
    assert "agree" not in said


def test_a_difference_of_zero_has_no_sign(evaluation, sketch):
    assert "-0.000" not in sketch(some_runs(evaluation, EVEN, EVEN[:1] * 2))


def test_a_run_that_leads_by_raw_scores_is_named_in_the_answer(evaluation, sketch):
    said = sketch(some_runs(evaluation, [*OTHER, [0.95, 0.8, 0.4]], [*OTHER, [0.1, 0.1, 0.1]]))
    assert "But c has the highest mean of all runs by AP." in said
    assert "Standardized scores agree on these two: N-AP" in said
    assert "highest mean" not in sketch(some_runs(evaluation, OTHER, OTHER))


def test_the_answer_and_the_forest_show_the_same_interval_without_negative_zeros(evaluation, sketch):
    """The interval begins at -0.00005, by 3 / (2 sqrt(3)) times the critical value of Student's t of 95% and 2."""
    low = -0.00005
    half = stats.t.ppf(0.975, 2) * np.std([0, 0.001, 0.002], ddof=1) / np.sqrt(3)
    differences = np.array([0, 0.001, 0.002]) - 0.001 + half + low
    raw = ([0.5, 0.5, 0.5], (0.5 + differences).tolist())
    said = sketch(replace(some_runs(evaluation, raw, raw), baseline=0))
    difference, interval = f"+{half + low:.3f}", f"[0.000, +{2 * half + low:.3f}], adjusted p "
    assert said.count(f"AP {difference}, 95% interval {interval}") == 2  # raw and standardized
    assert said.count(f"{difference} {interval}") == 1  # the forest
    assert "-0.000" not in said.partition("Leaderboard Runs")[0]


def test_without_a_baseline_the_forest_has_the_sign_of_the_answer(evaluation):
    evaluated = evaluation(NAMES, baseline=None)
    rows = tables.forest(evaluated, evaluated.results[-1])["rows"]
    assert [row["difference"][0] for row in rows] == ["+"] * 3


@pytest.mark.parametrize("baseline", [0, None])
def test_runs_that_are_not_tested_do_not_count_as_similar(evaluation, sketch, with_gaps, baseline: int | None):
    said = sketch(with_gaps(evaluation(NAMES), {1: slice(1, None)}, baseline=baseline))
    counts = re.search(r"Of the 3 runs compared with \w+ by (?:N-)?AP, ([^.]+)\.", said)
    assert counts is not None
    assert counts[1].endswith("and 1 is not tested (incomplete)")
    assert sum(int(n) for n in re.findall(r"\d+", counts[1])) == 3


def test_the_page_of_one_run(evaluation, sketch):
    whole = evaluation(NAMES, baseline=None, judged={str(i): (9, 2) for i in range(1, 13)})
    alone = whole.raw.select(systems=["beta"])
    raw = replace(whole, raw=alone, standardized=None, scheme="raw", references=None, judged=np.array([0.9]))
    said = sketch(raw)
    ap = f"{alone.values[0, :, 0].mean():.3f}, 95% interval ["
    assert f"There is one run, beta, and no other to compare it with. AP of beta: {ap}" in said
    assert "N-AP" not in said
    assert not re.search(r"\bruns\b", said.split("Provenance")[1])
    factors = fit_factors(whole.raw)
    said = sketch(replace(raw, standardized=standardize(alone, factors), scheme="N", references=whole.references))
    assert "AP of beta N-AP of beta" in said


def test_runs_with_one_topic_or_none_in_common_have_a_page(evaluation, sketch, with_gaps):
    assert "no run can be called better. AP of " in sketch(evaluation(NAMES, n_topics=1, baseline=None))
    apart = with_gaps(evaluation(NAMES[:2]), {0: slice(0, 6), 1: slice(6, None)}, baseline=None)
    assert "no run can be called better" in sketch(apart)


def test_long_names_are_shortened_and_kept_apart(evaluation):
    long = ("x" * 5000 + "1", "x" * 5000 + "2", "x" * 5000 + "3")
    page = report(evaluation(long))
    assert "x" * 81 not in page
    assert all(f"x{end}</bdi></span></th>" in page for end in "123")
