"""Runs and random trials, worked on here, in several processes, or on a Dask cluster.

`stdeval eval` runs through this module, so what starts workers is imported where they are started.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import lru_cache, partial
from itertools import pairwise
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from stdeval import cluster, evaluation
from stdeval.errors import InputError
from stdeval.files import LONGEST_LINE, Input, display_name, is_compressed, is_rereadable
from stdeval.trec import reading

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

    from stdeval.cluster import ClusterExecutor
    from stdeval.evaluation import Evaluator, Options, PartScores, RunScores
    from stdeval.measures.catalogue import Measure
    from stdeval.trec.reading import Qrels

Argument = TypeVar("Argument")
Result = TypeVar("Result")

Jobs = int | str | None
"""A number of worker processes, None for the usual one, or the address of a Dask cluster."""

# below these, starting workers takes more time than it saves
MIN_BYTES_FOR_WORKERS = 16 << 20
MIN_TRIALS_FOR_WORKERS = 2000


class Task(NamedTuple):
    """The evaluation that every worker does, see `Evaluator`; the token is another one for each command."""

    qrels: str
    measures: tuple[Measure, ...]
    options: Options
    counts_judged: bool = False
    token: str = ""


@lru_cache(maxsize=1)
def qrels_of(path: str, token: str) -> tuple[Qrels, int]:
    """Return the judgments in a file, which are read once per process and command, and a checksum."""
    source = Input(path)
    return reading.read_qrels(source), source.checksum


@lru_cache(maxsize=1)
def evaluator_of(task: Task) -> Evaluator:
    """Return the evaluator of a task, made once per process."""
    try:
        qrels, _ = qrels_of(task.qrels, task.token)
        return evaluation.Evaluator(qrels, task.measures, task.options, counts_judged=task.counts_judged)
    except reading.JudgmentError as error:
        raise reading.located(error, task.qrels) from None
    except InputError as error:
        raise error.at(display_name(task.qrels)) from None


def _score(task: Task, checksum: int, run: str | Part) -> Any:
    """Score a run, or a part of one, by the judgments with this checksum, those of the process that asks for it."""
    if qrels_of(task.qrels, task.token)[1] != checksum:
        raise InputError("the judgments changed meanwhile, expected the same", display_name(task.qrels))
    evaluator = evaluator_of(task)
    return score_part(evaluator, run) if isinstance(run, Part) else evaluator.score_file(run)


def score_all(task: Task, paths: Sequence[str], jobs: Jobs) -> Iterator[RunScores]:
    """Yield the scores of runs, in order; see `map_runs`."""
    _, checksum = qrels_of(task.qrels, task.token)
    if isinstance(jobs, str):
        task = task._replace(qrels=_shared(task.qrels))
    else:
        # An error in the qrels comes first, and processes that are forked have the evaluator.
        evaluator_of(task)
        # Others read the qrels themselves, which works only if they can be read again.
        jobs = jobs if is_rereadable(task.qrels) else 1
        scores = _score_in_parts(task, checksum, paths[0], jobs) if len(paths) == 1 else None
        if scores is not None:
            yield scores
            return
    yield from map_runs(partial(_score, task, checksum), paths, jobs)


def _score_in_parts(task: Task, checksum: int, path: str, jobs: int | None) -> RunScores | None:
    """Score one run in several processes; None if one process has to read it."""
    n_workers = default_jobs([path]) if jobs is None else jobs
    parts = cut(path, n_workers) if n_workers > 1 and is_rereadable(path) else []
    if len(parts) < 2:
        return None
    with closing(_in_order(processes(len(parts)), partial(_score, task, checksum), parts)) as scored:
        return joined(evaluator_of(task), scored, display_name(path))


def map_runs(work: Callable[[str], Result], paths: Sequence[str], jobs: Jobs) -> Iterator[Result]:
    """Apply a function to run files, here, in processes, or on a cluster, and yield its results in order."""
    if isinstance(jobs, str):
        yield from _in_order(cluster.connected(jobs), work, [_shared(path) for path in paths])
        return
    n_workers = min(default_jobs(paths) if jobs is None else jobs, len(paths))
    if n_workers < 2 or not all(is_rereadable(path) for path in paths):
        yield from map(work, paths)
    else:
        yield from _in_order(processes(n_workers), work, paths)


def default_jobs(paths: Sequence[str]) -> int:
    """Default number of workers for runs: one per core, and 1 if starting them takes more time than they save."""
    runs = [path for path in paths if is_rereadable(path)]
    # compressed runs are usually four times as large as their files
    size = sum(os.stat(path).st_size * (4 if path.endswith((".gz", ".bz2", ".xz")) else 1) for path in runs)
    return n_cores() if size >= MIN_BYTES_FOR_WORKERS else 1


def n_cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _shared(path: str) -> str:
    """Return the path under which workers on other machines find a file."""
    if not is_rereadable(path):
        raise InputError("expected a file that the workers of a cluster can read too", display_name(path))
    return os.path.realpath(path)


def _in_order(
    pool: AbstractContextManager[ProcessPoolExecutor | ClusterExecutor],
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
def block_mapper(jobs: Jobs, n_trials: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """Provide a map over blocks of trials: the builtin one, or one that uses workers and keeps the order."""
    usual = n_cores() if n_trials >= MIN_TRIALS_FOR_WORKERS else 1
    n_workers = jobs if isinstance(jobs, int) else usual
    if n_workers < 2:
        yield map
    else:
        with processes(n_workers) as executor:
            yield executor.map


@contextmanager
def processes(n: int) -> Iterator[ProcessPoolExecutor]:
    """Start worker processes on this machine, and end them whatever they are doing."""
    import multiprocessing
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor

    # Forked processes have the judgments and all modules at once; on other systems, libraries do not survive it.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    executor = ProcessPoolExecutor(n, context, _end_with_parent)
    try:
        with warnings.catch_warnings():
            # that other threads could hold locks: stdeval has none, and the rest of a Python program does no harm
            warnings.simplefilter("ignore", DeprecationWarning)
            executor.submit(int).result()
        yield executor
    except BrokenProcessPool:
        raise InputError("a worker process died (out of memory?); -j 1 starts none") from None
    except BlockingIOError as error:
        raise InputError(f"cannot start worker processes: {error.strerror}; -j 1 starts none") from None
    finally:
        manager = getattr(executor, "_executor_manager_thread", None)
        executor.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.kill()
        if manager is not None:
            manager.join(1)  # Python, if it ended now, would find the pipe of this thread half closed


def _end_with_parent() -> None:
    """Let this worker end with the process that started it; signals end it without removing files of that one."""
    import threading
    from multiprocessing import parent_process

    for number in (getattr(signal, name, signal.SIGTERM) for name in ("SIGINT", "SIGTERM", "SIGHUP")):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)

    def end_after_parent() -> None:
        cast(Any, parent_process()).join()
        os._exit(1)

    threading.Thread(target=end_after_parent, daemon=True).start()


# --- one large run in parts ---
#
# A part is read as if it were a run of its own. So a run is cut only where a topic begins, and the scores of its
# parts are joined only if that makes no difference: no topic is in two places, all parts have the same tag, and no
# line is refused. Otherwise the run is read as a whole, which also finds the numbers of lines for messages.

_LONGEST_SEARCH = 1 << 24
"""Bytes in which a topic must begin for a run to be cut; limits the time if topics are long."""


class Part(NamedTuple):
    """The bytes of a run from ``start`` up to but not including ``end``."""

    path: str
    start: int
    end: int


def cut(path: str, n: int) -> list[Part]:
    """Cut a run into parts of about the same size, each beginning with a new topic."""
    with Input(path).open() as stream:
        if is_compressed(path):
            return []
        size = stream.seek(0, os.SEEK_END)
        found = (_next_topic(stream, i * size // n) for i in range(1, n))
        places = sorted({0, size, *(place for place in found if place is not None)})
    return [Part(path, start, end) for start, end in pairwise(places)]


def _next_topic(stream: IO[bytes], offset: int) -> int | None:
    """Return the first place after an offset at which a topic begins; None if there is none nearby."""
    stream.seek(offset)
    place = offset + len(stream.readline(LONGEST_LINE))
    topic: list[bytes] = []
    while place - offset < _LONGEST_SEARCH and (line := stream.readline(LONGEST_LINE)):
        found = line.split(None, 1)[:1]
        if topic and found and found != topic:
            return place
        topic = found or topic
        place += len(line)
    return None


class _PartInput(Input):
    """A part of a file, read as if it were a file: the stream ends where the part does, between two lines."""

    def __init__(self, part: Part) -> None:
        super().__init__(part.path)
        self._part = part

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        with super().open() as self._stream:
            self._stream.seek(self._part.start)
            yield cast(IO[bytes], self)

    def read(self, size: int) -> bytes:
        return self._stream.read(max(0, min(size, self._part.end - self._stream.tell())))

    def readline(self, limit: int) -> bytes:
        return self._stream.readline(limit) if self._stream.tell() < self._part.end else b""


def score_part(evaluator: Evaluator, part: Part) -> PartScores | None:
    """Return the scores of a part; None if its topics could score differently in the whole run."""
    try:
        return evaluator.score_part(reading.RunReader(_PartInput(part), grouped=True))
    except InputError:
        return None


def joined(evaluator: Evaluator, parts: Iterable[PartScores | None], path: str) -> RunScores | None:
    """Return the scores of a run from the scores of all of its parts; None if it has to be read as a whole."""
    scored: list[PartScores] = []
    for part in parts:
        if part is None or part.tag != (scored or [part])[0].tag:
            return None
        scored.append(part)
    is_judged = any(part.is_judged for part in scored)
    whole = evaluation.PartScores([], {}, {}, is_judged=is_judged, first={}, tag=scored[0].tag)
    for part in scored:
        whole.topics.extend(part.topics)
        whole.rows.update(part.rows)
        whole.texts.update(part.texts)
        whole.first.update(part.first)
    if len(set(whole.topics)) < len(whole.topics):
        return None
    return evaluator.whole_run(whole._replace(rising=sum(part.rising for part in scored)), path)
