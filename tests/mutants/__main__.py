"""Change the package in random places, one at a time, and print the changes that no test notices.

    python -m tests.mutants --sample 100 [--seed S] [MODULE...]

A mutant has one comparison, arithmetic operator, constant or condition changed. It is tested in a copy of the
checkout that has no ``../shared`` beside it: first by the tests of its module, then by all others, up to the first
failure. The last line counts the mutants that were noticed. A mutant that survives may be equivalent to the
original; that is for the reader to decide.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from .mutating import ROOT, Mutant, sample

COPIED = ("stdeval", "tests", "sample_data", "man", "README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", ".ci")
SKIPPED = ("tests/fuzz", "tests/benchmark", "tests/mutants", "tests/html/test_browser.py")
"""Tests that a mutant is not given: slow ones, and those of this program."""


def own_tests(path: Path, root: Path) -> list[str]:
    """Return the test files of a module: those with its name, of any folder, and its doctests."""
    names = {f"test_{path.stem}.py", f"test_{path.parent.name}_{path.stem}.py"}
    tests = [each for each in sorted((root / "tests").rglob("test_*.py")) if each.name in names]
    return [str(path), *(str(each.relative_to(root)) for each in tests)]


def copy_checkout(folder: Path) -> Path:
    """Copy the files of the checkout that the tests need to where no ``../shared`` is."""
    root = folder / "checkout"
    root.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy(source, root / name)
    return root


def _fails(root: Path, tests: list[str], seconds: float) -> bool:
    """Return True if a test fails, or if the tests take too long."""
    skipped = [word for name in SKIPPED for word in ("--ignore", name)]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *skipped, *tests]
    environment = os.environ | {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    output = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=root, env=environment, stdout=output, stderr=output, start_new_session=True
    ) as tested:
        try:
            # 5 is pytest's status if it finds no test
            return tested.wait(seconds) not in (0, 5)
        except subprocess.TimeoutExpired:
            return True
        finally:
            if tested.poll() is None:
                os.killpg(tested.pid, signal.SIGKILL)


def is_noticed(mutant: Mutant, root: Path, seconds: float) -> bool:
    """Return True if a test in a copy of the checkout fails with the mutant, which is undone afterwards."""
    path = root / mutant.path
    source = path.read_text()
    path.write_text(mutant.applied(source))
    try:
        return _fails(root, own_tests(mutant.path, root), seconds) or _fails(root, [], seconds)
    finally:
        path.write_text(source)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="files of the package; all by default")
    parser.add_argument("--sample", type=int, default=100, help="number of mutants")
    parser.add_argument("--seed", type=int, default=1, help="other seeds have other mutants")
    parser.add_argument("--seconds", type=float, default=1800, help="tests that take longer have failed")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="mutants that are tested at once")
    arguments = parser.parse_args()
    chosen = sample(arguments.sample, arguments.seed, arguments.modules)
    copies: SimpleQueue[Path] = SimpleQueue()
    begun = time.monotonic()

    def noticed(mutant: Mutant) -> bool:
        root = copies.get()
        try:
            return is_noticed(mutant, root, arguments.seconds)
        finally:
            copies.put(root)

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.jobs) as pool:
        for i in range(arguments.jobs):
            (Path(folder) / str(i)).mkdir()
            copies.put(copy_checkout(Path(folder) / str(i)))
        if _fails(Path(folder) / "0" / "checkout", [], arguments.seconds):
            print("the tests fail without any change", file=sys.stderr)
            return 2
        survivors = 0
        for mutant, found in zip(chosen, pool.map(noticed, chosen), strict=True):
            survivors += not found
            if not found:
                print(f"not noticed: {mutant.described((ROOT / mutant.path).read_text())}", flush=True)
    minutes = (time.monotonic() - begun) / 60
    print(
        f"{len(chosen) - survivors} of {len(chosen)} mutants with seed {arguments.seed} noticed, {minutes:.0f} min"
    )
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main())
