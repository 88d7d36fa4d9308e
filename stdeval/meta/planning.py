"""How many topics are needed: reliability of a collection by generalizability theory, and plans of tests.

Reliability is how surely the topics separate the systems. The score of a system for a topic is the sum of a grand
mean and of random effects of the system, of the topic, and of their interaction (Brennan, Generalizability theory,
2001; Urbano, Marrero, Martin, SIGIR 2013). With n topics, the variance of systems is signal, and the rest, divided
by n, is noise. E rho^2, the generalizability coefficient, counts only the interaction as noise: it is the
reliability of differences on the same topics, and so of rankings. Phi, the index of dependability, also counts the
variance of topics: it is the reliability of the mean scores.

Both are n s / (1 + n s), where s is the ratio of signal to noise of one topic, and 1 is perfect. Intervals assume
normally distributed effects. That of E rho^2 is by Feldt (Psychometrika 30(3), 1965), that of Phi by Arteaga,
Jeyaratnam and Franklin (Communications in Statistics: Theory and Methods 11(15), 1982).

Plans of tests, numbers of topics and the differences that they find, are by Sakai (Inf. Retr. J. 19(3), 2016).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from stdeval.meta.trials import check_number, check_scores
from stdeval.noise import decimals, rounded, without_noise
from stdeval.stats import power as power_analysis
from stdeval.stats.aggregates import tails_of
from stdeval.table import Floats, Ints

EFFECTS = ("systems", "topics", "interaction")  # in the order of the arrays of `VarianceComponents`

# Urbano et al. (2013) fitted both curves to TREC collections. The first gives the expected tau and tau_ap of the
# rankings by two sets of topics of this size, and the power of t tests.
FROM_ERHO2 = {"tau": 2.84729794002905, "tau_ap": 3.98652984123827, "power": 4.77902509574171}
"""Exponents b of the curves (E rho^2)^b."""

FROM_PHI = {"sensitivity": 1.29759126030214}
"""Exponent b of the curve (1 - Phi)^b: the smallest relative difference that other topics should confirm."""


class Estimate(NamedTuple):
    """An estimate and the limits of its confidence interval."""

    value: float
    low: float
    high: float


class VarianceComponents(NamedTuple):
    """A two-way analysis of variance with random effects and one score per cell: arrays of one number per effect.

    Negative estimates of variances became 0, and ``negative`` names their effects.
    """

    n_systems: int
    n_topics: int
    df: Ints
    mean_squares: Floats
    variances: Floats
    negative: tuple[str, ...]

    @property
    def shares(self) -> Floats:
        """Shares of the variances in their sum; NaN if all scores are equal."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.variances / self.variances.sum())


def variance_components(scores: Floats) -> VarianceComponents:
    """Return the mean squares and the variance components of systems, topics and their interaction."""
    check_scores(scores)
    n_systems, n_topics = scores.shape
    places = decimals(scores)
    grand = scores.mean()
    systems = without_noise(scores.mean(axis=1) - grand, places)
    topics = without_noise(scores.mean(axis=0) - grand, places)
    interaction = without_noise(scores - grand - systems[:, np.newaxis] - topics, places)
    squares = [n_topics * (systems @ systems), n_systems * (topics @ topics), np.sum(interaction**2)]
    df = np.array([n_systems - 1, n_topics - 1, (n_systems - 1) * (n_topics - 1)])
    mean_squares: Floats = np.array(squares) / df
    excess = without_noise(mean_squares[:2] - mean_squares[2], decimals(mean_squares))
    estimates = np.append(excess / [n_topics, n_systems], mean_squares[2])
    negative = tuple(effect for effect, estimate in zip(EFFECTS, estimates, strict=True) if estimate < 0)
    return VarianceComponents(n_systems, n_topics, df, mean_squares, np.maximum(estimates, 0.0), negative)


