"""Write JUnit XML, which systems for continuous integration read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree

# XML 1.0 has no way to write other characters, not even as references (section 2.2, production Char)
_FORBIDDEN = "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


class Case(NamedTuple):
    """A test case; its problem is a failure or an error, if it has one."""

    group: str
    name: str
    problem: str = ""
    message: str = ""
    details: str = ""
    seconds: float = 0.0


def junit_xml(suite: str, cases: Sequence[Case], seconds: float = 0.0, warnings: Sequence[str] = ()) -> str:
    """Return a test suite as JUnit XML, with U+FFFD for characters that XML cannot hold."""
    problems = [case.problem for case in cases]
    numbers = {"tests": len(cases), "failures": problems.count("failure"), "errors": problems.count("error")}
    counts = {**{name: str(n) for name, n in numbers.items()}, "time": f"{seconds:.3f}"}
    root = ElementTree.Element("testsuites", counts)
    parent = ElementTree.SubElement(root, "testsuite", {"name": suite} | counts)
    for case in cases:
        names = {"classname": case.group, "name": case.name, "time": f"{case.seconds:.3f}"}
        element = ElementTree.SubElement(parent, "testcase", names)
        if case.problem:
            problem = ElementTree.SubElement(element, case.problem, {"message": case.message})
            problem.text = "\n".join(filter(None, (case.message, case.details)))
    if warnings:
        ElementTree.SubElement(parent, "system-err").text = "\n".join(warnings)
    for element in root.iter():
        element.attrib = {key: re.sub(_FORBIDDEN, "\ufffd", value) for key, value in element.attrib.items()}
        element.text = element.text and re.sub(_FORBIDDEN, "\ufffd", element.text)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")
