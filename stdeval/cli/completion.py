"""Complete words for a shell: measures, files and commands; loaded only where a shell asks."""

from __future__ import annotations

from click.shell_completion import CompletionItem

from stdeval.measures import SCHEME_LETTERS
from stdeval.measures.names import measures_beginning_with


def file(incomplete: str) -> list[CompletionItem]:
    """Let the shell complete the name of a file."""
    return [CompletionItem(incomplete, type="file")]


def measure(incomplete: str, letters: str = "") -> list[CompletionItem]:
    """Complete a measure that runs are evaluated by, perhaps after the letter of a scheme."""
    names = measures_beginning_with(incomplete, letters)
    return [CompletionItem(name, help=definition) for name, definition in names]


def column(incomplete: str) -> list[CompletionItem]:
    """Complete a measure of scores, which may be standardized."""
    return measure(incomplete, SCHEME_LETTERS)
