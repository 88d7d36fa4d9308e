"""JUnit XML as a parser reads it."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from stdeval.formats.junit import Case, junit_xml

CASES = [
    Case("new", "min map=0.3"),
    Case("new", "max-drop map=0", "failure", "drop 0.1", "lost most on 7 (-0.5)"),
    Case("stdeval", "check", "error", "a.run:3: wrong"),
]


def test_counts_and_problems() -> None:
    suite = ElementTree.fromstring(junit_xml("gate", CASES))[0]
    assert suite.attrib == {"name": "gate", "tests": "3", "failures": "1", "errors": "1"}
    assert [[child.tag for child in case] for case in suite] == [[], ["failure"], ["error"]]
    assert suite[1][0].get("message") == "drop 0.1"
    assert suite[1][0].text == "lost most on 7 (-0.5)"


def test_the_same_every_time() -> None:
    assert junit_xml("gate", CASES) == junit_xml("gate", CASES)


@given(st.text(st.characters(exclude_categories=())))
def test_any_name_makes_xml_that_parses(name: str) -> None:
    """Also control characters, and surrogates, which stand for bytes that are not UTF-8."""
    written = junit_xml("gate", [Case(name, name, "failure", name, name)])
    case = ElementTree.fromstring(written.encode("utf-8"))[0][0]
    kept = case.get("classname") or ""
    assert len(kept) == len(name)
    assert all(a in (b, "\ufffd") for a, b in zip(kept, name, strict=True))
