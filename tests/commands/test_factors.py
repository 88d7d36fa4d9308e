"""`stdeval factors`: what reference runs achieved, topic by topic."""

from __future__ import annotations

import csv

import numpy as np
import pytest

pytestmark = pytest.mark.oracle

SCORES = "run,topic,map\na,1,.2\nb,1,.4\nc,1,.9\na,2,.5\nb,2,.5\nc,2,.5\na,3,.1\nb,3,.4\n"


def test_moments(run, write):
    rows = {row["topic"]: row for row in run("factors", "--scores", write("s.csv", SCORES)).rows}
    assert float(rows["1"]["map.mean"]) == pytest.approx(np.mean([0.2, 0.4, 0.9]))
    assert float(rows["1"]["map.sd"]) == pytest.approx(np.std([0.2, 0.4, 0.9], ddof=1))
    assert (rows["2"]["map.mean"], rows["2"]["map.sd"]) == ("0.5", "0.0")
    assert [rows[topic]["n"] for topic in "123"] == ["3", "3", "2"]


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
