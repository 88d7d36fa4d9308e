"""Pairs of systems compared by several measures, with one design for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np

from stdeval.errors import InputError
from stdeval.measures.names import is_better_higher
from stdeval.noise import decimals, rounded
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.corrections import (
    CORRECTIONS,
    TukeyTest,
    adjust,
    group_letters,
    significance_groups,
    tukey_test,
)
from stdeval.stats.intervals import check_level, t_interval
from stdeval.stats.paired_tests import ALTERNATIVES, TESTS, Alternative, smallest_pvalue
from stdeval.stats.ranking import coverage
from stdeval.stats.significance import Comparison, compare, compare_unpaired, require_tested, topic_differences
from stdeval.table import Bools, Floats, Ints, ScoreTable

KINDS = ("marginal", "paired", "tukey")
"""The intervals of single means, of the differences from one system, and of Tukey's test of all pairs."""


def paired_intervals(scores: Floats, pivot: int, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return intervals that contain the mean of one system where a paired t test finds no difference from it.

    Each is the t interval of the system's differences from the pivot, moved by the pivot's mean. It leaves out the
    pivot's mean if and only if the t test of `stdeval.stats.significance.compare` is significant at 1 - level. The
    topics are those that both have; the interval is NaN for the pivot and where they are fewer than two.

    Examples
    --------
    >>> scores = np.array([[0.5, 0.1, 0.9, 0.4], [0.3, 0.0, 0.6, 0.2]])
    >>> low, high = paired_intervals(scores, 0)
    >>> low.round(3), high.round(3), bool(high[1] < scores[0].mean())
    (array([  nan, 0.145]), array([  nan, 0.405]), True)
    """
    low, high = t_interval(topic_differences(scores, scores[pivot]), level=level)
    mean = arithmetic_mean(scores[pivot])
    is_pivot = np.arange(len(scores)) == pivot
    return np.where(is_pivot, np.nan, mean + low), np.where(is_pivot, np.nan, mean + high)


def tukey_intervals(scores: Floats, test: TukeyTest, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return intervals that do not overlap if and only if Tukey's test finds that their systems differ.

    They reach half the critical difference of the test of these scores, shape (n_systems, n_topics), to both sides
    of the means, at the significance level 1 - level (Hsu & Peruggia 1994); they are infinite if there are too few
    resamples for any pair to be significant.

    Examples
    --------
    >>> scores = np.array([[0.1, 0.2, 0.1, 0.3, 0.2], [0.1, 0.1, 0.2, 0.3, 0.2], [0.7, 0.9, 0.8, 0.9, 0.6]])
    >>> from stdeval.stats.corrections import tukey_test
    >>> low, high = tukey_intervals(scores, tukey_test(scores, np.random.default_rng(1), 999))
    >>> low.round(2), high.round(2)
    (array([-0.07, -0.07,  0.53]), array([0.43, 0.43, 1.03]))
    """
    mean = arithmetic_mean(scores[:, ~np.isnan(scores).any(axis=0)])
    half = test.critical_difference(level) / 2
    return mean - half, mean + half


def groups_of_intervals(mean: Floats, low: Floats, high: Floats) -> list[str]:
    """Return the letters of the significance groups that intervals of `tukey_intervals` show, one text per system.

    Systems with a letter in common do not differ significantly. No mean is missing, and all intervals have the same
    length.

    Examples
    --------
    >>> mean = np.array([0.5, 0.4, 0.3])
    >>> groups_of_intervals(mean, mean - 0.06, mean + 0.06)
    ['a', 'ab', 'b']
    """
    distance = low[:, np.newaxis] - high
    is_apart = rounded(np.maximum(distance, distance.T), decimals(mean)) > 0
    first, last = significance_groups(mean, np.where(is_apart, 0.0, 1.0))
    return [group_letters(*numbers) for numbers in zip(first.tolist(), last.tolist(), strict=True)]


def residual_bounds(
    scores: Floats, residuals: Floats, shared: Floats, first: Ints, second: Ints
) -> tuple[Floats, Floats]:
    """Return the least and the greatest mean difference that two runs can have, whatever unjudged documents are.

    The difference is greatest if the unjudged documents to which the first run gives more weight than the second
    are relevant, all documents beyond the end of the first run too, and no others. The first run then gains its
    residual, without the weight that both runs give to the same documents. Documents beyond the end of a run are
    taken as unknown to the other run.

    Parameters
    ----------
    scores, residuals : ndarray, shape (n_systems, n_topics)
        Rank-biased precision, NaN where missing, and its residuals, without the weight beyond a cutoff.
    shared : ndarray, shape (n_systems, n_systems)
        As from `stdeval.measures.residuals.UnjudgedDocuments.shared_weights`.
    first, second : ndarray of int, shape (n_pairs,)
        Indices of the systems of each pair.

    Returns
    -------
    low, high : ndarray, shape (n_pairs,)
        Over the topics that both systems have; NaN where there are none.

    Examples
    --------
    Of two runs, the first has a weight of 0.25 beyond its end, the second 0.125:

    >>> scores, residuals = np.array([[0.5], [0.25]]), np.array([[0.5], [0.75]])
    >>> shared, pair = np.array([[0.25, 0.25], [0.25, 0.625]]), (np.array([0]), np.array([1]))
    >>> residual_bounds(scores, residuals, shared, *pair)
    (array([-0.25]), array([0.5]))
    """
    present = (~np.isnan(scores)).astype(np.float64)
    n = (present @ present.T)[first, second]
    # Entry i, j of a product is the sum of i's values over the topics that j has as well.
    known, unknown = (np.nan_to_num(values) @ present.T for values in (scores, residuals))
    difference = (known - known.T)[first, second]
    gain = np.maximum(unknown - shared, 0.0)
    with np.errstate(invalid="ignore"):
        low, high = (difference - gain[second, first]) / n, (difference + gain[first, second]) / n
    return low, high


def is_decided(low: Floats, high: Floats) -> Bools:
    """Return True where bounds from `residual_bounds` have the same sign, or are both 0; NaN is not decided.

    Examples
    --------
    >>> is_decided(np.array([-0.2, 0.1, 1e-17, 0.0]), np.array([0.1, 0.2, 1e-17, 0.1]))
    array([False,  True,  True, False])
    """
    # Bounds are sums of scores in [0, 1], and noise is relative to these, not to the bounds.
    places = decimals(1.0)
    return np.asarray(np.sign(rounded(low, places)) == np.sign(rounded(high, places)))


@dataclass(frozen=True)
class Design:
    """The design of comparisons: the test, the correction of p-values, and how resamples are drawn.

    The test is one of `stdeval.stats.paired_tests.TESTS`; topics that are ``unpaired`` need t, and ``welch`` lets
    their variances differ. The correction is one of `stdeval.stats.corrections.CORRECTIONS`; tukey needs paired
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
        for kind, known in (("test", TESTS), ("correction", CORRECTIONS), ("alternative", ALTERNATIVES)):
            # a list, unlike a dict, can be searched for what cannot be hashed
            if getattr(self, kind) not in [*known]:
                raise InputError(f"no {kind} '{getattr(self, kind)}', expected one of: {', '.join(known)}")
        check_level(self.confidence)
        for name, number, least in (("n_resamples", self.n_resamples, 1), ("seed", self.seed, 0)):
            if not isinstance(number, (int, np.integer)) or number < least:
                raise InputError(f"{name} {number!r}, expected a whole number from {least}")
        if self.unpaired and self.test != "t":
            raise InputError(f"the {self.test} test compares paired topics, expected the t test for unpaired ones")
        if self.welch and not self.unpaired:
            raise InputError("Welch's test compares unpaired topics, expected --unpaired as well")
        if self.correction == "tukey" and (self.unpaired or self.alternative != "two-sided"):
            raise InputError(
                "tukey compares all systems on the same topics, two-sided: expected neither "
                "unpaired topics nor an alternative"
            )

    @property
    def draws(self) -> bool:
        """True if the test or the correction draws at random."""
        return TESTS[self.test].draws or self.correction == "tukey"

    @property
    def name(self) -> str:
        """The name of the test in the output."""
        return ("welch" if self.welch else "student") if self.unpaired else self.test

    @property
    def described(self) -> str:
        """The test of p_adjusted in words."""
        drawn = f"; {self.n_resamples} resamples, seed {self.seed}" if self.draws else ""
        if self.correction == "tukey":
            return f"randomised Tukey HSD over all runs, two-sided{drawn}"
        if self.unpaired:
            title = "Welch's t test, unpaired" if self.welch else "Student's t test, unpaired"
        else:
            title = f"{TESTS[self.test].title}, paired"
        corrected = f"; correction {self.correction}" if self.correction != "none" else ""
        tails = "two-sided" if self.alternative == "two-sided" else f"one-tailed ({self.alternative})"
        return f"{title}, {tails}{corrected}{drawn}"

    def described_for(self, n_pairs: int) -> str:
        """Return the test of p_adjusted in words, and that it is not corrected for several pairs."""
        is_uncorrected = self.correction == "none" and n_pairs > 1
        return f"{self.described}; not corrected for {n_pairs:,} pairs" if is_uncorrected else self.described

    def smallest_pvalue(self, n_topics: int, n_systems: int, n_pairs: int) -> float:
        """Return the smallest p that a pair can have on so many topics, after the correction.

        Examples
        --------
        >>> Design("sign", correction="holm").smallest_pvalue(10, 3, 3), Design("t").smallest_pvalue(2, 3, 3)
        (0.005859375, 0.0)
        """
        if self.correction == "tukey":
            # Of all permutations, those reach it that put one system first and another last on each topic.
            return max(1 / (self.n_resamples + 1), float(n_systems * (n_systems - 1)) ** (1 - n_topics))
        two_sided = self.alternative == "two-sided"
        smallest = smallest_pvalue(self.test, n_topics, self.n_resamples, two_sided=two_sided)
        return float(adjust(np.full(n_pairs, smallest), self.correction)[0])


def compare_systems(scores: Floats, first: Ints, second: Ints, design: Design) -> tuple[Comparison, Floats]:
    """Compare pairs of systems by one measure.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        Scores; NaN is missing.
    first, second : ndarray of int, shape (n_pairs,)
        Indices of the systems of each pair.
    design : Design

    Returns
    -------
    comparison : Comparison
        Arrays of shape (n_pairs,); p is NaN where there are fewer than two topics.
    adjusted : ndarray, shape (n_pairs,)
        The p-values adjusted for the number of pairs. With tukey, they are NaN for systems that cannot be ranked,
        see `stdeval.stats.ranking.Coverage`, and for pairs with topics that the test leaves out.

    Examples
    --------
    >>> scores = np.array([[0.1, 0.2, 0.4], [0.2, 0.4, 0.5], [0.5, 0.3, 0.9]])
    >>> first, second = np.array([0, 0]), np.array([1, 2])
    >>> comparison, adjusted = compare_systems(scores, first, second, Design(correction="holm"))
    >>> comparison.pvalue.round(3), adjusted.round(3)
    (array([0.057, 0.109]), array([0.114, 0.114]))
    """
    if design.unpaired:
        a, b, alternative = scores[first], scores[second], design.alternative
        comparison = compare_unpaired(a, b, welch=design.welch, alternative=alternative, level=design.confidence)
    else:
        comparison = _compare_topics(scores, first, second, design)
    if design.correction == "tukey":
        return comparison, _tukey_pvalues(scores, design)[first, second]
    return comparison, adjust(comparison.pvalue, design.correction)


def _compare_topics(scores: Floats, first: Ints, second: Ints, design: Design) -> Comparison:
    """Compare pairs of systems topic by topic, some pairs at a time: the scores of all may not fit in memory."""
    compare_some = partial(
        compare,
        test=design.test,
        alternative=design.alternative,
        level=design.confidence,
        rng=np.random.default_rng(design.seed),
        n_resamples=design.n_resamples,
        refuse_untested=False,
    )
    # The resamples of a random test depend on which pairs are tested together.
    n_at_once = max(1, len(first) if TESTS[design.test].draws else _MOST_SCORES // max(1, scores.shape[1]))
    starts = range(0, max(1, len(first)), n_at_once)
    slices = [slice(start, start + n_at_once) for start in starts]
    parts = [compare_some(scores[first[some]], scores[second[some]]) for some in slices]
    names = [each.name for each in fields(Comparison)]
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    require_tested(np.isnan(joined["pvalue"]))
    return Comparison(**joined)


_MOST_SCORES = 1 << 21
"""Scores of one side of the pairs that are compared at a time."""


def _tukey_pvalues(scores: Floats, design: Design) -> Floats:
    """Return the p-values of Tukey's test of every pair of systems on the topics that all ranked systems share.

    They are NaN for systems that cannot be ranked, and for pairs that have other topics in common as well.
    """
    ranked = coverage(scores).ranked
    rng = np.random.default_rng(design.seed)
    of_ranked = tukey_test(scores[ranked] if ranked.any() else scores, rng, design.n_resamples).pvalues
    pvalues = np.full((len(scores), len(scores)), np.nan)
    pvalues[np.ix_(ranked, ranked)] = of_ranked
    has = (~np.isnan(scores)).astype(np.float64)
    return np.where(has @ has.T == np.all(has[ranked], axis=0).sum(), pvalues, np.nan)


def compare_measures(
    table: ScoreTable, first: Ints, second: Ints, design: Design
) -> dict[str, tuple[Comparison, Floats]]:
    """Compare pairs of systems by every measure of a table; each measure is a family of comparisons of its own.

    See `compare_systems`. If lower is better by a measure, the lower score wins, and a system is greater, in the
    sense of the alternative, if its scores are lower. An `InputError` names the measure.
    """
    opposite: dict[Alternative, Alternative] = {"greater": "less", "less": "greater", "two-sided": "two-sided"}
    lower = replace(design, alternative=opposite[design.alternative])
    results = {}
    for measure in table.measures:
        better_higher = is_better_higher(measure)
        try:
            compared = compare_systems(table.measure(measure), first, second, design if better_higher else lower)
        except InputError as error:
            raise InputError(f"{measure}: {error.message}") from None
        if not better_higher:
            compared = replace(compared[0], wins=compared[0].losses, losses=compared[0].wins), compared[1]
        results[measure] = compared
    return results


def smallest_possible(compared: Mapping[str, tuple[Comparison, Floats]], n_systems: int, design: Design) -> float:
    """Return the smallest p after the correction that any of the pairs can have on as many topics; 0 of no pair."""
    numbers = (comparison.n_a[~np.isnan(adjusted)] for comparison, adjusted in compared.values())
    least = (design.smallest_pvalue(int(n.max()), n_systems, len(n)) for n in numbers if len(n))
    return min(least, default=0.0)
