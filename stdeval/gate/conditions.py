"""The conditions of `stdeval check`, and measures and limits that make no sense in them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

import numpy as np

from stdeval.display import about_unscored, excerpt
from stdeval.errors import InputError
from stdeval.evaluation.options import is_true_or_false
from stdeval.measures.facts import is_better_higher, is_in_unit_range, is_never_negative, kind_of

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
        If the limit or alpha is not a number, percent is not True or False, alpha is not between 0 and 0.5, or
        not-worse has a limit.

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
        if not is_true_or_false(self.percent):
            raise InputError(f"percent {excerpt(repr(self.percent))} of {self.kind}, expected True or False")
        if not 0 < self.alpha < _LARGEST_ALPHA:
            expected = f"expected more than 0 and less than {_LARGEST_ALPHA}"
            raise InputError(f"alpha {self.alpha:g} of {self.kind}, {expected}")
        if self.kind == "not-worse" and not math.isnan(self.limit):
            raise InputError(
                f"limit {format_limit(self.limit)} of not-worse, expected alpha, its significance level"
            )

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
        raise InputError(about_unscored([name]))
    if not is_better_higher(name):
        raise InputError(f"{name} is better if it is lower; expected a measure that is better if it is higher")


def refuse_useless_limit(condition: Condition, scheme: str, measure: str) -> None:
    """Refuse a limit that says nothing about a system, whatever its scores are.

    Parameters
    ----------
    condition : Condition
    scheme : str
        The letter of the scheme of its measure; empty if it is raw.
    measure : str
        The raw measure.

    Raises
    ------
    InputError
        If the limit is a percentage of a mean of z scores; or, where scores are in [0, 1], a least mean of 0 or
        outside of that, a loss of 1 or more, or one of 100%.

    Examples
    --------
    >>> refuse_useless_limit(Condition("max-drop", "Zmap", 1.5), "Z", "map")
    >>> refuse_useless_limit(Condition("max-topic-drop", "Nmap", 1.5), "N", "map")
    Traceback (most recent call last):
    stdeval.errors.InputError: max-topic-drop Nmap=1.5: no score can fall by more than 1, expected a limit below 1
    """
    if condition.percent and scheme == "Z":
        # 0 is the mean of an average system, not of a useless one
        what = "a percentage of the mean of z scores, which may be 0 or below"
        raise InputError(f"{condition}: {what}, expected a limit without %")
    # Z scores, and those of U that are not censored, may be below 0 or above 1.
    is_from_0_to_1 = scheme in ("N", "E", "M") or (not scheme and is_in_unit_range(measure))
    if is_from_0_to_1 and condition.kind == "min" and (condition.limit <= 0 or condition.limit > 1):
        bound = "above 1" if condition.limit > 1 else "below 0"
        raise InputError(f"{condition}: no score is {bound}, expected a limit above 0, and at most 1")
    is_from_0 = is_from_0_to_1 or (not scheme and is_never_negative(measure))
    if is_from_0 and condition.kind == "min" and condition.limit <= 0:
        raise InputError(f"{condition}: no score is below 0, expected a limit above 0")
    if is_from_0 and condition.percent and condition.limit == 100:
        raise InputError(f"{condition}: no score is below 0, expected a percentage below 100%")
    is_loss = condition.kind in ("max-drop", "max-topic-drop", "non-inferior") and not condition.percent
    is_within_1 = is_from_0_to_1 or (scheme == "U" and is_in_unit_range(measure))
    if is_loss and condition.limit >= 1 and is_within_1:
        expected = "a limit below 1" + (" or a percentage, such as 2%" if condition.kind == "max-drop" else "")
        raise InputError(f"{condition}: no score can fall by more than 1, expected {expected}")
