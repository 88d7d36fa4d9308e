"""`stdeval topics`: how difficult each topic is for the runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from stdeval.commands.options import no_summary_option, output_option, score_inputs, style_option

if TYPE_CHECKING:
    from stdeval.commands.inputs import Inputs
    from stdeval.formats.writers import Field
    from stdeval.table import Floats


@click.command("topics")
@score_inputs
@click.option("--sort", "column", metavar="COLUMN", help="Sort by a column; -COLUMN: the greatest first.")
@click.option(
    "--groups",
    metavar="hard-easy|middle-rest|N",
    help="Label each topic with its group by falling surprise: two halves, the middle half and the rest, or N "
    "groups from 1, the hardest, on.",
)
@no_summary_option
@style_option("text: a line per measure and topic, tabs between; table: to read; csv: full precision.")
@output_option
def command(
    inputs: Inputs, column: str | None, groups: str | None, no_summary: bool, style: str, output_path: str | None
) -> None:
    """Print what the runs achieve on each topic, and its difficulty.

    Per measure and topic: the number of runs (n), the mean, sd, min, median and max of their scores, three
    difficulties (1-mean, 1-max and surprise, which is (max - mean) / sd), the shares of scores that are 0
    (zero) and at most 0.1 (low), and the number of relevant documents (rel). Lines with all for a topic have the
    mean over the topics, those with all.sd, all.min and all.max its spread.
    """
    from stdeval.files import output
    from stdeval.formats.writers import write_listing
    from stdeval.measures.catalogue import DEFAULT_FACTORS
    from stdeval.topics import sorted_rows, summary_rows, topic_fields, topic_rows

    fields = topic_fields(groups)
    place, falling = _place(column, fields)
    table = inputs.table(DEFAULT_FACTORS)
    relevant = _relevant(inputs, table.topics)
    rows = []
    for measure in table.measures:
        values = table.measure(measure)
        rows += sorted_rows(topic_rows(measure, table.topics, values, relevant, groups), place, falling)
        rows += [] if no_summary else summary_rows(measure, values, relevant, groups)
    with output(output_path) as out:
        write_listing(out, style, fields, rows, n_left=2)


def _place(column: str | None, fields: Sequence[Field]) -> tuple[int, bool]:
    """Where the column to sort by is, and whether the greatest comes first; without one the order stays."""
    names = [field.name for field in fields]
    name = (column or names[0]).removeprefix("-")
    if name not in names:
        raise click.UsageError(f"--sort {column}: expected one of {', '.join(names)}, with - before it or without")
    return names.index(name), (column or "").startswith("-")


def _relevant(inputs: Inputs, topics: Sequence[str]) -> Floats:
    import numpy as np

    if inputs.from_scores:
        return np.full(len(topics), np.nan)
    counts = [sum(judgment >= inputs.level for judgment in inputs.qrels[topic].values()) for topic in topics]
    return np.array(counts, dtype=np.float64)
