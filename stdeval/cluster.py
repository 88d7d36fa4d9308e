"""Work on a Dask cluster, which may lose workers, all of them, or its scheduler."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import CancelledError, Future, wait
from contextlib import contextmanager
from typing import Any, Generic, TypeVar, cast

from stdeval.errors import InputError

Result = TypeVar("Result")

_CONNECTING = 10
"""Seconds within which a scheduler answers, if there is one."""

_INTERVAL = 1
"""Seconds between two checks of the cluster while waiting for a result."""


@contextmanager
def connect(address: str, timeout: float) -> Iterator[ClusterExecutor]:
    """Connect to a Dask cluster.

    Parameters
    ----------
    address : str
        Address of its scheduler.
    timeout : float
        Seconds without any worker after which the work is given up.

    Raises
    ------
    InputError
        If there is no scheduler, or no worker in time, or if the cluster fails later in any way.
    """
    try:
        from distributed import Client  # an optional dependency
    except ImportError:
        raise InputError("--dask needs dask: pip install 'stdeval[dask]'") from None
    _silence_loggers()
    name = f"Dask cluster at '{address}'"
    # The client is closed here. If it cannot connect, its own __del__ would wait again and print a traceback.
    closed_here = type("Client", (cast(Any, Client),), {"__del__": lambda _: None})
    try:
        connected = closed_here(address, timeout=min(_CONNECTING, timeout), set_as_default=False)
    except Exception as error:  # the address can be wrong in any way; the user gets one line
        raise InputError(f"{name}: {_first_line(error)}") from None
    try:
        with connected as client:
            executor = ClusterExecutor(client, timeout)
            executor.wait_for_worker()
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
    """An executor that gives up waiting for results once the cluster has had no worker for some time.

    Parameters
    ----------
    client : distributed.Client
    timeout : float
        Seconds without any worker after which a result is not waited for any more.
    """

    def __init__(self, client: Any, timeout: float) -> None:
        self._client = client
        self._timeout = timeout
        self._last_seen = time.monotonic()

    def submit(self, function: Callable[[Any], Result], argument: object) -> ClusterFuture[Result]:
        """Apply a function to an argument, both of which must pickle, on one of the workers."""
        submitted = self._client.submit(function, argument, pure=False)
        # Not by the client's own executor: if the worker that had a result dies when the result has been fetched,
        # that executor takes the result for an error.
        loop = self._client.loop.asyncio_loop
        return ClusterFuture(self, asyncio.run_coroutine_threadsafe(_fetched(submitted), loop))

    def wait_for_worker(self) -> None:
        """Wait until there is a worker."""
        while not self.has_workers():
            time.sleep(_INTERVAL)

    def has_workers(self) -> bool:
        """Return whether the cluster has workers now, unless it has had none for too long."""
        if self._client.status != "running":
            raise _LostError("the connection to the scheduler is lost")
        if self._client.nthreads():
            self._last_seen = time.monotonic()
            return True
        if time.monotonic() - self._last_seen > self._timeout:
            raise _LostError(f"no workers for {self._timeout:g} s (--dask-timeout)")
        return False


class ClusterFuture(Generic[Result]):
    """The future result of work on a cluster."""

    def __init__(self, executor: ClusterExecutor, future: Future[Result]) -> None:
        self._executor = executor
        self._future = future

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


async def _fetched(submitted: Awaitable[Result]) -> Result:
    return await submitted


def _silence_loggers() -> None:
    """Silence the loggers of distributed: an error is one line here, and they go on after the client is closed."""
    for name in [*logging.root.manager.loggerDict]:
        if name.partition(".")[0] in ("asyncio", "distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
