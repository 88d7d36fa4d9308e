"""`stdeval eval`: raw scores, as trec_eval prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stdeval.commands.options import output_options, score_inputs, summary_options

if TYPE_CHECKING:
    from stdeval.commands.inputs import Inputs
    from stdeval.commands.summaries import Summaries


@click.command("eval")
@score_inputs
@summary_options
@output_options
def command(
    inputs: Inputs, summaries: Summaries, per_topic: bool, no_summary: bool, style: str, output_path: str | None
) -> None:
    """Print the raw scores of runs, as trec_eval does.

    One run's text is trec_eval's, byte for byte; several runs are printed one after the other, each after
    a line with its runid. Without -m the official measures are computed. The lines of other aggregates than
    the arithmetic mean have all.egm and so on for a topic, and those of its interval all.ci_low, all.ci_high.
    """
    from stdeval.commands.blocks import blocks_of_runs, blocks_of_table, columns_of_measures, columns_of_table
    from stdeval.files import output
    from stdeval.formats.writers import write_blocks

    if inputs.from_scores:
        table = inputs.table((), wanted=lambda name: True)
        columns, blocks = columns_of_table(table), blocks_of_table(table)
    else:
        measures, runs, names = inputs.evaluated(["official"])
        columns, blocks = columns_of_measures(measures), blocks_of_runs(runs, names)
    with output(output_path) as out:
        write_blocks(
            out, style, columns, summaries.added(columns, blocks), per_topic=per_topic, summary=not no_summary
        )
