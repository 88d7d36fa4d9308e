from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def robust(shared: Path) -> np.ndarray:
    """AP of 110 systems on 99 topics: 50 of 2003, 49 of 2004."""
    return np.loadtxt(shared / "urbano2019" / "robust2004_ap.csv", delimiter=",", skiprows=1).T
