"""Aggregates, one score of a system from its scores on topics, and intervals; missing topics (NaN) are left out.

They are described by S. D. Ravana and A. Moffat (Score aggregation techniques in retrieval experimentation, ADC
2009, Section 2); egm is from S. Robertson (On GMAP: and other transformations, CIKM 2006), egm-trec from E.
Voorhees (Overview of the TREC 2005 robust retrieval track). The percentiles of bootstrap intervals are expanded: T.
Hesterberg (What teachers should know about the bootstrap, The American Statistician 69(4), 2015).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from numbers import Real
from operator import pos
from typing import NamedTuple

import numpy as np
import scipy  # its modules are slow to load, and load when a function needs them

from stdeval.errors import InputError
from stdeval.noise import decimals, rounded
from stdeval.table import Floats, Ints


class Moments:
    """Running mean, standard deviation and number of scores of systems that arrive one by one (Welford 1962)."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.n: Ints = np.zeros(shape, dtype=np.int64)
        self.mean: Floats = np.zeros(shape)
        self._squares: Floats = np.zeros(shape)
        self._low: Floats = np.full(shape, np.inf)
        self._high: Floats = np.full(shape, -np.inf)

    def add(self, values: Floats) -> None:
        """Add the scores of systems, shape (n_systems, ...); NaN is missing."""
        present = ~np.isnan(values)
        is_complete = present.all()
        for scores, has in zip(values, present, strict=True):
            self.n += has
            known = scores if is_complete else np.where(has, scores, self.mean)
            difference = known - self.mean
            self.mean += difference / (self.n if is_complete else np.maximum(self.n, 1))
            self._squares += difference * (known - self.mean)
        self._low = np.fmin(self._low, np.fmin.reduce(values, axis=0, initial=np.inf))
        self._high = np.fmax(self._high, np.fmax.reduce(values, axis=0, initial=-np.inf))

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
    """Return mean, sample standard deviation (divisor n - 1) and number of the scores over the first axis.

    The sd is NaN if there are fewer than two scores, and so is the mean if there are none. If all scores are equal
    but for noise, the sd is 0 and the mean is the least. Systems are added one after the other, so that factors
    fitted run by run have the same last digit.
    """
    running = Moments(values.shape[1:])
    running.add(values)
    return running.result()


def moments_without(values: Floats, groups: Ints) -> tuple[Floats, Floats, Ints]:
    """Return the `moments` of all systems but those of one group, for each of the groups 0 to n_groups - 1."""
    members = [np.flatnonzero(groups == group) for group in range(groups.max() + 1)]
    mean, sd, n = zip(*_each_without(values, members, Moments(values.shape[1:])), strict=True)
    return np.stack(mean), np.stack(sd), np.stack(n)


def _each_without(values: Floats, members: list[Ints], outside: Moments) -> Iterator[tuple[Floats, Floats, Ints]]:
    """Yield the moments without each group; the systems of no group of `members` are in `outside`."""
    if len(members) == 1:
        yield outside.result()
        return
    first, second = members[: len(members) // 2], members[len(members) // 2 :]
    for own, other in ((first, second), (second, first)):
        extended = deepcopy(outside)
        extended.add(values[np.concatenate(other)])
        yield from _each_without(values, own, extended)


def arithmetic_mean(values: Floats, axis: int = -1) -> Floats:
    """Return the arithmetic mean over an axis, adding scores one after the other as trec_eval does."""
    with np.errstate(invalid="ignore"):
        total = _sum_in_order(values, axis)
        # A missing score makes its whole sum NaN, so only arrays with a gap pay for a copy with zeros.
        if np.isnan(total).any():
            total = _sum_in_order(np.where(np.isnan(values), 0.0, values), axis)
        return np.asarray(total / np.sum(~np.isnan(values), axis=axis))


def _sum_in_order(values: Floats, axis: int) -> Floats:
    # np.sum adds pairwise, which may round differently. With [-1:] rather than [-1], the sum of no topics is 0.
    return np.asarray(np.add.accumulate(np.moveaxis(values, axis, 0), axis=0)[-1:].sum(axis=0))


def median(values: Floats, axis: int = -1) -> Floats:
    """Return the middle score over an axis, or the mean of the two in the middle."""
    ordered = np.sort(values, axis=axis)  # NaN comes last, so the middle is that of the first n.
    n = np.sum(~np.isnan(values), axis=axis, keepdims=True)
    low, high = (np.take_along_axis(ordered, middle, axis) for middle in ((n - 1) // 2, n // 2))
    return np.asarray(((low + high) / 2).squeeze(axis))


class Transform(NamedTuple):
    """The functions of an aggregate ``back(mean(forward(scores)))``; forward returns NaN for scores without one."""

    forward: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]


def _logarithms(values: Floats, epsilon: float = 0.0, *, is_least: bool = False) -> Floats:
    _refuse_negative(values, "geometric mean")
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.maximum(values, epsilon) if is_least else values + epsilon))


