"""Runs and random trials, worked on here, in several processes, or on a Dask cluster.

`stdeval eval` runs through this module, so what starts workers is imported where they are started.
"""

from __future__ import annotations

import functools
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from stdeval.errors import InputError
from stdeval.evaluation import Evaluator, Options, RunScores
from stdeval.files import Input, display_name, is_rereadable
from stdeval.measures.catalogue import Measure
from stdeval.trec.reading import Qrels, locating_judgments, read_qrels

if TYPE_CHECKING:
    from stdeval.pools import ClusterExecutor, ProcessPool
    from stdeval.run_parts import Part, TaggedScores

Argument = TypeVar("Argument")
Result = TypeVar("Result")

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


class Cluster(NamedTuple):
    """A Dask cluster, whose workers see the same files under the same names."""

    address: str
    timeout: float = 60

    def connect(self) -> AbstractContextManager[ClusterExecutor]:
        """Connect to the cluster."""
        from stdeval.pools import connected

        return connected(self.address, self.timeout)


class Task(NamedTuple):
    """The evaluation that every worker does, see `Evaluator`."""

    qrels: QrelsFile
    measures: tuple[Measure, ...]
    options: Options
    counts_judged: bool = False


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


def _score(task: Task, path: str) -> RunScores:
    return evaluator_of(task).score_file(path)


def _score_part(task: Task, part: Part) -> TaggedScores | None:
    from stdeval.run_parts import score_part

    return score_part(evaluator_of(task), part)


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
    yield from map_runs(functools.partial(_score, task), paths, jobs, cluster)


def _score_in_parts(task: Task, path: str, jobs: int | None) -> RunScores | None:
    """Score one run in several processes; None if one process has to read it."""
    if not is_rereadable(path):
        return None
    n_workers = (n_cores() if _are_large([path]) else 1) if jobs is None else jobs
    if n_workers < 2:
        return None
    from stdeval.pools import processes
    from stdeval.run_parts import cut, joined

    parts = cut(path, n_workers)
    if len(parts) < 2:
        return None
    with closing(_in_order(processes(len(parts)), functools.partial(_score_part, task), parts)) as scored:
        return joined(evaluator_of(task), scored, display_name(path))


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
    from stdeval.pools import processes

    yield from _in_order(processes(n_workers), work, paths)


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
def block_mapper(
    jobs: int | None, n_trials: int
) -> Iterator[Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]]:
    """Provide a map over blocks of trials: the builtin one, or one that uses workers and keeps the order."""
    n_workers = (n_cores() if n_trials >= MIN_TRIALS_FOR_WORKERS else 1) if jobs is None else jobs
    if n_workers < 2:
        yield map
        return
    from stdeval.pools import processes

    with processes(n_workers) as pool:
        yield pool.map


def _shared(path: str) -> str:
    """Return the path under which workers on other machines find a file."""
    if not is_rereadable(path):
        raise InputError("expected a file that the workers of a cluster can read too", Input(path).name)
    return os.path.realpath(path)
