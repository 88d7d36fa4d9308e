"""Tables to draw, and a check that the texts of a figure do not overlap and stay inside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from stdeval import plots
from stdeval.standardization.factors import Factors, fit_factors
from stdeval.standardization.schemes import mapping_curves, standardize
from stdeval.table import ScoreTable

Random = Callable[..., ScoreTable]


@pytest.fixture(scope="session", autouse=True)
def needs_matplotlib() -> None:
    pytest.importorskip("matplotlib")


@pytest.fixture(scope="session")
def random_table() -> Random:
    """Scores of systems and topics of varying quality and difficulty, with long names."""

    def make(n_systems: int, n_topics: int, missing: float = 0.0) -> ScoreTable:
        rng = np.random.default_rng(n_systems + n_topics)
        quality, ease = rng.normal(size=(n_systems, 1)), rng.normal(size=n_topics)
        values = 1 / (1 + np.exp(-(quality + ease + rng.normal(size=(n_systems, n_topics)))))
        values[rng.random(values.shape) < missing] = np.nan
        systems = tuple(f"group{i:03d}-bm25-rerank-run{i % 4}" for i in range(n_systems))
        return ScoreTable(
            systems, tuple(f"T{i:04d}" for i in range(n_topics)), ("ndcg_cut_10",), values[:, :, None]
        )

    return make


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

    def make(raw: ScoreTable, schemes: Sequence[str], factors: Factors | None = None) -> dict[str, ScoreTable]:
        return {s: raw if s == "raw" else standardize(raw, factors, s) for s in schemes}

    return make


@pytest.fixture(scope="session")
def draw_mapping(by_scheme) -> Callable:
    """Draw the mapping of raw scores by some schemes; without factors the systems are their own references."""

    def draw(raw: ScoreTable, schemes: Sequence[str] = "NUE", factors: Factors | None = None, **options):
        used = fit_factors(raw) if factors is None else factors
        curves = {scheme: mapping_curves(raw, used, scheme) for scheme in schemes}
        return plots.mapping(raw, by_scheme(raw, schemes, used), curves, **options)

    return draw
