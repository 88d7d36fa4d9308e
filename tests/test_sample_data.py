"""The simulated track: made by its script, byte for byte, and small."""

from __future__ import annotations

import csv
import gzip
import statistics
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.conftest import SAMPLE


def packed_files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.gz"))


@pytest.fixture(scope="module")
def remade(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample_data")
    subprocess.run([sys.executable, SAMPLE / "make.py", folder], check=True)
    return folder


def test_script_makes_the_same_files(remade: Path):
    references = [f"references/ref{number:02d}.run.gz" for number in range(1, 41)]
    assert packed_files(SAMPLE) == sorted(["new-a.run.gz", "new-b.run.gz", "qrels.gz", *references])
    assert packed_files(remade) == packed_files(SAMPLE)
    # zlib-ng compresses the same text to other bytes
    read = gzip.decompress if "ng" in zlib.ZLIB_RUNTIME_VERSION else bytes
    for name in packed_files(SAMPLE):
        assert read((remade / name).read_bytes()) == read((SAMPLE / name).read_bytes()), name


def test_script_makes_the_same_factors(remade: Path):
    made, held = ((folder / "factors.csv").read_text().splitlines() for folder in (remade, SAMPLE))
    assert made[0] == held[0]
    assert len(made) == len(held) == 51
    for line, expected in zip(made[1:], held[1:], strict=True):
        assert line.split(",")[:4] == expected.split(",")[:4]
        # the last digit may differ between machines
        values, wanted = ([float(cell) for cell in row.split(",")[4:]] for row in (line, expected))
        assert values == pytest.approx(wanted, rel=1e-12, abs=1e-15)


@pytest.fixture(scope="module")
def scores() -> dict[str, dict[str, dict[str, float]]]:
    """The scores of each run on each topic, from pytrec_eval."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    with gzip.open(SAMPLE / "qrels.gz", "rt") as lines:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), {"map", "ndcg"})
    found = {}
    for path in sorted(SAMPLE.rglob("*.run.gz")):
        with gzip.open(path, "rt") as lines:
            found[path.name.removesuffix(".run.gz")] = evaluator.evaluate(pytrec_eval.parse_run(lines))
    return found


def test_factors_are_the_moments_of_the_references(scores):
    with (SAMPLE / "factors.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 50
    for row in rows:
        assert row["n"] == "40"
        for measure in ("map", "ndcg"):
            reference = [run[row["topic"]][measure] for name, run in scores.items() if name.startswith("ref")]
            assert float(row[f"{measure}.mean"]) == pytest.approx(statistics.mean(reference), rel=1e-12)
            assert float(row[f"{measure}.sd"]) == pytest.approx(statistics.stdev(reference), rel=1e-12)


def test_small():
    files = [path for path in SAMPLE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(path.stat().st_size for path in files) < 3_000_000
