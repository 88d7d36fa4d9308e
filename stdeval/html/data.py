"""The data of a report: scores, raw and standardized, facts about their origin, and statistics of them."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from stdeval.errors import InputError
from stdeval.measures.names import publication_name
from stdeval.noise import decimals, is_significant, rounded
from stdeval.plots.layout import short_names
from stdeval.stats.aggregates import arithmetic_mean, moments
from stdeval.stats.corrections import TukeyTest, significance_groups, single_alpha, tukey_test
from stdeval.stats.intervals import t_interval
from stdeval.stats.pairwise import Design, compare_systems
from stdeval.stats.ranking import Coverage, coverage, takes_part
from stdeval.stats.significance import Comparison, compare, pairs, topic_differences
from stdeval.table import Bools, Floats, Ints, ScoreTable

NAME_LIMIT = 80
"""Characters of the name of a run or topic on the page; longer names are shortened."""


@dataclass(frozen=True)
class Sources:
    """The origin of the scores: files, options and warnings."""

    command: str
    qrels: str | None
    runs: tuple[str, ...]
    factors: tuple[str, ...]
    options: str = ""
    judged: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    signature: str = ""


@dataclass(frozen=True)
class Settings:
    """The parameters of the statistics: confidence of t intervals, significance level, resamples and their seed."""

    confidence: float = 0.95
    alpha: float = 0.05
    n_resamples: int = 10_000
    seed: int = 0

    @property
    def tukey_level(self) -> float:
        """The level of the intervals of Tukey's test: they say the same as the significance groups."""
        return 1 - self.alpha

    @property
    def with_baseline(self) -> Design:
        """The design of the comparisons with a baseline: t tests, adjusted by Holm's method."""
        return Design(correction="holm", confidence=self.confidence)


@dataclass(frozen=True, eq=False)
class References:
    """Facts about the reference systems."""

    mean: Floats
    sd: Floats
    n_topics: int
    n_systems: tuple[int, int] | None
    n_constant: int = 0


@dataclass(frozen=True, eq=False)
class Kind:
    """One kind of scores, raw or standardized."""

    scheme: str
    table: ScoreTable

    @property
    def measure(self) -> str:
        """The main measure, such as ``map`` or ``Nmap``."""
        return self.table.measures[0]

    @property
    def name(self) -> str:
        """The name of the main measure as papers print it, such as ``AP`` or ``N-AP``."""
        return publication_name(self.measure)

    @property
    def scores(self) -> Floats:
        """Scores by the main measure, shape (n_systems, n_topics)."""
        return self.table.values[:, :, 0]

    @property
    def main_table(self) -> ScoreTable:
        """The scores by the main measure, as the figures of `stdeval.plots` take them."""
        return self.table.select(measures=[self.measure])


