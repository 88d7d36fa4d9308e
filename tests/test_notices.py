"""The warnings: one short line each, one line each in the manual, and none from elsewhere."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable

from stdeval import notices
from tests.conftest import ROOT

PACKAGE = ROOT / "stdeval"
FUNCTIONS: dict[str, Callable[..., str | None]] = {
    name: each
    for name, each in inspect.getmembers(notices, inspect.isfunction)
    if each.__module__ == notices.__name__ and not name.startswith("_")
}


def test_a_notice_is_one_short_line():
    """As golden cases print them; where there is no reason for one they print none."""
    printed = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "golden").iterdir())
    lines = {*re.findall(r"^! stdeval: warning: (.*)$", printed, flags=re.MULTILINE)}
    assert len(lines) > 2 * len(FUNCTIONS)
    assert all(line.isprintable() and len(line) <= 160 for line in lines)
    assert len(FUNCTIONS) <= 32


def test_the_manual_has_one_entry_for_each():
    text = (ROOT / "man" / "sections" / "stdeval.mdoc").read_text(encoding="utf-8")
    section = text.partition("\n.Sh WARNINGS\n")[2].partition("\n.Sh ")[0]
    assert sorted(re.findall(r"^\.It Li (\S+)$", section, flags=re.MULTILINE)) == sorted(FUNCTIONS)


def is_of_a_notice(argument: ast.expr) -> bool:
    """Return whether an argument is a call of a function of `stdeval.notices`, or several: *(... for x in y)."""
    called = re.match(r"[*(\[]*notices\.(\w+)\(", ast.unparse(argument))
    return bool(called and called[1] in FUNCTIONS)


def test_nothing_else_warns():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path != PACKAGE / "errors.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and re.search(r"^warnings\.warn|\bwarn$", ast.unparse(node.func))
        and not (node.args and all(map(is_of_a_notice, node.args)))
    ]
    assert not found, "\n".join(found)
