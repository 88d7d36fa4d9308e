"""`stdeval help`: the helps of the commands."""

from __future__ import annotations

from collections.abc import Sequence

import click
from click.shell_completion import CompletionItem

from stdeval.commands import Group


def _complete_command(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    group = _context_of(context, context.params.get("names") or ())
    return group.command.shell_complete(group, incomplete) if isinstance(group.command, Group) else []


@click.command("help")
@click.argument("names", nargs=-1, metavar="[COMMAND...]", shell_complete=_complete_command)
@click.pass_context
def command(context: click.Context, names: tuple[str, ...]) -> None:
    """Show the help of a command.

    The same as COMMAND --help, as in 'stdeval help eval' or 'stdeval help meta within'. Without COMMAND it
    lists the commands.
    """
    click.echo(_context_of(context, names).get_help())


def _context_of(context: click.Context, names: Sequence[str]) -> click.Context:
    """Return the context in which the command that the names lead to shows its help."""
    found = context.find_root()
    for name in names:
        if not isinstance(found.command, Group):
            raise click.UsageError(f"{found.command_path} has no commands, expected no '{name}' after it", context)
        named = found.command.require_command(found, name)
        found = click.Context(named, info_name=name, parent=found, **named.context_settings)
    return found
