"""What stands for all topics: the aggregates and the interval that the options ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import click
import numpy as np

from stdeval.aggregate import AGGREGATES, aggregate
from stdeval.intervals import bootstrap_interval, t_interval
from stdeval.report import SUMMARY, Block, Column
from stdeval.table import Floats, sorted_topics


@dataclass(frozen=True)
class Summaries:
    """The options of aggregation: the aggregates, and the confidence interval of the arithmetic mean."""

    aggregates: tuple[str, ...]
    epsilon: float | None
    confidence: float | None
    method: str
    seed: int
    n_resamples: int

    def __post_init__(self) -> None:
        if self.epsilon is not None and all(AGGREGATES[name].epsilon is None for name in self.aggregates):
            raise click.UsageError("--epsilon is of the aggregates egm, egm-trec and ehm, expected one of them")
        if self.confidence is not None and "am" not in self.aggregates:
            raise click.UsageError("--ci is the interval of the arithmetic mean, expected -a am too")
        if self.confidence is None and self.method != "t":
            raise click.UsageError(f"--ci-method {self.method}: expected --ci LEVEL too, such as --ci 0.95")

    def added(self, columns: Sequence[Column], blocks: Sequence[Block]) -> list[Block]:
        """Blocks with the summaries asked for; that of am, with the counts, they have already."""
        scored = [place for place, column in enumerate(columns) if column.kind == "score"]
        if not scored:
            return list(blocks)
        figures = self._figures(_stacked(blocks, scored))
        found = []
        for i, block in enumerate(blocks):
            summaries = dict(block.summaries) if "am" in self.aggregates else {}
            for where, values in figures.items():
                summaries[where] = np.full(len(columns), np.nan)
                summaries[where][scored] = values[i]
            found.append(replace(block, summaries=summaries))
        return found

    def _figures(self, values: Floats) -> dict[str, Floats]:
        """What is asked for besides am of scores (systems, topics, columns), by what stands in the topic field."""
        others = [name for name in dict.fromkeys(self.aggregates) if name != "am"]
        return self._interval(values) | {
            f"{SUMMARY}.{name}": aggregate(values, name, axis=1, epsilon=self.epsilon) for name in others
        }

    def _interval(self, values: Floats) -> dict[str, Floats]:
        if self.confidence is None:
            return {}
        if self.method == "t":
            ends, drawn = t_interval(values, axis=1, level=self.confidence), ""
        else:
            rng = np.random.default_rng(self.seed)
            ends = bootstrap_interval(values, rng, axis=1, level=self.confidence, n_resamples=self.n_resamples)
            drawn = f".resamples={self.n_resamples}.seed={self.seed}"
        return {f"{SUMMARY}.ci_{end}{drawn}": value for end, value in zip(("low", "high"), ends, strict=True)}


def _stacked(blocks: Sequence[Block], places: Sequence[int]) -> Floats:
    topics = sorted_topics({topic for block in blocks for topic in block.topics})
    row = {topic: i for i, topic in enumerate(topics)}
    values = np.full((len(blocks), len(topics), len(places)), np.nan)
    for i, block in enumerate(blocks):
        values[i, [row[topic] for topic in block.topics]] = block.values[:, places]
    return values
