"""Moments of the scores of many systems: mean, standard deviation and number, ignoring NaN."""

from __future__ import annotations

import numpy as np

from stdeval.table import Floats, Ints


class Moments:
    """Mean, sample standard deviation and number of scores, of systems that come one after the other.

    Parameters
    ----------
    shape : tuple of int
        Of the scores of one system.

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
        """Take in the scores of one system; NaN is missing."""
        present = ~np.isnan(scores)
        self.n += present
        difference = np.where(present, scores - self.mean, 0.0)
        self.mean += difference / np.maximum(self.n, 1)
        self._squares += difference * np.where(present, scores - self.mean, 0.0)
        self._low = np.fmin(self._low, scores)
        self._high = np.fmax(self._high, scores)

    def result(self) -> tuple[Floats, Floats, Ints]:
        """Mean, sd, n: see `moments`."""
        equal = (self._low == self._high) & (self.n > 1)
        sd = np.sqrt(self._squares / np.maximum(self.n - 1, 1))
        mean = np.where(equal, self._low, np.where(self.n > 0, self.mean, np.nan))
        return mean, np.where(equal, 0.0, np.where(self.n > 1, sd, np.nan)), self.n


def moments(values: Floats) -> tuple[Floats, Floats, Ints]:
    """Mean, sample standard deviation and number of the scores that are there, over the first axis.

    Parameters
    ----------
    values : ndarray, shape (n_systems, ...)
        NaN is missing.

    Returns
    -------
    mean, sd, n : ndarray, shape (...)
        ``sd`` has divisor n - 1, as trec_eval's factor script; it is exactly 0, and ``mean`` exactly the
        common value, where all scores are equal; NaN where there are fewer than two.
    """
    running = Moments(values.shape[1:])
    for scores in values:
        running.add(scores)
    return running.result()
