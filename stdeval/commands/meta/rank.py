"""`stdeval meta rank`: how alike measures, schemes and aggregates rank the systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stdeval.commands.meta.methods import Method, method_options
from stdeval.commands.meta.options import NOTHING_RANDOM, experiment_options, unpaired_option

if TYPE_CHECKING:
    from stdeval.commands.meta.experiment import Experiment, Listing
    from stdeval.commands.standardization import Standardization
    from stdeval.stats.correlation import Correlations

    Label = tuple[str, str, str, float]


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
def command(
    experiment: Experiment, standardization: Standardization, by: str, chosen: list[Method], unpaired: bool
) -> None:
    """Correlation of the system rankings by every two measures, schemes or aggregates.

    Kendall's tau_b, the top-weighted tau_ap,b and Pearson's r (Webber 2010, Table 2); with --by pvalues, of the
    orderings of system pairs by p-value (Table 3).
    """
    import numpy as np

    from stdeval.meta.rank import pvalue_correlations, rank_correlations

    if by == "pvalues" and [method.aggregate for method in chosen] != ["am"]:
        raise click.UsageError("--by pvalues is of means, expected no --aggregate")
    if by == "means" and unpaired:
        raise click.UsageError("--unpaired is of --by pvalues")
    tables = experiment.tables(standardization)
    labels = [
        (measure, scheme, method.aggregate, method.epsilon)
        for measure, scheme, _ in tables.cells()
        for method in chosen
    ]
    if len(labels) < 2:
        raise click.UsageError("one ranking, expected at least two measures, schemes or aggregates")
    if by == "means":
        overall = [method.function(scores) for _, _, scores in tables.cells() for method in chosen]
        found = rank_correlations(np.stack(overall))
    else:
        found = pvalue_correlations(np.stack([scores for _, _, scores in tables.cells()]), paired=not unpaired)
    what = "correlation of system rankings" if by == "means" else "correlation of system pairs by p-value"
    experiment.write(what, len(tables.systems), len(tables.topics), _listing(labels, found))


def _listing(labels: list[Label], found: Correlations) -> Listing:
    from itertools import combinations

    from stdeval.commands.meta.experiment import Listing, correlation_fields
    from stdeval.formats.writers import Field

    names = ("measure", "scheme", "aggregate", "epsilon")
    differing = [i for i, name in enumerate(names) if len({str(label[i]) for label in labels}) > 1]
    kept = sorted({0, 1, *differing})
    fields = [Field(f"{names[i]}_{side}", "g") for side in "ab" for i in kept] + correlation_fields()
    rows = [
        [
            *(labels[side][i] for side in (a, b) for i in kept),
            *(float(values[a, b]) for values in (found.tau, found.tau_ap, found.r)),
        ]
        for a, b in combinations(range(len(labels)), 2)
    ]
    return Listing(fields, rows)
