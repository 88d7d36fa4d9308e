"""The output of commands that print the scores of runs: which rows, in which order and format.

This module loads no numpy, since `eval` runs through it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from stdeval import notices
from stdeval.cli.helps import completes, gathered, option
from stdeval.cli.inputs import EvaluatedRuns
from stdeval.cli.options import OutputOptions, SummaryOptions, format_options, no_summary_option
from stdeval.display import listed
from stdeval.errors import warn
from stdeval.evaluation import RunScores, summarize
from stdeval.files import output
from stdeval.formats.csv_rows import with_origin
from stdeval.formats.listing import SUMMARY, Listing
from stdeval.formats.trec_eval_text import (
    Block,
    Column,
    arithmetic_mean,
    can_be_ranked,
    listing_of_blocks,
    mean_to_sort_by,
    parts_of,
    sorted_blocks,
    topics_to_rank_on,
    write_trec_eval,
)
from stdeval.formats.writers import EXACT, MARKED
from stdeval.measures.names import canonical, is_summed, kind_of
from stdeval.trec.reading import sorted_topics

if TYPE_CHECKING:
    from stdeval.provenance import Origin
    from stdeval.table import Floats, ScoreTable

signature_option = option(
    "--signature signed",
    "Print a line to cite with the scores: version, measures, options, judgments and references.",
    is_flag=True,
)


def is_signed(to: OutputOptions, signed: bool) -> bool:
    """Return whether an output has the signature: if it is asked for, and always in markup."""
    return signed or to.format in MARKED


def columns_of_runs(evaluated: EvaluatedRuns) -> list[Column]:
    """Return a column for each measure by which runs were evaluated."""
    return [Column(measure.name, measure.family.kind) for measure in evaluated.measures]


def columns_of_table(table: ScoreTable) -> list[Column]:
    """Return a column for each measure of a table, whose scores may have been standardized before."""
    return [Column(name, "count" if is_summed(name) else kind_of(name)) for name in table.measures]


def blocks_of_runs(evaluated: EvaluatedRuns) -> Iterator[Block]:
    """Return a block for each run, as it was evaluated, one at a time."""

    def block(run: RunScores, name: str) -> Block:
        return Block(name, run.topics, run.rows, {SUMMARY: run.summary}, run.texts, run.unretrieved)

    # Unlike a loop, map does not hold a run while the next one is scored.
    return map(block, evaluated.runs, evaluated.names)


def blocks_of_table(
    table: ScoreTable, columns: Sequence[Column], unprinted: Mapping[str, frozenset[str]] = MappingProxyType({})
) -> Iterator[Block]:
    """Yield a block for each system, with the topics for which it has any score."""
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
    """Return the blocks with the summaries that the options ask for; one at a time if these are the means alone."""
    places = [place for place, column in enumerate(columns) if column.kind == "score"]
    if not places or (set(options.aggregates) == {"am"} and options.confidence is None):
        return blocks
    import numpy as np

    from stdeval.stats.intervals import bootstrap_interval, t_interval
    from stdeval.table import rows_for

    blocks, n = list(blocks), options.n_resamples
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


@dataclass(frozen=True)
class ScoresOutput:
    """The rows of scores that are printed, their order, and the output."""

    per_topic: bool
    summary: bool
    sort: str | None
    to: OutputOptions
    signed: bool = False

    @property
    def wants_signature(self) -> bool:
        """True if the signature of the scores is printed."""
        return is_signed(self.to, self.signed)

    def sorted(
        self, columns: Sequence[Column], blocks: Iterable[Block], summaries: SummaryOptions
    ) -> Iterable[Block]:
        """Return the runs from the best to the worst by the column that the options name, if they name one."""
        if self.sort is None:
            return blocks
        blocks, by = list(blocks), _column_named(self.sort, columns).name
        ranked = can_be_ranked(columns, blocks, by)
        aside = [block.label for block, fair in zip(blocks, ranked, strict=True) if not fair]
        common = topics_to_rank_on(columns, blocks, by)
        if 0 < len(aside) < len(blocks):
            warn(notices.incomplete_runs(aside, len(blocks), "sorted below the others"))
        elif common is not None:
            n_topics = len({topic for block in blocks for topic in block.topics})
            warn(notices.common_topics(len(common), n_topics, "runs are sorted by these"))
        topic = mean_to_sort_by(columns, blocks, by)
        # The topic field of a mean names its aggregate, as in all.gm.
        name = "" if topic in (None, SUMMARY) else str(topic).split(".")[1]

        def average(scores: Sequence[float]) -> float:
            import numpy as np

            from stdeval.stats.aggregates import aggregate

            return float(aggregate(np.array(scores), name, epsilon=summaries.epsilon)) if scores else math.nan

        return sorted_blocks(columns, blocks, by, average if name else arithmetic_mean)

    def write(
        self,
        columns: Sequence[Column],
        blocks: Iterable[Block],
        *,
        order: Sequence[int],
        several: bool,
        n_topics: int,
        signature: str = "",
        origin: Origin | None = None,
        unmarked: str = "",
    ) -> None:
        """Write the scores of runs, one block per run, of which there are one or several."""
        if self.to.format == "text":
            digits = 4 if self.to.digits is None else self.to.digits
            with output(self.to.path) as out:
                rows = {"per_topic": self.per_topic, "summary": self.summary}
                write_trec_eval(out, columns, blocks, headed=several, **rows, digits=digits, signature=signature)
            return
        listing_of = partial(
            listing_of_blocks,
            columns,
            output_format=self.to.format,
            order=order,
            per_topic=self.per_topic,
            summary=self.summary,
        )
        if self.to.format not in EXACT:
            listing = listing_of(list(blocks), n_topics=n_topics, unmarked=unmarked)
            self.to.write(listing._replace(signature=signature))
            return

        def listed(some: Sequence[Block]) -> Listing:
            listing = listing_of(some)
            if origin is not None and self.per_topic:
                listing = with_origin(listing, origin)
            return listing._replace(signature=signature)

        parts = chain.from_iterable(map(parts_of, blocks))
        # The first listing has the names of the columns, and no rows.
        self.to.write_parts(map(listed, chain([()], ([part] for part in parts))))


def _scores_output(
    per_topic: bool, no_summary: bool, sort: str | None, to: OutputOptions, signed: bool
) -> ScoresOutput:
    # trec_eval takes -n alone, and prints nothing.
    if no_summary and not per_topic and to.format != "text":
        raise click.UsageError("-n leaves nothing to print, expected -q too, for the scores of each topic")
    return ScoresOutput(per_topic, not no_summary, sort, to, signed)


scores_output_options = gathered(
    "printed",
    _scores_output,
    option("-q per_topic", "Also print the scores of each topic.", is_flag=True),
    no_summary_option,
    option(
        "--sort",
        "Sort runs by MEASURE, the best first, and incomplete runs last. With several summaries, the arithmetic "
        "mean decides, or the first if it is not among them. It is computed on the topics that all have if the "
        "topics of the runs differ.",
        metavar="MEASURE",
        shell_complete=completes("column"),
    ),
    signature_option,
    format_options("as trec_eval prints it"),
)
"""Give a command the options of the output of scores, as ``printed``, a `ScoresOutput`."""


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
    raise click.UsageError(f"--sort {text}: expected a measure that is printed: {listed(list(named), 20)}")
