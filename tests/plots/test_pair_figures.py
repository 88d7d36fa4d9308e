"""Figures of two systems topic by topic: the result of the test, and the topics that are named."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from stdeval import plots


@pytest.mark.parametrize(
    "pvalue, told", [(0.00009, "p < 0.0001"), (0.0001, "p = 0.0001"), (0.0312, "p = 0.031"), (np.nan, None)]
)
def test_the_result_of_the_test_stands_above_the_differences(pvalue: float, told: str | None):
    figure = plots.compare(["1", "2"], np.array([0.1, 0.3]), measure="map", pvalue=pvalue, effect_size=1.414)
    assert figure.axes[0].get_title(loc="left").split(", ") == ["n = 2", *([told] if told else []), "d = 1.41"]


def test_the_topics_with_the_greatest_differences_are_named_where_their_points_are():
    b = np.linspace(0.05, 0.95, 12)
    a = np.where(np.arange(12) == 3, b + 0.3, np.where(np.arange(12) == 9, b - 0.4, b))
    names = [f"t{i}" for i in range(12)]
    told = {"measures": ["map"], "systems": ("first", "second"), "size": "page"}
    axes = plots.topic_scatter(a[:, None], b[:, None], names, **told).axes[0]
    assert {label.get_text(): tuple(label.xy) for label in axes.texts} == {f"t{i}": (b[i], a[i]) for i in (3, 9)}
    assert axes.get_title(loc="left") == "first higher 1, lower 1, equal 10"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("second: AP (score)", "first: AP (score)")
