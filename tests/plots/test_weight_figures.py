"""The figure of rank weights draws the weights that it is given."""

from __future__ import annotations

import numpy as np
import pytest

from stdeval import plots
from stdeval.errors import InputError


def test_weights_of_two_scales():
    k = np.arange(1, 101)
    rbp, dcg = 0.2 * 0.8 ** (k - 1), 1 / np.log2(k + 1)  # Webber 2010, Section 3.1
    figure = plots.weights(["rbp_p=0.8", "dcg"], np.array([rbp, dcg]), ["dcg"])
    left, right = figure.axes
    np.testing.assert_array_equal(left.get_lines()[0].get_ydata(), rbp)
    np.testing.assert_array_equal(right.get_lines()[0].get_ydata(), dcg)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["RBP(p=0.8)", "DCG (right)"]
    with pytest.raises(InputError, match="expected a row for each of 1 measures"):
        plots.weights(["dcg"], np.ones((2, 3)))


@pytest.mark.parametrize(("depth", "scale"), [(100, "linear"), (1000, "log")])
def test_the_axis_of_many_ranks_is_logarithmic(depth: int, scale: str):
    axes = plots.weights(["dcg"], 1 / np.log2(np.arange(2, depth + 2))[np.newaxis]).axes[0]
    assert axes.get_xscale() == scale
