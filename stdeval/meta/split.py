"""Self-consistency: the correlation of rankings on two halves of the topics (Ravana, Moffat, ADC 2009)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from stdeval.errors import InputError
from stdeval.meta.trials import BLOCK, Mapper, Rng, check_scores, membership, permutations
from stdeval.noise import decimals, rounded
from stdeval.stats.aggregates import Transform
from stdeval.stats.correlation import Correlations, concatenate, correlations
from stdeval.stats.difficulty import split_by_difficulty
from stdeval.table import Floats, Ints

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
    starts = range(0, len(split.first), BLOCK)
    blocks = (Split(*(part[start : start + BLOCK] for part in split)) for start in starts)
    return concatenate(list(mapper(partial(_block, scores, aggregate, 1 if better_higher else -1), blocks)))


def _block(scores: Floats, aggregate: Aggregate, sign: int, split: Split) -> Correlations:
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
