"""The helps: the ordinary options first, and an example at the end, which runs."""

from __future__ import annotations

import re

import click
import pytest

from stdeval.cli.helps import MORE
from stdeval.commands import cli
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


COMMANDS = commands(cli)


@pytest.mark.parametrize("name", COMMANDS)
def test_ordinary_options_come_first(run: Command, name: str):
    titles = re.findall(r"^(\S.*):$", run(*name.split(), "--help").stdout, flags=re.MULTILINE)
    assert titles in (["Options"], ["Options", "More"])


@pytest.mark.parametrize("name", ["meta", "plot", *COMMANDS])
def test_the_last_line_names_the_page_of_the_manual(run: Command, name: str):
    *_, last = run(*name.split(), "--help").stdout.splitlines()
    assert last == f"  The manual has more: stdeval help 1 {name.split(maxsplit=1)[0]}"
    assert run(*last.split()[5:]).status == 0


def test_every_name_under_more_is_that_of_an_option():
    assert set(MORE) <= {param.name for command in COMMANDS.values() for param in command.params}


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_ends_with_an_example_that_runs(name: str):
    epilog = COMMANDS[name].epilog or ""
    label, example = epilog.split(" ", 1)
    assert label == "Example:"
    assert f"stdeval {name} " in example
    if "topics.txt" in example:
        assert shell("gzip -dc qrels.gz | cut -d \x27 \x27 -f 1 | uniq > topics.txt").returncode == 0
    if "early.csv" in example:
        for file in ("early.csv", "late.csv"):
            stored = shell(f"stdeval eval -q -n -m map -f csv -o {file} qrels.gz references/*.run.gz")
            assert stored.returncode == 0
    assert shell(example).returncode == 0
