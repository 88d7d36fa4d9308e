"""The line to cite with scores: the version, measures, options, judgments and references that made them."""

from __future__ import annotations

from collections.abc import Sequence

from stdeval.cli.inputs import takes_scores
from stdeval.cli.options import InputOptions, StandardizationOptions
from stdeval.cli.standardizing import differences_of_inputs
from stdeval.cli.tables import origin_of
from stdeval.provenance import (
    Origin,
    Standardization,
    factors_digest,
    fit,
    lines_digest,
    scheme_with_parameters,
    signature,
    stored_signature,
)
from stdeval.standardization.factors import Factors, fit_factors, numbers_of_references
from stdeval.standardization.leave_out import fit_others
from stdeval.table import ScoreTable


def origin_of_scores(inputs: InputOptions, table: ScoreTable | None) -> Origin:
    """Return the origin of raw scores; the table has it if they come from files."""
    return table.origin if table is not None and takes_scores(inputs) else origin_of(inputs)


def raw_signature(
    inputs: InputOptions, measures: Sequence[str], table: ScoreTable | None, rounding: Sequence[str] = ()
) -> str:
    """Return the signature of raw scores; the table has what it says if they come from files."""
    if table is None or not takes_scores(inputs):
        return signature(measures, origin_of(inputs), made=Standardization((), tuple(rounding)))
    return stored_signature(measures, table.origin, table.topics, rounding)


def standardized_signature(
    inputs: InputOptions,
    table: ScoreTable,
    schemes: Sequence[str],
    options: StandardizationOptions,
    factors: Factors | None,
) -> str:
    """Return the signature of scores by several schemes."""
    rounding = [] if options.digits is None else [f"round:{options.digits}"]
    if set(schemes) <= {"raw"}:
        return raw_signature(inputs, table.measures, table, rounding)
    stored = table if takes_scores(inputs) else None
    origin, topics = (origin_of(inputs), None) if stored is None else (table.origin, table.topics)
    used = fit_factors(table) if factors is None else factors
    # All topics of the judgments, so that a run with missing topics has the signature of one that has all.
    every = {*table.topics, *({} if stored else origin.judgments)}
    others = []
    if options.leave_out is None:
        numbers = numbers_of_references(used, every, table.measures).ravel().tolist()
    else:
        groups = options.groups and options.groups.of(table.systems)
        numbers = fit_others(table, groups).numbers_left
        named = [] if groups is None else zip(table.systems, groups, strict=True)
        digest = lines_digest(f"{system}\0{group}\n" for system, group in named)
        others = ["leave-out:run" if groups is None else f"leave-out:group({digest})"]
    fitted = () if factors is None else fit(differences_of_inputs(factors, inputs, table), factors, stored)
    letters = sorted({*schemes} - {"raw"})
    made = Standardization(
        tuple(scheme_with_parameters(scheme, options.A, options.B, options.censor) for scheme in letters),
        (*rounding, *others, *fitted),
        factors_digest(used, every, table.measures),
        min(numbers, default=0),
        max(numbers, default=0),
    )
    return signature(table.measures, origin, topics, made=made, has_raw="raw" in schemes)