@dataclass(frozen=True, eq=False)
class Evaluated:
    """The data of a report, whose pictures and tests use the first measure, the main one."""

    raw: ScoreTable
    standardized: ScoreTable | None
    scheme: str
    references: References | None
    sources: Sources
    settings: Settings = Settings()
    baseline: int | None = None
    judged: Floats | None = None
    neutral: float = 0.5
    slope: float = 0.15
    censored: bool = True

    def with_warnings(self, warnings: tuple[str, ...]) -> Evaluated:
        """Return the same data with other warnings, some of which are about tests that need not be repeated."""
        changed = copy(self)  # with all that is cached; `replace` would drop it
        object.__setattr__(changed, "sources", replace(self.sources, warnings=warnings))
        return changed

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems as the page shows them: long names are shortened in the middle."""
        return tuple(short_names(self.raw.systems, NAME_LIMIT))

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The names of the topics as the page shows them."""
        return tuple(short_names(self.raw.topics, NAME_LIMIT))

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The raw scores and, if there are any, the standardized scores."""
        raw = Kind("raw", self.raw)
        return (raw,) if self.standardized is None else (raw, Kind(self.scheme, self.standardized))

    @property
    def main(self) -> Kind:
        """The scores that decide the order of the systems: the standardized ones if there are any."""
        return self.kinds[-1]

    @cached_property
    def _all(self) -> Floats:
        """Scores of all kinds, shape (n_systems, n_topics, n_kinds, n_measures)."""
        return np.stack([kind.table.values for kind in self.kinds], axis=2)

    @cached_property
    def coverage(self) -> Coverage:
        """The systems that can be ranked by all scores, and the common topics, (n_topics, n_kinds, n_measures)."""
        return coverage(self._all, among=takes_part(self.main.scores))

    @cached_property
    def comparable(self) -> Floats:
        """The scores of means, shape (n_systems, n_topics, n_kinds, n_measures)."""
        return self.coverage.comparable(self._all)

    @property
    def topic_counts(self) -> list[str]:
        """The number of topics behind the means of each system, or the smallest and largest if they differ."""
        return [f"{low}" if low == high else f"{low}-{high}" for low, high in _topic_ranges(self.comparable)]

    @cached_property
    def order(self) -> Ints:
        """The indices of the systems, by falling mean of the main scores, those that are not ranked last."""
        return np.lexsort((-self.compared_means(-1), ~self.coverage.ranked))

    def compared_means(self, j: int) -> Floats:
        """Return the mean of each system by the j-th kind of the main scores, without arithmetic noise."""
        scores = self.comparable[:, :, j, 0]
        return rounded(arithmetic_mean(scores), decimals(scores))

    @cached_property
    def topic_order(self) -> Ints:
        """The indices of the topics, by rising mean raw score of the systems: hard topics first."""
        means, _, _ = moments(self.kinds[0].scores)
        return np.argsort(rounded(means, decimals(self.kinds[0].scores)), kind="stable")

    @cached_property
    def tables(self) -> dict[str, ScoreTable]:
        """Scores by the main measure, by scheme, in the order of systems and topics."""
        systems = [self.raw.systems[i] for i in self.order]
        topics = [self.raw.topics[t] for t in self.topic_order]
        return {kind.scheme: kind.main_table.select(systems=systems, topics=topics) for kind in self.kinds}

    def mean_intervals(self) -> dict[str, tuple[Floats, Floats, Floats]]:
        """Return mean, low and high end of the interval of each system, by measure."""
        return {
            name: (arithmetic_mean(values), *t_interval(values, level=self.settings.confidence))
            for name, values in self.scores_of_means().items()
        }

    def scores_of_means(self) -> dict[str, Floats]:
        """Return the scores of means, shape (n_systems, n_topics), by measure, as `mean_intervals` has them."""
        measures = zip(*(kind.table.measures for kind in self.kinds), strict=True)
        return {
            name: self.comparable[:, :, j, k] for k, names in enumerate(measures) for j, name in enumerate(names)
        }

    @cached_property
    def tukey(self) -> tuple[TukeyTest | None, ...]:
        """Tukey's test of all pairs of ranked systems, by each kind of scores; None if there is nothing to test."""
        return tuple(self._tukey(j) for j in range(len(self.kinds)))

    def _tukey(self, j: int) -> TukeyTest | None:
        scores = self.ranked_scores(j)
        if len(scores) < 2 or not scores.size:
            return None
        return tukey_test(scores, np.random.default_rng(self.settings.seed), self.settings.n_resamples)

    def ranked_scores(self, j: int) -> Floats:
        """Return the j-th kind of scores of the ranked systems on the topics that all of them have."""
        scores = self.comparable[self.coverage.ranked, :, j, 0]
        return scores[:, ~np.isnan(scores).any(axis=0)]

    def groups(self, j: int) -> tuple[Ints, Ints] | None:
        """Return the first and last significance group of each system by the j-th kind; 0 if it is not ranked."""
        test, complete = self.tukey[j], self.ranked_scores(j)
        if test is None:
            return None
        means = rounded(complete.mean(axis=1), decimals(complete))
        first, last = np.zeros((2, len(self.raw.systems)), dtype=np.int64)
        ranked = self.coverage.ranked
        first[ranked], last[ranked] = significance_groups(means, test.pvalues, self.settings.alpha)
        return first, last


def _topic_ranges(scores: Floats) -> list[tuple[int, int]]:
    """Return the smallest and the largest number of topics of each system, among those above 0."""
    counts = (~np.isnan(scores)).sum(axis=1).reshape(len(scores), -1)
    high = counts.max(axis=1)
    low = np.min(counts, axis=1, where=counts > 0, initial=counts.max(initial=0))
    return list(zip(np.minimum(low, high).tolist(), high.tolist(), strict=True))

N_EXTREMES = 3
"""The number of topics shown on which a system gains or loses most."""


@dataclass(frozen=True, eq=False)
class Compared:
    """The other systems, compared with one system by one kind of scores."""

    kind: Kind
    against: int
    others: Ints
    comparison: Comparison
    adjusted: Floats
    low: Floats
    high: Floats
    level: float
    alpha: float

    @property
    def significant(self) -> Bools:
        """The systems that differ significantly from the one, shape (n_systems - 1,)."""
        return np.asarray(is_significant(self.adjusted, self.alpha))

    @property
    def outcomes(self) -> tuple[int, int, int, int]:
        """The numbers of systems that are significantly better, significantly worse, neither, or not tested."""
        is_tested, difference = ~np.isnan(self.adjusted), self.comparison.difference
        better, worse = self.significant & (difference > 0), self.significant & (difference < 0)
        parts = (better, worse, is_tested & ~better & ~worse, ~is_tested)
        n_better, n_worse, n_similar, n_untested = (int(part.sum()) for part in parts)
        return n_better, n_worse, n_similar, n_untested


