"""The output of commands that print the scores of runs: which rows, in which order and format.

This module loads no numpy, since `eval` runs through it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from stdeval import notices
from stdeval.commands.blocks import average_of
from stdeval.commands.completion import complete_column
from stdeval.commands.input_options import InputOptions
from stdeval.commands.inputs import typed_order
from stdeval.commands.options import Command, OutputOptions, format_options, no_summary_option, stacked
from stdeval.commands.signatures import is_signed, number_of_topics, signature_option
from stdeval.commands.summary_options import SummaryOptions
from stdeval.display import listed
from stdeval.errors import warn
from stdeval.formats.block_listing import listing_of_blocks
from stdeval.formats.block_ranks import can_be_ranked, mean_to_sort_by, sorted_blocks, topics_to_rank_on
from stdeval.formats.blocks import Block, Column, parts_of
from stdeval.formats.csv_rows import with_origin
from stdeval.formats.listing import Listing
from stdeval.formats.trec_eval_text import write_trec_eval
from stdeval.formats.writers import EXACT
from stdeval.measures.names import canonical
from stdeval.outputs import output
from stdeval.provenance import Origin

if TYPE_CHECKING:
    from stdeval.table import ScoreTable


class ScoresOutput(NamedTuple):
    """The rows of scores that are printed, their order, and the output.

    Parameters
    ----------
    per_topic : bool
        Print the scores of single topics.
    summary : bool
        Print the figures over all topics.
    sort : str or None
        The measure by which runs are sorted, as it is typed.
    to : OutputOptions
    signed : bool
        Print the signature, which some formats always have.
    """

    per_topic: bool
    summary: bool
    sort: str | None
    to: OutputOptions
    signed: bool = False

    @property
    def wants_signature(self) -> bool:
        """True if the signature of the scores is printed."""
        return is_signed(self.to, self.signed)

    def write(
        self,
        inputs: InputOptions,
        columns: Sequence[Column],
        blocks: Iterable[Block],
        signature: str,
        origin: Origin,
        *,
        table: ScoreTable | None,
        summaries: SummaryOptions,
        several: bool,
        unmarked: str = "",
    ) -> None:
        """Write the scores of runs, one block per run, of which there are one or several.

        Text, CSV and JSON are written run by run, so that only the scores of one run are held at a time.

        The table has the raw scores; it is None if they are not held. The columns are in trec_eval's order, which
        its text keeps; any other format has them as they are typed. CSV and JSON with a signature also have the
        origin of each topic, which a digest of all topics cannot tell. Markdown and latex mark the best means,
        unless there is a reason why those of standardized scores are not.
        """
        if self.sort is not None:
            blocks = self._sorted(columns, list(blocks), _column_named(self.sort, columns).name, summaries)
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
            order=typed_order(inputs, [column.measure for column in columns]),
            per_topic=self.per_topic,
            summary=self.summary,
        )
        if self.to.format not in EXACT:
            listing = listing_of(list(blocks), n_topics=number_of_topics(inputs, table), unmarked=unmarked)
            self.to.write(listing._replace(signature=signature))
            return

        def listed(some: Sequence[Block]) -> Listing:
            listing = listing_of(some)
            if signature and self.per_topic:
                listing = with_origin(listing, origin)
            return listing._replace(signature=signature)

        parts = chain.from_iterable(map(parts_of, blocks))
        # The first listing has the names of the columns, and no rows.
        self.to.write_parts(map(listed, chain([()], ([part] for part in parts))))

    def _sorted(
        self, columns: Sequence[Column], blocks: Sequence[Block], by: str, summaries: SummaryOptions
    ) -> list[Block]:
        """Return the runs from the best to the worst by a column."""
        _warn_of_unranked(columns, blocks, by)
        return sorted_blocks(columns, blocks, by, average_of(mean_to_sort_by(columns, blocks, by), summaries))


def scores_output_options(command: Command) -> Command:
    """Give a command the options of the output of scores, as ``printed``, a `ScoresOutput`."""

    @stacked(
        click.option("-q", "per_topic", is_flag=True, help="Also print the scores of each topic."),
        no_summary_option,
        click.option(
            "--sort",
            metavar="MEASURE",
            shell_complete=complete_column,
            help="Sort runs by MEASURE, the best first, and incomplete runs last. With several summaries, the "
            "arithmetic mean decides, or the first if it is not among them. It is computed on the topics that all "
            "have if the topics of the runs differ.",
        ),
        signature_option,
        format_options("as trec_eval prints it"),
    )
    @functools.wraps(command)
    def with_scores_output(
        *, per_topic: bool, no_summary: bool, sort: str | None, to: OutputOptions, signed: bool, **others: Any
    ) -> Any:
        # trec_eval takes -n alone, and prints nothing.
        if no_summary and not per_topic and to.format != "text":
            raise click.UsageError("-n leaves nothing to print, expected -q too, for the scores of each topic")
        return command(printed=ScoresOutput(per_topic, not no_summary, sort, to, signed), **others)

    return with_scores_output


def _warn_of_unranked(columns: Sequence[Column], blocks: Sequence[Block], by: str) -> None:
    """Warn of incomplete runs, which are sorted below the others, or of means over the topics that all have."""
    ranked = can_be_ranked(columns, blocks, by)
    aside = [block.label for block, fair in zip(blocks, ranked, strict=True) if not fair]
    common = topics_to_rank_on(columns, blocks, by)
    if 0 < len(aside) < len(blocks):
        warn(notices.incomplete_runs(aside, len(blocks), "sorted below the others"))
    elif common is not None:
        n_topics = len({topic for block in blocks for topic in block.topics})
        warn(notices.common_topics(len(common), n_topics, "runs are sorted by these"))


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
