"""JUnit XML as a parser reads it."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from stdeval.formats.junit import Case, junit_xml


@given(st.text(st.characters(exclude_categories=())))
def test_any_name_makes_xml_that_parses(name: str) -> None:
    """Also control characters, and surrogates, which stand for bytes that are not UTF-8."""
    written = junit_xml("gate", [Case(name, name, "failure", name, name)])
    kept = ElementTree.fromstring(written.encode("utf-8"))[0][0].get("classname") or ""
    assert len(kept) == len(name)
    assert all(a in (b, "\ufffd") for a, b in zip(kept, name, strict=True))
