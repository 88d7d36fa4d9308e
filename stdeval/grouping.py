"""Groups of systems that do not differ significantly, as tables show them.

References
----------
B. Carterette. Multiple testing in statistical analysis of systems-based information retrieval experiments.
ACM TOIS 30(1), 2012. (the test, see `stdeval.corrections.tukey_pvalues`)
"""

from __future__ import annotations

import numpy as np

from stdeval.table import Floats, Ints


def significance_groups(means: Floats, pvalues: Floats, alpha: float = 0.05) -> tuple[Ints, Ints]:
    """The groups to which each system belongs; systems that share one do not differ significantly.

    A group is as many systems as can be, next to each other by their means, of which no two differ
    significantly. Groups are numbered from 1, that of the best system, and those of a system follow each other.

    Parameters
    ----------
    means : ndarray, shape (n_systems,)
        None missing.
    pvalues : ndarray, shape (n_systems, n_systems)
        Of each pair, not greater the more their means differ, as those of Tukey's test.
    alpha : float
        Below which a pair differs significantly.

    Returns
    -------
    first, last : ndarray of int, shape (n_systems,)
        The numbers of each system's first and last group.

    Examples
    --------
    >>> pvalues = np.array([[1.0, 0.2, 0.01], [0.2, 1.0, 0.3], [0.01, 0.3, 1.0]])
    >>> first, last = significance_groups(np.array([0.5, 0.4, 0.3]), pvalues)
    >>> first, last
    (array([1, 1, 2]), array([1, 2, 2]))
    """
    order = np.argsort(-means, kind="stable")
    differs = pvalues[np.ix_(order, order)] < alpha
    ends = [_reach(row, i) for i, row in enumerate(differs)]
    starts = [i for i, end in enumerate(ends) if i == 0 or end > ends[i - 1]]
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    first = np.searchsorted([ends[start] for start in starts], place, side="left") + 1
    last = np.searchsorted(starts, place, side="right")
    return first.astype(np.int64), last.astype(np.int64)


def _reach(differs: Floats, start: int) -> int:
    """The last system up to which none differs from the one at ``start``."""
    beyond = np.flatnonzero(differs[start:])
    return start + int(beyond[0]) - 1 if len(beyond) else len(differs) - 1
