"""`stdeval pool`."""

from __future__ import annotations

import pytest

QRELS = ["2 x9 b 1", "1 0 a 1", "1  0\tb 0", "", "1 7 c 2", "2 0 d -1", "1 0 e 1", "3 0 z 1"]
FIRST = ["1 Q0 a 1 3 one", "1 Q0 q 2 2 one", "1 Q0 b 3 1 one", "2 Q0 d 1 2 one"]
SECOND = ["1 Q0 c 1 3 two", "1 Q0 a 2 3 two", "1 Q0 e 3 1 two", "9 Q0 z 1 1 two"]


@pytest.fixture
def files(write):
    return write("qrels", QRELS), write("1.run", FIRST), write("2.run", SECOND)


@pytest.mark.parametrize(
    ("depth", "kept"),
    # Of the second run, c comes before a: scores are equal and docnos descend.
    [(1, [1, 4, 5]), (2, [1, 4, 5]), (3, [1, 2, 4, 5, 6])],
)
def test_lines_stay_as_they_are(run, files, depth: int, kept: list[int]):
    done = run("pool", "-d", depth, *files)
    assert done.status == 0
    assert done.stdout.splitlines() == [QRELS[i] for i in kept]


def test_report(run, files):
    rows = run("pool", "-d", 2, "--report", "-f", "csv", *files).rows
    by_name = {(row["of"], row["name"]): list(row.values())[2:] for row in rows}
    # Topic 1: of a b c e, judged, the pool a q c has a and c; a c e are relevant. That of d says not judged.
    assert by_name["topic", "1"] == ["3", "2", "2", "2", "1", ""]
    assert by_name["topic", "2"] == ["1", "0", "1", "0", "1", ""]
    assert by_name["topic", "3"] == ["0", "0", "1", "0", "1", ""]
    assert by_name["topic", "all"] == ["4", "2", "4", "2", "3", ""]
    assert by_name["run", "one"] == ["", "", "", "", "", "2"]  # q and d
    assert by_name["run", "two"] == ["", "", "", "", "", "1"]  # c
    at_two = run("pool", "-d", 2, "--report", "-l", 2, "-f", "csv", *files).rows
    assert [row["relevant"] for row in at_two if row["name"] == "all"] == ["1"]
