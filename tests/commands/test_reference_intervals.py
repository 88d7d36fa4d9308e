"""`standardize --ci-of`: the lines of intervals over references, and what is said about them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.intervals import reference_intervals
from tests.conftest import SAMPLE

FEW = ("--resamples", "200")


@pytest.fixture
def references(run, tmp_path: Path) -> Path:
    """The scores of twelve reference runs of the sample data."""
    path = tmp_path / "references.csv"
    runs = sorted((SAMPLE / "references").glob("*.gz"))[:12]
    assert (
        run("factors", "--empirical", "-m", "map", "-m", "P.10", "-o", path, SAMPLE / "qrels.gz", *runs).status == 0
    )
    return path


RUNS = [SAMPLE / "qrels.gz", SAMPLE / "new-a.run.gz", SAMPLE / "new-b.run.gz"]


def lines(rows: list[dict[str, str]], start: str) -> list[dict[str, str]]:
    return [row for row in rows if row["topic"].startswith(start)]


def test_lines_are_those_of_the_library(run, references: Path):
    command = [
        "standardize",
        "-F",
        references,
        "--scheme",
        "n",
        "--scheme",
        "e",
        "--scheme",
        "u",
        "--ab",
        "0.2,0.5",
    ]
    rows = run(*command, "--ci", "0.9", "--ci-of", "references", "--seed", "3", *FEW, "-f", "csv", *RUNS).rows
    raw = read_scores(Input(_written(run, references.parent / "raw.csv")))
    reference = read_scores(Input(references))
    for end in ("low", "high"):
        found = lines(rows, f"all.ci_{end}.level=0.9.of=references.resamples=200.seed=3")
        for scheme in "NEU":
            expected = reference_intervals(
                raw, fit_factors(reference), scheme, level=0.9, n_resamples=200, seed=3, A=0.2
            )
            columns = [f"{scheme}{measure}" for measure in raw.measures]
            values = [[float(row[column]) for column in columns] for row in found]
            np.testing.assert_array_equal(values, getattr(expected, end))


def _written(run, path: Path) -> Path:
    assert run("eval", "-m", "map", "-m", "P.10", "-q", "-f", "csv", "-n", "-o", path, *RUNS).status == 0
    return path
