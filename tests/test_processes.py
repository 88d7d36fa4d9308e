"""Worker processes: results in order, exceptions, processes that die or cannot be started."""

from __future__ import annotations

import os

import pytest

from stdeval.errors import InputError
from stdeval.workers import block_mapper


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
