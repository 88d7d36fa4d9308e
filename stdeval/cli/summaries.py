"""Summaries of the scores of runs over topics, and the order in which runs are printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from stdeval import notices
from stdeval.cli.options import SummaryOptions
from stdeval.errors import warn
from stdeval.evaluation import summarize
from stdeval.formats.listing import SUMMARY
from stdeval.formats.trec_eval_text import (
    Block,
    Column,
)
from stdeval.measures.names import is_summed, kind_of
from stdeval.stats.aggregates import AGGREGATES, aggregate, harmonic_mean_undefined, standard_deviation
from stdeval.stats.intervals import bootstrap_interval, t_interval
from stdeval.table import Floats, ScoreTable, rows_for
from stdeval.trec.reading import sorted_topics


def columns_of_table(table: ScoreTable) -> list[Column]:
    """Return a column for each measure of a table, whose scores may have been standardized before."""
    return [Column(name, "count" if is_summed(name) else kind_of(name)) for name in table.measures]


def blocks_of_table(
    table: ScoreTable, columns: Sequence[Column], unprinted: Mapping[str, frozenset[str]] = MappingProxyType({})
) -> Iterator[Block]:
    """Yield a block for each system, with the topics for which it has any score."""
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
) -> list[Block]:
    """Return the runs with the summaries that the options ask for."""
    blocks = list(blocks)
    places = [place for place, column in enumerate(columns) if column.kind == "score"]
    if options.are_means or not places:
        return blocks
    n = options.n_resamples
    topics = sorted_topics({topic for block in blocks for topic in block.topics})
    # shape (n_blocks, n_topics, n_places)
    scores = np.stack([rows_for(np.asarray(block.values)[:, places], block.topics, topics) for block in blocks])
    summaries = {at: ends[:, places] for at, ends in (intervals or {}).items()}
    if options.confidence is not None and intervals is None:
        drawn = options.level_named
        if options.interval_method == "t":
            low, high = t_interval(scores, axis=1, level=options.confidence)
        else:
            rng = np.random.default_rng(options.seed)
            low, high = bootstrap_interval(scores, rng, axis=1, level=options.confidence, n_resamples=n)
            drawn += f".resamples={n}.seed={options.seed}"
        summaries = {f"{SUMMARY}.ci_low{drawn}": low, f"{SUMMARY}.ci_high{drawn}": high}
    summaries |= _aggregates(scores, options)
    summarized = []
    for i, block in enumerate(blocks):
        lines = dict(block.summaries) if "am" in options.aggregates else {}
        for where, figures in summaries.items():
            line = np.full(len(columns), np.nan)
            line[places] = figures[i]
            lines[where] = line
        summarized.append(block._replace(summaries=lines))
    return summarized


def _aggregates(scores: Floats, options: SummaryOptions) -> dict[str, Floats]:
    """Return sd and each aggregate except am by topic field, each of shape (n_blocks, n_places)."""
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
