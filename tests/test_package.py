"""The package: wheel, source distribution, entry point, version, public names, and how its code is laid out."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import os
import re
import subprocess
import sys
import tarfile
import typing
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import stdeval
from stdeval.__main__ import main

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(path.name for path in (ROOT / "man").glob("man?/*"))


def build(kind: str, source: Path, target: Path) -> Path:
    """Build a source tree without a network and return the path of what was built."""
    pytest.importorskip("hatchling", reason="hatchling, the build backend, is not installed")
    program = f"import hatchling.build; print(hatchling.build.build_{kind}(r'{target}'))"
    made = subprocess.run(
        [sys.executable, "-c", program], cwd=source, capture_output=True, encoding="utf-8", check=True
    )
    return target / made.stdout.split()[-1]


@pytest.fixture(scope="module")
def sdist(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", checkout, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, sdist: Path) -> zipfile.ZipFile:
    """The wheel that is built from the source distribution alone."""
    folder = tmp_path_factory.mktemp("wheel")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return zipfile.ZipFile(build("wheel", folder / sdist.name.removesuffix(".tar.gz"), folder))


def test_sdist_holds_what_the_tests_need(sdist: Path):
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", ".ci/run"} <= held
    for folder in ("stdeval", "tests", "man", "sample_data"):
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        assert {path.relative_to(ROOT).as_posix() for path in files} <= held


def test_wheel_installs_the_manual_pages(wheel: zipfile.ZipFile):
    """A section of the manual has a folder of its own, and a line of its own in pyproject.toml."""
    pages = [name for name in wheel.namelist() if "/share/man/" in name]
    assert sorted(name.rpartition("/")[2] for name in pages) == PAGES
    for name in pages:
        assert re.fullmatch(r"stdeval-[^/]+\.data/data/share/man/man([1-9])/stdeval[a-z-]*\.\1", name)


def test_wheel_holds_the_package_and_nothing_else(wheel: zipfile.ZipFile):
    names = wheel.namelist()
    assert {"stdeval/py.typed", "stdeval/__main__.py"} <= set(names)
    templates = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("stdeval/html/templates/*")}
    assert len(templates) > 5
    assert templates <= set(names)
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"stdeval"}


def test_wheel_says_what_it_is(wheel: zipfile.ZipFile):
    folder = f"stdeval-{stdeval.__version__}.dist-info"
    metadata = wheel.read(f"{folder}/METADATA").decode()
    for line in (f"Version: {stdeval.__version__}", "License-Expression: MIT", "Requires-Python: >=3.10"):
        assert f"\n{line}\n" in metadata
    assert "stdeval = stdeval.__main__:main" in wheel.read(f"{folder}/entry_points.txt").decode()


def test_module_says_its_version():
    told = subprocess.run(
        [sys.executable, "-m", "stdeval", "--version"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert told.stdout == f"stdeval, version {stdeval.__version__}\n"


def test_entry_point_is_the_command():
    installed = [script for script in entry_points(group="console_scripts") if script.name == "stdeval"]
    if not installed:
        pytest.skip("stdeval is not installed")
    assert installed[0].load() is main


PUBLIC = [
    *("Condition", "Factors", "InputError", "InputWarning", "Options", "Results", "Run", "ScoreTable"),
    *("__version__", "aggregate", "check", "compare", "evaluate", "fit_factors", "meta", "plots", "read_factors"),
    *("read_qrels", "read_run", "read_scores", "standardize", "topics", "write_factors", "write_scores"),
]


def python(program: str) -> str:
    """Return what a program prints in an interpreter of its own."""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_dir_shows_the_public_names_and_nothing_else():
    assert python("import stdeval; print(*dir(stdeval))").split() == PUBLIC


def test_public_names_are_loaded_when_they_are_used():
    program = "import sys, stdeval; loaded = 'numpy' in sys.modules; print(loaded, stdeval.ScoreTable.__name__)"
    assert python(program) == "False ScoreTable"
    assert python("import stdeval; print(*stdeval.plots.__all__)")
    assert (
        python("from stdeval import *; print(read_run.__name__, __version__)") == f"read_run {stdeval.__version__}"
    )


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="module 'stdeval' has no attribute 'nonsense'"):
        _ = stdeval.nonsense


CALLS = (
    "table = stdeval.evaluate({'1': {'a': 1}}, {'bm25': {'1': {'a': 1.0}}}, ['AP'])",
    "stdeval.evaluate({'1': {'a': 1}}, stdeval.Run('t', {'1': {'a': 1.0}}), 'AP', stdeval.Options(level=2))",
    "p: float = stdeval.compare(table, baseline='bm25', test='sign', correction='holm')[0].pvalue",
    "holds: bool = stdeval.check(table, stdeval.Condition('min', 'map', 0.3))[0].holds",
    "mean: float = stdeval.aggregate(table)[:1][0].score",
    "stdeval.write_factors(stdeval.fit_factors(table), 'means.csv', 'sds.csv', form='published')",
)
"""Code as users write it; a type checker has nothing against it."""


def test_type_checkers_see_the_public_names_and_no_other(tmp_path: Path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    user = tmp_path / "user.py"
    lines = ["import stdeval", *(f"reveal_type(stdeval.{name})" for name in PUBLIC), "stdeval.nonsense", *CALLS, ""]
    user.write_text("\n".join(lines))
    options = ["--strict", f"--config-file={os.devnull}", f"--cache-dir={tmp_path / 'cache'}"]
    command = [sys.executable, "-m", "mypy", *options, user]
    # Elsewhere than in the checkout, so that the installed package is checked as users have it.
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout.splitlines()
    assert not [line for line in told if 'type is "Any"' in line]
    # scipy's stubs import optype, which has settings that old versions of mypy do not know.
    assert [line for line in told if "error:" in line and "/optype/" not in line] == [
        f'{user.name}:{len(PUBLIC) + 2}: error: Module has no attribute "nonsense"  [attr-defined]'
    ]


def public_objects() -> dict[str, object]:
    """The public functions and classes, those of `stdeval.meta` and `stdeval.plots` among them."""
    names = [(stdeval, "", PUBLIC), *((module, f"{module.__name__}.", module.__all__) for module in MODULES)]
    every = {f"{before}{name}": getattr(module, name) for module, before, own in names for name in own}
    return {name: each for name, each in every.items() if callable(each)}


MODULES = (stdeval.meta, stdeval.plots)


@pytest.mark.parametrize("name", public_objects())
def test_public_names_are_documented(name: str):
    """With their parameters and an example, which the doctests run."""
    documented = inspect.getdoc(public_objects()[name]) or ""
    summary, *_ = documented.partition("\n\n")
    assert summary.endswith((".", ").")), name
    assert "\n" not in summary
    for section in ("Parameters", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}\n" in documented, f"{name}: no section {section}"
    assert ">>> " in documented.partition("\nExamples\n")[2]


def test_help_of_the_package_names_every_public_name():
    named = set(re.findall(r"\w+", (stdeval.__doc__ or "").partition("Scores are in")[0]))
    assert set(PUBLIC) - named == {"__version__"}


def rows_returned(function: object) -> type | None:
    """Return the type with named fields that a function returns, or of which it returns rows."""
    returned = typing.get_type_hints(function)["return"]
    kind = (*typing.get_args(returned), returned)[0]
    has_fields = hasattr(kind, "_fields") or dataclasses.is_dataclass(kind)
    return kind if has_fields and kind is not stdeval.ScoreTable else None


RESULTS = [*("aggregate", "check", "compare", "topics"), *(f"stdeval.meta.{name}" for name in stdeval.meta.__all__)]


@pytest.mark.parametrize("name", RESULTS)
def test_fields_of_results_are_in_the_help_of_the_function(name: str):
    """Most types of the rows have no public names, so that nobody finds their helps."""
    function = public_objects()[name]
    kind = rows_returned(function) if inspect.isfunction(function) else None
    if kind is None:
        return
    fields = getattr(kind, "_fields", None) or [field.name for field in dataclasses.fields(kind)]
    returns = (inspect.getdoc(function) or "").partition("\nReturns\n")[2].partition("\nExamples\n")[0]
    assert [field for field in fields if f"``{field}``" not in returns] == []


def test_readme_names_every_public_name():
    section = (
        (ROOT / "README.md").read_text(encoding="utf-8").partition("### In Python\n")[2].partition("\n### ")[0]
    )
    assert not [name for name in PUBLIC if f"`{name}`" not in section and name != "__version__"]


def test_changelog_has_an_entry_for_each_command():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    commands = [name[:-2].replace("-", " ", 1) for name in PAGES if re.fullmatch(r"stdeval-.+\.1", name)]
    assert not [command for command in commands if f"`{command}`" not in text]


def modules_in_the_tree() -> list[str]:
    """Return the modules in the tree of the package's README, with their folders; a line may name several."""
    tree = (ROOT / "stdeval" / "README.md").read_text(encoding="utf-8").split("```")[1].strip("\n")
    modules: list[str] = []
    folders: list[str] = []
    for line in tree.splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        del folders[depth:]
        for word in line.split():
            if word.endswith("/"):
                folders.append(word)
            elif word.endswith(".py"):
                modules.append("".join([*folders, word]))
            else:
                break
    return modules


