"""How discriminative power and scores change with the depths of pooling and of evaluation.

References
----------
W. Webber, A. Moffat, J. Zobel. The effect of pooling and evaluation depth on metric stability.
EVIA 2010. (Figures 2 to 4)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from stdeval.errors import InputError
from stdeval.meta.power import discriminative_power
from stdeval.table import Floats, Ints


@dataclass(frozen=True, eq=False)
class Depths:
    """Discriminative power and mean score at each pair of depths.

    Parameters
    ----------
    pool_depths : ndarray of int, shape (n_pool_depths,)
    eval_depths : ndarray of int, shape (n_eval_depths,)
    alphas : ndarray, shape (n_alphas,)
    power : ndarray, shape (n_pool_depths, n_eval_depths, n_alphas)
        Share of system pairs that is significant.
    mean : ndarray, shape (n_pool_depths, n_eval_depths)
        Mean score over systems and topics.
    """

    pool_depths: Ints
    eval_depths: Ints
    alphas: Floats
    power: Floats
    mean: Floats


def depth_grid(
    scores_at: Callable[[int, int], Floats],
    pool_depths: Sequence[int],
    eval_depths: Sequence[int],
    alphas: Sequence[float] = (0.05,),
    *,
    paired: bool = True,
) -> Depths:
    """Discriminative power and mean score over pool depth x evaluation depth.

    Parameters
    ----------
    scores_at : callable
        Takes a pool depth and an evaluation depth, returns the scores of the systems there, shape
        (n_systems, n_topics).
    pool_depths, eval_depths : sequence of int
        1 or more, in ranks.
    alphas : sequence of float
    paired : bool
        Whether the t tests are paired; if not, Welch's.

    Returns
    -------
    Depths

    Raises
    ------
    InputError
        If a depth is below 1, there are fewer than 3 systems or 4 topics, a score is missing, or an
        alpha is not in (0, 1).

    Examples
    --------
    >>> scores = np.random.default_rng(1).random((4, 6))
    >>> grid = depth_grid(lambda pool, cut: scores / cut, [10, 100], [1, 10, 100])
    >>> grid.power.shape, bool((grid.power == grid.power[0, 0]).all())
    ((2, 3, 1), True)
    """
    for depth in (*pool_depths, *eval_depths):
        if depth < 1:
            raise InputError(f"depth {depth}, expected 1 or more")
    cells = [[scores_at(pool, cut) for cut in eval_depths] for pool in pool_depths]
    return Depths(
        np.asarray(pool_depths, dtype=np.int64),
        np.asarray(eval_depths, dtype=np.int64),
        np.asarray(alphas, dtype=np.float64),
        np.array([[discriminative_power(cell, alphas, paired=paired).power for cell in row] for row in cells]),
        np.array([[cell.mean() for cell in row] for row in cells]),
    )
