"""`stdeval factors`: what reference runs achieved, topic by topic."""

from __future__ import annotations

import csv
import hashlib

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


def test_judgments_are_compared_as_read_before_l_and_binary(run, write):
    qrels = write("q", [f"{topic} 0 d{i} {(topic + i) % 4 - 1}" for topic in range(1, 4) for i in range(6)])
    runs = [
        write(f"{tag}.run", [f"{topic} Q0 d{i} 0 {sign * i} {tag}" for topic in range(1, 4) for i in range(6)])
        for tag, sign in (("a", 1), ("b", -1))
    ]
    lines = {t: b"".join(b"d%d\0%d\n" % (i, (t + i) % 4 - 1) for i in range(6)) for t in range(1, 4)}
    expected = {str(t): hashlib.sha256(text).hexdigest()[:8] for t, text in lines.items()}
    for options in ((), ("-l", 2), ("-l", 2, "--binary"), ("-M", 3, "-J", "-c")):
        rows = run("factors", "--empirical", "-m", "map", "-m", "ndcg", *options, qrels, *runs).rows
        assert {row["topic"]: row["judgments"] for row in rows} == expected
        assert {row["options"] for row in rows} == {" ".join(map(str, options))}
