"""How many reference systems standardization needs (Webber, Moffat, Zobel, SIGIR 2008, Section 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from stdeval.errors import InputError
from stdeval.meta.trials import Mapper, Rng, check_scores, check_sizes, membership, over_known, permutations
from stdeval.noise import decimals, rounded
from stdeval.standardization.schemes import apply_scheme, check_scheme, needs_reference_scores
from stdeval.stats.aggregates import moments
from stdeval.stats.correlation import Correlations, correlations, tau_b
from stdeval.table import Floats, Ints

_STANDARDIZED = 1 << 17  # standardized scores held at a time; few enough for the processor's cache


class ReferenceSizes(NamedTuple):
    """Kendall's tau_b of the rankings by samples of the references and by all of them, shape (n_sizes, n_trials).

    ``median``, ``fifth`` and ``first``, shape (n_sizes,), are its 50th, 5th and 1st percentile.
    """

    tau: Floats
    median: Floats
    fifth: Floats
    first: Floats


def standardized_means(scores: Floats, reference: Floats, scheme: str) -> Floats:
    """Return the mean standardized (or raw) score of each system over the topics that the scheme keeps."""
    if scheme == "raw":
        return rounded(scores.mean(axis=1), decimals(scores))
    return np.asarray(_means_by_sample(scores, reference, scheme)(np.arange(len(reference))[None])[0])


def _means_by_sample(scores: Floats, reference: Floats, scheme: str) -> Callable[[Ints], Floats]:
    """Return a function of samples of the references that returns `standardized_means` by each of them."""
    check_scheme(scheme)
    if not needs_reference_scores(scheme):
        return partial(_means_by_moments, scores, reference, scheme)
    places = decimals(reference, axis=0)
    scores, reference = (rounded(values, places) for values in (scores, reference))
    by_member = partial(apply_scheme, scheme.upper(), scores, *moments(reference)[:2])
    totals = np.stack([by_member(one[None]).sum(axis=1) for one in reference])
    return partial(_means_by_members, totals, scores.shape[1])


def _means_by_members(totals: Floats, n_topics: int, samples: Ints) -> Floats:
    """Return the means by a scheme that counts references: the counts of a sample are the sums of its members'."""
    means: Floats = membership(samples, len(totals)) @ totals / (samples.shape[1] * n_topics)
    return rounded(means, decimals(1.0))


def _means_by_moments(scores: Floats, reference: Floats, scheme: str, samples: Ints) -> Floats:
    """Return the means by a scheme that needs the mean and the standard deviation of the references only."""
    mean, sd, _ = moments(reference[samples.T])
    if not sd.any(axis=1).all():
        found = f"{samples.shape[1]} reference runs have equal scores on every topic"
        raise InputError(f"{found}, expected scores that differ")
    # Topics come first, in memory too, so that they are added one after the other.
    by_topic, mean, sd = (np.ascontiguousarray(values.T) for values in (scores, mean, sd))
    together = max(1, _STANDARDIZED // scores.size)
    means = []
    for start in range(0, len(samples), together):
        here = slice(start, start + together)
        standardized = apply_scheme(scheme.upper(), by_topic[:, None], mean[:, here, None], sd[:, here, None])
        # No score is missing, so that a topic is left out for all systems or for none.
        left_out = np.isnan(standardized[..., :1])
        totals = np.where(left_out, 0.0, standardized).sum(axis=0)
        means.append(rounded(totals / np.sum(~left_out, axis=0), decimals(standardized, axis=(0, 2))[:, None]))
    return np.concatenate(means)


def reference_sizes(
    scores: Floats,
    reference: Floats,
    sizes: Sequence[int],
    *,
    scheme: str = "N",
    n_trials: int = 2000,
    rng: Rng,
    mapper: Mapper = map,
) -> ReferenceSizes:
    """Compare the rankings by samples of the references with the ranking by all of them (Webber 2008, Figure 4).

    Raw scores are those of the systems to rank, and of the reference systems, which may be the same. The ``sizes``
    are numbers of references to sample without replacement; in a trial, larger samples include smaller ones.
    """
    check_scores(scores)
    check_scores(reference)
    check_sizes("references", len(reference), *sizes)
    means_by_sample = _means_by_sample(scores, reference, scheme)
    full = means_by_sample(np.arange(len(reference))[None])[0]
    trial = partial(_block, means_by_sample, full, tuple(sizes))
    tau = np.concatenate(list(mapper(trial, permutations(len(reference), n_trials, rng))), axis=1)
    percentiles = (partial(np.percentile, q=q) for q in (50, 5, 1))
    return ReferenceSizes(tau, *(np.array([over_known(each, row) for row in tau]) for each in percentiles))


def _block(means_by_sample: Callable[[Ints], Floats], full: Floats, sizes: Sequence[int], order: Ints) -> Floats:
    return tau_b(full, np.stack([means_by_sample(np.sort(order[:, :size], axis=1)) for size in sizes]))


def compare_references(
    scores: Floats, reference: Floats, other: Floats, *, scheme: str = "N", better_higher: bool = True
) -> Correlations:
    """Return the correlations of the standardized rankings by two sets of references (Webber 2008, Table 2).

    Scores are as in `reference_sizes`. If not ``better_higher``, the systems with the lowest scores come first.
    """
    for table in (scores, reference, other):
        check_scores(table)
    sign = 1 if better_higher else -1
    return correlations(*(sign * standardized_means(scores, table, scheme) for table in (reference, other)))
