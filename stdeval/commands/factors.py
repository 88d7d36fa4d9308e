"""`stdeval factors`: standardization factors from reference runs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import click
import numpy as np

from stdeval.commands.help_groups import GroupedCommand
from stdeval.commands.input_options import InputOptions, input_options
from stdeval.commands.inputs import as_typed, read_table, score_runs, typed_order, warn_of_untabled
from stdeval.commands.judgments import origins_of, takes_scores, warn_of_compared
from stdeval.commands.messages import warn, warn_all
from stdeval.commands.options import OutputOptions, format_options
from stdeval.commands.run_names import names_in_warnings
from stdeval.commands.schemes import refuse_standardized
from stdeval.commands.score_files import warn_of_rounded_factors
from stdeval.display import about_unscored
from stdeval.documents.retrieved import Retrieved
from stdeval.documents.runs_and_judgments import about_counted_topics
from stdeval.doubtful_scores.rankings import about_retrieved
from stdeval.errors import InputError
from stdeval.evaluation.raw_scores import is_tabled
from stdeval.evaluation.run_scores import RunScores
from stdeval.formats.factors_csv import factors_listings
from stdeval.formats.scores_csv import scores_listing
from stdeval.measures.catalogue import DEFAULT_FACTORS
from stdeval.measures.facts import score_of_missing
from stdeval.reference_factors import Factors
from stdeval.standardization.doubtful_references import about_references
from stdeval.standardization.factors import check_references, fit_factors, n_repeated_systems
from stdeval.standardization.schemes import SCHEMES
from stdeval.stats.moments import Moments
from stdeval.table import Floats, rows_for


@click.command(
    "factors",
    cls=GroupedCommand,
    epilog="Example: stdeval factors -m map -m P.10 -o factors.csv qrels.gz references/*.run.gz",
)
@input_options
@click.option(
    "--empirical", is_flag=True, help="Write the reference scores themselves, which schemes e and m need."
)
@format_options("", without=["text"])
def command(inputs: InputOptions, empirical: bool, to: OutputOptions) -> None:
    """Make standardization factors from reference runs.

    Writes a CSV with one row per topic: the number of runs, a digest of the topic's judgments, the options of
    the evaluation, and the mean and sample standard deviation of the scores by each measure. A run without a
    topic is left out of the factors of that topic; with -c it counts as 0. Of the formats of -f, other commands
    read only csv. 'stdeval convert' makes a zscores_file for trec_eval from it.
    """
    table = None
    # The best runs are known only when all are scored.
    if takes_scores(inputs) or empirical or inputs.best is not None:
        table = as_typed(read_table(inputs, DEFAULT_FACTORS), inputs, to.format)
        refuse_standardized(table.measures)
        table = replace(table, origins=table.origins or origins_of(inputs))
        if takes_scores(inputs):
            warn_of_rounded_factors(table)
    if table is None:
        factors, n_repeated = _fitted_run_by_run(inputs)
    else:
        factors, n_repeated = fit_factors(table), n_repeated_systems(table.values)
        warn_of_compared(inputs, table)
    schemes = [letter for letter, scheme in SCHEMES.items() if empirical or scheme.moments_function is not None]
    for message in about_references(factors, schemes, n_repeated):
        warn(message)
    if empirical and table is not None:
        to.write(scores_listing(table))
    else:
        to.write_parts(factors_listings(factors))


def _fitted_run_by_run(options: InputOptions) -> tuple[Factors, int]:
    """Return factors, and the number of runs that have the same scores as an earlier one.

    Only the scores of one run are held at a time, so that memory does not grow with runs.
    """
    check_references(len(options.files) - 1)
    measures, topics, scored = score_runs(options, DEFAULT_FACTORS)
    kept = [i for i in typed_order(options, [each.name for each in measures]) if is_tabled(measures[i])]
    if not kept:
        raise InputError(about_unscored(options.measures))
    warn_of_untabled(options.measures)
    moments = Moments((len(topics), len(kept)))
    seen: list[tuple[str, Retrieved, Collection[str]]] = []

    def added(run: RunScores) -> Floats:
        seen.append((run.tag, run.retrieved, run.unretrieved))
        rows = rows_for(run.values[:, kept], run.topics, topics)
        moments.add(rows)
        return rows

    # Unlike a loop, map does not hold a run while the next one is scored.
    n_repeated = n_repeated_systems(map(added, scored))
    tags, retrieved, unretrieved = zip(*seen, strict=True)
    runs = names_in_warnings(tags, options.files[1:], options.label)
    names = tuple(measures[i].name for i in kept)
    unretrieved_by_run = dict(zip(runs, unretrieved, strict=True))
    warn_all(about_counted_topics(unretrieved_by_run, len(topics), score_of_missing(names)))
    mean, sd, n = moments.result()
    referenced = np.flatnonzero(n.any(axis=1))
    by_run = dict(zip(runs, retrieved, strict=True))
    warn_all(about_retrieved(names, by_run, judged_only=options.judged_only))
    factors = Factors(
        tuple(topics[i] for i in referenced),
        names,
        mean[referenced],
        sd[referenced],
        n[referenced],
        origins=origins_of(options),
    )
    return factors, n_repeated