def compared(evaluated: Evaluated) -> tuple[Compared, ...]:
    """Compare the systems with the baseline, or with the first of them, by each kind of scores."""
    if len(evaluated.raw.systems) < 2:
        return ()
    if evaluated.baseline is not None:
        return tuple(_with_baseline(evaluated, j, evaluated.baseline) for j in range(len(evaluated.kinds)))
    try:
        return tuple(_with_first(evaluated, j) for j in range(len(evaluated.kinds)))
    except InputError:
        return ()


def _with_baseline(evaluated: Evaluated, j: int, baseline: int) -> Compared:
    """Compare by paired t tests, with p-values adjusted by Holm's method, and intervals that hold together."""
    scores = evaluated.comparable[:, :, j, 0]
    others, same = pairs(len(scores), baseline)
    level = evaluated.settings.confidence
    comparison, adjusted = compare_systems(scores, others, same, evaluated.settings.with_baseline)
    single = single_alpha(comparison.pvalue, "bonferroni", 1 - level)
    ends = t_interval(topic_differences(scores[others], scores[same]), level=1 - single)
    return Compared(
        evaluated.kinds[j], baseline, others, comparison, adjusted, *ends, level, evaluated.settings.alpha
    )


def _with_first(evaluated: Evaluated, j: int) -> Compared:
    """Compare with the first system; since its scores have chosen it, all pairs count, as in Tukey's test."""
    kind, first = evaluated.kinds[j], int(evaluated.order[0])
    scores = evaluated.comparable[:, :, j, 0]
    others, same = pairs(len(scores), first)
    comparison = compare(scores[others], scores[same])
    adjusted, half = np.full((2, len(others)), np.nan)
    test, ranked = evaluated.tukey[j], evaluated.coverage.ranked
    level = evaluated.settings.tukey_level
    if test is not None:
        pvalues = test.pvalues[int(ranked[:first].sum())]
        adjusted[ranked[others]] = pvalues[np.arange(len(pvalues)) != int(ranked[:first].sum())]
        half[ranked[others]] = test.critical_difference(level)
    ends = comparison.difference - half, comparison.difference + half
    return Compared(kind, first, others, comparison, adjusted, *ends, level, evaluated.settings.alpha)


@dataclass(frozen=True)
class Claim:
    """Two systems compared by one kind of scores; differences are those of the better minus the worse one."""

    better: int
    worse: int
    scheme: str
    measure: str
    difference: float
    low: float
    high: float
    pvalue: float
    level: float
    is_significant: bool
    wins: int
    losses: int
    n: int
    lost: tuple[tuple[int, float], ...]
    leader: int | None


def claims(evaluated: Evaluated, results: tuple[Compared, ...]) -> tuple[Claim, ...]:
    """Return a claim about the two systems that matter most, by each kind of scores."""
    pair = [k for k in evaluated.order if results and results[-1].comparison.n_a[results[-1].others == k].any()]
    if not pair:
        return ()
    made = [_claim(evaluated, j, results[j], int(pair[0])) for j in range(len(results))]
    return tuple(made if made[0].better == made[-1].better else made[::-1])


def _claim(evaluated: Evaluated, j: int, results: Compared, other: int) -> Claim:
    k = int(np.flatnonzero(results.others == other)[0])
    comparison = results.comparison
    difference = float(comparison.difference[k])
    # systems with equal means keep the order in which all lists have them
    first = list(evaluated.order).index(other) < list(evaluated.order).index(results.against)
    is_first = difference > 0 or (difference == 0 and first)
    better, worse = (other, results.against) if is_first else (results.against, other)
    ends = (float(results.low[k]), float(results.high[k]))
    scores = evaluated.comparable[:, :, j, 0]
    by_topic = topic_differences(scores[better], scores[worse])
    worst = [t for t in np.argsort(np.nan_to_num(by_topic), kind="stable")[:N_EXTREMES] if by_topic[t] < 0]
    assert comparison.wins is not None and comparison.losses is not None  # topics are paired
    won, lost = int(comparison.wins[k]), int(comparison.losses[k])
    return Claim(
        better,
        worse,
        results.kind.scheme,
        results.kind.name,
        abs(difference),
        *(ends if is_first else (-ends[1], -ends[0])),
        float(results.adjusted[k]),
        results.level,
        bool(results.significant[k]),
        *((won, lost) if is_first else (lost, won)),
        int(comparison.n_a[k]),
        tuple((int(t), float(by_topic[t])) for t in worst),
        _leader(evaluated, j, (better, worse)),
    )


def _leader(evaluated: Evaluated, j: int, pair: tuple[int, int]) -> int | None:
    """Return the ranked system whose mean by the j-th kind is the highest, and higher than those of both."""
    means = evaluated.compared_means(j)
    among = np.where(evaluated.coverage.ranked, means, -np.inf)
    best = int(among.argmax())
    return best if among[best] > np.fmax.reduce(means[list(pair)]) else None
