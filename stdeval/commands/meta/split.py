"""`stdeval meta split`: how alike two halves of the topics rank the systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stdeval.commands.meta.methods import Method, method_options
from stdeval.commands.meta.options import experiment_options, trials_out_option

if TYPE_CHECKING:
    from stdeval.commands.meta.experiment import Experiment
    from stdeval.commands.standardization import Standardization

HOW = ("random", "hard-easy", "middle-rest")


@click.command("split")
@experiment_options(10_000)
@click.option(
    "--how",
    "ways",
    type=click.Choice(HOW),
    multiple=True,
    default=("random",),
    show_default=True,
    help="Random halves; the harder and the easier half; the middle half and the rest; repeatable.",
)
@method_options
@trials_out_option
@click.option(
    "--pairs-out",
    "pairs_path",
    metavar="FILE",
    help="Write the differences of every two methods on the same random halves to FILE, as CSV.",
)
def command(
    experiment: Experiment,
    standardization: Standardization,
    ways: tuple[str, ...],
    chosen: list[Method],
    trials_path: str | None,
    pairs_path: str | None,
) -> None:
    """Self-consistency: the correlation of the system rankings on two halves of the topics.

    By measure, scheme, aggregate and epsilon, over random halves or those by difficulty, which is (max - mean)
    / sd of a topic's raw scores (Ravana & Moffat 2009, Table 3). tau_b is in the mean over trials, with its sd
    and percentiles; p is of the paired t test, over the trials, with the first method of the measure, and
    --pairs-out has it of every two.
    """
    from stdeval.commands.meta.halves import method_rows, pair_listing, summary_listing, trial_listing

    tables = experiment.tables(standardization)
    with experiment.mapper() as mapper:
        found = list(method_rows(experiment, tables, list(dict.fromkeys(ways)), chosen, mapper))
    experiment.write(
        "correlation of two halves of the topics", len(tables.systems), len(tables.topics), summary_listing(found)
    )
    experiment.write_trials(trials_path, trial_listing(found))
    experiment.write_trials(pairs_path, pair_listing(found))
