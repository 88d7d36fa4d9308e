"""Pairs of systems compared by several measures, with one design for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np

from stdeval.errors import InputError
from stdeval.measures.facts import is_better_higher
from stdeval.stats.corrections import CORRECTIONS, adjust, tukey_pvalues
from stdeval.stats.coverage import coverage, share_only_common
from stdeval.stats.intervals import check_level
from stdeval.stats.paired_tests import ALTERNATIVES, TESTS, Alternative, smallest_pvalue
from stdeval.stats.significance import Comparison, compare, compare_unpaired, require_tested
from stdeval.table import Floats, Ints, ScoreTable


@dataclass(frozen=True)
class Design:
    """The design of comparisons: the test, the correction of p-values, and how resamples are drawn.

    Parameters
    ----------
    test : str
        One of `stdeval.stats.paired_tests.TESTS`. If topics are unpaired, it must be t.
    unpaired, welch : bool
        If ``unpaired``, topics are not paired; if also ``welch``, the variances may differ.
    alternative : {"two-sided", "greater", "less"}
        The alternative hypothesis. With tukey, it must be two-sided.
    correction : str
        One of `stdeval.stats.corrections.CORRECTIONS`. If topics are unpaired, it must not be tukey.
    confidence : float
        Confidence level of the interval of the difference, in [0.5, 1).
    n_resamples, seed : int
        Number of resamples and seed of a test or correction that draws at random.

    Raises
    ------
    InputError
        If there is no such test, correction or alternative, if a number is outside its range, or if the
        parameters do not fit together.
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
        named = (("test", TESTS), ("correction", CORRECTIONS), ("alternative", ALTERNATIVES))
        for kind, known in named:
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

        Of the permutations of Tukey's test, those count that put one system first and another last on each topic.

        Examples
        --------
        >>> Design("sign", correction="holm").smallest_pvalue(10, 3, 3), Design("t").smallest_pvalue(2, 3, 3)
        (0.005859375, 0.0)
        """
        if self.correction == "tukey":
            return max(1 / (self.n_resamples + 1), float(n_systems * (n_systems - 1)) ** (1 - n_topics))
        n_tests = n_pairs if self.correction in ("bonferroni", "holm") else 1
        two_sided = self.alternative == "two-sided"
        return min(1.0, n_tests * smallest_pvalue(self.test, n_topics, self.n_resamples, two_sided=two_sided))

    def generator(self) -> np.random.Generator:
        """Return a new generator, so that no result depends on the random numbers drawn before it."""
        return np.random.default_rng(self.seed)


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
        see `stdeval.stats.coverage.Coverage`, and for pairs with topics that the test leaves out.

    Raises
    ------
    InputError
        If no pair has two topics to compare on, or if the correction is tukey and no topic has a score of every
        system.

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
        rng=design.generator(),
        n_resamples=design.n_resamples,
        refuse_untested=False,
    )
    # The resamples of a random test depend on which pairs are tested together.
    n_at_once = max(1, len(first) if TESTS[design.test].draws else _MOST_SCORES // max(1, scores.shape[1]))
    parts = [
        compare_some(scores[first[start : start + n_at_once]], scores[second[start : start + n_at_once]])
        for start in range(0, max(1, len(first)), n_at_once)
    ]
    joined = Comparison(
        **{each.name: np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(Comparison)}
    )
    require_tested(np.isnan(joined.pvalue))
    return joined


_MOST_SCORES = 1 << 21
"""Scores of one side of the pairs that are compared at a time."""


def _tukey_pvalues(scores: Floats, design: Design) -> Floats:
    """Return the p-values of Tukey's test of every pair of systems, NaN for a system that cannot be ranked.

    Tukey's test compares all systems of the table, even if the pairs are only those with a baseline. On the topics
    that all systems have, a pair may differ in the other direction than on those that the two have, so that p is
    also NaN for pairs with other topics.
    """
    ranked = coverage(scores).ranked
    of_ranked = tukey_pvalues(scores[ranked] if ranked.any() else scores, design.generator(), design.n_resamples)
    pvalues = np.full((len(scores), len(scores)), np.nan)
    pvalues[np.ix_(ranked, ranked)] = of_ranked
    return np.where(share_only_common(scores, ranked), pvalues, np.nan)


def compare_measures(
    table: ScoreTable, first: Ints, second: Ints, design: Design
) -> dict[str, tuple[Comparison, Floats]]:
    """Compare pairs of systems by every measure of a table; each measure is a family of comparisons of its own.

    Parameters, and the results by the name of the measure, are those of `compare_systems`. If lower is
    better by a measure, the lower score wins, and a system is greater, in the sense of the alternative, if its
    scores are lower.

    Raises
    ------
    InputError
        As `compare_systems`, with the name of the measure.
    """
    results = {}
    for measure in table.measures:
        try:
            if is_better_higher(measure):
                results[measure] = compare_systems(table.measure(measure), first, second, design)
            else:
                results[measure] = _compare_lower(table.measure(measure), first, second, design)
        except InputError as error:
            raise InputError(f"{measure}: {error.message}") from None
    return results


def smallest_possible(compared: Mapping[str, tuple[Comparison, Floats]], n_systems: int, design: Design) -> float:
    """Return the smallest p after the correction that any of the pairs can have on as many topics; 0 of no pair."""
    numbers = (comparison.n_a[~np.isnan(adjusted)] for comparison, adjusted in compared.values())
    least = (design.smallest_pvalue(int(n.max()), n_systems, len(n)) for n in numbers if len(n))
    return min(least, default=0.0)


def _compare_lower(scores: Floats, first: Ints, second: Ints, design: Design) -> tuple[Comparison, Floats]:
    opposite: dict[Alternative, Alternative] = {"greater": "less", "less": "greater", "two-sided": "two-sided"}
    lower = replace(design, alternative=opposite[design.alternative])
    comparison, adjusted = compare_systems(scores, first, second, lower)
    return replace(comparison, wins=comparison.losses, losses=comparison.wins), adjusted
