"""JUnit XML as a parser reads it, and as Jenkins validates it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.formats.junit import Case, junit_xml

CASES = [
    Case("new", "min map=0.3", seconds=0.25),
    Case("new", "max-drop map=0", "failure", "drop 0.1", "lost most on 7 (-0.5)", seconds=0.5),
    Case("new", "min P_5=1", "failure", "mean 0.5"),
    Case("stdeval", "check", "error", "a.run:3: wrong"),
]


class Rule(NamedTuple):
    """The attributes an element needs, those it may have besides, the elements in it, and whether it holds text."""

    required: AbstractSet[str] = frozenset()
    optional: AbstractSet[str] = frozenset()
    children: AbstractSet[str] = frozenset()
    text: bool = False


PROBLEM = Rule(optional={"type", "message"}, text=True)
COUNTS = {"tests", "failures", "errors"}
# The rules of junit-10.xsd, the schema of Jenkins' xUnit plugin (github.com/jenkinsci/xunit-plugin), without its
# elements for properties and for tests that are run again. Children may come in any order and number.
RULES = {
    "testsuites": Rule(optional={"name", "time", *COUNTS}, children={"testsuite"}),
    "testsuite": Rule(
        {"name", *COUNTS},
        {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
        {"testsuite", "testcase", "system-out", "system-err"},
    ),
    "testcase": Rule(
        {"name"},
        {"time", "classname", "group"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "skipped": PROBLEM,
    "error": PROBLEM,
    "failure": PROBLEM,
    "system-out": Rule(text=True),
    "system-err": Rule(text=True),
}
# The times of suites: digits, perhaps with commas between the thousands, and perhaps decimals.
TIME = re.compile(r"([0-9]*|[0-9]{1,3}(,[0-9]{3})+)(\.[0-9]*)?")


def faults(element: ElementTree.Element) -> Iterator[str]:
    """Yield what the schema does not allow in an element of JUnit XML."""
    rule = RULES[element.tag]
    if lacking := rule.required - set(element.attrib):
        yield f"{element.tag} lacks {sorted(lacking)}"
    if strange := set(element.attrib) - rule.required - rule.optional:
        yield f"{element.tag} has {sorted(strange)}"
    if element.tag.startswith("testsuite") and not TIME.fullmatch(element.get("time", "")):
        yield f"time of {element.tag}: {element.get('time')}"
    texts = [element.text, *(child.tail for child in element)]
    if not rule.text and any(text and text.strip() for text in texts):
        yield f"{element.tag} has text"
    for child in element:
        if child.tag in rule.children:
            yield from faults(child)
        else:
            yield f"{child.tag} in {element.tag}"


def test_jenkins_finds_no_fault() -> None:
    root = ElementTree.fromstring(junit_xml("gate", CASES, 1234.5))
    assert root.tag == "testsuites"
    assert list(faults(root)) == []
    assert list(faults(ElementTree.fromstring(junit_xml("gate", CASES, 1, ["warning: a", "warning: b"])))) == []


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ('<testsuites><testsuite name="x" tests="1" failures="0"/></testsuites>', "testsuite lacks ['errors']"),
        ('<testsuites assertions="1"/>', "testsuites has ['assertions']"),
        ('<testsuites time="1e3"/>', "time of testsuites: 1e3"),
        ('<testsuites><testcase name="x"/></testsuites>', "testcase in testsuites"),
        ("<testcase/>", "testcase lacks ['name']"),
        ('<testcase name="x">words</testcase>', "testcase has text"),
        ('<testcase name="x"><failure><error/></failure></testcase>', "error in failure"),
    ],
)
def test_faults_would_be_found(written: str, fault: str) -> None:
    assert list(faults(ElementTree.fromstring(written))) == [fault]


def test_counts_are_those_of_the_cases() -> None:
    root = ElementTree.fromstring(junit_xml("gate", CASES, 1.5))
    counts = {"tests": "4", "failures": "2", "errors": "1", "time": "1.500"}
    assert root.attrib == counts
    assert root[0].attrib == {"name": "gate"} | counts
    assert [[child.tag for child in case] for case in root[0]] == [[], ["failure"], ["failure"], ["error"]]
    assert [case.get("time") for case in root[0]] == ["0.250", "0.500", "0.000", "0.000"]


def test_messages_stand_in_the_text_too() -> None:
    """GitLab shows the text alone, others the message alone."""
    problems = ElementTree.fromstring(junit_xml("gate", CASES)).findall("*/*/*")
    assert [problem.get("message") for problem in problems] == ["drop 0.1", "mean 0.5", "a.run:3: wrong"]
    texts = ["drop 0.1\nlost most on 7 (-0.5)", "mean 0.5", "a.run:3: wrong"]
    assert [problem.text for problem in problems] == texts


def test_the_same_every_time() -> None:
    assert junit_xml("gate", CASES) == junit_xml("gate", CASES)


@given(st.text(st.characters(exclude_categories=())))
def test_any_name_makes_xml_that_parses(name: str) -> None:
    """Also control characters, and surrogates, which stand for bytes that are not UTF-8."""
    written = junit_xml("gate", [Case(name, name, "failure", name, name)])
    root = ElementTree.fromstring(written.encode("utf-8"))
    assert list(faults(root)) == []
    kept = root[0][0].get("classname") or ""
    assert len(kept) == len(name)
    assert all(a in (b, "\ufffd") for a, b in zip(kept, name, strict=True))
