"""`stdeval help`: the helps of the commands, and the pages of the manual."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem

import stdeval
from stdeval.cli.declarations import Group, did_you_mean, stdeval_command
from stdeval.commands import COMMANDS


def _pages() -> dict[str, Path]:
    """Return the pages of the manual as text, by all of their names, such as ``5 files`` and ``files``."""
    package = Path(stdeval.__file__).parent
    # a wheel has the pages in the package; a checkout has them beside it
    folder = next(folder for folder in (package / "man", package.parent / "man") if folder.exists())
    pages = {}
    for path in sorted(folder.glob("text/*.txt")):
        name, section = path.stem.removeprefix("stdeval-").rsplit(".", 1)
        pages[f"{section} {name}"] = path
        if name not in COMMANDS:
            pages[name] = path
    # names that users try; trec_eval is compared with `stdeval eval`
    return pages | {"1": pages["stdeval"], "formats": pages["5 files"], "trec_eval": pages["1 eval"]}


def _topics() -> list[str]:
    """Return the names of pages that are not about a command of the same name."""
    return [*sorted(name for name in _pages() if name[0].isalpha() and name != "stdeval"), "python"]


def _complete_name(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    given = context.params.get("names") or ()
    group = _context_of(context, given)
    found = group.command.shell_complete(group, incomplete) if isinstance(group.command, Group) else []
    return [*found, *(CompletionItem(name) for name in _topics() if not given and name.startswith(incomplete))]


@stdeval_command("help", "standardization")
@click.argument("names", nargs=-1, metavar="[COMMAND...|[SECTION] PAGE]", shell_complete=_complete_name)
@click.pass_context
def command(context: click.Context, names: tuple[str, ...]) -> None:
    """Show the help of a command, or a page of the manual."""
    names = tuple(name.removeprefix("stdeval-") for name in names)
    names = names[1:] if len(names) > 1 and names[0] == "stdeval" else names
    asked, pages = " ".join(names), _pages()
    if asked == "python":
        one = "python -c 'import stdeval; help(stdeval.evaluate)' shows the help of one function."
        click.echo_via_pager(f"{stdeval.__doc__}\n{one}\n")
    elif asked in pages:
        click.echo_via_pager(pages[asked].read_text(encoding="utf-8"))
    elif names and names[0] not in COMMANDS:
        known = [*COMMANDS, *_topics()]
        likely = did_you_mean(asked, known) or f", expected one of: {', '.join(known)}"
        raise click.UsageError(f"no command or page '{asked}'{likely}", context)
    else:
        click.echo(_context_of(context, names).get_help())


def _context_of(context: click.Context, names: Sequence[str]) -> click.Context:
    """Return the context in which the command that the names lead to shows its help."""
    found = context.find_root()
    for name in names:
        if not isinstance(found.command, Group):
            raise click.UsageError(f"{found.command_path} has no commands, expected no '{name}' after it", context)
        named = found.command.require_command(found, [name])
        found = click.Context(named, info_name=name, parent=found, **named.context_settings)
    return found
