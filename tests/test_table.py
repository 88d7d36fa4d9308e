"""Labelled arrays: their labels fit, and rows are found by them."""

from __future__ import annotations

import numpy as np
import pytest

from stdeval.errors import InputError
from stdeval.table import ScoreTable, rows_for

TABLE = ScoreTable(("a", "b"), ("1", "2", "3"), ("map", "P_10"), np.arange(12.0).reshape(2, 3, 2))


def test_scores_are_a_copy_that_cannot_be_changed():
    given = np.array([[[0.25], [0.75]]])
    table = ScoreTable(("a",), ("1", "2"), ("map",), given)
    given[:] = 0.5
    with pytest.raises(ValueError, match="read-only"):
        table.measure("map").sort()
    assert table.complete().values.tolist() == [[[0.25], [0.75]]]


def test_select():
    part = TABLE.select(systems=["b"], topics=["3", "1"], measures=["P_10"])
    assert (part.systems, part.topics, part.measures) == (("b",), ("3", "1"), ("P_10",))
    np.testing.assert_array_equal(part.values, [[[11], [7]]])
    np.testing.assert_array_equal(TABLE.select().values, TABLE.values)


def test_measures_may_be_spelled_in_any_form():
    """`evaluate` takes these forms, and its table has trec_eval's names."""
    for name in ("P@10", "P.10", "P_10"):
        np.testing.assert_array_equal(TABLE.measure(name), TABLE.values[:, :, 1])
        assert TABLE.select(measures=[name, "AP"]).measures == ("P_10", "map")
    standardized = ScoreTable(("a",), ("1",), ("Nmap", "NP_10"), np.array([[[0.25, 0.75]]]))
    assert standardized.measure("NP@10").item() == 0.75
    foreign = ScoreTable(("a",), ("1",), ("P@10", "NAP"), np.array([[[0.25, 0.75]]]))
    assert (foreign.measure("P_10").item(), foreign.measure("Nmap").item()) == (0.25, 0.75)
    joined = ScoreTable(("a",), ("1",), ("deep:map", "shallow:map"), np.array([[[0.25, 0.75]]]))
    assert joined.measure("shallow:AP").item() == 0.75
    assert joined.select(measures=["AP"]).measures == joined.measures
    with pytest.raises(InputError, match=r"^'AP' means 2 measures, expected one, such as deep:map$"):
        joined.measure("AP")
    for name in ("AP@5", "recip_rank", "no such"):
        with pytest.raises(InputError, match=f"^no measure '{name}' in the scores, expected one of: map, P_10$"):
            TABLE.measure(name)


@pytest.mark.parametrize("tail", [(), (2,), (2, 3)])
def test_rows_for_follows_the_wanted_labels(tail: tuple[int, ...]):
    values = np.arange(3.0 * np.prod(tail)).reshape(3, *tail)
    rows = rows_for(values, ("x", "y", "z"), ("z", "w", "x", "z"))
    np.testing.assert_array_equal(rows, [values[2], np.full(tail, np.nan), values[0], values[2]])


@pytest.mark.parametrize("axis", ["systems", "topics", "measures"])
def test_unknown_label(axis: str):
    with pytest.raises(InputError, match=f"no {axis[:-1]} 'x'.*, expected one of: "):
        TABLE.select(**{axis: ["x"]})


@pytest.mark.parametrize("labels", [(("a", "a"), ("1",)), (("a", "b"), ("1", "1")), (("a",), ("1",))])
def test_labels_that_do_not_fit(labels: tuple[tuple[str, ...], tuple[str, ...]]):
    with pytest.raises(InputError):
        ScoreTable(*labels, ("map",), np.zeros((2, 1, 1)))
