"""A report in a real browser: it sorts, shows hostile names as text, asks for nothing, in light and dark."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

from stdeval.html import Evaluated, report
from stdeval.standardization.schemes import standardize
from stdeval.table import ScoreTable

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


@pytest.fixture(scope="module")
def three(evaluation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of three runs."""
    return written(tmp_path_factory.mktemp("three"), evaluation(("a", "b", "c")))


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


def test_headers_are_reached_and_pressed_by_keyboard(browser, three: Path):
    browser.open(three)
    tab, enter = "\ue004", "\ue007"
    browser.run("document.querySelector('.scroll').focus()")
    browser.press(tab, tab, tab)
    assert browser.run("return document.activeElement.getAttribute('aria-label')") == "Sort by AP"
    browser.press(enter)
    assert browser.run("return document.activeElement.closest('th').getAttribute('aria-sort')") == "descending"


def test_hostile_names_are_text(browser, evaluation, tmp_path: Path):
    evaluated = evaluation(HOSTILE, warnings=HOSTILE, command=HOSTILE[0])
    browser.open(written(tmp_path, evaluated))
    assert browser.run("return document.title") == "Evaluation of 4 runs on 12 topics"
    assert browser.run("return document.querySelectorAll('#injected, main img, main script').length") == 0
    assert browser.run("return document.querySelectorAll('h1, script').length") == 3
    assert sorted(column(browser, "leaderboard", 0)) == sorted(HOSTILE)
    assert browser.run("return document.querySelector('pre').innerText") == HOSTILE[0]
    assert browser.console() == []


def test_a_hostile_title_is_text(browser, evaluation, tmp_path: Path):
    browser.open(written(tmp_path, evaluation(("a", "b", "c")), title=HOSTILE[2], date=HOSTILE[0]))
    assert browser.run("return document.querySelector('h1').innerText") == HOSTILE[2]
    assert browser.run("return document.title") == HOSTILE[2]


def test_nothing_is_asked_for_but_the_page(browser, three: Path):
    browser.requests()
    browser.open(three)
    browser.run(CLICK, "leaderboard", 2)
    asked = browser.requests()
    assert three.as_uri() in asked
    assert {address.split(":")[0] for address in asked} <= {"file", "data"}
    assert [address for address in asked if address.startswith("file:")] == [three.as_uri()]
    assert browser.run("return performance.getEntriesByType('resource').map((e) => e.name)") == []


def test_the_policy_stops_what_is_injected(browser, three: Path):
    browser.open(three)
    browser.run(
        "const s = document.createElement('script'); s.textContent = 'document.title = \"owned\"';"
        "document.body.append(s);"
    )
    assert browser.run("return document.title") != "owned"
    assert any("Content Security Policy" in line for line in browser.console())


