"""`stdeval topics`: how difficult each topic is for the runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from stdeval.commands.options import no_summary_option, output_option, score_inputs, style_option
from stdeval.files import output
from stdeval.formats.writers import SUMMARY, Cell, Field, write_listing
from stdeval.measures.catalogue import DEFAULT_FACTORS

if TYPE_CHECKING:
    from stdeval.commands.inputs import Inputs
    from stdeval.table import Floats

# numpy, and modules that need it, are imported by the functions below, because --help must not load them.

RELEVANT = "rel"
"""The column of the number of relevant documents."""

WHOLE = ("n", RELEVANT)
"""The columns of counts, which are printed without decimals."""


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
    fields = topic_fields(groups)
    place, falling = _sort_key(column, fields)
    table = inputs.table(DEFAULT_FACTORS)
    relevant = _relevant(inputs, table.topics)
    rows = []
    for measure in table.measures:
        values = table.measure(measure)
        rows += sorted_rows(topic_rows(measure, table.topics, values, relevant, groups), place, falling)
        rows += [] if no_summary else summary_rows(measure, values, relevant, groups)
    with output(output_path) as out:
        write_listing(out, style, fields, rows, n_left=2)


def topic_fields(groups: str | None) -> list[Field]:
    """Return the columns of the listing; there is one of groups if topics are grouped."""
    from stdeval.stats.difficulty import STATISTICS

    return [Field(name) for name in ("measure", "topic", *STATISTICS, RELEVANT, *(["group"] if groups else []))]


def _sort_key(column: str | None, fields: Sequence[Field]) -> tuple[int, bool]:
    """Return the position of the column to sort by, and True if the greatest value comes first.

    If no column is given, it is the measure, which leaves the order of the topics as it is.
    """
    names = [field.name for field in fields]
    name = (column or names[0]).removeprefix("-")
    if name not in names:
        raise click.UsageError(f"--sort {column}: expected one of {', '.join(names)}, with - before it or without")
    return names.index(name), (column or "").startswith("-")


def _relevant(inputs: Inputs, topics: Sequence[str]) -> Floats:
    """Return the number of relevant documents of each topic; NaN if there are no qrels to count them in."""
    import numpy as np

    if inputs.from_scores:
        return np.full(len(topics), np.nan)
    counts = [sum(judgment >= inputs.level for judgment in inputs.qrels[topic].values()) for topic in topics]
    return np.array(counts, dtype=np.float64)


def topic_rows(
    measure: str, topics: Sequence[str], values: Floats, relevant: Floats, groups: str | None = None
) -> list[list[Cell]]:
    """Return one row per topic, by one measure.

    Parameters
    ----------
    measure : str
    topics : sequence of str
    values : ndarray, shape (n_systems, n_topics)
        Scores; NaN is missing.
    relevant : ndarray, shape (n_topics,)
        Numbers of relevant documents; NaN where they are not known.
    groups : str, optional
        How to group the topics by their surprise, see `stdeval.stats.difficulty.topic_groups`.

    Returns
    -------
    list of rows
        With the cells of `topic_fields`.

    Examples
    --------
    >>> import numpy as np
    >>> topic_rows("map", ["301"], np.array([[0.25], [0.75]]), np.array([12.0]))[0][:4]
    ['map', '301', 2, 0.5]
    """
    from stdeval.stats.difficulty import topic_groups, topic_statistics

    columns = topic_statistics(values) | {RELEVANT: relevant}
    cells: list[Sequence[Cell]] = [
        [int(value) if name in WHOLE and not math.isnan(value) else value for value in column.tolist()]
        for name, column in columns.items()
    ]
    if groups:
        cells.append(topic_groups(columns["surprise"], groups))
    return [[measure, *row] for row in zip(topics, *cells, strict=True)]


def summary_rows(measure: str, values: Floats, relevant: Floats, groups: str | None = None) -> list[list[Cell]]:
    """Return rows over all topics: mean, standard deviation, least and greatest value of each column.

    In the row of means, the shares of zero and low scores are those of all scores together (Ravana & Moffat 2009,
    Table 2). Parameters and cells are those of `topic_rows`.

    Examples
    --------
    >>> import numpy as np
    >>> rows = summary_rows("map", np.array([[0.25, 0.5], [0.75, 0.0]]), np.array([12.0, 4.0]))
    >>> [row[1] for row in rows], rows[0][3], rows[0][-3:]
    (['all', 'all.sd', 'all.min', 'all.max'], 0.375, [0.25, 0.25, 8.0])
    """
    import numpy as np

    from stdeval.stats.difficulty import share_low, share_zero, topic_statistics
    from stdeval.stats.moments import moments

    by_name = topic_statistics(values) | {RELEVANT: relevant}
    names, columns = list(by_name), np.array(list(by_name.values()))
    mean, sd, _ = moments(columns.T)
    # Runs may miss topics, so that the mean of the topics' shares is not the share of all scores.
    mean[names.index("zero")], mean[names.index("low")] = share_zero(values.ravel()), share_low(values.ravel())
    least, greatest = (ufunc.reduce(columns, axis=1) for ufunc in (np.fmin, np.fmax))
    lines = {"": mean, ".sd": sd, ".min": least, ".max": greatest}
    blank: list[Cell] = [""] if groups else []
    return [[measure, SUMMARY + suffix, *line.tolist(), *blank] for suffix, line in lines.items()]


def sorted_rows(rows: Sequence[list[Cell]], place: int, falling: bool = False) -> list[list[Cell]]:
    """Return the rows sorted by one of their cells; equal ones keep their order, and missing ones come last.

    Examples
    --------
    >>> sorted_rows([["a", 0.1], ["b", math.nan], ["c", 0.3]], 1, falling=True)
    [['c', 0.3], ['a', 0.1], ['b', nan]]
    """
    present = [row for row in rows if row[place] != "" and row[place] == row[place]]  # NaN differs from itself
    missing = [row for row in rows if row[place] == "" or row[place] != row[place]]
    return sorted(present, key=lambda row: row[place], reverse=falling) + missing
