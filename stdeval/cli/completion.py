"""Complete options and arguments whose type does not say what they take: measures, and runs."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from stdeval.measures.names import SCHEME_LETTERS, measures_beginning_with


def complete_file(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete the name of a file."""
    return [CompletionItem(incomplete, type="file")]


def complete_measure(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a measure that runs are evaluated by."""
    return [CompletionItem(name, help=definition) for name, definition in measures_beginning_with(incomplete)]


def complete_column(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a measure of scores, which may be standardized."""
    names = measures_beginning_with(incomplete, SCHEME_LETTERS)
    return [CompletionItem(name, help=definition) for name, definition in names]


def complete_limit(context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the measure of MEASURE=VALUE, and the equals sign."""
    found = complete_column(context, param, incomplete)
    return [CompletionItem(f"{item.value}=", help=item.help) for item in found]