def relative_signal(components: VarianceComponents, confidence: float) -> Estimate:
    """Return the ratio of signal to noise of one topic in E rho^2, with its two-sided interval.

    It is at least 0, infinite if there is no interaction, and NaN if the systems do not differ either.

    Examples
    --------
    >>> found = variance_components(np.array([[0.1, 0.5, 0.2, 0.9], [0.3, 0.6, 0.2, 0.9], [0.4, 0.9, 0.3, 0.8]]))
    >>> signal = relative_signal(found, 0.95)
    >>> [round(number, 4) for number in signal], round(coefficient(signal, 50).value, 4)
    ([0.2941, 0.0, 21.1509], 0.9363)
    """
    systems, _, interaction = components.mean_squares.tolist()
    signal, _, noise = components.variances.tolist()
    df, _, df_noise = components.df.tolist()

    def limit(p: float) -> float:
        quantile: float = scipy.special.fdtri(df, df_noise, p)
        return max(0.0, _ratio(systems, interaction) / quantile - 1) / components.n_topics

    return _estimate(_ratio(signal, noise), limit, confidence)


def absolute_signal(components: VarianceComponents, confidence: float) -> Estimate:
    """Return the ratio of signal to noise of one topic in Phi, as `relative_signal` does for E rho^2."""
    systems, topics, interaction = components.mean_squares.tolist()
    df, df_topics, df_noise = components.df.tolist()

    def limit(p: float) -> float:
        known = scipy.special.chdtri(df, 1 - p) / df  # the quantile of F if the interaction were known exactly
        f = scipy.special.fdtri(df, df_noise, p)
        if systems <= f * interaction:
            return 0.0  # the limit of the variance of systems
        above = (systems - f * interaction) * (systems - (known - f) * interaction)
        of_topics = scipy.special.fdtri(df, df_topics, p) * topics
        noise = systems * ((components.n_systems - 1) * known * interaction + of_topics)
        return _ratio(components.n_systems * above, components.n_topics * noise)

    signal, *noise = components.variances.tolist()
    return _estimate(_ratio(signal, sum(noise)), limit, confidence)


def _ratio(signal: float, noise: float) -> float:
    """Return a ratio: infinite if there is only signal, NaN if there is neither."""
    if noise == 0:
        return math.inf if signal > 0 else math.nan
    return signal / noise


def _estimate(value: float, limit: Callable[[float], float], confidence: float) -> Estimate:
    """Return an estimate with its limits at the quantiles of F; without a value, it has no limits either."""
    return Estimate(
        value, *(math.nan if math.isnan(value) else float(limit(p)) for p in tails_of(confidence)[::-1])
    )


def coefficient(signal: Estimate, n_topics: int) -> Estimate:
    """Return the reliability in [0, 1] of so many topics: E rho^2 by a relative signal, Phi by an absolute one."""
    check_number("n_topics", 0, math.inf, n_topics)
    return Estimate(*(1 / (1 + _ratio(1.0, n_topics * ratio)) for ratio in signal))


def topics_needed(signal: Estimate, target: float) -> Estimate:
    """Return the smallest number of topics for which the reliability reaches a target in (0, 1).

    It is infinite where the target is out of reach, because the systems do not differ.
    """
    check_number("target", 0, 1, target)

    def needed(ratio: float) -> float:
        wanted = _ratio(target / (1 - target), ratio)
        return max(1, math.ceil(rounded(wanted, decimals(wanted)))) if math.isfinite(wanted) else wanted

    return Estimate(needed(signal.value), needed(signal.high), needed(signal.low))


def expected(name: str, estimate: Estimate) -> Estimate:
    """Return a statistic that is expected of a collection with this E rho^2, or with this Phi."""
    if name in FROM_PHI:
        value, low, high = ((1 - phi) ** FROM_PHI[name] for phi in estimate)
        return Estimate(value, high, low)
    return Estimate(*(erho2 ** FROM_ERHO2[name] for erho2 in estimate))


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
