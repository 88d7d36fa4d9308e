"""Mutants of a source file: one comparison, arithmetic operator, constant or condition changed."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div}


class Mutant(NamedTuple):
    """A place in a source file, as offsets into its text, and what is put there."""

    path: Path
    line: int
    start: int
    end: int
    text: str

    def applied(self, source: str) -> str:
        """Return the source with the change."""
        return source[: self.start] + self.text + source[self.end :]

    def described(self, source: str) -> str:
        """Return the place, the original and the change in one line."""
        original = " ".join(source[self.start : self.end].split())
        return f"{self.path}:{self.line}: {original}  ->  {' '.join(self.text.split())}"


def changes(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that may stand in place of an expression.

    Examples
    --------
    >>> [ast.unparse(other) for other in changes(ast.parse("a < 1", mode="eval").body)]
    ['a <= 1']
    >>> [ast.unparse(other) for other in changes(ast.parse("7", mode="eval").body)]
    ['8']
    """
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        yield ast.Compare(node.left, [COMPARISONS[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS and not _is_text(node):
        yield ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(_negated(node.test), node.body, node.orelse)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield node.operand


def _negated(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), test)


def _is_text(node: ast.BinOp) -> bool:
    """Return True if an operand is text, so that any change would fail at once."""
    return any(
        isinstance(each, ast.JoinedStr) or (isinstance(each, ast.Constant) and isinstance(each.value, str))
        for each in (node.left, node.right)
    )


def mutants_of(path: Path, source: str) -> list[Mutant]:
    """Return all mutants of a source file, in the order of their places.

    Examples
    --------
    >>> source = "def f(n: int = 2) -> bool:\\n    if n > 1:\\n        return n + 1\\n"
    >>> [mutant.text for mutant in mutants_of(Path("f.py"), source)]
    ['(3)', '(n >= 1)', '(not n > 1)', '(2)', '(n - 1)', '(2)']
    """
    tree = ast.parse(source)
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = source.splitlines()
    found = []
    for node in _nodes(tree):
        # the columns of ast count bytes
        first = lines[node.lineno - 1].encode()[: node.col_offset].decode()
        last = lines[node.end_lineno - 1].encode()[: node.end_col_offset].decode()
        place = (starts[node.lineno - 1] + len(first), starts[node.end_lineno - 1] + len(last))
        others = [_negated(node)] if getattr(node, "is_condition", False) else []
        found += [Mutant(path, node.lineno, *place, f"({ast.unparse(each)})") for each in [*others, *changes(node)]]
    return sorted(set(found), key=lambda mutant: mutant[1:])


def _nodes(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that are run, without annotations and f-strings; conditions are marked."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.If | ast.While) and not _is_for_types(child):
            child.test.is_condition = True
        if isinstance(child, ast.JoinedStr | ast.arg) or (isinstance(child, ast.If) and _is_for_types(child)):
            continue
        if isinstance(child, ast.AnnAssign):
            yield from () if child.value is None else _with_itself(child.value)
            continue
        if isinstance(child, ast.FunctionDef):
            child.returns = None
        yield from _with_itself(child)


def _with_itself(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.expr):
        yield node
    yield from _nodes(node)


def _is_for_types(node: ast.If | ast.While) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def sample(n: int, seed: int, modules: list[str]) -> list[Mutant]:
    """Return random mutants of the package, or of some of its files; the same ones for the same seed."""
    paths = [ROOT / name for name in modules] or sorted((ROOT / "stdeval").rglob("*.py"))
    found = [mutant for path in paths for mutant in mutants_of(path.relative_to(ROOT), path.read_text())]
    return random.Random(seed).sample(found, min(n, len(found)))
