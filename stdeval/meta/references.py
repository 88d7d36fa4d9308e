"""The number of reference systems that standardization needs, and the effect of another set of references.

References
----------
W. Webber, A. Moffat, J. Zobel. Score standardization for inter-collection comparison of retrieval
systems. SIGIR 2008. (Section 4; Figure 4, Table 2)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from stdeval.errors import InputError
from stdeval.meta.trials import Mapper, check_scores, check_sizes, permutations
from stdeval.standardization import apply_scheme, needs_reference_scores
from stdeval.stats.correlation import Correlations, correlations, tau_b
from stdeval.stats.moments import moments
from stdeval.stats.noise import decimals, rounded
from stdeval.table import Floats, Ints


@dataclass(frozen=True, eq=False)
class ReferenceSizes:
    """Agreement of the rankings by samples of the references with the ranking by all of them.

    Parameters
    ----------
    tau : ndarray, shape (n_sizes, n_trials)
        Kendall's tau_b of each sample.
    median, fifth, first : ndarray, shape (n_sizes,)
        50th, 5th and 1st percentile of tau, above which are half, 95% and 99% of the samples.
    """

    tau: Floats
    median: Floats
    fifth: Floats
    first: Floats


def standardized_means(scores: Floats, reference: Floats, scheme: str) -> Floats:
    """Mean standardized score of each system over the topics that the scheme keeps, shape (n_systems,).

    Means are rounded, see `stdeval.stats.noise`, so that the order of addition does not split ties.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        Raw scores, none of them missing.
    reference : ndarray, shape (n_references, n_topics)
        Raw scores of the references.
    scheme : str
        Z, N, U, E or M, in either case; ``raw`` ignores the references and returns the raw means.

    Raises
    ------
    InputError
        If the scheme needs a spread of the references, and they score alike on every topic.
    """
    if scheme == "raw":
        return rounded(scores.mean(axis=1), decimals(scores))
    mean, sd, _ = moments(reference)
    if not needs_reference_scores(scheme) and not sd.any():
        raise InputError(f"{len(reference)} references score alike on every topic, expected some spread")
    standardized = apply_scheme(scheme.upper(), scores, mean, sd, reference)
    # no score is missing, so that a topic is left out for all systems or for none
    means: Floats = standardized[:, ~np.isnan(standardized[0])].mean(axis=1)
    return rounded(means, decimals(standardized))


def reference_sizes(
    scores: Floats,
    reference: Floats,
    sizes: Sequence[int],
    *,
    scheme: str = "N",
    n_trials: int = 2000,
    rng: np.random.Generator,
    mapper: Mapper = map,
) -> ReferenceSizes:
    """Compare the rankings by samples of the references with the ranking by all of them (Webber 2008, Figure 4).

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        Raw scores of the systems to rank, which may be the references themselves.
    reference : ndarray, shape (n_references, n_topics)
        Raw scores of the reference systems.
    sizes : sequence of int
        Numbers of references to sample without replacement; in a trial, larger samples include smaller ones.
    scheme : str
        Z, N, U, E or M.
    n_trials : int
    rng : numpy.random.Generator
    mapper : callable
        The builtin map, or one that uses workers; results do not depend on it.

    Returns
    -------
    ReferenceSizes

    Raises
    ------
    InputError
        If there are fewer than 3 systems, 3 references or 4 topics, if a score is missing, or if a size is below
        2 or beyond the number of references.

    Examples
    --------
    >>> scores = np.random.default_rng(1).random((8, 6))
    >>> reference_sizes(scores, scores, [8], n_trials=2, rng=np.random.default_rng(2)).tau
    array([[1., 1.]])
    """
    _check(scores, reference)
    check_sizes(sizes, len(reference), "references")
    trial = partial(_block, scores, reference, tuple(sizes), scheme)
    tau = np.concatenate(list(mapper(trial, permutations(len(reference), n_trials, rng))), axis=1)
    median, fifth, first = np.percentile(tau, [50, 5, 1], axis=1)
    return ReferenceSizes(tau, median, fifth, first)


def _check(scores: Floats, *references: Floats) -> None:
    for table in (scores, *references):
        check_scores(table)
        if table.shape[1] != scores.shape[1]:
            raise InputError(f"references on {table.shape[1]} topics, expected the {scores.shape[1]} of the scores")


def _block(scores: Floats, reference: Floats, sizes: Sequence[int], scheme: str, order: Ints) -> Floats:
    full = standardized_means(scores, reference, scheme)
    # Sorted, so that a sample adds its references in the order in which all of them are added.
    sampled = [
        [standardized_means(scores, reference[np.sort(row[:size])], scheme) for row in order] for size in sizes
    ]
    return tau_b(full, np.array(sampled))


def compare_references(
    scores: Floats, reference: Floats, other: Floats, *, scheme: str = "N", better_higher: bool = True
) -> Correlations:
    """Return the correlations of the standardized rankings by two sets of references (Webber 2008, Table 2).

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        Raw scores of the systems to rank.
    reference, other : ndarray, shape (n_references, n_topics)
        Raw scores of either set of references, on the same topics.
    scheme : str
        Z, N, U, E or M.
    better_higher : bool
        False if the systems with the lowest scores are the best, and come first in the rankings.

    Returns
    -------
    Correlations
        Scalars.

    Raises
    ------
    InputError
        If there are fewer than 3 systems, 3 references or 4 topics, or if a score is missing.

    Examples
    --------
    >>> scores = np.random.default_rng(1).random((8, 6))
    >>> float(compare_references(scores, scores, 2 * scores, scheme="E").tau) < 1
    True
    """
    _check(scores, reference, other)
    sign = 1.0 if better_higher else -1.0
    return correlations(*(sign * standardized_means(scores, table, scheme) for table in (reference, other)))
