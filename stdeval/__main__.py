"""The command `stdeval`: signals end it from the first moment on; the exit status is 0 when done, 1 when a check
failed, 2 for usage and input errors.

Every command loads this module first, so it imports next to nothing: click and the commands are loaded in `main`.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
"""The signals by which users, supervisors and closed terminals end a command; Windows has no SIGHUP."""

# If a signal ends a command, shells report 128 + the number of the signal as its status: SIGINT is 2, SIGPIPE 13.
INTERRUPTED = 130
PIPE_CLOSED = 141

THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
"""The variables that say with how many threads numpy computes; it reads them when it is first loaded."""


def main(arguments: list[str] | None = None) -> None:
    """Run a command line (None: the one of this process) and exit with its status."""
    if arguments is None:
        end_on_signals()
        # Modules stay until the process ends: looking for garbage while they are loaded takes a tenth of the time.
        gc.set_threshold(100_000)
    # One thread, here and in the workers that are spawned: workers then do not take each other's cores, sums are
    # added in one order whatever the number of workers, and numpy loads faster.
    for name in THREADS:
        os.environ.setdefault(name, "1")
    import warnings

    from stdeval.errors import InputWarning

    _replace_closed_streams()
    try:
        with warnings.catch_warnings():
            # not as in the user's Python, which may turn warnings off or into errors
            warnings.simplefilter("always", InputWarning)
            status = _run(arguments)
        sys.exit(status)
    finally:
        if arguments is None:
            # The interpreter looks for garbage as it ends, which takes up to a tenth of the time and helps nobody.
            gc.freeze()


def end_on_signals() -> None:
    """Let the signals end this process at once, without a traceback; those that are ignored stay ignored."""
    for name in ENDING:
        number = getattr(signal, name, None)
        # nohup ignores SIGHUP, and shells let their jobs in the background ignore SIGINT.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, frame: object) -> None:
    """Remove temporary files and end the process; its workers notice that, and end too."""
    for path in [*getattr(sys.modules.get("stdeval.files"), "UNFINISHED", ())]:
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


def _replace_closed_streams() -> None:
    """Replace closed streams (None): using stdin or stdout then fails, and what goes to stderr is dropped."""
    # open() takes the lowest free descriptor, the one of the closed stream, so no file opened later can take it.
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_WRONLY))
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def _run(arguments: list[str] | None) -> int:
    """Run a command line and return its exit status; every error becomes one line on stderr."""
    import warnings

    import click

    from stdeval.cli.helps import NoCommandError
    from stdeval.commands import cli
    from stdeval.display import displayed, displayed_lines
    from stdeval.errors import InputError

    if "_STDEVAL_COMPLETE" in os.environ:
        import stdeval.cli.completion  # noqa: F401  # which tells click how Bash completes
    warnings.showwarning = _show_warning
    try:
        result = cli.main(arguments, prog_name="stdeval", standalone_mode=False)
        # a full disk or a closed pipe is noticed here at the latest, and not when the interpreter ends
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except (OSError, SystemExit) as error:
        return _status_of_failure(error)
    except ModuleNotFoundError:
        raise
    except NoCommandError as error:
        message = displayed_lines(error.message)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        # click breaks some of its messages into lines
        text = " ".join(error.format_message().split())
        message = displayed(f"{context.command_path if context else 'stdeval'}: {text}")
    except InputError as error:
        message = displayed(f"stdeval: {error}")
    except MemoryError:
        message = "stdeval: not enough memory, expected smaller inputs or numbers"
    except ImportError as error:
        # numpy explains at length how to install it; the first cause says what failed
        cause: BaseException = error
        while (earlier := cause.__cause__ or cause.__context__) is not None:
            cause = earlier
        found = displayed(str(cause).partition("\n")[0])
        message = f"stdeval: cannot load a library: {found}, expected a sound installation and enough memory"
    return _fail(message)


def _status_of_failure(error: OSError | SystemExit) -> int:
    """Return the exit status after a file could not be used, usually stdout; a closed pipe needs no message."""
    from stdeval.display import displayed

    # click raises SystemExit(1) when a pipe is closed, and 0 after it has completed a word for a shell
    if isinstance(error, SystemExit) and error.code == 0:
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
    """Print an error, if stderr can be written, and return its exit status."""
    _unless_it_fails(_print_to_stderr, message)
    return 2


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning, once per command."""
    from stdeval.cli.inputs import warnings_so_far
    from stdeval.display import displayed
    from stdeval.errors import InputError

    text, said = str(message), warnings_so_far()
    if text in said:
        return
    said.append(text)
    try:
        _print_to_stderr(displayed(f"stdeval: warning: {text}"))
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror}", "<stderr>") from None


def _print_to_stderr(text: str) -> None:
    import click

    from stdeval.display import with_escaped_bytes

    # names in files may hold bytes that are not UTF-8, and names that are typed may hold any surrogate
    click.echo(with_escaped_bytes(text).encode("utf-8", "backslashreplace"), err=True)


if __name__ == "__main__":
    main()
