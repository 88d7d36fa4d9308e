"""The command line: exit status 0 when done, 1 when a check failed, 2 for usage and input errors."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence

import click

from stdeval.commands import cli
from stdeval.errors import InputError, InputWarning

INTERRUPTED = 130
PIPE_CLOSED = 141


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line and exit with its status."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", InputWarning)
        warnings.showwarning = _show_warning
        status = _run(arguments)
    sys.exit(status)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        result = cli.main(arguments, prog_name="stdeval", standalone_mode=False)
        sys.stdout.flush()
    except InputError as error:
        return _fail(str(error))
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        return _fail(f"{context.command_path if context else 'stdeval'}: {_one_line(error.format_message())}")
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except (OSError, SystemExit) as error:
        return _stdout_failed(error)
    return result if isinstance(result, int) else 0


def _stdout_failed(error: OSError | SystemExit) -> int:
    """The status after a failure to write; quiet where a pipe is closed, which click leaves by SystemExit(1)."""
    # what is still to be written goes nowhere, for the interpreter would fail on it once more as it ends
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, (BrokenPipeError, SystemExit)):
        return PIPE_CLOSED
    return _fail(f"<stdout>: cannot write: {error.strerror}")


def _fail(message: str) -> int:
    click.echo(message.encode("utf-8", "backslashreplace"), err=True)
    return 2


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    click.echo(f"stdeval: warning: {message}".encode("utf-8", "backslashreplace"), err=True)


if __name__ == "__main__":
    main()
