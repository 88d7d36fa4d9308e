"""What the experiments share: what scores they take, and the random topics or systems of their trials.

Permutations are drawn one after the other from one generator and handed out in blocks of fixed size;
what is computed from a block depends on nothing else. So results are the same however many
workers share the blocks, and a longer experiment begins with the trials of a shorter one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from stdeval.errors import InputError
from stdeval.table import Floats, Ints

BLOCK = 100
"""Trials computed together."""

Mapper = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""How blocks are computed: the builtin map, or one that spreads them over workers and keeps their order."""


def check_scores(scores: Floats, min_topics: int = 4) -> None:
    """Refuse scores, shape (..., n_systems, n_topics), that no experiment can use.

    Raises
    ------
    InputError
        If there are fewer than 3 systems or ``min_topics`` topics, or a score is missing.
    """
    n_systems, n_topics = scores.shape[-2:]
    if n_systems < 3:
        raise InputError(f"{n_systems} systems, expected at least 3")
    if n_topics < min_topics:
        raise InputError(f"{n_topics} topics, expected at least {min_topics}")
    missing = int(np.isnan(scores).sum())
    if missing:
        raise InputError(f"{missing} scores missing, expected a score of every system for every topic")


def check_sizes(sizes: Iterable[int], available: int, kind: str, least: int = 2) -> None:
    """Refuse sample sizes below ``least`` or beyond what is available, in an `InputError`."""
    for size in sizes:
        if not least <= size <= available:
            raise InputError(f"samples of {size} {kind}, expected {least} to {available}")


def check_trials(n_trials: int) -> None:
    """Refuse an experiment without trials, in an `InputError`."""
    if n_trials < 1:
        raise InputError(f"{n_trials} trials, expected at least 1")


def permutations(n: int, n_trials: int, rng: np.random.Generator) -> Iterator[Ints]:
    """Random permutations of 0 .. n - 1 in blocks, each of shape (up to `BLOCK`, n).

    Examples
    --------
    >>> [block.shape for block in permutations(5, 250, np.random.default_rng(1))]
    [(100, 5), (100, 5), (50, 5)]
    """
    check_trials(n_trials)
    for start in range(0, n_trials, BLOCK):
        yield rng.random((min(BLOCK, n_trials - start), n)).argsort(axis=1)


def membership(members: Ints, n: int) -> Floats:
    """Rows of indices, shape (n_trials, size), as rows of 0 and 1 over all n, shape (n_trials, n).

    Examples
    --------
    >>> membership(np.array([[0, 2], [3, 1]]), 4)
    array([[1., 0., 1., 0.],
           [0., 1., 0., 1.]])
    """
    rows = np.zeros((len(members), n))
    np.put_along_axis(rows, members, 1.0, axis=1)
    return rows
