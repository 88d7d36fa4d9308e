"""`stdeval weights`."""

from __future__ import annotations

import pytest


def test_shares_of_the_paper(run):
    """Webber, Moffat & Zobel 2010, section 3.1: of depth 1000, what lies in the ranks 101 to 1000."""
    measures = ["-m", "nDCG(dis=jk)", "-m", "rbp_p=0.95", "-m", "rbp_p=0.9977"]
    rows = run("weights", *measures, "-k", "1000", "--ranges", "1-100,101-1000", "-f", "csv").rows
    assert [row["ranks"] for row in rows] == ["1-100", "101-1000"]
    assert float(rows[1]["njkdcg"]) == pytest.approx(0.82, abs=0.005)
    assert float(rows[1]["rbp_p=0.95"]) == pytest.approx(0.005, abs=0.001)
    assert float(rows[1]["rbp_p=0.9977"]) == pytest.approx(0.77, abs=0.005)


def test_a_residual_of_a_tenth_leaves_nine_tenths(run):
    rows = run("weights", "-m", "RBP(resid=0.1)@100", "-k", "100", "-f", "csv").rows
    assert sum(float(weight) for row in rows for name, weight in row.items() if name != "rank") == pytest.approx(
        0.9
    )
