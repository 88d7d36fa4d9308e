"""`stdeval factors`: what reference runs achieved, topic by topic."""

from __future__ import annotations

import csv

import numpy as np
import pytest

pytestmark = pytest.mark.oracle


def test_real_runs(run, covid):
    """The factors of the 126 runs against numpy, from the scores that eval printed."""
    scores = list(csv.DictReader(covid.scores.read_text().splitlines()))
    factors = list(csv.DictReader(covid.factors.read_text().splitlines()))
    assert len(factors) == 50
    for row in factors:
        for measure in ("map", "P_10", "recip_rank", "ndcg_cut_10"):
            values = [float(line[measure]) for line in scores if line["topic"] == row["topic"]]
            assert len(values) == int(row["n"])
            assert float(row[f"{measure}.mean"]) == pytest.approx(np.mean(values), abs=1e-14)
            assert float(row[f"{measure}.sd"]) == pytest.approx(np.std(values, ddof=1), abs=1e-14)
