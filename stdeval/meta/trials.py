"""Trials of the experiments: the scores they accept, and their random topics or systems.

Permutations are drawn one after the other from one generator and handed out in blocks of fixed size. So results do
not depend on the number of workers, and a longer experiment begins with the trials of a shorter one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np

from stdeval.errors import InputError, counted
from stdeval.table import Floats, Ints

BLOCK = 100  # trials computed together
Rng: TypeAlias = "np.random.Generator | int"  # a generator of random numbers, or a seed for one

Mapper = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""The builtin map, or a function that spreads blocks over workers and returns the results in their order."""


def check_scores(scores: Floats) -> None:
    """Refuse scores, shape (..., n_systems, n_topics), that no experiment can use."""
    for n, noun, fewest in zip(scores.shape[-2:], ("system", "topic"), (3, 4), strict=True):
        if n < fewest:
            raise InputError(f"{counted(n, noun)}, expected at least {fewest}")
    if not np.isfinite(scores).all():
        raise InputError("missing or infinite scores, expected finite ones: table.complete() leaves out gaps")


def check_number(name: str, low: float, high: float, *values: float) -> None:
    """Refuse values that are not above `low` and below `high`."""
    for value in values:
        if not low < value < high:
            raise InputError(f"{name} {value}, expected a number above {low:g} and below {high:g}")


def check_sizes(kind: str, available: int, *sizes: int) -> None:
    """Refuse sample sizes below 2 or beyond what is available."""
    for size in sizes:
        if not 2 <= size <= available:
            raise InputError(f"samples of {size} {kind}, expected 2 to {available}")


def permutations(n: int, n_trials: int, rng: Rng) -> Iterator[Ints]:
    """Yield random permutations of 0 .. n - 1 in blocks, each of shape (up to `BLOCK`, n)."""
    generator = np.random.default_rng(rng)
    for start in range(0, n_trials, BLOCK):
        yield generator.random((min(BLOCK, n_trials - start), n)).argsort(axis=1)


def membership(members: Ints, n: int) -> Floats:
    """Return rows of indices, shape (n_trials, size), as rows of 0 and 1 over all n, shape (n_trials, n)."""
    rows = np.zeros((len(members), n))
    np.put_along_axis(rows, members, 1.0, axis=1)
    return rows


def over_known(statistic: Callable[[Floats], Any], values: Floats) -> float:
    """Return a statistic of the values that are known, of shape (n_trials,); NaN if none is known."""
    known = values[~np.isnan(values)]
    return float(statistic(known)) if len(known) else math.nan


def deviation(values: Floats) -> float:
    """Return the standard deviation over trials; a single trial has none, which is NaN."""
    return float(values.std(ddof=1)) if len(values) > 1 else math.nan
