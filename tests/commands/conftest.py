"""Scores that the experiments on the command line share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"


class Robust(NamedTuple):
    """Scores files of the TREC 2004 Robust systems: on all 99 topics, on those of 2003, and on those of 2004."""

    everything: Path
    of_2003: Path
    of_2004: Path


@pytest.fixture(scope="session")
def robust_files(run: Callable[..., Any], shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Robust:
    """AP of 110 systems, from the published matrix, whose first 50 rows are the topics of 2003."""
    folder = tmp_path_factory.mktemp("robust")
    files = Robust(folder / "all.csv", folder / "2003.csv", folder / "2004.csv")
    matrix = (shared / "urbano2019" / "robust2004_ap.csv").read_text().splitlines()
    # rows are named here by their places, so that both collections keep topics of their own
    for path, rows in zip(files, (range(1, 100), range(1, 51), range(51, 100)), strict=True):
        written = path.with_suffix(".matrix")
        lines = ["topic," + matrix[0], *(f"t{row},{matrix[row]}" for row in rows)]
        written.write_text("\n".join(lines) + "\n")
        assert run("convert", "--to", "scores", "-m", "map", written, "-o", path).status == 0
    return files


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
