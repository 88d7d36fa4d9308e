"""Discriminative power: the share of system pairs whose difference is significant.

References
----------
T. Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.

W. Webber, A. Moffat, J. Zobel. The effect of pooling and evaluation depth on metric stability.
EVIA 2010. (Table 1, with the paired two-tailed t test)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stdeval.meta.trials import check_scores
from stdeval.meta.ttests import check_alphas, paired_pvalues, pvalues, sample_means
from stdeval.meta.ttests import welch as welchs_test
from stdeval.noise import is_significant
from stdeval.table import Floats


class Power(NamedTuple):
    """Shares of the ``n_pairs`` system pairs that differ significantly, one per significance level."""

    shares: Floats
    n_pairs: int


def pair_pvalues(scores: Floats, *, unpaired: bool = False, welch: bool = False) -> Floats:
    """Return the two-tailed p-value of the t test between every two systems."""
    check_scores(scores)
    if not unpaired:
        return paired_pvalues(scores)
    means = sample_means(scores, np.ones((1, scores.shape[1])))
    first, second = np.triu_indices(len(scores), 1)
    mean, error = means.mean[0], means.error[0]
    difference = mean[first] - mean[second]
    tsquared, df = welchs_test(difference, error[first], error[second], means.n, means.n)
    # Samples of one size have the same t with pooled variances; only its degrees of freedom differ.
    return pvalues(tsquared, df if welch else 2 * means.n - 2)


def discriminative_power(
    scores: Floats, alphas: Sequence[float] = (0.05,), *, unpaired: bool = False, welch: bool = False
) -> Power:
    """Return the share of system pairs that differ significantly, with p <= alpha in the t test.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
    alphas : sequence of float
        Significance levels of the two-tailed tests.
    unpaired, welch : bool
        If ``unpaired``, topics are not paired (Student's test); if ``welch`` too, the variances may differ.

    Returns
    -------
    Power
        ``shares``, in [0, 1], of the ``n_pairs`` pairs of systems, one per significance level. The AP of the 110
        TREC 2004 Robust runs on the 2004 topics has 0.680 at 0.05 (Webber 2010, Table 1).

    Examples
    --------
    >>> scores = np.array([[0.1, 0.2, 0.1, 0.2], [0.2, 0.3, 0.2, 0.3], [0.3, 0.0, 0.4, 0.0]])
    >>> discriminative_power(scores, (0.05,)).shares.round(3)
    array([0.333])
    """
    check_alphas(alphas)
    pairs = pair_pvalues(scores, unpaired=unpaired, welch=welch)
    return Power(np.mean(is_significant(pairs, np.asarray(alphas)[:, None]), axis=1), len(pairs))
