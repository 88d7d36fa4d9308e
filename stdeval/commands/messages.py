"""Warnings of the running command, and its progress, on stderr."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import TypeVar

import click

from stdeval.errors import InputWarning

Item = TypeVar("Item")

_WARNINGS = "stdeval.warnings"


def warn(message: str) -> None:
    """Warn, in one line, that input is used in a way that the user may not expect; the same line only once."""
    context = click.get_current_context(silent=True)
    if context is not None:
        if message in context.meta.setdefault(_WARNINGS, []):
            return
        context.meta[_WARNINGS].append(message)
    warnings.warn(message, InputWarning, stacklevel=2)


def warnings_so_far() -> tuple[str, ...]:
    """Return the warnings that the running command has printed."""
    return tuple(click.get_current_context().meta.get(_WARNINGS, ()))


def progress(items: Iterable[Item], n: int, what: str) -> Iterator[Item]:
    """Yield the n items, with a progress bar if stderr is a terminal and there are several."""
    if n < 2 or not sys.stderr.isatty():
        yield from items
        return
    with click.progressbar(items, length=n, label=what, file=sys.stderr, show_pos=True) as bar:
        yield from bar
