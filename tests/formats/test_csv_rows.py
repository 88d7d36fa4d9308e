"""Rows of CSV files."""

from __future__ import annotations

from stdeval.files import Input
from stdeval.formats.csv_rows import read_rows


def test_rows_know_their_lines(write):
    rows = read_rows(Input(write("s.csv", 'a,b\n\n"c\nd",e\n\nf,g\n')))
    assert [(row.line, row.cells) for row in rows] == [(1, ["a", "b"]), (3, ["c\nd", "e"]), (6, ["f", "g"])]
