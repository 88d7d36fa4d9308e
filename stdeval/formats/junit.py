"""Write JUnit XML, which systems for continuous integration read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

# XML 1.0 has no way to write other characters, not even as references (section 2.2, production Char)
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Case:
    """A test case."""

    group: str
    name: str
    problem: str = ""
    message: str = ""
    details: str = ""
    seconds: float = 0.0


def junit_xml(suite: str, cases: Sequence[Case], seconds: float = 0.0, warnings: Sequence[str] = ()) -> str:
    """Return a test suite as JUnit XML, with U+FFFD for characters that XML cannot hold."""
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.problem == "failure" for case in cases)),
        "errors": str(sum(case.problem == "error" for case in cases)),
        "time": _seconds(seconds),
    }
    root = ElementTree.Element("testsuites", counts)
    parent = ElementTree.SubElement(root, "testsuite", {"name": _allowed(suite)} | counts)
    for case in cases:
        names = {"classname": _allowed(case.group), "name": _allowed(case.name), "time": _seconds(case.seconds)}
        element = ElementTree.SubElement(parent, "testcase", names)
        if case.problem:
            problem = ElementTree.SubElement(element, case.problem, {"message": _allowed(case.message)})
            problem.text = _allowed("\n".join(filter(None, (case.message, case.details))))
    if warnings:
        ElementTree.SubElement(parent, "system-err").text = _allowed("\n".join(warnings))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _allowed(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"
