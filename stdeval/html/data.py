"""The data of a report: scores, raw and standardized, facts about their origin, and statistics of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from stdeval.errors import InputError
from stdeval.measures.names import publication_name
from stdeval.noise import decimals, is_significant, rounded
from stdeval.plots.layout import short_names
from stdeval.stats.aggregates import arithmetic_mean, moments, t_interval
from stdeval.stats.corrections import significance_groups
from stdeval.stats.pairwise import Comparison, Design, PairTests, tested_pairs, topic_differences
from stdeval.stats.ranking import comparable, on_common_topics
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
    """One kind of scores, raw or standardized; the first measure is the main one."""

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


@dataclass(frozen=True, eq=False)
class Evaluated:
    """The data of a report, whose pictures and tests use the first measure, the main one.

    ``confidence`` is that of the t intervals of means; ``alpha`` and ``design`` are those of comparisons.
    """

    raw: ScoreTable
    standardized: ScoreTable | None
    scheme: str
    references: References | None
    sources: Sources
    baseline: int | None = None
    judged: Floats | None = None
    neutral: float = 0.5
    slope: float = 0.15
    censored: bool = True
    confidence: float = 0.95
    alpha: float = 0.05
    design: Design = Design(correction="default")  # noqa: RUF009  # frozen

    @cached_property
    def systems(self) -> list[str]:
        """The names of the systems as the page shows them: long names are shortened in the middle."""
        return short_names(self.raw.systems, 80)

    @cached_property
    def topics(self) -> list[str]:
        """The names of the topics as the page shows them."""
        return short_names(self.raw.topics, 80)

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
    def has(self) -> Bools:
        """The scores of systems that have main scores, shape (n_systems, n_topics, n_kinds, n_measures)."""
        is_scored = ~np.isnan(self.main.scores).all(axis=1)
        return ~np.isnan(self._all) & is_scored[:, np.newaxis, np.newaxis, np.newaxis]

    @cached_property
    def ranked(self) -> Bools:
        """The systems that are compared, shape (n_systems,)."""
        return comparable(self.has)[0]

    @cached_property
    def common(self) -> Bools:
        """The topics that are common to the ranked systems, shape (n_topics, n_kinds, n_measures)."""
        return comparable(self.has)[1]

    @cached_property
    def is_reduced(self) -> bool:
        """True if some ranked systems have scores for other topics, too."""
        return bool((self.has[self.ranked] & ~self.common).any())

    @cached_property
    def comparable(self) -> Floats:
        """The scores of means, shape (n_systems, n_topics, n_kinds, n_measures)."""
        return on_common_topics(self._all, self.ranked, self.common)

    @cached_property
    def order(self) -> Ints:
        """The indices of the systems, by falling mean of the main scores, those that are not ranked last."""
        return np.lexsort((-self.compared_means(-1), ~self.ranked))

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
    def mean_intervals(self) -> dict[str, tuple[Floats, Floats, Floats]]:
        """Mean, low and high end of the interval of each system, by measure, raw beside standardized."""
        intervals = {}
        for k, names in enumerate(zip(*(kind.table.measures for kind in self.kinds), strict=True)):
            for j, name in enumerate(names):
                scores = self.comparable[:, :, j, k]
                intervals[name] = arithmetic_mean(scores), *t_interval(scores, level=self.confidence)
        return intervals

    @cached_property
    def decided(self) -> Design:
        """The design of the comparisons, with its correction, and with intervals that match alpha."""
        matching = replace(self.design, confidence=1 - self.alpha)
        return matching.resolved(self.has, with_baseline=self.baseline is not None)

    @property
    def against(self) -> int:
        """The system with which the others are compared: the baseline, or the first."""
        return int(self.order[0]) if self.baseline is None else self.baseline

    @cached_property
    def tests(self) -> list[PairTests]:
        """All pairs, or those with the baseline, by each kind of scores; none if no pair has two topics."""
        is_baseline, scores = self.baseline is not None, np.moveaxis(self.comparable[..., 0], 2, 0)
        try:
            return [tested_pairs(each, self.against, self.decided, is_baseline=is_baseline) for each in scores]
        except InputError:
            return []

    def adjusted(self, j: int) -> Floats:
        """Return the adjusted p-value of each pair by the j-th kind, systems x systems; NaN if there is none."""
        return self.tests[j].square(self.tests[j].adjusted, len(self.raw.systems))

    def ranked_scores(self, j: int) -> Floats:
        """Return the j-th kind of scores of the ranked systems on the topics that all of them have."""
        scores = self.comparable[self.ranked, :, j, 0]
        return scores[:, ~np.isnan(scores).any(axis=0)]

    def groups(self, j: int) -> Ints | None:
        """Return the first and last significance group of each ranked system, by a joint correction; or 0."""
        ranked, complete = self.ranked, self.ranked_scores(j)
        if not (self.tests and self.decided.is_joint and complete.size):
            return None
        means = rounded(complete.mean(axis=1), decimals(complete))
        pvalues = self.adjusted(j)[np.ix_(ranked, ranked)]
        groups = np.zeros((len(self.raw.systems), 2), dtype=np.int64)
        groups[ranked] = np.stack(significance_groups(means, pvalues, self.alpha), axis=1)
        return groups


class Compared(NamedTuple):
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

    def outcomes(self) -> list[int]:
        """Return how many systems are significantly better, significantly worse, neither, or not tested."""
        signs, untested = np.sign(self.comparison.difference[self.significant]), np.isnan(self.adjusted)
        return [int(n.sum()) for n in (signs > 0, signs < 0, ~self.significant & ~untested, untested)]


def compared(evaluated: Evaluated) -> list[Compared]:
    """Return the comparisons with the baseline, or with the first system, by each kind of scores."""
    against, levels = evaluated.against, (evaluated.decided.confidence, evaluated.alpha)
    return [
        Compared(kind, against, *tests.against(against), *levels)
        for kind, tests in zip(evaluated.kinds, evaluated.tests, strict=False)
    ]


class Claim(NamedTuple):
    """Two systems compared by one kind of scores; differences are those of the better minus the worse one."""

    kind: Kind
    better: int
    worse: int
    difference: float
    low: float
    high: float
    pvalue: float
    level: float
    is_significant: bool
    wins: int
    losses: int
    n: int
    lost: list[tuple[int, float]]
    leader: int | None


def claims(evaluated: Evaluated, results: list[Compared]) -> list[Claim]:
    """Return a claim about the two systems that matter most, by each kind of scores."""
    order = evaluated.order.tolist()
    pair = [i for i in order if results and results[-1].comparison.n_a[results[-1].others == i].any()]
    made = []
    for j, by in enumerate(results if pair else []):
        k, comparison = by.others.tolist().index(pair[0]), by.comparison
        assert comparison.wins is not None and comparison.losses is not None  # topics are paired
        difference, low, high = float(comparison.difference[k]), float(by.low[k]), float(by.high[k])
        better, worse, wins, losses = pair[0], by.against, int(comparison.wins[k]), int(comparison.losses[k])
        # systems with equal means keep the order in which all lists have them
        if not (difference > 0 or (difference == 0 and order.index(better) < order.index(worse))):
            better, worse, low, high, wins, losses = worse, better, -high, -low, losses, wins
        scores = evaluated.comparable[:, :, j, 0]
        by_topic = topic_differences(scores[better], scores[worse])
        worst = [t for t in np.argsort(np.nan_to_num(by_topic), kind="stable")[:N_EXTREMES] if by_topic[t] < 0]
        # another ranked system may have a higher mean than both
        means = evaluated.compared_means(j)
        among = np.where(evaluated.ranked, means, -np.inf)
        leader = int(among.argmax()) if among.max() > np.fmax(means[better], means[worse]) else None
        of_test = float(by.adjusted[k]), by.level, bool(by.significant[k])
        lost = [(int(t), float(by_topic[t])) for t in worst]
        numbers = (wins, losses, int(comparison.n_a[k]))
        made.append(Claim(by.kind, better, worse, abs(difference), low, high, *of_test, *numbers, lost, leader))
    return made if not made or made[0].better == made[-1].better else made[::-1]
