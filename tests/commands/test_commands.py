"""The lists of commands, from which helps are printed without loading the commands, agree with them."""

from __future__ import annotations

import click
import pytest

from stdeval.commands import COMMANDS, cli, meta, plot

GROUPS = [(cli, COMMANDS), (meta.command, meta.COMMANDS), (plot.command, plot.PICTURES)]


@pytest.mark.parametrize(("group", "name"), [(group, name) for group, helps in GROUPS for name in helps])
def test_the_list_says_what_the_command_says_of_itself(group: click.Group, name: str) -> None:
    command = group.get_command(click.Context(group), name)
    assert command is not None
    first_paragraph = (command.help or "").split("\n\n")[0]
    assert " ".join(first_paragraph.split()) == dict(GROUPS)[group][name]
