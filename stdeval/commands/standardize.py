"""`stdeval standardize`: standardized scores, per topic and in the mean."""

from __future__ import annotations

import click

from stdeval.commands.blocks import blocks_of_table, with_summaries
from stdeval.commands.factor_files import factors_of, raw_scores
from stdeval.commands.input_options import InputOptions, input_options
from stdeval.commands.judgments import origin_of
from stdeval.commands.reference_intervals import intervals_over_references
from stdeval.commands.schemes import scores_by_scheme, side_by_side, tables_after_warning
from stdeval.commands.scores_output import ScoresOutput, scores_output_options
from stdeval.commands.signatures import standardized_signature
from stdeval.commands.standardization_options import (
    StandardizationOptions,
    standardization_options,
    why_no_best_run,
)
from stdeval.commands.summary_options import SummaryOptions, standardized_summary_options
from stdeval.commands.trec_eval_options import TrecEvalCommand
from stdeval.provenance import Origin


@click.command(
    "standardize",
    cls=TrecEvalCommand,
    epilog="Example: stdeval standardize -F factors.csv -f table -m map --raw qrels.gz new-a.run.gz",
)
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
    """Standardize the scores of runs.

    Each score is placed on the scale of the scores of reference runs on the same topic. The factors of -F FILE
    give this scale; without -F, the runs are their own reference runs. The names of measures begin with the
    letter of the scheme: Nmap, ZP_10. A topic without factors is left out of the mean. With --ci-of references,
    the interval of a mean says how much other reference runs would change it; with --ci-of both, how much other
    reference runs and other topics would.
    """
    factors = factors_of(standardization)
    table = raw_scores(inputs, standardization, factors)
    shown = ("raw", *schemes) if raw else schemes
    tables = tables_after_warning(scores_by_scheme(table, shown, standardization, factors))
    columns, standardized = side_by_side(tables)
    intervals = intervals_over_references(table, shown, standardization, factors, summaries)
    blocks = blocks_of_table(standardized, columns, table.unretrieved)
    summarized = with_summaries(blocks, columns, summaries, intervals)
    wanted = printed.wants_signature
    signature = standardized_signature(inputs, table, shown, standardization, factors) if wanted else ""
    origin = (table.origin or origin_of(inputs)) if printed.wants_signature else Origin()
    several = len(table.systems) > 1
    unmarked = why_no_best_run(standardization.leave_out, table)
    printed.write(
        inputs,
        columns,
        summarized,
        signature,
        origin,
        table=table,
        summaries=summaries,
        several=several,
        unmarked=unmarked,
    )
