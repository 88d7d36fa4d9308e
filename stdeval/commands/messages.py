"""Warnings of the running command, and its progress, on stderr."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import TypeVar

import click

from stdeval.errors import InputWarning

Item = TypeVar("Item")

_WARNINGS, _NO_CAVEATS = "stdeval.warnings", "stdeval.no_caveats"


def warn(message: str, *, is_caveat: bool = True) -> None:
    """Print a warning of one line about input that is used in an unexpected way; repetitions are left out.

    Parameters
    ----------
    message : str
    is_caveat : bool
        False if the scores that are shown do not depend on it, such as a warning of measures that are left out.
    """
    context = click.get_current_context(silent=True)
    if context is not None:
        if message in context.meta.setdefault(_WARNINGS, []):
            return
        context.meta[_WARNINGS].append(message)
        if not is_caveat:
            context.meta.setdefault(_NO_CAVEATS, []).append(message)
    warnings.warn(message, InputWarning, stacklevel=2)


def warn_all(messages: Iterable[str]) -> None:
    """Print several warnings, see `warn`."""
    for message in messages:
        warn(message)


def warnings_so_far() -> tuple[str, ...]:
    """Return the warnings that the running command has printed."""
    return tuple(click.get_current_context().meta.get(_WARNINGS, ()))


def caveats_so_far() -> tuple[str, ...]:
    """Return those of the warnings that matter to the scores that are shown."""
    others = click.get_current_context().meta.get(_NO_CAVEATS, ())
    return tuple(message for message in warnings_so_far() if message not in others)


def progress(items: Iterable[Item], n: int, what: str) -> Iterator[Item]:
    """Yield the n items, with a progress bar if stderr is a terminal and there are several."""
    if n < 2 or not sys.stderr.isatty():
        yield from items
        return
    with click.progressbar(items, length=n, label=what, file=sys.stderr, show_pos=True) as bar:
        yield from bar
