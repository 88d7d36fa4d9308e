"""Elements of the page: text is escaped, and pictures can stand beside each other."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.html.elements import Head, element, number, table, text, with_interval
from stdeval.html.page import framed

VOID = {"meta", "link"}


class Strict(HTMLParser):
    """Collect texts and tags, and fail at a closing tag without its opening one."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.tags: list[str] = []

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


def parsed(markup: str) -> Strict:
    parser = Strict()
    parser.feed(markup)
    parser.close()
    assert not parser.open
    return parser


@given(st.text())
def test_any_text_is_shown_as_it_is(plain: str):
    page = parsed(element("p", text(plain), title=plain))
    assert page.tags == ["p"]
    shown = "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in plain)
    assert "".join(page.texts) == shown


def test_unprintable_characters_are_replaced():
    # bytes that are no UTF-8 are surrogates inside; a NUL is not allowed in HTML, an override turns text around
    assert text("a\udcffb\0c\u202ed") == "a\ufffdb\ufffdc\ufffdd"
    text("\udcff").encode("utf-8")


def test_missing_numbers_are_dashes():
    assert number(0.12345) == "0.1235"
    assert number(float("nan")) == "–"
    assert with_interval(0.5, 0.25, 0.75, ".2f") == "0.50<small>[0.25, 0.75]</small>"
    assert with_interval(0.5, float("nan"), float("nan")) == "0.5000"


def test_cells_of_a_table_have_scopes_and_classes():
    markup = table("All.", [Head("Run", False), Head("map")], [[text("a&b"), number(0.5)]])
    root = ElementTree.fromstring(markup)
    assert root.get("tabindex") == "0"
    assert [(cell.tag, cell.get("scope"), cell.get("class"), cell.text) for cell in root.iter() if cell.text] == [
        ("caption", None, None, "All."),
        ("th", "col", None, "Run"),
        ("th", "col", "number", "map"),
        ("th", "row", None, "a&b"),
        ("td", None, "number", "0.5000"),
    ]


def test_page_has_nothing_from_elsewhere():
    whole = framed("A <title>", [("one", "One & only", text("content"))], "note")
    assert not re.findall(r"https?:|//[a-z]|@import|url\(", whole)
    assert whole.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert "default-src 'none'" in whole
    assert parsed(whole).texts.count("One & only") == 2


def test_pictures_keep_their_paths_and_their_ids_apart():
    pytest.importorskip("matplotlib")
    from stdeval import plots
    from stdeval.html.elements import picture

    figure = plots.weights(["rbp_p=0.8", "dcg"], np.array([[0.2, 0.16, 0.128], [1, 0.63, 0.5]]), ["dcg"])
    file = io.BytesIO()
    plots.save_figure(figure, file, "svg")
    whole = ElementTree.fromstring(file.getvalue())
    one, two = (picture(name, figure, f"<{name}>", "told & shown") for name in ("one", "two"))
    ids = [set(re.findall(r'\bid="([^"]+)"', each)) for each in (one, two)]
    assert len(ids[0]) > 10
    assert not ids[0] & ids[1]
    for each, own in zip((one, two), ids, strict=True):
        assert set(re.findall(r'(?:href="|url\()#([^")]+)', each)) <= own
        assert "<!--" not in each and "<?xml" not in each and "<style" not in each
        assert "&lt;" in each and "told &amp; shown" in each
    space = ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg"'
    inline = ElementTree.fromstring(
        re.search(r"<svg.*</svg>", one, re.DOTALL)[0].replace("<svg", f"<svg{space}", 1)
    )
    path = "{http://www.w3.org/2000/svg}path"
    drawn, kept = ([" ".join(p.get("d", "").split()) for p in tree.iter(path)] for tree in (whole, inline))
    assert kept == drawn
