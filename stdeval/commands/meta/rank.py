"""`stdeval meta power` and `rank`: discriminative power, and how alike measures and schemes rank the systems."""

from __future__ import annotations

from itertools import combinations

import click
import numpy as np

from stdeval import notices
from stdeval.cli import experiments, options
from stdeval.cli.declarations import Choice
from stdeval.cli.experiments import CORRELATIONS, Experiment, Method, better_higher
from stdeval.cli.options import gathered, option
from stdeval.errors import InputError, shown_name, warn
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.measures.names import is_better_higher
from stdeval.meta import ttests
from stdeval.stats import aggregates, correlation
from stdeval.stats.pairwise import Design

LABELS = ("measure", "scheme", "aggregate", "epsilon", "better")
"""The columns of a ranking; better is lower if its lowest scores come first."""


_design_options = gathered("design", Design, options.unpaired_option, options.welch_option)


@experiments.experiment_command("power", "-m map --scheme raw --scheme n qrels.gz references/*.run.gz")
@experiments.alphas_option(default=(0.05,), show_default="0.05")
@_design_options
def power(experiment: Experiment, alphas: tuple[float, ...], design: Design) -> None:
    """Discriminative power: the share of system pairs that differ significantly."""
    tables = experiment.tables()
    rows, levels = [], list(dict.fromkeys(alphas))
    for measure, scheme, scores in tables.cells():
        found = ttests.discriminative_power(scores, levels, unpaired=design.unpaired, welch=design.welch)
        shares = zip(levels, found.shares.tolist(), strict=True)
        rows += [(measure, scheme, alpha, share, found.n_pairs) for alpha, share in shares]
    fields = [Field("measure"), Field("scheme"), Field("alpha", "g"), Field("power"), Field("pairs")]
    title = f"discriminative power, {design.described}"
    experiment.write(title, tables, Listing(fields, rows), {"test": design.name})


@experiments.experiment_command("rank", "-m map -m P_10 qrels.gz references/*.run.gz")
@option("--by", "Means of systems, or p-values of system pairs.", Choice(["means", "pvalues"]), default="means")
@experiments.method_options
@_design_options
def rank(experiment: Experiment, by: str, methods: list[Method], design: Design) -> None:
    """Correlation of the system rankings by every two measures, schemes or aggregates."""
    if by == "pvalues" and [method.aggregate for method in methods] != ["am"]:
        raise click.UsageError("--by pvalues compares means, expected no --aggregate")
    tables = experiment.tables()
    labels: list[tuple[Cell, ...]] = []
    vectors = []
    for measure, scheme, scores in tables.cells():
        for aggregate, epsilon, function, _ in methods:
            # p-values have the same order for every measure.
            better = "higher" if by == "pvalues" or is_better_higher(measure) else "lower"
            labels.append((measure, scheme, aggregate, epsilon, better))
            overall = better_higher(aggregates.overall_scores(scores, function), measure)
            if (undefined := np.isnan(overall)).any():
                example = shown_name(tables.systems[int(undefined.argmax())])
                number = f"{int(undefined.sum())} of {len(overall)} systems (e.g. '{example}')"
                why = "which have scores of 0: expected another aggregate, such as ehm"
                raise InputError(f"{measure} {scheme}: the aggregate {aggregate} is undefined for {number}, {why}")
            vectors.append(overall)
    if len(labels) < 2:
        raise click.UsageError("one ranking, expected at least two measures, schemes or aggregates")
    if by == "means":
        title, constants = "correlation of system rankings", dict[str, Cell]()
        correlations = correlation.rank_correlations(np.stack(vectors))
    else:
        title, constants = f"correlation of system pairs by p-value, {design.described}", {"test": design.name}
        every = np.stack([scores for _, _, scores in tables.cells()])
        correlations = ttests.pvalue_correlations(every, unpaired=design.unpaired, welch=design.welch)
    pairs = list(combinations(range(len(labels)), 2))
    n_undefined = sum(bool(np.isnan(correlations.tau[pair])) for pair in pairs)
    warn(notices.undefined_coefficients(n_undefined, len(pairs), "all systems, or pairs of them, are tied"))
    # Of the labels, only measure, scheme and those that differ.
    kept = [i for i in range(len(LABELS)) if i < 2 or len({str(label[i]) for label in labels}) > 1]
    fields = [*(Field(f"{LABELS[i]}_{side}", "g") for side in "ab" for i in kept), *map(Field, CORRELATIONS)]
    rows = []
    for pair in pairs:
        found = [float(values[pair]) for values in correlations]
        rows.append([*(labels[side][i] for side in pair for i in kept), *found])
    experiment.write(title, tables, Listing(fields, rows), constants)
