"""The manual pages: never stale, complete, true, and shown by man and mandoc as they are meant."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

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


@needs_mandoc
def test_text_that_mdoc_could_take_for_a_macro_comes_out_as_it_stands(tmp_path: Path):
    @click.group()
    def cli() -> None:
        """No An At: words. Of two sentences with -x, --long-one and \\ in them."""

    @cli.group("deep")
    def deep() -> None:
        """Go Ar down.

        \b
        .a  kept
          line
        """

    @deep.command("er")
    @click.argument("files", nargs=-1, required=True, metavar="FILE...")
    @click.option("--to", type=click.Choice(["a", "b"]), required=True, help="'quoted' first.")
    @click.option("-x/-y", "flag", default=True, help=".dot first.")
    def er() -> None:
        """Go further."""

    shown = {}
    for name, text in make.pages(cli, "tool", tmp_path).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        command = ["mandoc", "-Tascii", "-O", "width=200", tmp_path / name]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        shown[name] = re.sub(".\b", "", output)
    assert "tool - no An At: words" in shown["tool.1"]
    assert "Of two sentences with -x, --long-one and \\ in them." in shown["tool.1"]
    assert ".a  kept\n" in shown["tool-deep.1"]
    assert "tool deep er [-x] --to a | b FILE ..." in shown["tool-deep.1"]
    assert "'quoted' first. [required]" in shown["tool-deep.1"]
    assert re.search(r"-x, -y\s+\.dot first\.", shown["tool-deep.1"])


@needs_mandoc
def test_write_removes_pages_of_commands_that_no_longer_exist(tmp_path: Path):
    for name in ("man1/stdeval-gone.1", "man1/other.1", "text/stdeval-gone.1.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    make.write(tmp_path)
    assert {path.stem for path in tmp_path.glob("text/*")} == set(PAGES)
    assert {path.name for path in tmp_path.glob("man*/*")} == {*PAGES, "other.1"}


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


@pytest.mark.usefixtures("sample")
def test_completion_of_the_shell():
    command = 'COMP_WORDS="stdeval st" COMP_CWORD=1 _STDEVAL_COMPLETE=bash_complete stdeval'
    assert shell(command).stdout == "plain,standardize\n"
    listed = re.findall(r"^\.It (bash|zsh|fish),.*\n\.Li (.*)$", PAGES["stdeval.1"], flags=re.MULTILINE)
    lines = {name: line.replace(r"\&", "") for name, line in listed}
    registers = {"bash": "complete -o nosort -F", "zsh": "compdef", "fish": "complete --no-files"}
    assert lines.keys() == registers.keys()
    for name, line in lines.items():
        printed = re.sub(r"^eval|\| source$", {"fish": "| cat"}.get(name, "echo"), line)
        assert registers[name] in shell(printed).stdout
