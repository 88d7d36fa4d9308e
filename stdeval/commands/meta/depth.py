"""`stdeval meta depth`: what pooling depth and evaluation depth do to measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stdeval.commands.meta.options import NOTHING_RANDOM, alphas_option, experiment_options

if TYPE_CHECKING:
    from stdeval.commands.meta.experiment import Experiment
    from stdeval.commands.standardization import Standardization

DEPTHS = (5, 10, 20, 50, 100)
FORMS = ("raw", "expanded", "abbreviated", "standardized")


@click.command("depth")
@experiment_options(NOTHING_RANDOM, schemes=("n",))
@click.option(
    "--pool-depth",
    "pool_depths",
    type=click.IntRange(min=1),
    multiple=True,
    default=DEPTHS,
    show_default=True,
    metavar="N",
    help="How many documents of each run are pooled; repeatable.",
)
@click.option(
    "--eval-depth",
    "eval_depths",
    type=click.IntRange(min=1),
    multiple=True,
    default=DEPTHS,
    show_default=True,
    metavar="N",
    help="How many documents of each run are evaluated; repeatable.",
)
@click.option(
    "--form",
    "forms",
    type=click.Choice(FORMS),
    multiple=True,
    default=FORMS,
    show_default=True,
    help="Not normalized, normalized by the whole ideal ranking, or by the ideal to the depth; repeatable.",
)
@alphas_option((0.05,), "0.05")
def command(
    experiment: Experiment,
    standardization: Standardization,
    pool_depths: tuple[int, ...],
    eval_depths: tuple[int, ...],
    forms: tuple[str, ...],
    alphas: tuple[float, ...],
) -> None:
    """Discriminative power and mean score by pool depth, evaluation depth, measure and form.

    Needs QRELS RUN...: only documents that a run has up to the pool depth remain judged (Webber 2010, Section
    4.2, Figures 2 to 4). Measures are P (expanded: recall), map, jkdcg, dcg and rbp, whose p leaves a
    residual of 0.1, and any without cutoff, raw and standardized only. Paired two-tailed t tests.
    """
    from stdeval.commands.meta.grids import depth_scores, grid_listing

    inputs = experiment.inputs
    if inputs.from_scores or inputs.depth is not None or inputs.dask is not None:
        raise click.UsageError("expected QRELS RUN..., without -M (--eval-depth has it) and --dask")
    scores = depth_scores(experiment, sorted(set(pool_depths)), sorted(set(eval_depths)))
    listing = grid_listing(standardization, scores, forms, sorted(set(alphas)))
    n_systems, n_topics = scores.shape
    experiment.write("pool depth and evaluation depth, paired t test", n_systems, n_topics, listing)
