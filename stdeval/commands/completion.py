"""Complete options and arguments whose type does not say what they take: measures, and runs."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from stdeval.measures.completion import measures_beginning_with


def complete_file(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete the name of a file."""
    return [CompletionItem(incomplete, type="file")]


def complete_measure(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete MEASURE."""
    return _measures(incomplete, "")


def complete_limit(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete MEASURE and the equals sign of MEASURE=VALUE."""
    return _measures(incomplete, "=")


def _measures(incomplete: str, ending: str) -> list[CompletionItem]:
    names = measures_beginning_with(incomplete)
    return [CompletionItem(name + ending, help=definition) for name, definition in names]
