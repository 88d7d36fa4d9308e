"""Summaries of the scores of runs over topics, and the order in which runs are printed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import click
import numpy as np

from stdeval import errors, evaluation, notices
from stdeval.cli.options import SummaryOptions
from stdeval.formats.listing import largest_value, scored_topics, summary_of
from stdeval.formats.trec_eval_text import SUMMARY, Block, Column, is_mean
from stdeval.measures.names import canonical, is_better_higher, split_scheme
from stdeval.stats import aggregates, intervals, ranking
from stdeval.table import Floats, ScoreTable, rows_for
from stdeval.trec.reading import sorted_topics


def why_no_best_run(leave_out: str | None, table: ScoreTable) -> str:
    """Return the reason why standardized scores do not show the best run; empty if there is none."""
    made = table.origin.standardization if any(split_scheme(name)[0] for name in table.measures) else None
    if leave_out != "group" and (made is None or "leave-out:group" not in " ".join(made.adjustments)):
        return ""
    return "each group has other reference runs, which flatters a strong group"


def blocks_of_table(table: ScoreTable, columns: Sequence[Column]) -> Iterator[Block]:
    """Yield a block for each system, with the topics for which it has any score."""
    for system, values in zip(table.systems, table.values, strict=True):
        scored = np.flatnonzero(~np.isnan(values).all(axis=1))
        summary = evaluation.summarize([column.kind for column in columns], values[scored].tolist())
        topics, unretrieved = [table.topics[i] for i in scored], table.unretrieved.get(system, frozenset())
        yield Block(system, topics, values[scored], {SUMMARY: summary}, {}, unretrieved)


def with_summaries(
    blocks: Iterable[Block],
    columns: Sequence[Column],
    options: SummaryOptions,
    over_references: Mapping[str, Floats] | None = None,
) -> list[Block]:
    """Return the runs with the summaries that the options ask for."""
    blocks = list(blocks)
    places = [place for place, column in enumerate(columns) if column.kind == "score"]
    if options.are_means or not places:
        return blocks
    topics = sorted_topics({topic for block in blocks for topic in block.topics})
    # shape (n_blocks, n_topics, n_places)
    scores = np.stack([rows_for(np.asarray(block.values)[:, places], block.topics, topics) for block in blocks])
    summaries = {at: ends[:, places] for at, ends in (over_references or {}).items()}
    if options.confidence is not None and over_references is None:
        drawn = options.level_named
        if options.interval_method == "t":
            low, high = intervals.t_interval(scores, axis=1, level=options.confidence)
        else:
            rng, n = np.random.default_rng(options.seed), options.n_resamples
            low, high = intervals.bootstrap_interval(scores, rng, axis=1, level=options.confidence, n_resamples=n)
            drawn += f".resamples={n}.seed={options.seed}"
        summaries = {f"{SUMMARY}.ci_low{drawn}": low, f"{SUMMARY}.ci_high{drawn}": high}
    lines = [dict(block.summaries) if "am" in options.aggregates else {} for block in blocks]
    for where, figures in (summaries | _aggregates(scores, options)).items():
        whole = np.full((len(blocks), len(columns)), np.nan)
        whole[:, places] = figures
        for of_block, line in zip(lines, whole, strict=True):
            of_block[where] = line
    return [block._replace(summaries=of_block) for block, of_block in zip(blocks, lines, strict=True)]


def _aggregates(scores: Floats, options: SummaryOptions) -> dict[str, Floats]:
    summaries = {}
    for name in dict.fromkeys(options.aggregates):
        if name == "hm":
            undefined = (scores == 0).any(axis=1)
            errors.warn(notices.undefined_means(int(undefined.sum()), undefined.size))
        if name == "sd":
            summaries[f"{SUMMARY}.{name}"] = aggregates.moments(scores.swapaxes(0, 1))[1]
        elif name != "am":
            own = aggregates.AGGREGATES[name].epsilon
            changed = own is not None and options.epsilon not in (None, own)
            where = f"{SUMMARY}.{name}" + (f".epsilon={options.epsilon:g}" if changed else "")
            summaries[where] = aggregates.aggregate(scores, name, axis=1, epsilon=options.epsilon)
    return summaries


def sorted_by(
    sort: str | None, blocks: Iterable[Block], columns: Sequence[Column], epsilon: float | None
) -> Iterable[Block]:
    """Return runs from the best to the worst by a measure, if one is named; those that are not ranked come last."""
    if sort is None:
        return blocks
    blocks, by = list(blocks), _column_named(sort, columns).name
    place = [column.name for column in columns].index(by)
    scored = [scored_topics(columns, block, place) for block in blocks]
    # All runs can be ranked by their numbers of topics.
    ranked = [True] * len(blocks) if by == "num_q" else ranking.ranked_systems(scored)
    topics = {own for own, fair in zip(scored, ranked, strict=True) if fair}
    common = frozenset.intersection(*topics) if len(topics) > 1 and by != "num_q" else None
    aside = [block.label for block, fair in zip(blocks, ranked, strict=True) if not fair]
    if 0 < len(aside) < len(blocks):
        errors.warn(notices.incomplete_runs(aside, len(blocks), "sorted below the others"))
    elif common is not None:
        n_topics = len({topic for block in blocks for topic in block.topics})
        errors.warn(notices.common_topics(len(common), n_topics, "runs are sorted by these"))
    means = dict.fromkeys(topic for block in blocks for topic in block.summaries if is_mean(topic))
    known = [topic for topic in means if not all(math.isnan(summary_of(block, topic, place)) for block in blocks)]
    # The topic field of a mean names its aggregate, as in all.gm.
    is_plain = columns[place].kind != "score" or known[:1] in ([], [SUMMARY])
    name = "am" if is_plain else known[0].split(".")[1]

    def mean_of(block: Block) -> float:
        if known and not common:
            return summary_of(block, known[0], place)
        numbers = zip(block.topics, (float(row[place]) for row in block.values), strict=True)
        score_of = {topic: score for topic, score in numbers if not math.isnan(score)}
        scores = [score_of[topic] for topic in score_of if topic in (common or ())] or list(score_of.values())
        return float(aggregates.aggregate(np.array(scores), name, epsilon=epsilon)) if scores else math.nan

    own = list(map(mean_of, blocks))
    order = ranking.order_by_means(own, ranked, largest_value(blocks, place), better_higher=is_better_higher(by))
    return [blocks[i] for i in order]


def _column_named(text: str, columns: Sequence[Column]) -> Column:
    """Return the column of numbers that a text means, in any spelling of its measure."""
    named = {column.name: column for column in columns if column.kind != "text"}
    letters = {column.letter for column in columns} - {""}
    meant = [text, canonical(text), *(text[0] + canonical(text[1:]) for letter in letters if text[:1] == letter)]
    # The only form of a measure that is printed may be named without the letter of its scheme.
    of_measure = [column.name for column in columns if column.measure == canonical(text)]
    for name in [*meant, *(of_measure if len(of_measure) == 1 else [])]:
        if name in named:
            return named[name]
    raise click.UsageError(f"--sort {text}: expected a measure that is printed: {errors.listed(list(named), 20)}")
