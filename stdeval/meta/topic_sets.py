"""Rankings on sets of topics: two halves (Ravana, Moffat, ADC 2009), or random sets by different schemes.

The latter, standardized within and between collections, are those of Urbano, Lima, Hanjalic, SIGIR 2019.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from stdeval.errors import InputError
from stdeval.meta import trials, ttests
from stdeval.meta.trials import Mapper, Rng, check_number, check_scores, check_sizes, membership, permutations
from stdeval.noise import decimals, rounded
from stdeval.stats.aggregates import Transform
from stdeval.stats.correlation import Correlations, concatenate, correlations
from stdeval.stats.difficulty import split_by_difficulty
from stdeval.table import Floats, Ints

_TESTS = 1 << 15  # tests of system pairs held at a time; few enough for the processor's cache


class TopicSetResult(NamedTuple):
    """Correlations, shape (n_tables, n_trials), and rates, (n_tables, n_alphas), on random sets of ``n_topics``.

    ``power`` is the share of pairs of different systems that differ significantly, and, between two sets, ``type1``
    that of systems that differ significantly from themselves.
    """

    correlations: Correlations
    rates: dict[str, Floats]
    n_topics: int


def within(
    raw: Floats,
    tables: Floats,
    *,
    n_topics: int | None = None,
    n_trials: int = 10_000,
    rng: Rng,
    alphas: Sequence[float] = ttests.ALPHAS,
    mapper: Mapper = map,
) -> TopicSetResult:
    """Return correlations of mean scores with raw ones, and power, on random topics (Urbano 2019, Section 3.1).

    Raw scores and tables have the shape (n_systems, n_topics_in_all) and (n_tables, n_systems, n_topics_in_all):
    the same scores raw, and standardized on all topics by each scheme. A trial has ``n_topics``, by default 50, or
    half of them if that is fewer. Tests are paired t tests.
    """
    every = np.concatenate([raw[None], tables])
    check_scores(every)
    check_number("alpha", 0, 1, *alphas)
    _, n_systems, n_all = every.shape
    size = min(50, n_all // 2) if n_topics is None else n_topics
    check_sizes("topics", n_all, size)
    blocks = permutations(n_all, n_trials, rng)
    found, counts = zip(*mapper(partial(_block, every, size, tuple(alphas)), blocks), strict=True)
    n_tests = n_trials * n_systems * (n_systems - 1) // 2
    return TopicSetResult(concatenate(found), {"power": np.sum(counts, axis=0) / n_tests}, size)


def _block(tables: Floats, n_topics: int, alphas: Sequence[float], order: Ints) -> tuple[Correlations, Ints]:
    """Return correlations and numbers of significant tests of the trials whose permuted topics are in ``order``."""
    samples = membership(order[:, :n_topics], order.shape[1])
    means = ttests.sample_means(tables, samples).mean
    counts = [ttests.count_paired(table, samples, alphas) for table in tables[1:]]
    return correlations(means[0], means[1:]), np.stack(counts)


def between(
    tables: Floats,
    *,
    n_topics: int | None = None,
    n_trials: int = 10_000,
    rng: Rng,
    alphas: Sequence[float] = ttests.ALPHAS,
    mapper: Mapper = map,
) -> TopicSetResult:
    """Return stability, power and Type I error between two random sets of topics (Urbano 2019, Section 3.2).

    Arguments are those of `within`; the raw scores may be among the tables. Tests are Welch's, of ordered pairs of
    systems, one on either set.
    """
    check_scores(tables)
    check_number("alpha", 0, 1, *alphas)
    _, n_systems, n_all = tables.shape
    size = min(50, n_all // 2) if n_topics is None else n_topics
    check_sizes("topics in either set", n_all // 2, size)
    trial = partial(_block_of_pairs, tables, size, ttests.welch_levels(alphas, size, size))
    found, same, every = zip(*mapper(trial, permutations(n_all, n_trials, rng)), strict=True)
    n_same, n_significant = np.sum(same, axis=0), np.sum(every, axis=0)
    power = (n_significant - n_same) / (n_trials * n_systems * (n_systems - 1))
    return TopicSetResult(concatenate(found), {"power": power, "type1": n_same / (n_trials * n_systems)}, size)


def _block_of_pairs(
    tables: Floats, size: int, levels: ttests.WelchLevels, order: Ints
) -> tuple[Correlations, Ints, Ints]:
    """Return correlations and numbers of significant tests, of the same and of all systems on the two sets."""
    sets = (order[:, :size], order[:, size : 2 * size])
    first, second = (ttests.sample_means(tables, membership(topics, order.shape[1])) for topics in sets)
    n_same, n_all = [], []
    for mean_a, error_a, mean_b, error_b in zip(first.mean, first.error, second.mean, second.error, strict=True):
        n_same.append(ttests.count_welch(*ttests.welch_t(mean_a - mean_b, error_a, error_b, size, size), levels))
        # Every system on one set is tested against every system on the other, some trials at a time.
        n_all.append(np.zeros(len(levels.limits), dtype=np.int64))
        together = max(1, _TESTS // mean_a.shape[1] ** 2)
        for start in range(0, len(mean_a), together):
            here = slice(start, start + together)
            difference = mean_a[here, :, None] - mean_b[here, None, :]
            errors = error_a[here, :, None], error_b[here, None, :]
            n_all[-1] += ttests.count_welch(*ttests.welch_t(difference, *errors, size, size), levels)
    return correlations(first.mean, second.mean), np.stack(n_same), np.stack(n_all)


Aggregate = Callable[[Floats], Floats] | Transform
"""A function that returns overall scores of systems from their scores on topics, the last axis."""


class Split(NamedTuple):
    """Topics in two parts, as indices: arrays of shape (n_splits, size of the part)."""

    first: Ints
    second: Ints


def random_splits(n_topics: int, n_trials: int, rng: Rng) -> Split:
    """Return random halves of the topics; if their number is odd, the second half has one more."""
    order = np.concatenate(list(permutations(n_topics, n_trials, rng)))
    return Split(order[:, : n_topics // 2], order[:, n_topics // 2 :])


def difficulty_split(difficulty: Floats, how: str) -> Split:
    """Return the topics split once, by their difficulty, as `stdeval.stats.difficulty.split_by_difficulty` does.

    A topic's difficulty is a number such as (max - mean) / sd over the systems (equation 2).
    """
    if np.isnan(difficulty).any():
        raise InputError("topics without a difficulty, expected one for each")
    first, second = split_by_difficulty(difficulty, how)
    return Split(first[None, :], second[None, :])


def split_correlations(
    scores: Floats, split: Split, aggregate: Aggregate, *, better_higher: bool = True, mapper: Mapper = map
) -> Correlations:
    """Return the correlations of the system rankings on the two parts of each split, arrays of shape (n_splits,).

    The aggregate is a function of scores of shape (..., n_topics) that returns overall scores of shape (...). A
    `stdeval.stats.aggregates.Transform`, which is a mean as two functions, such as
    ``Transform(numpy.log, numpy.exp)``, is faster for many splits. If not ``better_higher``, the systems with the
    lowest overall scores come first.
    """
    check_scores(scores)
    starts = range(0, len(split.first), trials.BLOCK)
    blocks = (Split(*(part[start : start + trials.BLOCK] for part in split)) for start in starts)
    return concatenate(
        list(mapper(partial(_block_of_splits, scores, aggregate, 1 if better_higher else -1), blocks))
    )


def _block_of_splits(scores: Floats, aggregate: Aggregate, sign: int, split: Split) -> Correlations:
    if not isinstance(aggregate, Transform):
        overall = [aggregate(scores[:, topics]).T for topics in split]
    else:
        transformed = aggregate.forward(scores)
        with np.errstate(divide="ignore", over="ignore"):
            if np.isfinite(transformed).all():
                sums = [membership(topics, scores.shape[1]) @ transformed.T for topics in split]
            else:
                # In a matrix product, infinities would spread to samples without them, as 0 times infinity.
                sums = [transformed[:, topics].sum(axis=-1).T for topics in split]
            overall = [aggregate.back(each / part.shape[1]) for each, part in zip(sums, split, strict=True)]
    return correlations(*(sign * rounded(each, decimals(scores)) for each in overall))


def monte_carlo_error(first: Floats, second: Floats) -> float:
    """Return the standard error of the mean difference of two methods over the same random splits."""
    # Correlations are at most 1, whatever the vectors here are.
    differences = rounded(first - second, decimals(1.0))
    known = differences[~np.isnan(differences)]
    # Equal differences minus the first one are exactly 0; their mean may be rounded, so their sd may be above 0.
    return float((known - known[:1]).std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else math.nan
