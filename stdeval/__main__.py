"""The command `stdeval`, which signals end from its first moment on; `stdeval.commands.run` gives its exit status.

Every command loads this module first, so it imports next to nothing: click and the commands are loaded in `main`.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType

from stdeval import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec

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
        from stdeval.commands import run

        status = run(arguments)
    except Exception:
        sys.excepthook(*sys.exc_info())
    if arguments is None:
        # The interpreter looks for garbage as it ends, which takes up to a tenth of the time and helps nobody.
        gc.freeze()
    sys.exit(status)


class _Unloaded(ModuleType):
    """A module that is loaded when something in it is first used; a package also is not, when a module of it is."""

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
