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


def test_weights_by_rank(run):
    done = run("weights", "-m", "jkdcg", "-m", "dcg", "-m", "RBP(p=0.5)@2", "-k", "3")
    assert done.stdout.splitlines() == [
        "rank\tjkdcg\tdcg\trbp_p=0.5_cut_2",
        "1\t1.000000\t1.000000\t0.500000",
        "2\t1.000000\t0.630930\t0.250000",
        "3\t0.630930\t0.500000\t0.000000",
    ]


def test_a_residual_of_a_tenth_leaves_nine_tenths(run):
    rows = run("weights", "-m", "RBP(resid=0.1)@100", "-k", "100", "-f", "csv").rows
    assert sum(float(weight) for row in rows for name, weight in row.items() if name != "rank") == pytest.approx(
        0.9
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected -m MEASURE"),
        (["-m", "map"], "no weights by rank alone, expected one of: jkdcg, njkdcg"),
        (["-m", "dcg", "-k", "0"], "expected a whole number from 1 to 1000000"),
        (["-m", "dcg", "--ranges", "1"], "expected FIRST-LAST"),
        (["-m", "dcg", "--ranges", "0-5"], "within 1-1000"),
        (["-m", "dcg", "-k", "10", "--ranges", "1-11"], "within 1-10"),
        (["-m", "rbp_p=1"], "P in [0, 1)"),
    ],
)
def test_what_is_refused(run, arguments: list[str], message: str):
    done = run("weights", *arguments)
    assert (done.status, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr
