"""`stdeval meta between`: whether standardized scores agree between collections."""

from __future__ import annotations

import click

from stdeval.commands.help_groups import GroupedCommand
from stdeval.commands.meta.complete_tables import better_higher
from stdeval.commands.meta.experiment import Experiment
from stdeval.commands.meta.experiment_options import alphas_option, experiment_options, trials_out_option
from stdeval.commands.meta.within import write_results
from stdeval.commands.parameter_types import WholeRange
from stdeval.meta.between import between
from stdeval.meta.ttests import ALPHAS


@click.command(
    "between",
    cls=GroupedCommand,
    epilog="Example: stdeval meta between -m map --topics 25 --trials 100 qrels.gz references/*.run.gz",
)
@experiment_options(10_000, schemes=("raw", "n"))
@click.option(
    "--topics",
    "n_topics",
    type=WholeRange(min=2),
    metavar="N",
    help="Topics of either set.  [default: 50, or half the topics if that is fewer]",
)
@alphas_option((), "19 levels: .001 to .009, .01 to .09, .1")
@trials_out_option
def command(
    experiment: Experiment, n_topics: int | None, alphas: tuple[float, ...], trials_path: str | None
) -> None:
    """Scores on two disjoint random sets of topics.

    By measure and scheme: the correlations of the two system rankings, mean and sd over trials. By Welch's t
    tests, type1 is the share of systems that differ significantly from themselves, and power is that of pairs
    of different systems (Urbano 2019, Section 3.2). Scores are standardized on all topics.
    """
    tables = experiment.tables()
    levels = tuple(dict.fromkeys(alphas)) or ALPHAS
    with experiment.mapper() as mapper:
        results = [
            between(
                better_higher(scores, measure),
                n_topics=n_topics,
                n_trials=experiment.n_trials,
                rng=experiment.generator(),
                alphas=levels,
                mapper=mapper,
            )
            for measure, scores in zip(tables.measures, tables.values, strict=True)
        ]
    title = f"between two sets of {results[0].n_topics} random topics, Welch t test"
    write_results("between", experiment, title, tables, levels, results, trials_path)
