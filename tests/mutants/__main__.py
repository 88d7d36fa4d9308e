"""Change the package in random places, one at a time, and print the changes that no test notices.

    python -m tests.mutants --sample 20 [--seed S...] [--reach FILE] [MODULE...]

A mutant has one comparison, arithmetic operator, constant or condition changed. It is tested in a copy of the
checkout that has no ``../shared`` beside it: first by the tests of its module, then by the other test files that
enter the changed function, fastest first, up to the first failure. Each test file is run once before, to see which
functions it enters; ``--reach`` keeps this in a file, to be deleted after a change of the package or of the tests.
The last line of each seed counts the mutants that were noticed. A mutant that survives may be equivalent to the
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
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from .mutating import ROOT, Mutant, sample
from .reaching import Reach, load, place_of, reaching, store, trace

COPIED = ("stdeval", "tests", "sample_data", "man", "README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", ".ci")
SKIPPED = ("tests/benchmark", "tests/mutants", "tests/html/test_browser.py")
"""Tests that a mutant is not given: slow ones, and those of this program."""


def own_tests(path: Path, root: Path) -> list[str]:
    """Return the test files of a module: those with its name, of any folder, and its doctests."""
    names = {f"test_{path.stem}.py", f"test_{path.parent.name}_{path.stem}.py"}
    tests = [each for each in sorted((root / "tests").rglob("test_*.py")) if each.name in names]
    return [str(path), *(str(each.relative_to(root)) for each in tests)]


def copy_checkout(folder: Path) -> Path:
    """Copy the files of the checkout that the tests need to where no ``../shared`` is."""
    root = folder / "checkout"
    root.mkdir(parents=True)
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy(source, root / name)
    return root


def test_files(root: Path) -> list[str]:
    """Return all test files, and the package for its doctests."""
    found = [path.relative_to(root).as_posix() for path in sorted((root / "tests").rglob("test_*.py"))]
    return ["stdeval", *(path for path in found if not path.startswith(SKIPPED))]


def _fails(root: Path, seconds: float, tests: list[str], added: dict[str, str] | None = None) -> bool:
    """Return True if a test fails, or if the tests take too long; go on after a failure if they are traced."""
    skipped = [word for name in SKIPPED for word in ("--ignore", name)]
    # a module of the package that is named is searched for tests too, and has names such as test_option
    skipped += [f"--deselect={test}::test_" for test in tests if test.startswith("stdeval/")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *([] if added else ["-x"])]
    command += [*skipped, *tests]
    paths = [str(root), *(added or {}).get("PYTHONPATH", "").split()]
    environment = os.environ | (added or {})
    environment |= {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
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


def reach_of(root: Path, seconds: float) -> dict[str, Reach]:
    """Return what each test file reaches."""
    log = root.parent / "entered"
    reaches = {}
    for test in test_files(root):
        found, failed = trace(log, lambda added, test=test: _fails(root, seconds, [test], added))
        if failed and _fails(root, seconds, [test]):
            print(f"left out: {test} fails without any change", flush=True)
        else:
            reaches[test] = found
    return reaches


def is_noticed(mutant: Mutant, root: Path, seconds: float, reaches: dict[str, Reach]) -> bool:
    """Return True if a test in a copy of the checkout fails with the mutant, which is undone afterwards."""
    path = root / mutant.path
    source = path.read_text()
    own = own_tests(mutant.path, root)
    others = [test for test in reaching(place_of(mutant.path, source, mutant.line), reaches) if test not in own]
    path.write_text(mutant.applied(source))
    try:
        return any(_fails(root, seconds, tests) for tests in (own, others) if tests)
    finally:
        path.write_text(source)


def survivors(mutants: list[Mutant], copies: list[Path], noticed: Callable[[Mutant, Path], bool]) -> list[Mutant]:
    """Print the mutants that are not noticed as they are found, and return them; test one in each copy at once."""
    free: SimpleQueue[Path] = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def lives(mutant: Mutant) -> bool:
        root = free.get()
        try:
            return not noticed(mutant, root)
        finally:
            free.put(root)

    found = []
    with ThreadPoolExecutor(len(copies)) as pool:
        for mutant, alive in zip(mutants, pool.map(lives, mutants), strict=True):
            if alive:
                found.append(mutant)
                print(f"not noticed: {mutant.described((ROOT / mutant.path).read_text())}", flush=True)
    return found


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="files of the package; all by default")
    parser.add_argument("--sample", type=int, default=20, help="number of mutants of each seed")
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="other seeds have other mutants")
    parser.add_argument("--reach", type=Path, metavar="FILE", help="what test files reach; written if it is absent")
    parser.add_argument("--seconds", type=float, default=1800, help="tests that take longer have failed")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="mutants that are tested at once")
    return parser.parse_args()


def main() -> int:
    """Run the command line."""
    arguments = _arguments()
    alive = 0
    with tempfile.TemporaryDirectory() as folder:
        copies = [copy_checkout(Path(folder) / str(i)) for i in range(arguments.jobs)]
        if arguments.reach and arguments.reach.exists():
            reaches = load(arguments.reach)
        else:
            reaches = reach_of(copies[0], arguments.seconds)
            if arguments.reach:
                store(reaches, arguments.reach)
        noticed = partial(is_noticed, seconds=arguments.seconds, reaches=reaches)
        for seed in arguments.seed:
            begun = time.monotonic()
            chosen = sample(arguments.sample, seed, arguments.modules)
            lost = len(survivors(chosen, copies, noticed))
            minutes = (time.monotonic() - begun) / 60
            print(
                f"{len(chosen) - lost} of {len(chosen)} mutants with seed {seed} noticed, {minutes:.0f} min",
                flush=True,
            )
            alive += lost
    return int(alive > 0)


if __name__ == "__main__":
    sys.exit(main())
