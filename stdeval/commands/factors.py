"""`stdeval factors`: standardization factors from reference runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stdeval import errors, notices
from stdeval.cli import options, output, scoring, standardizing
from stdeval.cli.declarations import stdeval_command
from stdeval.cli.options import option
from stdeval.formats import csv_tables
from stdeval.measures import catalogue
from stdeval.standardization import factors as references
from stdeval.standardization import schemes
from stdeval.stats import aggregates
from stdeval.table import rows_for, scores_of


@stdeval_command("factors", "-m map -m P.10 -o factors.csv qrels.gz references/*.run.gz")
@options.input_options
@option("--empirical", "Write the reference scores themselves, which schemes e and m need.")
@output.format_options("")
def command(inputs: options.InputOptions, empirical: bool, to: output.OutputOptions) -> None:
    """Make standardization factors from reference runs."""
    table = None
    # The best runs are known only when all are scored.
    if scoring.takes_scores(inputs) or empirical or inputs.best is not None:
        table = scoring.as_typed(scoring.read_table(inputs, catalogue.DEFAULT_FACTORS), inputs, to.format)
        standardizing.refuse_standardized(table.measures)
        if not scoring.takes_scores(inputs):
            table = replace(table, origin=scoring.origin_of(inputs, table).by_topic())
    factors = _fitted_run_by_run(inputs) if table is None else references.fit_factors(table)
    letters = [letter for letter, scheme in schemes.SCHEMES.items() if empirical or not scheme.of_counts]
    errors.warn(notices.few_references(int(factors.n[factors.n > 0].min()), letters))
    listing = csv_tables.scores_listing(table) if table and empirical else csv_tables.factors_listing(factors)
    to.write(listing)


def _fitted_run_by_run(inputs: options.InputOptions) -> references.Factors:
    """Return factors, adding the scores of one run after the other, so that memory does not grow with runs."""
    references.check_references(len(inputs.files) - 1)
    measures, topics, scored = scoring.score_runs(inputs, catalogue.DEFAULT_FACTORS, tabled=True)
    order = scoring.typed_order(inputs, [each.name for each in measures])
    kept = [i for i in order if measures[i].family.is_tabled]
    moments = aggregates.Moments((len(topics), len(kept)))
    for run in scored:
        moments.add(rows_for(scores_of(run)[:, kept], run.topics, topics)[np.newaxis])
    mean, sd, n = moments.result()
    referenced = np.flatnonzero(n.any(axis=1))
    axes = tuple(topics[i] for i in referenced), tuple(measures[i].name for i in kept)
    origin = scoring.origin_of(inputs, None)
    return references.Factors(*axes, mean[referenced], sd[referenced], n[referenced], origin=origin)
