"""A pool of processes that load only what their work needs, and end when the process that started them does."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import queue
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from typing import IO, Any, TypeVar, cast

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from stdeval.processes import serve; serve()"
"""The program of the processes of the pool. Its arguments are the module path of the process that starts it."""


class ProcessPool(ThreadPoolExecutor):
    """An executor that works in new processes, each served by a thread of this process.

    The pool of multiprocessing forks, which is unsafe if there are threads, or it needs a server, a tracker and
    temporary files. These outlive a process that is killed, and so do its workers.

    Parameters
    ----------
    n : int
        Number of processes.

    Raises
    ------
    OSError
        If a process cannot be started.
    """

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self._processes: list[_Process] = []
        self._idle: queue.SimpleQueue[_Process] = queue.SimpleQueue()
        try:
            for _ in range(n):
                self._processes.append(_Process())
                self._idle.put(self._processes[-1])
        except OSError:
            self.__exit__(None, None, None)
            raise

    def submit(  # type: ignore[override]  # these functions have one argument
        self, function: Callable[[Argument], Result], argument: Argument, /
    ) -> Future[Result]:
        """Apply a function to an argument, both of which must pickle, in one of the processes."""
        return super().submit(self._apply, cast(Any, function), argument)

    def _apply(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        process = self._idle.get()
        try:
            return process.apply(function, argument)
        finally:
            self._idle.put(process)

    def __exit__(self, *exception: object) -> None:
        """End the processes, whatever they are doing."""
        self.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.kill()
        self.shutdown()
        for process in self._processes:
            process.close()


class _Process:
    """A process that applies functions to arguments, one at a time.

    Its standard input is a pipe, which closes when this process ends in whatever way.
    """

    def __init__(self) -> None:
        # In a session of its own, signals of the terminal, and those to the group of this process, do not reach it.
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._requests = cast(IO[bytes], self._process.stdin)
        self._replies = cast(IO[bytes], self._process.stdout)

    def _send(self, request: object) -> None:
        # If the process has died, it is noticed where its reply is read.
        with contextlib.suppress(BrokenPipeError):
            pickle.dump(request, self._requests)
            self._requests.flush()

    def apply(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        self._send(pickle.dumps((function, argument)))
        try:
            error, result = pickle.load(self._replies)
        except (EOFError, pickle.UnpicklingError):
            raise BrokenExecutor from None
        if error is not None:
            raise error from RuntimeError(f"in a worker process:\n{result}")
        return cast(Result, result)

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self._process.wait()
        self._replies.close()
        # Closing it writes what is left of a request to a process that has died.
        with contextlib.suppress(BrokenPipeError):
            self._requests.close()


def serve() -> None:
    """Be a process of the pool: apply functions that come through standard input, until it closes."""
    # as in the process that starts this one, see `stdeval.__main__`
    gc.set_threshold(100_000)
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    with os.fdopen(os.dup(1), "wb") as replies:
        # Nothing that a function prints may come between the replies.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        threading.Thread(target=_receive, args=[requests], daemon=True).start()
        try:
            while True:
                replies.write(_reply(requests.get()))
                replies.flush()
        except BrokenPipeError:
            # The process that started this one has ended; the other thread is about to notice that as well.
            os._exit(0)


def _receive(requests: queue.SimpleQueue[bytes]) -> None:
    """Receive requests until there will be no more; the process then ends, even in the middle of its work."""
    try:
        while True:
            requests.put(pickle.load(sys.stdin.buffer))
    finally:
        os._exit(0)


def _reply(request: bytes) -> bytes:
    """Apply a function and return what it returns, or its exception and a traceback of it."""
    try:
        function, argument = pickle.loads(request)
        return pickle.dumps((None, function(argument)))
    except Exception as error:
        return pickle.dumps((error, traceback.format_exc()))
