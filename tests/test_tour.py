"""The notebook of the sample data: small, in the format of Jupyter, and with the outputs of its cells."""

from __future__ import annotations

import base64
import io
import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "sample_data" / "tour.py"
NOTEBOOK = SCRIPT.with_suffix(".ipynb")

matplotlib = pytest.importorskip("matplotlib")
pytest.importorskip("pandas", reason="pandas is not installed")
MADE_WITH = runpy.run_path(str(SCRIPT.with_name("pictures.py")))["MADE_WITH"]


def cells(notebook: Path) -> list[dict[str, Any]]:
    return json.loads(notebook.read_text(encoding="utf-8"))["cells"]


def without_pictures(cell: dict[str, Any]) -> dict[str, Any]:
    outputs = [
        {**each, "data": {kind: shown for kind, shown in each.get("data", {}).items() if kind != "image/png"}}
        for each in cell.get("outputs", [])
    ]
    return {**cell, "outputs": outputs}


def pictures(notebook: Path) -> list[np.ndarray]:
    from matplotlib.image import imread

    outputs = [output.get("data", {}) for cell in cells(notebook) for output in cell.get("outputs", [])]
    coded = [data["image/png"] for data in outputs if "image/png" in data]
    return [imread(io.BytesIO(base64.b64decode(each)))[:, :, :3] for each in coded]


@pytest.fixture(scope="module")
def remade(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tour") / "tour.ipynb"
    runpy.run_path(str(SCRIPT))["make"](path)
    return path


def test_its_outputs_are_not_stale(remade: Path):
    """`python sample_data/tour.py` makes them again."""
    assert list(map(without_pictures, cells(NOTEBOOK))) == list(map(without_pictures, cells(remade)))
    shown, drawn = pictures(NOTEBOOK), pictures(remade)
    assert len(shown) == len(drawn) == 1
    assert shown[0].shape == drawn[0].shape
    # other versions of matplotlib place everything a few pixels away, and its releases draw the edges of letters
    # slightly differently; other scores change whole areas
    if matplotlib.__version__.split(".")[:2] == MADE_WITH.split(".")[:2]:
        tolerance = 0.0005 if matplotlib.__version__ == MADE_WITH else 0.02
        assert np.abs(shown[0] - drawn[0]).mean() < tolerance


def test_every_part_has_a_heading_and_every_cell_shows_something():
    own = cells(NOTEBOOK)
    assert len(own) == 21
    headings = [
        line for cell in own for line in cell["source"] if cell["cell_type"] == "markdown" and line[:3] == "## "
    ]
    assert len(headings) == 5
    assert all(cell["outputs"] for cell in own if cell["cell_type"] == "code")
    assert NOTEBOOK.stat().st_size < 100_000


def test_it_is_a_notebook_of_jupyter():
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbformat.validate(nbformat.read(NOTEBOOK, as_version=4))
