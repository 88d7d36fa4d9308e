"""`stdeval eval`: raw scores, as trec_eval prints them."""

from __future__ import annotations

import click

from stdeval.cli.inputs import evaluate_one_by_one, origin_of, read_table, takes_scores
from stdeval.cli.options import (
    InputOptions,
    SummaryOptions,
    TrecEvalCommand,
    input_options,
    summary_options,
    why_no_best_run,
)
from stdeval.cli.summaries import (
    ScoresOutput,
    blocks_of_runs,
    blocks_of_table,
    columns_of_runs,
    columns_of_table,
    raw_signature,
    scores_output_options,
    with_summaries,
)
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
    """Print the raw scores of runs, as trec_eval does."""
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
