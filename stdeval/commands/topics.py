"""`stdeval topics`: how difficult each topic is for the runs."""

from __future__ import annotations

from collections.abc import Sequence

import click
import numpy as np

from stdeval.analysis import RELEVANT, relevant_documents, topic_difficulties
from stdeval.cli.helps import GroupedCommand
from stdeval.cli.inputs import judgments, takes_scores
from stdeval.cli.options import InputOptions, input_options
from stdeval.cli.output import OutputOptions, format_options, no_summary_option
from stdeval.cli.tables import as_typed, read_table, warn_of_set_aside
from stdeval.cli.types import option
from stdeval.formats.listing import SUMMARY, Cell, Field, Listing
from stdeval.measures.catalogue import DEFAULT_FACTORS
from stdeval.measures.names import is_better_higher
from stdeval.noise import decimals, rounded
from stdeval.stats.aggregates import moments
from stdeval.stats.difficulty import STATISTICS, pooled_statistics, share_low, share_zero, topic_statistics
from stdeval.stats.ranking import coverage
from stdeval.table import Bools, Floats

COLUMNS = (*STATISTICS, RELEVANT)


@click.command(
    "topics",
    cls=GroupedCommand,
    epilog="Example: stdeval topics -f table -m map --sort mean qrels.gz references/*.run.gz",
)
@input_options
@option(
    "--sort column",
    "Sort by a column; -COLUMN: the greatest first.",
    metavar="COLUMN",
    shell_complete=lambda context, option, start: [name for name in topic_columns("") if name.startswith(start)],
)
@option(
    "--split groups",
    "Group the topics by surprise: two halves, the middle half and the rest, or N groups (1 is the hardest).",
    str.lower,
    "hard-easy|middle-rest|N",
)
@no_summary_option
@format_options("a line per measure and topic, tabs between")
def command(
    inputs: InputOptions, column: str | None, groups: str | None, no_summary: bool, to: OutputOptions
) -> None:
    """Print the statistics of the scores on each topic, and its difficulty."""
    names = topic_columns(groups)
    # Without a column the order stays: all rows that are sorted together have the same measure.
    by = (column or names[0]).removeprefix("-")
    if by not in names:
        raise click.UsageError(f"--sort {column}: expected one of {', '.join(names)}, with - before it or without")
    place, falling = names.index(by), (column or "").startswith("-")
    table = as_typed(read_table(inputs, DEFAULT_FACTORS), inputs, to.format)
    qrels = None if takes_scores(inputs) else judgments(inputs)
    relevant = relevant_documents(qrels, table.topics, table.measures, inputs.level)
    warn_of_set_aside(coverage(table.values), table.systems, "left out of item_total")
    rows: list[list[Cell]] = []
    for measure in table.measures:
        every = table.measure(measure)
        is_scored: Bools = np.any(~np.isnan(every), axis=0)
        scored = np.flatnonzero(is_scored | ~is_scored.any())
        values, n_relevant = every[:, scored], relevant[measure][scored]
        # Computed first, since it takes much memory, as the rows of many topics do.
        summary = [] if no_summary else summary_rows(measure, values, n_relevant, groups)
        of_topics = topic_difficulties(measure, [table.topics[i] for i in scored], values, n_relevant, groups)
        # Without groups, the last column, that of the group, is left out.
        rows += sorted_rows([list(row) if groups else list(row[:-1]) for row in of_topics], place, falling)
        rows += summary
    to.write(Listing([Field(name) for name in names], rows, n_left=2))


def topic_columns(groups: str | None) -> list[str]:
    """Return the names of the columns; the last is the group if topics are grouped."""
    return ["measure", "topic", *COLUMNS, *(["group"] if groups else [])]


def summary_rows(measure: str, values: Floats, relevant: Floats, groups: str | None = None) -> list[list[Cell]]:
    """Return rows for all topics: the mean of each column, its standard deviation, least and greatest value."""
    statistics = topic_statistics(values, better_higher=is_better_higher(measure))
    columns = np.array(list((statistics | {RELEVANT: relevant}).values()))
    mean, sd, _ = moments(columns.T)
    mean[COLUMNS.index("zero")], mean[COLUMNS.index("low")] = share_zero(values.ravel()), share_low(values.ravel())
    least, greatest = (ufunc.reduce(columns, axis=1) for ufunc in (np.fmin, np.fmax))
    lines = {"": mean, ".sd": sd, ".min": least, ".max": greatest}
    no_group: list[Cell] = [""] if groups else []
    rows = [[measure, SUMMARY + suffix, *line.tolist(), *no_group] for suffix, line in lines.items()]
    n, *pooled = map(float, pooled_statistics(values).values())
    return [*rows, [measure, f"{SUMMARY}.scores", int(n), *pooled, np.nan, *no_group]]


def sorted_rows(rows: Sequence[list[Cell]], place: int, falling: bool = False) -> list[list[Cell]]:
    """Return rows sorted by one of their cells; equal ones keep their order, and missing ones come last."""
    missing = [row for row in rows if row[place] == "" or row[place] != row[place]]
    present = [row for row in rows if row[place] != "" and row[place] == row[place]]
    cells = [row[place] for row in present]
    numbers = [cell for cell in cells if not isinstance(cell, str)]
    # A column holds numbers only, or text only, such as the topics.
    keys = rounded(numbers, decimals(numbers)).tolist() if numbers else cells
    order = sorted(range(len(cells)), key=lambda i: keys[i], reverse=falling)
    return [present[i] for i in order] + missing