def test_ids_are_unique_and_pictures_have_words(browser, three: Path):
    browser.open(three)
    ids = browser.run("return [...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(set(ids)) == len(ids)
    links = browser.run(
        "return [...document.querySelectorAll('[href], [*|href]')]"
        ".map((e) => e.getAttribute('href') || e.getAttribute('xlink:href')).filter((h) => h.startsWith('#'))"
    )
    assert len(links) > 50
    assert {link[1:] for link in links} <= set(ids)
    pictures = browser.run(
        "return [...document.querySelectorAll('.drawn svg')].map((e) => [e.getAttribute('role'),"
        " ...e.getAttribute('aria-labelledby').split(' ').map((id) => document.getElementById(id).textContent)])"
    )
    assert len(pictures) >= 4
    assert all(role == "img" and len(title) > 10 and len(told) > 30 for role, title, told in pictures)


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read_in_light_and_dark(open_browser, three: Path, dark: bool):
    shown = open_browser(dark)
    shown.open(three)
    colour = (
        "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]].match(/\\d+/g).map(Number)"
    )
    paper, ink = (luminance(shown.run(colour, "body", name)) for name in ("backgroundColor", "color"))
    assert (paper < ink) == dark
    for inside, behind in (("body", "body"), ("caption", "body"), ("nav a", "body"), ("figcaption", "figure")):
        one = luminance(shown.run(colour, inside, "color"))
        other = luminance(shown.run(colour, behind, "backgroundColor"))
        assert (max(one, other) + 0.05) / (min(one, other) + 0.05) >= 4.5, inside  # WCAG 2.1, 1.4.3
    assert shown.run(colour, "figure", "backgroundColor") == [255, 255, 255]


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


def luminance(colour: list[int]) -> float:
    """Relative luminance as WCAG 2.1 defines it."""
    linear = [c / 255 / 12.92 if c / 255 <= 0.03928 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_titles_of_columns_stay_in_print(browser, three: Path):
    """The button, which browsers do not repeat on each page, holds nothing but the sign of the order."""
    browser.open(three)
    titles = browser.run(
        "return [...document.querySelectorAll('.data thead th')].map((e) => [e.firstChild.nodeName, e.textContent])"
    )
    assert {name for name, _ in titles} == {"#text"}
    browser.emulate("print")
    try:
        shown = "return getComputedStyle(document.querySelector('.data thead')).display"
        assert soon(lambda: browser.run(shown) == "table-header-group")
    finally:
        browser.emulate("")


@pytest.fixture
def resize(browser):
    """Set the width of the browser's pages, for this test only."""
    yield browser.resize
    browser.resize(0)


HINTS = (
    "return [...document.querySelectorAll(arguments[0])].map((hint) => [hint.offsetWidth > 0, hint.textContent])"
)


def test_pictures_that_are_wider_than_the_screen_say_so(browser, three: Path, resize):
    for width, is_told in ((400, True), (1280, False)):
        resize(width)
        browser.open(three)
        hints = browser.run(HINTS, "figure:not(.still) .wider, #redrawn > .wider")
        assert hints == [[is_told, "Scroll sideways for the whole picture →"]] * 4


@pytest.mark.parametrize("n_runs", [12, 79])
def test_tables_of_11_columns_fit_a_screen_of_1280_pixels(browser, evaluation, tmp_path: Path, resize, n_runs: int):
    resize(1280)
    whole = evaluation(tuple(f"uogTrDPH_QE_RF_SB_{i:02d}" for i in range(n_runs)))
    values = np.concatenate([whole.raw.values, whole.raw.values[:, :, :1]], axis=2)
    raw = ScoreTable(whole.raw.systems, whole.raw.topics, ("map", "P_10", "ndcg_cut_10"), values)
    judged = np.ones(n_runs)
    browser.open(written(tmp_path, replace(whole, raw=raw, standardized=standardize(raw), judged=judged)))
    table = "const it = document.getElementById('table-leaderboard');"
    assert browser.run(f"{table} return it.scrollWidth - it.parentElement.clientWidth") == 0
    assert browser.run("return document.querySelectorAll('#table-leaderboard thead th').length") == 11
    heights = browser.run(
        "return [...document.querySelectorAll('#table-leaderboard tbody th span')].map((e) => e.offsetHeight)"
    )
    assert max(heights) < 30


def test_p_values_do_not_break_at_their_hyphens(browser, evaluation, tmp_path: Path, resize):
    resize(800)
    browser.open(written(tmp_path, evaluation(("covidex.r5.d2q.2s.lr", "CSIROmedFR"), n_topics=200)))
    style = "return getComputedStyle(document.querySelector('#table-comparison-map td:nth-child(7)')).whiteSpace"
    assert browser.run(style) == "nowrap"


def test_the_bars_of_equal_runs_say_that_all_differences_are_0(browser, evaluation, tmp_path: Path):
    whole = evaluation(("a", "b"))
    same = np.repeat(whole.raw.values[:1], 2, axis=0)
    raw = replace(whole.raw, values=same)
    browser.open(written(tmp_path, replace(whole, raw=raw, standardized=standardize(raw))))
    texts = browser.run(
        "return [...document.querySelectorAll('#redrawn svg text')].map((each) => each.textContent)"
    )
    assert texts == ["all differences are 0"]


def test_79_runs_are_printed_on_at_most_12_pages(browser, evaluation, tmp_path: Path):
    names = tuple(f"organization.round5.method{i}" for i in range(79))
    evaluated = evaluation(names, n_topics=50, baseline=None)
    raw, standardized = (
        ScoreTable(names, table.topics, ("map", "P_10", "ndcg_cut_10"), table.values[:, :, [0, 1, 0]])
        for table in (evaluated.raw, evaluated.standardized)
    )
    standardized = replace(standardized, measures=("Nmap", "NP_10", "Nndcg_cut_10"))
    all_judged = np.ones(len(names))
    browser.open(written(tmp_path, replace(evaluated, raw=raw, standardized=standardized, judged=all_judged)))
    assert 2 < len(re.findall(rb"/Type\s*/Page\b", browser.printed())) <= 12


def with_measures(evaluated: Evaluated, n: int) -> Evaluated:
    """Return an evaluation by more measures, with the judged share of each run."""
    raw, names = evaluated.raw, ("map", *(f"ndcg_cut_{10 * i}" for i in range(1, n)))
    table = ScoreTable(raw.systems, raw.topics, names, raw.values[:, :, [0, *[1] * (n - 1)]])
    return replace(evaluated, raw=table, standardized=standardize(table), judged=np.ones(len(raw.systems)))


@pytest.fixture
def printing(browser):
    """Show pages as on A4 paper: 186 mm between margins of 12 mm are 703 pixels at 96 per inch."""
    browser.resize(703)
    browser.emulate("print")
    yield browser
    browser.emulate("")
    browser.resize(0)


WIDEST = """
    return Math.max(...[...document.querySelectorAll("main *")].filter((e) => !e.closest("svg, .unseen"))
      .map((e) => e.getBoundingClientRect().right));
"""


@pytest.mark.parametrize(("n_runs", "n_measures"), [(126, 3), (8, 3), (8, 6)])
def test_nothing_is_wider_than_a_printed_page(printing, evaluation, tmp_path: Path, n_runs: int, n_measures: int):
    names = tuple(f"organization-{i:03d}-bm25" for i in range(n_runs))
    whole = evaluation(names, judged={str(i): (900, 250) for i in range(1, 13)})
    printing.open(written(tmp_path, with_measures(whole, n_measures)))
    assert printing.run(WIDEST) <= 703


SPLIT = """
    dispatchEvent(new Event("beforeprint"));
    return [...document.querySelectorAll("#runs table.data")].filter((table) => table.offsetWidth)
      .map((table) => [...table.tHead.rows[0].cells].map((head) => head.textContent));
"""


@pytest.mark.parametrize("n_runs", [2, 126])
@pytest.mark.parametrize("n_measures", [4, 9, 14])
def test_a_leaderboard_by_many_measures_is_printed_in_parts(
    printing, evaluation, tmp_path: Path, n_runs: int, n_measures: int
):
    names = tuple(f"organization-{i:03d}-bm25" for i in range(n_runs))
    evaluated = with_measures(evaluation(names), n_measures)
    printing.open(written(tmp_path, evaluated))
    whole = printing.run(
        "return [...document.querySelectorAll('#table-leaderboard thead th')].map((e) => e.textContent)"
    )
    parts = printing.run(SPLIT)
    assert all(part[0] == "Run" and len(part) <= 11 for part in parts)
    assert sorted(title for part in parts for title in part[1:]) == sorted(whole[1:])
    assert parts[0][-3:] == ["Group by AP", "Group by N-AP", "Judged@10"]
    assert printing.run(WIDEST) <= 703
    printing.run("dispatchEvent(new Event('afterprint'))")
    assert printing.run("return document.querySelectorAll('#runs table.data').length") == 1


def test_the_parts_of_a_leaderboard_are_sorted_and_filtered_as_the_whole(printing, evaluation, tmp_path: Path):
    printing.open(written(tmp_path, with_measures(evaluation(("a1", "b1", "c2", "d1")), 9)))
    printing.run(CLICK, "leaderboard", 0)
    printing.run(TYPE, "run", "1")
    printing.run(SPLIT)
    rows = printing.run(
        "return [...document.querySelectorAll('.parts table')].map((table) => [...table.tBodies[0].rows]"
        ".filter((row) => row.offsetHeight).map((row) => row.cells[0].textContent))"
    )
    assert rows == [["a1", "b1", "d1"]] * 3
    captions = printing.run("return [...document.querySelectorAll('.parts caption')].map((e) => e.innerText)")
    assert [text.split(". ", 1)[1] for text in captions] == [f"Showing 3 of 4. Part {k} of 3." for k in (1, 2, 3)]


def test_numbers_of_the_forest_stay_in_one_line_in_print(printing, evaluation, tmp_path: Path):
    names = tuple(f"organization-{i}-bm25" for i in range(8))
    printing.open(written(tmp_path, evaluation(names, n_topics=60, baseline=None)))
    heights = printing.run("return [...document.querySelectorAll('.forest small')].map((e) => e.offsetHeight)")
    assert len(heights) == 7
    assert max(heights) < 14
    assert printing.run(WIDEST) <= 703


@pytest.mark.parametrize("medium", ["screen", "print"])
def test_a_name_keeps_apart_from_the_number_before_it(browser, evaluation, tmp_path: Path, medium: str):
    browser.open(written(tmp_path, evaluation(("a", "b"))))
    browser.emulate(medium)
    try:
        gaps = browser.run(
            "return [...document.querySelectorAll('.data .number + td:not(.number)')]"
            ".map((cell) => parseFloat(getComputedStyle(cell).paddingLeft))"
        )
        assert gaps and min(gaps) >= 10
    finally:
        browser.emulate("")


# The characters before which a line of a title begins, with the character before each.
BREAKS = """
    const range = document.createRange();
    return [...document.querySelectorAll("#table-leaderboard thead th")].flatMap((head) => {
      const [characters, walk] = [[], document.createTreeWalker(head, NodeFilter.SHOW_TEXT)];
      while (walk.nextNode()) {
        for (let i = 0; i < walk.currentNode.data.length; i += 1) {
          range.setStart(walk.currentNode, i);
          range.setEnd(walk.currentNode, i + 1);
          characters.push([walk.currentNode.data[i], range.getBoundingClientRect()]);
        }
      }
      return characters.slice(1).map(([c, box], i) => [...characters[i], c, box])
        .filter(([, above, , below]) => below.top > above.bottom - 2).map(([a, , b]) => a + b);
    });
"""


def test_titles_of_columns_break_at_spaces_only(printing, evaluation, tmp_path: Path):
    names = tuple(f"organization-{i}-bm25" for i in range(8))
    printing.open(written(tmp_path, with_measures(evaluation(names), 3)))
    breaks = printing.run(BREAKS)
    assert breaks and all(" " in pair for pair in breaks), breaks


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


def test_runs_without_a_rank_stay_below_and_ranked_ones_are_compared_on_the_topics_of_the_means(
    browser, evaluation, with_gaps, tmp_path: Path
):
    # the first three have topics of their own, on which they are not ranked; the last one is incomplete
    gaps = {3: slice(6, 12), 4: slice(6, 12), 5: slice(3, 12)}
    evaluated = with_gaps(evaluation(("a", "b", "c", "d", "e", "f"), baseline=None), gaps)
    assert evaluated.coverage.is_reduced
    assert int(evaluated.coverage.ranked.sum()) == 5
    browser.open(written(tmp_path, evaluated))
    last = evaluated.systems[evaluated.order[-1]]
    for order in ("ascending", "descending"):
        assert browser.run(CLICK, "leaderboard", 0) == order
        assert column(browser, "leaderboard", 0)[-1] == last
    first, second = (list(evaluated.order).index(system) for system in (0, 1))
    said = browser.run(PICK, {"first": first, "second": second, "kind": 0})
    assert " of 6 topics" in said
    means = evaluated.compared_means(0)
    assert f" {means[0] - means[1]:+.4f} [" in said


def test_any_two_runs_are_compared_as_scipy_compares_them(browser, evaluation, tmp_path: Path):
    names = ("a", "b", "c", "d", "e")
    evaluated = evaluation(names, n_topics=40)
    browser.open(written(tmp_path, evaluated))
    for kind in (0, 1):
        scores = evaluated.kinds[kind].scores[evaluated.order]
        for first, second in ((0, 1), (0, 4), (3, 1)):
            said = browser.run(PICK, {"first": first, "second": second, "kind": kind})
            test = stats.ttest_rel(scores[first], scores[second])
            low, high = test.confidence_interval()
            difference = scores[first] - scores[second]
            assert f" {difference.mean():+.4f} [{low:.4f}, {high:.4f}] (95%), p " in said
            p, adjusted = (part.split(", ")[0].split()[-1] for part in said.split(", p ")[1].split("; ")[:2])
            assert float(p) == pytest.approx(test.pvalue, rel=5e-3)
            tukey = evaluated.tukey[kind].pvalues[evaluated.order[first], evaluated.order[second]]
            assert float(adjusted) == pytest.approx(tukey, rel=5e-3, abs=1e-5)
            assert f"wins {(difference > 0).sum()}, ties 0, loses {(difference < 0).sum()} of 40" in said
            worst = [t for t in np.argsort(difference)[:3] if difference[t] < 0]
            told = ", ".join(f"{evaluated.raw.topics[t]} ({difference[t]:+.2f})" for t in worst)
            lost = f"; loses most on topic{'s' if len(worst) > 1 else ''} {told}" if worst else " topics"
            assert said.endswith(f"{lost}.")
    assert browser.run("return document.querySelectorAll('.bars g').length") == 40
    assert "Choose two runs." in browser.run(PICK, {"first": 1, "second": 1})
    assert browser.console() == []


def test_a_p_value_is_printed_in_digits_that_tell_whether_it_is_at_most_alpha(browser, three: Path):
    browser.open(three)
    assert browser.run("return [0.050004, 0.049996, 0.0123456, 0].map(significant)") == [
        "0.050004",
        "0.05",
        "0.0123",
        "0",
    ]


def test_a_difference_that_is_printed_as_0_has_no_sign(browser, evaluation, tmp_path: Path):
    whole = evaluation(("a", "b"))
    nearly = whole.raw.values[:1] + 1e-6 * np.array([0.0, -1.0])[:, np.newaxis, np.newaxis]
    raw = replace(whole.raw, values=np.array([*nearly]))
    browser.open(written(tmp_path, replace(whole, raw=raw, standardized=standardize(raw))))
    for first, second in ((0, 1), (1, 0)):
        assert " +0.0000 [0.0000, 0.0000]" in browser.run(PICK, {"first": first, "second": second, "kind": 0})


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


def test_the_heat_map_tells_run_topic_and_score(browser, evaluation, tmp_path: Path):
    evaluated = evaluation(("a", "b", "c"))
    browser.open(written(tmp_path, evaluated))
    told = browser.run(
        """
        const figure = document.getElementById("figure-heatmap");
        figure.scrollIntoView();
        const place = figure.querySelector("svg").getBoundingClientRect();
        return JSON.parse(figure.dataset.boxes).map(([left, top, width, height]) => {
          const clientX = place.left + place.width * (left + (1.5 / 12) * width);
          const clientY = place.top + place.height * (top + (2.5 / 3) * height);
          figure.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY }));
          return document.getElementById("tip").innerText;
        });
        """
    )
    run, topic = evaluated.order[2], evaluated.topic_order[1]
    assert told == [
        f"{evaluated.systems[run]}, topic {evaluated.topics[topic]}: {kind.name} {kind.scores[run, topic]:.4f}"
        for kind in evaluated.kinds
    ]


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, which finds violations of the guidelines on accessibility (WCAG)."""
    path = os.environ.get("AXE_CORE")
    if not path:
        pytest.skip("AXE_CORE names no axe.min.js, as `npm install axe-core` brings it")
    return Path(path).read_text(encoding="utf-8")


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_violation(open_browser, axe: str, evaluation, tmp_path: Path, dark: bool):
    shown = open_browser(dark)
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
