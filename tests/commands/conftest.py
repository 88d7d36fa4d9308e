"""Scores that the experiments on the command line share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"


@pytest.fixture
def sample() -> list[Path]:
    """The simulated track: its qrels, and its 40 reference runs."""
    return [SAMPLE / "qrels.gz", *sorted((SAMPLE / "references").glob("*.gz"))]


@pytest.fixture
def scores_file(tmp_path: Path) -> Callable[..., Path]:
    """A scores file of random scores, `scores_file("a.csv", n_systems=6, n_topics=12)`."""

    def written(
        name: str = "scores.csv",
        n_systems: int = 6,
        n_topics: int = 12,
        measures: tuple[str, ...] = ("map",),
        seed: int = 1,
    ) -> Path:
        rng = np.random.default_rng(seed)
        quality = np.linspace(0, 0.4, n_systems)
        lines = [",".join(("run", "topic", *measures))]
        for i in range(n_systems):
            for topic in range(n_topics):
                drawn = (rng.random(len(measures)) * 0.6 + quality[i]).tolist()
                scores = [
                    round(x * 10) / 10 if name == "P_10" else x for x, name in zip(drawn, measures, strict=True)
                ]
                lines.append(",".join([f"s{i}", f"{topic}", *map(repr, scores)]))
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n")
        return path

    return written
