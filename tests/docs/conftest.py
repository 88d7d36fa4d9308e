"""What tests of the documentation share: a copy of the sample data, with this checkout's stdeval on the path."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, SAMPLE


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with this checkout's stdeval, whatever else is installed."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "stdeval"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stdeval "$@"\n')
    program.chmod(0o755)
    return folder


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, programs: Path) -> Path:
    """A copy of sample_data to work in."""
    folder = shutil.copytree(SAMPLE, tmp_path / "sample_data")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return folder
