"""The data of a report: scores, raw and standardized, facts about their origin, and statistics of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from stdeval.formats.listing import topic_counts
from stdeval.plots.layout import shown
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.corrections import adjust, significance_groups, tukey_pvalues
from stdeval.stats.coverage import Coverage, coverage
from stdeval.stats.intervals import t_interval
from stdeval.stats.noise import decimals, rounded
from stdeval.stats.significance import Comparison, compare, pairs
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
    """The parameters of the statistics: confidence of intervals, significance level, resamples and their seed."""

    confidence: float = 0.95
    alpha: float = 0.05
    n_resamples: int = 10_000
    seed: int = 0


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
class Evaluated:
    """Scores of the same systems, topics and measures, raw and by one scheme.

    Parameters
    ----------
    raw, standardized : ScoreTable
        Measures in the same order. The first one is the main measure, which is looked at more closely.
    scheme : {"Z", "N", "U", "E", "M"}
    references : References
    sources : Sources
    settings : Settings
    baseline : int, optional
        The index of the system with which the others are compared.
    neutral : float
        The standardized score of a raw score that equals the mean of the references.
    slope : float
        A of scheme U, whose B is ``neutral``; the other schemes ignore it.
    censored : bool
        True if scores of scheme U are censored to [0, 1].
    """

    raw: ScoreTable
    standardized: ScoreTable
    scheme: str
    references: References
    sources: Sources
    settings: Settings = Settings()
    baseline: int | None = None
    neutral: float = 0.5
    slope: float = 0.15
    censored: bool = True

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems as the page shows them: long names are shortened in the middle."""
        return tuple(shown(name, NAME_LIMIT) for name in self.raw.systems)

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The names of the topics as the page shows them."""
        return tuple(shown(name, NAME_LIMIT) for name in self.raw.topics)

    @property
    def raw_name(self) -> str:
        """The name of the main measure, such as ``map``."""
        return self.raw.measures[0]

    @property
    def standardized_name(self) -> str:
        """The name of the main measure's standardized scores, such as ``Nmap``."""
        return self.standardized.measures[0]

    @property
    def raw_scores(self) -> Floats:
        """Raw scores by the main measure, shape (n_systems, n_topics)."""
        return self.raw.values[:, :, 0]

    @property
    def standardized_scores(self) -> Floats:
        """Standardized scores by the main measure, shape (n_systems, n_topics)."""
        return self.standardized.values[:, :, 0]

    @property
    def main_tables(self) -> dict[str, ScoreTable]:
        """Tables of the main measure by scheme, as the figures of `stdeval.plots` take them."""
        return {
            "raw": self.raw.select(measures=[self.raw_name]),
            self.scheme: self.standardized.select(measures=[self.standardized_name]),
        }

    @property
    def _both(self) -> Floats:
        """Raw and standardized scores, shape (n_systems, n_topics, 2, n_measures)."""
        return np.stack([self.raw.values, self.standardized.values], axis=2)

    @cached_property
    def coverage(self) -> Coverage:
        """The systems that can be ranked by all scores, and the common topics, shape (n_topics, 2, n_measures)."""
        return coverage(self._both)

    @cached_property
    def comparable(self) -> Floats:
        """The scores of means, raw and standardized, shape (n_systems, n_topics, 2, n_measures)."""
        return self.coverage.comparable(self._both)

    @cached_property
    def topic_counts(self) -> list[str] | None:
        """The number of topics of the means of each system, if it differs."""
        counts = (~np.isnan(self.comparable)).sum(axis=1)
        return topic_counts(counts.reshape(len(counts), -1).tolist())

    @cached_property
    def order(self) -> Ints:
        """The indices of the systems, by falling mean standardized score, those that are not ranked last."""
        scores = self.comparable[:, :, 1, 0]
        means = rounded(arithmetic_mean(scores), decimals(scores))
        return np.lexsort((-means, ~self.coverage.ranked))

    def mean_intervals(self) -> dict[str, tuple[Floats, Floats, Floats]]:
        """Return mean, low and high end of the interval of each system, by name of every measure.

        The names of raw and standardized scores alternate.
        """
        columns = {}
        for k, names in enumerate(zip(self.raw.measures, self.standardized.measures, strict=True)):
            for j, name in enumerate(names):
                values = self.comparable[:, :, j, k]
                columns[name] = (arithmetic_mean(values), *t_interval(values, level=self.settings.confidence))
        return columns

    def groups(self, scores: Floats) -> tuple[Ints, Ints] | None:
        """Return the first and the last significance group of each system, by Tukey's test; 0 if it is not ranked.

        None if there is no pair of ranked systems, or no topic for which all of them have scores.
        """
        ranked = np.flatnonzero(self.coverage.ranked)
        complete = scores[ranked][:, ~np.isnan(scores[ranked]).any(axis=0)]
        if len(ranked) < 2 or not complete.size:
            return None
        rng = np.random.default_rng(self.settings.seed)
        pvalues = tukey_pvalues(complete, rng, self.settings.n_resamples)
        means = rounded(complete.mean(axis=1), decimals(complete))
        first, last = np.zeros((2, len(scores)), dtype=np.int64)
        first[ranked], last[ranked] = significance_groups(means, pvalues, self.settings.alpha)
        return first, last

    def compare_with(self, baseline: int, scores: Floats) -> tuple[Ints, Comparison, Floats]:
        """Compare each other system with the baseline by paired t tests.

        Returns
        -------
        others : ndarray of int, shape (n_systems - 1,)
            The indices of the other systems.
        comparison : Comparison
        adjusted : ndarray, shape (n_systems - 1,)
            p-values adjusted by Holm's method.
        """
        others, same = pairs(len(scores), baseline)
        comparison = compare(scores[others], scores[same], level=self.settings.confidence)
        return others, comparison, adjust(comparison.pvalue, "holm")
