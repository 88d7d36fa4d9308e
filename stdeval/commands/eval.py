"""`stdeval eval`: raw scores, as trec_eval prints them."""

from __future__ import annotations

from stdeval.cli import standardizing, summarizing, tables
from stdeval.cli.declarations import TrecEvalCommand, stdeval_command
from stdeval.cli.inputs import evaluate_one_by_one, number_of_topics, takes_scores, typed_order
from stdeval.cli.options import InputOptions, SummaryOptions, input_options, summary_options
from stdeval.cli.output import ScoresOutput, scores_output_options
from stdeval.formats import trec_eval_text
from stdeval.measures import names as measure_names


@stdeval_command("eval", "-f table -m map -m P.5,10 qrels.gz new-a.run.gz new-b.run.gz", TrecEvalCommand)
@input_options
@summary_options()
@scores_output_options
def command(inputs: InputOptions, summaries: SummaryOptions, printed: ScoresOutput) -> None:
    """Print the raw scores of runs, as trec_eval does."""
    table, signed = None, printed.signed
    is_plain = summaries.are_means and printed.sort is None
    if takes_scores(inputs):
        table = tables.read_table(inputs, every=True)
        names, n_runs = table.measures, len(table.systems)
        # scores of a file may have been standardized before
        kinds = ["count" if measure_names.is_summed(name) else measure_names.kind_of(name) for name in names]
        columns = list(map(trec_eval_text.Column, names, kinds))
        blocks = summarizing.blocks_of_table(table, columns)
    else:
        evaluate = evaluate_one_by_one if inputs.best is None else tables.evaluate_best
        evaluated = evaluate(inputs, ["official"])
        names, n_runs = tuple(measure.name for measure in evaluated.measures), len(evaluated.names)
        columns = [trec_eval_text.Column(measure.name, measure.family.kind) for measure in evaluated.measures]
        # Unlike a loop, map does not hold a run while the next one is scored.
        blocks = map(trec_eval_text.block_of_run, evaluated.runs, evaluated.names)
    if not is_plain:
        summarized = blocks if summaries.are_means else summarizing.with_summaries(blocks, columns, summaries)
        blocks = iter(summarizing.sorted_by(printed.sort, summarized, columns, summaries.epsilon))
    origin = None
    if signed:
        origin = tables.origin_of(inputs) if table is None else table.origin
    printed.write(
        columns,
        blocks,
        order=typed_order(inputs, names),
        several=n_runs > 1,
        n_topics=number_of_topics(inputs, table),
        signature=standardizing.raw_signature(inputs, names, table) if signed else "",
        origin=origin,
        unmarked="" if table is None else summarizing.why_no_best_run(None, table),
    )
