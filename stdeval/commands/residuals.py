"""Bound the differences of runs by rank-biased precision for `compare --residuals`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from stdeval.commands.input_options import InputOptions
from stdeval.commands.inputs import read_first_documents
from stdeval.commands.judgments import judgments
from stdeval.commands.standardization_options import StandardizationOptions
from stdeval.errors import InputError
from stdeval.files import display_name
from stdeval.measures.names import resolve
from stdeval.measures.parameters import Measure
from stdeval.measures.unjudged import UnjudgedDocuments, needed_depth, residual_measure, weight_beyond_cutoff
from stdeval.stats.residuals import residual_bounds
from stdeval.table import Floats, Ints, ScoreTable

Bounds = dict[str, tuple[Floats, Floats]]
"""By measure, the least and the greatest mean difference of each pair, shape (n_pairs,)."""


def inputs_with_residuals(
    inputs: InputOptions, standardization: StandardizationOptions, schemes: Sequence[str]
) -> InputOptions:
    """Return the options that evaluate runs by the residuals of their measures as well.

    Raises
    ------
    InputError, click.UsageError
        If a measure is not rank-biased precision, or an option does not go with its residuals.
    """
    if inputs.score_files:
        raise click.UsageError("--residuals needs the documents of runs, expected QRELS RUN... without --scores")
    if inputs.judged_only:
        raise click.UsageError("--residuals needs the unjudged documents, expected it without -J")
    if standardization.digits is not None or standardization.factor_files or set(schemes) != {"raw"}:
        raise click.UsageError("--residuals needs raw scores, expected it without --scheme, -F and --round")
    others = [measure.name for measure in resolve(inputs.measures) if measure.family.name != "rbp"]
    if others or not inputs.measures:
        found = f"not {others[0]}" if others else "but no measure is named"
        raise InputError(
            f"--residuals needs rank-biased precision, {found}; expected -m 'RBP(p=0.95)' or another p"
        )
    unreadable = [path for path in inputs.files[1:] if not Path(path).is_file()]
    if unreadable:
        raise InputError("--residuals reads runs twice, expected a file", display_name(unreadable[0]))
    residuals = [residual_measure(measure) for measure in resolve(inputs.measures)]
    return inputs._replace(measures=(*inputs.measures, *residuals))


def without_residuals(table: ScoreTable, inputs: InputOptions) -> ScoreTable:
    """Return the scores by the measures named, without their residuals."""
    return table.select(measures=[measure.name for measure in resolve(inputs.measures)])


def bounds_of_pairs(inputs: InputOptions, table: ScoreTable, first: Ints, second: Ints) -> Bounds:
    """Read the unjudged documents, and return the bounds of the differences of pairs of runs.

    Parameters
    ----------
    inputs : InputOptions
        Those of the command, which name no residual.
    table : ScoreTable
        Scores and residuals, a system for each run, on the topics that count.
    first, second : ndarray of int, shape (n_pairs,)
        Indices of the runs of each pair.
    """
    measures = resolve(inputs.measures)
    unjudged = _unjudged_documents(inputs, measures, table.topics)
    return {
        measure.name: residual_bounds(
            table.measure(measure.name),
            table.measure(residual_measure(measure)) - weight_beyond_cutoff(measure),
            unjudged.shared_weights(measure),
            first,
            second,
        )
        for measure in measures
    }


def _unjudged_documents(
    inputs: InputOptions, measures: Sequence[Measure], topics: Sequence[str]
) -> UnjudgedDocuments:
    judged = judgments(inputs)
    qrels = {topic: judged[topic] for topic in topics}
    depth = max(map(needed_depth, measures))
    depth = depth if inputs.depth is None else min(depth, inputs.depth)
    unjudged = UnjudgedDocuments(qrels)
    how = inputs.precision, inputs.jobs, inputs.cluster
    for each in read_first_documents(inputs.files[1:], depth, qrels, *how):
        unjudged.add(each.run.documents)
    return unjudged
