"""`stdeval eval`: raw scores, as trec_eval prints them."""

from __future__ import annotations

import click

from stdeval.cli.helps import TrecEvalCommand
from stdeval.cli.inputs import evaluate_one_by_one, origin_of, read_table, takes_scores, typed_order
from stdeval.cli.options import InputOptions, SummaryOptions, input_options, summary_options, why_no_best_run
from stdeval.cli.summaries import (
    NO_ORIGIN,
    ScoresOutput,
    blocks_of_runs,
    blocks_of_table,
    columns_of_runs,
    columns_of_table,
    number_of_topics,
    raw_signature,
    scores_output_options,
    with_summaries,
)


@click.command(
    "eval",
    cls=TrecEvalCommand,
    epilog="Example: stdeval eval -f table -m map -m P.5,10 qrels.gz new-a.run.gz new-b.run.gz",
)
@input_options
@summary_options
@scores_output_options
def command(inputs: InputOptions, summaries: SummaryOptions, printed: ScoresOutput) -> None:
    """Print the raw scores of runs, as trec_eval does."""
    if takes_scores(inputs):
        table = read_table(inputs, wanted=lambda name: True)
        names, columns, n_runs = table.measures, columns_of_table(table), len(table.systems)
        blocks = blocks_of_table(table, columns)
    else:
        table, evaluated = None, evaluate_one_by_one(inputs, ["official"])
        names = tuple(measure.name for measure in evaluated.measures)
        columns, blocks, n_runs = columns_of_runs(evaluated), blocks_of_runs(evaluated), len(evaluated.names)
    ordered = printed.sorted(columns, with_summaries(blocks, columns, summaries), summaries)
    signed = printed.wants_signature
    printed.write(
        columns,
        ordered,
        order=typed_order(inputs, names),
        several=n_runs > 1,
        n_topics=number_of_topics(inputs, table),
        signature=raw_signature(inputs, names, table) if signed else "",
        origin=(origin_of(inputs) if table is None else table.origin) if signed else NO_ORIGIN,
        unmarked="" if table is None else why_no_best_run(None, table),
    )
