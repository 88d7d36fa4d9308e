"""Completion in shells: in a real bash at a terminal, and what the shells are told."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from stdeval.commands import COMMANDS, cli
from stdeval.commands.meta import COMMANDS as EXPERIMENTS

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 60


def values(line: str) -> list[str]:
    """The completions of the last word of a command line."""
    *words, incomplete = line.split(" ")
    found = ShellComplete(cli, {}, "stdeval", "_STDEVAL_COMPLETE").get_completions(words, incomplete)
    return [item.value for item in found]


@pytest.mark.parametrize(
    ("line", "completions"),
    [
        ("", list(COMMANDS)),
        ("me", ["measures", "meta"]),
        ("meta ", list(EXPERIMENTS)),
        ("help meta w", ["within"]),
        ("help eval ", []),
        ("--ver", ["--version"]),
        ("measures off", ["official"]),
        ("eval -m nDCG@2", ["nDCG@20", "nDCG@200"]),
        ("check --min gm_m", ["gm_map"]),
        ("check qrels run --max-drop set_re", ["set_relative_P", "set_recall"]),
        ("standardize -m Nset_re", []),
        ("eval -f cs", ["csv"]),
        ("standardize --leave-out g", ["group"]),
        # words before that the command would refuse
        ("eval --nothing -m x -o qrels qrels -f cs", ["csv"]),
    ],
)
def test_completions(line: str, completions: list[str]):
    assert values(line) == completions


def test_completing_the_name_of_a_command_imports_no_command():
    """Nor does completing a measure for `eval` import numpy."""
    program = (
        "import sys\nfrom stdeval.__main__ import main\n"
        "try:\n    main([])\nfinally:\n    print(*sorted(sys.modules), file=sys.stderr)"
    )
    typed = ("stdeval m", "stdeval meta w", "stdeval plot h", "stdeval eval -m ndcg_c")
    for words, index in ((words, str(words.count(" "))) for words in typed):
        environment = {**os.environ, "_STDEVAL_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": index}
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        assert done.stdout.startswith("plain,")
        modules = done.stderr.split()
        assert "numpy.linalg" not in modules
        commands = {name.split(".")[2] for name in modules if name.startswith("stdeval.commands.")} & set(COMMANDS)
        assert commands == set(words.split()[1:-1]) - {"-m"}


# --- bash at a terminal ---


class Terminal:
    """A bash that reads its lines from a terminal, with completion of stdeval."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            path = f"{programs}{os.pathsep}{os.environ['PATH']}"
            terminal = {"PATH": path, "PYTHONPATH": str(ROOT), "TERM": "dumb", "PS1": "$ ", "COLUMNS": "500"}
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], {**os.environ, **terminal})
        # Printing the line that is being edited shows when completion has ended, and with what.
        self.send('bind "set enable-bracketed-paste off"; bind -x \'"\\C-xl": echo "LINE=<$READLINE_LINE>"\'\n')
        self.send('eval "$(_STDEVAL_COMPLETE=bash_source stdeval)"; echo status=$?"."\n')
        self.wait_for(r"status=(\d)\.")

    def send(self, keys: str) -> None:
        os.write(self.descriptor, keys.encode())

    def wait_for(self, pattern: str) -> str:
        output, end = "", time.monotonic() + SECONDS
        while not (match := re.search(pattern, output)):
            ready, _, _ = select.select([self.descriptor], [], [], max(0, end - time.monotonic()))
            assert ready, f"no {pattern} in {output!r}"
            output += os.read(self.descriptor, 4096).decode()
        return match[1]

    def completed(self, line: str) -> str:
        """The line after it is typed and the tabulator key is pressed."""
        self.send(f"{line}\t\x18l")
        edited = self.wait_for(r"LINE=<(.*?)>")
        self.send("\x15")
        return edited

    def close(self) -> None:
        os.close(self.descriptor)
        os.waitpid(self.pid, 0)


@pytest.fixture(scope="module")
def completed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    programs, folder = tmp_path_factory.mktemp("bin"), tmp_path_factory.mktemp("work")
    program = programs / "stdeval"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stdeval "$@"\n')
    program.chmod(0o755)
    for name in ("qrels.txt", "bm25 new.run", "scores.csv"):
        (folder / name).touch()
    terminal = Terminal(folder, programs)
    yield terminal.completed
    terminal.close()


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("stdeval meta reli", "stdeval meta reliability "),
        ("stdeval eval qrels.txt bm", r"stdeval eval qrels.txt bm25\ new.run "),
        ("stdeval standardize -F sc", "stdeval standardize -F scores.csv "),
        ("stdeval eval --scores deep=sc", "stdeval eval --scores deep=scores.csv "),
    ],
)
def test_bash(completed: Callable[[str], str], line: str, whole: str):
    assert completed(line) == whole
