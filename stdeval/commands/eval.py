"""`stdeval eval`: raw scores, as trec_eval prints them."""

from __future__ import annotations

import click

from stdeval.commands.blocks import (
    blocks_of_runs,
    blocks_of_table,
    columns_of_runs,
    columns_of_table,
    with_summaries,
)
from stdeval.commands.input_options import InputOptions, input_options
from stdeval.commands.inputs import evaluate_one_by_one, read_table
from stdeval.commands.judgments import origin_of, takes_scores
from stdeval.commands.scores_output import ScoresOutput, scores_output_options
from stdeval.commands.signatures import raw_signature
from stdeval.commands.standardization_options import why_no_best_run
from stdeval.commands.summary_options import SummaryOptions, summary_options
from stdeval.commands.trec_eval_options import TrecEvalCommand
from stdeval.provenance import Origin


@click.command(
    "eval",
    cls=TrecEvalCommand,
    epilog="Example: stdeval eval -f table -m map -m P.5,10 qrels.gz new-a.run.gz new-b.run.gz",
)
@input_options
@summary_options
@scores_output_options
def command(
    inputs: InputOptions,
    summaries: SummaryOptions,
    printed: ScoresOutput,
) -> None:
    """Print the raw scores of runs, as trec_eval does.

    The text output for one run is that of trec_eval, byte for byte. Several runs are printed one after the
    other, each after a line with its runid. Without -m the official measures are computed. Summaries other than
    the mean have topics such as all.egm, and the limits of an interval have all.ci_low and all.ci_high.
    """
    if takes_scores(inputs):
        table = read_table(inputs, wanted=lambda name: True)
        names, columns, n_runs = table.measures, columns_of_table(table), len(table.systems)
        blocks = blocks_of_table(table, columns)
    else:
        table, evaluated = None, evaluate_one_by_one(inputs, ["official"])
        names = tuple(measure.name for measure in evaluated.measures)
        columns, blocks, n_runs = columns_of_runs(evaluated), blocks_of_runs(evaluated), len(evaluated.names)
    summarized = with_summaries(blocks, columns, summaries)
    signature = raw_signature(inputs, names, table) if printed.wants_signature else ""
    origin = (origin_of(inputs) if table is None else table.origin) if printed.wants_signature else Origin()
    unmarked = "" if table is None else why_no_best_run(None, table)
    printed.write(
        inputs,
        columns,
        summarized,
        signature,
        origin,
        table=table,
        summaries=summaries,
        several=n_runs > 1,
        unmarked=unmarked,
    )
