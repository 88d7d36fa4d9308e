"""Many runs at once: the output is the same wherever they are scored."""

from __future__ import annotations

import gzip
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stdeval import Options
from stdeval.cluster import connected
from stdeval.errors import InputError
from stdeval.evaluation import Evaluator
from stdeval.measures.names import resolve
from stdeval.trec.reading import read_qrels
from stdeval.workers import (
    MIN_BYTES_FOR_WORKERS,
    Task,
    _in_order,
    default_jobs,
    n_cores,
    score_all,
)

ROOT = Path(__file__).resolve().parent.parent
QRELS = str(ROOT / "sample_data" / "qrels.gz")
RUNS = sorted(str(path) for path in (ROOT / "sample_data" / "references").glob("*.gz"))[:12]
MEASURES = ("map", "P_10", "relstring")


def task(**options: bool) -> Task:
    return Task(QRELS, resolve(MEASURES), Options(**options))


def stdeval(*arguments: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stdeval", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout, check=False)


def test_workers_return_the_scores_of_one_evaluator_in_the_order_of_the_runs() -> None:
    runs = RUNS[::-1]
    evaluator = Evaluator(read_qrels(QRELS), resolve(MEASURES))
    for path, scores in zip(runs, score_all(task(), runs, jobs=2), strict=True):
        expected = evaluator.score_file(path)
        assert scores.path == path
        assert scores.topics == expected.topics
        assert scores.texts == expected.texts
        np.testing.assert_array_equal(scores.values, expected.values)


@pytest.mark.parametrize(
    "command",
    [
        ["eval", "-q"],
        ["eval", "-q", "-f", "csv"],
        ["factors"],
        ["standardize", "-f", "table"],
        ["pool", "-d", "10"],
        ["pool", "-d", "10", "--report"],
        ["meta", "depth", "--pool-depth", "5", "--eval-depth", "10", "-m", "map", "--form", "raw"],
    ],
)
def test_output_does_not_depend_on_the_number_of_workers(command: list[str]) -> None:
    one = stdeval(*command, "-j", "1", QRELS, *RUNS)
    two = stdeval(*command, "-j", "2", QRELS, *RUNS)
    assert one.returncode == two.returncode == 0
    assert one.stdout == two.stdout
    assert one.stderr == two.stderr


def plain_run(folder: Path) -> str:
    """A run that is not compressed."""
    path = folder / "plain.run"
    path.write_bytes(gzip.decompress(Path(RUNS[0]).read_bytes()))
    return str(path)


def test_one_run_is_scored_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = plain_run(tmp_path)
    counted = task()._replace(counts_judged=True)
    [expected] = score_all(counted, [path], jobs=1)
    assert expected.judged == 1
    monkeypatch.setattr(Evaluator, "score_file", None)
    [scores] = score_all(counted, [path], jobs=3)
    # as text, in which NaN equals NaN
    assert repr(scores) == repr(expected)


@pytest.mark.parametrize("change", ["tag", "score", "topic"])
def test_messages_on_one_run_do_not_depend_on_the_number_of_workers(tmp_path: Path, change: str) -> None:
    path = Path(plain_run(tmp_path))
    lines = path.read_text().splitlines()
    topic, q0, docno, rank, score, tag = lines[-1].split()
    if change == "topic":
        topic = lines[0].split()[0]
    last = [topic, q0, docno, rank, "x" if change == "score" else score, "other" if change == "tag" else tag]
    path.write_text("\n".join([*lines[:-1], " ".join(last), ""]))
    one, two = (stdeval("eval", "-q", "-j", jobs, QRELS, str(path)) for jobs in ("1", "2"))
    assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)
    assert (f":{len(lines)}: " in one.stderr) == (change == "score")


def test_the_first_bad_run_in_the_order_given_is_named(tmp_path: Path) -> None:
    bad, worse = tmp_path / "bad.run", tmp_path / "worse.run"
    bad.write_text("301 Q0 D1 1 nan tag\n")
    worse.write_text("301 Q0 D1\n")
    result = stdeval("eval", "-j", "2", QRELS, RUNS[0], str(bad), RUNS[1], str(worse))
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"stdeval: {bad}:1: score 'nan', expected a finite decimal number\n"


def test_standard_input_is_read_by_this_process_for_any_number_of_jobs() -> None:
    text = gzip.decompress(Path(RUNS[0]).read_bytes()).decode()
    command = [sys.executable, "-m", "stdeval", "eval", "-j", "2", QRELS, "-", RUNS[1]]
    piped = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, timeout=60, check=False)
    assert piped.stdout == stdeval("eval", QRELS, RUNS[0], RUNS[1]).stdout


def test_small_inputs_start_no_workers_and_large_ones_use_the_cores(tmp_path: Path) -> None:
    assert default_jobs(RUNS[:3]) == 1
    large = tmp_path / "large.run"
    with large.open("wb") as file:
        file.truncate(MIN_BYTES_FOR_WORKERS)
    assert default_jobs([str(large), RUNS[0]]) == min(2, n_cores())


def test_an_error_cancels_the_runs_that_have_not_begun() -> None:
    begun: list[str] = []
    failed = threading.Event()

    def work(path: str) -> str:
        begun.append(path)
        if path == "bad":
            raise InputError("bad", path)
        failed.wait(30)
        return path

    with pytest.raises(InputError, match="bad"):
        try:
            list(_in_order(ThreadPoolExecutor(1), work, ["bad", *RUNS]))
        finally:
            failed.set()
    assert len(begun) <= 2


