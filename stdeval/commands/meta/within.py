"""`stdeval meta within`: what standardization changes within a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stdeval.commands.meta.options import alphas_option, experiment_options, trials_out_option

if TYPE_CHECKING:
    from stdeval.commands.meta.experiment import Experiment
    from stdeval.commands.standardization import Standardization


@click.command("within")
@experiment_options(10_000, schemes=("raw", "n"))
@click.option(
    "--topics",
    "n_topics",
    type=click.IntRange(min=2),
    default=50,
    show_default=True,
    metavar="N",
    help="Topics of a trial.",
)
@alphas_option((), "19 levels: .001 to .009, .01 to .09, .1")
@trials_out_option
def command(
    experiment: Experiment,
    standardization: Standardization,
    n_topics: int,
    alphas: tuple[float, ...],
    trials_path: str | None,
) -> None:
    """Standardized against raw scores on random topics of one collection.

    By measure and scheme: the correlations of the system ranking with that by raw scores, mean and sd over
    trials, and the power of paired t tests (Urbano 2019, Section 3.1). Scores are standardized on all topics.
    """
    from stdeval.commands.meta.topic_sets import write_results
    from stdeval.meta.ttests import ALPHAS
    from stdeval.meta.within import within

    tables = experiment.tables(standardization)
    levels = tuple(dict.fromkeys(alphas)) or ALPHAS
    with experiment.mapper() as mapper:
        results = [
            within(
                raw,
                scores,
                n_topics=n_topics,
                n_trials=experiment.n_trials,
                rng=experiment.generator(),
                alphas=levels,
                mapper=mapper,
            )
            for raw, scores in zip(tables.raw, tables.values, strict=True)
        ]
    what = f"within a collection, {n_topics} random topics, correlation with raw scores, paired t test"
    write_results(experiment, what, tables, levels, results, trials_path)
