"""The data of a report: scores, raw and standardized, facts about their origin, and statistics of them."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from stdeval.measures.publication import publication_name
from stdeval.noise import decimals, rounded
from stdeval.short_names import short_names
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.corrections import TukeyTest, significance_groups, tukey_test
from stdeval.stats.coverage import Coverage, coverage, takes_part
from stdeval.stats.intervals import t_interval
from stdeval.stats.moments import moments
from stdeval.stats.pairwise import Design
from stdeval.table import Floats, Ints, ScoreTable

NAME_LIMIT = 80
"""Characters of the name of a run or topic on the page; longer names are shortened."""


@dataclass(frozen=True)
class Sources:
    """The origin of the scores: files, options and warnings.

    Parameters
    ----------
    command : str
        The command line.
    qrels : str, optional
        None if the scores come from scores files.
    runs, factors : tuple of str
        Files of runs or scores, and of factors.
    options : str
        The options of the evaluation, in words.
    judged : mapping of str to (int, int)
        The number of judged and of relevant documents of each topic; empty without qrels.
    warnings : tuple of str
    signature : str
        The signature of all scores, see `stdeval.signature`.
    """

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
    """Facts about the reference systems.

    Parameters
    ----------
    mean, sd : ndarray, shape (n_topics,)
        Mean and standard deviation of their scores by the main measure on each topic; NaN for a topic without
        factors.
    n_topics : int
        Number of the evaluated topics that have factors.
    n_systems : (int, int), optional
        The least and the greatest number of references of a factor; None if they are not known.
    n_constant : int
        Number of topics on which all references have the same score by some measure.
    """

    mean: Floats
    sd: Floats
    n_topics: int
    n_systems: tuple[int, int] | None
    n_constant: int = 0


@dataclass(frozen=True, eq=False)
class Kind:
    """One kind of scores, raw or standardized.

    Parameters
    ----------
    scheme : str
        ``"raw"`` or the letter of the scheme.
    table : ScoreTable
        The scores; the first measure is the main one.
    """

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
    """The data of a report, whose pictures and tests use the first measure, the main one.

    Parameters
    ----------
    raw : ScoreTable
        Raw scores.
    standardized : ScoreTable, optional
        Standardized scores of the same systems, topics and measures, by one scheme; None if the scores are not
        standardized.
    scheme : {"Z", "N", "U", "E", "M", "raw"}
        ``"raw"`` if the scores are not standardized.
    references : References, optional
        None if the scores are not standardized.
    sources : Sources
    settings : Settings
    baseline : int, optional
        The index of the system with which the others are compared.
    judged : ndarray, shape (n_systems,), optional
        The mean share of the first ten documents of each system that are judged; None if it is not known.
    neutral : float
        The standardized score of a raw score that equals the mean of the references.
    slope : float
        A of scheme U, whose B is ``neutral``; the other schemes ignore it.
    censored : bool
        True if scores of scheme U are censored to [0, 1].
    """

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
        """The systems that can be ranked by all scores, and the common topics, (n_topics, n_kinds, n_measures).

        Systems without any score by the main measure have no rank.
        """
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
        """Return mean, low and high end of the interval of each system, by measure.

        Those of raw and standardized scores alternate.
        """
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
        """Return the first and last significance group of each system by the j-th kind; 0 if it is not ranked.

        None if there is no pair of ranked systems, or no topic for which all of them have scores.
        """
        test, complete = self.tukey[j], self.ranked_scores(j)
        if test is None:
            return None
        means = rounded(complete.mean(axis=1), decimals(complete))
        first, last = np.zeros((2, len(self.raw.systems)), dtype=np.int64)
        ranked = self.coverage.ranked
        first[ranked], last[ranked] = significance_groups(means, test.pvalues, self.settings.alpha)
        return first, last


def _topic_ranges(scores: Floats) -> list[tuple[int, int]]:
    """Return the smallest and the largest number of topics of each system, among those above 0.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics, n_kinds, n_measures)
        NaN is missing.
    """
    counts = (~np.isnan(scores)).sum(axis=1).reshape(len(scores), -1)
    high = counts.max(axis=1)
    low = np.min(counts, axis=1, where=counts > 0, initial=counts.max(initial=0))
    return list(zip(np.minimum(low, high).tolist(), high.tolist(), strict=True))
