"""`stdeval standardize`: standardized scores, per topic and in the mean."""

from __future__ import annotations

import click

from stdeval.cli.helps import TrecEvalCommand, stdeval_command
from stdeval.cli.inputs import number_of_topics, typed_order
from stdeval.cli.options import (
    InputOptions,
    StandardizationOptions,
    SummaryOptions,
    input_options,
    standardization_options,
    standardized_summary_options,
    why_no_best_run,
)
from stdeval.cli.output import ScoresOutput, scores_output_options
from stdeval.cli.signatures import standardized_signature
from stdeval.cli.standardizing import (
    factors_of,
    intervals_over_references,
    raw_scores,
    scores_by_scheme,
    side_by_side,
    tables_after_warning,
)
from stdeval.cli.summaries import blocks_of_table, sorted_by, with_summaries
from stdeval.cli.tables import origin_of


@stdeval_command("standardize", "-F factors.csv -f table -m map --raw qrels.gz new-a.run.gz", TrecEvalCommand)
@input_options
@standardization_options(("n",), raw=False)
@click.option("--raw", is_flag=True, help="Print the raw scores beside the standardized ones.")
@standardized_summary_options
@scores_output_options
def command(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    schemes: tuple[str, ...],
    raw: bool,
    summaries: SummaryOptions,
    printed: ScoresOutput,
) -> None:
    """Standardize the scores of runs."""
    factors = factors_of(standardization)
    table = raw_scores(inputs, standardization, factors)
    shown = ("raw", *schemes) if raw else schemes
    tables = tables_after_warning(scores_by_scheme(table, shown, standardization, factors))
    columns, standardized = side_by_side(tables)
    intervals = intervals_over_references(table, shown, standardization, factors, summaries)
    rows = blocks_of_table(standardized, columns, table.unretrieved)
    blocks = with_summaries(rows, columns, summaries, intervals)
    signed = printed.wants_signature
    printed.write(
        columns,
        sorted_by(printed.sort, blocks, columns, summaries.epsilon),
        order=typed_order(inputs, [column.measure for column in columns]),
        several=len(table.systems) > 1,
        n_topics=number_of_topics(inputs, table),
        signature=standardized_signature(inputs, table, shown, standardization, factors) if signed else "",
        origin=table.origin or origin_of(inputs) if signed else None,
        unmarked=why_no_best_run(standardization.leave_out, table),
    )
