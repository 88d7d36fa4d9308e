"""--leave-out in every command that standardizes runs by themselves: groups, refusals and warnings."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.schemes import standardize

pytestmark = pytest.mark.oracle

RUNS = [f"{team}{i}" for team in ("uw", "sab", "ir", "cs") for i in range(4)]


def scores_text(seed: int = 1) -> str:
    rng = np.random.default_rng(seed)
    rows = [f"{run},{topic},{rng.random():.4f},{rng.integers(0, 11) / 10}" for run in RUNS for topic in range(1, 9)]
    return "\n".join(["run,topic,map,P_10", *rows]) + "\n"


@pytest.fixture
def scores(write) -> Path:
    return write("scores.csv", scores_text())


def values_of(text: str, measure: str) -> list[float]:
    return [float(row[measure]) for row in csv.DictReader(text.splitlines())]


@pytest.mark.parametrize("scheme", "ZNUEM")
def test_each_run_by_factors_of_the_others(run, scores, scheme):
    """Against the library's own refit of the factors, run by run."""
    table = read_scores(Input(str(scores)))
    done = run(
        "standardize", "--leave-out", "run", "--scheme", scheme.lower(), "-q", "-f", "csv", "-n", "--scores", scores
    )
    assert (done.status, "15 reference runs" in done.stderr) == (0, scheme in "EM")
    for measure in table.measures:
        expected = []
        for system in table.systems:
            rest = table.select(systems=[name for name in table.systems if name != system])
            own = standardize(table.select(systems=[system]), fit_factors(rest), scheme)
            expected += own.measure(scheme + measure)[0].tolist()
        np.testing.assert_allclose(values_of(done.stdout, scheme + measure), expected, rtol=1e-9, atol=1e-12)


def test_a_topic_that_one_run_alone_solves(run, write):
    rows = [f"{name},{topic},{0.4 if name == 'd' else 0}" for name in "abcd" for topic in (1,)]
    more = [f"{name},2,0.{place}" for place, name in enumerate("abcd")]
    scores = write("s.csv", ["run,topic,map", *rows, *more])
    done = run("standardize", "--leave-out", "run", "--scheme", "z", "--scheme", "m", "-q", "--scores", scores)
    assert "equal reference scores (sd 0) for 1 of 2 topics (e.g. '1'): Z leaves" in done.stderr
    assert done.stdout.count("Zmap                   \t1\t") == 0
    assert done.stdout.count("Mmap                   \t1\t1.0000") == 1
    done = run("standardize", "--leave-out", "run", "--scores", scores)
    assert "equal reference" not in done.stderr
