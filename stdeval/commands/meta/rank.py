"""`stdeval meta rank`: how alike measures, schemes and aggregates rank the systems."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import click
import numpy as np

from stdeval import notices
from stdeval.cli.experiments import (
    CORRELATIONS,
    NOTHING_RANDOM,
    Experiment,
    Method,
    better_higher,
    experiment_options,
    method_options,
)
from stdeval.cli.options import Choice, GroupedCommand, unpaired_option, welch_option
from stdeval.display import shown_name
from stdeval.errors import InputError, warn
from stdeval.formats.listing import Field, Listing
from stdeval.measures.names import is_better_higher
from stdeval.meta.rank import pvalue_correlations, rank_correlations
from stdeval.stats.aggregates import overall_scores
from stdeval.stats.correlation import Correlations
from stdeval.stats.pairwise import Design
from stdeval.table import Floats

LABELS = ("measure", "scheme", "aggregate", "epsilon", "better")

Label = tuple[str, str, str, float, str]
"""The cells of `LABELS`: the last is ``lower`` for a ranking whose lowest scores come first."""


@click.command(
    "rank",
    cls=GroupedCommand,
    epilog="Example: stdeval meta rank -m map -m P_10 qrels.gz references/*.run.gz",
)
@experiment_options(NOTHING_RANDOM)
@click.option(
    "--by",
    type=Choice(["means", "pvalues"]),
    default="means",
    show_default=True,
    help="Correlate overall scores of systems, or p-values of system pairs in t tests.",
)
@method_options
@unpaired_option
@welch_option
def command(experiment: Experiment, by: str, methods: list[Method], unpaired: bool, welch: bool) -> None:
    """Correlation of the system rankings by every two measures, schemes or aggregates."""
    if by == "pvalues" and [method.aggregate for method in methods] != ["am"]:
        raise click.UsageError("--by pvalues compares means, expected no --aggregate")
    design = Design(unpaired=unpaired, welch=welch)
    tables = experiment.tables()
    labels = [
        (measure, scheme, method.aggregate, method.epsilon, _better(measure, by))
        for measure, scheme, _ in tables.cells()
        for method in methods
    ]
    if len(labels) < 2:
        raise click.UsageError("one ranking, expected at least two measures, schemes or aggregates")
    if by == "means":
        overall = [
            better_higher(overall_scores(scores, method.function), measure)
            for measure, _, scores in tables.cells()
            for method in methods
        ]
        _refuse_undefined(labels, overall, tables.systems)
        correlations = rank_correlations(np.stack(overall))
        title, constants = "correlation of system rankings", {}
    else:
        every = np.stack([scores for _, _, scores in tables.cells()])
        correlations = pvalue_correlations(every, unpaired=unpaired, welch=welch)
        title = f"correlation of system pairs by p-value, {design.described}"
        constants = {"test": design.name}
    undefined = int(np.isnan(np.triu(correlations.tau, 1)).sum())
    tied = "all systems, or pairs of them, are tied"
    warn(notices.undefined_coefficients(undefined, len(labels) * (len(labels) - 1) // 2, tied))
    listing = _listing(labels, correlations)
    experiment.write(title, len(tables.systems), len(tables.topics), listing.with_constants(constants), [listing])


def _better(measure: str, by: str) -> str:
    """Return ``lower`` if low scores come first in a ranking; p-values have the same order for every measure."""
    return "higher" if by == "pvalues" or is_better_higher(measure) else "lower"


def _refuse_undefined(labels: list[Label], overall: list[Floats], systems: Sequence[str]) -> None:
    """Refuse overall scores that are undefined, as the harmonic mean of a system that scores 0 on a topic is."""
    for (measure, scheme, aggregate, *_), scores in zip(labels, overall, strict=True):
        undefined = np.isnan(scores)
        if undefined.any():
            example = shown_name(systems[int(undefined.argmax())])
            number = f"{int(undefined.sum())} of {len(systems)} systems (e.g. '{example}')"
            why = ", which have scores of 0: expected another aggregate, such as ehm" if aggregate == "hm" else ""
            raise InputError(f"{measure} {scheme}: the aggregate {aggregate} is undefined for {number}{why}")


def _listing(labels: list[Label], correlations: Correlations) -> Listing:
    differing = [i for i in range(len(LABELS)) if len({str(label[i]) for label in labels}) > 1]
    kept = sorted({0, 1, *differing})
    fields = [Field(f"{LABELS[i]}_{side}", "g") for side in "ab" for i in kept] + [*map(Field, CORRELATIONS)]
    rows = [
        [
            *(labels[side][i] for side in (a, b) for i in kept),
            *(float(values[a, b]) for values in (correlations.tau, correlations.tau_ap, correlations.r)),
        ]
        for a, b in combinations(range(len(labels)), 2)
    ]
    return Listing(fields, rows)
