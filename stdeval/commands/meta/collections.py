"""`stdeval meta collections`: whether the same systems score alike on different collections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stdeval.commands.meta.options import style_option
from stdeval.commands.options import (
    jobs_option,
    measure_option,
    output_option,
    seed_option,
    standardization_options,
)

if TYPE_CHECKING:
    from stdeval.commands.standardization import Standardization


@click.command("collections")
@click.argument("files", nargs=-1, metavar="SCORES SCORES...")
@measure_option
@standardization_options(("raw", "n"))
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.025,
    show_default=True,
    help="Level of the one-tailed tests.",
)
@click.option(
    "--repartition",
    "--trials",
    "n_trials",
    type=click.IntRange(0, 10**7),
    default=0,
    metavar="N",
    help="Random re-partitions of the united topics.",
)
@seed_option
@jobs_option
@style_option
@output_option
def command(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    standardization: Standardization,
    alpha: float,
    n_trials: int,
    seed: int,
    jobs: int | None,
    style: str,
    output_path: str | None,
) -> None:
    """Compare the scores of the same systems on different collections.

    Takes a scores file per collection, and a -F for each, in their order, or none: then each is its own
    reference. For every two collections: RMSE of the systems' means, dRMSE (RMSE over the mean of their
    standard deviations), correlations, and how many systems are significantly better than themselves on the
    first and on the second (one-tailed Welch t tests). With --repartition also the mean, 2.5 and 97.5
    percentiles (low, high) of each over random re-partitions of the united topics, and the percentile at which
    the real pair falls (Webber 2008, Section 5). In CSV mean, low, high and percentile are of dRMSE.
    """
    from stdeval.commands.inputs import scores_inputs
    from stdeval.commands.meta.experiment import Experiment
    from stdeval.commands.meta.pairs import collection_tables, compare_pairs, listings

    if len(files) < 2:
        raise click.UsageError("expected the scores files of at least two collections")
    if len(standardization.factor_files) not in (0, len(files)):
        raise click.UsageError(
            f"{len(standardization.factor_files)} factors (-F) for {len(files)} collections, "
            "expected one for each, or none"
        )
    sources = [scores_inputs([path], measures, jobs) for path in files]
    tables = collection_tables(sources, standardization)
    experiment = Experiment(sources[0], seed, n_trials, style, output_path)
    with experiment.mapper() as mapper:
        found = compare_pairs(experiment, files, tables, alpha, mapper)
    n_topics = sum(len(table.topics) for table in tables)
    listing, text = listings(found)
    experiment.write(f"{len(files)} collections", len(tables[0].systems), n_topics, listing, text)
