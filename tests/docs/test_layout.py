"""The folders of the code: drawn in the package's README, and importing only from those above."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path


def drawn(checkout: Path) -> dict[str, int]:
    """The line of each folder, and of each module of the top level, in the drawing."""
    text = (checkout / "stdeval" / "README.md").read_text(encoding="utf-8").split("```")[1]
    named = [re.match(r" *((?:\S+(?:/|\.py) )*)", line)[1].split() for line in text.splitlines()[2:]]
    return {re.sub(r"/|\.py", "", name): i for i, names in enumerate(named) for name in names}


def imports(path: Path) -> Iterator[str]:
    """The folders, and modules of the top level, that a module imports from, types aside."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    types = [node for node in tree.body if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)]
    for node in {*ast.walk(tree)}.difference(*map(ast.walk, types)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("stdeval."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.ImportFrom) and node.module == "stdeval":
            yield from (alias.name for alias in node.names)


def test_every_folder_and_module_of_the_top_level_is_drawn(checkout: Path):
    there = {path.stem for path in (checkout / "stdeval").iterdir() if path.is_dir() or path.suffix == ".py"}
    assert {*drawn(checkout)} == there - {"__init__", "__pycache__"}


def test_modules_import_from_their_own_line_and_those_above(checkout: Path):
    line, package = drawn(checkout), checkout / "stdeval"
    below = {
        f"{path.relative_to(package)} imports {other}"
        for path in package.rglob("*.py")
        if path.parent != package or path.stem in line
        for other in imports(path)
        if line.get(other, 0) > line[path.relative_to(package).with_suffix("").parts[0]] and other != "table"
    }
    assert not below
