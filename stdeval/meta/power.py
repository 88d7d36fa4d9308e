"""Discriminative power: the share of significant system pairs (Sakai, SIGIR 2006; Webber et al., EVIA 2010)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stdeval.meta import ttests
from stdeval.meta.trials import check_scores
from stdeval.noise import is_significant
from stdeval.table import Floats


class Power(NamedTuple):
    """Shares in [0, 1] of the ``n_pairs`` system pairs that differ significantly, one per significance level."""

    shares: Floats
    n_pairs: int


def pair_pvalues(scores: Floats, *, unpaired: bool = False, welch: bool = False) -> Floats:
    """Return the two-tailed p-value of the t test between every two systems."""
    check_scores(scores)
    if not unpaired:
        return ttests.paired_pvalues(scores)
    mean, error, n = ttests.sample_means(scores, np.ones((1, scores.shape[1])))
    first, second = np.triu_indices(len(scores), 1)
    difference = mean[0, first] - mean[0, second]
    tsquared, df = ttests.welch(difference, error[0, first], error[0, second], n, n)
    # Samples of one size have the same t with pooled variances; only its degrees of freedom differ.
    return ttests.pvalues(tsquared, df if welch else 2 * n - 2)


def discriminative_power(
    scores: Floats, alphas: Sequence[float] = (0.05,), *, unpaired: bool = False, welch: bool = False
) -> Power:
    """Return the share of system pairs that differ significantly, with p <= alpha in the two-tailed t test.

    Topics are paired unless ``unpaired`` (Student's test); with ``welch`` too, the variances may differ. The AP of
    the 110 TREC 2004 Robust runs on the 2004 topics has 0.680 at 0.05 (Webber 2010, Table 1).

    Examples
    --------
    >>> scores = np.array([[0.1, 0.2, 0.1, 0.2], [0.2, 0.3, 0.2, 0.3], [0.3, 0.0, 0.4, 0.0]])
    >>> discriminative_power(scores, (0.05,)).shares.round(3)
    array([0.333])
    """
    ttests.check_alphas(alphas)
    pairs = pair_pvalues(scores, unpaired=unpaired, welch=welch)
    return Power(np.mean(is_significant(pairs, np.asarray(alphas)[:, None]), axis=1), len(pairs))
