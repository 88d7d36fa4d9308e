"""Work for several processes: runs, here or on a Dask cluster, and blocks of random trials."""

from __future__ import annotations

import functools
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from stdeval.errors import InputError
from stdeval.evaluation import Evaluator, Options, RunScores
from stdeval.files import Input
from stdeval.measures.names import Measure
from stdeval.trec import Qrels, read_qrels

if TYPE_CHECKING:
    from concurrent.futures import Executor

Result = TypeVar("Result")

WORTH_A_POOL = 16 << 20
"""Bytes of runs below which starting workers costs more than they give."""

TRIALS_WORTH_A_POOL = 2000
"""Random trials below which starting workers costs more than they give."""

_PACKED = (".gz", ".bz2", ".xz")
_PACKING = 4


@dataclass(frozen=True)
class QrelsFile:
    """Judgments that a process reads once for each time they are asked for.

    Parameters
    ----------
    path : str
    asked : str
        Differs each time, because the file may have changed since.
    """

    path: str
    asked: str = field(default_factory=lambda: f"{os.getpid()}-{time.monotonic_ns()}")

    def read(self) -> Qrels:
        """The judgments."""
        return _qrels_of(self)


class Task(NamedTuple):
    """What every worker must know: the qrels, what to compute, and how."""

    qrels: QrelsFile
    measures: tuple[Measure, ...]
    options: Options


@functools.lru_cache(maxsize=1)
def _qrels_of(file: QrelsFile) -> Qrels:
    return read_qrels(Input(file.path))


@functools.lru_cache(maxsize=1)
def evaluator_of(task: Task) -> Evaluator:
    """The evaluator of a task, made once in each process; workers that are forked inherit it."""
    return Evaluator(task.qrels.read(), task.measures, task.options)


def score(task: Task, path: str) -> RunScores:
    """The scores of the run in a file."""
    return evaluator_of(task).score_file(path)


def score_all(
    task: Task, paths: Sequence[str], jobs: int | None = None, dask: str | None = None
) -> Iterator[RunScores]:
    """The scores of runs, as `map_runs` gives them."""
    if dask is not None:
        task = _on_shared_files(task)
    else:
        evaluator_of(task)
        jobs = jobs if _rereadable(task.qrels.path) else 1
    yield from map_runs(functools.partial(score, task), paths, jobs, dask)


def map_runs(
    work: Callable[[str], Result], paths: Sequence[str], jobs: int | None = None, dask: str | None = None
) -> Iterator[Result]:
    """What a function makes of the files of runs, in the order given, whatever computes it.

    Parameters
    ----------
    work : callable
        Of a path; it must pickle.
    paths : sequence of str
    jobs : int, optional
        Number of worker processes; None: as many as are worth while.
    dask : str, optional
        Address of a Dask scheduler, whose workers see the same files under the same names.

    Raises
    ------
    InputError
        That of the first run, in the order given, which cannot be read; the others are cancelled.
    """
    if dask is not None:
        yield from _in_order(_cluster(dask), work, [_shared(path) for path in paths])
        return
    n_workers = default_jobs(paths) if jobs is None else min(jobs, len(paths))
    if n_workers < 2 or not all(_rereadable(path) for path in paths):
        yield from map(work, paths)
        return
    yield from _in_order(_processes(n_workers), work, paths)


def default_jobs(paths: Sequence[str]) -> int:
    """How many workers are worth while for runs: the cores that there are; 1 where runs are few or small."""
    runs = [path for path in paths if _rereadable(path)]
    size = sum(os.stat(path).st_size * (_PACKING if path.endswith(_PACKED) else 1) for path in runs)
    return min(n_cores(), len(runs)) if size >= WORTH_A_POOL else 1


def n_cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _rereadable(path: str) -> bool:
    return os.path.isfile(path)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _in_order(
    pool: AbstractContextManager[Executor], work: Callable[[str], Result], paths: Sequence[str]
) -> Iterator[Result]:
    with pool as executor:
        futures = deque(executor.submit(work, path) for path in paths)
        try:
            while futures:
                # Taken out of the queue first, so that no result is held longer than the caller holds it.
                yield futures.popleft().result()
        finally:
            for future in futures:
                future.cancel()


@contextmanager
def _processes(n: int, start_method: str | None = None) -> Iterator[Executor]:
    """The executor of worker processes on this machine."""
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
    from multiprocessing import get_context

    try:
        with ProcessPoolExecutor(n, get_context(start_method), initializer=_ignore_interrupts) as executor:
            yield executor
    except BrokenExecutor:
        raise InputError("a worker process died (out of memory?), -j 1 works in this one") from None


@contextmanager
def block_mapper(
    jobs: int | None, n_trials: int
) -> Iterator[Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]]:
    """The builtin map, or one that spreads blocks of trials over workers and keeps their order.

    The workers are spawned, so that they load numpy with the number of threads that the environment says.

    Parameters
    ----------
    jobs : int, optional
        Number of worker processes; None: all cores, if there are many trials.
    n_trials : int
        Number of trials in all the blocks.
    """
    n_workers = (n_cores() if n_trials >= TRIALS_WORTH_A_POOL else 1) if jobs is None else jobs
    if n_workers < 2:
        yield map
        return
    with _processes(n_workers, "spawn") as executor:
        try:
            yield executor.map
        finally:
            executor.shutdown(cancel_futures=True)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    """The executor of a Dask cluster."""
    try:
        from distributed import Client
    except ImportError:
        raise InputError("--dask needs dask, expected: pip install 'stdeval[dask]'") from None
    try:
        with cast(Any, Client)(address, timeout="10s", set_as_default=False) as client:
            client.wait_for_workers(1, timeout=30)
            yield client.get_executor(pure=False)
    except InputError:
        raise
    except Exception as error:  # whatever a cluster breaks with is one line to whoever uses it
        what = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise InputError(f"Dask cluster at '{address}': {what} (it needs stdeval on all its machines)") from None


def _shared(path: str) -> str:
    """The path as workers elsewhere find it."""
    if not _rereadable(path):
        raise InputError("expected a file that the workers of a cluster can read too", Input(path).name)
    return os.path.realpath(path)


def _on_shared_files(task: Task) -> Task:
    return task._replace(qrels=QrelsFile(_shared(task.qrels.path), task.qrels.asked))
