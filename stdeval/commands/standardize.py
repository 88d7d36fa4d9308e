"""`stdeval standardize`: standardized scores, per topic and in the mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stdeval.commands.options import output_options, score_inputs, standardization_options, summary_options

if TYPE_CHECKING:
    from stdeval.commands.inputs import Inputs
    from stdeval.commands.standardization import Standardization
    from stdeval.commands.summaries import Summaries


@click.command("standardize")
@score_inputs
@standardization_options(schemes=("n",), raw=False)
@click.option("--raw", is_flag=True, help="Print the raw scores beside the standardized ones.")
@summary_options
@output_options
def command(
    inputs: Inputs,
    standardization: Standardization,
    summaries: Summaries,
    raw: bool,
    per_topic: bool,
    no_summary: bool,
    style: str,
    output_path: str | None,
) -> None:
    """Standardize the scores of runs.

    Each topic's scores are placed on the scale of what the reference runs achieved on it, by the factors
    that -F names; without -F the given runs are their own reference. Names have the scheme's letter before
    them: Nmap, ZP_10. A topic without factors is left out of the mean.
    """
    from stdeval.commands.blocks import blocks_of_table
    from stdeval.files import output
    from stdeval.formats.writers import write_blocks

    table = standardization.raw_scores(inputs)
    columns, standardized = standardization.side_by_side(table, raw=raw)
    blocks = summaries.added(columns, blocks_of_table(standardized, [column.kind for column in columns]))
    with output(output_path) as out:
        write_blocks(out, style, columns, blocks, per_topic=per_topic, summary=not no_summary)