def _exponential(mean: Floats, epsilon: float = 0.0, *, is_least: bool = False) -> Floats:
    # exp(log(epsilon)) may lie a rounding error below epsilon, and would print as -0.0000.
    return np.asarray(np.exp(mean) if is_least else np.maximum(np.exp(mean) - epsilon, 0.0))


def _inverses(values: Floats, epsilon: float = 0.0) -> Floats:
    _refuse_negative(values, "harmonic mean")
    shifted = values + epsilon
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(shifted == 0, np.nan, 1.0 / shifted)


def _inverse(mean: Floats, epsilon: float = 0.0) -> Floats:
    return np.maximum(1.0 / mean - epsilon, 0.0)


def _refuse_negative(values: Floats, name: str) -> None:
    if (values < 0).any():
        found = f"no {name} of scores below 0, the least {np.nanmin(values):.4f}"
        raise InputError(f"{found}: expected scores of at least 0, or the aggregate am or md")


class Aggregate(NamedTuple):
    """An aggregate: its name on the command line, the functions of its transform, its default epsilon."""

    name: str
    forward: Callable[..., Floats] | None
    back: Callable[..., Floats]
    epsilon: float | None = None

    def transform(self, **epsilon: float) -> Transform | None:
        """Return the aggregate as a mean of transformed scores; None for the median, which is none."""
        if self.forward is None:
            return None
        return Transform(partial(self.forward, **epsilon), partial(self.back, **epsilon))

    def function(self, values: Floats, axis: int = -1, **epsilon: float) -> Floats:
        """Return the aggregate over an axis; NaN where it is undefined."""
        transform = self.transform(**epsilon)
        if transform is None:
            return median(values, axis)
        transformed = transform.forward(values)
        with np.errstate(divide="ignore", over="ignore"):
            mean = transform.back(arithmetic_mean(transformed, axis))
        return np.where((np.isnan(transformed) & ~np.isnan(values)).any(axis=axis), np.nan, mean)


AGGREGATES = {
    row.name: row
    for row in (
        Aggregate("am", pos, pos),
        Aggregate("gm", _logarithms, _exponential),
        Aggregate("egm", _logarithms, _exponential, 0.01),
        Aggregate("egm-trec", partial(_logarithms, is_least=True), partial(_exponential, is_least=True), 1e-5),
        Aggregate("hm", _inverses, _inverse),
        Aggregate("ehm", _inverses, _inverse, 0.01),
        Aggregate("md", None, pos),
    )
}


def aggregate(values: Floats, name: str = "am", axis: int = -1, epsilon: float | None = None) -> Floats:
    """Return the named aggregate over the axis of the topics; NaN where it is undefined.

    am is the arithmetic mean; gm the geometric mean (x_1 x_2 ... x_t)^(1/t), 0 where a score is 0; egm is
    exp(mean log(x + epsilon)) - epsilon; egm-trec is exp(mean log max(x, epsilon)), trec_eval's gm_map for AP; hm
    is the harmonic mean t / (1/x_1 + ... + 1/x_t), NaN where a score is 0; ehm is t / sum 1/(x + epsilon) -
    epsilon; and md is the median. All but am and md need scores of at least 0. Epsilon is ignored by those without
    one; its default is 0.01, and 1e-5 for egm-trec.

    The systems S1 and S2 of Ravana & Moffat, Table 1:

    >>> scores = np.array([[0.1, 0.1, 0.3, 0.8, 0.1], [0.0, 0.4, 0.2, 0.4, 0.3]])
    >>> aggregate(scores, "gm").round(3), aggregate(scores, "ehm").round(3)
    (array([0.189, 0.   ]), array([0.148, 0.034]))
    """
    if name not in AGGREGATES:
        raise InputError(f"no aggregate '{name}', expected one of: {', '.join(AGGREGATES)}")
    row = AGGREGATES[name]
    if row.epsilon is None:
        return row.function(values, axis)
    if epsilon is not None and not 0 < epsilon < np.inf:
        raise InputError(f"epsilon {epsilon}, expected a number above 0")
    return row.function(values, axis, epsilon=row.epsilon if epsilon is None else epsilon)


def overall_scores(scores: Floats, aggregate: Callable[[Floats], Floats]) -> Floats:
    """Return the overall scores by which systems are ranked, rounded so that noise splits no tie."""
    return rounded(aggregate(scores), decimals(scores))


# --- confidence intervals, at levels in [0.5, 1), of means over topics, and of shares of topics ---

BLOCK = 256  # rows resampled or tested together, which limits the memory


