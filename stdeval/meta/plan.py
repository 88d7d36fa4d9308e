"""Plans of experiments: numbers of topics, and differences that they find (Sakai, Inf. Retr. J. 19(3), 2016)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stdeval.meta.reliability import variance_components
from stdeval.meta.trials import check_number
from stdeval.noise import decimals, rounded, without_noise
from stdeval.stats import power as power_analysis
from stdeval.table import Floats


@dataclass(frozen=True)
class PlannedTest:
    """A test that is planned, and the power that it should have.

    It is the two-tailed paired t test of two systems if ``n_systems`` is None, and otherwise an analysis of
    variance of so many systems; ``same_topics`` is that of `stdeval.stats.power.anova_power`.
    """

    alpha: float = 0.05
    power: float = 0.8
    n_systems: int | None = None
    same_topics: bool = False

    def __post_init__(self) -> None:
        check_number("alpha", 0, 1, self.alpha)
        check_number("power", self.alpha, 1, self.power)
        check_number("n_systems", 1, math.inf, 2 if self.n_systems is None else self.n_systems)

    def power_of(self, effect: float, n: int) -> float:
        """Return the power for an effect, in standard deviations, and a number of topics."""
        if self.n_systems is None:
            return power_analysis.t_power(effect, n, self.alpha)
        return power_analysis.anova_power(effect, n, self.alpha, self.n_systems, same_topics=self.same_topics)


class Plan(NamedTuple):
    """A number of topics, and the difference, power and expected width of the confidence interval that it gives.

    Numbers that cannot be known are NaN, and ``n`` is infinite if it is too large.
    """

    n: float = math.nan
    difference: float = math.nan
    power: float = math.nan
    width: float = math.nan


def plan_for_topics(test: PlannedTest, sd: float, n: int) -> Plan:
    """Return the plan with the smallest difference that a number of topics finds.

    ``sd`` is the standard deviation of the differences between two systems over topics; for an analysis of
    variance, that of the errors. There is no plan if it is 0.

    Examples
    --------
    >>> plan = plan_for_topics(PlannedTest(), 0.12, 50)
    >>> round(plan.difference, 4), plan.power, round(plan.width, 4)
    (0.0485, 0.8, 0.0679)
    """
    check_number("n", 1, math.inf, n)
    if not sd > 0:
        return Plan()
    difference = sd * power_analysis.detectable_effect(n, test.power_of, test.power)
    power = math.nan if math.isnan(difference) else test.power
    width = sd * power_analysis.expected_width(n, 1 - test.alpha) if test.n_systems is None else math.nan
    return Plan(n, difference, power, width)


def plan_for_difference(test: PlannedTest, sd: float, difference: float) -> Plan:
    """Return the plan with the smallest number of topics that find a difference; ``sd`` as in `plan_for_topics`."""
    check_number("difference", 0, math.inf, difference)
    if not sd > 0:
        return Plan()
    n = power_analysis.topics_for_effect(difference / sd, test.power_of, test.power)
    if n is None:
        return Plan(math.inf, difference)
    return plan_for_topics(test, sd, n)._replace(difference=difference, power=test.power_of(difference / sd, n))


def plan_for_width(test: PlannedTest, sd: float, width: float) -> Plan:
    """Return the plan of a paired t test with the smallest number of topics that make the interval this narrow.

    The width is that from the lower to the upper limit; ``sd`` as in `plan_for_topics`.
    """
    check_number("width", 0, math.inf, width)
    if not sd > 0:
        return Plan()
    n = power_analysis.topics_for_width(width / sd, 1 - test.alpha)
    return Plan(math.inf, width=width) if n is None else plan_for_topics(test, sd, n)


def paired_spreads(scores: Floats) -> dict[str, float]:
    """Return standard deviations of the differences between two systems, by which paired t tests can be planned."""
    residual = math.sqrt(2 * variance_components(scores).mean_squares[2])
    # One system at a time, because the differences of all pairs of many systems would not fit into memory.
    deviations = [(row - scores[i:]).std(axis=1, ddof=1) for i, row in enumerate(scores[:-1], 1)]
    median, p95 = np.percentile(without_noise(np.concatenate(deviations), decimals(scores)), [50, 95]).tolist()
    return {"median": median, "p95": p95, "residual": residual}


def error_spreads(scores: Floats) -> dict[str, float]:
    """Return standard deviations of errors, by which analyses of variance can be planned."""
    parts = variance_components(scores)
    _, topics, interaction = (parts.mean_squares * parts.df).tolist()
    within = (topics + interaction) / (parts.n_systems * (parts.n_topics - 1))
    return {"within": math.sqrt(within), "residual": math.sqrt(parts.mean_squares[2])}


def share_of_pairs(scores: Floats, difference: float) -> float:
    """Return the share of pairs of systems whose means differ by at least ``difference``; NaN of NaN."""
    means = scores.mean(axis=1)
    first, second = np.triu_indices(len(means), 1)
    found = rounded(np.abs(means[first] - means[second]), decimals(scores)) >= rounded(difference, decimals(scores))
    return math.nan if math.isnan(difference) else float(np.mean(found))
