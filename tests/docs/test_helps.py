"""The helps: what lists of commands say, the ordinary options first, and an example at the end, which runs."""

from __future__ import annotations

import re

import click
import pytest

from stdeval.cli.declarations import MORE
from stdeval.commands import COMMANDS, cli, meta, plot
from tests.conftest import Command
from tests.docs.transcripts import shell


def commands(group: click.Group, before: str = "") -> dict[str, click.Command]:
    """The commands without commands of their own, by what is typed after `stdeval`."""
    context = click.Context(group)
    found: dict[str, click.Command] = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command
        typed = f"{before}{name}"
        found |= commands(command, f"{typed} ") if isinstance(command, click.Group) else {typed: command}
    return found


LEAVES = commands(cli)
GROUPS = [(cli, COMMANDS), (meta.command, meta.COMMANDS), (plot.command, plot.PICTURES)]


@pytest.mark.parametrize(("group", "name"), [(group, name) for group, helps in GROUPS for name in helps])
def test_a_list_says_what_the_command_says_of_itself(group: click.Group, name: str):
    """The lists stand in the groups, so that printing them loads no command."""
    first_paragraph = (group.get_command(click.Context(group), name).help or "").split("\n\n")[0]
    assert " ".join(first_paragraph.split()) == dict(GROUPS)[group][name]


@pytest.mark.parametrize("name", ["meta", "plot", *LEAVES])
def test_ordinary_options_come_first_and_the_page_of_the_manual_last(run: Command, name: str):
    help_text = run(*name.split(), "--help").stdout
    titles = re.findall(r"^(\S.*):$", help_text, flags=re.MULTILINE)
    assert name not in LEAVES or titles in (["Options"], ["Options", "More"])
    *_, last = help_text.splitlines()
    assert last == f"  The manual has more: stdeval help 1 {name.split(maxsplit=1)[0]}"
    assert run(*last.split()[5:]).status == 0


@pytest.mark.parametrize("name", LEAVES)
def test_a_help_is_short_on_a_wide_terminal(run: Command, monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setenv("COLUMNS", "100")
    lines = run(*name.split(), "--help").stdout.splitlines()
    assert len(lines) <= 90
    assert max(map(len, lines)) <= 100


def test_every_name_under_more_is_that_of_an_option():
    assert set(MORE) <= {param.name for command in LEAVES.values() for param in command.params}


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize("name", LEAVES)
def test_the_help_ends_with_an_example_that_runs(name: str):
    label, example = (LEAVES[name].epilog or " ").split(" ", 1)
    assert label == "Example:"
    assert f"stdeval {name} " in example
    if "topics.txt" in example:
        assert shell("gzip -dc qrels.gz | cut -d ' ' -f 1 | uniq > topics.txt").returncode == 0
    for file in re.findall(r"(?:early|late)\.csv", example):
        stored = shell(f"stdeval eval -q -n -m map -f csv -o {file} qrels.gz references/*.run.gz")
        assert stored.returncode == 0
    assert shell(example).returncode == 0
