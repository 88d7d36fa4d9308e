"""`stdeval standardize`: standardized scores, per topic and in the mean."""

from __future__ import annotations

from stdeval.cli import options, output, standardizing
from stdeval.cli.declarations import TrecEvalCommand, stdeval_command
from stdeval.formats import trec_eval_text


@stdeval_command("standardize", "-F factors.csv -f table -m map --raw qrels.gz new-a.run.gz", TrecEvalCommand)
@options.input_options
@options.standardization_options(("n",), raw=False)
@options.option("--raw", "Print the raw scores beside the standardized ones.")
@options.summary_options(options.interval_of_option)
@output.scores_output_options
def command(
    inputs: options.InputOptions,
    standardization: options.StandardizationOptions,
    schemes: tuple[str, ...],
    raw: bool,
    summaries: options.SummaryOptions,
    printed: output.ScoresOutput,
) -> None:
    """Standardize the scores of runs."""
    factors = standardizing.factors_of(standardization)
    table = standardizing.raw_scores(inputs, standardization, factors)
    shown = ("raw", *schemes) if raw else schemes
    by_scheme = standardizing.shown_scores(table, shown, standardization, factors)
    intervals = standardizing.intervals_over_references(table, shown, standardization, factors, summaries)
    columns, standardized = standardizing.side_by_side(by_scheme)
    blocks = trec_eval_text.blocks_of_table(standardized, columns)
    summarized = output.summarized(blocks, columns, summaries, printed.sort, intervals)
    signature = ""
    if printed.signed:
        signature = standardizing.standardized_signature(inputs, table, shown, standardization, factors)
    unmarked = output.why_no_best_run(standardization.leave_out, table)
    printed.write(columns, summarized, inputs, table, len(table.systems), signature, unmarked)
