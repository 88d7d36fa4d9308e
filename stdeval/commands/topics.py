"""`stdeval topics`: how difficult each topic is for the runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import click
import numpy as np

from stdeval import analysis, noise
from stdeval.cli import options, scoring
from stdeval.cli.declarations import FiniteRange, stdeval_command
from stdeval.cli.options import option
from stdeval.cli.output import OutputOptions, format_options, no_summary_option
from stdeval.formats import SUMMARY
from stdeval.formats.listing import Cell, Field, Listing, is_missing
from stdeval.measures import catalogue
from stdeval.stats import aggregates, difficulty
from stdeval.table import Floats

COLUMNS = ("measure", "topic", *difficulty.STATISTICS, "rel", "group")


@stdeval_command("topics", "-f table -m map --sort mean qrels.gz references/*.run.gz")
@options.input_options_of_topics
@option(
    "--sort COLUMN by",
    "Sort by a column; -COLUMN: the greatest first.",
    # the order stays: all rows that are sorted together have the same measure
    default="measure",
    show_default=False,
    shell_complete=lambda context, option, start: [name for name in COLUMNS[:-1] if name.startswith(start)],
)
@option(
    "--split groups", "Group the topics by surprise; 1 is the hardest group.", str.lower, "hard-easy|middle-rest|N"
)
@option("--low X", "The column low is the share of scores of at most X.", FiniteRange(), default=difficulty.LOW)
@no_summary_option
@format_options("a line per measure and topic, tabs between")
def command(
    inputs: options.InputOptions, by: str, groups: str | None, low: float, no_summary: bool, to: OutputOptions
) -> None:
    """Print the statistics of the scores on each topic, and its difficulty."""
    names = COLUMNS if groups else COLUMNS[:-1]
    column = by.removeprefix("-")
    if column not in names:
        raise click.UsageError(f"--sort {by}: expected one of {', '.join(names)}, with - before it or without")
    table = scoring.as_typed(scoring.read_table(inputs, catalogue.DEFAULT_FACTORS), inputs, to.format)
    qrels = {} if scoring.takes_scores(inputs) else scoring.judgments(inputs)
    difficulties = analysis.topic_difficulties(table, qrels, groups, inputs.evaluation.level, low)
    rows: list[Sequence[Cell]] = []
    for measure, of_measure in groupby(difficulties, lambda row: row.measure):
        found = list(of_measure)
        scored = [row for row in found if row.n] or found
        rows += _sorted_rows(scored, names.index(column), descending=by.startswith("-"))
        rows += [] if no_summary else _summary_rows(measure, scored, table.measure(measure), low)
    to.write(Listing([Field(name) for name in names], [row[: len(names)] for row in rows], n_left=2))


def _summary_rows(measure: str, rows: Sequence[Sequence[Cell]], values: Floats, low: float) -> list[Sequence[Cell]]:
    """Return rows for all topics: the mean of each column, its standard deviation, least and greatest value."""
    columns = np.array([*zip(*rows, strict=True)][2:-1], dtype=np.float64)
    mean, sd, _ = aggregates.moments(columns.T)
    pooled = difficulty.pooled_statistics(values, low)
    for name in ("zero", "low"):
        mean[list(pooled).index(name)] = pooled[name]
    lines = {"": mean, ".sd": sd, ".min": np.fmin.reduce(columns, axis=1), ".max": np.fmax.reduce(columns, axis=1)}
    summaries = [[measure, SUMMARY + suffix, *line.tolist(), ""] for suffix, line in lines.items()]
    n, *others = map(float, pooled.values())
    return [*summaries, [measure, f"{SUMMARY}.scores", int(n), *others, np.nan, ""]]


def _sorted_rows(rows: Sequence[Sequence[Cell]], place: int, *, descending: bool) -> list[Sequence[Cell]]:
    """Return rows sorted by one of their cells; equal ones keep their order, and missing ones come last."""
    present = [row for row in rows if not is_missing(row[place])]
    cells = [row[place] for row in present]
    if not any(isinstance(cell, str) for cell in cells):
        cells = noise.rounded(cells, noise.decimals(cells)).tolist()
    order = sorted(range(len(cells)), key=lambda i: cells[i], reverse=descending)
    return [present[i] for i in order] + [row for row in rows if is_missing(row[place])]
