"""Workers: reading runs and computing random trials in several processes, or on a Dask cluster."""

from __future__ import annotations

import asyncio
import contextlib
import functools
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
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, closing, contextmanager
from typing import IO, TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from stdeval.errors import InputError
from stdeval.evaluation import Evaluator, Options, RunScores
from stdeval.files import Input, display_name, is_rereadable
from stdeval.measures.catalogue import Measure
from stdeval.trec.reading import Qrels, locating_judgments, read_qrels

if TYPE_CHECKING:
    from stdeval.run_parts import Part, TaggedScores


Argument = TypeVar("Argument")
Result = TypeVar("Result")

_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from stdeval.workers import serve; serve()"
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


_CONNECTING = 10
"""Seconds within which a scheduler answers, if there is one."""

_INTERVAL = 1
"""Seconds between two checks of the cluster while waiting for a result."""


@contextmanager
def connect(address: str, timeout: float) -> Iterator[ClusterExecutor]:
    """Connect to a Dask cluster."""
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
    """An executor that gives up waiting for results once the cluster has had no worker for some time."""

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


MIN_BYTES_FOR_WORKERS = 16 << 20
"""Size of runs, in bytes, below which starting workers takes more time than it saves."""

MIN_TRIALS_FOR_WORKERS = 2000
"""Number of random trials below which starting workers takes more time than it saves."""

_COMPRESSED = (".gz", ".bz2", ".xz")
_COMPRESSION = 4
"""Usual ratio of the size of a run to its size when compressed."""


class QrelsFile(NamedTuple):
    """A file of judgments that each process reads only once."""

    path: str
    cache_token: str

    def read(self) -> Qrels:
        """Return the judgments."""
        return _qrels_of(self)


class Task(NamedTuple):
    """The evaluation that every worker does, see `Evaluator`."""

    qrels: QrelsFile
    measures: tuple[Measure, ...]
    options: Options
    counts_judged: bool = False


class Cluster(NamedTuple):
    """A Dask cluster, whose workers see the same files under the same names."""

    address: str
    timeout: float = 60

    def connect(self) -> AbstractContextManager[ClusterExecutor]:
        """Connect to the cluster."""
        return connect(self.address, self.timeout)


@functools.lru_cache(maxsize=1)
def _qrels_of(file: QrelsFile) -> Qrels:
    # Not a method: its cache would be shared by all objects of the class, and keep them alive.
    return read_qrels(Input(file.path))


@functools.lru_cache(maxsize=1)
def evaluator_of(task: Task) -> Evaluator:
    """Return the evaluator of a task, made once per process."""
    try:
        with locating_judgments(task.qrels.path):
            return Evaluator(task.qrels.read(), task.measures, task.options, counts_judged=task.counts_judged)
    except InputError as error:
        raise error.at(display_name(task.qrels.path)) from None


def score(task: Task, path: str) -> RunScores:
    """Score the run in a file."""
    return evaluator_of(task).score_file(path)


def score_all(
    task: Task, paths: Sequence[str], jobs: int | None = None, cluster: Cluster | None = None
) -> Iterator[RunScores]:
    """Yield the scores of runs, in order; see `map_runs`."""
    if cluster is not None:
        task = task._replace(qrels=QrelsFile(_shared(task.qrels.path), task.qrels.cache_token))
    else:
        # An error in the qrels comes first.
        evaluator_of(task)
        # Workers read the qrels themselves, which works only if they can be read again.
        jobs = jobs if is_rereadable(task.qrels.path) else 1
        scores = _score_in_parts(task, paths[0], jobs) if len(paths) == 1 else None
        if scores is not None:
            yield scores
            return
    yield from map_runs(functools.partial(score, task), paths, jobs, cluster)


def _score_in_parts(task: Task, path: str, jobs: int | None) -> RunScores | None:
    """Score one run in several processes; None if one process has to read it."""
    if not is_rereadable(path):
        return None
    n_workers = (n_cores() if _are_large([path]) else 1) if jobs is None else jobs
    if n_workers < 2:
        return None
    from stdeval.run_parts import cut, joined

    parts = cut(path, n_workers)
    if len(parts) < 2:
        return None
    with closing(_in_order(_processes(len(parts)), functools.partial(_score_part, task), parts)) as scored:
        return joined(evaluator_of(task), scored, display_name(path))


def _score_part(task: Task, part: Part) -> TaggedScores | None:
    from stdeval.run_parts import score_part

    return score_part(evaluator_of(task), part)


def map_runs(
    work: Callable[[str], Result], paths: Sequence[str], jobs: int | None = None, cluster: Cluster | None = None
) -> Iterator[Result]:
    """Apply a function to run files, here, in processes, or on a cluster, and yield its results in order."""
    if cluster is not None:
        yield from _in_order(cluster.connect(), work, [_shared(path) for path in paths])
        return
    n_workers = default_jobs(paths) if jobs is None else min(jobs, len(paths))
    if n_workers < 2 or not all(is_rereadable(path) for path in paths):
        yield from map(work, paths)
        return
    yield from _in_order(_processes(n_workers), work, paths)


def default_jobs(paths: Sequence[str]) -> int:
    """Default number of workers for runs: one per core, at most one per run, and 1 if the runs are small."""
    runs = [path for path in paths if is_rereadable(path)]
    return min(n_cores(), len(runs)) if _are_large(runs) else 1


def _are_large(runs: Sequence[str]) -> bool:
    """Return whether workers save more time on the runs in these files than it takes to start them."""
    size = sum(os.stat(path).st_size * (_COMPRESSION if path.endswith(_COMPRESSED) else 1) for path in runs)
    return size >= MIN_BYTES_FOR_WORKERS


def n_cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _in_order(
    pool: AbstractContextManager[ProcessPool | ClusterExecutor],
    work: Callable[[Argument], Result],
    arguments: Sequence[Argument],
) -> Generator[Result, None, None]:
    """Submit work on all arguments to an executor and yield the results in their order."""
    with pool as executor:
        futures = deque(executor.submit(work, argument) for argument in arguments)
        try:
            while futures:
                # Taken out of the queue first, so that no result is held longer than the caller holds it.
                yield futures.popleft().result()
        finally:
            for future in futures:
                future.cancel()


@contextmanager
def _processes(n: int) -> Iterator[ProcessPool]:
    """Start worker processes on this machine."""
    from concurrent.futures import BrokenExecutor


    try:
        pool = ProcessPool(n)
    except OSError as error:
        raise InputError(f"cannot start worker processes: {error.strerror}; -j 1 starts none") from None
    try:
        with pool:
            yield pool
    except BrokenExecutor:
        raise InputError("a worker process died (out of memory?); -j 1 starts none") from None


@contextmanager
def block_mapper(
    jobs: int | None, n_trials: int
) -> Iterator[Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]]:
    """Provide a map over blocks of trials: the builtin one, or one that uses workers and keeps the order."""
    n_workers = (n_cores() if n_trials >= MIN_TRIALS_FOR_WORKERS else 1) if jobs is None else jobs
    if n_workers < 2:
        yield map
        return
    with _processes(n_workers) as pool:
        yield pool.map


def _shared(path: str) -> str:
    """Return the path under which workers on other machines find a file."""
    if not is_rereadable(path):
        raise InputError("expected a file that the workers of a cluster can read too", Input(path).name)
    return os.path.realpath(path)
