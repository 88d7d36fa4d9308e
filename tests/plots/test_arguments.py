"""Figures of objects of the wrong kind: refused in one sentence, which leads to an example."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import stdeval
from stdeval import InputError, ScoreTable, plots
from stdeval.standardization.mapping import mapping_curves

pytest.importorskip("matplotlib")

VALUES = np.linspace(0.1, 0.9, 40).reshape(10, 4, 1) ** 2
TABLE = ScoreTable(tuple("abcdefghij"), ("1", "2", "3", "4"), ("map",), VALUES)
NAMES, NUMBERS = ["a", "b"], [0.2, 0.4]
PAIRS = stdeval.compare(TABLE)
ROWS = {"alpha": [0.05], "power": [0.5]}
GOOD = {
    "compare": {"topics": NAMES, "differences": NUMBERS, "measure": "map"},
    "forest": {"systems": NAMES, "difference": NUMBERS, "low": NUMBERS, "high": NUMBERS, "effect_size": NUMBERS,
               "baseline": "c", "measure": "map"},
    "heatmap": {"tables": {"raw": TABLE}},
    "mapping": {"raw": TABLE, "tables": {"n": stdeval.standardize(TABLE)},
                "curves": {"n": mapping_curves(TABLE, stdeval.fit_factors(TABLE), "n")}},
    "means": {"systems": NAMES, "mean": NUMBERS, "low": NUMBERS, "high": NUMBERS, "measure": "map"},
    "scatter": {"means": [NUMBERS, NUMBERS], "measures": ["map", "P_10"]},
    "scores": {"tables": {"raw": TABLE}},
    "topic_scatter": {"a": [[0.1], [0.2]], "b": [[0.2], [0.1]], "topics": NAMES, "measures": ["map"]},
    "topics": {"raw": TABLE, "tables": {"raw": TABLE}},
    "weights": {"names": ["dcg"], "rank_weights": [NUMBERS]},
}  # fmt: skip
ROWS_OF = {name for name in plots.__all__ if "rows" in inspect.signature(getattr(plots, name)).parameters}
WRONG = [TABLE, PAIRS, PAIRS[0], None, 5, "map", np.full(3, object()), {}, [None]]


def test_every_figure_is_tried():
    assert {*GOOD, *ROWS_OF, "save_figure"} == set(plots.__all__)


@pytest.mark.parametrize("name", GOOD)
def test_lists_work_too(name: str):
    assert hasattr(getattr(plots, name)(**GOOD[name]), "savefig")


@pytest.mark.parametrize(("name", "argument"), [(name, argument) for name in GOOD for argument in GOOD[name]])
def test_an_argument_of_another_type_is_refused(name: str, argument: str):
    # texts fit some arguments, and None and empty mappings others
    n_refused = 0
    for wrong in WRONG:
        try:
            getattr(plots, name)(**{**GOOD[name], argument: wrong})
        except InputError as error:
            assert "\n" not in str(error)
            n_refused += 1
    assert n_refused >= len(WRONG) - 2


@pytest.mark.parametrize("name", sorted(ROWS_OF))
@pytest.mark.parametrize("wrong", [TABLE, PAIRS, None, 5, "map", {}, [None], TABLE.values])
def test_rows_of_another_type_are_refused(name: str, wrong: object):
    with pytest.raises(InputError):
        getattr(plots, name)(wrong)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: plots.heatmap(TABLE),
            'tables of type ScoreTable, expected a mapping such as {"raw": table}; '
            "help(stdeval.plots.heatmap) has an example",
        ),
        (
            lambda: plots.scores({"raw": TABLE.values}),
            "tables under 'raw' of type ndarray, expected a ScoreTable, as stdeval.evaluate returns; "
            "help(stdeval.plots.scores) has an example",
        ),
        (
            lambda: plots.compare(PAIRS),
            'topics of type Results, expected several names, such as ["a", "b"]; '
            "help(stdeval.plots.compare) has an example",
        ),
        (
            lambda: plots.compare(["1", "2"]),
            "no differences and no measure, expected topics, differences, measure; "
            "help(stdeval.plots.compare) has an example",
        ),
        (
            lambda: plots.heatmap({"raw": TABLE}, marked=["a"]),
            "marked ['a'], expected indices of systems, such as [0] for the first; "
            "help(stdeval.plots.heatmap) has an example",
        ),
        (
            lambda: plots.scatter([0.1, 0.2], ["map", "P_10"]),
            "means of shape (2,), expected (n_measures, n_systems)",
        ),
        (
            lambda: plots.save_figure(TABLE, "x.png"),
            "a figure of type ScoreTable, expected one that stdeval.plots returned",
        ),
    ],
)
def test_messages(call, message: str):
    with pytest.raises(InputError) as raised:
        call()
    assert str(raised.value) == message


def test_an_unknown_keyword_is_a_type_error_as_in_any_function():
    with pytest.raises(TypeError, match="unexpected keyword argument 'sizes'"):
        plots.heatmap({"raw": TABLE}, sizes="page")
