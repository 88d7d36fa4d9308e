"""JUnit XML as a parser reads it."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from stdeval.formats.junit import Case, junit_xml

CASES = [
    Case("new", "min map=0.3", seconds=0.25),
    Case("new", "max-drop map=0", "failure", "drop 0.1", "lost most on 7 (-0.5)", seconds=0.5),
    Case("new", "min P_5=1", "failure", "mean 0.5"),
    Case("stdeval", "check", "error", "a.run:3: wrong"),
]


def test_counts_times_and_messages_are_those_of_the_cases() -> None:
    root = ElementTree.fromstring(junit_xml("gate", CASES, 1.5, ["warning: a", "warning: b"]))
    counts = {"tests": "4", "failures": "2", "errors": "1", "time": "1.500"}
    assert (root.tag, root.attrib) == ("testsuites", counts)
    assert (root[0].tag, root[0].attrib) == ("testsuite", {"name": "gate"} | counts)
    *cases, printed = root[0]
    assert [[child.tag for child in case] for case in cases] == [[], ["failure"], ["failure"], ["error"]]
    assert [case.get("time") for case in cases] == ["0.250", "0.500", "0.000", "0.000"]
    # GitLab shows the text alone, others the message alone
    problems = [problem for case in cases for problem in case]
    assert [problem.get("message") for problem in problems] == ["drop 0.1", "mean 0.5", "a.run:3: wrong"]
    texts = ["drop 0.1\nlost most on 7 (-0.5)", "mean 0.5", "a.run:3: wrong"]
    assert [problem.text for problem in problems] == texts
    assert (printed.tag, printed.text) == ("system-err", "warning: a\nwarning: b")


@given(st.text(st.characters(exclude_categories=())))
def test_any_name_makes_xml_that_parses(name: str) -> None:
    """Also control characters, and surrogates, which stand for bytes that are not UTF-8."""
    written = junit_xml("gate", [Case(name, name, "failure", name, name)])
    kept = ElementTree.fromstring(written.encode("utf-8"))[0][0].get("classname") or ""
    assert len(kept) == len(name)
    assert all(a in (b, "\ufffd") for a, b in zip(kept, name, strict=True))
