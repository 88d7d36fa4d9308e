"""Run the command line; the exit status is 0 when done, 1 when a check failed, 2 for usage and input errors."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Sequence

import click

from stdeval.cli.messages import warnings_so_far
from stdeval.commands import NoCommandError, cli
from stdeval.display import displayed, displayed_lines, with_escaped_bytes
from stdeval.errors import InputError, InputWarning

# If a signal ends a command, shells report 128 + the number of the signal as its status: SIGINT is 2, SIGPIPE 13.
INTERRUPTED = 130
PIPE_CLOSED = 141

NO_MEMORY = "not enough memory, expected smaller inputs or numbers"


def run_and_exit(arguments: Sequence[str] | None) -> None:
    """Run a command line, None for that of this process, and exit with its status."""
    _replace_closed_streams()
    with warnings.catch_warnings():
        # not as in the user's Python, which may turn warnings off or into errors
        warnings.simplefilter("always", InputWarning)
        warnings.showwarning = _show_warning
        status = _run(arguments)
    sys.exit(status)


def _replace_closed_streams() -> None:
    """Replace closed streams (None): using stdin or stdout then fails, and what goes to stderr is dropped."""
    # open() takes the lowest free descriptor, that of the closed stream; so no file opened later can take it.
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_WRONLY))
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def _run(arguments: Sequence[str] | None) -> int:
    """Run a command line and return its exit status; every error becomes one line on stderr."""
    try:
        result = cli.main(arguments, prog_name="stdeval", standalone_mode=False)
        # a full disk or a closed pipe is noticed here at the latest, and not when the interpreter ends
        sys.stdout.flush()
    except ModuleNotFoundError:
        raise
    except (InputError, MemoryError, ImportError) as error:
        return _fail(displayed(f"stdeval: {_told(error)}"))
    except NoCommandError as error:
        return _fail(displayed_lines(error.message))
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "stdeval"
        # click breaks some of its messages into lines
        return _fail(displayed(f"{command}: {' '.join(error.format_message().split())}"))
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except (OSError, SystemExit) as error:
        # click raises SystemExit(1) when a pipe is closed
        return _status_of_failure(error)
    return result if isinstance(result, int) else 0


def _told(error: BaseException) -> str:
    """Return the message of an error, in one line."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, MemoryError):
        return NO_MEMORY
    # numpy explains at length how to install it; the first cause says what failed
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    found = str(error).partition("\n")[0]
    return f"cannot load a library: {found}, expected a sound installation and enough memory"


def _status_of_failure(error: OSError | SystemExit) -> int:
    """Return the exit status after a file could not be used, usually stdout; a closed pipe needs no message."""
    if isinstance(error, SystemExit) and error.code == 0:
        # nothing failed: click ends like this after it has completed a word for a shell
        return 0
    if isinstance(error, OSError) and error.filename is not None:
        # errors of stdout name no file; this file may have disappeared after it was checked
        return _fail(displayed(f"stdeval: {error.filename}: {str(error.strerror).lower()}"))
    # the interpreter flushes stdout as it ends and would fail again, so the rest of the output goes nowhere
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, (BrokenPipeError, SystemExit)):
        return PIPE_CLOSED
    return _fail(f"stdeval: <stdout>: cannot write: {error.strerror}")


def _fail(message: str) -> int:
    """Print an error and return its exit status."""
    with contextlib.suppress(OSError):  # if stderr cannot be written, the exit status still tells
        _print_to_stderr(message)
    return 2


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning, once per command."""
    text, said = str(message), warnings_so_far()
    if text in said:
        return
    said.append(text)
    try:
        _print_to_stderr(displayed(f"stdeval: warning: {text}"))
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror}", "<stderr>") from None


def _print_to_stderr(text: str) -> None:
    # names in files may hold bytes that are not UTF-8, and names that are typed may hold any surrogate
    click.echo(with_escaped_bytes(text).encode("utf-8", "backslashreplace"), err=True)
