"""A pool of processes: results, exceptions, processes that die or cannot be started."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor

import pytest

from stdeval.errors import InputError
from stdeval.pools import _PROGRAM, ProcessPool
from stdeval.workers import block_mapper


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPool]:
    with ProcessPool(2) as started:
        yield started


def test_results_come_in_order_from_other_processes_like_this_one(pool: ProcessPool):
    assert list(pool.map(abs, range(-50, 50))) == [abs(i) for i in range(-50, 50)]
    assert pool.submit(eval, "__import__('os').getpid()").result() not in (None, os.getpid())
    assert pool.submit(eval, "__import__('sys').path").result() == sys.path
    # what is printed is not taken for a result
    assert list(pool.map(print, ["a", "b"])) == [None, None]


def test_exceptions_are_those_of_the_function_with_its_traceback(pool: ProcessPool):
    with pytest.raises(ZeroDivisionError) as caught:
        pool.submit(eval, "1 / 0").result()
    assert 'File "<string>", line 1, in <module>' in str(caught.value.__cause__)
    with pytest.raises(Exception, match="pickle"):
        pool.submit(eval, "lambda: 0").result()
    assert pool.submit(abs, -1).result() == 1


def test_a_process_that_dies_breaks_the_pool():
    with pytest.raises(BrokenExecutor), ProcessPool(1) as pool:
        pool.submit(os._exit, 3).result()
    with (
        pytest.raises(InputError, match=r"^a worker process died \(out of memory\?\); -j 1 starts none$"),
        block_mapper(2, 1) as mapped,
    ):
        list(mapped(os._exit, [3, 3]))


def test_a_process_whose_reply_nobody_reads_ends_without_a_word():
    """Its parent was killed while it worked; what it would have read next does not matter."""
    command = [sys.executable, "-c", _PROGRAM, *sys.path]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **pipes) as process:
        process.stdout.close()
        pickle.dump(pickle.dumps((abs, -1)), process.stdin)
        process.stdin.flush()
        assert (process.stderr.read(), process.wait()) == (b"", 0)


def test_processes_that_cannot_be_started_are_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    expected = "cannot start worker processes: No such file or directory; -j 1 starts none"
    with pytest.raises(InputError, match=expected), block_mapper(2, 1):
        pass
