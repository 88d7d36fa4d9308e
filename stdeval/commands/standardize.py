"""`stdeval standardize`: standardized scores, per topic and in the mean."""

from __future__ import annotations

from stdeval.cli import options, output, scoring, standardizing, summarizing
from stdeval.cli.declarations import TrecEvalCommand, stdeval_command
from stdeval.cli.options import option


@stdeval_command("standardize", "-F factors.csv -f table -m map --raw qrels.gz new-a.run.gz", TrecEvalCommand)
@options.input_options
@options.standardization_options(("n",), raw=False)
@option("--raw", "Print the raw scores beside the standardized ones.")
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
    by_scheme = standardizing.scores_by_scheme(table, shown, standardization, factors)
    columns, standardized = standardizing.side_by_side(by_scheme.warned())
    intervals = standardizing.intervals_over_references(table, shown, standardization, factors, summaries)
    rows = summarizing.blocks_of_table(standardized, columns)
    blocks = summarizing.with_summaries(rows, columns, summaries, intervals)
    ordered = summarizing.sorted_by(printed.sort, blocks, columns, summaries.epsilon)
    origin, signature = None, ""
    if printed.signed:
        origin = table.origin or scoring.origin_of(inputs)
        signature = standardizing.standardized_signature(inputs, table, shown, standardization, factors)
    unmarked = summarizing.why_no_best_run(standardization.leave_out, table)
    printed.write(columns, ordered, inputs, table, len(table.systems), signature, origin, unmarked)
