"""Rows of tidy CSV files, as figures take them."""

from __future__ import annotations

import pytest

from stdeval.errors import InputError
from stdeval.plots.tidy_rows import check_distinct


def test_rows_of_two_experiments_are_not_one_curve():
    rows = {"measure": ["map", "map"], "alpha": ["0.01", "0.01"], "power": ["0.5", "0.6"]}
    with pytest.raises(InputError, match=r"a second row for map, 0\.01, expected one, or NAME=FILE"):
        check_distinct(rows, ("measure", "scheme", "alpha"))
    check_distinct({**rows, "alpha": ["0.01", "0.05"]}, ("measure", "scheme", "alpha"))
