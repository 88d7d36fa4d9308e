"""The commands, one file each: a command reads its inputs, calls the library, and writes the result."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from stdeval import __version__

COMMANDS = {
    "eval": "Print the raw scores of runs, as trec_eval does.",
    "factors": "Make standardization factors from reference runs.",
    "standardize": "Standardize the scores of runs.",
    "convert": "Convert scores or factors between file formats.",
    "measures": "List the measures: name, other spellings, range, definition and source.",
    "pool": "Print the qrels that pooling the runs to DEPTH would have left.",
    "weights": "Print how much a relevant document at each rank is worth.",
    "topics": "Print what the runs achieve on each topic, and its difficulty.",
    "compare": "Compare every pair of runs, or all runs with a baseline.",
    "check": "Check that runs are good enough, or no worse than a baseline.",
    "meta": "Meta-evaluation: how measures and standardization behave.",
    "plot": "Draw a picture: png, svg or pdf.",
    "report": "Report an evaluation as one HTML page.",
}
"""The commands and the first sentences of their helps, given here so that no command is imported to list them."""


class LazyGroup(click.Group):
    """A group that imports a command when it is run, so that no command waits for the others to load.

    Parameters
    ----------
    package : str
        The package that has a module for each command, in which the command is called ``command``.
    helps : mapping of str to str
        The first sentences of the helps of the commands, by name of command and module.
    """

    def __init__(self, *, package: str, helps: Mapping[str, str], **attributes: Any) -> None:
        super().__init__(**attributes)
        self._package = package
        self._helps = helps

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: D102
        return list(self._helps)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: D102
        if cmd_name not in self._helps:
            return None
        command: click.Command = import_module(f"{self._package}.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: D102
        with formatter.section("Commands"):
            formatter.write_dl(list(self._helps.items()))


cli = LazyGroup(
    package="stdeval.commands",
    helps=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Evaluate retrieval systems as trec_eval does, and standardize their scores.

    Effectiveness scores depend on the topics. Standardization places each topic's scores on the scale of
    what a set of reference systems achieved there, so that topics weigh the same and collections can be
    compared.

    Files are plain, gz, bz2 or xz, and one of them may be - for standard input. Exit status: 0 done,
    1 a check failed, 2 usage or input error.
    """,
)
cli = click.version_option(__version__, prog_name="stdeval")(cli)
