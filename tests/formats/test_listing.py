"""Listings in their three formats."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from stdeval.formats.writers import Field, write_listing

FIELDS = [Field("name"), Field("n"), Field("p", ".3g"), Field("seed", in_table=False)]
ROWS = [["a,b", 12, 1 / 3, 5], ["c", 7, np.nan, ""]]


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("text", "name\tn\tp\tseed\na,b\t12\t0.333\t5\nc\t7\t-\t-\n"),
        ("table", "name   n      p\na,b   12  0.333\nc      7      -\n"),
        ("csv", 'name,n,p,seed\n"a,b",12,0.3333333333333333,5\nc,7,,\n'),
    ],
)
def test_formats(style: str, text: str) -> None:
    out = io.StringIO()
    write_listing(out, style, FIELDS, ROWS)
    assert out.getvalue() == text


def test_csv_reads_back() -> None:
    out = io.StringIO()
    write_listing(out, "csv", FIELDS, ROWS)
    assert float(next(csv.DictReader(io.StringIO(out.getvalue())))["p"]) == 1 / 3
