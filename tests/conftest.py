"""What tests share: where the real collections lie, and a way to run the command."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"
SAMPLE = ROOT / "sample_data"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real collections, where it lies beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip("../shared is not beside this checkout")
    return SHARED
