"""Rows of tidy CSV files, as figures take them."""

from __future__ import annotations

import pytest

from stdeval.errors import InputError
from stdeval.plots.meta_figures import references
from stdeval.plots.planning_figures import plan, reliability
from stdeval.plots.tidy_rows import check_distinct


def test_rows_of_two_experiments_are_not_one_curve():
    rows = {"measure": ["map", "map"], "alpha": ["0.01", "0.01"], "power": ["0.5", "0.6"]}
    with pytest.raises(InputError, match=r"a second row for map, 0\.01, expected one, or NAME=FILE"):
        check_distinct(rows, ("measure", "scheme", "alpha"))
    check_distinct({**rows, "alpha": ["0.01", "0.05"]}, ("measure", "scheme", "alpha"))


@pytest.mark.parametrize("name", ["systems", "topics", "alpha", "power"])
def test_plans_of_different_experiments_are_not_one_curve(name: str):
    rows = {"n": [10, 20, 15, 25], "difference": [0.3, 0.2, 0.25, 0.15], name: ["6", "6", "8", "8"]}
    told = f"{name} 8, and 6 above, expected the same, or NAME=FILE"
    with pytest.raises(InputError, match=told):
        plan(rows)
    plan({**rows, "collection": ["a", "a", "b", "b"]})


@pytest.mark.parametrize("name", ["systems", "topics"])
def test_other_curves_of_different_experiments_are_refused(name: str):
    rows = {"at": [10, 20, 15, 25], "value": [0.3, 0.4, 0.35, 0.45], name: ["6", "6", "8", "8"]}
    with pytest.raises(InputError, match=f"{name} 8, and 6 above"):
        reliability({**rows, "quantity": ["erho2"] * 4})
    with pytest.raises(InputError, match=f"{name} 8, and 6 above"):
        references({"size": rows["at"], "median": rows["value"], name: rows[name]})
