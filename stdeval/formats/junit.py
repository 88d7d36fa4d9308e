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
    seconds : float
        How long the test took.
    """

    group: str
    name: str
    problem: str = ""
    message: str = ""
    details: str = ""
    seconds: float = 0.0


def junit_xml(suite: str, cases: Sequence[Case], seconds: float = 0.0, warnings: Sequence[str] = ()) -> str:
    """Return a test suite as JUnit XML, with U+FFFD for characters that XML cannot hold.

    The message of a problem is also the first line of its text, because some readers show only one of the two.

    Parameters
    ----------
    suite : str
        The name of the suite.
    cases : sequence of Case
    seconds : float
        How long the whole suite took, which may be more than its cases took together.
    warnings : sequence of str
        Lines of the suite's standard error.

    References
    ----------
    The schema that Jenkins validates reports with: junit-10.xsd of its xUnit plugin.

    Examples
    --------
    >>> print(junit_xml("gate", [Case("new", "min map=0.3", "failure", "mean 0.2", seconds=0.25)], 1.5))
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites tests="1" failures="1" errors="0" time="1.500">
      <testsuite name="gate" tests="1" failures="1" errors="0" time="1.500">
        <testcase classname="new" name="min map=0.3" time="0.250">
          <failure message="mean 0.2">mean 0.2</failure>
        </testcase>
      </testsuite>
    </testsuites>
    """
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
