"""`stdeval meta rank`: how alike measures, schemes and aggregates rank the systems."""

from __future__ import annotations

from itertools import combinations

import click
import numpy as np

from stdeval.commands.meta.experiment import (
    CORRELATIONS,
    NOTHING_RANDOM,
    Experiment,
    Method,
    experiment_options,
    method_options,
)
from stdeval.commands.options import unpaired_option, welch_option
from stdeval.formats.listing import Field, Listing
from stdeval.meta.rank import pvalue_correlations, rank_correlations
from stdeval.meta.trials import overall_scores
from stdeval.stats.correlation import Correlations
from stdeval.stats.pairwise import Design

Label = tuple[str, str, str, float]
"""The measure, scheme, aggregate and epsilon of a ranking."""


@click.command("rank")
@experiment_options(NOTHING_RANDOM)
@click.option(
    "--by",
    type=click.Choice(["means", "pvalues"]),
    default="means",
    show_default=True,
    help="Correlate overall scores of systems, or p-values of system pairs in t tests.",
)
@method_options
@unpaired_option
@welch_option
def command(experiment: Experiment, by: str, methods: list[Method], unpaired: bool, welch: bool) -> None:
    """Correlation of the system rankings by every two measures, schemes or aggregates.

    Kendall's tau_b, the top-weighted tau_ap,b and Pearson's r (Webber 2010, Table 2); with --by pvalues, of the
    orderings of system pairs by p-value (Table 3).
    """
    if by == "pvalues" and [method.aggregate for method in methods] != ["am"]:
        raise click.UsageError("--by pvalues is of means, expected no --aggregate")
    if by == "means" and (unpaired or welch):
        raise click.UsageError(f"--{'unpaired' if unpaired else 'welch'} is of --by pvalues")
    design = Design(unpaired=unpaired, welch=welch)
    tables = experiment.tables()
    labels = [
        (measure, scheme, method.aggregate, method.epsilon)
        for measure, scheme, _ in tables.cells()
        for method in methods
    ]
    if len(labels) < 2:
        raise click.UsageError("one ranking, expected at least two measures, schemes or aggregates")
    if by == "means":
        overall = [overall_scores(scores, method.function) for _, _, scores in tables.cells() for method in methods]
        correlations = rank_correlations(np.stack(overall))
        title, constants = "correlation of system rankings", {}
    else:
        every = np.stack([scores for _, _, scores in tables.cells()])
        correlations = pvalue_correlations(every, unpaired=unpaired, welch=welch)
        title = f"correlation of system pairs by p-value, {design.described}"
        constants = {"test": design.name}
    listing = _listing(labels, correlations)
    experiment.write(title, len(tables.systems), len(tables.topics), listing.with_constants(constants), [listing])


def _listing(labels: list[Label], correlations: Correlations) -> Listing:
    names = ("measure", "scheme", "aggregate", "epsilon")
    differing = [i for i in range(len(names)) if len({str(label[i]) for label in labels}) > 1]
    kept = sorted({0, 1, *differing})
    fields = [Field(f"{names[i]}_{side}", "g") for side in "ab" for i in kept] + [*map(Field, CORRELATIONS)]
    rows = [
        [
            *(labels[side][i] for side in (a, b) for i in kept),
            *(float(values[a, b]) for values in (correlations.tau, correlations.tau_ap, correlations.r)),
        ]
        for a, b in combinations(range(len(labels)), 2)
    ]
    return Listing(fields, rows)
