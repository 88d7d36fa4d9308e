"""`stdeval measures`, and the papers' measures in the commands that compute scores."""

from __future__ import annotations

import pytest

from stdeval.measures.catalogue import PUBLISHED

QRELS = ["1 0 d1 1", "1 0 d2 0", "1 0 d3 2", "1 0 d5 1", "1 0 d6 1", "2 0 d1 1"]
RUN = [f"1 Q0 d{i} {i} {6 - i} tag" for i in range(1, 6)]


@pytest.fixture
def small(write):
    return write("qrels", QRELS), write("r.run", RUN)


def test_text_of_the_papers_measures(run, small):
    qrels, path = small
    measures = ["-m", "SP", "-m", "nDCG(dis=jk)@3", "-m", "rbp_resid.p=0.5", "-m", "unj.5"]
    # sp 1 + 2/3 + 3/5; njkdcg (1 + 2/log2 3) / (2 + 1 + 1/log2 3); residual 0.5 0.5^3 + 0.5^5; 1 of 5 unjudged
    expected = [("sp", 2.2667), ("njkdcg_cut_3", 0.6229), ("rbp_resid_p=0.5", 0.0938), ("unj_5", 0.2)]
    lines = "".join(f"{name:<22}\tall\t{value:6.4f}\n" for name, value in expected)
    assert run("eval", *measures, qrels, path).stdout == lines


def test_a_lacking_topic_counts_as_one_with_nothing_retrieved(run, small):
    qrels, path = small
    done = run("eval", "-c", "-q", "-f", "csv", "-m", "sp", "-m", "rbp_p=0.5", "-m", "rbp_resid_p=0.5", qrels, path)
    by_topic = {row["topic"]: row for row in done.rows}
    assert [float(by_topic["2"][name]) for name in ("sp", "rbp_p=0.5", "rbp_resid_p=0.5")] == [0, 0, 1]
    assert float(by_topic["all"]["rbp_resid_p=0.5"]) == (0.09375 + 1) / 2


def test_binary_gains(run, small):
    qrels, path = small
    # Binary at 1: (1, 0, 1, -, 1), 1 + 1/log2(4) + 1/log2(6); at 2: the third document alone
    assert float(
        run("eval", "-q", "-f", "csv", "--binary", "-m", "dcg", qrels, path).rows[0]["dcg"]
    ) == pytest.approx(1 + 0.5 + 0.3868528, abs=1e-6)
    rows = run("eval", "-q", "-f", "csv", "--binary", "-l", "2", "-m", "dcg", "-m", "ndcg", qrels, path).rows
    assert (float(rows[0]["dcg"]), float(rows[0]["ndcg"])) == (0.5, 0.5)


def test_factors_are_those_of_webber(run, small, write):
    qrels, path = small
    other = write("s.run", ["1 Q0 d3 1 5 other", "1 Q0 d6 2 4 other", "2 Q0 d1 1 1 other"])
    factors = run("factors", "-c", qrels, path, other)
    assert factors.status == 0
    assert {name.removesuffix(".mean") for name in factors.rows[0] if name.endswith(".mean")} == set(
        PUBLISHED.values()
    )
    written = write("factors.csv", factors.raw)
    done = run("standardize", "-F", written, "--scheme", "z", "-q", "-f", "csv", "-c", qrels, path)
    assert list(done.rows[0]) == [
        "run",
        "topic",
        *(f"Z{name.removesuffix('.mean')}" for name in factors.rows[0] if name.endswith(".mean")),
    ]
    for row in done.rows:
        assert float(row["Zsp"]) == pytest.approx(float(row["Zmap"]), abs=1e-9)
        assert float(row["Zjkdcg"]) == pytest.approx(float(row["Znjkdcg"]), abs=1e-9)
        assert float(row["Zdcg"]) == pytest.approx(float(row["Zndcg"]), abs=1e-9)


def test_text_of_measures_that_other_programs_have(run, small):
    qrels, path = small
    measures = [
        "-m",
        "RR(rel=2)@2",
        "-m",
        "RR(rel=2)@3",
        "-m",
        "Judged@5",
        "-m",
        "ERR@3",
        "-m",
        "nDCG(dcg='exp-log2')@3",
    ]
    # err 1/16 + 15/16 * 3/16 / 3; ndcg_exp (1 + 3/2) / (3 + 1/log2 3 + 1/2)
    expected = [
        ("judged_5", 0.8),
        ("recip_rank_cut_2_rel=2", 0.0),
        ("recip_rank_cut_3_rel=2", 0.3333),
        ("err_3", 0.1211),
        ("ndcg_exp_cut_3", 0.6052),
    ]
    lines = "".join(f"{name:<22}\tall\t{value:6.4f}\n" for name, value in expected)
    assert run("eval", *measures, qrels, path).stdout == lines
