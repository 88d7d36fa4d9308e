"""The signature of the scores that a command prints: the facts about its inputs and options.

This module loads no numpy, since `eval` runs through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from stdeval.commands.input_options import InputOptions
from stdeval.commands.judgments import judgments, origin_of, takes_scores
from stdeval.commands.options import OutputOptions
from stdeval.formats.writers import MARKED
from stdeval.provenance import (
    Standardization,
    factors_digest,
    fit,
    lines_digest,
    scheme_with_parameters,
    signature,
    stored_signature,
)

if TYPE_CHECKING:
    from stdeval.commands.standardization_options import LeaveOut, StandardizationOptions
    from stdeval.reference_factors import Factors
    from stdeval.table import ScoreTable

signature_option = click.option(
    "--signature",
    "signed",
    is_flag=True,
    help="Print a line to cite with the scores: version, measures, options, judgments and references.",
)


def is_signed(to: OutputOptions, signed: bool) -> bool:
    """Return whether an output has the signature: if it is asked for, and always in markup."""
    return signed or to.format in MARKED


def raw_signature(inputs: InputOptions, measures: Sequence[str], table: ScoreTable | None = None) -> str:
    """Return the signature of raw scores; the table has them if they come from files."""
    if table is None or not takes_scores(inputs):
        return signature(measures, origin_of(inputs))
    return stored_signature(table.select(measures=measures).measures, table.origin, table.topics)


def number_of_topics(inputs: InputOptions, table: ScoreTable | None = None) -> int:
    """Return the number of all judged topics or, if it is unknown, of topics with scores."""
    if table is None or not takes_scores(inputs):
        return len(judgments(inputs))
    return max(table.origin.n_judged, len(table.topics))


def standardized_signature(
    inputs: InputOptions,
    table: ScoreTable,
    schemes: Sequence[str],
    options: StandardizationOptions,
    factors: Factors | None,
) -> str:
    """Return the signature of scores by several schemes.

    Parameters
    ----------
    inputs : InputOptions
    table : ScoreTable
        The raw scores.
    schemes : sequence of str
        Names of schemes as they are typed, ``raw`` among them.
    options : StandardizationOptions
    factors : Factors or None
        None if the runs are their own reference runs.
    """
    from stdeval.commands.factor_files import differences_of_inputs
    from stdeval.commands.schemes import groups_of
    from stdeval.standardization.factors import fit_factors, numbers_of_references
    from stdeval.standardization.leave_out import fit_others

    stored = table if takes_scores(inputs) else None
    origin, topics = (origin_of(inputs), None) if stored is None else (table.origin, table.topics)
    rounding = [] if options.digits is None else [f"round:{options.digits}"]
    if set(schemes) <= {"raw"}:
        if topics is not None:
            return stored_signature(table.measures, origin, topics, rounding)
        return signature(table.measures, origin, made=Standardization((), tuple(rounding)))
    leave_out, used = options.leave_out, fit_factors(table) if factors is None else factors
    # All topics of the judgments, so that a run with missing topics has the signature of one that has all.
    every = {*table.topics, *({} if stored else origin.judgments)}
    if leave_out is None:
        numbers = numbers_of_references(used, every, table.measures).ravel().tolist()
    else:
        numbers = fit_others(table, groups_of(leave_out, table.systems)).numbers_left
    made = Standardization(
        tuple(
            scheme_with_parameters(scheme, options.A, options.B, options.censor)
            for scheme in sorted({*schemes} - {"raw"})
        ),
        (
            *rounding,
            *([] if leave_out is None else [f"leave-out:{_left_out(leave_out, table.systems)}"]),
            *(() if factors is None else fit(differences_of_inputs(factors, inputs, table), factors, stored)),
        ),
        factors_digest(used, every, table.measures),
        min(numbers, default=0),
        max(numbers, default=0),
    )
    return signature(table.measures, origin, topics, made=made, has_raw="raw" in schemes)


def _left_out(leave_out: LeaveOut, systems: Sequence[str]) -> str:
    """Return ``run``, or ``group`` with a digest of the lines ``system NUL group LF``."""
    from stdeval.commands.schemes import groups_of

    groups = groups_of(leave_out, systems)
    if groups is None:
        return "run"
    digest = lines_digest(f"{system}\0{group}\n" for system, group in zip(systems, groups, strict=True))
    return f"group({digest})"
