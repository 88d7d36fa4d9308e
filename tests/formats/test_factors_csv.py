"""Factors as CSV."""

from __future__ import annotations

import numpy as np
import pytest

from stdeval.files import Input
from stdeval.formats.csv_rows import read_rows
from stdeval.formats.factors_csv import factors_from_rows


@pytest.mark.parametrize(
    ("deviations", "decimals", "rounded"),
    [
        # written in full, though short: 0.25 is the sd of 0.25, 0.5 and 0.75
        (["0.25", "0.0"], 2, False),
        (["0.2500", "0.0000"], 4, True),
        # ten do not all happen to have four decimals
        (["0.1237"] * 10 + ["0"], 4, True),
        (["0.1237"] * 9 + ["0"], 4, False),
        (["0.3535533905932738", "0.0"], None, False),
    ],
)
def test_factors_that_are_rounded(write, deviations: list[str], decimals: int | None, rounded: bool):
    rows = [f"{topic},9,0.5,{sd}\n" for topic, sd in enumerate(deviations)]
    text = "topic,n,map.mean,map.sd\n" + "".join(rows)
    factors = factors_from_rows(read_rows(Input(write("f.csv", text))), "f.csv")
    assert (factors.decimals, factors.rounded) == (decimals, rounded)
    assert np.isnan(factors.known_sd[-1, 0]) == rounded
