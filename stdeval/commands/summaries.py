"""What stands for all topics: the aggregates and the interval that the options ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from stdeval.formats.writers import SUMMARY, Block, Column
from stdeval.trec import sorted_topics

if TYPE_CHECKING:
    from stdeval.table import Floats


_EPSILON = {"egm", "egm-trec", "ehm"}


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
        if self.epsilon is not None and not _EPSILON.intersection(self.aggregates):
            raise click.UsageError("--epsilon is of the aggregates egm, egm-trec and ehm, expected one of them")
        if self.confidence is not None and "am" not in self.aggregates:
            raise click.UsageError("--ci is the interval of the arithmetic mean, expected -a am too")
        if self.confidence is None and self.method != "t":
            raise click.UsageError(f"--ci-method {self.method}: expected --ci LEVEL too, such as --ci 0.95")

    def added(self, columns: Sequence[Column], blocks: Sequence[Block]) -> list[Block]:
        """Blocks with the summaries asked for; that of am, with the counts, they have already."""
        scored = [place for place, column in enumerate(columns) if column.kind == "score"]
        if not scored or (set(self.aggregates) == {"am"} and self.confidence is None):
            return list(blocks)
        import numpy as np

        figures = self._figures(_stacked(blocks, scored))
        found = []
        for i, block in enumerate(blocks):
            summaries = dict(block.summaries) if "am" in self.aggregates else {}
            for where, values in figures.items():
                row = np.full(len(columns), np.nan)
                row[scored] = values[i]
                summaries[where] = row
            found.append(block._replace(summaries=summaries))
        return found

    def _figures(self, values: Floats) -> dict[str, Floats]:
        """What is asked for besides am of scores (systems, topics, columns), by what stands in the topic field."""
        from stdeval.commands.inputs import warn
        from stdeval.stats.aggregates import aggregate, harmonic_mean_undefined

        others = [name for name in dict.fromkeys(self.aggregates) if name != "am"]
        figures = self._interval(values) | {
            f"{SUMMARY}.{name}": aggregate(values, name, axis=1, epsilon=self.epsilon) for name in others
        }
        undefined = harmonic_mean_undefined(values, axis=1)
        if "hm" in others and undefined.any():
            warn(
                f"the harmonic mean (hm) is undefined for {int(undefined.sum())} of {undefined.size} means, "
                "those with a score of 0: left empty (ehm is defined)"
            )
        return figures

    def _interval(self, values: Floats) -> dict[str, Floats]:
        if self.confidence is None:
            return {}
        import numpy as np

        from stdeval.stats.intervals import bootstrap_interval, t_interval

        if self.method == "t":
            ends, drawn = t_interval(values, axis=1, level=self.confidence), ""
        else:
            rng = np.random.default_rng(self.seed)
            ends = bootstrap_interval(values, rng, axis=1, level=self.confidence, n_resamples=self.n_resamples)
            drawn = f".resamples={self.n_resamples}.seed={self.seed}"
        return {f"{SUMMARY}.ci_{end}{drawn}": value for end, value in zip(("low", "high"), ends, strict=True)}


def _stacked(blocks: Sequence[Block], places: Sequence[int]) -> Floats:
    import numpy as np

    topics = sorted_topics({topic for block in blocks for topic in block.topics})
    row = {topic: i for i, topic in enumerate(topics)}
    values = np.full((len(blocks), len(topics), len(places)), np.nan)
    for i, block in enumerate(blocks):
        values[i, [row[topic] for topic in block.topics]] = np.asarray(block.values)[:, places]
    return values
