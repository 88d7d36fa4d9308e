"""The manual's list of papers: each equation, table and figure has a command line, and each command line runs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import ROOT
from tests.docs.transcripts import arguments, pages, shell

SECTION = pages()["stdeval-papers.7"].partition(".Sh DESCRIPTION\n")[2].partition("\n.Sh ")[0]


class Item(NamedTuple):
    """An item of a paper, as the manual lists it, with the command lines as a reader copies them."""

    paper: str
    name: str
    text: str
    commands: list[str]


def items() -> list[Item]:
    """Return the items of all papers, in the order of the manual."""
    found = []
    for part in SECTION.split("\n.Ss ")[1:]:
        paper, _, listed = part.partition("\n")
        for entry in listed.split("\n.It ")[1:]:
            name, _, text = entry.partition("\n")
            lines = re.findall(r"^\.Dl (.+)$", text, flags=re.MULTILINE)
            found.append(Item(paper, name, text, [line.replace(r"\-", "-") for line in lines]))
    return found


ITEMS = items()

# The last number of the equations, tables and figures of each paper, by what the heading of its list begins with.
PAPERS = {
    "Webber, Moffat & Zobel 2008": {"Equation": 4, "Table": 6, "Figure": 7},
    "Ravana & Moffat 2009": {"Equation": 2, "Table": 3, "Figure": 11},
    "Webber, Moffat & Zobel 2010": {"Equation": 8, "Table": 3, "Figure": 4},
    "Urbano, Lima & Hanjalic 2019": {"Equation": 7, "Figure": 3},
}


def numbered(name: str) -> set[tuple[str, int]]:
    """Return the kinds and numbers in the name of an item, such as "Figures 1 and 3" or "Equations 1 to 3"."""
    found = set()
    for kind, first, joint, last in re.findall(r"(Equation|Table|Figure)s? (\d+)(?: (to|and) (\d+))?", name):
        ends = range(int(first), int(last) + 1) if joint == "to" else {int(first), int(last or first)}
        found |= {(kind, number) for number in ends}
    return found


def test_every_equation_table_and_figure_is_listed_with_a_command_line_or_why_not():
    for paper, last_of in PAPERS.items():
        listed = set().union(*(numbered(item.name) for item in ITEMS if item.paper.startswith(paper)))
        assert listed == {(kind, number) for kind, last in last_of.items() for number in range(1, last + 1)}
    for item in ITEMS:
        assert bool(item.commands) != item.text.startswith("No command: "), item


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of sample_data with the files that the manual has written first."""
    copy = shutil.copytree(ROOT / "sample_data", tmp_path_factory.mktemp("papers") / "sample_data")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(copy)
        for line in re.findall(r"^\$ (.+)$", SECTION.replace(r"\-", "-"), flags=re.MULTILINE):
            assert shell(line).returncode == 0
    return copy


COMMANDS = list(dict.fromkeys(command for item in ITEMS for command in item.commands))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_line_runs(run, folder: Path, monkeypatch: pytest.MonkeyPatch, command: str):
    monkeypatch.chdir(folder)
    piped = b""
    for part in command.split(" | "):
        typed = arguments(part)
        done = run(*typed, stdin=piped)
        assert done.status == 0, done.stderr
        piped = done.raw
    written = [Path(typed[i + 1]) for i, word in enumerate(typed) if word == "-o"]
    assert all(path.stat().st_size for path in written)
    assert written or piped
    if "figure.png" in typed:
        Path("figure.png").unlink()
