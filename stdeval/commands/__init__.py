"""The commands, one file each: thin, they read, call and write."""

from __future__ import annotations

from importlib import import_module

import click

from stdeval import __version__

COMMANDS = ("eval", "factors", "standardize", "convert", "plot", "report")


class _Commands(click.Group):
    """Commands that are imported when they are wanted, so that starting one does not load all."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"stdeval.commands.{cmd_name}").command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="stdeval")
def cli() -> None:
    """Evaluate retrieval systems as trec_eval does, and standardize their scores.

    Effectiveness scores depend on the topics. Standardization places each topic's scores on the scale of
    what a set of reference systems achieved there, so that topics weigh the same and collections can be
    compared.

    Files are plain, gz, bz2 or xz, and one of them may be - for standard input. Exit status: 0 done,
    1 a check failed, 2 usage or input error.
    """
