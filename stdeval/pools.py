"""Pools of workers: processes on this machine, or a Dask cluster; loaded only where there are workers."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import IO, Any, Generic, TypeVar, cast

from stdeval.errors import InputError

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from stdeval.pools import serve; serve()"
"""The program of the processes of the pool. Its arguments are the module path of the process that starts it."""


class ProcessPool(ThreadPoolExecutor):
    """An executor that works in new processes, each served by a thread of this process."""

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
    """A process that applies functions to arguments, one at a time."""

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


@contextmanager
def processes(n: int) -> Iterator[ProcessPool]:
    """Start worker processes on this machine."""
    try:
        pool = ProcessPool(n)
    except OSError as error:
        raise InputError(f"cannot start worker processes: {error.strerror}; -j 1 starts none") from None
    try:
        with pool:
            yield pool
    except BrokenExecutor:
        raise InputError("a worker process died (out of memory?); -j 1 starts none") from None


# --- a Dask cluster ---

_CONNECTING = 10
"""Seconds within which a scheduler answers, if there is one."""

_INTERVAL = 1
"""Seconds between two checks of the cluster while waiting for a result."""


@contextmanager
def connected(address: str, timeout: float) -> Iterator[ClusterExecutor]:
    """Connect to the Dask cluster at an address."""
    try:
        from distributed import Client  # an optional dependency
    except ImportError:
        raise InputError("-j tcp://... needs dask: pip install 'stdeval[dask]'") from None
    # an error is one line here, and the loggers of distributed go on after the client is closed
    for logger in [*logging.root.manager.loggerDict]:
        if logger.partition(".")[0] in ("asyncio", "distributed", "tornado"):
            logging.getLogger(logger).setLevel(logging.CRITICAL + 1)
    name = f"Dask cluster at '{address}'"
    # The client is closed here. If it cannot connect, its own __del__ would wait again and print a traceback.
    closed_here = type("Client", (cast(Any, Client),), {"__del__": lambda _: None})
    try:
        client = closed_here(address, timeout=min(_CONNECTING, timeout), set_as_default=False)
    except Exception as error:  # the address can be wrong in any way; the user gets one line
        raise InputError(f"{name}: {_first_line(error)}") from None
    try:
        with client:
            executor = ClusterExecutor(client, timeout)
            while not executor.has_workers():
                time.sleep(_INTERVAL)
            yield executor
    except InputError:
        raise
    except _LostError as error:
        raise InputError(f"{name}: {error}") from None
    except Exception as error:  # a cluster can fail in any way; the user gets one line
        raise InputError(f"{name}: {_first_line(error)} (stdeval must be installed on all its machines)") from None


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__


class _LostError(Exception):
    """The cluster has lost its scheduler or all its workers."""


class ClusterExecutor:
    """An executor that gives up waiting for results once the cluster has had no worker for some time."""

    def __init__(self, client: Any, timeout: float) -> None:
        self._client, self._timeout = client, timeout
        self._last_seen = time.monotonic()

    def submit(self, function: Callable[[Any], Result], argument: object) -> ClusterFuture[Result]:
        """Apply a function to an argument, both of which must pickle, on one of the workers."""

        async def fetched() -> Result:
            return cast(Result, await self._client.submit(function, argument, pure=False))

        # Not by the client's own executor: if the worker that had a result dies when the result has been fetched,
        # that executor takes the result for an error.
        return ClusterFuture(self, asyncio.run_coroutine_threadsafe(fetched(), self._client.loop.asyncio_loop))

    def has_workers(self) -> bool:
        """Return whether the cluster has workers now, unless it has had none for too long."""
        if self._client.status != "running":
            raise _LostError("the connection to the scheduler is lost")
        if self._client.nthreads():
            self._last_seen = time.monotonic()
            return True
        if time.monotonic() - self._last_seen > self._timeout:
            raise _LostError(f"no workers for {self._timeout:g} s")
        return False


class ClusterFuture(Generic[Result]):
    """The future result of work on a cluster."""

    def __init__(self, executor: ClusterExecutor, future: Future[Result]) -> None:
        self._executor, self._future = executor, future

    def result(self) -> Result:
        """Wait for the result, and return it."""
        while not wait([self._future], _INTERVAL).done:
            self._executor.has_workers()
        try:
            return self._future.result()
        except (CancelledError, asyncio.CancelledError):
            # The client cancels all work when it loses the scheduler; its own message is the name of the work.
            raise _LostError("the connection to the scheduler is lost") from None

    def cancel(self) -> None:
        """Cancel work that has not begun."""
        self._future.cancel()
