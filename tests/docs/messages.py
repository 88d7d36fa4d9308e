"""List all messages of the package, as they stand in the code: `python -m tests.docs.messages`.

Each line has the file, the kind (an error in the input, wrong usage, or a warning) and the text. What a message
names is in braces.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
KINDS = {"InputError": "input", "UsageError": "usage", "BadParameter": "usage", "warn": "warning", "fail": "usage"}
"""The names of the functions and exceptions that take a message."""


class Message(NamedTuple):
    """A message, and where it stands."""

    path: str
    line: int
    kind: str
    text: str


def messages() -> Iterator[Message]:
    """Yield the messages of the package, by file and line."""
    for path in sorted((ROOT / "stdeval").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assigned = {
            target.id: node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            kind = KINDS.get(_name(node.func)) if isinstance(node, ast.Call) else None
            if kind and isinstance(node, ast.Call):
                for argument in node.args[:2]:
                    text = _text(argument, assigned)
                    if " " in text:
                        yield Message(path.relative_to(ROOT).as_posix(), node.lineno, kind, text)
                        break


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _text(node: ast.expr, assigned: dict[str, ast.expr], depth: int = 0) -> str:
    """Return the text of an expression, with the names of its parts in braces."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part, assigned, depth) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return f"{{{ast.unparse(node.value)}}}"
    if isinstance(node, ast.BinOp):
        return _text(node.left, assigned, depth) + _text(node.right, assigned, depth)
    if isinstance(node, ast.Name) and node.id in assigned and depth < 3:
        return _text(assigned[node.id], assigned, depth + 1)
    return f"{{{ast.unparse(node)}}}"


if __name__ == "__main__":
    for message in messages():
        print(f"{message.path}:{message.line}\t{message.kind}\t{message.text}")
