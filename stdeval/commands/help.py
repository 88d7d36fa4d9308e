"""`stdeval help`: the helps of the commands, and the pages of the manual."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem

import stdeval
from stdeval.cli.helps import Group, GroupedCommand
from stdeval.commands import COMMANDS

ALIASES = {"formats": "stdeval-files.5", "trec_eval": "stdeval-eval.1"}
"""Names that users try, and the pages that answer them; trec_eval is compared with `stdeval eval`."""

PYTHON = "python"
"""The topic of `stdeval help` that says where the help of the Python package is."""

ONE_FUNCTION = "python -c 'import stdeval; help(stdeval.evaluate)' shows the help of one function."


def _pages() -> dict[str, Path]:
    """Return the pages of the manual as text, by name and section, such as ``stdeval-files.5``."""
    package = Path(stdeval.__file__).parent
    # a wheel has the pages in the package; a checkout has them beside it
    folder = next(folder for folder in (package / "man", package.parent / "man") if folder.exists())
    return {path.stem: path for path in sorted(folder.glob("text/*.txt"))}


def _topics() -> dict[str, str]:
    """Return the pages that are not about a command of the same name, by all of their names."""
    names = {page: page.removeprefix("stdeval-").rsplit(".", 1)[0] for page in _pages()}
    own = {name: page for page, name in names.items() if not page.endswith(".1") and name not in COMMANDS}
    return dict(sorted({**own, **ALIASES}.items()))


def _complete_name(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    given = context.params.get("names") or ()
    group = _context_of(context, given)
    found = group.command.shell_complete(group, incomplete) if isinstance(group.command, Group) else []
    names = [] if given else [*_topics(), PYTHON]
    return [*found, *(CompletionItem(name) for name in names if name.startswith(incomplete))]


@click.command("help", cls=GroupedCommand, epilog="Example: stdeval help standardization")
@click.argument("names", nargs=-1, metavar="[COMMAND...|[SECTION] PAGE]", shell_complete=_complete_name)
@click.pass_context
def command(context: click.Context, names: tuple[str, ...]) -> None:
    """Show the help of a command, or a page of the manual."""
    names = tuple(name.removeprefix("stdeval-") for name in names)
    names = names[1:] if len(names) > 1 and names[0] == "stdeval" else names
    if names == ("stdeval",):
        _show("stdeval.1")
    elif names and names[0].isdigit():
        _show(_page_of(names[0], names[1:], context))
    elif names and names[0] in [*_topics(), PYTHON]:
        if len(names) > 1:
            raise click.UsageError(
                f"'{names[0]}' is a page of the manual, expected no '{names[1]}' after it", context
            )
        if names[0] == PYTHON:
            click.echo_via_pager(f"{stdeval.__doc__}\n{ONE_FUNCTION}\n")
        else:
            _show(_topics()[names[0]])
    else:
        known = [*COMMANDS, *_topics(), PYTHON]
        if names and names[0] not in known:
            close = difflib.get_close_matches(names[0], known)
            likely = f"did you mean {' or '.join(close)}?" if close else f"expected one of: {', '.join(known)}"
            raise click.UsageError(f"no command or page '{names[0]}', {likely}", context)
        click.echo(_context_of(context, names).get_help())


def _page_of(section: str, names: Sequence[str], context: click.Context) -> str:
    """Return the name of a page of the manual with its section."""
    page = f"{'-'.join(['stdeval', *(name for name in names if name != 'stdeval')])}.{section}"
    if page in _pages():
        return page
    there = [page[:-2].removeprefix("stdeval-") for page in _pages() if page.endswith(f".{section}")]
    if not there:
        *others, last = sorted({page[-1] for page in _pages()})
        raise click.UsageError(f"no section {section}, expected section {', '.join(others)} or {last}", context)
    missing = f"no page '{'-'.join(names)}' in section {section}"
    found = missing if names else f"section {section} without the name of a page"
    raise click.UsageError(f"{found}, expected one of: {', '.join(there)}", context)


def _show(name: str) -> None:
    """Print a page, through a pager if standard output is a terminal."""
    click.echo_via_pager(_pages()[name].read_text(encoding="utf-8"))


def _context_of(context: click.Context, names: Sequence[str]) -> click.Context:
    """Return the context in which the command that the names lead to shows its help."""
    found = context.find_root()
    for name in names:
        if not isinstance(found.command, Group):
            raise click.UsageError(f"{found.command_path} has no commands, expected no '{name}' after it", context)
        named = found.command.require_command(found, name)
        found = click.Context(named, info_name=name, parent=found, **named.context_settings)
    return found
