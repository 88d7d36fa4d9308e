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
from stdeval.cli.completion import complete_column
from stdeval.cli.helps import gathered, option
from stdeval.cli.inputs import EvaluatedRuns, judgments, origin_of, takes_scores
from stdeval.cli.options import InputOptions, OutputOptions, SummaryOptions, format_options, no_summary_option
from stdeval.display import listed
from stdeval.errors import warn
from stdeval.evaluation import RunScores, summarize
from stdeval.files import output
from stdeval.formats.listing import SUMMARY, Listing, with_origin
from stdeval.formats.trec_eval_text import (
    Block,
    Column,
    RunOrder,
    arithmetic_mean,
    listing_of_blocks,
    write_trec_eval,
)
from stdeval.formats.writers import EXACT, MARKED
from stdeval.measures.names import canonical, is_summed, kind_of
from stdeval.provenance import (
    Origin,
    Standardization,
    factors_digest,
    fit,
    lines_digest,
    scheme_with_parameters,
    signature,
    stored_signature,
)
from stdeval.trec.reading import sorted_topics

if TYPE_CHECKING:
    from stdeval.cli.options import StandardizationOptions
    from stdeval.standardization.factors import Factors
    from stdeval.table import Floats, ScoreTable

NO_ORIGIN = Origin()

signature_option = option(
    "--signature signed",
    "Print a line to cite with the scores: version, measures, options, judgments and references.",
    is_flag=True,
)


def is_signed(to: OutputOptions, signed: bool) -> bool:
    """Return whether an output has the signature: if it is asked for, and always in markup."""
    return signed or to.format in MARKED


def raw_signature(inputs: InputOptions, measures: Sequence[str], table: ScoreTable | None = None) -> str:
    """Return the signature of raw scores; the table has them if they come from files."""
    if table is None or not takes_scores(inputs):
        return signature(measures, origin_of(inputs))
    return stored_signature(table.select(measures=measures).measures, table.origin, table.topics)


def number_of_topics(inputs: InputOptions, table: ScoreTable | None = None) -> int:
    """Return the number of all judged topics or, if it is unknown, of topics with scores."""
    if table is None or not takes_scores(inputs):
        return len(judgments(inputs))
    return max(table.origin.n_judged, len(table.topics))


def standardized_signature(
    inputs: InputOptions,
    table: ScoreTable,
    schemes: Sequence[str],
    options: StandardizationOptions,
    factors: Factors | None,
) -> str:
    """Return the signature of scores by several schemes."""
    from stdeval.cli.standardizing import differences_of_inputs, groups_of
    from stdeval.standardization.factors import fit_factors, numbers_of_references
    from stdeval.standardization.leave_out import fit_others

    stored = table if takes_scores(inputs) else None
    origin, topics = (origin_of(inputs), None) if stored is None else (table.origin, table.topics)
    rounding = [] if options.digits is None else [f"round:{options.digits}"]
    if set(schemes) <= {"raw"}:
        if topics is not None:
            return stored_signature(table.measures, origin, topics, rounding)
        return signature(table.measures, origin, made=Standardization((), tuple(rounding)))
    leave_out, used = options.leave_out, fit_factors(table) if factors is None else factors
    # All topics of the judgments, so that a run with missing topics has the signature of one that has all.
    every = {*table.topics, *({} if stored else origin.judgments)}
    others = []
    if leave_out is None:
        numbers = numbers_of_references(used, every, table.measures).ravel().tolist()
    else:
        groups = groups_of(leave_out, table.systems)
        numbers = fit_others(table, groups).numbers_left
        named = [] if groups is None else zip(table.systems, groups, strict=True)
        digest = lines_digest(f"{system}\0{group}\n" for system, group in named)
        others = ["leave-out:run" if groups is None else f"leave-out:group({digest})"]
    fitted = () if factors is None else fit(differences_of_inputs(factors, inputs, table), factors, stored)
    letters = sorted({*schemes} - {"raw"})
    made = Standardization(
        tuple(scheme_with_parameters(scheme, options.A, options.B, options.censor) for scheme in letters),
        (*rounding, *others, *fitted),
        factors_digest(used, every, table.measures),
        min(numbers, default=0),
        max(numbers, default=0),
    )
    return signature(table.measures, origin, topics, made=made, has_raw="raw" in schemes)


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
        blocks = list(blocks)
        order = RunOrder(columns, blocks, _column_named(self.sort, columns).name)
        aside = [block.label for block, fair in zip(blocks, order.ranked, strict=True) if not fair]
        if 0 < len(aside) < len(blocks):
            warn(notices.incomplete_runs(aside, len(blocks), "sorted below the others"))
        elif order.common is not None:
            n_topics = len({topic for block in blocks for topic in block.topics})
            warn(notices.common_topics(len(order.common), n_topics, "runs are sorted by these"))
        # The topic field of a mean names its aggregate, as in all.gm.
        name = "" if order.topic in (None, SUMMARY) else str(order.topic).split(".")[1]

        def average(scores: Sequence[float]) -> float:
            import numpy as np

            from stdeval.stats.aggregates import aggregate

            return float(aggregate(np.array(scores), name, epsilon=summaries.epsilon)) if scores else math.nan

        return order.sorted(blocks, average if name else arithmetic_mean)

    def write(
        self,
        columns: Sequence[Column],
        blocks: Iterable[Block],
        *,
        order: Sequence[int],
        several: bool,
        n_topics: int,
        signature: str = "",
        origin: Origin = NO_ORIGIN,
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
            if signature and self.per_topic:
                listing = with_origin(listing, origin)
            return listing._replace(signature=signature)

        # The first listing has the names of the columns, and no rows.
        self.to.write_parts(map(listed, chain([()], ([block] for block in blocks))))


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
        shell_complete=complete_column,
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
