"""Pairs of systems compared: how much they differ, and whether the choice of topics can explain the difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy  # its modules are slow to load, and load when a function needs them

from stdeval.errors import InputError
from stdeval.measures import names
from stdeval.noise import decimals, without_noise
from stdeval.stats import aggregates, corrections, paired_tests, ranking

if TYPE_CHECKING:
    from stdeval.stats.corrections import JointTest
    from stdeval.stats.paired_tests import Alternative
    from stdeval.table import Bools, Floats, Ints, ScoreTable

RECOMMENDED = "range"  # for all pairs of runs: see CORRECTIONS in stdeval-compare(1)


@dataclass(frozen=True)
class Design:
    """The design of comparisons: the test, the correction of p-values, and how resamples are drawn.

    The test is one of `stdeval.stats.paired_tests.TESTS`; topics that are ``unpaired`` need t, and ``welch`` lets
    their variances differ. The correction is one of `stdeval.stats.corrections.CORRECTIONS`; joint ones need paired
    topics and a two-sided test. ``confidence``, in [0.5, 1), is that of the interval of the difference.
    """

    test: str = "t"
    unpaired: bool = False
    welch: bool = False
    alternative: Alternative = "two-sided"
    correction: str = "none"
    confidence: float = 0.95
    n_resamples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        aggregates.check_level(self.confidence)
        for kind, known in (
            ("test", paired_tests.TESTS),
            ("correction", corrections.CORRECTIONS),
            ("alternative", paired_tests.ALTERNATIVES),
        ):
            if getattr(self, kind) not in [*known]:  # a list can be searched for what cannot be hashed
                raise InputError(f"no {kind} '{getattr(self, kind)}', expected one of: {', '.join(known)}")
        for name, number, least in (("n_resamples", self.n_resamples, 1), ("seed", self.seed, 0)):
            if not isinstance(number, Integral) or number < least:
                raise InputError(f"{name} {number!r}, expected a whole number from {least}")
        fault = ""
        if self.unpaired and self.test != "t":
            fault = f"the {self.test} test needs paired topics, expected the t test"
        elif self.welch and not self.unpaired:
            fault = "Welch's test needs unpaired topics, expected --unpaired as well"
        elif self.is_joint and (self.unpaired or self.alternative != "two-sided"):
            fault = f"{self.correction} needs paired topics and a two-sided test, expected another correction"
        if fault:
            raise InputError(fault)

    def resolved(self, has: Bools, *, with_baseline: bool) -> Design:
        """Return the design with the default correction if none is named; systems have scores where ``has``."""
        if self.correction != "default":
            return self
        is_usual = self.test == "t" and not self.unpaired and self.alternative == "two-sided"
        is_recommended = is_usual and ranking.comparable(has)[0].sum() > 2 and not with_baseline
        return replace(self, correction=RECOMMENDED if is_recommended else "holm")

    @property
    def is_joint(self) -> bool:
        """True if the correction is a joint test of all runs."""
        return self.correction in corrections.JOINT_CORRECTIONS

    @property
    def draws(self) -> bool:
        """True if the test or the correction draws at random."""
        if paired_tests.TESTS[self.test].draws:
            return True
        return self.is_joint and corrections.JOINT_CORRECTIONS[self.correction].draws

    @property
    def name(self) -> str:
        """The name of the test in the output."""
        return ("welch" if self.welch else "student") if self.unpaired else self.test

    @property
    def short(self) -> str:
        """The test of p_adjusted in a word or two."""
        return self.correction if self.is_joint else f"{self.name}, {self.correction}"

    @property
    def described(self) -> str:
        """The test of p_adjusted in words."""
        drawn = f"; {self.n_resamples} resamples, seed {self.seed}" if self.draws else ""
        if self.is_joint:
            return f"{corrections.JOINT_CORRECTIONS[self.correction].title} over all runs, two-sided{drawn}"
        title = f"{paired_tests.TESTS[self.test].title}, paired"
        if self.unpaired:
            title = f"{'Welch' if self.welch else 'Student'}'s t test, unpaired"
        corrected = f"; correction {self.correction}" if self.correction != "none" else ""
        tails = "two-sided" if self.alternative == "two-sided" else f"one-tailed ({self.alternative})"
        return f"{title}, {tails}{corrected}{drawn}"

    def described_for(self, n_pairs: int) -> str:
        """Return the test of p_adjusted in words, and that it is not corrected for several pairs."""
        is_uncorrected = self.correction == "none" and n_pairs > 1
        return f"{self.described}; not corrected for {n_pairs:,} pairs" if is_uncorrected else self.described

    def smallest_pvalue(self, n_topics: int, n_systems: int, n_pairs: int) -> float:
        """Return the smallest p that a pair can have on so many topics, after the correction."""
        test, drawn = paired_tests.TESTS[self.test], 1 / (self.n_resamples + 1)
        if self.correction == "tukey":
            # Of all permutations, those reach it that put one system first and another last on each topic.
            return max(drawn, float(n_systems * (n_systems - 1)) ** (1 - n_topics))
        if self.is_joint:
            return drawn if self.draws else 0.0
        smallest = drawn if test.draws else 0.0
        if test.signs:
            is_exact = not test.draws or 2**n_topics <= self.n_resamples
            smallest = (2 if self.alternative == "two-sided" else 1) * (0.5**n_topics if is_exact else drawn)
        return float(corrections.adjust(np.full(n_pairs, smallest), self.correction)[0])


class Comparison(NamedTuple):
    """Comparisons of first systems with second ones; every field is an array with one value per comparison.

    In a paired test, means and numbers of topics (n) are those of the topics that both systems have. ``low`` and
    ``high`` are the two-sided t interval of the difference, whatever the alternative. The effect size is the
    difference divided by the standard deviation of the differences, or, if topics are not paired, by that of the
    scores (pooled over both systems; with Welch, the root mean square of both); it is infinite if that is 0 and the
    difference is not. Statistic and p are NaN if there are fewer than two topics; p is 1 if there is no difference
    on any topic. Wins, ties and losses of the first system are None if topics are not paired.
    """

    mean_a: Floats
    mean_b: Floats
    difference: Floats
    low: Floats
    high: Floats
    effect_size: Floats
    statistic: Floats
    pvalue: Floats
    n_a: Ints
    n_b: Ints
    wins: Ints | None = None
    ties: Ints | None = None
    losses: Ints | None = None


def compare_paired(a: Floats, b: Floats, design: Design) -> Comparison:
    """Compare systems topic by topic; a and b are the scores of the first and second ones, shape (..., n_topics).

    Student's sleep data (Biometrika 6, 1908): t = 4.06 and p = 0.0028.

    >>> drug = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
    >>> other = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
    >>> sleep = compare_paired(other, drug, Design())
    >>> float(sleep.statistic.round(2)), float(sleep.pvalue.round(4)), int(sleep.wins), int(sleep.ties)
    (4.06, 0.0028, 9, 1)
    """
    raw, places = a - b, _pair_decimals(a, b)
    mean, sd, n = aggregates.moments(np.moveaxis(raw, -1, 0))
    difference, differences = without_noise(mean, places), without_noise(raw, places[..., np.newaxis])
    wins, ties, losses = (np.sum(each, axis=-1) for each in (differences > 0, differences == 0, differences < 0))
    # Systems with the same scores on every topic do not differ, whatever a test returns for nothing but zeros.
    same = (n > 0) & (ties == n)
    statistic, pvalue = (np.where(same, value, np.nan) for value in (0.0, 1.0))
    rows, tested = raw.reshape(-1, raw.shape[-1]), np.flatnonzero((n > 1) & ~same)
    row = paired_tests.TESTS[design.test]
    drawn = {"rng": np.random.default_rng(design.seed), "n_resamples": design.n_resamples} if row.draws else {}
    # Usually all rows are tested, and then they need no copy, which may be large.
    for at, block in aggregates.complete_blocks(rows if len(tested) == len(rows) else rows[tested]):
        these = tested[at]
        found = row.function(block, np.ravel(places)[these], design.alternative, **drawn)
        statistic.flat[these], pvalue.flat[these] = found
    half = aggregates.t_half_width(sd, n, aggregates.tails_of(design.confidence)[1])
    missing = np.isnan(raw)
    mean_a, mean_b = (aggregates.arithmetic_mean(np.where(missing, np.nan, scores)) for scores in (a, b))
    with np.errstate(invalid="ignore", divide="ignore"):
        effect = np.where(difference == 0, 0.0, difference / without_noise(sd, places))
    ends = mean - half, mean + half
    return Comparison(mean_a, mean_b, difference, *ends, effect, statistic, pvalue, n, n, wins, ties, losses)


def compare_unpaired(a: Floats, b: Floats, design: Design) -> Comparison:
    """Compare systems on different topics or collections, by the t test for two samples; see `compare_paired`."""
    places = _pair_decimals(a, b)
    (mean_a, sd_a, n_a), (mean_b, sd_b, n_b) = (aggregates.moments(np.moveaxis(scores, -1, 0)) for scores in (a, b))
    difference = without_noise(mean_a - mean_b, places)
    sd_a, sd_b = without_noise(sd_a, places), without_noise(sd_b, places)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_both = (mean_a, sd_a, n_a, mean_b, sd_b, n_b)
        result = scipy.stats.ttest_ind_from_stats(*of_both, not design.welch, design.alternative)
        if design.welch:
            part_a, part_b = sd_a**2 / n_a, sd_b**2 / n_b
            df = (part_a + part_b) ** 2 / (part_a**2 / (n_a - 1) + part_b**2 / (n_b - 1))
            sd, error = np.sqrt((sd_a**2 + sd_b**2) / 2), np.sqrt(part_a + part_b)
        else:
            df = (n_a + n_b - 2).astype(np.float64)
            pooled = ((n_a - 1) * sd_a**2 + (n_b - 1) * sd_b**2) / df
            sd, error = np.sqrt(pooled), np.sqrt(pooled * (1 / n_a + 1 / n_b))
        # Systems without a difference have the effect size 0, even if their scores have no spread.
        effect = np.where(difference == 0, 0.0, difference / sd)
    half = np.where(error == 0, 0.0, aggregates.t_quantile(df, aggregates.tails_of(design.confidence)[1]) * error)
    few, same = (n_a < 2) | (n_b < 2), (difference == 0) & (error == 0)
    statistic = np.where(few, np.nan, np.where(difference == 0, 0.0, result.statistic))
    pvalue = np.where(few, np.nan, np.where(same, 1.0, result.pvalue))
    means = aggregates.arithmetic_mean(a), aggregates.arithmetic_mean(b)
    ends = difference - half, difference + half
    return Comparison(*means, difference, *ends, effect, statistic, pvalue, n_a, n_b)


def _pair_decimals(a: Floats, b: Floats) -> Ints:
    """Return the decimals to which the scores of each pair of systems, and their differences, are rounded."""
    return np.minimum(decimals(a, axis=-1), decimals(b, axis=-1))


def topic_differences(a: Floats, b: Floats) -> Floats:
    """Return the score differences on each topic, first minus second; exactly 0 where only noise separates them."""
    return without_noise(a - b, _pair_decimals(a, b)[..., np.newaxis])


def pairs(n_systems: int, baseline: int | None = None) -> tuple[Ints, Ints]:
    """Return the indices of the pairs to compare: all pairs, or every other system, first, with the baseline."""
    if baseline is None:
        first, second = np.triu_indices(n_systems, 1)
        return first, second
    others = np.delete(np.arange(n_systems), baseline)
    return others, np.full_like(others, baseline)


_MOST_SCORES = 1 << 19  # of one side of the pairs compared at a time: those of all may not fit in memory


def compare_systems(scores: Floats, first: Ints, second: Ints, design: Design) -> tuple[Comparison, Floats]:
    """Compare pairs of systems by one measure, and adjust the p-values for the number of pairs.

    ``first`` and ``second``, shape (n_pairs,), are the indices of the systems of each pair. By joint corrections,
    those that can be compared, see `stdeval.stats.ranking.comparable`, are compared on their common topics, and
    adjusted p-values are NaN for others.
    """
    return _compared(scores, first, second, design)[:2]


class PairTests(NamedTuple):
    """Pairs of systems compared, with the p-values and the intervals of the correction."""

    first: Ints
    second: Ints
    comparison: Comparison
    adjusted: Floats
    low: Floats
    high: Floats

    def against(self, system: int) -> tuple[Ints, Comparison, Floats, Floats, Floats]:
        """Return the fields but ``second``, for the pairs of which a system is the second."""
        these = self.second == system
        comparison = Comparison._make(None if each is None else each[these] for each in self.comparison)
        return self.first[these], comparison, self.adjusted[these], self.low[these], self.high[these]

    def square(self, values: Floats, n_systems: int) -> Floats:
        """Return values of pairs in a matrix, systems x systems; NaN for pairs that are not compared."""
        matrix = np.full((n_systems, n_systems), np.nan)
        matrix[self.first, self.second] = matrix[self.second, self.first] = values
        return matrix


def tested_pairs(scores: Floats, pivot: int, design: Design, *, is_baseline: bool) -> PairTests:
    """Compare all systems with a baseline, or all pairs, of which a pivot is the second; jointly, all pairs anyway.

    Without a joint correction, the intervals are t intervals at `stdeval.stats.corrections.single_alpha`.
    """
    first, second = pairs(len(scores), pivot if is_baseline and not design.is_joint else None)
    first, second = np.where(first == pivot, (second, first), (first, second))
    comparison, adjusted, joint = _compared(scores, first, second, design)
    if joint is None:
        single = corrections.single_alpha(comparison.pvalue, design.correction, 1 - design.confidence)
        low, high = aggregates.t_interval(topic_differences(scores[first], scores[second]), level=1 - single)
    else:
        half = np.where(np.isnan(adjusted), np.nan, joint.critical)
        low, high = comparison.difference - half, comparison.difference + half
    return PairTests(first, second, comparison, adjusted, low, high)


def _compared(
    scores: Floats, first: Ints, second: Ints, design: Design
) -> tuple[Comparison, Floats, JointTest | None]:
    """Compare pairs of systems, and also return the joint test, if the correction is one."""
    compare = compare_unpaired if design.unpaired else compare_paired
    ranked, common = ranking.comparable(~np.isnan(scores))
    if design.is_joint:
        if common.sum() < 2:
            raise InputError(
                f"fewer than two topics for which every run has a score, which {design.correction} needs"
            )
        scores = ranking.on_common_topics(scores, ranked, common)
    # The resamples of a random test depend on which pairs are tested together.
    draws = paired_tests.TESTS[design.test].draws
    n_at_once = max(1, len(first) if draws else _MOST_SCORES // max(1, scores.shape[1]))
    slices = [slice(start, start + n_at_once) for start in range(0, max(1, len(first)), n_at_once)]
    parts = [compare(scores[first[some]], scores[second[some]], design) for some in slices]
    columns = zip(*parts, strict=True)
    comparison = Comparison._make(None if each[0] is None else np.concatenate(each) for each in columns)
    if np.isnan(comparison.pvalue).all():
        raise InputError("no comparison has two topics, which every test needs")
    if not design.is_joint:
        return comparison, corrections.adjust(comparison.pvalue, design.correction), None
    rng, joint_test = np.random.default_rng(design.seed), corrections.JOINT_CORRECTIONS[design.correction].test
    joint = joint_test(scores[np.ix_(ranked, common)], design.confidence, rng, design.n_resamples)
    pvalues = np.full((len(scores), len(scores)), np.nan)
    pvalues[np.ix_(ranked, ranked)] = joint.pvalues
    return comparison, pvalues[first, second], joint


def compare_measures(
    table: ScoreTable, first: Ints, second: Ints, design: Design
) -> dict[str, tuple[Comparison, Floats]]:
    """Compare pairs of systems by every measure of a table; each measure is a family of comparisons of its own.

    If lower is better by a measure, the lower score wins, and a system is greater, in the sense of the alternative,
    if its scores are lower.
    """
    opposite: dict[Alternative, Alternative] = {"greater": "less", "less": "greater", "two-sided": "two-sided"}
    lower = replace(design, alternative=opposite[design.alternative])
    results = {}
    for measure in table.measures:
        better_higher = names.is_better_higher(measure)
        try:
            compared = compare_systems(table.measure(measure), first, second, design if better_higher else lower)
        except InputError as error:
            raise InputError(f"{measure}: {error.message}") from None
        if not better_higher:
            compared = compared[0]._replace(wins=compared[0].losses, losses=compared[0].wins), compared[1]
        results[measure] = compared
    return results


def smallest_possible(compared: Mapping[str, tuple[Comparison, Floats]], n_systems: int, design: Design) -> float:
    """Return the smallest p after the correction that any of the pairs can have on as many topics; 0 of no pair."""
    numbers = (comparison.n_a[~np.isnan(adjusted)] for comparison, adjusted in compared.values())
    least = (design.smallest_pvalue(int(n.max()), n_systems, len(n)) for n in numbers if len(n))
    return min(least, default=0.0)


class ComparedPair(NamedTuple):
    """Two systems compared by a measure; see `Comparison`.

    ``difference`` is a minus b, ``low`` and ``high`` are its two-sided *t* interval, and ``adjusted_pvalue`` is the
    p-value after the correction. ``wins``, ``ties`` and ``losses`` of a are None if topics are not paired.
    """

    measure: str
    a: str
    b: str
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    effect_size: float
    wins: int | None
    ties: int | None
    losses: int | None
    n_a: int
    n_b: int
    statistic: float
    pvalue: float
    adjusted_pvalue: float


def compared_pairs(table: ScoreTable, baseline: int | None, design: Design) -> tuple[list[ComparedPair], float]:
    """Return a row for each measure and pair, and the smallest p that any of them can have."""
    first, second = pairs(len(table.systems), baseline)
    compared = compare_measures(table, first, second, design)
    labels = [(table.systems[i], table.systems[j]) for i, j in zip(first, second, strict=True)]
    rows = []
    for measure, (found, adjusted) in compared.items():
        columns = [*(getattr(found, name) for name in ComparedPair._fields[3:-1]), adjusted]
        cells = ([None] * len(labels) if column is None else column.tolist() for column in columns)
        rows += [ComparedPair(measure, *pair, *row) for pair, *row in zip(labels, *cells, strict=True)]
    return rows, smallest_possible(compared, len(table.systems), design)
