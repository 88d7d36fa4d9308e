"""`stdeval meta references`: how many reference systems are needed, and what others change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stdeval.commands.meta.options import style_option, trials_option
from stdeval.commands.options import output_option, score_inputs, seed_option

if TYPE_CHECKING:
    from stdeval.commands.inputs import Inputs


@click.command("references")
@score_inputs
@click.option(
    "--scheme",
    "schemes",
    type=click.Choice(["raw", "z", "n", "u", "e"], case_sensitive=False),
    multiple=True,
    default=("n",),
    show_default=True,
    help="How to standardize; repeatable.",
)
@click.option(
    "-F",
    "--factors",
    "reference_file",
    metavar="FILE",
    help="Sample the reference scores of FILE ('stdeval factors --empirical'), and rank the runs given.",
)
@click.option(
    "--size",
    "sizes",
    type=click.IntRange(min=2),
    multiple=True,
    metavar="N",
    help="Number of reference systems to sample; repeatable.  [default: 5, 10, 15, 20, 30, 40, 50, 75, 100]",
)
@click.option(
    "--evaluate",
    "evaluated",
    multiple=True,
    metavar="FILE",
    help="Rank the systems of this run, or scores file, instead of the references; repeatable.",
)
@click.option("--other", metavar="FILE", help="Compare with the ranking by the references of this scores file.")
@trials_option(2000)
@seed_option
@style_option
@output_option
def command(
    inputs: Inputs,
    schemes: tuple[str, ...],
    reference_file: str | None,
    sizes: tuple[int, ...],
    evaluated: tuple[str, ...],
    other: str | None,
    n_trials: int,
    seed: int,
    style: str,
    output_path: str | None,
) -> None:
    """How many reference systems standardization needs.

    The runs given are the references, or with -F those of its file. By measure, scheme and size: tau_b of the
    standardized ranking by random samples of them with the ranking by all, median, 5th and 1st percentile
    over the trials, and tau_raw, that of the ranking by raw scores (Webber 2008, Figure 4). With --other
    instead: tau_b, tau_ap,b and Pearson's r of the standardized means by two whole sets of references
    (Table 2).
    """
    from stdeval.commands.meta.experiment import Experiment
    from stdeval.commands.meta.samples import other_listing, read_samples, size_listing

    if other is not None and sizes:
        raise click.UsageError("expected --size or --other, not both")
    if reference_file is not None and evaluated:
        raise click.UsageError("expected -F or --evaluate, not both: with -F the runs given are ranked")
    letters = list(dict.fromkeys(scheme if scheme == "raw" else scheme.upper() for scheme in schemes))
    samples = read_samples(inputs, evaluated, other, reference_file)
    drawn = n_trials if other is None else 0
    experiment = Experiment(inputs, seed, drawn, style, output_path)
    if other is None:
        listing = size_listing(experiment, samples, sizes, letters)
    else:
        listing = other_listing(samples, letters)
    what = f"{len(samples.reference.systems)} references"
    experiment.write(what, len(samples.scores.systems), len(samples.scores.topics), listing)
