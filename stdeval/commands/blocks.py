"""Turn scores into the columns and blocks that `eval` and `standardize` write, with their summaries over topics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from stdeval import notices
from stdeval.commands.inputs import EvaluatedRuns
from stdeval.commands.summary_options import SummaryOptions
from stdeval.errors import warn
from stdeval.evaluation.run_scores import RunScores, summarize
from stdeval.formats.block_ranks import arithmetic_mean
from stdeval.formats.blocks import Block, Column
from stdeval.measures.facts import is_summed, kind_of
from stdeval.summary_rows import SUMMARY
from stdeval.trec.reading import sorted_topics

# numpy is imported where it is used: `eval` prints the scores of runs without it.
if TYPE_CHECKING:
    from stdeval.table import Floats, ScoreTable


def columns_of_runs(evaluated: EvaluatedRuns) -> list[Column]:
    """Return a column for each measure by which runs were evaluated."""
    return [Column(measure.name, measure.family.kind) for measure in evaluated.measures]


def columns_of_table(table: ScoreTable) -> list[Column]:
    """Return a column for each measure of a table, whose scores may have been standardized before."""
    return [Column(name, "count" if is_summed(name) else kind_of(name)) for name in table.measures]


def blocks_of_runs(evaluated: EvaluatedRuns) -> Iterator[Block]:
    """Return a block for each run, as it was evaluated, one at a time."""
    # Unlike a loop, map does not hold a run while the next one is scored.
    return map(_block_of_run, evaluated.runs, evaluated.names)


def _block_of_run(run: RunScores, name: str) -> Block:
    return Block(name, run.topics, run.rows, {SUMMARY: run.summary}, run.texts, run.unretrieved)


def blocks_of_table(
    table: ScoreTable, columns: Sequence[Column], unprinted: Mapping[str, frozenset[str]] = MappingProxyType({})
) -> Iterator[Block]:
    """Yield a block for each system, with the topics for which it has any score.

    Parameters
    ----------
    table : ScoreTable
    columns : sequence of Column
        One for each measure of the table.
    unprinted : mapping of str to frozenset of str
        System to the topics that have no lines of their own in text, see `Block`.
    """
    import numpy as np

    for system, values in zip(table.systems, table.values, strict=True):
        scored = np.flatnonzero(~np.isnan(values).all(axis=1))
        summary = summarize([column.kind for column in columns], values[scored].tolist())
        topics = [table.topics[i] for i in scored]
        yield Block(system, topics, values[scored], {SUMMARY: summary}, {}, unprinted.get(system, frozenset()))


def with_summaries(
    blocks: Iterable[Block],
    columns: Sequence[Column],
    options: SummaryOptions,
    intervals: Mapping[str, Floats] | None = None,
) -> Iterable[Block]:
    """Return the blocks with the summaries that the options ask for; one at a time if these are the means alone.

    The blocks already have their arithmetic means and counts. Other aggregates and the interval are computed for
    scores only, and get lines of their own.

    Parameters
    ----------
    blocks : iterable of Block
    columns : sequence of Column
    options : SummaryOptions
    intervals : mapping of str to ndarray, shape (n_blocks, n_columns), optional
        The lines of the intervals by topic field, if they are not those over topics.
    """
    places = [place for place, column in enumerate(columns) if column.kind == "score"]
    if not places or (set(options.aggregates) == {"am"} and options.confidence is None):
        return blocks
    import numpy as np

    blocks = list(blocks)
    scores = _scores_of(blocks, places)
    ends = _interval(scores, options) if intervals is None else {at: x[:, places] for at, x in intervals.items()}
    summaries = {**ends, **_aggregates(scores, options)}
    summarized = []
    for i, block in enumerate(blocks):
        lines = dict(block.summaries) if "am" in options.aggregates else {}
        for where, figures in summaries.items():
            line = np.full(len(columns), np.nan)
            line[places] = figures[i]
            lines[where] = line
        summarized.append(block._replace(summaries=lines))
    return summarized


def _scores_of(blocks: Sequence[Block], places: Sequence[int]) -> Floats:
    """Return the scores in some columns, shape (n_blocks, n_topics, n_places)."""
    import numpy as np

    from stdeval.table import rows_for

    topics = sorted_topics({topic for block in blocks for topic in block.topics})
    return np.stack([rows_for(np.asarray(block.values)[:, places], block.topics, topics) for block in blocks])


def _aggregates(scores: Floats, options: SummaryOptions) -> dict[str, Floats]:
    """Return sd and each aggregate except am by topic field, each of shape (n_blocks, n_places)."""
    from stdeval.stats.aggregates import AGGREGATES, aggregate, harmonic_mean_undefined, standard_deviation

    summaries = {}
    for name in dict.fromkeys(options.aggregates):
        if name == "hm":
            undefined = harmonic_mean_undefined(scores, axis=1)
            warn(notices.undefined_means(int(undefined.sum()), undefined.size))
        if name == "sd":
            summaries[f"{SUMMARY}.{name}"] = standard_deviation(scores, axis=1)
        elif name != "am":
            own = AGGREGATES[name].epsilon
            changed = own is not None and options.epsilon not in (None, own)
            epsilon = f".epsilon={options.epsilon:g}" if changed else ""
            summaries[f"{SUMMARY}.{name}{epsilon}"] = aggregate(scores, name, axis=1, epsilon=options.epsilon)
    return summaries


def average_of(topic: str | None, options: SummaryOptions) -> Callable[[Sequence[float]], float]:
    """Return the function that gives the mean of a topic field, such as ``all.gm``, from the scores of topics.

    It is that of the arithmetic mean if the topic field is None. Of no scores, it returns NaN.
    """
    if topic is None or topic == SUMMARY:
        return arithmetic_mean
    name = topic.split(".")[1]

    def average(scores: Sequence[float]) -> float:
        import numpy as np

        from stdeval.stats.aggregates import aggregate

        return float(aggregate(np.array(scores), name, epsilon=options.epsilon)) if scores else math.nan

    return average


def _interval(scores: Floats, options: SummaryOptions) -> dict[str, Floats]:
    if options.confidence is None:
        return {}
    import numpy as np

    from stdeval.stats.intervals import bootstrap_interval, t_interval

    drawn = options.level_named
    if options.interval_method == "t":
        ends = t_interval(scores, axis=1, level=options.confidence)
    else:
        rng, n = np.random.default_rng(options.seed), options.n_resamples
        ends = bootstrap_interval(scores, rng, axis=1, level=options.confidence, n_resamples=n)
        drawn += f".resamples={n}.seed={options.seed}"
    return {f"{SUMMARY}.ci_{end}{drawn}": values for end, values in zip(("low", "high"), ends, strict=True)}
