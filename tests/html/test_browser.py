"""A report in a real browser: it sorts, shows hostile names as text, asks for nothing, in light and dark."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

from stdeval.html import report
from stdeval.stats.corrections import range_test
from stdeval.stats.pairwise import Design

HOSTILE = (
    "<script>document.title='owned'</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "</title></style></svg><h1 id=injected>",
    "$x^2$ & ünïcode <!-- -->",
)
COLUMN = """
    const table = document.getElementById(`table-${arguments[0]}`);
    return [...table.tBodies[0].rows].filter((row) => !row.hidden)
      .map((row) => row.cells[arguments[1]].innerText.split("\\n")[0]);
"""
CLICK = """
    const head = document.getElementById(`table-${arguments[0]}`).tHead.rows[0].cells[arguments[1]];
    head.querySelector("button").click();
    return head.getAttribute("aria-sort");
"""


def written(folder: Path, evaluated, **options) -> Path:
    path = folder / "report.html"
    path.write_text(report(evaluated, **options), encoding="utf-8")
    return path


def column(browser, table: str, place: int) -> list[str]:
    return browser.run(COLUMN, table, place)


def test_tables_sort_by_number_and_by_name(browser, evaluation, tmp_path: Path):
    names = ("run10", "run9", "alpha", "Beta", "run100")
    browser.open(written(tmp_path, evaluation(names)))
    assert browser.run(CLICK, "leaderboard", 2) == "descending"
    values = [float(cell) for cell in column(browser, "leaderboard", 2)]
    assert values == sorted(values, reverse=True)
    assert browser.run(CLICK, "leaderboard", 2) == "ascending"
    assert [float(cell) for cell in column(browser, "leaderboard", 2)] == values[::-1]
    assert browser.run(CLICK, "leaderboard", 0) == "ascending"
    assert column(browser, "leaderboard", 0) == ["alpha", "Beta", "run9", "run10", "run100"]
    assert browser.run("return document.querySelectorAll('#table-leaderboard [aria-sort]').length") == 1
    assert browser.run(CLICK, "topics", 0) == "ascending"
    assert column(browser, "topics", 0) == [str(i) for i in range(1, 13)]
    # the least p-value is first, and one that is below 1e-4 is a number as well
    assert browser.run(CLICK, "comparison-map", 6) == "ascending"
    pvalues = [float(cell) for cell in column(browser, "comparison-map", 6)]
    assert pvalues == sorted(pvalues)
    assert browser.console() == []


def test_hostile_names_are_text(browser, evaluation, tmp_path: Path):
    evaluated = evaluation(HOSTILE, warnings=HOSTILE, command=HOSTILE[0])
    browser.open(written(tmp_path, evaluated))
    assert browser.run("return document.title") == "Evaluation of 4 runs on 12 topics"
    assert browser.run("return document.querySelectorAll('#injected, main img, main script').length") == 0
    assert browser.run("return document.querySelectorAll('h1, script').length") == 3
    assert sorted(column(browser, "leaderboard", 0)) == sorted(HOSTILE)
    assert browser.run("return document.querySelector('pre').innerText") == HOSTILE[0]
    assert browser.console() == []


def test_nothing_is_asked_for_but_the_page_and_the_policy_stops_what_is_injected(
    browser, evaluation, tmp_path: Path
):
    path = written(tmp_path, evaluation(("a", "b", "c")))
    browser.requests()
    browser.open(path)
    browser.run(CLICK, "leaderboard", 2)
    asked = browser.requests()
    assert {address.split(":")[0] for address in asked} <= {"file", "data"}
    assert [address for address in asked if address.startswith("file:")] == [path.as_uri()]
    assert browser.run("return performance.getEntriesByType('resource').map((e) => e.name)") == []
    browser.run(
        "const s = document.createElement('script'); s.textContent = 'document.title = \"owned\"';"
        "document.body.append(s);"
    )
    assert browser.run("return document.title") != "owned"
    assert any("Content Security Policy" in line for line in browser.console())


def soon(holds: Callable[[], bool]) -> bool:
    """Return whether a condition comes to hold within five seconds: a busy browser lays out a page late."""
    return any(holds() or time.sleep(0.1) for _ in range(50))


def test_all_rows_are_printed_and_no_links_to_sections(browser, evaluation, tmp_path: Path):
    browser.open(written(tmp_path, evaluation(("a", "b", "c"), n_topics=60)))
    clipped = "return [...document.querySelectorAll('.scroll')].some((e) => e.scrollHeight > e.clientHeight + 1)"
    hidden = "return getComputedStyle(document.querySelector('nav')).display === 'none'"
    assert soon(lambda: (browser.run(clipped), browser.run(hidden)) == (True, False))
    browser.emulate("print")
    try:
        assert soon(lambda: (browser.run(clipped), browser.run(hidden)) == (False, True))
    finally:
        browser.emulate("")


TYPE = """
    const input = document.getElementById(`filter-${arguments[0]}`);
    input.value = arguments[1];
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    return document.querySelector(".filters output").innerText;
"""


def test_filters_hide_rows_and_say_how_many_are_shown(browser, evaluation, tmp_path: Path):
    browser.open(written(tmp_path, evaluation(("run10", "run9", "alpha", "Beta", "run100"))))
    assert browser.run(TYPE, "run", "RUN1") == "Showing 2 of 5 runs, 12 of 12 topics."
    assert sorted(column(browser, "leaderboard", 0)) == ["run10", "run100"]
    assert sorted(column(browser, "gains", 0)) == ["run10", "run100"]
    assert len(column(browser, "topics", 0)) == 12
    caption = "return document.querySelector('#table-leaderboard caption .showing').innerText.trim()"
    assert browser.run(caption) == "Showing 2 of 5."
    assert browser.run(TYPE, "topic", "12") == "Showing 2 of 5 runs, 1 of 12 topics."
    assert [name.split()[-1] for name in column(browser, "topics", 0)] == ["12"]


PICK = """
    for (const [name, place] of Object.entries(arguments[0])) {
        const picker = document.getElementById(name);
        picker.value = place;
        picker.dispatchEvent(new Event("change", { bubbles: true }));
    }
    return document.getElementById("compared").innerText;
