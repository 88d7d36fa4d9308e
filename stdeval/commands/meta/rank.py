"""`stdeval meta rank`: how alike measures, schemes and aggregates rank the systems."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import click
import numpy as np

from stdeval import notices
from stdeval.cli.experiments import (
    CORRELATIONS,
    Experiment,
    Method,
    Tables,
    better_higher,
    experiment_command,
    method_options,
)
from stdeval.cli.options import unpaired_option, welch_option
from stdeval.cli.types import Choice, option
from stdeval.display import shown_name
from stdeval.errors import InputError, warn
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.measures.names import is_better_higher
from stdeval.meta.rank import pvalue_correlations, rank_correlations
from stdeval.stats.aggregates import overall_scores
from stdeval.stats.correlation import Correlations
from stdeval.stats.pairwise import Design
from stdeval.table import Floats

LABELS = ("measure", "scheme", "aggregate", "epsilon", "better")
"""The columns of a ranking; better is lower if its lowest scores come first."""


@experiment_command("rank", "-m map -m P_10 qrels.gz references/*.run.gz")
@option(
    "--by",
    "Correlate overall scores of systems, or p-values of system pairs in t tests.",
    Choice(["means", "pvalues"]),
    default="means",
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
    labels: list[Sequence[Cell]] = [
        # p-values have the same order for every measure.
        (measure, scheme, method.aggregate, method.epsilon, "higher" if higher else "lower")
        for measure, scheme, _ in tables.cells()
        for higher in [by == "pvalues" or is_better_higher(measure)]
        for method in methods
    ]
    if len(labels) < 2:
        raise click.UsageError("one ranking, expected at least two measures, schemes or aggregates")
    if by == "means":
        title, constants = "correlation of system rankings", dict[str, Cell]()
        correlations = rank_correlations(np.stack(_overall(tables, methods)))
    else:
        title, constants = f"correlation of system pairs by p-value, {design.described}", {"test": design.name}
        every = np.stack([scores for _, _, scores in tables.cells()])
        correlations = pvalue_correlations(every, unpaired=unpaired, welch=welch)
    undefined = int(np.isnan(np.triu(correlations.tau, 1)).sum())
    tied = "all systems, or pairs of them, are tied"
    warn(notices.undefined_coefficients(undefined, len(labels) * (len(labels) - 1) // 2, tied))
    experiment.write(title, tables, _listing(labels, correlations), constants)


def _overall(tables: Tables, methods: Sequence[Method]) -> list[Floats]:
    """Return the overall scores of the systems, negated if lower is better; refuse undefined ones."""
    vectors = []
    for measure, scheme, scores in tables.cells():
        for aggregate, _, function, _ in methods:
            overall = better_higher(overall_scores(scores, function), measure)
            undefined = np.isnan(overall)
            if undefined.any():
                example = shown_name(tables.systems[int(undefined.argmax())])
                number = f"{int(undefined.sum())} of {len(overall)} systems (e.g. '{example}')"
                zero = ", which have scores of 0: expected another aggregate, such as ehm"
                why = zero if aggregate == "hm" else ""
                raise InputError(f"{measure} {scheme}: the aggregate {aggregate} is undefined for {number}{why}")
            vectors.append(overall)
    return vectors


def _listing(labels: Sequence[Sequence[Cell]], correlations: Correlations) -> Listing:
    """Return a row per two rankings; of their labels, only measure, scheme and those that differ."""
    kept = [i for i in range(len(LABELS)) if i < 2 or len({str(label[i]) for label in labels}) > 1]
    fields = [Field(f"{LABELS[i]}_{side}", "g") for side in "ab" for i in kept]
    rows = [
        [*(labels[side][i] for side in (a, b) for i in kept), *(float(values[a, b]) for values in correlations)]
        for a, b in combinations(range(len(labels)), 2)
    ]
    return Listing([*fields, *map(Field, CORRELATIONS)], rows)
