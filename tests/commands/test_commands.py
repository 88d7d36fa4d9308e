"""The list of commands agrees with the commands."""

from __future__ import annotations

import click
import pytest

from stdeval.commands import COMMANDS, cli


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says_of_itself(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert (command.help or "").split("\n\n")[0].replace("\n", " ").strip() == COMMANDS[name]
