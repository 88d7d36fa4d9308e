"""`stdeval standardize`: standardized scores, per topic and in the mean."""

from __future__ import annotations

from stdeval.cli import options, standardizing, tables
from stdeval.cli.helps import TrecEvalCommand, stdeval_command
from stdeval.cli.inputs import number_of_topics, typed_order
from stdeval.cli.output import ScoresOutput, scores_output_options
from stdeval.cli.standardizing import standardized_signature
from stdeval.cli.summaries import blocks_of_table, sorted_by, with_summaries
from stdeval.cli.types import option


@stdeval_command("standardize", "-F factors.csv -f table -m map --raw qrels.gz new-a.run.gz", TrecEvalCommand)
@options.input_options
@options.standardization_options(("n",), raw=False)
@option("--raw", "Print the raw scores beside the standardized ones.")
@options.summary_options(options.interval_of_option)
@scores_output_options
def command(
    inputs: options.InputOptions,
    standardization: options.StandardizationOptions,
    schemes: tuple[str, ...],
    raw: bool,
    summaries: options.SummaryOptions,
    printed: ScoresOutput,
) -> None:
    """Standardize the scores of runs."""
    factors = standardizing.factors_of(standardization)
    table = standardizing.raw_scores(inputs, standardization, factors)
    shown = ("raw", *schemes) if raw else schemes
    by_scheme = standardizing.scores_by_scheme(table, shown, standardization, factors)
    columns, standardized = standardizing.side_by_side(by_scheme.warned())
    intervals = standardizing.intervals_over_references(table, shown, standardization, factors, summaries)
    rows = blocks_of_table(standardized, columns)
    blocks = with_summaries(rows, columns, summaries, intervals)
    signed = printed.signed
    printed.write(
        columns,
        sorted_by(printed.sort, blocks, columns, summaries.epsilon),
        order=typed_order(inputs, [column.measure for column in columns]),
        several=len(table.systems) > 1,
        n_topics=number_of_topics(inputs, table),
        signature=standardized_signature(inputs, table, shown, standardization, factors) if signed else "",
        origin=table.origin or tables.origin_of(inputs) if signed else None,
        unmarked=options.why_no_best_run(standardization.leave_out, table),
    )
