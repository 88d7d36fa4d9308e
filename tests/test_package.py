"""The package: wheel, source distribution, entry point, version and public names."""

from __future__ import annotations

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
from tests.conftest import ROOT

PAGES = sorted(path.name for path in (ROOT / "man").glob("man?/*"))


def build(kind: str, source: Path, target: Path) -> Path:
    """Build a source tree without a network and return the path of what was built."""
    pytest.importorskip("hatchling", reason="hatchling, the build backend, is not installed")
    program = f"import hatchling.build; print(hatchling.build.build_{kind}(r'{target}'))"
    words = [sys.executable, "-c", program]
    made = subprocess.run(words, cwd=source, capture_output=True, encoding="utf-8", check=True)
    return target / made.stdout.split()[-1]


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel that is built from the source distribution alone."""
    folder = tmp_path_factory.mktemp("wheel")
    sdist = build("sdist", checkout, folder)
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
    assert templates
    assert templates <= set(names)
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"stdeval"}


def test_entry_point_is_the_command(run):
    assert run("--version").stdout == f"stdeval, version {stdeval.__version__}\n"
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


def test_public_names_are_those_of_dir_and_loaded_when_they_are_used():
    assert python("import stdeval; print(*dir(stdeval))").split() == PUBLIC
    program = "import sys, stdeval; loaded = 'numpy' in sys.modules; print(loaded, stdeval.ScoreTable.__name__)"
    assert python(program) == "False ScoreTable"
    assert python("import stdeval; print(*stdeval.plots.__all__)")
    version = python("from stdeval import *; print(read_run.__name__, __version__)")
    assert version == f"read_run {stdeval.__version__}"


MODULES = [(stdeval, PUBLIC), (stdeval.meta, stdeval.meta.__all__), (stdeval.plots, stdeval.plots.__all__)]
CALLABLE = {
    f"{module.__name__}.{name}": each
    for module, names in MODULES
    for name in names
    if callable(each := getattr(module, name))
}


@pytest.mark.parametrize("name", CALLABLE)
def test_public_names_are_documented(name: str):
    summary, *_ = (inspect.getdoc(CALLABLE[name]) or "").partition("\n\n")
    assert summary.endswith((".", ").")), name
    assert "\n" not in summary
