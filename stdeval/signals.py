"""Signals that end a command: it leaves no temporary file, and its status is 128 + the number of the signal."""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Every command loads this module first, so it imports next to nothing.

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
"""The signals by which users, supervisors and closed terminals end a command; Windows has no SIGHUP."""

UNFINISHED: set[str] = set()
"""Paths of temporary files, to be removed if a signal ends the process."""


def end_on_signals() -> None:
    """Let the signals end this process at once, without a traceback; those that are ignored stay ignored."""
    for name in ENDING:
        number = getattr(signal, name, None)
        # nohup ignores SIGHUP, and shells let their jobs in the background ignore SIGINT.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, frame: object) -> None:
    """Remove temporary files and end the process; its workers notice that, and end too."""
    for path in [*UNFINISHED]:
        _unless_it_fails(os.unlink, path)
    if os.isatty(2):
        # A progress bar hides the cursor.
        _unless_it_fails(os.write, 2, b"\x1b[?25h\n")
    os._exit(128 + number)


def _unless_it_fails(function: Callable[..., object], *arguments: object) -> None:
    try:  # noqa: SIM105  # contextlib would take as long to load as the rest of this module
        function(*arguments)
    except OSError:
        pass
