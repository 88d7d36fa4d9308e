"""`stdeval eval`: raw scores, as trec_eval prints them."""

from __future__ import annotations

import click

from stdeval.cli.helps import TrecEvalCommand
from stdeval.cli.inputs import evaluate_one_by_one, number_of_topics, origin_of, takes_scores, typed_order
from stdeval.cli.options import InputOptions, SummaryOptions, input_options, summary_options, why_no_best_run
from stdeval.cli.output import ScoresOutput, blocks_of_runs, columns_of_runs, scores_output_options
from stdeval.provenance import signature, stored_signature


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
    table, is_plain = None, summaries.are_means and printed.sort is None
    if takes_scores(inputs) or inputs.best is not None or not is_plain:
        from stdeval.cli import summaries as rows  # and numpy, without which runs are scored and listed
        from stdeval.cli import tables
    if takes_scores(inputs):
        table = tables.read_table(inputs, wanted=lambda name: True)
        names, columns, n_runs = table.measures, rows.columns_of_table(table), len(table.systems)
        blocks = rows.blocks_of_table(table, columns)
    else:
        evaluate = evaluate_one_by_one if inputs.best is None else tables.evaluate_best
        evaluated = evaluate(inputs, ["official"])
        names, n_runs = tuple(measure.name for measure in evaluated.measures), len(evaluated.names)
        columns, blocks = columns_of_runs(evaluated), blocks_of_runs(evaluated)
    line, origin = "", None
    if printed.wants_signature:
        origin = origin_of(inputs) if table is None else table.origin
        line = signature(names, origin) if table is None else stored_signature(names, origin, table.topics)
    printed.write(
        columns,
        blocks if is_plain else rows.arranged(blocks, columns, summaries, printed.sort),
        order=typed_order(inputs, names),
        several=n_runs > 1,
        n_topics=number_of_topics(inputs, table),
        signature=line,
        origin=origin,
        unmarked="" if table is None else why_no_best_run(None, table),
    )