@contextmanager
def started_scheduler(folder: Path) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """A Dask scheduler on this machine: the file with its address, and its process."""
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    where = folder / "scheduler.json"
    process = start_dask(
        *("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(where))
    )
    try:
        wait_for(where.exists, "the scheduler")
        yield where, process
    finally:
        process.terminate()
        process.wait(timeout=30)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The file with the address of a Dask scheduler."""
    with started_scheduler(tmp_path_factory.mktemp("dask")) as (where, _):
        yield where


def start_dask(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "dask", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for(happened: object, what: str) -> None:
    for _ in range(300):
        if happened():  # type: ignore[operator]
            return
        time.sleep(0.1)
    pytest.fail(f"{what} did not start")


def start_workers(scheduler: Path) -> list[subprocess.Popen[bytes]]:
    arguments = ["worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--scheduler-file", str(scheduler)]
    return [start_dask(*arguments) for _ in range(2)]


def kill(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.kill()
        process.wait(timeout=30)


@pytest.fixture
def workers(scheduler: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    processes = start_workers(scheduler)
    yield processes
    kill(processes)


def address(scheduler: Path) -> str:
    import json

    found: str = json.loads(scheduler.read_text())["address"]
    return found


def test_a_dask_cluster_gives_the_same_bytes(scheduler: Path, workers: list[subprocess.Popen[bytes]]) -> None:
    del workers
    here = stdeval("eval", "-q", "-f", "csv", QRELS, *RUNS)
    there = stdeval("eval", "-q", "-f", "csv", "-j", address(scheduler), QRELS, *RUNS)
    assert (there.returncode, there.stderr) == (0, "")
    assert there.stdout == here.stdout


def test_a_bad_run_on_a_cluster_is_named(
    scheduler: Path, workers: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    del workers
    bad = tmp_path / "bad.run"
    bad.write_text("301 Q0 D1 1 nan tag\n")
    result = stdeval("eval", "-j", address(scheduler), QRELS, RUNS[0], str(bad))
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"stdeval: {bad}:1: score 'nan', expected a finite decimal number\n"


def test_the_result_is_complete_when_a_worker_is_killed_in_the_middle(
    scheduler: Path, workers: list[subprocess.Popen[bytes]]
) -> None:
    driver = """
        import os, signal, sys
        from stdeval import Options
        from stdeval.evaluation import Evaluator
        from stdeval.measures.names import resolve
        from stdeval.trec.reading import read_qrels
        from stdeval.workers import Task, score_all
        if __name__ == "__main__":
            address, victim, qrels, *runs = sys.argv[1:]
            measures = resolve(["map", "P_10"])
            scored = score_all(Task(qrels, measures, Options()), runs, address)
            found = [next(scored)]
            os.kill(int(victim), signal.SIGKILL)
            found += scored
            expected = [Evaluator(read_qrels(qrels), measures).score_file(run) for run in runs]
            assert [scores.path for scores in found] == runs
            assert all((a.values == b.values).all() for a, b in zip(found, expected, strict=True))
            print(len(found))
    """
    command = [sys.executable, "-c", textwrap.dedent(driver), address(scheduler), str(workers[0].pid), QRELS, *RUNS]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert result.stdout == f"{len(RUNS)}\n", result.stderr
    assert workers[0].wait(timeout=30) == -signal.SIGKILL
    assert workers[1].poll() is None


def test_a_result_is_kept_when_its_worker_is_lost_just_after_it_was_fetched(
    scheduler: Path, workers: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import Future

    del workers
    fetch = Future._result

    async def fetch_and_lose(future: Any, *arguments: Any, **options: Any) -> object:
        result = await fetch(future, *arguments, **options)
        future._state.lose()
        return result

    monkeypatch.setattr(Future, "_result", fetch_and_lose)
    with connected(address(scheduler), 60) as executor:
        assert executor.submit(sorted, "dcba").result() == ["a", "b", "c", "d"]


LOSING = """
    import os, signal, sys, time
    from stdeval.errors import InputError
    from stdeval.cluster import connected

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


def test_work_ends_with_one_line_when_all_workers_are_lost(
    scheduler: Path, workers: list[subprocess.Popen[bytes]]
) -> None:
    pids = [str(worker.pid) for worker in workers]
    command = [sys.executable, "-c", textwrap.dedent(LOSING), address(scheduler), "3", *pids]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    lost = f"Dask cluster at '{address(scheduler)}': no workers for 3 s\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, lost, "")


def test_work_ends_with_one_line_when_the_scheduler_is_lost(tmp_path: Path) -> None:
    with started_scheduler(tmp_path) as (where, process):
        there = address(where)
        workers = start_workers(where)
        command = [sys.executable, "-c", textwrap.dedent(LOSING), there, "60", str(process.pid)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
        kill(workers)
    lost = f"Dask cluster at '{there}': the connection to the scheduler is lost\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, lost, "")


def test_a_cluster_cannot_read_standard_input() -> None:
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    with pytest.raises(InputError, match="<stdin>: expected a file that the workers of a cluster can read"):
        list(score_all(task(), ["-"], "tcp://127.0.0.1:1"))
