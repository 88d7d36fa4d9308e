"""What consoles and notebooks show of runs, tables, factors and results: short, and without anything executable."""

from __future__ import annotations

import math
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest

from stdeval import Run, ScoreTable, fit_factors
from stdeval.results import MOST_ROWS, Results


class Mean(NamedTuple):
    system: str
    score: float


def test_a_large_run_is_shown_on_one_line():
    run = Run("bm25", {str(t): {f"d{i}": float(i) for i in range(1000)} for t in range(50)})
    assert repr(run) == str(run) == "Run('bm25', 50 topics, 50000 documents)"
    assert repr(Run("x" * 1000, {"1": {"a": 1.0}})) == f"Run('{'x' * 40}...', 1 topic, 1 document)"


TABLE = ScoreTable(("<a>", "b"), ("1", "2"), ("map", "P_5"), np.array([[[0.25, 0.2]] * 2, [[0.75, np.nan]] * 2]))


def rows_of(html: str) -> list[list[str | None]]:
    """The cells of an HTML table, which is XML too."""
    return [[cell.text for cell in row] for row in ElementTree.fromstring(html).iter("tr")]


def test_tables_and_factors_are_shown_on_one_line_and_in_notebooks():
    assert repr(TABLE) == "ScoreTable(2 systems, 2 topics, 2 measures: map, P_5)"
    factors = fit_factors(TABLE)
    assert repr(factors) == "Factors(2 topics, 2 measures: map, P_5, 2 reference systems, with their scores)"
    header, first, _ = rows_of(factors._repr_html_())
    assert header == ["topic", "n", "map.mean", "map.sd", "P_5.mean", "P_5.sd"]
    assert first == ["1", "2", "0.5000", "0.3536", "0.2000", "-"]


def test_notebooks_show_means_with_the_number_of_topics_where_it_differs():
    one = TABLE.select(measures=["map"])
    assert rows_of(one._repr_html_()) == [[None, "map"], ["<a>", "0.2500"], ["b", "0.7500"]]
    assert [row[-1] for row in rows_of(TABLE._repr_html_())] == ["topics", "2", "0-2"]
    values = one.values.copy()
    values[1, 1] = math.nan
    fewer = ScoreTable(one.systems, one.topics, one.measures, values)
    assert [row[-1] for row in rows_of(fewer._repr_html_())] == ["topics", "2", "1"]


@pytest.mark.parametrize("n", [0, 1, MOST_ROWS + 1])
def test_results_show_their_first_rows(n: int):
    results = Results(Mean, [Mean(f"s{i}\n", i / 8) for i in range(n)])
    assert len(repr(results).splitlines()) == 1 + bool(n) + min(n, MOST_ROWS) + (n > MOST_ROWS)
    rows = rows_of(results._repr_html_())
    assert rows[1:2] == [["s0\\n", "0.0000"]][:n]
    assert (rows[-1] == ["... and 1 more"]) == (n > MOST_ROWS)


def test_results_are_a_sequence_of_named_tuples():
    results = Results(Mean, [Mean("a", 0.5), Mean("b", math.nan)])
    assert results[0].score == 0.5
    assert len(results[1:]) == 1
    assert [row.system for row in results] == ["a", "b"]
    assert results == Results(Mean, list(results))
    pytest.importorskip("pandas", reason="pandas is not installed")
    assert results.to_frame().columns.tolist() == ["system", "score"]
