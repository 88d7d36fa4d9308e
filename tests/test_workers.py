"""Many runs at once: the output is the same wherever they are scored."""

from __future__ import annotations

import gzip
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from stdeval import Options
from stdeval.errors import InputError
from stdeval.evaluation import Evaluator
from stdeval.measures.names import resolve
from stdeval.table import scores_of
from stdeval.trec.reading import read_qrels
from stdeval.workers import (
    MIN_BYTES_FOR_WORKERS,
    Task,
    block_mapper,
    default_jobs,
    evaluator_of,
    n_cores,
    score_all,
)
from tests.conftest import ROOT, SAMPLE

QRELS = str(SAMPLE / "qrels.gz")
RUNS = sorted(str(path) for path in (SAMPLE / "references").glob("*.gz"))[:12]
MEASURES = ("map", "P_10", "relstring")


def task(**options: bool) -> Task:
    return Task(QRELS, resolve(MEASURES), Options(**options))


def python(*arguments: object, text: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, timeout=120, check=False)


def stdeval(*arguments: object, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return python("-m", "stdeval", *arguments, text=text)


def test_workers_return_the_scores_of_one_evaluator_in_the_order_of_the_runs() -> None:
    runs = RUNS[::-1]
    evaluator = Evaluator(read_qrels(QRELS), resolve(MEASURES))
    for path, scores in zip(runs, score_all(task(), runs, jobs=2), strict=True):
        expected = evaluator.score_file(path)
        assert scores.path == path
        assert scores.topics == expected.topics
        assert scores.texts == expected.texts
        np.testing.assert_array_equal(scores_of(scores), scores_of(expected))


@pytest.mark.parametrize(
    "line",
    [
        "eval -q",
        "eval -q -f csv",
        "factors",
        "standardize -f table",
        "pool -d 10 --report",
        "meta depth --pool-depth 5 --eval-depth 10 -m map --form raw",
    ],
)
def test_output_does_not_depend_on_the_number_of_workers(line: str) -> None:
    one, two = (stdeval(*line.split(), "-j", jobs, QRELS, *RUNS) for jobs in "12")
    assert (one.returncode, one.stdout, one.stderr) == (0, two.stdout, two.stderr)


@pytest.fixture
def plain_run(tmp_path: Path) -> Path:
    """A run that is not compressed."""
    path = tmp_path / "plain.run"
    path.write_bytes(gzip.decompress(Path(RUNS[0]).read_bytes()))
    return path


def test_one_run_is_scored_in_parts(plain_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = task()._replace(counts_judged=True)
    [expected] = score_all(counted, [str(plain_run)], jobs=1)
    assert expected.judged == 1
    monkeypatch.setattr(Evaluator, "score_file", None)
    [scores] = score_all(counted, [str(plain_run)], jobs=3)
    # as text, in which NaN equals NaN
    assert repr(scores) == repr(expected)


def replaced_judgments(folder: Path) -> Task:
    """A task whose qrels have been replaced since this process read them."""
    qrels = folder / "qrels"
    qrels.write_bytes(Path(QRELS).read_bytes())
    changing = task()._replace(qrels=str(qrels), token=str(folder))
    evaluator_of(changing)
    qrels.write_bytes(gzip.compress(b" 1\n".join(gzip.decompress(qrels.read_bytes()).rsplit(b" 0\n", 1))))
    return changing


CHANGED = "qrels: the judgments changed meanwhile, expected the same"


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("parts", [False, True])
def test_workers_score_by_the_judgments_that_were_read_first(
    method: str, parts: bool, plain_run: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    context = multiprocessing.get_context(method)
    monkeypatch.setattr(multiprocessing, "get_context", lambda _: context)
    runs = [str(plain_run)] if parts else RUNS[:2]
    changing = replaced_judgments(tmp_path)
    if method == "spawn":
        with pytest.raises(InputError, match=CHANGED):
            list(score_all(changing, runs, 2))
    else:
        evaluator = Evaluator(read_qrels(QRELS), resolve(MEASURES))
        expected = [evaluator.score_file(path).rows for path in runs]
        assert repr([scores.rows for scores in score_all(changing, runs, 2)]) == repr(expected)
    # or Python finds its pipe half closed, if it ends now
    assert "ExecutorManager" not in str(threading.enumerate())


@pytest.mark.parametrize(("column", "value"), [(5, "other"), (4, "x"), (0, "of the first line")])
def test_messages_on_one_run_do_not_depend_on_the_number_of_workers(plain_run, column: int, value: str) -> None:
    lines = plain_run.read_text().splitlines()
    last = lines[-1].split()
    last[column] = value if column else lines[0].split()[0]
    plain_run.write_text("\n".join([*lines[:-1], " ".join(last), ""]))
    one, two = (stdeval("eval", "-q", "-j", jobs, QRELS, plain_run) for jobs in "12")
    assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)
    assert (f":{len(lines)}: " in one.stderr) == (value == "x")


def test_the_first_bad_run_in_the_order_given_is_named(tmp_path: Path) -> None:
    bad, worse = tmp_path / "bad.run", tmp_path / "worse.run"
    bad.write_text("301 Q0 D1 1 nan tag\n")
    worse.write_text("301 Q0 D1\n")
    result = stdeval("eval", "-j", "2", QRELS, RUNS[0], str(bad), RUNS[1], str(worse))
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"stdeval: {bad}:1: score 'nan', expected a finite decimal number\n"


def test_standard_input_is_read_by_this_process_for_any_number_of_jobs() -> None:
    text = gzip.decompress(Path(RUNS[0]).read_bytes()).decode()
    piped = stdeval("eval", "-j", "2", QRELS, "-", RUNS[1], text=text)
    assert piped.stdout == stdeval("eval", QRELS, RUNS[0], RUNS[1]).stdout


def test_a_process_that_dies_is_an_error():
    expected = r"^a worker process died \(out of memory\?\); -j 1 starts none$"
    with pytest.raises(InputError, match=expected), block_mapper(2, 1) as mapped:
        list(mapped(os._exit, [3, 3]))


def test_small_inputs_start_no_workers_and_large_ones_use_the_cores(tmp_path: Path) -> None:
    assert default_jobs(RUNS[:3]) == 1
    large = tmp_path / "large.run"
    with large.open("wb") as file:
        file.truncate(MIN_BYTES_FOR_WORKERS)
    assert default_jobs([str(large), RUNS[0]]) == n_cores()


def test_processes_that_cannot_be_started_are_an_error(monkeypatch: pytest.MonkeyPatch):
    def refuse() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refuse)
    expected = "cannot start worker processes: Resource temporarily unavailable; -j 1 starts none"
    with pytest.raises(InputError, match=expected), block_mapper(2, 1):
        pass


class Dask(NamedTuple):
    """A cluster on this machine: the address of its scheduler, and its processes."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Dask]:
    """A Dask cluster of a scheduler and two workers."""
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    where = tmp_path / "scheduler.json"

    processes: list[subprocess.Popen[bytes]] = []

    def start(*arguments: object) -> None:
        command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        processes.append(subprocess.Popen(command, cwd=ROOT, **quiet))

    try:
        start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", where)
        end = time.monotonic() + 30
        while not (where.exists() and where.read_text()) and time.monotonic() < end:
            time.sleep(0.05)
        address = json.loads(where.read_text())["address"]
        for _ in range(2):
            start("worker", address, "--nthreads", "1", "--no-nanny")
        yield Dask(address, processes[0], processes[1:])
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait(timeout=30)


def test_a_dask_cluster_gives_the_same_bytes_and_names_a_bad_run(dask: Dask, tmp_path: Path) -> None:
    here = stdeval("eval", "-q", "-f", "csv", QRELS, *RUNS)
    there = stdeval("eval", "-q", "-f", "csv", "-j", dask.address, QRELS, *RUNS)
    assert (there.returncode, there.stdout, there.stderr) == (0, here.stdout, "")
    bad = tmp_path / "bad.run"
    bad.write_text("301 Q0 D1 1 nan tag\n")
    result = stdeval("eval", "-j", dask.address, QRELS, RUNS[0], str(bad))
    refused = f"stdeval: {bad}:1: score 'nan', expected a finite decimal number\n"
    assert (result.returncode, result.stdout, result.stderr) == (2, "", refused)
    with pytest.raises(InputError, match=CHANGED):
        list(score_all(replaced_judgments(tmp_path), RUNS[:2], dask.address))


KILLING = """
import os, signal, sys
from stdeval import Options
from stdeval.evaluation import Evaluator
from stdeval.measures.names import resolve
from stdeval.trec.reading import read_qrels
from stdeval.workers import Task, score_all

address, victim, qrels, *runs = sys.argv[1:]
measures = resolve(["map", "P_10"])
scored = score_all(Task(qrels, measures, Options()), runs, address)
found = [next(scored)]
os.kill(int(victim), signal.SIGKILL)
found += scored
expected = [Evaluator(read_qrels(qrels), measures).score_file(run) for run in runs]
assert [scores.path for scores in found] == runs
assert all(a.scores == b.scores for a, b in zip(found, expected, strict=True))
print(len(found))
"""
"""Kills a worker after the first result."""


def test_the_result_is_complete_when_a_worker_is_killed_in_the_middle(dask: Dask) -> None:
    result = python("-c", KILLING, dask.address, dask.workers[0].pid, QRELS, *RUNS)
    assert result.stdout == f"{len(RUNS)}\n", result.stderr
    assert dask.workers[0].wait(timeout=30) == -signal.SIGKILL
    assert dask.workers[1].poll() is None


LOSING = """
import os, signal, sys, time
from stdeval.cluster import connected
from stdeval.errors import InputError

address, timeout, *victims = sys.argv[1:]
try:
    with connected(address, float(timeout)) as executor:
        executor.submit(abs, -1).result()
        unfinished = executor.submit(time.sleep, 600)
        for victim in victims:
            os.kill(int(victim), signal.SIGKILL)
        unfinished.result()
except InputError as error:
    print(error)
"""
"""Kills processes of a cluster while it works, and prints the error."""


@pytest.mark.parametrize(
    ("lost", "timeout", "words"),
    [("workers", 3, "no workers for 3 s"), ("scheduler", 60, "the connection to the scheduler is lost")],
)
def test_work_ends_with_one_line_when_the_cluster_is_lost(dask: Dask, lost: str, timeout: int, words: str) -> None:
    victims = dask.workers if lost == "workers" else [dask.scheduler]
    done = python("-c", LOSING, dask.address, timeout, *(victim.pid for victim in victims))
    line = f"Dask cluster at '{dask.address}': {words}\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, line, "")


def test_a_cluster_cannot_read_standard_input() -> None:
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    with pytest.raises(InputError, match="<stdin>: expected a file that the workers of a cluster can read"):
        list(score_all(task(), ["-"], "tcp://127.0.0.1:1"))
