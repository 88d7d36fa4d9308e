"""`stdeval eval`: raw scores, as trec_eval prints them."""

from __future__ import annotations

from stdeval.cli import options, output, scoring, standardizing
from stdeval.cli.declarations import TrecEvalCommand, stdeval_command
from stdeval.formats import trec_eval_text
from stdeval.measures import names


@stdeval_command("eval", "-f table -m map -m P.5,10 qrels.gz new-a.run.gz new-b.run.gz", TrecEvalCommand)
@options.input_options
@options.summary_options()
@output.scores_output_options
def command(inputs: options.InputOptions, summaries: options.SummaryOptions, printed: output.ScoresOutput) -> None:
    """Print the raw scores of runs, as trec_eval does."""
    table = None
    if scoring.takes_scores(inputs):
        table = scoring.read_table(inputs, every=True)
        n_runs = len(table.systems)
        # scores of a file may have been standardized before
        kinds = [names.kind_of_scores(*names.split_scheme(name)) for name in table.measures]
        columns = list(map(trec_eval_text.Column, table.measures, kinds))
        blocks = trec_eval_text.blocks_of_table(table, columns)
    else:
        evaluate = scoring.evaluate_one_by_one if inputs.best is None else scoring.evaluate_best
        measures, runs, labels = evaluate(inputs, ["official"])
        n_runs = len(labels)
        columns = [trec_eval_text.Column(measure.name, measure.family.kind) for measure in measures]
        # Unlike a loop, map does not hold a run while the next one is scored.
        blocks = map(trec_eval_text.block_of_run, runs, labels)
    signature = ""
    if printed.signed:
        signature = standardizing.raw_signature(inputs, [column.name for column in columns], table)
    unmarked = "" if table is None else output.why_no_best_run(None, table)
    summarized = output.summarized(blocks, columns, summaries, printed.sort)
    printed.write(columns, summarized, inputs, table, n_runs, signature, unmarked)
