"""The package: wheel, source distribution, entry point, version, public names, and how its code is laid out."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import tarfile
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


def public_objects() -> dict[str, object]:
    """The public functions and classes, those of `stdeval.meta` and `stdeval.plots` among them."""
    names = [(stdeval, "", PUBLIC), *((module, f"{module.__name__}.", module.__all__) for module in MODULES)]
    every = {f"{before}{name}": getattr(module, name) for module, before, own in names for name in own}
    return {name: each for name, each in every.items() if callable(each)}


MODULES = (stdeval.meta, stdeval.plots)


@pytest.mark.parametrize("name", public_objects())
def test_public_names_are_documented(name: str):
    summary, *_ = (inspect.getdoc(public_objects()[name]) or "").partition("\n\n")
    assert summary.endswith((".", ").")), name
    assert "\n" not in summary


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
