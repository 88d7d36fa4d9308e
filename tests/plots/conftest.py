"""Scores to draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from stdeval import plots
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.schemes import mapping_curves, standardize
from stdeval.table import ScoreTable


@pytest.fixture(scope="session", autouse=True)
def needs_matplotlib() -> None:
    pytest.importorskip("matplotlib")


@pytest.fixture(scope="session")
def robust2004(shared: Path) -> ScoreTable:
    """AP of the 110 systems on the TREC 2004 Robust topics, the last 49 rows of the matrix."""
    with (shared / "urbano2019" / "robust2004_ap.csv").open() as file:
        systems = tuple(next(file).strip().split(","))
        values = np.loadtxt(file, delimiter=",")[50:].T
    return ScoreTable(systems, tuple(str(i) for i in range(51, 100)), ("map",), values[:, :, None])


@pytest.fixture(scope="session")
def by_scheme() -> Callable[..., dict[str, ScoreTable]]:
    """Return the tables of raw scores by some schemes, as the figures take them."""

    def make(raw: ScoreTable, schemes: Sequence[str]) -> dict[str, ScoreTable]:
        return {scheme: raw if scheme == "raw" else standardize(raw, None, scheme) for scheme in schemes}

    return make


@pytest.fixture(scope="session")
def draw_mapping(by_scheme) -> Callable:
    """Draw the mapping of raw scores by some schemes; the systems are their own references."""

    def draw(raw: ScoreTable, schemes: Sequence[str]):
        curves = {scheme: mapping_curves(raw, fit_factors(raw), scheme) for scheme in schemes}
        return plots.mapping(raw, by_scheme(raw, schemes), curves)

    return draw
