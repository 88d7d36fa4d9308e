"""The manual pages: never stale, complete, true, and shown by man and mandoc as they are meant."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import pairwise

import click
import make
import pytest
from click.testing import CliRunner

from stdeval.commands import cli
from tests.conftest import ROOT
from tests.docs.transcripts import commands, literal_blocks, pages, replayed, shell

MAN = ROOT / "man"
PAGES = pages()
COMMANDS = {name.removesuffix(".1"): text for name, text in PAGES.items() if name.endswith(".1")}

needs_mandoc = pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")


def test_pages_are_what_the_commands_say_now():
    assert make.pages() | make.topics() == PAGES, "run: python man/make.py"
    assert {path.stem for path in (MAN / "text").iterdir()} == set(PAGES)
    assert {f"stdeval-{name}" for name in cli.list_commands(click.Context(cli))} == set(COMMANDS) - {"stdeval"}
    assert {path.stem for path in make.SECTIONS.iterdir()} <= {*COMMANDS, "common"}


@needs_mandoc
@pytest.mark.parametrize("page", PAGES)
def test_mandoc_finds_no_fault_and_shows_the_text(page: str):
    text = (MAN / "text" / f"{page}.txt").read_text(encoding="utf-8")
    assert text == make.as_text(PAGES[page]), "run: python man/make.py"
    command = ["mandoc", "-Tlint", "-W", "warning", MAN / f"man{page[-1]}" / page]
    lint = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (lint.stdout + lint.stderr, lint.returncode) == ("", 0)


def subcommands_in(page: str) -> list[str]:
    """Return a page's command and those that it has as subsections."""
    subsections = re.findall(r"^\.Ss stdeval (.+)$", COMMANDS[page], flags=re.MULTILINE)
    return [page.removeprefix("stdeval").lstrip("-"), *subsections]


@pytest.mark.parametrize("page", COMMANDS)
def test_every_option_of_help_and_no_other(page: str):
    """Compared with what --help prints, not with the click objects that the pages are made from."""
    shown = set()
    for command in subcommands_in(page):
        result = CliRunner().invoke(cli, [*command.split(), "--help"])
        assert result.exit_code == 0
        options = "".join(re.split(r"^[A-Z][a-z]+:\n", result.output, flags=re.MULTILINE)[1:])
        listed = re.findall(r"^  (-[\w-]+(?:(?:, | / )-[\w-]+)*)", options, flags=re.MULTILINE)
        assert listed, command
        shown |= {option for line in listed for option in re.split(", | / ", line)}
    items = re.findall(r"^\.It (Fl .*)$", COMMANDS[page], flags=re.MULTILINE)
    assert {f"-{name}" for line in items for name in re.findall(r"Fl (\S+)", line)} == shown


@pytest.mark.parametrize("page", COMMANDS)
def test_every_option_is_explained_and_the_command_is_shown(page: str):
    for here, below in pairwise(COMMANDS[page].splitlines()):
        assert not here.startswith(".It Fl") or re.match(r"\w", below), f"{here} has no help"
    called = page.replace("-", " ", 1)
    assert re.search(rf"^\$ (.*\| )?{called} ", COMMANDS[page], flags=re.MULTILINE)


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize("page", PAGES)
def test_examples_show_what_happens(page: str):
    for block in literal_blocks(PAGES[page]):
        is_transcript = any(not line.startswith("$ ") for line in block.splitlines())
        if block.startswith("$ ") and is_transcript:
            assert replayed(block) == block
        for command in [] if is_transcript else commands(block):
            result = shell(command)
            assert result.returncode == 0, f"{command}\n{result.stdout}"


BASH = """eval "$(_STDEVAL_COMPLETE=bash_source stdeval)"; compopt() { echo "$@"; }
COMP_WORDS=(stdeval $WORDS) COMP_CWORD=$N; _stdeval_completion stdeval; echo "${COMPREPLY[@]}"
"""


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize(
    ("words", "completed"),
    [("meta reli", "reliability"), ("eval q bm", "-o default"), ("eval --scores deep = sc", "-o default")],
)
def test_completion_of_bash(words: str, completed: str):
    """`-o default` leaves names of files to bash, whose words deep=sc are three."""
    assert shell(f"WORDS='{words}' N={words.count(' ') + 1}; {BASH}").stdout.strip() == completed


@pytest.mark.usefixtures("sample")
def test_completion_of_the_shell():
    listed = re.findall(r"^\.It (bash|zsh|fish),.*\n\.Li (.*)$", PAGES["stdeval.1"], flags=re.MULTILINE)
    lines = {name: line.replace(r"\&", "") for name, line in listed}
    registers = {"bash": "complete -o nosort -F", "zsh": "compdef", "fish": "complete --no-files"}
    assert lines.keys() == registers.keys()
    for name, line in lines.items():
        printed = re.sub(r"^eval|\| source$", {"fish": "| cat"}.get(name, "echo"), line)
        assert registers[name] in shell(printed).stdout
