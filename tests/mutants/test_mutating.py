"""Mutants are programs that differ from the original in one place, and reach the tests of their module."""

from __future__ import annotations

import ast
from pathlib import Path

from .__main__ import _fails, copy_checkout, is_noticed, own_tests
from .mutating import ROOT, Mutant, mutants_of, sample
from .reaching import load, place_of, reaching, store, trace

SOURCE = '''
def share(values: list[float], least: int = 2) -> float:
    """Part of the values that are above 1."""
    if not values or len(values) < least:
        return -1.0
    return sum(value > 1 for value in values) / len(values) if "é" else float("nan")
'''


def test_each_mutant_is_another_program():
    original = ast.unparse(ast.parse(SOURCE))
    mutated = [mutant.applied(SOURCE) for mutant in mutants_of(Path("share.py"), SOURCE)]
    others = {ast.unparse(ast.parse(text)) for text in mutated}
    assert original not in others
    assert len(others) == len(mutated)
    changed = [
        "least: int=3",
        "if not values and",
        "if not (not values or",
        "if values or",
        "<= least",
        "return 1.0",
        "-2.0",
    ]
    changed += ["value >= 1", "value > 2", "* len(values)", "if not 'é'"]
    for words in changed:
        assert any(words in text for text in others), words


def test_a_seed_draws_the_same_mutants():
    drawn = sample(300, 1, [])
    of_one = [sample(9, seed, ["stdeval/table.py"]) for seed in (1, 1, 2)]
    assert of_one[0] == of_one[1] != of_one[2]
    assert {mutant.path.name for mutant in of_one[0]} == {"table.py"}
    assert len({mutant.path.parent for mutant in drawn}) > 5
    for mutant in drawn:
        ast.parse(mutant.applied((ROOT / mutant.path).read_text()))


def test_a_module_is_tested_by_its_doctests_and_its_tests():
    tests = own_tests(Path("stdeval/meta/rank.py"), ROOT)
    assert tests[0] == "stdeval/meta/rank.py"
    assert "tests/meta/test_rank.py" in tests
    assert "tests/commands/test_compare.py" in own_tests(Path("stdeval/commands/compare.py"), ROOT)


def test_a_mutant_is_noticed_and_undone(tmp_path: Path):
    """In a checkout with one module: a doctest notices a wrong number, and nothing notices another docstring."""
    root = copy_checkout(tmp_path)
    folder = root / "stdeval"
    source = 'def double(x):\n    """Twice x.\n\n    >>> double(3)\n    6\n    """\n    return x * 2\n'
    source += "\n\ndef test_option(x):\n    return x\n"
    (folder / "doubled.py").write_text(source)
    at = source.index("x * 2")
    wrong = Mutant(Path("stdeval/doubled.py"), 7, at, at + 5, "(x / 2)")
    assert is_noticed(wrong, root, 60, {})
    same = wrong._replace(text="(2 * x)")
    assert not is_noticed(same, root, 60, {})
    assert (folder / "doubled.py").read_text() == source


HALVING = '''
import subprocess, sys

def test_halving():
    """Called by a child process whose environment has nothing but the path of the package."""
    code = "from stdeval.halved import half; print(half(3))"
    environment = {"PYTHONPATH": "ROOT"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout == "1.5\\n"

def test_importing():
    import stdeval.halved
'''


def test_a_mutant_is_given_to_the_tests_that_enter_its_function(tmp_path: Path):
    root = copy_checkout(tmp_path)
    for path in (*(root / "tests").rglob("test_*.py"), *(root / "tests").rglob("conftest.py")):
        path.unlink()
    source = "def half(x):\n    return x / 2\n\n\ndef unused(x):\n    return x / 3\n"
    (root / "stdeval" / "halved.py").write_text(source)
    (root / "tests" / "test_numbers.py").write_text(HALVING.replace("ROOT", str(root)))
    reaches = {
        test: trace(tmp_path / "entered", lambda added, test=test: _fails(root, 60, [test], added))[0]
        for test in ("tests/test_numbers.py",)
    }
    halved, unused = place_of(Path("stdeval/halved.py"), source, 2), place_of(Path("stdeval/halved.py"), source, 6)
    assert reaching(halved, reaches) == ["tests/test_numbers.py"] != reaching(unused, reaches)
    at = source.index("x / 2")
    assert is_noticed(Mutant(Path("stdeval/halved.py"), 2, at, at + 5, "(x * 2)"), root, 60, reaches)
    at = source.index("x / 3")
    assert not is_noticed(Mutant(Path("stdeval/halved.py"), 6, at, at + 5, "(x * 3)"), root, 60, reaches)
    store(reaches, tmp_path / "reach.json")
    assert load(tmp_path / "reach.json") == reaches
