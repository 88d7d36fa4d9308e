"""Worker processes: results in order, exceptions, processes that die or cannot be started."""

from __future__ import annotations

import os

import pytest

from stdeval.errors import InputError
from stdeval.workers import block_mapper, processes


def test_results_come_in_order_and_from_other_processes():
    with processes(2) as pool:
        assert list(pool.map(abs, range(-50, 50))) == [abs(i) for i in range(-50, 50)]
        assert pool.submit(os.getpid).result() != os.getpid()


def test_exceptions_are_those_of_the_function_with_its_traceback():
    with processes(1) as pool, pytest.raises(ZeroDivisionError) as caught:
        pool.submit(eval, "1 / 0").result()
    assert 'File "<string>", line 1, in <module>' in str(caught.value.__cause__)


def test_a_process_that_dies_is_an_error():
    expected = r"^a worker process died \(out of memory\?\); -j 1 starts none$"
    with pytest.raises(InputError, match=expected), block_mapper(2, 1) as mapped:
        list(mapped(os._exit, [3, 3]))


def test_processes_that_cannot_be_started_are_an_error(monkeypatch: pytest.MonkeyPatch):
    def refuse() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refuse)
    expected = "cannot start worker processes: Resource temporarily unavailable; -j 1 starts none"
    with pytest.raises(InputError, match=expected), block_mapper(2, 1):
        pass
