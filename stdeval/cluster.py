"""A Dask cluster, whose workers see the same files under the same names; loaded only where `-j` names one."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, wait
from contextlib import contextmanager
from typing import Any, cast

from stdeval.errors import InputError

_CONNECTING = 10  # seconds within which a scheduler answers, if there is one
_INTERVAL = 1  # seconds between two checks of the cluster while waiting for a result
_PATIENCE = 60  # seconds after which work is given up if the cluster has no worker


@contextmanager
def connected(address: str, timeout: float = _PATIENCE) -> Iterator[ClusterExecutor]:
    """Connect to the Dask cluster at an address; give up after it had no worker for so many seconds."""
    try:
        from distributed import Client
    except ImportError:
        raise InputError("-j tcp://... needs dask: pip install 'stdeval[dask]'") from None
    # an error is one line here, and the loggers of distributed go on after the client is closed
    for logger in [*logging.root.manager.loggerDict]:
        if logger.partition(".")[0] in ("asyncio", "distributed", "tornado"):
            logging.getLogger(logger).setLevel(logging.CRITICAL + 1)
    # The client is closed here. If it cannot connect, its own __del__ would wait again and print a traceback.
    closed_here = type("Client", (cast(Any, Client),), {"__del__": lambda _: None})
    try:
        with closed_here(address, timeout=min(_CONNECTING, timeout), set_as_default=False) as client:
            executor = ClusterExecutor(client, timeout)
            while not executor.has_workers():
                time.sleep(_INTERVAL)
            yield executor
    except InputError:
        raise
    except Exception as error:  # an address can be wrong, and a cluster fail, in any way; the user gets one line
        what = next(iter(str(error).splitlines()), "") or type(error).__name__
        hint = "" if isinstance(error, _LostError) else " (stdeval must be installed on all its machines)"
        raise InputError(f"Dask cluster at '{address}': {what}{hint}") from None


class _LostError(Exception):
    """The cluster has lost its scheduler or all its workers."""


class ClusterExecutor:
    """An executor that gives up waiting for results once the cluster has had no worker for some time."""

    def __init__(self, client: Any, timeout: float) -> None:
        self._client, self._timeout = client, timeout
        self._last_seen = time.monotonic()

    def submit(self, function: Callable[[Any], Any], argument: object) -> ClusterFuture:
        """Apply a function to an argument on one of the workers; both must pickle."""

        async def fetched() -> Any:
            return await self._client.submit(function, argument, pure=False)

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


class ClusterFuture:
    """The future result of work on a cluster."""

    def __init__(self, executor: ClusterExecutor, future: Future[Any]) -> None:
        self._executor, self._future = executor, future
        self.cancel = future.cancel

    def result(self) -> Any:
        """Wait for the result, and return it."""
        while not wait([self._future], _INTERVAL).done:
            self._executor.has_workers()
        try:
            return self._future.result()
        except (CancelledError, asyncio.CancelledError):
            # The client cancels all work when it loses the scheduler; its own message is the name of the work.
            raise _LostError("the connection to the scheduler is lost") from None
