"""The conditions of `stdeval check`, and the measures and limits that they cannot have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

import numpy as np

from stdeval.display import excerpt, unscored
from stdeval.errors import InputError
from stdeval.measures.facts import is_better_higher, is_in_unit_range, is_never_negative, kind_of
from stdeval.measures.names import split_scheme

KINDS = ("min", "max-drop", "max-topic-drop", "non-inferior", "not-worse")
"""The kinds of conditions."""

_LARGEST_ALPHA = 0.5
"""A test at this level finds a loss in half of all systems that lost nothing."""


@dataclass(frozen=True)
class Condition:
    """A condition on every system.

    Parameters
    ----------
    kind : {"min", "max-drop", "max-topic-drop", "non-inferior", "not-worse"}
    measure : str
        The measure that is limited.
    limit : float
        The least mean (min), the greatest drop of the mean (max-drop) or of the score of any topic
        (max-topic-drop), or the margin (non-inferior); NaN for not-worse, which has none.
    percent : bool
        True if the limit of max-drop is a percentage of the baseline's mean.
    alpha : float
        The significance level of not-worse and non-inferior, in (0, 0.5).

    Raises
    ------
    InputError
        If the kind is unknown, the limit or alpha is not a number or outside its range, or not-worse has a limit.

    Examples
    --------
    >>> print(Condition("max-drop", "map", 2, percent=True))
    max-drop map=2%
    """

    kind: str
    measure: str
    limit: float = math.nan
    percent: bool = False
    alpha: float = 0.05

    def __post_init__(self) -> None:
        for name, number in (("limit", self.limit), ("alpha", self.alpha)):
            if not isinstance(number, Real):
                raise InputError(f"{name} {excerpt(repr(number))} of {self.kind}, expected a number, such as 0.05")
        if self.kind not in KINDS:
            raise InputError(f"no condition '{self.kind}', expected one of: {', '.join(KINDS)}")
        if not 0 < self.alpha < _LARGEST_ALPHA:
            expected = f"expected more than 0 and less than {_LARGEST_ALPHA}"
            raise InputError(f"alpha {self.alpha:g} of {self.kind}, {expected}")
        if self.kind == "not-worse" and not math.isnan(self.limit):
            raise InputError(
                f"limit {format_limit(self.limit)} of not-worse, expected alpha, its significance level"
            )
        if self.kind != "not-worse" and math.isnan(self.limit):
            raise InputError(f"{self}: expected a limit")
        if self.kind in ("max-drop", "max-topic-drop") and self.limit < 0:
            raise InputError(f"{self}: expected a limit from 0")
        if self.kind == "non-inferior" and self.limit <= 0:
            raise InputError(f"{self}: expected a margin above 0")
        if self.percent and (self.kind != "max-drop" or self.limit > 100):
            raise InputError(f"{self}: a percentage, expected one from 0% to 100%, for max-drop only")

    def __str__(self) -> str:
        limit = "" if math.isnan(self.limit) else f"={self.shown_limit}"
        return f"{self.kind} {self.measure}{limit}"

    @property
    def shown_limit(self) -> str:
        """The limit as it is typed."""
        return format_limit(self.limit) + ("%" if self.percent else "")


def format_limit(limit: float) -> str:
    """Return a limit as a decimal number without an exponent, with no more digits than it needs."""
    return np.format_float_positional(limit, trim="-")


def refuse_unfit_measure(name: str) -> None:
    """Refuse a measure that is not for conditions: one without a score per topic, or of which lower is better."""
    if kind_of(name) != "score":
        raise InputError(unscored([name]))
    if not is_better_higher(name):
        raise InputError(f"{name} is better if it is lower; expected a measure that is better if it is higher")


def refuse_limit_out_of_range(condition: Condition) -> None:
    """Refuse a limit that no score by the condition's measure, and no loss, can reach.

    Examples
    --------
    >>> refuse_limit_out_of_range(Condition("min", "Zmap", -1.5))
    >>> refuse_limit_out_of_range(Condition("min", "Nmap", 30))
    Traceback (most recent call last):
    stdeval.errors.InputError: min Nmap=30: scores are from 0 to 1, expected a limit in this range
    """
    scheme, measure = split_scheme(condition.measure)
    # scores by Z, and by U without censoring, have no bounds
    is_from_0_to_1 = scheme in ("N", "E", "M") or (not scheme and is_in_unit_range(measure))
    low = 0 if is_from_0_to_1 or (not scheme and is_never_negative(measure)) else -math.inf
    high = 1 if is_from_0_to_1 else math.inf
    if not condition.percent and (condition.limit < low or condition.limit > high):
        scores = f"from {low} to {high}" if is_from_0_to_1 else "not below 0"
        raise InputError(f"{condition}: scores are {scores}, expected a limit in this range")
