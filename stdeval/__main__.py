"""The command `stdeval`: its exit status, and the signals that end it from its first moment on.

Every command loads this module first, so it imports next to nothing: click and the commands are loaded in `run`.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType

from stdeval import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec

# If a signal ends a command, shells report 128 + the number of the signal as its status: SIGINT is 2, SIGPIPE 13.
INTERRUPTED, PIPE_CLOSED = 130, 141

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
"""The signals by which users, supervisors and closed terminals end a command; Windows has no SIGHUP."""

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
    if _Waiting not in sys.meta_path:
        sys.meta_path.insert(0, _Waiting)
    _replace_closed_streams()
    status = 2  # of a defect, too, or of hardly any memory: 1, Python's own, means that a check failed
    try:
        status = run(arguments)
    except Exception:
        sys.excepthook(*sys.exc_info())
    if arguments is None:
        # The interpreter looks for garbage as it ends, which takes up to a tenth of the time and helps nobody.
        gc.freeze()
    sys.exit(status)


def run(arguments: list[str] | None) -> int:
    """Run a command line and return its exit status: 0 done, 1 a check failed, 2 an error (one line on stderr)."""
    import click

    from stdeval.cli import declarations
    from stdeval.commands import cli
    from stdeval.errors import InputError, InputWarning, displayed, displayed_lines

    try:
        with warnings.catch_warnings():
            # not as in the user's Python, which may turn warnings off or into errors
            warnings.simplefilter("always", InputWarning)
            warnings.showwarning = declarations.show_warning
            result = cli.main(arguments, prog_name="stdeval", standalone_mode=False)
            # a full disk or a closed pipe is noticed here at the latest, and not when the interpreter ends
            sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except (OSError, SystemExit) as error:
        outcome = _outcome_of_failure(error)
        if isinstance(outcome, int):
            return outcome
        message = displayed(outcome)
    except declarations.NoCommandError as error:
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
    try:
        declarations.print_to_stderr(message)
    except OSError:
        # as for stdout: the interpreter would fail again, and end with a status of its own
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    return 2


def _outcome_of_failure(error: OSError | SystemExit) -> int | str:
    """Return the exit status, or a message, after a file could not be used, usually stdout."""
    # click raises SystemExit(1) when a pipe is closed, and 0 after it has completed a word for a shell
    if isinstance(error, SystemExit) and error.code == 0:
        return 0
    if isinstance(error, OSError) and error.filename is not None:
        # errors of stdout name no file; this file may have disappeared after it was checked
        return f"stdeval: {error.filename}: {str(error.strerror).lower()}"
    # the interpreter flushes stdout as it ends and would fail again, so the rest of the output goes nowhere
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, (BrokenPipeError, SystemExit)):
        return PIPE_CLOSED
    return f"stdeval: <stdout>: cannot write: {error.strerror}"


class _Unloaded(ModuleType):
    """A module that is loaded when something in it is first used; using a module of a package does not load it."""

    def __getattr__(self, name: str) -> object:
        spec = self.__spec__
        assert spec is not None and spec.loader is not None
        full = f"{self.__name__}.{name}"
        if "__path__" in self.__dict__ and PathFinder.find_spec(full, self.__path__):
            return import_module(full)
        if self.__name__ in ("numpy", "scipy"):
            bytes(80 << 20)  # uses none; with less, OpenBLAS ends the process with the status of a failed check
        self.__class__ = ModuleType  # type: ignore[assignment]
        if spec.submodule_search_locations is not None:
            self.__path__ = spec.submodule_search_locations
        spec.loader.exec_module(self)
        return getattr(self, name)


class _Waiting:
    """A finder, and a loader, of modules that wait until they are used: numpy, scipy, and stdeval's own."""

    def __init__(self, loader: Loader) -> None:
        self.create_module, self._loader = loader.create_module, loader

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find a module that waits."""
        waits = name in ("numpy", "scipy") or name.startswith("stdeval.")
        spec = PathFinder.find_spec(name, path, target) if waits else None
        if spec is not None and spec.loader is not None:
            spec.loader = _Waiting(spec.loader)  # type: ignore[assignment]
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Let a module wait."""
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader
        if module.__name__ in ("numpy", "scipy"):
            # Without it, the import of a module of the package loads the package.
            del module.__path__
        module.__class__ = _Unloaded


def end_on_signals() -> None:
    """Let the signals end this process at once, without a traceback; those that are ignored stay ignored."""
    for name in ENDING:
        number = getattr(signal, name, None)
        # nohup ignores SIGHUP, and shells let their jobs in the background ignore SIGINT.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, frame: object) -> None:
    """Remove temporary files and end the process; its workers notice that, and end too."""
    try:
        for path in [*getattr(sys.modules.get("stdeval.files"), "UNFINISHED", ())]:
            os.unlink(path)
        if os.isatty(2):
            # A progress bar hides the cursor.
            os.write(2, b"\x1b[?25h\n")
    finally:
        os._exit(128 + number)


def _replace_closed_streams() -> None:
    """Replace closed streams (None): using stdin or stdout then fails, and what goes to stderr is dropped."""
    # open() takes the lowest free descriptor, the one of the closed stream, so no file opened later can take it.
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_WRONLY))
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


if __name__ == "__main__":
    main()
