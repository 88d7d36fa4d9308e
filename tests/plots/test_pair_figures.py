"""Figures of two systems topic by topic: the result of the test, and the topics that are named."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from stdeval import plots


@pytest.mark.parametrize(
    "pvalue, told",
    [
        (0.00009, "p < 0.0001"),
        (0.0001, "p = 0.0001"),
        (0.0312, "p = 0.0312"),
        (0.050004, "p = 0.050004"),
        (0.049996, "p = 0.05"),
        (np.nan, None),
    ],
)
def test_the_result_of_the_test_stands_above_the_differences(pvalue: float, told: str | None):
    figure = plots.compare(["1", "2"], np.array([0.1, 0.3]), measure="map", pvalue=pvalue, effect_size=1.414)
    assert figure.axes[0].get_title(loc="left").split(", ") == ["n = 2", *([told] if told else []), "d = 1.41"]
