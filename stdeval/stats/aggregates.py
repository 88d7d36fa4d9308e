"""Aggregates: one score of a system from its scores on the topics.

The aggregates are rows of ``AGGREGATES``; every one is a pure function over the axis of topics, and leaves
missing (NaN) topics out.

References
----------
S. D. Ravana, A. Moffat. Score aggregation techniques in retrieval experimentation. ADC 2009, Section 2.

S. Robertson. On GMAP: and other transformations. CIKM 2006. (egm)

E. Voorhees. Overview of the TREC 2005 robust retrieval track. TREC 2005. (egm-trec)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stdeval.errors import InputError, InputWarning
from stdeval.table import Bools, Floats


def arithmetic_mean(values: Floats, axis: int = -1) -> Floats:
    """(x_1 + ... + x_t) / t, added one after the other as trec_eval does, so that the last digit is its own.

    Parameters
    ----------
    values : ndarray
        Scores; NaN is missing.
    axis : int
        The axis of the topics.

    Returns
    -------
    ndarray
        The shape of ``values`` without that axis; NaN where every topic is missing.

    Examples
    --------
    >>> float(arithmetic_mean(np.array([0.1, 0.1, 0.3, 0.8, 0.1])).round(3))  # Ravana & Moffat, Table 1
    0.28
    """
    with np.errstate(invalid="ignore"):
        mean: Floats = _total(values, axis) / np.sum(~np.isnan(values), axis=axis)
    return mean


def _total(values: Floats, axis: int) -> Floats:
    """The sum of the scores that are there; 0 where every topic is missing."""
    added = _sum_in_order(values, axis)
    return _sum_in_order(np.where(np.isnan(values), 0.0, values), axis) if np.isnan(added).any() else added


def _sum_in_order(values: Floats, axis: int) -> Floats:
    # np.sum adds pairwise; [-1:] rather than [-1], so that no topics at all sum to 0.
    added: Floats = np.add.accumulate(np.moveaxis(values, axis, 0), axis=0)[-1:].sum(axis=0)
    return added


def geometric_mean(values: Floats, axis: int = -1) -> Floats:
    """(x_1 x_2 ... x_t)^(1/t); 0 where a score is 0.

    Parameters and shape as for `arithmetic_mean`; `InputError` if a score is below 0.

    Examples
    --------
    >>> float(geometric_mean(np.array([0.1, 0.1, 0.3, 0.8, 0.1])).round(3))  # Ravana & Moffat, Table 1
    0.189
    """
    with np.errstate(divide="ignore"):
        logs = np.log(_from_zero_up(values, "geometric mean"))
    return np.exp(arithmetic_mean(logs, axis))


def adjusted_geometric_mean(values: Floats, axis: int = -1, epsilon: float = 0.01) -> Floats:
    """exp(mean log(x + epsilon)) - epsilon: Robertson 2006.

    Parameters and shape as for `arithmetic_mean`; ``epsilon`` > 0 is on the scale of the scores.
    `InputError` if a score is below 0.

    Examples
    --------
    >>> float(adjusted_geometric_mean(np.array([0.0, 0.4, 0.2, 0.4, 0.3])).round(3))  # Ravana & Moffat, Table 1
    0.151
    """
    logs = np.log(_from_zero_up(values, "geometric mean") + epsilon)
    return _without(np.exp(arithmetic_mean(logs, axis)), epsilon)


def thresholded_geometric_mean(values: Floats, axis: int = -1, epsilon: float = 1e-5) -> Floats:
    """exp(mean log max(x, epsilon)): trec_eval's gm_map, when the scores are AP and epsilon is 1e-5.

    Parameters and shape as for `arithmetic_mean`; ``epsilon`` > 0 is on the scale of the scores.
    `InputError` if a score is below 0.

    Examples
    --------
    >>> s2 = np.array([0.0, 0.4, 0.2, 0.4, 0.3])
    >>> float(thresholded_geometric_mean(s2, epsilon=0.01).round(3))  # Ravana & Moffat, Section 2
    0.157
    """
    logs = np.log(np.maximum(_from_zero_up(values, "geometric mean"), epsilon))
    return np.exp(arithmetic_mean(logs, axis))


def harmonic_mean(values: Floats, axis: int = -1) -> Floats:
    """Topics over their 1/x: t / (1/x_1 + ... + 1/x_t); undefined (NaN) where a score is 0.

    Parameters and shape as for `arithmetic_mean`; `InputError` if a score is below 0.

    Examples
    --------
    >>> float(harmonic_mean(np.array([0.1, 0.1, 0.3, 0.8, 0.1])).round(3))  # Ravana & Moffat, Table 1
    0.145
    """
    with np.errstate(divide="ignore", over="ignore"):
        inverse = arithmetic_mean(1.0 / _from_zero_up(values, "harmonic mean"), axis)
        return np.where((values == 0).any(axis=axis), np.nan, 1.0 / inverse)


def adjusted_harmonic_mean(values: Floats, axis: int = -1, epsilon: float = 0.01) -> Floats:
    """The harmonic mean, t / sum 1/(x + epsilon), less epsilon: Ravana & Moffat 2009.

    Parameters and shape as for `arithmetic_mean`; ``epsilon`` > 0 is on the scale of the scores.
    `InputError` if a score is below 0.

    Examples
    --------
    >>> float(adjusted_harmonic_mean(np.array([0.0, 0.4, 0.2, 0.4, 0.3])).round(3))  # Ravana & Moffat, Table 1
    0.034
    """
    inverse = arithmetic_mean(1.0 / (_from_zero_up(values, "harmonic mean") + epsilon), axis)
    return _without(1.0 / inverse, epsilon)


def median(values: Floats, axis: int = -1) -> Floats:
    """The middle score, or the mean of the two in the middle.

    Parameters and shape as for `arithmetic_mean`.

    Examples
    --------
    >>> float(median(np.array([0.0, 0.4, 0.2, 0.4, 0.3])))  # Ravana & Moffat, Table 1
    0.3
    """
    ordered = np.sort(values, axis=axis)  # NaN last
    n = np.sum(~np.isnan(values), axis=axis, keepdims=True)
    low, high = (np.take_along_axis(ordered, middle, axis) for middle in ((n - 1) // 2, n // 2))
    middle: Floats = ((low + high) / 2).squeeze(axis)
    return middle


def _from_zero_up(values: Floats, name: str) -> Floats:
    below = values < 0
    if below.any():
        raise InputError(
            f"no {name} of scores below 0 ({int(below.sum())} of {values.size}, "
            f"the least {np.nanmin(values):.4f}): expected scores from 0 up, or the aggregate am or md"
        )
    return values


def _without(mean: Floats, epsilon: float) -> Floats:
    # exp(log(epsilon)) may lie a rounding error below epsilon, and print as -0.0000.
    return np.maximum(mean - epsilon, 0.0)


@dataclass(frozen=True)
class Aggregate:
    """An aggregate: its name on the command line, what it is, and its epsilon if it has one."""

    name: str
    title: str
    formula: str
    source: str
    function: Callable[..., Floats]
    epsilon: float | None = None


AGGREGATES = {
    row.name: row
    for row in (
        Aggregate("am", "arithmetic mean", "sum x / t", "trec_eval", arithmetic_mean),
        Aggregate("gm", "geometric mean", "(prod x)^(1/t)", "Ravana & Moffat 2009", geometric_mean),
        Aggregate(
            "egm",
            "epsilon-adjusted geometric mean",
            "exp(sum log(x + e) / t) - e",
            "Robertson 2006",
            adjusted_geometric_mean,
            0.01,
        ),
        Aggregate(
            "egm-trec",
            "thresholded geometric mean (trec_eval's gm_map)",
            "exp(sum log max(x, e) / t)",
            "Voorhees 2005",
            thresholded_geometric_mean,
            1e-5,
        ),
        Aggregate("hm", "harmonic mean", "t / sum 1/x", "Ravana & Moffat 2009", harmonic_mean),
        Aggregate(
            "ehm",
            "epsilon-adjusted harmonic mean",
            "t / sum 1/(x + e) - e",
            "Ravana & Moffat 2009",
            adjusted_harmonic_mean,
            0.01,
        ),
        Aggregate("md", "median", "the middle x", "Ravana & Moffat 2009", median),
    )
}


def aggregate(values: Floats, name: str = "am", axis: int = -1, epsilon: float | None = None) -> Floats:
    """The aggregate of that name over the axis of topics.

    Parameters
    ----------
    values : ndarray
        Scores; NaN is missing.
    name : str
        One of ``AGGREGATES``.
    axis : int
        The axis of the topics.
    epsilon : float, optional
        Of egm, egm-trec and ehm; None: 0.01, and 1e-5 for egm-trec. The others take no notice of it.

    Returns
    -------
    ndarray
        The shape of ``values`` without that axis; NaN where it is undefined or every topic is missing.

    Raises
    ------
    InputError
        If there is no such aggregate, epsilon is not above 0, or the aggregate is not am or md and a score
        is below 0.

    Warns
    -----
    InputWarning
        With the number of harmonic means that a score of 0 leaves undefined.

    Examples
    --------
    >>> aggregate(np.array([[0.1, 0.5, 0.3, 0.2, 0.2], [0.2, 0.2, 0.3, 0.2, 0.2]]), "egm").round(3)
    array([0.228, 0.217])
    """
    if name not in AGGREGATES:
        raise InputError(f"no aggregate '{name}', expected one of: {', '.join(AGGREGATES)}")
    row = AGGREGATES[name]
    if row.epsilon is None:
        aggregated = row.function(values, axis=axis)
    else:
        aggregated = row.function(values, axis=axis, epsilon=_checked(epsilon, row.epsilon))
    if name == "hm":
        _warn_of_zeros(np.asarray((values == 0).any(axis=axis)))
    return aggregated


def _checked(epsilon: float | None, default: float) -> float:
    if epsilon is None:
        return default
    if not 0 < epsilon < np.inf:
        raise InputError(f"epsilon {epsilon}, expected a number above 0")
    return epsilon


def _warn_of_zeros(undefined: Bools) -> None:
    if undefined.any():
        warnings.warn(
            f"the harmonic mean (hm) is undefined for {int(undefined.sum())} of {undefined.size} means, "
            "those with a score of 0: left empty (ehm is defined)",
            InputWarning,
            stacklevel=3,
        )
