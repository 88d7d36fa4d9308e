"""The data of a report: scores, raw and standardized, facts about their origin, and statistics of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stdeval.errors import InputError
from stdeval.measures import names
from stdeval.noise import decimals, is_significant, rounded
from stdeval.plots import layout
from stdeval.stats import aggregates, corrections, pairwise, ranking

if TYPE_CHECKING:
    from stdeval.stats.pairwise import Comparison, Design, PairTests
    from stdeval.table import Bools, Floats, Ints, ScoreTable


N_EXTREMES = 3
"""The number of topics shown on which a system gains or loses most."""


@dataclass
class Sources:
    """The origin of the scores: files, options, numbers of judged and relevant documents by topic, and warnings."""

    command: str
    qrels: str | None
    runs: tuple[str, ...]
    factors: tuple[str, ...]
    options: str = ""
    judged: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    signature: str = ""


class References(NamedTuple):
    """Facts about the reference systems, by topic and of all topics."""

    mean: Floats
    sd: Floats
    n_topics: int
    n_systems: tuple[int, int] | None
    n_constant: int = 0


class Kind(NamedTuple):
    """One kind of scores, raw or standardized, and the first measure, the main one, with its name in papers."""

    scheme: str
    table: ScoreTable
    measure: str
    name: str
    scores: Floats


class Compared(NamedTuple):
    """Systems compared by one kind of scores: the pairs that were tested, and those of ``others`` with one system.

    ``pvalues``, adjusted, and ``halves``, of the intervals, have the shape (n_systems, n_systems). A joint
    correction has ``groups``, the first and the last significance group of each ranked system, from 1; else None.
    """

    kind: Kind
    tests: PairTests
    pvalues: Floats
    halves: Floats
    n_complete: int
    groups: Ints | None
    significant: Bools
    others: Ints
    comparison: Comparison
    adjusted: Floats
    low: Floats
    high: Floats

    def outcomes(self) -> list[int]:
        """Return how many systems are significantly better, significantly worse, neither, or not tested."""
        signs, untested = np.sign(self.comparison.difference[self.significant]), np.isnan(self.adjusted)
        return [int(n.sum()) for n in (signs > 0, signs < 0, ~self.significant & ~untested, untested)]


class Claim(NamedTuple):
    """Two systems compared by one kind of scores; differences are those of the better minus the worse one."""

    kind: Kind
    better: int
    worse: int
    difference: float
    low: float
    high: float
    pvalue: float
    is_significant: bool
    wins: int
    losses: int
    n: int
    by_topic: Floats
    lost: list[tuple[int, float]]
    leader: int | None


@dataclass(eq=False)
class Evaluated:
    """The data of a report, whose pictures and tests use the first measure, the main one.

    ``confidence`` is that of the t intervals of means; ``alpha`` and ``design`` are those of comparisons. Arrays of
    all scores have the shape (n_systems, n_topics, n_kinds, n_measures).
    """

    raw: ScoreTable
    standardized: ScoreTable | None
    scheme: str
    references: References | None
    sources: Sources
    baseline: int | None
    design: Design
    judged: Floats | None = None
    neutral: float = 0.5
    slope: float = 0.15
    censored: bool = True
    confidence: float = 0.95
    alpha: float = 0.05

    def __post_init__(self) -> None:
        # as the page shows them: long names are shortened in the middle
        self.systems, self.topics = (layout.short_names(each, 80) for each in (self.raw.systems, self.raw.topics))
        self.kinds = [
            Kind(scheme, table, table.measures[0], names.publication_name(table.measures[0]), table.values[:, :, 0])
            for scheme, table in (("raw", self.raw), (self.scheme, self.standardized))
            if table is not None
        ]
        # the standardized scores, if there are any, decide the order of the systems
        self.main = self.kinds[-1]
        scores = np.stack([kind.table.values for kind in self.kinds], axis=2)
        has_main = ~np.isnan(self.main.scores).all(axis=1)
        self.has = ~np.isnan(scores) & has_main[:, np.newaxis, np.newaxis, np.newaxis]
        # the systems that are compared, and the topics that are common to them
        self.ranked, self.common = ranking.comparable(self.has)
        # some ranked systems have scores for other topics, too
        self.is_reduced = bool((self.has[self.ranked] & ~self.common).any())
        self.comparable = ranking.on_common_topics(scores, self.ranked, self.common)
        # mean, low and high end of the interval of each system, by measure, raw beside standardized
        self.mean_intervals: dict[str, tuple[Floats, Floats, Floats]] = {}
        for k, measures in enumerate(zip(*(kind.table.measures for kind in self.kinds), strict=True)):
            for j, measure in enumerate(measures):
                each = self.comparable[:, :, j, k]
                ends = aggregates.t_interval(each, level=self.confidence)
                self.mean_intervals[measure] = aggregates.arithmetic_mean(each), *ends
        self.means = [
            rounded(self.mean_intervals[kind.measure][0], decimals(self.comparable[:, :, j, 0]))
            for j, kind in enumerate(self.kinds)
        ]
        # by falling mean of the main scores, those that are not ranked last
        self.order = np.lexsort((-self.means[-1], ~self.ranked))
        # the system with which the others are compared: the baseline, or the first
        self.against = int(self.order[0]) if self.baseline is None else self.baseline
        # by rising mean raw score of the systems: hard topics first
        topic_means, _, _ = aggregates.moments(self.kinds[0].scores)
        self.topic_order = np.argsort(rounded(topic_means, decimals(self.kinds[0].scores)), kind="stable")

    @cached_property
    def decided(self) -> Design:
        """The design of the comparisons, with its correction, and with intervals that match alpha."""
        matching = replace(self.design, confidence=1 - self.alpha)
        return matching.resolved(self.has, with_baseline=self.baseline is not None)

    @cached_property
    def results(self) -> list[Compared]:
        """All pairs, or those with the baseline, by each kind of scores; none if no pair has two topics."""
        n, ranked, is_baseline = len(self.systems), self.ranked, self.baseline is not None
        found = []
        for j, kind in enumerate(self.kinds):
            scores = self.comparable[:, :, j, 0]
            try:
                tests = pairwise.tested_pairs(scores, self.against, self.decided, is_baseline=is_baseline)
            except InputError:
                return []
            pvalues, halves = (tests.square(each, n) for each in (tests.adjusted, (tests.high - tests.low) / 2))
            groups, complete = None, scores[ranked][:, ~np.isnan(scores[ranked]).any(axis=0)]
            if self.decided.is_joint and complete.size:
                means = rounded(complete.mean(axis=1), decimals(complete))
                ends = corrections.significance_groups(means, pvalues[np.ix_(ranked, ranked)], self.alpha)
                groups = np.zeros((n, 2), dtype=np.int64)
                groups[ranked] = np.stack(ends, axis=1)
            with_one = tests.against(self.against)
            significant = is_significant(with_one[2], self.alpha)
            found.append(Compared(kind, tests, pvalues, halves, complete.shape[1], groups, significant, *with_one))
        return found

    @cached_property
    def claims(self) -> list[Claim]:
        """A claim about the two systems that matter most, by each kind of scores; the first is the answer."""
        results, order = self.results, self.order.tolist()
        sharing = [i for i in order if results and results[-1].comparison.n_a[results[-1].others == i].any()]
        made = []
        for j, by in enumerate(results if sharing else []):
            k, comparison = by.others.tolist().index(sharing[0]), by.comparison
            assert comparison.wins is not None and comparison.losses is not None  # topics are paired
            difference, low, high = float(comparison.difference[k]), float(by.low[k]), float(by.high[k])
            wins, losses = int(comparison.wins[k]), int(comparison.losses[k])
            better, worse = sharing[0], self.against
            # systems with equal means keep the order in which all lists have them
            if not (difference > 0 or (difference == 0 and order.index(better) < order.index(worse))):
                better, worse, low, high, wins, losses = worse, better, -high, -low, losses, wins
            by_topic = pairwise.topic_differences(*self.comparable[[better, worse], :, j, 0])
            worst = [t for t in np.argsort(np.nan_to_num(by_topic), kind="stable")[:N_EXTREMES] if by_topic[t] < 0]
            # another ranked system may have a higher mean than both
            means = self.means[j]
            among = np.where(self.ranked, means, -np.inf)
            leader = int(among.argmax()) if among.max() > np.fmax(means[better], means[worse]) else None
            of_test = float(by.adjusted[k]), bool(by.significant[k]), wins, losses, int(comparison.n_a[k])
            lost = [(int(t), float(by_topic[t])) for t in worst]
            of_topics = (by_topic, lost, leader)
            made.append(Claim(by.kind, better, worse, abs(difference), low, high, *of_test, *of_topics))
        return made if not made or made[0].better == made[-1].better else made[::-1]
