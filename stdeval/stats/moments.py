"""Moments of the scores of many systems: mean, standard deviation and number, ignoring NaN."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy

import numpy as np

from stdeval.noise import decimals, rounded
from stdeval.table import Floats, Ints


class Moments:
    """Running mean, sample standard deviation and number of scores, for systems that arrive one by one.

    Parameters
    ----------
    shape : tuple of int
        The shape of the scores of one system.

    References
    ----------
    B. P. Welford. Note on a method for calculating corrected sums of squares and products.
    Technometrics 4(3), 1962.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.n: Ints = np.zeros(shape, dtype=np.int64)
        self.mean: Floats = np.zeros(shape)
        self._squares: Floats = np.zeros(shape)
        self._low: Floats = np.full(shape, np.inf)
        self._high: Floats = np.full(shape, -np.inf)

    def add(self, scores: Floats) -> None:
        """Add the scores of one system; NaN is missing."""
        present = ~np.isnan(scores)
        self.n += present
        difference = np.where(present, scores - self.mean, 0.0)
        self.mean += difference / np.maximum(self.n, 1)
        self._squares += difference * np.where(present, scores - self.mean, 0.0)
        self._low = np.fmin(self._low, scores)
        self._high = np.fmax(self._high, scores)

    def begin_with(self, values: Floats) -> None:
        """Add the scores of the first systems, none of it missing: the numbers of `add`, but faster."""
        for n, scores in enumerate(values, 1):
            difference = scores - self.mean
            self.mean += difference / n
            self._squares += difference * (scores - self.mean)
        self.n += len(values)
        self._low = np.min(values, axis=0, initial=np.inf)
        self._high = np.max(values, axis=0, initial=-np.inf)

    def result(self) -> tuple[Floats, Floats, Ints]:
        """Return mean, standard deviation and number, see `moments`."""
        # The mean of equal scores may be rounded, which leaves an sd of about 1e-17 instead of 0. A z score
        # divided by that would be arbitrary. So equal scores are recognized by their extremes, and get sd 0.
        places = np.minimum(decimals(self._low, axis=()), decimals(self._high, axis=()))
        spread = np.where(self.n > 1, self._high, np.nan) - np.where(self.n > 1, self._low, np.nan)
        equal = rounded(spread, places) == 0
        sd = np.sqrt(self._squares / np.maximum(self.n - 1, 1))
        mean = np.where(equal, self._low, np.where(self.n > 0, self.mean, np.nan))
        return mean, np.where(equal, 0.0, np.where(self.n > 1, sd, np.nan)), self.n


def moments(values: Floats) -> tuple[Floats, Floats, Ints]:
    """Return mean, sample standard deviation and number of the scores over the first axis, ignoring NaN.

    Systems are added one after the other by `Moments`, so that factors fitted run by run have the same last digit.

    Parameters
    ----------
    values : ndarray, shape (n_systems, ...)
        Scores; NaN is missing.

    Returns
    -------
    mean, sd, n : ndarray, shape (...)
        ``sd`` has divisor n - 1, as in trec_eval's factor script. If all scores are equal but for noise, it is
        exactly 0 and ``mean`` is exactly the least of them. ``sd`` is NaN if there are fewer than two scores,
        ``mean`` if there are none.

    Examples
    --------
    >>> mean, sd, n = moments(np.array([[0.25, 0.1], [0.75, 0.1], [np.nan, 0.1]]))
    >>> mean, sd.round(4), n
    (array([0.5, 0.1]), array([0.3536, 0.    ]), array([2, 3]))
    """
    running = Moments(values.shape[1:])
    if np.isnan(values).any():
        for scores in values:
            running.add(scores)
    else:
        running.begin_with(values)
    return running.result()


def moments_without(values: Floats, groups: Ints) -> tuple[Floats, Floats, Ints]:
    """Return the moments of all systems but those of one group, for each group.

    Parameters
    ----------
    values : ndarray, shape (n_systems, ...)
        Scores; NaN is missing.
    groups : ndarray of int, shape (n_systems,)
        The group of each system: 0 to n_groups - 1, each of which occurs.

    Returns
    -------
    mean, sd, n : ndarray, shape (n_groups, ...)
        As `moments` returns them for the systems of the other groups.

    Examples
    --------
    >>> moments_without(np.array([0.2, 0.4, 0.8]), np.array([0, 1, 2]))[0].round(4)
    array([0.6, 0.5, 0.3])
    """
    members = [np.flatnonzero(groups == group) for group in range(groups.max() + 1)]
    mean, sd, n = zip(*_each_without(values, members, Moments(values.shape[1:])), strict=True)
    return np.stack(mean), np.stack(sd), np.stack(n)


def _each_without(
    values: Floats, members: Sequence[Ints], outside: Moments
) -> Iterator[tuple[Floats, Floats, Ints]]:
    """Yield the moments without each group; those of the systems of no group of `members` are in `outside`.

    Subtracting a group's sums from those of all systems would leave noise where the others have no spread. Instead,
    either half of the groups is added to what is outside of the other half, down to single groups.
    """
    if len(members) == 1:
        yield outside.result()
        return
    halves = members[: len(members) // 2], members[len(members) // 2 :]
    for own, other in (halves, halves[::-1]):
        extended = deepcopy(outside)
        for row in np.concatenate(other):
            extended.add(values[row])
        yield from _each_without(values, own, extended)