"""


@pytest.mark.parametrize("correction", ["none", "default"])
def test_any_two_runs_are_compared_as_the_tables_compare_them(browser, evaluation, tmp_path: Path, correction: str):
    names = ("a", "b", "c", "d", "e")
    evaluated = replace(evaluation(names, n_topics=40, baseline=None), design=Design(correction=correction))
    browser.open(written(tmp_path, evaluated))
    for kind in (0, 1):
        scores = evaluated.kinds[kind].scores[evaluated.order]
        joint = range_test(scores, 0.95, np.random.default_rng(0), 10_000)
        for first, second in ((0, 1), (0, 4), (3, 1)):
            said = browser.run(PICK, {"first": first, "second": second, "kind": kind})
            test, difference = stats.ttest_rel(scores[first], scores[second]), scores[first] - scores[second]
            (low, high), expected, adjusted = test.confidence_interval(), test.pvalue, ""
            if correction == "default":
                low, high = difference.mean() - joint.critical, difference.mean() + joint.critical
                expected, adjusted = joint.pvalues[first, second], "adjusted "
            assert f" {difference.mean():+.4f} [{low:.4f}, {high:.4f}], {adjusted}p " in said
            assert float(said.split("p ")[1].split("; ")[0]) == pytest.approx(expected, rel=5e-3)
            assert f"wins {(difference > 0).sum()}, ties 0, loses {(difference < 0).sum()} of 40" in said
            worst = [t for t in np.argsort(difference)[:3] if difference[t] < 0]
            told = ", ".join(f"{evaluated.raw.topics[t]} ({difference[t]:+.2f})" for t in worst)
            lost = f"; loses most on topic{'s' if len(worst) > 1 else ''} {told}" if worst else " topics"
            assert said.endswith(f"{lost}.")
    assert browser.run("return document.querySelectorAll('.bars g').length") == 40
    assert "Choose two runs." in browser.run(PICK, {"first": 1, "second": 1})
    assert browser.console() == []


def test_pairs_without_the_baseline_are_not_tested(browser, evaluation, tmp_path: Path):
    browser.open(written(tmp_path, evaluation(("a", "b", "c"), baseline=0)))
    told = [
        ", adjusted p " in browser.run(PICK, {"first": first, "second": second})
        for first, second in ((0, 1), (1, 2), (0, 2))
    ]
    assert sorted(told) == [False, True, True]


def test_a_topic_opens_the_scores_of_all_runs(browser, evaluation, tmp_path: Path):
    evaluated = evaluation(("a", "b", "c"))
    browser.open(written(tmp_path, evaluated))
    opened = browser.run(
        "document.querySelector('#table-topics .open').click();"
        "return [...document.querySelectorAll('.opened li')].map((e) => e.innerText)"
    )
    scores = [kind.scores[evaluated.order, evaluated.topic_order[0]] for kind in evaluated.kinds]
    assert opened == [
        f"{evaluated.systems[i]} AP {raw:.4f}, N-AP {standardized:.4f}"
        for i, raw, standardized in zip(evaluated.order, *scores, strict=True)
    ]
    browser.run(CLICK, "topics", 0)
    assert browser.run("return document.querySelectorAll('.opened').length") == 0


def test_tables_are_saved_as_csv(browser, evaluation, tmp_path: Path):
    evaluated = evaluation(("a", 'b, "quoted"', "c"), baseline=0)
    browser.open(written(tmp_path, evaluated))
    leaderboard = browser.run("return csv(document.getElementById('table-leaderboard'))").splitlines()
    assert leaderboard[0].startswith("Run,Topics,AP,AP.low,AP.high,N-AP,N-AP.low,N-AP.high,")
    assert sorted(line.split(",")[0] for line in leaderboard[1:]) == ['"b', "a", "c"]
    assert any(line.startswith('"b, ""quoted""",12,0.') for line in leaderboard)
    saved = browser.run(
        "const [made, real] = [[], URL.createObjectURL]; URL.createObjectURL = (b) => (made.push(b), real(b));"
        "document.querySelector('button.csv').click(); return [made.length, made[0].type]"
    )
    assert saved == [1, "text/csv"]
    assert browser.console() == []


@pytest.mark.skipif("AXE_CORE" not in os.environ, reason="AXE_CORE names no axe.min.js of `npm install axe-core`")
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_violation_of_the_guidelines_on_accessibility(open_browser, evaluation, tmp_path: Path, dark):
    shown, axe = open_browser(dark), Path(os.environ["AXE_CORE"]).read_text(encoding="utf-8")
    evaluated = evaluation(("a", "b", "c"), warnings=("careful",), judged={str(i): (9, 2) for i in range(1, 13)})
    shown.open(written(tmp_path, evaluated))
    shown.run("document.querySelector('#table-topics .open').click()")
    shown.run(f"{axe}; axe.run(document).then((found) => (window.found = found));")
    assert soon(lambda: shown.run("return Boolean(window.found)"))
    violations = shown.run(
        "return window.found.violations.map((v) => [v.id, ...v.nodes.map((n) => n.html.slice(0, 200))])"
    )
    assert violations == []
    assert shown.run("return window.found.passes.length") > 20
