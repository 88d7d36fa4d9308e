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
    """A test case.

    Parameters
    ----------
    group, name : str
    problem : {"", "failure", "error"}
        Empty if the test passed, "failure" if it failed, "error" if it could not be run.
    message, details : str
        The problem in one line, and more about it.
    """

    group: str
    name: str
    problem: str = ""
    message: str = ""
    details: str = ""


def junit_xml(suite: str, cases: Sequence[Case]) -> str:
    """Return a test suite as JUnit XML, with U+FFFD for characters that XML cannot hold.

    Parameters
    ----------
    suite : str
        The name of the suite.
    cases : sequence of Case

    Examples
    --------
    >>> print(junit_xml("gate", [Case("new", "min map=0.3", "failure", "mean 0.2")]))
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites>
      <testsuite name="gate" tests="1" failures="1" errors="0">
        <testcase classname="new" name="min map=0.3">
          <failure message="mean 0.2" />
        </testcase>
      </testsuite>
    </testsuites>
    """
    root = ElementTree.Element("testsuites")
    counts = {kind: str(sum(case.problem == kind for case in cases)) for kind in ("failure", "error")}
    attributes = {"name": suite, "tests": str(len(cases)), "failures": counts["failure"], "errors": counts["error"]}
    parent = ElementTree.SubElement(root, "testsuite", attributes)
    for case in cases:
        names = {"classname": _allowed(case.group), "name": _allowed(case.name)}
        element = ElementTree.SubElement(parent, "testcase", names)
        if case.problem:
            problem = ElementTree.SubElement(element, case.problem, {"message": _allowed(case.message)})
            problem.text = _allowed(case.details) or None
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _allowed(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