def test_readme_lays_out_every_module(checkout: Path):
    """The `__init__.py` of a folder needs no line of its own: the folder has one."""
    paths = {path.relative_to(checkout) for path in (checkout / "stdeval").rglob("*.py")}
    modules = {path.as_posix() for path in paths if path.name != "__init__.py" or len(path.parts) == 2}
    named = modules_in_the_tree()
    assert {
        "add to the tree in stdeval/README.md": sorted(modules - set(named)),
        "remove from it": sorted(set(named) - modules),
        "name once": sorted({module for module in named if named.count(module) > 1}),
    } == {"add to the tree in stdeval/README.md": [], "remove from it": [], "name once": []}


def imports(module: str) -> set[str]:
    """Return the modules of the package that a module imports, wherever in it the import stands, types aside."""
    imported = set()
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    for_types = (
        each for each in tree.body if isinstance(each, ast.If) and "TYPE_CHECKING" in ast.unparse(each.test)
    )
    for node in {*ast.walk(tree)}.difference(*map(ast.walk, for_types)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "stdeval":
            home = (node.module or "").replace(".", "/")
            imported |= {f"{home}.py", *(f"{home}/{alias.name}.py" for alias in node.names)}
    return imported


@pytest.mark.usefixtures("checkout")
def test_modules_import_only_from_modules_above_them_in_the_readme():
    named = modules_in_the_tree()
    place = {module: i for i, module in enumerate(named)}
    upward = {
        f"{module} imports {other}"
        for module in named
        for other in imports(module)
        if place.get(other, -1) > place[module]
    }
    assert not upward
