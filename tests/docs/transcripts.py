"""Run what the documentation shows, as its reader would."""

from __future__ import annotations

import re
import shlex
import subprocess
from glob import glob
from pathlib import Path

from tests.conftest import ROOT, SAMPLE, run_command

README, RECIPES = ROOT / "README.md", SAMPLE / "recipes" / "README.md"


def pages() -> dict[str, str]:
    """Return the pages of the manual by file name, in mdoc."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "man").glob("man?/stdeval*"))}


def blocks(language: str, *paths: Path) -> list[str]:
    """Return the blocks of a language in files of Markdown."""
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return re.findall(rf"^```{language}\n(.*?)^```$", "\n".join(texts), flags=re.MULTILINE | re.DOTALL)


def literal_blocks(page: str) -> list[str]:
    """Return the literal blocks of a page of the manual, as they are shown."""
    found = re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed$", page, flags=re.MULTILINE | re.DOTALL)
    return [block.replace(r"\-", "-").replace(r"\&", "").replace(r"\e", "\\") for block in found]


NEEDS_SHELL = re.compile(r"^(?!stdeval )|[|&;<>$`(){}~#\\\n]")


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run a command line as a reader of the documentation would.

    A command line of stdeval alone is run in this process, which need not load its libraries again.
    """
    if not NEEDS_SHELL.search(command):
        done = run_command(*arguments(command))
        return subprocess.CompletedProcess(command, done.status, done.stderr + done.stdout)
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


def arguments(command: str) -> list[str]:
    """Return the arguments of a command line of stdeval, with the names of files in place of a pattern."""
    program, *words = shlex.split(command)
    assert program == "stdeval"
    return [name for word in words for name in sorted(glob(word)) or [word]]  # noqa: PTH207 - Path has no absolute ones


def commands(transcript: str) -> list[str]:
    """Return the command lines of a transcript."""
    return [line[2:] for line in transcript.splitlines() if line.startswith("$ ")]


def replayed(transcript: str) -> str:
    """Return the transcript of the same commands, now."""
    return "".join(f"$ {command}\n{shell(command).stdout}" for command in commands(transcript))
