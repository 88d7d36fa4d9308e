"""The command `stdeval`, which signals end from its first moment on; `stdeval.commands.run` gives its exit status.

Every command loads this module first, so it imports next to nothing: click and the commands are loaded in `main`.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import ModuleType

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
    for name in ("numpy", "scipy"):
        _load_when_used(name)
    _replace_closed_streams()
    status = 2  # of a defect, too, or of hardly any memory: 1, Python's own, means that a check failed
    try:
        from stdeval.commands import run

        status = run(arguments)
    except Exception:
        sys.excepthook(*sys.exc_info())
    if arguments is None:
        # The interpreter looks for garbage as it ends, which takes up to a tenth of the time and helps nobody.
        gc.freeze()
    sys.exit(status)


class _Unloaded(ModuleType):
    """A module that is loaded when something in it is first used."""

    def __getattr__(self, name: str) -> object:
        spec = self.__spec__
        assert spec is not None and spec.loader is not None
        # With less, OpenBLAS ends the process with the status of a failed check. Asking for it uses nothing.
        bytes(80 << 20)
        self.__class__ = ModuleType  # type: ignore[assignment]
        self.__path__ = spec.submodule_search_locations or []
        spec.loader.exec_module(self)
        return getattr(self, name)


def _load_when_used(name: str) -> None:
    """Let a slow package wait until it is needed: helps, and trec_eval's measures, do without numpy."""
    from importlib.util import find_spec, module_from_spec

    spec = find_spec(name) if name not in sys.modules else None
    if spec is not None:
        sys.modules[name] = module = module_from_spec(spec)
        # Without it, the import of a module of the package would not load the package.
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
