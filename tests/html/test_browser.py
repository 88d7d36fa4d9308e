"""A report in a real browser: it sorts, shows hostile names as text, asks for nothing, in light and dark."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from stdeval.html import report

HOSTILE = (
    "<script>document.title='owned'</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "</title></style></svg><h1 id=injected>",
    "$x^2$ & ünïcode <!-- -->",
)
COLUMN = """
    const table = document.querySelectorAll("table.sortable")[arguments[0]];
    return [...table.tBodies[0].rows].map((row) => row.cells[arguments[1]].innerText.split("\\n")[0]);
"""
CLICK = """
    const head = document.querySelectorAll("table.sortable")[arguments[0]].tHead.rows[0].cells[arguments[1]];
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


def column(browser, table: int, place: int) -> list[str]:
    return browser.run(COLUMN, table, place)


def test_tables_sort_by_number_and_by_name(browser, evaluation, tmp_path: Path):
    names = ("run10", "run9", "alpha", "Beta", "run100")
    browser.open(written(tmp_path, evaluation(names)))
    assert browser.run(CLICK, 0, 1) == "descending"
    values = [float(cell) for cell in column(browser, 0, 1)]
    assert values == sorted(values, reverse=True)
    assert browser.run(CLICK, 0, 1) == "ascending"
    assert [float(cell) for cell in column(browser, 0, 1)] == values[::-1]
    assert browser.run(CLICK, 0, 0) == "ascending"
    assert column(browser, 0, 0) == ["alpha", "Beta", "run9", "run10", "run100"]
    assert browser.run("return document.querySelectorAll('[aria-sort]').length") == 1
    assert browser.run(CLICK, 1, 0) == "ascending"
    assert column(browser, 1, 0) == [str(i) for i in range(1, 13)]
    assert browser.console() == []


def test_headers_are_reached_and_pressed_by_keyboard(browser, three: Path):
    browser.open(three)
    tab, enter = "\ue004", "\ue007"
    browser.run("document.querySelector('.scroll').focus()")
    browser.press(tab, tab)
    assert browser.run("return document.activeElement.innerText") == "map"
    browser.press(enter)
    assert browser.run("return document.activeElement.closest('th').getAttribute('aria-sort')") == "descending"


def test_hostile_names_are_text(browser, evaluation, tmp_path: Path):
    evaluated = evaluation(HOSTILE, warnings=HOSTILE, command=HOSTILE[0])
    browser.open(written(tmp_path, evaluated))
    assert browser.run("return document.title") == "Evaluation of 4 runs on 12 topics"
    assert browser.run("return document.querySelectorAll('#injected, main img, main script').length") == 0
    assert browser.run("return document.querySelectorAll('h1, script').length") == 2
    assert sorted(column(browser, 0, 0)) == sorted(HOSTILE)
    assert browser.run("return document.querySelector('pre').innerText") == HOSTILE[0]
    assert browser.console() == []


def test_a_hostile_title_is_text(browser, evaluation, tmp_path: Path):
    browser.open(written(tmp_path, evaluation(("a", "b", "c")), title=HOSTILE[2], date=HOSTILE[0]))
    assert browser.run("return document.querySelector('h1').innerText") == HOSTILE[2]
    assert browser.run("return document.title") == HOSTILE[2]


def test_nothing_is_asked_for_but_the_page(browser, three: Path):
    browser.requests()
    browser.open(three)
    browser.run(CLICK, 0, 1)
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
        "return [...document.querySelectorAll('svg')].map((e) => [e.getAttribute('role'),"
        " ...e.getAttribute('aria-labelledby').split(' ').map((id) => document.getElementById(id).textContent)])"
    )
    assert len(pictures) == 4
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
