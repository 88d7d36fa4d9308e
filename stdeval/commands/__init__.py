"""The commands, one file each: thin, they read, call and write."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from stdeval import __version__

COMMANDS = ("eval", "factors", "standardize", "convert", "meta")


class LazyGroup(click.Group):
    """Commands that are imported when they are wanted, so that starting one does not load all.

    Parameters
    ----------
    package : str
        Where the modules of the commands are, each with its ``command``.
    names : sequence of str
        The commands, and the modules' names.
    """

    def __init__(self, *, package: str, names: Sequence[str], **attributes: Any) -> None:
        super().__init__(**attributes)
        self._package = package
        self._names = names

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in their order."""
        return list(self._names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        if cmd_name not in self._names:
            return None
        command: click.Command = import_module(f"{self._package}.{cmd_name}").command
        return command


@click.group(
    cls=LazyGroup,
    package="stdeval.commands",
    names=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="stdeval")
def cli() -> None:
    """Evaluate retrieval systems as trec_eval does, and standardize their scores.

    Effectiveness scores depend on the topics. Standardization places each topic's scores on the scale of
    what a set of reference systems achieved there, so that topics weigh the same and collections can be
    compared.

    Files are plain, gz, bz2 or xz, and one of them may be - for standard input. Exit status: 0 done,
    1 a check failed, 2 usage or input error.
    """
