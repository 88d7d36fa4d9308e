"""Tables to draw, and a check that the texts of a figure do not overlap and stay inside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from stdeval import plots
from stdeval.mapping import mapping_curves
from stdeval.standardization import fit_factors, standardize
from stdeval.table import Factors, ScoreTable

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


@pytest.fixture(scope="session")
def check_texts() -> Callable[..., None]:
    """Fail if texts of a figure overlap or leave it, or if a legend covers axes."""
    from matplotlib.axis import Tick
    from matplotlib.legend import Legend
    from matplotlib.text import Text

    def check(figure) -> None:
        figure.draw_without_rendering()
        hidden = {id(label) for tick in figure.findobj(Tick) for label in (tick.label1, tick.label2)}
        hidden -= _drawn_ticks(figure)
        texts = [
            text
            for text in figure.findobj(Text)
            if text.get_visible() and text.get_text().strip() and id(text) not in hidden
        ]
        assert len(texts) >= 4
        boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
        for i, (a, one) in enumerate(boxes):
            over = [b for b, other in boxes[:i] if _meet(one, other)]
            assert not over, f"{a!r} overlaps {over}"
            inside = one.x0 >= -1 and one.y0 >= -1 and one.x1 <= figure.bbox.x1 + 1 and one.y1 <= figure.bbox.y1 + 1
            assert inside, f"{a!r} leaves the figure: {one}, {figure.bbox}"
        for legend in figure.findobj(Legend):
            covered = [axes for axes in figure.axes if _meet(legend.get_window_extent(), axes.get_window_extent())]
            assert not covered

    return check


def _drawn_ticks(figure) -> set[int]:
    """Return the ids of the labels of ticks within the limits of their axes: an axis does not draw the others."""
    drawn = set()
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
        drawn |= {id(label) for t in ticks if low <= t.get_loc() <= high for label in (t.label1, t.label2)}
    return drawn


def _meet(a, b) -> bool:
    return min(a.x1, b.x1) - max(a.x0, b.x0) > 0.5 and min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5