def t_interval(values: Floats, axis: int = -1, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the t interval of the mean over the axis of the topics: mean -/+ t(n - 1) sd / sqrt(n).

    NaN is missing and left out; the ends are NaN where there are fewer than two topics.

    Student's first sample of sleep gained (Biometrika 6, 1908), with the result of R's ``t.test(extra)``:

    >>> low, high = t_interval(np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]))
    >>> float(low.round(4)), float(high.round(4))
    (-0.5298, 2.0298)
    """
    mean, sd, n = moments(np.moveaxis(values, axis, 0))
    half = t_half_width(sd, n, tails_of(level)[1])
    return mean - half, mean + half


def t_lower_bound(values: Floats, level: float = 0.95) -> Floats:
    """Return the lower bound of the one-sided t interval of the mean over the last axis, see `t_interval`."""
    check_level(level)
    mean, sd, n = moments(np.moveaxis(values, -1, 0))
    return mean - t_half_width(sd, n, level)


def t_half_width(sd: Floats, n: Ints, probability: float) -> Floats:
    """Return t(n - 1) sd / sqrt(n), for the quantile of t at a probability."""
    with np.errstate(invalid="ignore", divide="ignore"):
        half: Floats = t_quantile((n - 1).astype(np.float64), probability) * sd / np.sqrt(n)
    return half


def t_quantile(df: Floats, probability: float) -> Floats:
    """Return the quantile of the t distribution at one probability, for each number of degrees of freedom."""
    return np.asarray(scipy.special.stdtrit(df, probability), dtype=np.float64)


def share_upper_bound(n_found: int, n: int, level: float = 0.95) -> float:
    """Return the upper end of the exact one-sided interval of a share (Clopper, Pearson, Biometrika 26, 1934)."""
    check_level(level)
    return 1.0 if n_found >= n else float(scipy.special.betaincinv(n_found + 1, n - n_found, level))


def bootstrap_interval(
    values: Floats, rng: np.random.Generator, axis: int = -1, level: float = 0.95, n_resamples: int = 10_000
) -> tuple[Floats, Floats]:
    """Return the bootstrap interval of the mean, between expanded percentiles; see `t_interval`."""
    by_topic = np.moveaxis(values, axis, -1)
    ends = np.full((2, by_topic[..., 0].size), np.nan)
    for rows, block in complete_blocks(by_topic.reshape(-1, by_topic.shape[-1])):
        n = block.shape[1]
        if n < 2:
            continue  # All resamples of one topic are the same.
        means = times_drawn(n, n_resamples, rng) @ block.T / n
        ends[:, rows] = np.quantile(means, expanded_tails(level, n), axis=0)
    low, high = ends.reshape(2, *by_topic.shape[:-1])
    return low, high


def times_drawn(n: int, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Return how often each resample draws each of n topics; the totals of all rows are one product with it."""
    drawn = rng.integers(0, n, (n_resamples, n)) + n * np.arange(n_resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=n_resamples * n).reshape(n_resamples, n).astype(np.float64)


def tails_of(level: float) -> list[float]:
    """Return the two probabilities whose quantiles are the ends of an interval: 0.25 and 0.75 at the level 0.5."""
    check_level(level)
    tail = (1 - level) / 2
    return [tail, 1 - tail]


def expanded_tails(level: float, n: int) -> list[float]:
    """Return the probabilities whose bootstrap quantiles are the ends of an interval from n >= 2 observations."""
    # A bootstrap distribution is narrower than that of the mean, and has the tails of the normal distribution.
    expanded = np.sqrt(n / (n - 1)) * t_quantile(np.array(n - 1.0), tails_of(level)[1])
    tail = float(scipy.special.ndtr(-expanded))
    return [tail, 1 - tail]


def check_level(level: float) -> None:
    """Refuse a confidence level that is not a number in [0.5, 1) with an `InputError`."""
    if not (isinstance(level, Real) and 0.5 <= level < 1):
        raise InputError(f"confidence level {level}, expected a number from 0.5 and below 1, such as 0.95")


def complete_blocks(values: Floats) -> Iterator[tuple[Ints, Floats]]:
    """Yield blocks of at most `BLOCK` rows in which the same topics are missing, so that they have no NaN.

    A block is the indices of its rows, and their scores on the topics that they have. Rows without any are in none.
    """
    is_missing = np.isnan(values)
    # Usually no score is missing, and sorting rows of very many topics takes long.
    patterns, which = is_missing[:1], np.zeros(len(values), dtype=np.int64)
    if is_missing.any():
        patterns, which = np.unique(is_missing, axis=0, return_inverse=True)
    for k, missing in enumerate(patterns):
        rows = np.flatnonzero(which.ravel() == k)
        if missing.all():
            continue
        for start in range(0, len(rows), BLOCK):
            part = rows[start : start + BLOCK]
            yield part, values[part][:, ~missing]
