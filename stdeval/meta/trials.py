"""Trials of the experiments: the scores they accept, and their random topics or systems.

Permutations are drawn one after the other from one generator and handed out in blocks of fixed size.
The result of a block depends on its permutations only. So results do not depend on the number of
workers, and a longer experiment begins with the trials of a shorter one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from stdeval.display import counted, excerpt
from stdeval.errors import InputError
from stdeval.stats.correlation import Correlations
from stdeval.table import Floats, Ints

BLOCK = 100
"""Number of trials computed together."""

Rng = np.random.Generator | int
"""A generator of random numbers, or a seed for one."""

FEWEST_TOPICS = 4
"""The least number of topics of an experiment."""

Mapper = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""The builtin map, or a function that spreads blocks over workers and returns the results in their order."""

Aggregate = Callable[[Floats], Floats]
"""A function that returns overall scores of systems from their scores on topics, the last axis."""


class TopicSetResult(NamedTuple):
    """Results of an experiment on random sets of topics, by tables of scores (raw, or of a scheme)."""

    correlations: Correlations
    rates: dict[str, Floats]
    n_topics: int


def over_known(statistic: Callable[[Floats], Any], values: Floats) -> float:
    """Return a statistic of the values that are known, of shape (n_trials,); NaN if none is known."""
    known = values[~np.isnan(values)]
    return float(statistic(known)) if len(known) else math.nan


def deviation(values: Floats) -> float:
    """Return the standard deviation over trials; a single trial has none, which is NaN."""
    return float(values.std(ddof=1)) if len(values) > 1 else math.nan


def check_scores(scores: Floats) -> None:
    """Refuse scores, shape (..., n_systems, n_topics), that no experiment can use."""
    if scores.ndim < 2:
        raise InputError(f"scores of shape {scores.shape}, expected (n_systems, n_topics)")
    n_systems, n_topics = scores.shape[-2:]
    if n_systems < 3:
        raise InputError(f"{counted(n_systems, 'system')}, expected at least 3")
    if n_topics < FEWEST_TOPICS:
        raise InputError(f"{counted(n_topics, 'topic')}, expected at least {FEWEST_TOPICS}")
    missing = int(np.isnan(scores).sum())
    if missing:
        what = "1 score is" if missing == 1 else f"{missing} scores are"
        expected = "expected one of every system for every topic: table.complete() keeps only such topics"
        raise InputError(f"{what} missing, {expected}")
    if not np.isfinite(scores).all():
        raise InputError("infinite scores, expected finite numbers")


def usual_size(n_topics: int) -> int:
    """Return the number of topics in a random set if none is given: 50, or half of all topics if that is fewer."""
    return min(50, n_topics // 2)


def check_number(name: str, value: float, low: float, high: float = np.inf) -> None:
    """Raise an `InputError` unless a value is a number above `low` and below `high`."""
    if not (isinstance(value, Real) and low < value < high):
        below = f" and below {high:g}" if high < np.inf else ""
        raise InputError(f"{name} {excerpt(repr(value))}, expected a number above {low:g}{below}")


def check_sizes(sizes: Iterable[int], available: int, kind: str) -> None:
    """Refuse sample sizes below 2 or beyond what is available with an `InputError`."""
    for size in sizes:
        if not 2 <= size <= available:
            raise InputError(f"samples of {size} {kind}, expected 2 to {available}")


def set_size(n_topics: int | None, n_all: int, most: int, kind: str) -> int:
    """Return the number of topics in a random set, and refuse one below 2 or above ``most``."""
    size = usual_size(n_all) if n_topics is None else n_topics
    check_sizes([size], most, kind)
    return size


def generator(rng: Rng) -> np.random.Generator:
    """Return a generator of random numbers: the given one, or a new one with the given seed."""
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, (int, np.integer)) and rng >= 0:
        return np.random.default_rng(rng)
    found = f"rng {excerpt(repr(rng))}"
    raise InputError(
        f"{found}, expected a seed from 0, such as 1, or a generator, such as numpy.random.default_rng(1)"
    )


def permutations(n: int, n_trials: int, rng: Rng) -> Iterator[Ints]:
    """Yield random permutations of 0 .. n - 1 in blocks, each of shape (up to `BLOCK`, n)."""
    if n_trials < 1:
        raise InputError(f"{n_trials} trials, expected at least 1")
    drawn_from = generator(rng)
    for start in range(0, n_trials, BLOCK):
        yield drawn_from.random((min(BLOCK, n_trials - start), n)).argsort(axis=1)


def membership(members: Ints, n: int) -> Floats:
    """Return rows of indices, shape (n_trials, size), as rows of 0 and 1 over all n, shape (n_trials, n)."""
    rows = np.zeros((len(members), n))
    np.put_along_axis(rows, members, 1.0, axis=1)
    return rows
