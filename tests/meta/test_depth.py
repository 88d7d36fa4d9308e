"""The grid of depths: each cell is discriminative power and mean of its scores."""

from __future__ import annotations

import numpy as np
import pytest

from stdeval.errors import InputError
from stdeval.meta.depth import depth_grid
from stdeval.meta.power import discriminative_power


@pytest.mark.parametrize("paired", [True, False])
def test_every_cell_is_the_power_and_mean_of_its_scores(paired):
    scores = np.random.default_rng(1).random((5, 8)) + np.linspace(0, 1, 5)[:, None]

    def scores_at(pool, cut):
        return scores ** (pool / cut)

    grid = depth_grid(scores_at, (10, 100), (5, 10, 100), (0.01, 0.2), paired=paired)
    assert grid.power.shape == (2, 3, 2)
    for i, pool in enumerate(grid.pool_depths):
        for j, cut in enumerate(grid.eval_depths):
            cell = scores_at(pool, cut)
            expected = discriminative_power(cell, (0.01, 0.2), paired=paired).power
            assert list(grid.power[i, j]) == list(expected)
            assert grid.mean[i, j] == pytest.approx(cell.mean())


def test_depths_below_1_are_refused():
    with pytest.raises(InputError, match="depth 0"):
        depth_grid(lambda pool, cut: np.zeros((3, 4)), [10], [10, 0])
