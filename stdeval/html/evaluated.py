"""What a report is made of: scores, raw and standardized, and where they come from."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from stdeval.errors import InputWarning
from stdeval.plots.layout import shown
from stdeval.standardization import align
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.corrections import adjust, significance_groups, tukey_pvalues
from stdeval.stats.intervals import t_interval
from stdeval.stats.significance import Comparison, compare, pairs
from stdeval.table import Factors, Floats, Ints, ScoreTable

LONGEST_NAME = 80


@dataclass(frozen=True)
class Sources:
    """The files, and how the runs were evaluated; ``judged`` has by topic the judged and relevant documents."""

    command: str
    qrels: str | None
    runs: tuple[str, ...]
    factors: tuple[str, ...]
    options: str = ""
    judged: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settings:
    """The statistics: confidence of intervals, level of significance, and what is drawn at random."""

    confidence: float = 0.95
    alpha: float = 0.05
    n_resamples: int = 10_000
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Evaluated:
    """Scores of the same systems, topics and measures, raw and by one scheme.

    Parameters
    ----------
    raw, standardized : ScoreTable
        Measures in the same order; the first is the one that is looked at more closely.
    scheme : {"Z", "N", "U", "E"}
    factors : Factors
        What was standardized with; of at least these measures.
    sources : Sources
    settings : Settings
    baseline : int, optional
        The index of the system that the others are compared with.
    uniform : mapping
        The parameters A, B and censor of scheme U.
    """

    raw: ScoreTable
    standardized: ScoreTable
    scheme: str
    factors: Factors
    sources: Sources
    settings: Settings = Settings()
    baseline: int | None = None
    uniform: Mapping[str, Any] = field(default_factory=dict)

    @property
    def measure(self) -> str:
        """The measure that is looked at more closely."""
        return self.raw.measures[0]

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems' names as they are shown: long ones shortened in the middle."""
        return tuple(shown(name, LONGEST_NAME) for name in self.raw.systems)

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The topics' names as they are shown."""
        return tuple(shown(name, LONGEST_NAME) for name in self.raw.topics)

    @property
    def neutral(self) -> float:
        """The standardized score of what the references achieve on average."""
        return {"Z": 0.0, "U": float(self.uniform.get("B", 0.5))}.get(self.scheme, 0.5)

    @property
    def main(self) -> dict[str, Floats]:
        """The scores by it, shape (n_systems, n_topics), by their name."""
        return {table.measures[0]: table.values[:, :, 0] for table in (self.raw, self.standardized)}

    @property
    def order(self) -> Ints:
        """The systems by falling mean standardized score."""
        return np.argsort(-arithmetic_mean(self.standardized.values[:, :, 0]), kind="stable")

    @property
    def reference_moments(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the reference scores of each topic, by the main measure."""
        found = [
            align(array, self.factors, self.raw.topics, [self.measure])[:, 0]
            for array in (self.factors.mean, self.factors.sd)
        ]
        return found[0], found[1]

    def columns(self) -> dict[str, tuple[Floats, Floats, Floats]]:
        """By name of every measure, raw and standardized: mean and interval of each system."""
        found = {}
        for raw, standardized in zip(self.raw.measures, self.standardized.measures, strict=True):
            for table, name in ((self.raw, raw), (self.standardized, standardized)):
                values = table.measure(name)
                found[name] = (arithmetic_mean(values), *t_interval(values, level=self.settings.confidence))
        return found

    def groups(self, scores: Floats) -> tuple[Ints, Ints] | None:
        """Significance groups by Tukey's test; None where there is no pair, or no topic that all have."""
        complete = scores[:, ~np.isnan(scores).any(axis=0)]
        if len(scores) < 2 or not complete.size:
            return None
        rng = np.random.default_rng(self.settings.seed)
        pvalues = tukey_pvalues(complete, rng, self.settings.n_resamples)
        return significance_groups(complete.mean(axis=1), pvalues, self.settings.alpha)

    def compared(self, scores: Floats, baseline: int) -> tuple[Ints, Comparison, Floats]:
        """The other systems, each against the baseline by paired t tests, and p adjusted by Holm's method."""
        others, same = pairs(len(scores), baseline)
        found = compare(scores[others], scores[same], level=self.settings.confidence)
        untested = np.isnan(found.pvalue)
        if untested.any():
            warnings.warn(
                f"{int(untested.sum())} of {untested.size} comparisons have fewer than two topics: no test",
                InputWarning,
                stacklevel=2,
            )
        return others, found, adjust(found.pvalue, "holm")
