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


def taken_apart(notebook: Path) -> tuple[list[dict[str, Any]], list[np.ndarray]]:
    """Return the cells without their pictures, and the pictures."""
    from matplotlib.image import imread

    own = cells(notebook)
    data = [output.get("data", {}) for cell in own for output in cell.get("outputs", [])]
    coded = [each.pop("image/png") for each in data if "image/png" in each]
    return own, [imread(io.BytesIO(base64.b64decode(each)))[:, :, :3] for each in coded]


def test_its_outputs_are_not_stale(tmp_path: Path):
    """`python sample_data/tour.py` makes them again."""
    runpy.run_path(str(SCRIPT))["make"](tmp_path / "tour.ipynb")
    (held, shown), (made, drawn) = taken_apart(NOTEBOOK), taken_apart(tmp_path / "tour.ipynb")
    assert held == made
    assert len(shown) == len(drawn) == 1
    assert shown[0].shape == drawn[0].shape
    # other versions of matplotlib place everything a few pixels away, and its releases draw the edges of letters
    # slightly differently; other scores change whole areas
    if matplotlib.__version__.split(".")[:2] == MADE_WITH.split(".")[:2]:
        tolerance = 0.0005 if matplotlib.__version__ == MADE_WITH else 0.02
        assert np.abs(shown[0] - drawn[0]).mean() < tolerance


def test_it_is_a_notebook_of_jupyter():
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbformat.validate(nbformat.read(NOTEBOOK, as_version=4))
