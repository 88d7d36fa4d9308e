"""The warnings and the progress of the running command."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

import click

Item = TypeVar("Item")


def warnings_so_far() -> list[str]:
    """Return the warnings that the running command has printed; more may be appended."""
    context = click.get_current_context(silent=True)
    said: list[str] = [] if context is None else context.meta.setdefault("stdeval.warnings", [])
    return said


def progress(items: Iterable[Item], n: int, what: str) -> Iterator[Item]:
    """Yield the n items, with a progress bar if stderr is a terminal and there are several."""
    if n < 2 or not sys.stderr.isatty():
        yield from items
        return
    with click.progressbar(items, length=n, label=what, file=sys.stderr, show_pos=True) as bar:
        yield from bar
