"""What commands print: the command lines of tests/golden, run again.

`python -m tests.test_golden [FILE...]` writes into these files what the commands print now: read the difference.

A line `% COMMAND` makes files for all cases of its file. Each case runs in a copy of sample_data with these files:

    # what it shows
    $ stdeval eval -m map qrels.gz new-a.run.gz
    standard output
    ! standard error
    ? status, where it is not 0

A blank line stands before each case. $D is ../shared/data.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from tests.conftest import ROOT, SAMPLE, SHARED, Done, run_command
from tests.docs.transcripts import arguments

pytestmark = pytest.mark.oracle

FILES = sorted((ROOT / "tests" / "golden").glob("*.txt"))
BEFORE_CASE = re.compile(r"(?<=\n)\n(?=(?:# .*\n)*\$ )")
SEGMENT = re.compile(r"""((?:'[^']*'|"[^"]*"|>&|[^'"|&;])+)(&&|[|;]|$)""")
"""A command of a line, and what stands between it and the next."""
NEEDS_SHELL = re.compile(r"^(?!stdeval )|[<>$`(){}~#\\]")


class Case(NamedTuple):
    """A command line, and the lines below it."""

    path: Path
    line: int
    comments: str
    command: str
    printed: str


def is_apart(case: Case) -> bool:
    """Return whether a case needs collections that are not there."""
    return "$D" in case.command and not SHARED.is_dir()


def read(path: Path) -> tuple[str, list[Case]]:
    """Return what stands above the cases of a file, and the cases."""
    above, *texts = BEFORE_CASE.split(path.read_bytes().decode("utf-8"))
    cases, line = [], above.count("\n") + 2
    for text in texts:
        comments, command, printed = re.fullmatch(r"((?:# .*\n)*)\$ (.*)\n((?s:.*))", text).groups()
        cases.append(Case(path, line + comments.count("\n"), comments, command, printed))
        line += text.count("\n") + 1
    return above, cases


def run_segment(command: str, stdin: bytes, status: int) -> Done:
    """Run a command after one of this status; in this process, which has its libraries, if no shell is needed."""
    if not NEEDS_SHELL.search(re.sub("'[^']*'", "", command)):
        return run_command(*arguments(command), stdin=stdin)
    shell = ["bash", "-o", "pipefail", "-c", f"(exit {status}); {command}"]
    done = subprocess.run(shell, input=stdin, capture_output=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr.decode())


def run_line(line: str) -> Done:
    """Run a command line: commands with |, && and ; between them."""
    status, printed, errors, passed, before = 0, b"", "", b"", ""
    for command, after in [(line, "")] if re.search(r"\$\(|^for |^\(", line) else SEGMENT.findall(line):
        done = run_segment(command.strip(), passed, status)
        status, errors = done.status or (status if before == "|" else 0), errors + done.stderr
        passed, printed = (done.raw, printed) if after == "|" else (b"", printed + done.raw)
        if after == "&&" and status:
            break
        before = after
    return Done(status, printed, errors)


def replayed(command: str, folder: Path) -> str:
    """Return what a command line prints in a folder, as a case shows it."""
    path = f"{folder.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, value in {"COLUMNS": "100", "LC_ALL": "C.UTF-8", "PATH": path, "PYTHONPATH": str(ROOT)}.items():
            patch.setenv(name, value)
        done = run_line(command.replace("$D", "../shared/data"))
    printed = re.sub(r"(?<=[^\n])\Z", "\n", done.raw.decode("utf-8", "backslashreplace"))
    errors = "".join(f"! {line}\n" for line in done.stderr.removesuffix("\n").split("\n") if done.stderr)
    return printed + errors + (f"? {done.status}\n" if done.status else "")


def prepare(above: str, root: Path) -> Path:
    """Make the folder whose copies cases run in."""
    (root / "bin").mkdir()
    (root / "bin" / "stdeval").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stdeval "$@"\n')
    (root / "bin" / "stdeval").chmod(0o755)
    (root / "shared").mkdir()
    (root / "shared" / "data").symlink_to(SHARED)
    folder = shutil.copytree(SAMPLE, root / "made", ignore=shutil.ignore_patterns("references", "p*", "tour*"))
    (folder / "references").symlink_to(SAMPLE / "references")
    for command in re.findall(r"^% (.*)$", above, flags=re.MULTILINE):
        assert not re.search(r"^\? ", replayed(command, folder), flags=re.MULTILINE), command
    return folder


def run_case(case: Case, made: Path) -> str:
    """Return what a case prints now."""
    folder = shutil.copytree(made, made.with_name("sample_data"), symlinks=True)
    try:
        return replayed(case.command, folder)
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    return cache(lambda path: prepare(read(path)[0], tmp_path_factory.mktemp(path.stem)))


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{path.stem}:{case.line}") for path in FILES for case in read(path)[1]]
)
def test_prints(case: Case, made: Callable[[Path], Path]) -> None:
    if is_apart(case):
        pytest.skip("../shared is not beside this checkout")
    assert run_case(case, made(case.path)) == case.printed


def rewrite(path: Path) -> None:
    """Write into a file what its cases print now."""
    above, cases = read(path)
    with TemporaryDirectory() as root:
        folder = prepare(above, Path(root))
        printed = [case.printed if is_apart(case) else run_case(case, folder) for case in cases]
    texts = [f"{case.comments}$ {case.command}\n{now}" for case, now in zip(cases, printed, strict=True)]
    path.write_bytes("\n".join([above, *texts]).encode())
    assert [case.command for case in read(path)[1]] == [case.command for case in cases], "prints what begins a case"


if __name__ == "__main__":
    for name in sys.argv[1:] or FILES:
        rewrite(Path(name))
