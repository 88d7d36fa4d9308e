"""The commands, one file each: a command reads its inputs, calls the library, and writes the result."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from stdeval import __version__
from stdeval.cli.helps import write_manual_page

COMMANDS = {
    "eval": "Print the raw scores of runs, as trec_eval does.",
    "factors": "Make standardization factors from reference runs.",
    "standardize": "Standardize the scores of runs.",
    "convert": "Convert scores or factors between file formats.",
    "measures": "List the measures: name, other spellings, range, definition and source.",
    "pool": "Print the qrels that a shallower pool of the runs would have left.",
    "weights": "Print how much a relevant document at each rank is worth.",
    "topics": "Print the statistics of the scores on each topic, and its difficulty.",
    "compare": "Compare every pair of runs, or all runs with a baseline.",
    "check": "Check that runs are good enough, or no worse than a baseline.",
    "validate": "Find all problems of runs before they are submitted.",
    "meta": "Meta-evaluation: how measures and standardization behave.",
    "plot": "Draw a picture: png, svg or pdf.",
    "report": "Report an evaluation as one HTML page.",
    "help": "Show the help of a command, or a page of the manual.",
}
"""The commands and the first sentences of their helps, given here so that listing the commands imports none."""


class NoCommandError(click.UsageError):
    """The command line is empty; the message is the help."""


class Group(click.Group):
    """A group that imports a command when it is run, and suggests one if there is none of a name."""

    def __init__(
        self,
        package: str,
        helps: Mapping[str, str],
        modules: Mapping[str, str] | None = None,
        default: str = "",
        **attributes: Any,
    ) -> None:
        super().__init__(**attributes)
        self._package, self._helps, self._modules, self._default = package, helps, modules or {}, default

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: D102
        return list(self._helps)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: D102
        if cmd_name not in self._helps:
            return None
        module = import_module(f"{self._package}.{self._modules.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name if cmd_name in self._modules else "command")
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments before the command; an option of a command is refused there."""
        if not args and not ctx.resilient_parsing:
            # click 8.1 prints the help on stdout and exits with 0, later versions print it on stderr.
            raise NoCommandError(ctx.get_help(), ctx)
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            problem = f"no option '{error.option_name}' before a command"
            raise click.UsageError(problem + self._suggested_line(ctx, given), ctx) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names."""
        if args[0] not in self._helps and not ctx.resilient_parsing:
            likely = self._similar(args[0]) or self._suggested_line(ctx, args)
            raise click.UsageError(f"no command '{args[0]}'{likely}", ctx)
        return super().resolve_command(ctx, args)

    def require_command(self, ctx: click.Context, name: str) -> click.Command:
        """Return the command of this name; a name that no command has is refused with similar ones."""
        command = self.get_command(ctx, name)
        if command is None:
            likely = self._similar(name) or f", expected one of: {', '.join(self._helps)}"
            raise click.UsageError(f"no command '{name}'{likely}", ctx)
        return command

    def _similar(self, name: str) -> str:
        import difflib

        close = difflib.get_close_matches(name, self._helps)
        return f", did you mean {' or '.join(close)}?" if close else ""

    def _suggested_line(self, ctx: click.Context, args: list[str]) -> str:
        """Return the command line that was probably meant: the same arguments, with a command inserted."""
        from shlex import quote

        command = next((word for word in args if word in self._helps), self._default)
        if not command:
            return f", expected one of: {', '.join(self._helps)}"
        rest = list(args)
        if command in rest:
            rest.remove(command)
        return f", did you mean: {' '.join(map(quote, [*ctx.command_path.split(), command, *rest]))}"

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Complete the name of a command, or an option, without importing the commands."""
        from stdeval.cli import completion

        # not Group's, which imports every command for its help
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*completion.command(incomplete, self._helps), *options]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: D102
        with formatter.section("Commands"):
            formatter.write_dl(list(self._helps.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the pages of the manual."""
        super().format_epilog(ctx, formatter)
        if ctx.parent is not None:
            write_manual_page(ctx, formatter)


cli = Group(
    "stdeval.commands",
    COMMANDS,
    default="eval",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
    Pages of the manual:
      stdeval help 1 COMMAND        a command, with examples
      stdeval help stdeval          glossary, output formats, signatures, exit status
      stdeval help files            every file format
      stdeval help 7 measures       every measure
      stdeval help standardization  schemes, reference runs, missing topics
      stdeval help papers           the tables and figures of the papers, by command line
    """,
    help="""Evaluate retrieval systems as trec_eval does, and standardize their scores.

    Effectiveness scores depend on the topics. Standardization places each score on the scale of the scores of
    reference runs on the same topic. Then all topics weigh the same in a mean, and means on different
    collections can be compared.

    Files may be compressed (gz, bz2, xz), and one input file may be - for standard input. Exit status: 0 done,
    1 a check failed or a run is not valid, 2 usage or input error.
    """,
)
cli = click.version_option(__version__, prog_name="stdeval")(cli)
