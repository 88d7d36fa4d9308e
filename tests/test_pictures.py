"""The pictures of the README: made by their script from the sample data, small, and up to date."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ROOT

SCRIPT = ROOT / "sample_data" / "pictures.py"
FOLDER = ROOT / "sample_data" / "pictures"

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def remade(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    subprocess.run([sys.executable, SCRIPT, folder], check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    return folder


def test_there_are_few_and_they_are_small():
    pictures = sorted(FOLDER.iterdir())
    assert [path.name for path in pictures] == ["compare.png", "heatmap.png", "mapping.png", "topics.png"]
    assert all(path.stat().st_size < 250_000 for path in pictures)


def test_they_are_not_stale(remade: Path):
    from matplotlib.image import imread

    made_with = runpy.run_path(str(SCRIPT))["MADE_WITH"]
    if matplotlib.__version__.split(".")[:2] != made_with.split(".")[:2]:
        pytest.skip(f"made with matplotlib {made_with}; other versions place everything a few pixels away")
    # its releases draw the edges of letters slightly differently; other scores change whole areas
    tolerance = 0.0005 if matplotlib.__version__ == made_with else 0.02
    for path in sorted(FOLDER.iterdir()):
        shown, drawn = (imread(file)[:, :, :3] for file in (path, remade / path.name))
        assert shown.shape == drawn.shape, path.name
        assert np.abs(shown - drawn).mean() < tolerance, path.name
